"""Long sentences, many sentences, trees that are out of date, what is saved, and whose model it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.server.conftest import HeldParser, Serving
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CAT = "The cat sat on the mat."
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
OPACITY = "id => Number(getComputedStyle(document.getElementById(id)).opacity)"


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
