"""The drawings of a Parse, which shows its words as they stood in the input."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow.parquet
import pytest

from bnaparser import Parser
from bnaparser.errors import DataError
from bnaparser.parsing.parquet_rows import parquet_writer
from bnaparser.parsing.result import MOST_DRAWN, Parse, Parses
from bnaparser.text.sentence import Split
from bnaparser.trees.tree import Span
from tests.trees.render.drawings import HtmlReader, forest_words, texts

PARSE = Parse(
    "It (fell).",
    ("It", "(", "fell", ")", "."),
    ("PRP", "-LRB-", "VBD", "-RRB-", "."),
    (Span(0, 5, "S"), Span(0, 1, "NP"), Span(1, 4, "PRN::VP")),
)


def test_a_parse_shows_its_words_as_they_stood() -> None:
    svg = PARSE.to_svg()
    assert svg is not None
    assert texts(svg)[-5:] == ["It", "(", "fell", ")", "."]
    assert texts(svg)[:4] == ["S", "NP", "PRN", "VP"]
    assert PARSE._repr_svg_() == svg
    assert svg in PARSE.to_html()
    assert HtmlReader(PARSE.to_html()).text["h2"] == ["It (fell)."]
    assert forest_words(PARSE.to_latex() or "") == ["It", "(", "fell", ")", "."]


def test_a_parse_without_a_tree_has_no_drawing() -> None:
    failed = Parse("", error="the sentence has no words")
    assert failed.to_svg() is failed.to_latex() is failed._repr_svg_() is None
    assert HtmlReader(failed.to_html()).text["p"] == ["the sentence has no words"]


SECOND = Parse(
    "The  ob-gyn (Dr. Lee)\tsat.",
    ("The", "ob-gyn", "(", "Dr.", "Lee", ")", "sat", "."),
    ("DT", "NN", "-LRB-", "NNP", "NNP", "-RRB-", "VBD", "."),
    (Span(0, 8, "S"), Span(0, 6, "NP"), Span(0, 2, "NP"), Span(2, 6, "PRN"), Span(3, 5, "NP")),
    offsets=((9, 12), (14, 20), (21, 22), (22, 25), (26, 29), (29, 30), (31, 34), (34, 35)),
)
"""The second sentence of a text: its words are counted in the whole of it."""


@pytest.mark.parametrize("wrong", ["NP", 3, None, (1,), ("a", "b"), [0.5, 2]])
def test_the_text_of_what_is_no_span_is_one_sentence(wrong: Any) -> None:
    """It was "'<=' not supported between instances of 'int' and 'str'"."""
    with pytest.raises(
        TypeError, match="give a node of the tree, a Span, or a pair of word numbers"
    ):
        SECOND.text_of(wrong)


def test_the_text_of_a_constituent_is_as_it_stands_in_the_input() -> None:
    assert SECOND.tree is not None
    phrases = ["The  ob-gyn (Dr. Lee)", "The  ob-gyn", "Dr. Lee"]
    assert [SECOND.text_of(node) for node in SECOND.tree.find("NP")] == phrases
    assert [SECOND.text_of(s) for s in SECOND.spans if s.label == "NP"] == phrases
    (match,) = SECOND.tree.search("PRN <: __ | < -LRB-")
    assert SECOND.text_of(match.span) == "(Dr. Lee)"
    assert SECOND.text_of(SECOND.tree) == SECOND.text
    assert Parse.from_json(SECOND.to_json()).text_of((6, 8)) == "sat."


@pytest.mark.parametrize("split", ["paragraph", "text"])
def test_the_text_of_constituents_of_a_text(tiny_model_dir: Path, split: Split) -> None:
    text = 'It rained. The (old)  "cat" saw\nMira, and [Mira] “fell” &amp; rose.\n\nDogs bark!'
    parses = Parser.load(tiny_model_dir, "cpu")(text, split=split)
    assert len(parses) > 2
    for parse in parses:
        for span in parse.spans:
            start, end = parse.offsets[span.start][0], parse.offsets[span.end - 1][1]
            assert parse.text_of(span) == text[start:end]


def test_the_text_of_constituents_of_given_words(tiny_model_dir: Path) -> None:
    (parse,) = Parser.load(tiny_model_dir, "cpu").parse_many([["The", "(", "dog", ")", "fell"]])
    assert parse.text_of((0, 4)) == "The ( dog )"


def test_a_node_of_another_tree_has_no_text_here() -> None:
    assert PARSE.tree is not None
    for other in (PARSE.tree, PARSE.tree[0], (7, 9), (3, 3), Span(-1, 2, "NP")):
        with pytest.raises(ValueError, match=r"is not part of the tree of 'The  ob-gyn"):
            SECOND.text_of(other)  # type: ignore[arg-type]  # of a list of several kinds
    with pytest.raises(ValueError, match="0 offsets for 5 words"):
        PARSE.text_of((0, 1))


def test_help_of_a_parse_shows_no_tables() -> None:
    assert "<HeadRules ud>" in str(inspect.signature(Parse.to_conllu))
    assert len(pydoc.render_doc(Parse)) < 20_000


def test_its_own_json_gives_an_equal_parse(tiny_model_dir: Path) -> None:
    parser = Parser.load(tiny_model_dir, "cpu")
    chain = Parse("Go", ("Go",), ("VB",), (Span(0, 1, "S::VP", 1.25),), 1.25, ((3, 5),))
    for parse in [chain, *parser("It rained. The (old) cat saw Mira, and Mira “fell”.")]:
        again = Parse.from_json(parse.to_json())
        assert again == parse
        assert again.tree == parse.tree
        assert (
            Parse.from_json(parse.to_json().encode()) == Parse.from_dict(parse.to_dict()) == parse
        )


def test_of_a_failed_one_json_keeps_text_and_error() -> None:
    failed = Parse("a b", ("a b",), offsets=((0, 3),), error="word 1")
    assert Parse.from_json(failed.to_json()) == Parse("a b", error="word 1")


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "3", '{"text": "a"}', '{"text": "a", "tokens": 3}']
)
def test_other_json_is_refused(line: str) -> None:
    with pytest.raises(DataError, match=r"made by Parse\.to_"):
        Parse.from_json(line)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", 5),
        ("error", 5),
        ("score", "5"),
        ("language", []),
        ("tokens", [{"text": 1, "tag": "VB", "start": 0, "end": 2}]),
        ("tokens", [{"text": "Go", "tag": "VB", "start": None, "end": 2}]),
        ("constituents", [{"label": None, "start": 0, "end": 1, "score": 1.0}]),
        ("constituents", [{"label": "S", "start": 0, "end": 2, "score": 1.0}]),
    ],
)
def test_json_with_values_of_other_kinds_is_refused(name: str, value: object) -> None:
    """It became a Parse that failed later, where it was used."""
    parse = Parse("Go", ("Go",), ("VB",), (Span(0, 1, "S", 1.25),), 1.25, ((0, 2),))
    assert Parse.from_dict(parse.to_dict()) == parse
    with pytest.raises(DataError, match=r"this is not a dictionary made by Parse\.to_dict: "):
        Parse.from_dict({**parse.to_dict(), name: value})


def tables(folder: Path, parses: list[Parse]) -> Iterator[list[Any]]:
    """Yield the rows that pandas, polars and pyarrow read of the parses, in JSON Lines and Parquet."""
    lines, table = folder / "parses.jsonl", folder / "parses.parquet"
    lines.write_text("".join(f"{one.to_json()}\n" for one in parses), encoding="utf-8")
    with table.open("wb") as file, parquet_writer(file) as write:
        for one in parses:
            write(one.to_dict())
    for frame in (pd.read_json(lines, lines=True, precise_float=True), pd.read_parquet(table)):
        yield frame.to_dict("records")
        yield [row for _, row in frame.iterrows()]
    yield pd.read_parquet(table, dtype_backend="pyarrow").to_dict("records")
    yield pd.read_parquet(table, dtype_backend="numpy_nullable").to_dict("records")
    yield polars.read_ndjson(lines).to_dicts()
    yield polars.read_parquet(table).to_dicts()
    yield pyarrow.parquet.read_table(table).to_pylist()


def test_rows_of_tables_give_equal_parses(tiny_model_dir: Path, tmp_path: Path) -> None:
    parser = Parser.load(tiny_model_dir, "cpu")
    parses = [
        *parser("It rained."),
        *parser("The cat saw Mira.", n_best=2, probabilities=True),
        Parse("a b", error="word 1", language="en"),
    ]
    for rows in tables(tmp_path, parses):
        assert [Parse.from_dict(row) for row in rows] == parses


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"text": float("nan")}, "text is missing: keep this field"),
        ({"tokens": None}, "tokens is missing: keep this field"),
        ({"tokens": "[]"}, r"tokens must be a list, not '\[\]': decode the JSON in it"),
        ({"error": np.float64(1.5)}, "error must be a string, not 1.5"),
        (
            {"tokens": np.array([{"text": "Go", "tag": 3, "start": 0, "end": 2}])},
            r"tokens\[0\].tag must be a string, not 3",
        ),
        (
            {"constituents": [{"label": "S", "start": 0.5, "end": 1, "score": 1.0}]},
            r"constituents\[0\].start must be a whole number, not 0.5",
        ),
        ({"alternatives": [3]}, r"alternatives\[0\] must be an object, not 3"),
    ],
)
def test_a_wrong_field_of_a_row_is_named(changed: dict[str, Any], message: str) -> None:
    parse = Parse("Go", ("Go",), ("VB",), (Span(0, 1, "S", 1.25),), 1.25, ((0, 2),))
    with pytest.raises(DataError, match=message):
        Parse.from_dict(parse.to_dict() | changed)


def test_json_needs_offsets_of_words_in_constituents() -> None:
    with pytest.raises(ValueError, match="0 offsets for 5 words: JSON needs one for each"):
        PARSE.to_json()


def test_a_list_of_parses_is_drawn_in_a_notebook() -> None:
    failed = Parse("<no>", error="the sentence has no words")
    page = Parses([PARSE, failed])._repr_html_()
    assert page.count("<svg ") == 1
    assert "&lt;no&gt;" in page
    assert "the sentence has no words" in page
    many = Parses([failed] * (MOST_DRAWN + 7))
    assert many._repr_html_().endswith("<p>... and 7 more</p>")
    assert many == [failed] * len(many)
