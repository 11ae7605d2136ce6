"""The drawings of a Parse, which shows its words as they stood in the input."""

from __future__ import annotations

from bnaparser.parsing.result import Parse
from bnaparser.trees.tree import Span
from tests.render.drawings import HtmlReader, forest_words, texts

PARSE = Parse(
    "It (fell).",
    ("It", "(", "fell", ")", "."),
    ("PRP", "-LRB-", "VBD", "-RRB-", "."),
    (Span(0, 5, "S"), Span(0, 1, "NP"), Span(1, 4, "PRN::VP")),
)


def test_a_parse_shows_its_words_as_they_stood() -> None:
    svg = PARSE.to_svg()
    assert svg is not None
    assert texts(svg)[-5:] == ["It", "(", "fell", ")", "."]
    assert texts(svg)[:4] == ["S", "NP", "PRN", "VP"]
    assert PARSE._repr_svg_() == svg
    assert svg in PARSE.to_html()
    assert HtmlReader(PARSE.to_html()).text["h2"] == ["It (fell)."]
    assert forest_words(PARSE.to_latex() or "") == ["It", "(", "fell", ")", "."]


def test_a_parse_without_a_tree_has_no_drawing() -> None:
    failed = Parse("", error="the sentence has no words")
    assert failed.to_svg() is failed.to_latex() is failed._repr_svg_() is None
    assert HtmlReader(failed.to_html()).text["p"] == ["the sentence has no words"]
