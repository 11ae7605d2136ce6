"""The address of the page: it holds what the user sees, and another one brings what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.server.page.test_page_sureness import parsed, show

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
RAIN = "(S (NP (PRP It)) (VP (VBD rained)))"
WRONG = "(S (NP (DT The) (NN dog))"


def held(page: Any) -> dict[str, str]:
    """What the address holds."""
    return dict(parse_qsl(page.evaluate("location.hash.slice(1)")))


def test_a_text_that_has_no_tree_stays_in_the_address(visit: Visit) -> None:
    page = visit()
    show(page, parsed("Dogs bark.", 0.9), parsed("Mira sang.", 0.5))
    page.locator("#text").fill(WRONG)
    page.get_by_role("alert").wait_for()
    page.get_by_label("Find in the trees").fill("NP")
    assert held(page) == {"text": WRONG, "search": "NP"}
    page.get_by_role("button", name="Unsurest first").click()
    assert held(page) == {"text": WRONG, "search": "NP", "first": "unsurest"}


def test_another_address_brings_its_pattern_and_its_order(visit: Visit) -> None:
    page = visit()
    show(page, parsed("Dogs bark.", 0.9, 0.9, 0.9), parsed("Mira sang.", 0.5, 0.5, 0.5))
    text = "Dogs bark. Mira sang."
    states: list[dict[str, str]] = [
        {"text": text, "search": "NP"},
        {"text": text, "search": "VP", "first": "unsurest"},
        {"text": "Dogs bark! Mira sang!", "search": "S"},
    ]

    def check(state: dict[str, str]) -> None:
        soon(page.locator("#text")).to_have_value(state["text"], timeout=PATIENCE)
        found = page.locator("article").first.locator(".node.found .label")
        soon(found).to_have_text(state["search"], timeout=PATIENCE)
        assert page.get_by_label("Find in the trees").input_value() == state["search"]
        first = "2" if "first" in state else "1"
        soon(page.locator(".number").first).to_have_text(first, timeout=PATIENCE)
        assert held(page) == state

    for state in states:
        page.goto(f"{visit.address}#{urlencode(state)}")
        check(state)
    for state in reversed(states[:-1]):
        page.go_back()
        check(state)


def test_back_from_an_example_brings_a_text_back_that_was_not_asked_for(visit: Visit) -> None:
    page = visit(RAIN)
    waiting = "\n".join([RAIN] * 60)
    page.locator("#text").fill(waiting)
    page.wait_for_selector("text=press Parse when it is complete")
    page.get_by_role("button", name="Colorless green ideas").click()
    soon(page.locator(".word").first).to_have_text("Colorless", timeout=PATIENCE)
    page.go_back()
    soon(page.locator("#text")).to_have_value(waiting, timeout=PATIENCE)


def test_a_link_that_cannot_be_copied_says_so(visit: Visit) -> None:
    page = visit(RAIN)
    page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(Error('denied')); }"
    )
    page.get_by_role("button", name="Copy link").click()
    soon(page.get_by_role("status")).to_have_text("That did not work: denied.", timeout=PATIENCE)
