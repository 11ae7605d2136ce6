"""L2SCA's counts against NeoSCA's on the same trees.

``neosca.jsonl`` has 200 trees of MASC, then 103 trees whose labels were drawn by chance, with the nine counts that
the program of NeoSCA 0.0.55 with Stanford's own Tregex gives for each (`benchmarks.measures.run_l2sca`).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnaparser.measures import l2sca, measure
from bnaparser.trees.tree import Tree

STORED = [
    json.loads(line)
    for line in Path(__file__).with_name("neosca.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("top", ["ROOT", "TOP", "S1", ""])
def test_all_nine_counts_are_neoscas(top: str) -> None:
    for stored in STORED:
        tree = Tree.parse(stored["tree"].replace("(ROOT", f"({top}", 1))
        (row,) = measure(tree)
        assert {name: row[name] for name in l2sca.COUNTS} == {
            name: stored[name] for name in l2sca.COUNTS
        }, stored["tree"]


def test_a_tree_without_a_top_node_is_counted_as_below_one() -> None:
    stored = STORED[0]
    tree = Tree.parse(stored["tree"])
    phrase = tree[0]
    assert isinstance(phrase, Tree)
    assert len(tree) == 1
    assert measure(phrase) == measure(tree)


def test_a_text_is_the_sum_of_its_sentences_and_its_ratios_are_of_the_sums() -> None:
    trees = [Tree.parse(stored["tree"]) for stored in STORED]
    (row,) = measure(trees)
    for name in l2sca.COUNTS:
        assert row[name] == sum(stored[name] for stored in STORED)
    for name, (above, below) in l2sca.RATIOS.items():
        assert row[name] == pytest.approx(
            sum(stored[above] for stored in STORED) / sum(stored[below] for stored in STORED)
        )


def test_the_stored_trees_have_all_that_is_counted() -> None:
    assert len(STORED) == 303
    assert all(sum(stored[name] for stored in STORED) > 10 for name in l2sca.COUNTS)


def test_each_count_has_as_many_matches() -> None:
    for stored in STORED[:60]:
        tree = Tree.parse(stored["tree"])
        for name in l2sca.COUNTS:
            assert len(list(l2sca.find(tree, name))) == stored[name]


def test_a_ratio_over_nothing_is_0_as_in_l2sca() -> None:
    (row,) = measure(Tree.parse("(TOP (NP (NN Heading)))"))
    assert (row["T"], row["MLT"], row["CN/C"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("tag", "word", "counted"),
    [
        ("NN", "house", True),
        ("PRP$", "its", True),
        ("JJ", "well-known", False),
        ("CD", "1987–1988", False),  # noqa: RUF001
        (".", ".", False),
        ("-LRB-", "-LRB-", False),
        ("-NONE-", "*T*-1", False),
        ("NN|JJ", "firm", False),
    ],
)
def test_words_are_those_of_l2sca(tag: str, word: str, counted: bool) -> None:
    assert l2sca.is_word(tag, word) is counted
