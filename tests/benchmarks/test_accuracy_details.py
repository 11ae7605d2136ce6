"""What a model's card says of its errors, on trees whose errors one can count."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.accuracy import run_class_details
from benchmarks.accuracy.run_details import (
    Details,
    Lost,
    PlacedLabel,
    add_all,
    brackets_of,
    confused,
    examples,
    lost_table,
    tables,
)
from benchmarks.languages import run_language_details
from bnaparser import Parser, Tree
from bnaparser.eval import collins, score
from bnaparser.eval.scorer import FastScorer

GOLD = "(TOP (S (NP (PRP I)) (VP (VBP see) (PRT (RP out)) (NP (NN tea))) (. .)))"
GIVEN = "(TOP (S (NP (PRP I)) (VP (VBP see) (ADVP (RP out)) (ADJP (NN tea))) (. .)))"


@pytest.fixture
def scorer() -> FastScorer:
    return FastScorer(collins())


def brackets(scorer: FastScorer, tree: str) -> Counter[PlacedLabel]:
    return brackets_of(scorer, Tree.parse(tree))


def test_constituents_are_evalbs(scorer: FastScorer) -> None:
    gold, given = brackets(scorer, GOLD), brackets(scorer, GIVEN)
    assert gold.total() == 5  # without TOP
    assert max(bracket.end for bracket in gold) == 4  # without the mark
    scores = score([GOLD], [GIVEN])
    assert ((gold & given).total(), gold.total(), given.total()) == (
        scores.matched,
        scores.gold,
        scores.test,
    )


def test_a_wrong_label_is_told_from_a_wrong_place(scorer: FastScorer) -> None:
    gold, given = brackets(scorer, GOLD), brackets(scorer, GIVEN)
    assert confused(gold, given) == [("NP", "ADJP")]
    moved = brackets(scorer, "(TOP (S (NP (PRP I)) (VP (VBP see) (NP (RP out) (NN tea))) (. .)))")
    assert confused(gold, moved) == []


def test_tables_hold_each_length_and_label(scorer: FastScorer) -> None:
    details = Details()
    details.add(5, brackets(scorer, GOLD), brackets(scorer, GIVEN))
    details.add(11, brackets(scorer, GOLD), brackets(scorer, GOLD))
    lines = tables(details)
    assert "| up to 10 | 1 | 80.00 | 80.00 | 80.00 | 0.0 % |" in lines
    assert "| 11 to 20 | 1 | 100.00 | 100.00 | 100.00 | 100.0 % |" in lines
    assert "| NP | 4 | 75.00 | 100.00 | 85.71 |" in lines
    assert "| NP | ADJP | 1 |" in lines


def test_trees_are_shown_in_one_block_and_none_in_no_block() -> None:
    pair = Tree.parse(GOLD), Tree.parse(GIVEN)
    shown = "\n".join(examples([pair, pair]))
    pair_shown = f"gold      {GOLD}\npredicted {GIVEN}"
    assert shown == f"\n```\n{pair_shown}\n\n{pair_shown}\n```"
    assert examples([]) == []


def test_a_model_s_trees_are_counted_and_the_telling_ones_kept(scorer: FastScorer) -> None:
    parser, details, lost = Parser.load("en", device="cpu"), Details(), Lost()
    right = Tree.parse("(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .)))")
    wrong = Tree.parse("(TOP (S (NP (DT The) (NN dog)) (ADJP (VBD ran)) (. .)))")
    shown = add_all(details, lost, parser, [right, wrong], scorer)
    assert [gold for gold, _ in shown] == [wrong]
    assert details.lengths[0].sentences == 2
    assert details.lengths[0].exact == 1
    assert details.confusions == Counter({("ADJP", "VP"): 1})
    assert lost == Lost(gold=6, relabelled=1)


def test_what_is_lost_is_told_apart(scorer: FastScorer) -> None:
    gold = "(TOP (S (NP (NP (DT the) (NN cat)) (PP (IN of) (NP (NN gold)))) (VP (VBZ sits) (ADVP (RB up)))))"
    given = "(TOP (S (NP (DT the) (NN cat)) (VP (IN of) (NP (NN gold)) (VBZ sits) (PRT (RB up)))))"
    lost = Lost()
    lost.add(brackets(scorer, gold), brackets(scorer, given))
    # The larger NP begins before the given VP and ends within it; PP and the gold VP lie in it.
    assert lost == Lost(gold=7, relabelled=0, crossed=1, absent=2, absent_nps=0)
    lost.add(
        brackets(scorer, GOLD),
        brackets(scorer, "(TOP (S (PRP I) (VBP see) (RP out) (NN tea) (. .)))"),
    )
    assert lost_table({"masc": lost})[2:] == ["| masc | 12 | 7 | 0 | 1 | 6 | 2 |"]


def test_languages_have_a_row_each(scorer: FastScorer) -> None:
    details = Details()
    for _ in range(run_language_details.COMMON):
        details.add(5, brackets(scorer, GOLD), brackets(scorer, GIVEN))
    lines = run_language_details.tables({"fr": details, "is": Details()})
    assert lines[2:4] == ["| fr | 80.0 |  |  |  |  |", "| is |  |  |  |  |  |"]
    assert (
        "| fr | NP 66.7, ADVP 100.0, S 100.0, VP 100.0, ADJP 0.0 | NP 66.7, ADVP 100.0, S 100.0 |"
        in lines
    )
    assert lines[-1] == "| is |  |  |"


def test_classes_and_lengths_of_texts_have_a_row_each() -> None:
    gold, said = ["good", "good", "bad", "bad"], ["good", "bad", "bad", "bad"]
    lines = run_class_details.by_class(["bad", "good"], gold, said)
    assert lines[2:] == [
        "| bad | 2 | 100.00 | 66.67 | 80.00 |",
        "| good | 2 | 50.00 | 100.00 | 66.67 |",
    ]
    lines = run_class_details.by_length([3, 10, 11, 45], gold, said)
    assert lines[2:] == [
        "| up to 10 | 2 | 50.00 | 100.00 |",
        "| 11 to 20 | 1 | 100.00 | 100.00 |",
        "| over 40 | 1 | 100.00 | 100.00 |",
    ]
