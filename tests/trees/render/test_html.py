"""Trees on a page of HTML."""

from __future__ import annotations

from bnaparser.trees.render import HTML_END, HTML_START, html_section
from bnaparser.trees.tree import Tree
from tests.trees.render.drawings import CAT, HtmlReader


def test_a_page_holds_each_tree_its_brackets_and_each_error() -> None:
    tree = Tree.parse(CAT)
    sections = [
        html_section("The cat sat.", tree),
        html_section("<b>&", Tree.parse("(TOP (NN <b>&))")),
        html_section("", None, error="the sentence has no words"),
    ]
    page = HTML_START + "".join(sections) + HTML_END
    read = HtmlReader(page)
    assert read.open == []
    assert (read.count["section"], read.count["svg"], read.count["b"]) == (3, 2, 0)
    assert read.text["h2"] == ["The cat sat.", "<b>&"]
    assert read.text["pre"] == [CAT, "(TOP (NN <b>&))"]
    assert read.text["p"] == ["the sentence has no words"]
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
