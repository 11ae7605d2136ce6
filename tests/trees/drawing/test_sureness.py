"""Drawings of trees of which the parser is not sure: what is faint, what is said, what stays."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.parsing.result import Parse
from bnaparser.trees.drawing.svg import sureness
from bnaparser.trees.render import draw, html_section
from bnaparser.trees.tree import Span, Tree
from tests.trees.render.drawings import CAT, SVG, texts


def fields(svg: str) -> dict[str, dict[str, str]]:
    """Of each constituent, by its title, the attributes of its field."""
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    found = {}
    for group in groups:
        field = group.find(f"{SVG}rect")
        if field is not None:
            found[str(group.findtext(f"{SVG}title"))] = dict(field.attrib)
    return found


def parse(*spans: Span, words: tuple[str, ...] = ("Go", "home", "now")) -> Parse:
    return Parse(" ".join(words), words, ("VB",) * len(words), spans)


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (1.0, "100 % sure"),
        (0.9999, "over 99 % sure"),
        (0.994, "99 % sure"),
        (0.625, "63 % sure"),
        (0.5, "50 % sure"),
        (0.0049, "under 1 % sure"),
        (0.0, "under 1 % sure"),
    ],
)
def test_a_probability_in_words(probability: float, said: str) -> None:
    assert sureness(probability) == said


@given(st.floats(0, 1))
def test_what_is_told_is_near(probability: float) -> None:
    said = sureness(probability)
    assert abs(100 * probability - int(said.split()[-3])) <= 1


def test_an_unsure_constituent_is_faint_and_says_so() -> None:
    svg = draw(Tree.parse(CAT), probabilities=[1.0, 0.62, 0.97])
    found = fields(svg)
    assert list(found) == [
        "S: clause; 100 % sure", "NP: noun phrase; 62 % sure", "VP: verb phrase; 97 % sure",
    ]  # fmt: skip
    faint = found["NP: noun phrase; 62 % sure"]
    assert (faint["fill-opacity"], faint["stroke-opacity"]) == ("0.62", "0.76")
    assert faint["stroke-dasharray"] == "3 2"
    for title in ("S: clause; 100 % sure", "VP: verb phrase; 97 % sure"):
        assert "fill-opacity" not in found[title]
    branches = [path.attrib for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    assert [one.get("stroke-opacity") for one in branches].count("0.62") == 1
    assert texts(svg) == texts(draw(Tree.parse(CAT)))
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        assert not [name for name in text.attrib if "opacity" in name]


def test_the_least_probable_can_still_be_seen() -> None:
    faint = fields(draw(Tree.parse(CAT), probabilities=[0.0, 0.5, 0.5]))[
        "S: clause; under 1 % sure"
    ]
    assert (faint["fill-opacity"], faint["stroke-opacity"]) == ("0.15", "1.00")


def test_a_chain_has_one_probability_and_a_top_node_none() -> None:
    chain = parse(Span(0, 3, "S::VP", 1.0, 0.4), Span(1, 2, "NP", 1.0, 0.9))
    assert [title.split("; ")[-1] for title in fields(chain.to_svg() or "")] == [
        "40 % sure", "40 % sure", "90 % sure",
    ]  # fmt: skip
    several = parse(Span(0, 2, "VP", 1.0, 0.4), Span(2, 3, "ADVP", 1.0, 0.9))
    titles = list(fields(several.to_svg() or ""))
    assert titles == [
        "TOP: root of the tree",
        "VP: verb phrase; 40 % sure",
        "ADVP: adverb phrase; 90 % sure",
    ]


def test_without_probabilities_nothing_changes() -> None:
    spans = (Span(0, 3, "S::VP", 1.0, 0.4), Span(1, 2, "NP", 1.0, 0.9))
    plain = parse(*(span._replace(probability=None) for span in spans))
    assert plain.tree is not None
    assert plain.to_svg() == draw(plain.tree, plain.words)
    assert plain.to_html_section() == html_section(plain.text, plain.tree, plain.words)
    unsure = parse(*spans)
    assert str(unsure.to_svg()) in unsure.to_html()
    assert unsure.to_svg() != plain.to_svg()
    assert replace(unsure, spans=plain.spans).to_html() == plain.to_html()
