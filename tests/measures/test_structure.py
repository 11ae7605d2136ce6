"""Depths, lengths and word-by-word counts: examples counted by hand, and brute force over whole trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnaparser.measures import measure
from bnaparser.measures.files import begins_with_tree
from bnaparser.measures.structure import analyse, by_word
from bnaparser.trees.tree import Tree

# The sentence and tree of Roark, Mitchell and Hollingshead 2007.
COOK = Tree.parse(
    "(TOP (S (NP (PRP she)) (VP (VBD was) (NP (NP (DT a) (NN cook))"
    " (PP (IN in) (NP (DT a) (NN school) (NN cafeteria)))))))"
)
# Right-branching and left-branching, as Yngve 1960 contrasts them.
RIGHT = Tree.parse("(TOP (A (a a) (B (b b) (C (c c) (D (d d) (e e))))))")
LEFT = Tree.parse("(TOP (A (B (C (D (a a) (b b)) (c c)) (d d)) (e e)))")
STORED = [
    Tree.parse(json.loads(line)["tree"])
    for line in Path(__file__).with_name("neosca.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(
    ("tree", "yngve", "frazier"),
    [
        (COOK, [1, 1, 2, 1, 1, 2, 1, 0], [2.5, 1, 2, 0, 1, 1, 0, 0]),
        (RIGHT, [1, 1, 1, 1, 0], [1, 1, 1, 1, 0]),
        (LEFT, [4, 3, 2, 1, 0], [4, 0, 0, 0, 0]),
    ],
)
def test_yngve_and_frazier_scores_of_each_word(
    tree: Tree, yngve: list[int], frazier: list[float]
) -> None:
    found = analyse(tree)
    assert (found.yngve, found.frazier) == (yngve, frazier)


def test_mean_yngve_depth_of_colorless_green_ideas() -> None:
    (row,) = measure(
        Tree.parse(
            "(ROOT (S (NP (NNP Colorless) (JJ green) (NNS ideas))"
            " (VP (VBP sleep) (ADVP (RB furiously)))))"
        )
    )
    assert (row["yngve_sum"], row["yngve_mean"], row["yngve_max"]) == (7, 1.4, 3)


def test_sums_means_and_maxima() -> None:
    (row,) = measure(COOK)
    assert (row["yngve_sum"], row["yngve_mean"], row["yngve_max"]) == (9, 9 / 8, 2)
    assert (row["frazier_sum"], row["frazier_mean"], row["frazier_max"]) == (7.5, 7.5 / 8, 2.5)
    assert row["frazier_local_max"] == 5.5  # she was a


def test_punctuation_deepens_no_word() -> None:
    plain = "(TOP (S (NP (PRP She)) (VP (VBD slept))))"
    marked = "(TOP (S (`` ``) (NP (PRP She)) (VP (VBD slept)) (. .) ('' '')))"
    one, other = measure([Tree.parse(plain), Tree.parse(marked)], by="sentence")
    assert (one["tokens"], other["tokens"]) == (2, 5)
    for name in ("words", "yngve_sum", "frazier_sum", "branching", "clause_length", "W"):
        assert one[name] == other[name]


def test_height_constituents_and_lengths_of_phrases() -> None:
    (row,) = measure(COOK)
    assert (row["height"], row["constituents"], row["words_before_verb"]) == (5, 7, 1)
    assert (row["NP_length"], row["VP_length"], row["PP_length"]) == ((1 + 6 + 2 + 3) / 4, 7, 4)
    assert (row["clause_length"], row["ADJP_length"]) == (8, None)


@pytest.mark.parametrize(("tree", "branching"), [(RIGHT, 1), (LEFT, -1)])
def test_branching_goes_from_left_to_right(tree: Tree, branching: float) -> None:
    assert measure(tree)[0]["branching"] == branching


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ("(TOP (S (NP (DT The) (NN dog)) (VP (VBZ has) (VP (VBN been) (VP (VBG barking))))))", 4),
        ("(TOP (SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ ill)) (. ?)))", 0),
        ("(TOP (S (S (NP (PRP He)) (VP (VBD ran))) (CC and) (S (NP (PRP I)) (VP (VBD sat)))))", 1),
        ("(TOP (NP (NN Heading)))", None),
    ],
)
def test_words_before_the_main_verb(tree: str, words: int | None) -> None:
    assert measure(Tree.parse(tree))[0]["words_before_verb"] == words


def test_counts_of_each_word() -> None:
    rows = measure(COOK, by="word")
    assert [row["opened"] for row in rows] == [2, 1, 2, 0, 1, 1, 0, 0]
    assert [row["closed"] for row in rows] == [1, 0, 0, 1, 0, 0, 0, 5]
    # The first child is complete: NP, S; VP; the inner NP; the outer NP; PP; the last NP.
    assert [row["left_corner"] for row in rows] == [2, 1, 1, 1, 1, 1, 0, 0]
    assert [row["open_constituents"] for row in rows] == [1, 2, 4, 3, 4, 5, 5, 0]
    # NP; NP was; NP was a; NP was NP; NP was NP in; ... a; ... a school; S.
    assert [row["open_nodes"] for row in rows] == [1, 2, 3, 3, 4, 5, 6, 1]


def test_counts_of_all_words_against_brute_force() -> None:
    for tree in STORED:
        words = by_word(tree)
        inner = [node for node in tree.nodes() if node.subtrees and node is not tree]
        for place, word in enumerate(words):
            over = [node for node in inner if node.start <= place < node.end]
            assert word.depth == len(over)
            assert word.opened == sum(node.start == place for node in over)
            assert word.closed == sum(node.end == place + 1 for node in over)
            assert word.left_corner == sum(node.subtrees[0].end == place + 1 for node in over)
        assert [word.open_nodes for word in words] == _shift_reduce(tree)


def _shift_reduce(tree: Tree) -> list[int]:
    """How long the stack of a bottom-up parser is after each word, all that can be merged merged."""
    stack: list[Tree] = []
    ends: dict[tuple[int, ...], Tree] = {
        tuple(map(id, node.subtrees)): node for node in tree.nodes() if node.subtrees
    }
    lengths = []
    for word in tree.preterminals():
        stack.append(word)
        merged = True
        while merged:
            merged = False
            for size in range(1, len(stack) + 1):
                node = ends.get(tuple(map(id, stack[-size:])))
                if node is not None:
                    stack[-size:] = [node]
                    merged = True
                    break
        lengths.append(len(stack))
    return lengths


def test_yngve_and_frazier_scores_against_brute_force() -> None:
    for tree in STORED:
        plain = _without_marks(tree)
        if plain is None:
            continue
        found = analyse(tree)
        paths = list(_paths(plain))
        assert found.yngve == [
            sum(len(node.subtrees) - 1 - place for node, place in path) for path in paths
        ]
        scores = []
        for path in paths:
            score = 0.0
            for node, place in reversed(path):
                if place or node is plain:
                    break
                score += 1.5 if node.label in {"S", "SBAR", "SBARQ", "SINV", "SQ"} else 1
            scores.append(score)
        assert found.frazier == scores


def _without_marks(tree: Tree) -> Tree | None:
    from bnaparser.trees.cleaning import rewrite
    from bnaparser.trees.heads.dependencies import is_punctuation

    return rewrite(tree, keep_tag=lambda tag: not is_punctuation(tag))


def _paths(tree: Tree) -> list[list[tuple[Tree, int]]]:
    """Of each word the nodes from the top down, each with the number of the child that goes on."""
    if not tree.subtrees:
        return [[]]
    return [
        [(tree, place), *path]
        for place, child in enumerate(tree.subtrees)
        for path in _paths(child)
    ]


def test_trees_without_tags_have_what_needs_none() -> None:
    tree = Tree.parse("(S (NP (_ This)) (VP (_ is) (NP (_ a) (_ wug))) (_ .))")
    (row,) = measure(tree)
    assert (row["S"], row["T"], row["yngve_sum"], row["words"]) == (1, 1, 3, 4)
    assert row["W"] is row["C"] is row["MLT"] is row["words_before_verb"] is None


def test_spanish_clauses_within_others_are_counted() -> None:
    tree = Tree.parse(
        "(TOP (S (grup.verb (vm Dice)) (S.F.C (conj.subord (cs que)) (grup.verb (vm llueve)))))"
    )
    assert analyse(tree).phrases["clause"] == [2, 5]


def test_a_sentence_of_punctuation_marks_leaves_nothing_of_its_text_empty() -> None:
    sentences = [
        Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))"),
        Tree.parse("(TOP (NP (: ...)))"),
        Tree.parse("(TOP (NP (. *) (. *) (. *)))"),
    ]
    (row,) = measure(sentences)
    assert [row[name] for name in ("W", "S", "VP", "C", "T", "CN")] == [2, 3, 1, 1, 1, 0]
    assert row["words"] == 2
    assert row["MLC"] == 2


@pytest.mark.parametrize(
    ("text", "are_trees"),
    [
        ("[1] The dog barked.", False),
        ("(Smith (2010) says so)", False),
        ("(a) one\n(b) two", False),
        ("[S [NP This] [VP is]]", True),
        ("(TOP (S (NP This) (VP is (NP a wug))))", True),
        ("( (S (NP (DT a))))", True),
    ],
)
def test_trees_are_told_from_text(text: str, are_trees: bool) -> None:
    assert begins_with_tree(text.splitlines(keepends=True)) == are_trees


def test_traces_are_neither_tokens_nor_depth() -> None:
    deep = "(NP (NP (-NONE- *)) (SBAR (S (NP (-NONE- *T*-1)))))"
    with_traces = Tree.parse(f"(TOP (S (NP-SBJ (-NONE- *)) (VP (VB Go) {deep}) (. .)))")
    bare = Tree.parse("(TOP (S (VP (VB Go)) (. .)))")
    for by in ("text", "sentence", "word"):
        assert measure(with_traces, by=by) == measure(bare, by=by)
    (row,) = measure(with_traces, patterns={"traces": "/-NONE-/"})
    assert (row["traces"], row["tokens"], row["height"]) == (3, 2, 2)
    (row,) = measure(Tree.parse("(TOP (S (NP (-NONE- *))))"))
    assert (row["tokens"], row["S"], row["height"]) == (0, 0, 0)
