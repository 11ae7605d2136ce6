"""Trees drawn with letters: branches meet their nodes, nothing touches, and what is wide is a list."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bnaparser.trees.drawing.layout import cells
from bnaparser.trees.render import draw_text
from bnaparser.trees.tree import Span, Tree

CAT = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (RP down))) (. .)))"


def test_a_tree_that_fits_is_drawn_from_its_root_down() -> None:
    assert draw_text(Tree.parse(CAT)).splitlines() == [
        "            S",
        "   ┌────────┴─┬──────┐",
        "   │          VP     │",
        "   │       ┌──┴──┐   │",
        "   NP      │     PP  │",
        " ┌─┴──┐    │     │   │",
        " DT   NN  VBD    RP  .",
        "The  cat  sat   down .",
    ]


def test_a_tree_that_is_too_wide_is_a_line_a_node() -> None:
    assert draw_text(Tree.parse(CAT), 15).splitlines() == [
        "S",
        "├─ NP",
        "│  ├─ DT The",
        "│  └─ NN cat",
        "├─ VP",
        "│  ├─ VBD sat",
        "│  └─ PP",
        "│     └─ RP down",
        "└─ . .",
    ]


def test_a_tree_draws_itself() -> None:
    tree = Tree.parse(CAT)
    assert tree.draw() == draw_text(tree)
    assert tree.draw(15) == draw_text(tree, 15)
    assert tree._repr_svg_().startswith("<svg ")


def test_a_top_node_stays_where_it_has_several_children() -> None:
    drawn = draw_text(Tree.parse("(TOP (A a) (B b))"))
    assert drawn.splitlines() == ["TOP", "┌┴─┐", "A  B", "a  b"]


def test_wide_characters_and_marks_keep_their_columns() -> None:
    drawn = draw_text(Tree.parse("(S (N 猫猫猫) (N e\u0301e\u0301) (N x))")).splitlines()
    assert drawn[-1].split() == ["猫猫猫", "e\u0301e\u0301", "x"]
    before = [cells(drawn[-1][: drawn[-1].index(word)]) for word in ("猫", "e", "x")]
    labels = [place for place, sign in enumerate(drawn[-2]) if sign == "N"]
    assert all(left <= label for left, label in zip(before, labels, strict=True))


words = st.lists(
    st.sampled_from(["a", "word", "(", "encyclopaedia", "猫", "\x07"]), min_size=1, max_size=6
)


@example(["a", "a", "a", "word", "encyclopaedia", "word"], 37)
@given(words, st.integers(5, 90))
def test_every_word_is_shown_whatever_the_width(given_words: list[str], width: int) -> None:
    tree = Tree.from_spans(
        [word.replace("(", "-LRB-") for word in given_words],
        ["XX"] * len(given_words),
        [Span(0, len(given_words), "CLAUSE"), Span(0, 1, "A::B")][: len(given_words)],
    )
    drawn = draw_text(tree, width)
    lines = drawn.splitlines()
    assert drawn.count("XX") == len(given_words)
    assert "\x07" not in drawn
    from_root_down = not any(line.startswith(("├", "└")) for line in lines)
    if from_root_down:
        assert max(map(cells, lines)) <= width or len(given_words) == 1
        assert len(lines[-1].split()) == len(given_words)


@pytest.mark.parametrize(
    "brackets", ["(S (A a) " * 500 + "(B b)" + ")" * 500, "(S " + "(X x) " * 2000 + ")"]
)
def test_large_trees(brackets: str) -> None:
    tree = Tree.parse(brackets)
    assert draw_text(tree).count("\n") == sum(1 for _ in tree.nodes()) - 1
    assert draw_text(tree, 20_000).splitlines()[-1].split() == list(tree.words)
