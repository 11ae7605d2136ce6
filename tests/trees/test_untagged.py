"""Trees as linguists write them: square brackets, words without tags, folded phrases."""

from __future__ import annotations

import pickle
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import TreeError
from bnaparser.trees.brackets import is_one_tree
from bnaparser.trees.tree import Span, Tree, parse_trees

LABELS = st.sampled_from(["S", "NP", "VP", "N'", "IP"])
WORDS = st.text(st.characters(categories=["L", "N", "P"], exclude_characters="()[]"), min_size=1)
TREES = st.builds(
    Tree,
    LABELS,
    st.lists(
        st.recursive(
            WORDS,
            lambda below: st.builds(Tree, LABELS, st.lists(below, min_size=1, max_size=3)),
            max_leaves=9,
        ),
        min_size=1,
        max_size=3,
    ),
)
WUG = "[S [NP This] [VP [V is] [NP a wug]]]"


@given(TREES)
def test_round_and_square_brackets_are_read_back(tree: Tree) -> None:
    square = str(tree).translate(str.maketrans("()", "[]"))
    assert Tree.parse(str(tree)) == Tree.parse(square) == tree
    assert Tree.parse(tree.pretty().translate(str.maketrans("()", "[]"))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_words_without_tags() -> None:
    tree = Tree.parse(WUG)
    assert str(tree) == "(S (NP This) (VP (V is) (NP a wug)))"
    assert tree.words == ("This", "is", "a", "wug")
    assert tree.tags == ("NP", "V", "", "")
    assert tree.spans() == [Span(0, 4, "S"), Span(1, 4, "VP"), Span(2, 4, "NP")]
    assert tree == Tree(
        "S", [Tree("NP", ["This"]), Tree("VP", [Tree("V", ["is"]), Tree("NP", ["a", "wug"])])]
    )
    assert [str(one.node) for one in tree.search("NP < wug")] == ["(NP a wug)"]


def test_an_only_word_is_below_its_tag_however_it_was_made() -> None:
    phrase = Tree("NP", ["a", "wug"])
    assert Tree("NP", phrase.subtrees[:1]) == Tree("NP", ["a"]) == Tree.parse("[NP a]")


def test_a_node_without_children_is_a_word_in_square_brackets() -> None:
    """So the package forest writes words."""
    assert Tree.parse("[S [NP [This]] [VP [is] [NP [a] [wug]]]]") == Tree.parse(
        "[S [NP This] [VP is [NP a wug]]]"
    )


def test_round_brackets_within_a_word_of_square_brackets() -> None:
    tree = Tree.parse("[NP (the) dog(s)]")
    assert tree.words == ("-LRB-the-RRB-", "dog-LRB-s-RRB-")
    assert ">(the) dog(s)<" in tree.to_svg()


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("[S\n [NP a]", 1, 1, "1 ']' missing"),
        ("[S [NP a]]\n]", 2, 1, "']' has no opening bracket"),
        ("[S a]\n b", 2, 2, "'b' stands outside all brackets: a tree starts with '['"),
        ("[S [] a]", 1, 5, "'' is empty"),
        ("[NP]", 1, 4, "'NP' is empty"),
        ("[S [NP a]\n (VP (V b))]", 2, 2, "mixed"),
        ("(S\n (VP (V b)) [NP a])", 2, 13, "mixed"),
        ("(S [NP This] (VP is))", 1, 4, "mixed"),
    ],
)
def test_a_mistake_is_reported_with_its_place(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(TreeError) as caught:
        Tree.parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in caught.value.message


def test_what_reads_treebanks_wants_tags() -> None:
    assert [str(tree) for tree in parse_trees("[S [N a]]\n[S [N b]]")] == ["(S (N a))", "(S (N b))"]
    for text in ("[NP a wug]", "(NP a wug)", "[NP [a] [wug]]"):
        with pytest.raises(TreeError):
            list(parse_trees(text))


def test_folded_phrases() -> None:
    tree = Tree.parse(
        "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN x)) (PP (IN of) (NP (NN y)))))))"
    )
    assert str(tree.fold("NP")) == "(TOP (S (NP I) (VP (VBD saw) (NP x of y))))"
    assert str(tree.fold("NP << PP", "NP < PRP")) == str(tree.fold("NP"))
    assert str(tree.fold("PP")) == (
        "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN x)) (PP of y)))))"
    )
    assert tree.fold("NN") == tree.fold("QP") == tree
    phrase = tree.subtrees[0].subtrees[1]
    assert phrase.fold("PP").span == phrase.span == (1, 5)


def test_one_tree_is_told_without_reading_it() -> None:
    """Where the fast test says that a text is one tree, it can be read; and it says so of nearly all trees."""
    random = Random(0)
    signs = [
        "(",
        ")",
        " ",
        "a",
        "\n",
        "(A b)",
        "%",
        "\t",
        "\x85",
        "\u2028",
        "\x0b",
        "*x*",
        "[",
        "\ud800",
    ]
    told = trees = 0
    for _ in range(20_000):
        text = list("(T (S (N (D a) b) (V c)))")
        for _ in range(random.randint(0, 3)):
            place = random.randrange(len(text))
            text[place : place + random.randint(0, 1)] = random.choice(signs) * random.randint(0, 1)
        whole = "".join(text)
        if is_one_tree(whole):
            Tree.parse(whole)
            told += 1
        with suppress(TreeError):
            Tree.parse(whole)
            trees += 1
    assert 0.95 * trees < told < trees < 15_000
