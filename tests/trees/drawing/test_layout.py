"""Layouts of drawn trees, how wide words are drawn, and characters that a document cannot hold."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import pairwise

import pytest

from bnaparser.trees.drawing.layout import LABEL_GAP, LABEL_HEIGHT, arrange
from bnaparser.trees.tree import Tree


def random_tree(generator: random.Random, count: int) -> Tree:
    """A tree over ``count`` words, of any shape, with labels and words of very different widths."""
    nodes = [
        Tree(generator.choice(["NN", "VBD", "."]), ["w" * generator.randint(1, 12)])
        for _ in range(count)
    ]
    while len(nodes) > 1:
        start = generator.randrange(len(nodes))
        end = min(len(nodes), start + generator.randint(1, 4))
        label = generator.choice(["S", "NP", "WHADVP-VERY-LONG-LABEL"])
        if end - start > 1 or generator.random() < 0.3:
            nodes[start:end] = [Tree(label, nodes[start:end])]
    return nodes[0]


@pytest.mark.parametrize(
    ("tree", "labels"),
    [
        ("(TOP (S (NN a)))", ["S", "NN"]),
        ("(TOP (NN a))", ["NN"]),
        ("(TOP (NN a) (NN b))", ["TOP", "NN", "NN"]),
        ("((S (NN a)))", ["S", "NN"]),
        ("((NN a) (NN b))", ["", "NN", "NN"]),
        ("(S (S (S (NN a))))", ["S", "S", "S", "NN"]),
    ],
)
def test_a_top_node_that_is_no_constituent_is_left_out(tree: str, labels: list[str]) -> None:
    assert [box.label for box in arrange(Tree.parse(tree)).boxes] == labels


@pytest.mark.parametrize("seed", range(20))
def test_nothing_overlaps_and_no_branch_crosses_a_label_or_a_branch(seed: int) -> None:
    layout = arrange(random_tree(random.Random(seed), 25))
    rows = defaultdict(list)
    for box in layout.boxes:
        rows[box.y].append(box)
        assert box.width / 2 <= box.x <= layout.width - box.width / 2
        if box.parent >= 0:
            assert layout.boxes[box.parent].y <= box.y - 52
    for row in rows.values():
        row.sort(key=lambda box: box.x)
        for left, right in pairwise(row):
            assert left.x + left.width / 2 <= right.x - right.width / 2 + 0.2
    leaves = [box for box in layout.boxes if box.word is not None]
    assert len({box.y for box in leaves}) == 1
    assert [box.x for box in leaves] == sorted(box.x for box in leaves)
    for child in layout.boxes[1:]:
        # The straight part of a branch: no other label may stand in its way.
        top = layout.boxes[child.parent].y + LABEL_HEIGHT / 2
        for box in layout.boxes:
            if box is not child and top < box.y < child.y:
                assert abs(box.x - child.x) >= (box.width - LABEL_GAP) / 2


def test_branches_that_reach_far_have_higher_rows() -> None:
    wide = Tree.parse("(S " + "(NN word) " * 40 + ")")
    near, far = arrange(Tree.parse("(S (NN a) (NN b))")), arrange(wide)
    assert near.boxes[1].y - near.boxes[0].y == 53
    assert far.boxes[1].y - far.boxes[0].y == 100


def test_a_sentence_written_from_right_to_left_is_drawn_so() -> None:
    for tree, first_is_left in (("(S (NN שלום) (NN עולם))", False), ("(S (NN a) (NN b))", True)):
        _, first, second = arrange(Tree.parse(tree)).boxes
        assert (first.x < second.x) is first_is_left


from bnaparser.trees.drawing.layout import WORD_SIZE, text_width, visible


def test_widths_follow_the_script() -> None:
    assert text_width("", WORD_SIZE) == 0
    assert text_width("m", 100) > 2 * text_width("i", 100)
    assert text_width("猫猫", 100) >= 200
    assert text_width("😀", 100) >= 125
    assert text_width("e\u0301", 100) == text_width("e", 100) == text_width("é", 100)
    assert text_width("a\u200d", 100) == text_width("a", 100)
    assert text_width("Щ", 100) > text_width("щ", 100)


def test_characters_that_xml_forbids_are_shown() -> None:
    assert visible("a\x00\x07\x7f\x9f\ud83d\uffffb") == "a\u2400\u2407\u2421\ufffd\ufffd\ufffdb"
    assert visible("é猫👩‍👧\u202e") == "é猫👩‍👧\u202e"
