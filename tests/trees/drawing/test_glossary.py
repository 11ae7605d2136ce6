"""Labels in plain words."""

from __future__ import annotations

import json
from pathlib import Path

from bnaparser.trees.drawing.glossary import FUNCTIONS, PHRASES, TAGS, explain, family


def test_every_label_of_the_english_model_is_explained() -> None:
    folder = Path(__file__).parents[3] / "models" / "en"
    known = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    parts = {part for label in known["labels"] for part in label.split("::") if part}
    assert [label for label in parts if not explain(label)] == []
    assert [tag for tag in known["tags"] if not explain(tag, is_tag=True)] == []


def test_function_tags_are_explained_too() -> None:
    assert explain("NP-SBJ-1") == "noun phrase, subject"
    assert explain("PP-LOC-CLR=2") == "prepositional phrase, place, closely related to its verb"
    assert explain("-LRB-", is_tag=True) == "opening bracket"
    assert explain("PRP$", is_tag=True) == "possessive pronoun"
    assert explain("XYZ") == explain("XYZ", is_tag=True) == explain("") == ""
    assert (family("NP-SBJ"), family("VBD", is_tag=True), family("??")) == (
        "nominal", "verbal", "other",
    )  # fmt: skip


def test_the_glossary_is_in_order() -> None:
    for known in (PHRASES, FUNCTIONS):
        assert list(known) == sorted(known)
    families = {"clause", "nominal", "verbal", "prepositional", "modifier", "other"}
    assert {kind for kind, _ in (*PHRASES.values(), *TAGS.values())} == families
