"""Long sentences, many sentences, trees that are out of date, what is saved, and whose model it is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.server.page.test_page import answer

if TYPE_CHECKING:
    from tests.server.conftest import HeldParser, Serving
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CAT = "The cat sat on the mat."
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
LONG = f"(S {'(NP (JJ long) (NN sentence)) ' * 40})"
SCROLLED = "one => one.scrollLeft"
INSIDE = """() => {
  const frame = document.querySelector('.viewport').getBoundingClientRect();
  const root = document.querySelector('.node .field').getBoundingClientRect();
  return root.left >= frame.left && root.right <= frame.right && root.top >= frame.top
    && root.bottom <= frame.bottom;
}"""
OPACITY = "id => Number(getComputedStyle(document.getElementById(id)).opacity)"


@pytest.mark.parametrize("width", [1280, 360])
def test_a_long_sentence_opens_at_its_root_and_scrolls(visit: Visit, width: int) -> None:
    page = visit(LONG, viewport={"width": width, "height": 700})
    viewport = page.locator(".viewport")
    assert viewport.evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.evaluate(INSIDE)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator(".percent").click()  # all of it
    assert viewport.evaluate("one => one.scrollWidth <= one.clientWidth + 1")


def test_a_tree_that_stays_is_scrolled_as_it_was(visit: Visit) -> None:
    page = visit(LONG, viewport={"width": 700, "height": 700})
    viewport = page.locator(".viewport").first
    viewport.evaluate("one => one.scrollTo(1234, 0)")
    page.get_by_role("button", name="Parse", exact=True).click()
    assert viewport.evaluate(SCROLLED) == 1234
    page.locator("#text").fill(f"{LONG}\n(NP (NN dog))")
    soon(page.locator("article")).to_have_count(2, timeout=PATIENCE)
    assert viewport.evaluate(SCROLLED) == 1234


def test_a_tree_that_comes_back_opens_at_its_root(visit: Visit) -> None:
    page = visit("\n".join([LONG, *["(NP (NN dog))"] * 20]), viewport={"width": 700, "height": 900})
    above = page.get_by_role("navigation", name="Pages", exact=True)
    above.get_by_role("button", name="Next").click()
    soon(page.locator("article .number").first).to_have_text("21", timeout=PATIENCE)
    above.get_by_role("button", name="Previous").click()
    page.wait_for_function(INSIDE)


def test_a_tree_of_another_text_is_dimmed_and_says_so(visit: Visit) -> None:
    page = visit(CAT)
    status = page.get_by_role("status")
    held: list[Any] = []
    page.route("**/v1/parse", lambda route: held.append(route), times=1)
    with page.expect_request("**/v1/parse"):
        page.locator("#text").fill("Dogs bark.")
    assert status.text_content() == (
        "The tree below is of the text before this one; the new one is on its way."
    )
    assert page.locator(".word").first.text_content() == "The"
    assert page.evaluate(OPACITY, "trees") < 0.7
    held[0].continue_()
    soon(page.locator(".word").first).to_have_text("Dogs", timeout=PATIENCE)
    assert page.evaluate(OPACITY, "trees") == 1
    assert status.text_content().startswith("1 tree, ")


def test_so_is_one_whose_new_text_was_refused_or_waits_for_the_button(visit: Visit) -> None:
    visit.expected = "500"
    page = visit(CAT)
    page.route("**/v1/parse", lambda route: route.fulfill(status=500, body="oops"), times=1)
    page.locator("#text").fill("Dogs bark.")
    page.get_by_role("alert").wait_for()
    assert page.get_by_role("status").text_content() == (
        "The tree below is of the text before this one."
    )
    assert page.evaluate(OPACITY, "trees") < 0.7
    page.locator("#text").fill(CAT)
    soon(page.get_by_role("status")).to_contain_text("1 tree, ", timeout=PATIENCE)
    assert page.evaluate(OPACITY, "trees") == 1
    page.locator("#text").fill("Dogs bark. " * 190)
    page.wait_for_selector("text=press Parse when it is complete")
    assert page.evaluate(OPACITY, "trees") < 0.7


def test_many_sentences_are_paged(visit: Visit, serving: Serving, parser: HeldParser) -> None:
    with serving(parser) as address:
        visit.address = f"{address}/"
        page = visit()
        page.locator("#text").fill("\n".join(f"Dog number{place} barks." for place in range(300)))
        page.get_by_role("button", name="Parse", exact=True).click()
        page.wait_for_selector("svg.tree")
        assert page.locator("article").count() == 20
        above = page.get_by_role("navigation", name="Pages", exact=True)
        assert "Sentences 1 to 20 of 300" in above.text_content()
        assert above.get_by_role("button", name="Previous").is_disabled()
        above.get_by_role("button", name="Next").click()
        assert page.locator("article .number").first.text_content() == "21"
        page.wait_for_selector(".word >> text=number20")
        place = above.get_by_label("First sentence")
        place.fill("299")
        place.press("Enter")
        assert "Sentences 281 to 300 of 300" in above.text_content()
        below = page.get_by_role("navigation", name="Pages, again")
        assert below.get_by_role("button", name="Next").is_disabled()
        assert "300 trees" in page.get_by_role("status").text_content()
        page.locator("#text").fill(CAT)
        soon(page.locator("article")).to_have_count(1, timeout=PATIENCE)
        assert above.is_hidden()


def test_the_pages_can_be_turned_by_keyboard_alone(visit: Visit) -> None:
    page = visit("\n".join([CAT] * 65))
    above = page.get_by_role("navigation", name="Pages", exact=True)
    above.get_by_role("button", name="Next").focus()
    for begin in (21, 41):
        page.keyboard.press("Enter")
        soon(page.locator("article .number").first).to_have_text(str(begin), timeout=PATIENCE)
    page.keyboard.press("Enter")  # the last page: there is no next one
    soon(page.locator("article .number").first).to_have_text("61", timeout=PATIENCE)
    place = above.get_by_label("First sentence")
    soon(place).to_be_focused()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    soon(page.locator("article .number").first).to_have_text("41", timeout=PATIENCE)
    soon(place).to_be_focused()
    assert int(place.input_value()) < 61


def test_saved_places_are_those_in_the_text_as_it_is_now(visit: Visit) -> None:
    page = visit(f"It rained. {CAT}")
    soon(page.locator("svg.tree")).to_have_count(2, timeout=PATIENCE)
    text = f"It rained heavily yesterday. {CAT}"
    page.locator("#text").fill(text)
    soon(page.locator(".word").nth(2)).to_have_text("heavily", timeout=PATIENCE)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as JSON").nth(1).click()
    with open(waiting.value.path(), encoding="utf-8") as saved:
        parse = json.load(saved)
    for token in parse["tokens"]:
        assert text[token["start"] : token["end"]] == token["text"]
    for one in parse["constituents"]:
        words = [token["text"] for token in parse["tokens"][one["start"] : one["end"]]]
        assert text[one["char_start"] : one["char_end"]].split(" ")[0] == words[0]


def test_back_from_an_example_brings_a_text_back_that_fits_no_address(visit: Visit) -> None:
    page = visit()
    long = " ".join(["猫が寝る。"] * 180)  # 9 characters of an address each
    page.locator("#text").fill(long)
    page.get_by_role("button", name="Parse", exact=True).click()
    soon(page.get_by_role("button", name="Copy link")).to_be_disabled(timeout=PATIENCE)
    page.get_by_role("button", name="Colorless green ideas").click()
    soon(page.locator("#text")).to_have_value(re.compile("furiously"), timeout=PATIENCE)
    page.go_back()
    soon(page.locator("#text")).to_have_value(long, timeout=PATIENCE)
    page.reload()
    soon(page.locator("#text")).to_have_value(long, timeout=PATIENCE)


def test_a_tree_is_saved_as_json(visit: Visit) -> None:
    page = visit(CAT)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as JSON").click()
    assert waiting.value.suggested_filename == "tree-the-cat-sat-on-the-mat.json"
    with open(waiting.value.path(), encoding="utf-8") as saved:
        assert json.load(saved) == answer(visit.address, CAT, probabilities=True)


def test_the_model_and_its_licence_are_shown(
    visit: Visit, serving: Serving, parser: HeldParser
) -> None:
    with serving(parser, model="en") as address:
        visit.address = f"{address}/"
        page = visit()
        said = page.locator("#models summary")
        soon(said).to_have_text("Model en: non-commercial use only", timeout=PATIENCE)
        said.click()
        assert page.get_by_text("The Penn Treebank sample that it learnt from").is_visible()
