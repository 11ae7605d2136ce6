"""Drawings of trees with probabilities: what is faint, which text is added, what stays."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.parsing.result import Parse
from bnaparser.trees.drawing.svg import percentage
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
        (1.0, "100 %"),
        (0.9999, "over 99 %"),
        (0.994, "99 %"),
        (0.625, "63 %"),
        (0.5, "50 %"),
        (0.0049, "under 1 %"),
        (0.0, "under 1 %"),
    ],
)
def test_a_probability_in_words(probability: float, said: str) -> None:
    assert percentage(probability) == said


@given(st.floats(0, 1))
def test_what_is_told_is_near(probability: float) -> None:
    said = percentage(probability)
    assert abs(100 * probability - int(said.split()[-2])) <= 1


def test_an_uncertain_constituent_is_faint_and_has_its_probability() -> None:
    svg = draw(Tree.parse(CAT), probabilities=[1.0, 0.62, 0.97])
    found = fields(svg)
    assert list(found) == [
        "S: clause; probability 100 %", "NP: noun phrase; probability 62 %", "VP: verb phrase; probability 97 %",
    ]  # fmt: skip
    faint = found["NP: noun phrase; probability 62 %"]
    assert (faint["fill-opacity"], faint["stroke-opacity"]) == ("0.62", "0.76")
    assert faint["stroke-dasharray"] == "3 2"
    for title in ("S: clause; probability 100 %", "VP: verb phrase; probability 97 %"):
        assert "fill-opacity" not in found[title]
    branches = [path.attrib for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    assert [one.get("stroke-opacity") for one in branches].count("0.62") == 1
    assert texts(svg) == texts(draw(Tree.parse(CAT)))
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        assert not [name for name in text.attrib if "opacity" in name]


def test_the_least_probable_can_still_be_seen() -> None:
    faint = fields(draw(Tree.parse(CAT), probabilities=[0.0, 0.5, 0.5]))[
        "S: clause; probability under 1 %"
    ]
    assert (faint["fill-opacity"], faint["stroke-opacity"]) == ("0.15", "1.00")


def test_a_chain_has_one_probability_and_a_top_node_none() -> None:
    chain = parse(Span(0, 3, "S::VP", 1.0, 0.4), Span(1, 2, "NP", 1.0, 0.9))
    assert [title.split("; ")[-1] for title in fields(chain.to_svg() or "")] == [
        "probability 40 %", "probability 40 %", "probability 90 %",
    ]  # fmt: skip
    several = parse(Span(0, 2, "VP", 1.0, 0.4), Span(2, 3, "ADVP", 1.0, 0.9))
    titles = list(fields(several.to_svg() or ""))
    assert titles == [
        "TOP: root of the tree",
        "VP: verb phrase; probability 40 %",
        "ADVP: adverb phrase; probability 90 %",
    ]


def test_without_probabilities_nothing_changes() -> None:
    spans = (Span(0, 3, "S::VP", 1.0, 0.4), Span(1, 2, "NP", 1.0, 0.9))
    plain = parse(*(span._replace(probability=None) for span in spans))
    assert plain.tree is not None
    assert plain.to_svg() == draw(plain.tree, plain.words)
    assert plain.to_html_section() == html_section(plain.text, plain.tree, plain.words)
    uncertain = parse(*spans)
    assert str(uncertain.to_svg()) in uncertain.to_html()
    assert uncertain.to_svg() != plain.to_svg()
    assert replace(uncertain, spans=plain.spans).to_html() == plain.to_html()
