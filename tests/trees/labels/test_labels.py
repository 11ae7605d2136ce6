"""Labels explained: in the languages of all models, by rule where a table lacks them, in searches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bnaparser import Tree
from bnaparser.trees.labels import (
    CLASSES,
    LANGUAGES,
    explain,
    family,
    label_class,
    table,
    table_of_labels,
)
from bnaparser.trees.search import Pattern
from bnaparser.trees.search.parsing import PatternError

MODELS = Path(__file__).parents[3] / "models"
UNKNOWN = "not documented"


def labels_of_models() -> Iterator[tuple[str, bool, str]]:
    for file in sorted(MODELS.glob("*/labels.json")):
        known = json.loads(file.read_text(encoding="utf-8"))
        if "tags" not in known:  # a classifier
            continue
        for language, its_own in (known.get("languages") or {"en": known}).items():
            yield from ((label, False, language) for label in its_own["labels"] if label)
            yield from ((tag, True, language) for tag in its_own["tags"])


def test_every_label_of_the_models_is_explained_and_has_a_class() -> None:
    undocumented = set()
    for label, is_tag, language in labels_of_models():
        assert label_class(label, is_tag, language) in CLASSES, (label, language)
        words = explain(label, is_tag, language)
        assert words, (label, language)
        if UNKNOWN in words:
            undocumented.add((label, is_tag, language))
    assert undocumented == {("VDDI", True, "is")}


def test_labels_of_german_and_of_the_icelandic_of_today() -> None:
    """Labels of two treebanks that no model that ships has learned from were not explained."""
    assert label_class("MTA", language="de") == "adjective-phrase"
    assert label_class("NNE", True, "de") == "proper-noun"
    for label in ("DUTCH", "ENGLISH", "FS"):
        assert explain(label, language="is")
    for tag in ("MANS", "TP", "as"):
        assert explain(tag, True, "is")


def test_function_tags_are_explained_too() -> None:
    assert explain("NP-SBJ-1") == "noun phrase, subject"
    assert explain("PP-LOC-CLR=2") == "prepositional phrase, place, closely related to the verb"
    assert explain("-LRB-", is_tag=True) == "opening bracket"
    assert explain("PRP$", is_tag=True) == "possessive pronoun"
    assert explain("XYZ") == explain("XYZ", is_tag=True) == ""
    assert label_class("XYZ") == label_class("XYZ", is_tag=True) == ""
    assert (family("NP-SBJ"), family("VBD", is_tag=True), family("??")) == (
        "nominal", "verbal", "other",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("label", "is_tag", "language", "kind", "words"),
    [
        ("CP-REL-SPE", False, "is", "clause", "clause with a complementizer, a wh-phrase or a relative particle, relative, direct speech"),
        ("N-D", True, "is", "noun", "noun, singular, dative"),
        ("HVDS", True, "is", "verb", "the verb “have”: hafa, past subjunctive"),
        ("Q+NS-G", True, "is", "noun", "quantifier + noun, plural, genitive"),
        ("ADV33", True, "is", "adverb", "adverb (part 3 of 3)"),
        ("NS", False, "is", "noun-phrase", "coordinated words: noun, plural"),
        ("vmip3s0", True, "es", "verb", "main verb"),
        ("sn.co-SUJ", False, "es", "noun-phrase", "noun phrase, coordinated, subject"),
        ("sp::sn", False, "es", "prepositional-phrase", "prepositional phrase over noun phrase"),
        ("P+DET", True, "fr", "determiner", "preposition + determiner"),
        ("NP-SUJ", False, "fr", "noun-phrase", "noun phrase, subject"),
        ("Ndaabx", True, "zh-Hant", "noun", "dynasty: 唐朝"),
        ("得‧PP", False, "zh-Hant", "prepositional-phrase", "complement after 得: prepositional phrase"),
        ("S-RC", False, "de", "clause", "clause, relative clause"),
        ("VROOT", False, "pt", "root", "root of the tree"),
    ],
)  # fmt: skip
def test_labels_that_no_table_has_are_explained_by_their_parts(
    label: str, is_tag: bool, language: str, kind: str, words: str
) -> None:
    assert label_class(label, is_tag, language) == kind
    assert explain(label, is_tag, language) == words


def test_tables_are_in_order_with_known_classes() -> None:
    for language in LANGUAGES:
        one = table(language)
        assert list(one.phrases) == sorted(one.phrases), language
        assert list(one.functions) == sorted(one.functions), language
        assert {meaning.label_class for meaning in one.phrases.values()} <= CLASSES
        assert {meaning.label_class for meaning in one.tags.values()} <= CLASSES


SPANISH = Tree.parse(
    "(TOP (S (sn (grup.nom (np Ana))) (grup.verb (vm ve)) (sn (espec (da la)) (grup.nom (nc a)))))"
)
ENGLISH = Tree.parse("(TOP (S (NP-SBJ (NNP Ana)) (VP (VBZ sees) (NP (DT A) (NN noun)))))")


def found(pattern: str, tree: Tree) -> list[str]:
    return [
        match.node if isinstance(match.node, str) else match.node.label
        for match in Pattern(pattern).matches(tree)
    ]


def test_a_class_finds_what_the_labels_find() -> None:
    assert (
        table_of_labels((node.label, node.word is not None) for node in SPANISH.nodes()).language
        == "es"
    )
    assert found("@@noun-phrase", SPANISH) == found("/^(sn|grup.nom)$/", SPANISH)
    assert found("@@noun-phrase", ENGLISH) == found("@NP", ENGLISH) == ["NP-SBJ", "NP"]
    assert (
        found("@@clause < @@verb-phrase", SPANISH) == found("S < /^grup.verb$/", SPANISH) == ["S"]
    )
    assert found("@@determiner", ENGLISH) == ["DT"], "a word, or another label, is found"
    assert found("@@noun|proper-noun=name", ENGLISH) == ["NNP", "NN"]
    assert found("@@clause < (@@verb-phrase << !@@noun-phrase)", ENGLISH)
    assert found("@@root", ENGLISH) == ["TOP"]


def test_a_tree_with_few_labels_is_searched_by_class() -> None:
    short = Tree.parse("(TOP (IP-MAT (-LRB- 「) (NP (NPR 南部)) (-RRB- 」)))")
    assert found("@@clause", short) == ["IP-MAT"]
    assert found("@@noun-phrase < @@proper-noun", short) == ["NP"]


def test_an_unknown_class_is_named_at_its_place() -> None:
    with pytest.raises(PatternError, match="'nounphrase' is no class of labels") as raised:
        Pattern("NP < @@nounphrase")
    assert raised.value.column == 8
    with pytest.raises(PatternError, match="the class of labels is missing after @@"):
        Pattern("@@ < NP")
