"""The reader of CoNLL-U: what it keeps, what it passes over, and where it says a mistake stands."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import DataError
from bnaparser.treebanks.conllu import ConlluSentence, MultiwordToken, load_conllu, read_conllu


def line(number: int | str, form: str, head: int | str, relation: str = "dep") -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"


def sentence(*lines: str) -> list[str]:
    return [f"{one}\n" for one in lines]


# The format's own example of empty nodes and multiword tokens, in our words.
WHOLE = sentence(
    "# newdoc id = d1",
    "# sent_id = 1",
    "# text = They don't sell (and buy) books.",
    line(1, "They", 4, "nsubj"),
    line("2-3", "don't", "_", "_"),
    line(2, "do", 4, "aux"),
    line(3, "n't", 4, "advmod"),
    line(4, "sell", 0, "root"),
    line(5, "books", 4, "obj"),
    line("5.1", "buy", "_", "_"),
    line(6, ".", 4, "punct"),
    "",
    "",
    "# sent_id = 2",
    line(1, "Yes", 0, "root"),
    line(2, "No", 0, "root"),
    "",
)


def test_words_heads_and_multiword_tokens() -> None:
    first, second = read_conllu(WHOLE, "x.conllu")
    assert first == ConlluSentence(
        ("They", "do", "n't", "sell", "books", "."),
        (4, 4, 4, 0, 4, 4),
        (MultiwordToken(1, 3, "don't"),),
        "x.conllu",
        4,
    )
    assert second.words == ("Yes", "No")
    assert second.heads == (0, 0)
    assert second.line == 15


def test_the_last_sentence_needs_no_blank_line_and_line_ends_do_not_matter() -> None:
    lines = [one.rstrip("\n") + "\r\n" for one in WHOLE][:-1]
    assert [one.words for one in read_conllu(lines)] == [one.words for one in read_conllu(WHOLE)]
    assert list(read_conllu([])) == []
    assert list(read_conllu(["# only a comment\n", "\n"])) == []


def test_multiword_tokens_as_written() -> None:
    first, second = read_conllu(WHOLE)
    assert first.as_written().words == ("They", "don't", "sell", "books", ".")
    assert first.as_written().heads == (3, 3, 0, 3, 3)
    assert first.as_written().multiword == ()
    assert second.as_written() is second


def test_a_multiword_token_takes_its_highest_words_place() -> None:
    # "a" hangs on "x", "x" on "b", "b" on nothing: the token "ab" is the root, not x's child.
    lines = sentence(line("1-2", "ab", "_"), line(1, "a", 3), line(2, "b", 0), line(3, "x", 2))
    (found,) = read_conllu(lines)
    assert found.as_written().words == ("ab", "x")
    assert found.as_written().heads == (0, 1)


def test_files_packed_or_not(tmp_path: Path) -> None:
    text = "".join(WHOLE)
    plain, packed = tmp_path / "a.conllu", tmp_path / "a.conllu.xz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(lzma.compress(b"\xef\xbb\xbf" + text.encode()))
    assert [s.words for s in load_conllu(plain)] == [s.words for s in load_conllu(packed)]
    assert load_conllu(plain)[0].source == str(plain)
    with pytest.raises(DataError, match="no such file"):
        load_conllu(tmp_path / "none.conllu")


@pytest.mark.parametrize(
    ("lines", "place", "message"),
    [
        ([line(1, "a", 0), "2\tb\t_"], 2, "the line has 3 columns instead of 10"),
        (
            ["1 a _ _ _ _ 0 _ _ _"],
            1,
            "the line has 1 columns instead of 10; columns are separated by tabs",
        ),
        ([line(1, "a", 0) + "\t_"], 1, "11 columns"),
        ([line(1, "a", 0), line(3, "b", 1)], 2, "the first column is '3', where word 2 is due"),
        ([line("x", "a", 0)], 1, "the first column is 'x', where word 1 is due"),
        ([line("1" * 5000, "a", 0)], 1, "the first column is '1111"),
        ([line("1-" + "2" * 5000, "a", 0)], 1, "the first column is '1-222"),
        ([line(1, "a", "1" * 5000)], 1, "the head of 'a', is '1111"),
        ([line(1, "", 0)], 1, "the word's form, is empty"),
        ([line(1, "a", "_")], 1, "the head of 'a', is '_': no number"),
        ([line(1, "a", "-1")], 1, "is '-1': no number"),
        ([line(1, "a", 0), line(2, "b", 3)], 2, "the head is 3, and the sentence has 2 words"),
        (["# c", line(1, "a", 2), line(2, "b", 1)], 2, "from word 1 leads into a cycle"),
        ([line(1, "a", 1)], 1, "leads into a cycle"),
        ([line(1, "a", 0), line("1-2", "ab", "_")], 2, "1-2 does not stand before its words"),
        ([line("1-1", "a", "_"), line(1, "a", 0)], 1, "1-1 does not stand before its words"),
        ([line("1-3", "ab", "_"), line(1, "a", 0)], 2, "'ab' ends at word 3 of 1"),
        ([line("0.1", "a", "_")], 1, "a sentence without words"),
    ],
)
def test_mistakes_name_file_and_line(lines: list[str], place: int, message: str) -> None:
    whole = [*WHOLE, *sentence(*lines)]
    found: list[ConlluSentence] = []
    with pytest.raises(DataError) as caught:
        found.extend(read_conllu(whole, "trees.conllu"))
    assert str(caught.value).startswith(f"trees.conllu:{len(WHOLE) + place}: ")
    assert message in str(caught.value)
    assert len(list(read_conllu(WHOLE))) == 2


@st.composite
def annotated(draw: st.DrawFn) -> ConlluSentence:
    order = draw(st.permutations(range(1, draw(st.integers(1, 9)) + 1)))
    heads = [0] * len(order)
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    cuts = sorted(draw(st.sets(st.integers(0, len(order)))))
    tokens = [
        MultiwordToken(start, end, "t" * (end - start))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if end - start > 1
    ]
    return ConlluSentence(tuple(f"w{i}" for i in range(len(order))), tuple(heads), tuple(tokens))


@given(annotated())
def test_what_is_written_is_read_back_and_merging_keeps_a_forest(
    given_sentence: ConlluSentence,
) -> None:
    lines = []
    starts = {token.start: token for token in given_sentence.multiword}
    for place, (word, head) in enumerate(
        zip(given_sentence.words, given_sentence.heads, strict=True)
    ):
        if token := starts.get(place):
            lines.append(line(f"{token.start + 1}-{token.end}", token.form, "_"))
        lines.append(line(place + 1, word, head))
    assert list(read_conllu(lines)) == [given_sentence]
    merged = given_sentence.as_written()
    assert "".join(merged.words).count("t") == sum(len(t.form) for t in given_sentence.multiword)
    written = [
        line(i, *pair) for i, pair in enumerate(zip(merged.words, merged.heads, strict=True), 1)
    ]
    assert [one.heads for one in read_conllu(written)] == [merged.heads]  # no circle
