"""Frames against what Parse.to_dict says, in pandas and in Polars."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

from bnaparser.integrations import pandas, polars
from bnaparser.measures import measure
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import from_words
from bnaparser.trees.tree import Tree

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
    (row,) = rows(library.sentences(tiny_parser("It\ud83d rained.")))
    assert row["text"].startswith("It\ufffd") and "half of a surrogate pair" in row["error"]


@pytest.mark.parametrize("library", [pandas, polars])
def test_a_parse_alone_is_a_list_of_one(library: Any, tiny_parser: Parser) -> None:
    parse = tiny_parser.parse_sentence("It rained.")
    for make in (library.sentences, library.constituents):
        assert rows(make(parse)) == rows(make([parse]))


@pytest.mark.parametrize("library", [pandas, polars])
def test_each_constituent_has_the_one_above_it_as_parent(library: Any) -> None:
    tree = Tree.parse("(TOP (S (NP (DT The) (NN cat)) (VP (VBD had) (NP (JJ hot) (NN milk)))))")
    words = from_words(tree.words)
    parse = Parse(words.text, words.words, tree.tags, tuple(tree.spans()), offsets=words.offsets)
    found = [(row["label"], row["parent"]) for row in rows(library.constituents(parse))]
    assert found == [("S", None), ("NP", 0), ("VP", 0), ("NP", 2)]


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
    with pytest.raises(TypeError, match=r"give a list of parses, .*, not a str"):
        library.constituents("text")


def test_types_are_the_same_for_an_empty_frame(tiny_parser: Parser) -> None:
    full, empty = tiny_parser(TEXTS[0]), tiny_parser("")
    for make in ("constituents", "sentences"):
        of_pandas = [getattr(pandas, make)(parses).dtypes for parses in (full, empty)]
        assert of_pandas[0].equals(of_pandas[1])
        of_polars = [getattr(polars, make)(parses).schema for parses in (full, empty)]
        assert of_polars[0] == of_polars[1]


FRAME = pd.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "lang": ["fr", "en", "en", "en"],
        "text": ["Il pleut.", "It rained. The dogs barked.", "", "The cat sat."],
    }
)
FRAMES = {
    "as it is": FRAME,
    "filtered": FRAME[FRAME["lang"] == "en"],
    "reordered": FRAME.sort_values("id", ascending=False),
    "labels are strings": FRAME.set_index(pd.Index(["w", "x", "y", "z"])),
    "labels are dates": FRAME.set_index(pd.date_range("2026-01-01", periods=4)),
    "labels are floats": FRAME.set_index(pd.Index([0.5, 1.0, 1.5, 2.0])),
    "positions of others": FRAME.set_index(pd.Index([3, 2, 1, 0])),
    "labels have several levels": FRAME.set_index(["lang", FRAME["id"].rename("key")]),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("make", [pandas.constituents, pandas.sentences])
def test_a_frame_of_pandas_keeps_the_labels_of_its_texts(
    name: str, make: Any, tiny_parser: Parser
) -> None:
    """On a filtered frame the join that docs/integrations.md gave had the wrong ids."""
    frame = FRAMES[name]
    column = frame.assign(parses=list(tiny_parser.pipe(frame["text"])))["parses"]
    for parses in (tiny_parser.pipe(frame["text"]), column, column.iloc[::-1]):
        found = make(parses)
        ids = found["document"].map(frame["id"])
        assert set(ids) == {"a", "b", "d"} & set(frame["id"])
        for text, one in zip(found["text"], ids, strict=True):
            assert text in frame.loc[frame["id"] == one, "text"].item()
        if not isinstance(frame.index, pd.MultiIndex):
            assert found.join(frame["id"], on="document")["id"].tolist() == ids.tolist()
            merged = found.merge(frame["id"], left_on="document", right_index=True)
            assert merged["id"].tolist() == ids.tolist()


@pytest.mark.parametrize("make", [pandas.constituents, pandas.sentences])
def test_a_frame_without_rows_is_joined_too(make: Any, tiny_parser: Parser) -> None:
    for frame in (FRAME, FRAMES["labels are strings"]):
        none = frame[frame["lang"] == "de"]
        column = none.assign(parses=list(tiny_parser.pipe(none["text"])))["parses"]
        for parses in (tiny_parser.pipe(none["text"]), column):
            assert make(parses).join(none["id"], on="document").empty
    assert "document" not in make(tiny_parser(""))


@pytest.mark.parametrize("label", [float("nan"), None, pd.NaT, pd.NA])
def test_a_label_that_is_missing_twice_is_the_same_label(label: Any, tiny_parser: Parser) -> None:
    twice = pd.Series(["It rained.", "Dogs bark."], index=pd.Index([label, label], dtype=object))
    with pytest.raises(ValueError, match="two texts have the same index label"):
        pandas.sentences(tiny_parser.pipe(twice))
    assert len(pandas.sentences(tiny_parser.pipe(twice[:1]))) == 1


def test_texts_with_the_same_label_are_not_mixed_up(tiny_parser: Parser) -> None:
    twice = pd.concat([FRAME, FRAME])
    with pytest.raises(ValueError, match=r"the same index label 0: .*reset_index"):
        pandas.sentences(tiny_parser.pipe(twice["text"]))
    found = pandas.sentences(tiny_parser.pipe(twice["text"].tolist()))
    assert found["document"].unique().tolist() == [0, 1, 3, 4, 5, 7]
    assert [len(parses) for parses in tiny_parser.pipe(twice["text"])] == [1, 2, 0, 1] * 2


def test_a_missing_text_of_a_series_is_an_error_of_its_row(tiny_parser: Parser) -> None:
    texts = ["It rained.", None, "Dogs bark."]
    gone: list[Any] = [float("nan"), pd.NA, None, pd.NaT]
    for missing in gone:
        series = pd.Series([texts[0], missing, texts[2]], index=list("abc"), dtype=object)
        found = pandas.sentences(tiny_parser.pipe(series))
        assert found["document"].tolist() == ["a", "b", "c"]
        assert found["error"].isna().tolist() == [True, False, True]
        assert found["error"][1] == "the text is missing"
    of_polars = polars.sentences(tiny_parser.pipe(pl.Series(texts)))
    assert of_polars["error"].to_list() == [None, "the text is missing", None]
    with pytest.raises(
        TypeError, match=r"the text with the index label 'b': give|not an int: the text"
    ):
        list(tiny_parser.pipe(pd.Series(["a.", 5], index=["a", "b"], dtype=object)))
    lists: list[list[Any]] = [["It rained.", float("nan")], ["It rained.", None]]
    for wrong in lists:
        with pytest.raises(TypeError, match="number 2 of the texts"):
            list(tiny_parser.pipe(wrong))


def test_a_filtered_frame_of_polars_joins_by_its_rows(tiny_parser: Parser) -> None:
    frame = pl.from_pandas(FRAME).filter(pl.col("lang") == "en")
    found = polars.constituents(tiny_parser.pipe(frame["text"]))
    joined = found.join(frame.with_row_index("document"), on="document", suffix="_of_document")
    assert set(joined["id"]) == {"b", "d"}
    for text, whole in zip(joined["text"], joined["text_of_document"], strict=True):
        assert text in whole


def test_parses_of_one_library_make_a_frame_of_the_other(tiny_parser: Parser) -> None:
    series = FRAMES["labels are strings"]["text"]
    assert polars.sentences(tiny_parser.pipe(series))["document"].to_list() == ["w", "x", "x", "z"]
    assert pandas.sentences(tiny_parser.pipe(pl.Series(TEXTS)))["document"].tolist() == [0, 0, 2]


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


@pytest.mark.parametrize("library", [pandas, polars])
@pytest.mark.parametrize("by", ["text", "sentence", "word"])
def test_measures(library: Any, by: Any, tiny_parser: Parser) -> None:
    parses = list(tiny_parser.pipe(TEXTS, probabilities=True))
    patterns = None if by == "word" else {"dogs": "__ < Dogs"}
    found = rows(library.measures(parses, by, patterns))
    assert found == measure(parses, by, patterns)
    assert {row["document"] for row in found} == ({0, 1, 2} if by == "text" else {0, 2})


def test_measures_of_a_series_have_its_labels(tiny_parser: Parser) -> None:
    series = pd.Series(list(tiny_parser.pipe(TEXTS)), index=["a", "b", "c"])
    assert list(pandas.measures(series, by="text")["document"]) == ["a", "b", "c"]
    trees = pd.Series([Tree.parse("(S (NN a))"), Tree.parse("(S (NN b) (NN c))")], index=["x", "y"])
    found = pandas.measures(trees, by="text")  # a tree is a text
    assert list(zip(found["document"], found["W"], strict=True)) == [("x", 1), ("y", 2)]
    with pytest.raises(ValueError, match="two texts have the same index label 'a'"):
        pandas.measures(pd.concat([series, series]), by="text")


@pytest.mark.parametrize("library", [pandas, polars])
@pytest.mark.parametrize("given", [None, [[], None], "It rained.", [None]])
def test_measures_of_what_is_no_parse_are_refused(library: Any, given: Any) -> None:
    with pytest.raises(TypeError, match="give parses or trees, or lists of these, not "):
        library.measures(given, by="text")
