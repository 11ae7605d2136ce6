"""Edits of trees, against brute force over all pairs of nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.annotation import edits
from bnaparser.errors import TreeError
from bnaparser.trees.tree import Tree

SAW = Tree.parse(
    "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NNS eyes)))))"
    " (. .)))"
)


def number(tree: Tree, wanted: str) -> int:
    """The number of the node with these brackets."""
    return [str(node) for node in tree.nodes()].index(wanted)


PP = number(SAW, "(PP (IN with) (NP (NNS eyes)))")
VP = next(n for n, node in enumerate(SAW.nodes()) if node.label == "VP")


def test_a_prepositional_phrase_is_attached_to_the_verb_and_back() -> None:
    low = edits.move(SAW, PP, VP)
    assert str(low[0][1]) == (
        "(VP (VBD saw) (NP (NP (DT a) (NN man))) (PP (IN with) (NP (NNS eyes))))"
    )
    above = next(n for n, node in enumerate(low.nodes()) if node.label == "NP" and n > VP)
    assert edits.move(low, number(low, str(SAW[0][1][1][1])), above) == SAW


def test_a_node_that_is_left_without_words_goes() -> None:
    tree = Tree.parse("(TOP (S (NP (A a)) (VP (V b) (S (NP (C c))))))")
    c, vp = number(tree, "(NP (C c))"), number(tree, "(VP (V b) (S (NP (C c))))")
    assert str(edits.move(tree, c, vp)) == "(TOP (S (NP (A a)) (VP (V b) (NP (C c)))))"
    s = number(tree, "(S (NP (C c)))")
    assert edits.move(tree, c, vp) == edits.remove(tree, s)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("(DT a)", "(NN man)", "(NP (X (DT a) (NN man)))"),
        ("(NN man)", "(DT a)", "(NP (X (DT a) (NN man)))"),
        ("(NNS eyes)", "(NNS eyes)", "(NP (X (NNS eyes)))"),
        ("(NP (NNS eyes))", "(NNS eyes)", "(X (NP (NNS eyes)))"),
        ("(DT a)", "(. .)", "the bracket would cut through the VP of words 2 to 6"),
        ("(PRP I)", "(VBD saw)", "the bracket would cut through the VP of words 2 to 6"),
        ("(NN man)", "(NNS eyes)", "the bracket would cut through the NP of words 3 to 4"),
        (str(SAW), "(NN man)", "no bracket around the top node"),
    ],
)
def test_a_bracket_goes_around_whole_constituents(first: str, last: str, expected: str) -> None:
    try:
        found = str(edits.bracket(SAW, number(SAW, first), number(SAW, last), "X"))
    except TreeError as error:
        found = str(error)
    assert expected in found


@pytest.mark.parametrize("label", ["", "N P", "N(P", "S::VP"])
def test_what_is_no_label_is_refused(label: str) -> None:
    with pytest.raises(TreeError, match="label"):
        edits.relabel(SAW, VP, label)
    with pytest.raises(TreeError, match="label"):
        edits.bracket(SAW, VP, VP, label)


def test_the_top_and_tags_stay() -> None:
    with pytest.raises(TreeError, match="keeps its label"):
        edits.relabel(SAW, 0, "S")
    for node in (0, number(SAW, "(NN man)")):
        with pytest.raises(TreeError, match="cannot be removed"):
            edits.remove(SAW, node)
    for node in (-1, len(list(SAW.nodes()))):
        with pytest.raises(TreeError, match="there is no node"):
            edits.relabel(SAW, node, "X")


def test_a_tree_of_any_depth_is_edited() -> None:
    tree = Tree.parse("(TOP " + "(X " * 5000 + "(A a)" + ")" * 5001)
    assert len(str(edits.remove(tree, 2500))) == len(str(tree)) - 4


# --- against brute force


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree of a few words, with chains."""
    count = 0

    def node(depth: int) -> Tree:
        nonlocal count
        size = draw(st.integers(0, 3)) if depth < 3 else 0
        if size == 0:
            count += 1
            return Tree(f"T{count}", [f"w{count}"])
        return Tree(draw(st.sampled_from("ABC")), [node(depth + 1) for _ in range(size)])

    return Tree("TOP", [node(0) for _ in range(draw(st.integers(1, 3)))])


def shape(tree: Tree, skip: int | None = None) -> list[tuple[str, int, int]]:
    """The nodes but one, as label and words, those over the same words top-down."""
    return [(n.label, *n.span) for place, n in enumerate(tree.nodes()) if place != skip]


@given(trees(), st.data())
def test_brackets_are_added_and_removed(tree: Tree, data: st.DataObject) -> None:
    last = len(shape(tree)) - 1
    one, other = data.draw(st.integers(0, last)), data.draw(st.integers(0, last))
    nodes = list(tree.nodes())
    span = min(nodes[one].start, nodes[other].start), max(nodes[one].end, nodes[other].end)
    crossing = any(
        n.start < span[0] < n.end < span[1] or span[0] < n.start < span[1] < n.end for n in nodes
    )
    if crossing or 0 in (one, other):
        with pytest.raises(TreeError):
            edits.bracket(tree, one, other, "NEW")
        return
    made = edits.bracket(tree, one, other, "NEW")
    (place,) = (n for n, node in enumerate(made.nodes()) if node.label == "NEW")
    assert shape(made)[place] == ("NEW", *span)
    assert shape(made, skip=place) == shape(tree)
    if one == other:
        assert place == one
    assert edits.remove(made, place) == tree
    assert shape(edits.relabel(made, place, "Z"))[place] == ("Z", *span)


@given(trees(), st.data())
def test_a_move_keeps_words_and_what_is_moved(tree: Tree, data: st.DataObject) -> None:
    nodes = list(tree.nodes())
    one, goal = (data.draw(st.integers(0, len(nodes) - 1)) for _ in range(2))
    try:
        made = edits.move(tree, one, goal)
    except TreeError as error:
        if "out of order" in str(error):  # only where neither edge of what is moved meets the goal
            start, end = nodes[one].span
            inside = nodes[goal].start <= start < end <= nodes[goal].end
            touching = nodes[goal].start == end or nodes[goal].end == start
            assert not touching
            assert not inside or nodes[goal].start < start or end < nodes[goal].end
        return
    assert (made.words, made.tags) == (tree.words, tree.tags)
    holders = [n for n in made.nodes() if n.label == nodes[goal].label and nodes[one] in n.subtrees]
    assert holders
    gone = len(nodes) - len(list(made.nodes()))
    assert 0 <= gone < len(nodes)
