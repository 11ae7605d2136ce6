"""How trees look on the page: colours, a phone's width, zoom, words of any script, large trees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from bnaparser.parsing.result import Parse
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

CAT = "The cat sat on the mat."


CONTRAST = """() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const style = (element) => getComputedStyle(element);
  const card = style(document.querySelector('.card')).backgroundColor;
  const on = (element) => {
    const field = element.classList.contains('label') && element.parentNode.querySelector('.field');
    return field ? style(field).fill : card;
  };
  const drawn = [...document.querySelectorAll('svg.tree text')];
  const written = [...document.querySelectorAll('.tools button, .name, .hint, .status, h3')];
  return Math.min(
    ...drawn.map((element) => contrast(style(element).fill, on(element))),
    ...written.map((element) => contrast(style(element).color, element.className.includes('name')
      ? style(element).backgroundColor : card)),
  );
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_in_the_light_and_in_the_dark(visit: Visit, scheme: str) -> None:
    page = visit("The cat sat on the mat quickly, and old dogs bark.", color_scheme=scheme)
    page.get_by_role("button", name="Labels").click()
    assert page.evaluate(CONTRAST) >= 4.5
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", paper)[0]) < 60) is (scheme == "dark")


def test_on_a_phone_nothing_is_wider_than_the_screen(visit: Visit) -> None:
    text = "The very old cat and the very young dog sat on the mat and slept all the day."
    page = visit(text, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for panel in ("Labels", "Outline", "Brackets"):
        page.get_by_role("button", name=panel, exact=True).tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate("document.querySelector('.viewport').scrollWidth") > 360
    small = page.locator(".tools button").evaluate_all(
        "all => all.filter(one => one.offsetHeight < 44 || one.offsetWidth < 44).length"
    )
    assert small == 0
    page.locator(".phrase").first.tap()
    assert len(page.locator(".word").all_text_contents()) == 1


def test_large_trees_are_drawn(visit: Visit) -> None:
    brackets = "(S (NN a) " * 1000 + "(NN x)" + ")" * 1000
    tree = Tree.parse(brackets)
    count = len(tree.words)
    offsets = ((0, len("large")),) * count
    parse = Parse("large", tree.words, tree.tags, tuple(tree.spans()), 0.0, offsets)
    spans = [span._replace(score=0.0) for span in parse.spans]
    whole = Parse("large", tree.words, tree.tags, tuple(spans), 0.0, offsets).to_dict()
    page = visit()
    page.route("**/v1/parse", lambda route: route.fulfill(json={"parses": [whole]}))
    page.locator("#text").fill("large")
    page.wait_for_selector("svg.tree")
    assert page.locator(".word").count() == count
    page.get_by_role("button", name="Fold", exact=True).click()
    page.wait_for_selector(".triangle")
