"""How the page shows what the parser is uncertain of: faint, with its probability, and the least confident sentences first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from bnaparser.parsing.result import Parse
from bnaparser.text.splitting import tokenize
from bnaparser.trees.drawing.svg import outline_strength, percentage, strength
from bnaparser.trees.tree import Span
from tests.server.page.test_page import SVG

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CAT = "The cat sat on the mat."
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
SHARES = [0.0, 0.001, 0.005, 0.1, 0.15, 0.25, 0.625, 0.9, 0.9499, 0.95, 0.994, 0.995, 0.99999, 1.0]
# Of each label the contrast with what is behind it, the field's opacity counted in.
CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = parts(getComputedStyle(document.querySelector('.card')).backgroundColor);
  return [...document.querySelectorAll('.phrase')].map((one) => {
    const [label, field] = ['.label', '.field'].map((name) => getComputedStyle(one.querySelector(name)));
    const share = Number(field.fillOpacity);
    const behind = parts(field.fill).map((part, place) => share * part + (1 - share) * paper[place]);
    const [dark, light] = [luminance(parts(label.fill)), luminance(behind)].sort((a, b) => a - b);
    return ((light + 0.05) / (dark + 0.05)) * Number(label.opacity) * Number(label.fillOpacity);
  });
}"""


def parsed(text: str, *probabilities: float) -> dict[str, Any]:
    """An answer of the service: a flat tree of phrases of one word each below S, with probabilities."""
    sentence = tokenize(text)
    labels = ["S", "NP", "VP", "PP", "ADVP", "X"]
    spans = [Span(0, len(sentence.words), "S", 1.0, probabilities[0])]
    spans += [
        Span(place, place + 1, labels[place + 1], 1.0, probability)
        for place, probability in enumerate(probabilities[1:])
    ]
    tags = ("NN",) * len(sentence.words)
    found = Parse(text, sentence.words, tags, tuple(spans), 1.0, sentence.offsets)
    return {**found.to_dict(), "probability": 0.5, "confidence": found.confidence, "entropy": 1.0}


def show(page: Any, *parses: dict[str, Any]) -> None:
    """Have the service answer with these, whatever the text."""
    page.route("**/v1/parse", lambda route: route.fulfill(json={"parses": list(parses)}))
    page.locator("#text").fill(" ".join(one["text"] for one in parses))
    page.wait_for_selector("svg.tree")


def test_words_and_strengths_are_those_of_the_library(visit: Visit) -> None:
    page = visit()
    found = page.evaluate(
        """async (shares) => {
          const { isUncertain, strength, percentage } = await import('/static/probability.js');
          return shares.map((one) => [percentage(one), isUncertain(one), strength(one)]);
        }""",
        SHARES,
    )
    assert found == [
        [percentage(one), one < 0.95, strength(one) if one < 0.95 else 1] for one in SHARES
    ]


def test_an_uncertain_constituent_is_faint_and_has_its_probability(visit: Visit) -> None:
    page = visit()
    show(page, parsed("Dogs bark loudly.", 0.99, 0.62, 0.04))
    clause, nouns, verbs = (page.locator(".phrase").nth(place) for place in range(3))
    assert clause.get_attribute("aria-label") == "S, clause: Dogs bark loudly ."
    assert nouns.get_attribute("aria-label") == "NP, noun phrase, probability 62 %: Dogs"
    assert verbs.get_attribute("aria-label") == "VP, verb phrase, probability 4 %: bark"
    shown = [
        [one.locator(".field").get_attribute(name) for name in ("fill-opacity", "stroke-opacity")]
        for one in (clause, nouns, verbs)
    ]
    assert shown == [
        ["1", None],
        ["0.62", str(outline_strength(0.62))],
        ["0.15", "1"],
    ]
    branches = page.locator(".branches path").evaluate_all(
        "all => all.map(one => one.getAttribute('stroke-opacity'))"
    )
    assert sorted(filter(None, branches)) == ["0.15", "0.62"]
    nouns.hover()
    assert "probability 62 %" in page.get_by_role("tooltip").text_content()
    clause.hover()
    assert "probability 99 %" in page.get_by_role("tooltip").text_content()
    outline = page.get_by_role("region", name="Outline of the tree").aria_snapshot()
    assert "NP noun phrase, probability 62 %: Dogs" in outline
    assert "S clause: Dogs bark" in outline
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as SVG").click()
    saved = ElementTree.parse(waiting.value.path())
    opacities = [one.get("fill-opacity") for one in saved.iter(f"{SVG}rect")]
    assert [one for one in opacities if one is not None] == ["1", "0.62", "0.15"]


def test_the_least_confident_sentences_come_first_on_request(visit: Visit) -> None:
    page = visit()
    failed = {**parsed("Bad one.", 0.9), "tree": None, "error": "it is bad", "tokens": []}
    failed |= {"constituents": [], "probability": None, "confidence": None}
    confidences = [0.9, 0.5, 0.99, *[0.95] * 20, 0.3]
    parses = [parsed(f"Dog number{place} barks.", sure) for place, sure in enumerate(confidences)]
    show(page, *parses[:4], failed, *parses[4:])
    numbers = page.locator(".number")
    assert numbers.first.text_content() == "1"
    assert ", lowest confidence: sentence 25 (30 %), " in page.get_by_role("status").text_content()
    page.get_by_role("button", name="Lowest confidence first").click()
    assert numbers.all_text_contents()[:4] == ["5", "25", "2", "1"]
    assert page.locator("article").count() == 20
    assert page.locator(".confidence").nth(1).text_content() == "confidence 30 %"
    page.get_by_label("Search the trees").fill("number23|number1")
    soon(page.locator("#found")).to_have_text("2 matches in 2 of 24 trees", timeout=PATIENCE)
    marked = page.locator("article", has=page.locator(".found")).locator(".number")
    assert marked.all_text_contents() == ["25", "2"]
    page.get_by_label("Search the trees").fill("number2")
    soon(page.locator("#found")).to_have_text("1 match in 1 of 24 trees", timeout=PATIENCE)
    page.get_by_role("button", name="Jump").click()  # it stands last: on the second page
    soon(page.locator("article")).to_have_count(5, timeout=PATIENCE)
    assert re.search("first=least-confident", page.url)
    again = visit()
    again.route("**/v1/parse", lambda route: route.fulfill(json={"parses": parses}))
    again.goto("about:blank")
    again.goto(page.url)
    soon(again.locator("article").first).to_contain_text("number23", timeout=PATIENCE)
    again.get_by_role("button", name="Lowest confidence first").click()
    soon(again.locator("article").first).to_contain_text("number0", timeout=PATIENCE)
    assert "least-confident" not in again.url
