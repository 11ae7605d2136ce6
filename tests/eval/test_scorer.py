"""The quick way and the exact way say the same of any input, and a word on what they say."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bnaparser.eval.params import Params, collins, new
from bnaparser.eval.report import OK, ErrorLog, Row, TooManyErrors
from bnaparser.eval.scorer import FastScorer, PairScorer

LABELS = (b"S", b"NP", b"VP", b"NP-SBJ", b"-X", b"ADVP", b"PRT", b"TOP", b"", b"A", b"B", b"C")
TAGS = (b"NN", b"VB", b",", b"''", b"POS", b"-NONE-", b"", b"A", b"ADVP", b"PRT", b"NN-X")
WORDS = (b"w", b"w", b"w", b"v", b"'", b'"', b"", b"\xff")
blanks = st.sampled_from((b" ", b" ", b" ", b"", b"  ", b"\t", b"\r", b"\n"))
terminals = st.tuples(st.sampled_from(TAGS), st.sampled_from(WORDS)).map(
    lambda pair: b"(" + pair[0] + b" " + pair[1] + b")"
)
trees = st.recursive(
    terminals,
    lambda children: st.tuples(
        st.sampled_from(LABELS), blanks, st.lists(children, min_size=1, max_size=4)
    ).map(lambda node: b"(" + node[0] + node[1] + node[1].join(node[2]) + b")"),
    max_leaves=12,
)
pieces = st.sampled_from((b"(", b")", b" ", b"\0", b"\n", *LABELS, *WORDS))
rubbish = st.lists(pieces, max_size=30).map(b"".join)


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    tree = draw(trees)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(tree)))
        tree = tree[:place] + draw(pieces) + tree[place + draw(st.integers(0, 1)) :]
    return tree


@st.composite
def relabelled(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A tree and a copy with other labels and tags, so that many words are the same."""
    tree = draw(trees)
    choices = iter(draw(st.lists(st.sampled_from(LABELS + TAGS), min_size=60, max_size=60)))
    changes = draw(st.sets(st.integers(0, 40)))
    numbers = iter(range(10_000))
    copy = re.sub(
        rb"\([^\s()]*",
        lambda m: b"(" + next(choices, b"X") if next(numbers) in changes else m[0],
        tree,
    )
    return tree, copy


lines = trees | broken() | rubbish
pairs = st.lists(relabelled() | st.tuples(lines, lines), min_size=1, max_size=5)
params = st.builds(
    Params,
    max_error=st.sampled_from((0, 3, 50)),
    labeled=st.booleans(),
    delete_labels=st.frozensets(st.sampled_from((b"TOP", b",", b"''", b"-NONE-", b"A"))),
    delete_labels_for_length=st.frozensets(st.sampled_from((b"-NONE-", b"NN"))),
    quote_labels=st.frozensets(st.sampled_from((b"POS", b"''", b"NN"))),
    equal_labels=st.sampled_from(
        (
            frozenset(),
            frozenset({(b"ADVP", b"PRT"), (b"PRT", b"ADVP")}),
            frozenset({(b"A", b"B"), (b"B", b"A"), (b"B", b"C"), (b"C", b"B")}),
        )
    ),
    equal_words=st.sampled_from((frozenset(), frozenset({(b"v", b"w"), (b"w", b"v")}))),
)


def run(
    pairs: list[tuple[bytes, bytes]], params: Params, limit: int | None, exact: bool
) -> tuple[list[Row], list[bytes], bool]:
    """Return rows, messages, and whether there were too many errors."""
    messages: list[bytes] = []
    rows: list[Row] = []
    scorer = PairScorer(params, ErrorLog(limit, messages.append), exact=exact)
    try:
        for number, (gold, test) in enumerate(pairs, start=1):
            scorer.start(number, gold)
            rows.append(scorer.finish(test))
    except TooManyErrors:
        return rows, messages, True
    return rows, messages, False


@settings(max_examples=400)
@given(pairs, params, st.booleans())
@example([(b"(S (A a))))", b"(S (A a)"), (b"(S (A a))", b"(S (A a)))")], collins(), True)
@example([(b"(S (NN a) (NN b))", b"(S (NN a) (POS '))")], new(), False)
def test_both_ways_agree(pairs: list[tuple[bytes, bytes]], params: Params, limited: bool) -> None:
    limit = params.max_error if limited else None
    assert run(pairs, params, limit, exact=False) == run(pairs, params, limit, exact=True)


@settings(max_examples=100)
@given(trees)
def test_a_tree_matches_itself(tree: bytes) -> None:
    (row,), messages, _ = run([(tree, tree)], collins(), None, exact=False)
    assert messages == []
    assert row.matched == row.gold == row.test
    assert row.tags == row.words
    assert row.crossing == 0


@pytest.mark.parametrize(
    "line",
    [
        b"(S (NP (NN a)) (VP (VB b)))\n",
        b"( (S (NN a)))",
        b"(S(NN a)(NN b))",
        b"(NN a) (NN b)",
        b"(S (NN )( b))\r\n",
        b"",
    ],
)
def test_lines_in_good_order_are_read_the_quick_way(line: bytes) -> None:
    assert FastScorer(collins()).read(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        b"(S (NN a)",
        b"(S (NN a)))",
        b")(",
        b"(S (NN a )",
        b"(NP the dog)",
        b"(S (NN a) b)",
        b"no parse",
        b"(S (NP) (NN a))",  # good, but rare: left to the exact way
        b"(S (NN a))\0",
        b"(NN a(NN b))",
    ],
)
def test_other_lines_are_left_to_the_exact_way(line: bytes) -> None:
    assert FastScorer(collins()).read(line) is None


def test_labels_without_classes_are_left_to_the_exact_way() -> None:
    pairs = frozenset({(b"A", b"B"), (b"B", b"A"), (b"B", b"C"), (b"C", b"B")})
    assert FastScorer(Params(equal_labels=pairs)).read(b"(S (NN a))") is None


def test_duplicate_brackets_match_as_often_as_they_occur_on_both_sides() -> None:
    gold, test = b"(S (NP (NP (NP (NN a)))) (VB b))", b"(S (NP (NP (VP (NN a)))) (VB b))"
    (row,), _, _ = run([(gold, test)], collins(), None, exact=False)
    assert (row.status, row.matched, row.gold, row.test) == (OK, 3, 4, 4)


def test_each_crossing_test_bracket_counts_once() -> None:
    gold = b"(S (X (A a) (B b)) (Y (C c) (D d)))"
    test = b"(S (A a) (X (Y (B b) (C c))) (D d))"
    (row,), _, _ = run([(gold, test)], collins(), None, exact=False)
    assert row.crossing == 2
