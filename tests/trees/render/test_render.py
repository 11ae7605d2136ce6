"""What holds for a tree in every form: any words are shown, none breaks a document, no size recurses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.trees.drawing.layout import visible
from bnaparser.trees.render import draw, forest, html_section
from bnaparser.trees.tree import Span, Tree
from tests.trees.render.drawings import forest_words, texts, words


@given(st.lists(words, min_size=1, max_size=5))
def test_any_words_give_well_formed_documents_that_show_them(given_words: list[str]) -> None:
    tags = ["XX"] * len(given_words)
    tree = Tree.from_spans(given_words, tags, [Span(0, len(given_words), "S")])
    svg = draw(tree)
    svg.encode("utf-8")
    assert texts(svg)[-len(given_words) :] == [visible(word) for word in given_words]
    assert forest_words(forest(tree)) == [visible(word) for word in given_words]


def test_other_words_can_be_shown_than_the_tree_has() -> None:
    tree = Tree.parse("(TOP (S (-LRB- -LRB-) (NN x)))")
    assert texts(draw(tree, ["(", "x"]))[-2:] == ["(", "x"]
    assert forest_words(forest(tree, ["(", "x"])) == ["(", "x"]


@pytest.mark.parametrize(
    "brackets",
    ["(S (NN a) " * 1000 + "(NN x)" + ")" * 1000, "(S " + "(NP (NN word)) " * 2000 + ")"],
    ids=["1000 levels", "2000 words"],
)
def test_large_trees(brackets: str) -> None:
    tree = Tree.parse(brackets)
    assert texts(draw(tree))[-1] == tree.words[-1]
    assert forest_words(forest(tree)) == list(tree.words)
    assert len(forest(tree)) < 500_000
    assert tree.words[-1] in html_section("", tree)
