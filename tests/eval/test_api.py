"""Scores as values, from files, strings, and other people's trees."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import DataError
from bnaparser.eval import Params, collins, score
from bnaparser.parsing.result import Parse

# Measured with EVALB; see also tests/eval/cases.
GOLD = [
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PRT (RP down))) (. .)))",
    "(TOP (S (NP (PRP It)) (VP (VBZ works))))",
]
PRED = [
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (ADVP (RP down)) (. .))))",
    "(TOP (S (NP (PRP It)) (NP (VBZ works))))",
]


def test_the_example_of_two_sentences() -> None:
    scores = score(GOLD, PRED)
    assert [(row.matched, row.gold, row.test) for row in scores.rows] == [(4, 4, 4), (2, 3, 3)]
    assert f"{scores.recall:.2f} {scores.precision:.2f} {scores.f1:.2f}" == "85.71 85.71 85.71"
    assert scores.complete_match == 50
    assert scores.tag_accuracy == 100
    assert (scores.words, scores.tags) == (6, 6)
    assert (scores.sentences, scores.valid, scores.skipped, scores.errors) == (2, 2, 0, ())
    assert (scores.matched, scores.gold, scores.test, scores.crossing) == (6, 7, 7, 0)
    assert (scores.average_crossing, scores.no_crossing, scores.two_or_less_crossing) == (
        0,
        100,
        100,
    )


def test_files_iterables_bytes_and_packed_files_are_the_same(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold", tmp_path / "pred.xz"
    gold.write_text("\n".join(GOLD) + "\n")
    pred_text = "\n".join(PRED).encode()
    pred.write_bytes(lzma.compress(pred_text))
    expected = score(GOLD, PRED)
    assert score(str(gold), Path(pred)) == expected
    assert score(gold, iter(PRED)) == expected
    assert score((line.encode() for line in GOLD), pred) == expected
    for name, pack in (("pred.gz", gzip.compress), ("pred.BZ2", bz2.compress)):
        (tmp_path / name).write_bytes(pack(pred_text))
        assert score(gold, tmp_path / name) == expected


def test_a_byte_order_mark_is_no_part_of_the_first_tree(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold", tmp_path / "pred.xz"
    gold.write_text("\n".join(GOLD), encoding="utf-8-sig")
    pred.write_bytes(lzma.compress("\n".join(PRED).encode("utf-8-sig")))
    assert score(gold, pred) == score(GOLD, PRED)


def test_trees_of_other_packages() -> None:
    nltk = pytest.importorskip("nltk.tree")
    gold = [nltk.Tree.fromstring(line) for line in GOLD]
    assert score(gold, PRED) == score(GOLD, PRED)


def test_a_single_tree_is_one_sentence() -> None:
    from bnaparser.trees.tree import Tree

    nltk = pytest.importorskip("nltk.tree")
    gold, pred = Tree.parse(GOLD[0]), nltk.Tree.fromstring(PRED[0])
    assert score(gold, pred) == score(GOLD[:1], PRED[:1])


def test_a_parse_is_no_tree() -> None:
    """Its text was read as a broken tree: F1 0, and no error."""
    parse = Parse("It rained.", ("It", "rained", "."))
    alone: Any = parse
    for parses in ([parse], alone):
        with pytest.raises(TypeError, match=r"a Parse is not a tree: give parse\.tree"):
            score(["(S (NP It))"], parses)


def test_our_trees() -> None:
    from bnaparser.trees.tree import Tree

    assert score(map(Tree.parse, GOLD), map(Tree.parse, PRED)) == score(GOLD, PRED)


def test_sentences_without_a_prediction_are_skipped() -> None:
    scores = score([GOLD[0], GOLD[1], GOLD[1]], [PRED[0], "", None])
    assert (scores.skipped, scores.valid, scores.f1) == (2, 1, 100)


def test_errors_are_told_and_do_not_end_the_scoring() -> None:
    lines = ["(S (A a) (B b))", "(S (A c))", "no parse", "(S (A a)", *["(A b)"] * 20]
    scores = score(["(S (A a))"] * 24, lines)
    assert scores.errors[:4] == (
        "1 : Length unmatch (1|2)",
        "2 : Words unmatch (a|c)",
        "3 : Reading sentence",
        "4 : Bracketing is unbalanced (too many open bracket)",
    )
    assert (scores.error_sentences, scores.valid, scores.f1) == (24, 0, 0)


def test_an_unreadable_gold_line_is_an_error_too() -> None:
    scores = score(["(S (A a) b)", "(S (A a))"], ["(S (A a))", "(S (A a))"])
    assert scores.errors == ("1 : Reading sentence",)
    assert [row.status for row in scores.rows] == [1, 0]
    assert scores.f1 == 100


def test_long_lines_are_read_whole() -> None:
    tree = "(S " + "(NP (NN word)) " * 3000 + ")"
    assert score([tree], [tree]).matched == 3001


def test_no_brackets_no_f1() -> None:
    scores = score(["(TOP (A a))"], ["(TOP (A a))"])
    assert (scores.f1, scores.complete_match, scores.no_crossing) == (0, 100, 100)
    assert score([], []).f1 == 0


def test_parameters_can_be_given() -> None:
    plain = Params()
    assert score(GOLD, PRED, plain).gold == 9
    assert score(GOLD, GOLD, Params(debug=2, max_error=-1)).f1 == 100
    assert score(GOLD, PRED, collins()) == score(GOLD, PRED)


@pytest.mark.parametrize(("gold", "pred"), [(GOLD, PRED[:1]), (GOLD[:1], PRED), ([], PRED)])
def test_a_different_number_of_sentences_is_refused(gold: list[str], pred: list[str]) -> None:
    with pytest.raises(DataError, match=r"ends after \d sentences"):
        score(gold, pred)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(DataError, match="no such file"):
        score("no such file", GOLD)


def test_a_bracket_string_is_no_file_name() -> None:
    with pytest.raises(DataError, match="trees in memory go in a list"):
        score(GOLD[0], GOLD[0])


def test_odd_words_are_only_bytes() -> None:
    word = "\udcff\ud800漢"
    assert score([f"(S (A {word}))"], [f"(S (A {word}))"]).f1 == 100
    assert score([b"(S (A \xff))"], [b"(S (A \xfe))"]).errors == (r"1 : Words unmatch (\xff|\xfe)",)


@given(st.lists(st.tuples(st.text("() ab-=.\n\0é"), st.text("() ab-=.\n\0é")), max_size=4))
def test_any_text_gets_scores(pairs: list[tuple[str, str]]) -> None:
    scores = score([gold for gold, _ in pairs], [pred for _, pred in pairs])
    assert scores.sentences == len(scores.rows) == len(pairs)
    assert scores.sentences == scores.valid + scores.skipped + scores.error_sentences
    assert 0 <= scores.f1 <= 100
