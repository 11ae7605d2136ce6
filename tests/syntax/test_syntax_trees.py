"""Structures and their matrices: the worked examples of the papers' readings, and brute force."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import SentenceError
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.syntax.syntax_trees import (
    UNREACHABLE,
    SyntaxTrees,
    ancestors,
    constituency_relations,
    dependencies_of,
    leaf_distances,
    neighbour_distances,
    relations,
    tree_distances,
)
from bnaparser.trees.heads.rules import COLLINS, UD
from bnaparser.trees.tree import Tree

CAT = (2, 3, 0, 3, 6, 4)  # The cat sat on the mat
CAT_TREE = Tree.parse(
    "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"
)
INF = UNREACHABLE


def rows(text: str) -> np.ndarray:
    """Read a matrix of digits, rows apart by blanks or slashes: ``011 / 001``."""
    return np.array([[int(digit) for digit in row] for row in text.replace("/", " ").split()])


def pairs(matrix: np.ndarray) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in zip(*np.nonzero(matrix), strict=True)}


def test_distances_with_neighbours_of_the_cat() -> None:
    nearest = neighbour_distances(tree_distances(CAT))
    expected = rows("001243 000132 100021 210001 321000 432100")
    assert nearest.tolist() == expected.tolist()
    assert (nearest[0, 4], nearest[4, 0]) == (4, 3)


@pytest.mark.parametrize(
    ("threshold", "mask"),
    [
        (3, "111101 111111 111111 111111 111111 011111"),
        (2, "111100 111101 111111 111111 011111 001111"),
        (1, "111000 111100 111101 011111 001111 000111"),
    ],
)
def test_the_masks_of_the_cat(threshold: int, mask: str) -> None:
    visible = neighbour_distances(tree_distances(CAT)) <= threshold
    assert visible.astype(int).tolist() == rows(mask).tolist()


def test_a_chain_of_eight_words() -> None:
    chain = (2, 3, 4, 5, 6, 7, 8, 0)
    assert neighbour_distances(tree_distances(chain))[0].tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_words_of_different_trees_meet_through_neighbours_alone() -> None:
    distances = tree_distances((2, 0, 0, 3))
    assert distances.tolist() == [
        [0, 1, INF, INF],
        [1, 0, INF, INF],
        [INF, INF, 0, 1],
        [INF, INF, 1, 0],
    ]
    assert neighbour_distances(distances).tolist() == [
        [0, 0, INF, INF],
        [0, 0, 0, 1],
        [1, 0, 0, 0],
        [INF, INF, 0, 0],
    ]


def test_linked_roots_are_two_apart() -> None:
    distances = tree_distances((2, 0, 0, 3), link_roots=True)
    assert distances.tolist() == rows("0134 1023 3201 4310").tolist()
    assert (tree_distances(CAT, link_roots=True) == tree_distances(CAT)).all()


def test_the_ancestors_of_the_cat() -> None:
    expected = rows("111000 011000 001000 001100 001111 001101")
    assert ancestors(CAT).astype(int).tolist() == expected.tolist()


def test_parents_and_children_of_the_cat() -> None:
    found = relations(CAT)
    assert pairs(found.parent == 1) == {(1, 0), (2, 1), (2, 3), (3, 5), (5, 4)}
    assert pairs(found.parent == 2) == {(2, 0), (3, 4), (2, 5)}
    assert pairs(found.parent == 3) == {(2, 4)}
    assert found.parent.max() == 3
    assert (found.child == found.parent.T).all()


def test_siblings_of_the_cat() -> None:
    expected = {(1, 3): 2, (0, 3): 3, (1, 5): 3, (0, 5): 4, (1, 4): 4, (0, 4): 5}
    sibling = relations(CAT).sibling
    assert {pair: int(sibling[pair]) for pair in pairs(np.triu(sibling))} == expected
    assert (sibling == sibling.T).all()


def test_distances_between_leaves_of_the_cat() -> None:
    sibling = constituency_relations([CAT_TREE]).sibling
    words = {word: place for place, word in enumerate(CAT_TREE.words)}
    expected = {
        ("The", "cat"): 2,
        ("The", "sat"): 4,
        ("cat", "on"): 5,
        ("sat", "on"): 3,
        ("sat", "the"): 4,
        ("on", "mat"): 3,
        ("the", "mat"): 2,
        ("The", "mat"): 6,
    }
    found = {(a, b): int(sibling[words[a], words[b]]) for a, b in expected}
    assert found == expected
    assert (sibling == sibling.T).all() and not sibling.diagonal().any()


def test_words_are_leaves_without_parents_unless_phrases_have_heads() -> None:
    plain = constituency_relations([CAT_TREE])
    assert not plain.parent.any() and not plain.child.any()
    assert dependencies_of([CAT_TREE], COLLINS) == CAT
    headed = constituency_relations([CAT_TREE], CAT)
    assert (headed.parent == np.where(relations(CAT).parent > 0, plain.sibling, 0)).all()
    assert headed.parent[2, 1] == 4 and headed.parent[1, 0] == 2  # sat, cat; cat, The
    related = (headed.parent > 0) | (headed.child > 0)
    assert not (related & (headed.sibling > 0)).any()
    assert (related | (headed.sibling > 0) | np.eye(6, dtype=bool)).all()
    assert headed.sibling[0, 4] == plain.sibling[0, 4]


def test_several_sentences_are_not_related() -> None:
    go = Tree.parse("(TOP (S (VP (VB Go) (ADVP (RB on)))))")
    heads = dependencies_of([go, CAT_TREE], UD)
    assert heads == (0, 1, 4, 5, 0, 8, 8, 5)
    found = constituency_relations([go, CAT_TREE], heads)
    for matrix in found:
        assert not matrix[:2, 2:].any() and not matrix[2:, :2].any()
    assert found.parent[0, 1] == 3
    alone = constituency_relations([CAT_TREE], dependencies_of([CAT_TREE], UD))
    for matrix, part in zip(found, alone, strict=True):
        assert (matrix[2:, 2:] == part).all()


def test_one_word_and_none() -> None:
    for count in (0, 1):
        heads = (0,) * count
        matrices = [
            tree_distances(heads),
            neighbour_distances(tree_distances(heads)),
            *relations(heads),
        ]
        for matrix in matrices:
            assert matrix.shape == (count, count) and not matrix.any()
        assert ancestors(heads).all()
    assert not constituency_relations([Tree.parse("(TOP (INTJ (UH Yes)))")]).sibling.any()
    assert leaf_distances([]).shape == (0, 0)


@st.composite
def forests(draw: st.DrawFn, max_words: int = 24) -> tuple[int, ...]:
    """Any forest over words in any order: of a random order, each word hangs on an earlier or none."""
    order = draw(st.permutations(range(1, draw(st.integers(1, max_words)) + 1)))
    heads = [0] * len(order)
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return tuple(heads)


def search(neighbours: list[set[int]], start: int) -> dict[int, int]:
    """Distances from a node by breadth-first search."""
    found, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for other in neighbours[node] - found.keys():
            found[other] = found[node] + 1
            queue.append(other)
    return found


def edges(heads: tuple[int, ...], root: bool = False) -> list[set[int]]:
    """The neighbours of each word; with ``root`` one more node is that of all roots."""
    neighbours: list[set[int]] = [set() for _ in range(len(heads) + 1)]
    for place, head in enumerate(heads):
        if head or root:
            above = head - 1 if head else len(heads)
            neighbours[place].add(above)
            neighbours[above].add(place)
    return neighbours


def upwards(heads: tuple[int, ...], place: int) -> list[int]:
    found = [place]
    while heads[found[-1]]:
        found.append(heads[found[-1]] - 1)
    return found


@given(forests(), st.booleans())
def test_distances_are_those_of_a_search_from_each_word(
    heads: tuple[int, ...], link_roots: bool
) -> None:
    distances = tree_distances(heads, link_roots)
    assert distances.dtype == np.int32
    nearest = neighbour_distances(distances)
    neighbours = edges(heads, link_roots)
    count = len(heads)
    reached = [search(neighbours, place) for place in range(count)]
    for i in range(count):
        for j in range(count):
            assert distances[i, j] == reached[i].get(j, UNREACHABLE)
            around = [k for k in (i - 1, i, i + 1) if 0 <= k < count]
            assert nearest[i, j] == min(reached[k].get(j, UNREACHABLE) for k in around)


@given(forests())
def test_relations_are_those_of_walks_upwards(heads: tuple[int, ...]) -> None:
    above, found = ancestors(heads), relations(heads)
    count = len(heads)
    distances = tree_distances(heads)
    walks = [upwards(heads, place) for place in range(count)]
    for i in range(count):
        for j in range(count):
            assert above[i, j] == (j in walks[i])
            steps = walks[j].index(i) if i in walks[j] else 0
            assert found.parent[i, j] == steps
            assert found.child[j, i] == steps
            apart = i not in walks[j] and j not in walks[i] and walks[i][-1] == walks[j][-1]
            assert found.sibling[i, j] == (distances[i, j] if apart else 0)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    leaf = st.builds(lambda: Tree("N", ["w"]))
    node = st.recursive(
        leaf,
        lambda below: st.lists(below, min_size=1, max_size=4).map(lambda parts: Tree("P", parts)),
        max_leaves=12,
    )
    return Tree("TOP", [draw(node)])


@given(st.lists(trees(), max_size=3))
def test_leaf_distances_are_those_of_a_search_through_the_trees(found: list[Tree]) -> None:
    distances = leaf_distances(found)
    start = 0
    for tree in found:
        nodes = list(tree.nodes())
        number = {id(node): place for place, node in enumerate(nodes)}
        neighbours: list[set[int]] = [set() for _ in nodes]
        for node in nodes:
            for child in node.subtrees:
                neighbours[number[id(node)]].add(number[id(child)])
                neighbours[number[id(child)]].add(number[id(node)])
        leaves = [number[id(node)] for node in tree.preterminals()]
        for i, leaf in enumerate(leaves):
            reached = search(neighbours, leaf)
            row = distances[start + i]
            assert row[start : start + len(leaves)].tolist() == [reached[other] for other in leaves]
            outside = [*row[:start], *row[start + len(leaves) :]]
            assert all(value == UNREACHABLE for value in outside)
        start += len(leaves)


def test_four_hundred_words_take_no_time() -> None:
    generator = np.random.default_rng(3)
    heads = (0, *(int(generator.integers(1, place + 1)) for place in range(1, 400)))
    chain = (0, *range(1, 400))
    deep = Tree.parse("(P (N w) " * 399 + "(N w)" + ")" * 399)
    begin = time.process_time()
    for found in (heads, chain):
        neighbour_distances(tree_distances(found))
        relations(found)
    constituency_relations([deep], chain)
    assert time.process_time() - begin < 1
    assert tree_distances(chain)[0, 399] == 399
    assert leaf_distances([deep])[0, 399] == 400


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((2, 3), "the head of word 2 is 3, but the sentence has 2 words"),
        ((-1,), "the head of word 1 is -1"),
        ((1,), "from word 1 leads into a cycle"),
        ((0, 3, 4, 2), "from word 2 leads into a cycle"),
    ],
)
def test_heads_that_make_no_forest(heads: tuple[int, ...], message: str) -> None:
    with pytest.raises(SentenceError, match=message):
        tree_distances(heads)
    with pytest.raises(SentenceError, match=message):
        SyntaxTrees(("w",) * len(heads), heads)


def test_a_structure_fits_its_words() -> None:
    with pytest.raises(SentenceError, match="2 heads for 1 words"):
        SyntaxTrees(("a",), (0, 1))
    with pytest.raises(SentenceError, match="trees of 6 words for a text of 2"):
        SyntaxTrees(("a", "b"), (0, 1), (CAT_TREE,))
    whole = SyntaxTrees.of_trees(CAT_TREE.words, [CAT_TREE], COLLINS)
    assert whole == SyntaxTrees(CAT_TREE.words, CAT, (CAT_TREE,))
    unparsed = SyntaxTrees(("a", "b"), None, error="too long")
    assert unparsed.trees == () and unparsed.heads is None


def test_structures_need_no_torch() -> None:
    modules = [f"sources.{name}_trees" for name in ("file", "parser", "random", "spacy")]
    names = ", ".join(f"bnaparser.syntax.{name}" for name in ("syntax_trees", *modules))
    code = f"import sys, {names};"
    code += "print([name for name in ('torch', 'transformers', 'spacy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.data())
def test_the_sentences_around_some_words(data: st.DataObject) -> None:
    """Each begins and ends with its sentence, and its heads and trees are those of the whole."""
    lengths = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    ends = np.cumsum(lengths).tolist()
    parts = [random_structure([f"{n}.{k}" for k in range(size)]) for n, size in enumerate(lengths)]
    words = tuple(word for part in parts for word in part.words)
    heads: list[int] = []
    for part in parts:
        start = len(heads)
        heads.extend(head and head + start for head in part.heads or ())
    trees = tuple(tree for part in parts for tree in part.trees)
    first = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(first + 1, len(words)))
    whole = SyntaxTrees(words, tuple(heads), trees if data.draw(st.booleans()) else ())
    begin, found = whole.sentences(first, end)
    chosen = [n for n, stop in enumerate(ends) if stop - lengths[n] < end and stop > first]
    assert begin == ends[chosen[0]] - lengths[chosen[0]]
    assert found.words == tuple(word for n in chosen for word in parts[n].words)
    assert found.heads is not None
    assert [head and head + begin for head in found.heads] == heads[
        begin : begin + len(found.words)
    ]
    assert found.trees == (tuple(trees[n] for n in chosen) if whole.trees else ())


def test_words_without_syntax_stand_alone() -> None:
    begin, found = SyntaxTrees(("a", "b", "c"), None, error="no tree").sentences(1, 2)
    assert (begin, found) == (1, SyntaxTrees(("b",), None, error="no tree"))
