"""Frames against what Parse.to_dict says, in pandas and in Polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bnaparser.integrations import pandas, polars
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse

TEXTS = ["The cat sat on the mat. Dogs bark!", "", "It rained."]
pytestmark = pytest.mark.usefixtures("one_thread")


def rows(frame: Any) -> list[dict[str, Any]]:
    """A frame's rows, what is missing as None."""
    if isinstance(frame, pl.DataFrame):
        return list(frame.iter_rows(named=True))
    whole: Any = frame.astype(object).where(frame.notna(), None)
    return list(whole.to_dict("records"))


@pytest.mark.parametrize("library", [pandas, polars])
def test_half_a_character_loses_no_frame(library: Any, tiny_parser: Parser) -> None:
    parses = tiny_parser("It\ud83d rained.")
    for found in (rows(library.sentences(parses)), rows(library.constituents(parses))):
        assert found[0]["text"].startswith("It\ufffd")


@pytest.mark.parametrize("library", [pandas, polars])
def test_a_parse_alone_is_a_list_of_one(library: Any, tiny_parser: Parser) -> None:
    parse = tiny_parser.parse_sentence("It rained.")
    for make in (library.sentences, library.constituents):
        assert rows(make(parse)) == rows(make([parse]))


@pytest.mark.parametrize("library", [pandas, polars])
def test_constituents(library: Any, tiny_parser: Parser) -> None:
    text = TEXTS[0]
    parses = tiny_parser(text)
    found = rows(library.constituents(parses))
    expected = [
        {**one, "sentence": number}
        for number, parse in enumerate(parses)
        for one in parse.to_dict()["constituents"]
    ]
    keys = ("sentence", "label", "start", "end", "char_start", "char_end", "score")
    assert [[row[key] for key in keys] for row in found] == [
        [row[key] for key in keys] for row in expected
    ]
    for row in found:
        assert row["text"] == text[row["char_start"] : row["char_end"]]
        assert row["probability"] is None
        if row["parent"] is not None:
            (above,) = [
                one
                for one in found
                if (one["sentence"], one["constituent"]) == (row["sentence"], row["parent"])
            ]
            assert above["start"] <= row["start"] < row["end"] <= above["end"]
            nearer = [
                one
                for one in found
                if one["sentence"] == row["sentence"]
                and above["constituent"] < one["constituent"] < row["constituent"]
                and one["start"] <= row["start"] < row["end"] <= one["end"]
            ]
            assert not nearer
        else:
            assert row["constituent"] == 0 or row["start"] >= found[0]["end"]
    assert "document" not in found[0]


@pytest.mark.parametrize("library", [pandas, polars])
def test_sentences_of_texts(library: Any, tiny_parser: Parser) -> None:
    found = rows(library.sentences(tiny_parser.pipe(TEXTS)))
    assert [(row["document"], row["sentence"]) for row in found] == [(0, 0), (0, 1), (2, 0)]
    assert [row["text"] for row in found] == ["The cat sat on the mat.", "Dogs bark!", "It rained."]
    assert [row["tree"] for row in found] == [
        str(parse.tree) for text in TEXTS for parse in tiny_parser(text)
    ]
    assert [row["words"] for row in found] == [7, 3, 3]


@pytest.mark.parametrize("library", [pandas, polars])
def test_errors_and_nothing_at_all(library: Any) -> None:
    (row,) = rows(library.sentences([Parse("a", error="no")]))
    assert (row["tree"], row["score"], row["error"]) == (None, None, "no")
    assert rows(library.constituents([Parse("a", error="no")])) == []
    with pytest.raises(TypeError, match=r"give parses, or lists of them, .*, not a str"):
        library.constituents("text")


def test_types_are_the_same_for_an_empty_frame(tiny_parser: Parser) -> None:
    full, empty = tiny_parser(TEXTS[0]), tiny_parser("")
    for make in ("constituents", "sentences"):
        of_pandas = [getattr(pandas, make)(parses).dtypes for parses in (full, empty)]
        assert of_pandas[0].equals(of_pandas[1])
        of_polars = [getattr(polars, make)(parses).schema for parses in (full, empty)]
        assert of_polars[0] == of_polars[1]


def test_frames_join_with_those_of_the_texts(tiny_parser: Parser) -> None:
    texts = pd.DataFrame({"text": TEXTS, "id": ["a", "b", "c"]})
    parsed = pandas.constituents(tiny_parser.pipe(texts["text"]))
    joined = parsed.merge(texts["id"], left_on="document", right_index=True)
    assert set(joined["id"]) == {"a", "c"}
    frame = pl.from_pandas(texts)
    both = polars.constituents(tiny_parser.pipe(frame["text"])).join(
        frame.with_row_index("document"), on="document", suffix="_of_document"
    )
    assert set(both["id"]) == {"a", "c"}
    assert np.array_equal(both["start"].to_numpy(), parsed["start"].to_numpy(int))


@pytest.mark.parametrize("library", [pandas, polars])
def test_probabilities_where_they_were_asked_for(library: Any, tiny_parser: Parser) -> None:
    parses = tiny_parser(TEXTS[0], probabilities=True)
    found = rows(library.constituents(parses))
    expected = [one["probability"] for parse in parses for one in parse.to_dict()["constituents"]]
    assert [row["probability"] for row in found] == expected
    assert all(0 <= probability <= 1 for probability in expected)
    of_sentences = rows(library.sentences(parses))
    for name in ("probability", "confidence", "entropy"):
        assert [row[name] for row in of_sentences] == [getattr(parse, name) for parse in parses]
        assert {row[name] for row in rows(library.sentences(tiny_parser(TEXTS[0])))} == {None}


@pytest.mark.parametrize("library", [pandas, polars])
def test_texts_without_a_sentence_have_the_column_to_join_by(
    library: Any, tiny_parser: Parser
) -> None:
    for make in (library.constituents, library.sentences):
        assert "document" in make(tiny_parser.pipe(["", " "])).columns
        assert "document" not in make(tiny_parser("")).columns


@pytest.mark.parametrize("library", [pandas, polars])
def test_pairs_of_parses_and_something_are_refused(library: Any, tiny_parser: Parser) -> None:
    for frame_of in (library.sentences, library.constituents):
        with pytest.raises(
            TypeError, match=r"not a tuple with a Parses in it: .* without as_tuples"
        ):
            frame_of(tiny_parser.pipe([("It rained.", 1)], as_tuples=True))
