"""The address of the page: it holds what the user sees, and another one brings what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.server.page.test_page_probability import parsed, show

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
RAIN = "(S (NP (PRP It)) (VP (VBD rained)))"


def held(page: Any) -> dict[str, str]:
    """What the address holds."""
    return dict(parse_qsl(page.evaluate("location.hash.slice(1)")))


def test_another_address_brings_its_pattern_and_its_order(visit: Visit) -> None:
    page = visit()
    show(page, parsed("Dogs bark.", 0.9, 0.9, 0.9), parsed("Mira sang.", 0.5, 0.5, 0.5))
    text = "Dogs bark. Mira sang."
    states: list[dict[str, str]] = [
        {"text": text, "search": "NP"},
        {"text": text, "search": "VP", "first": "least-confident"},
        {"text": "Dogs bark! Mira sang!", "search": "S"},
    ]

    def check(state: dict[str, str]) -> None:
        soon(page.locator("#text")).to_have_value(state["text"], timeout=PATIENCE)
        found = page.locator("article").first.locator(".node.found .label")
        soon(found).to_have_text(state["search"], timeout=PATIENCE)
        assert page.get_by_label("Search the trees").input_value() == state["search"]
        first = "2" if "first" in state else "1"
        soon(page.locator(".number").first).to_have_text(first, timeout=PATIENCE)
        assert held(page) == state

    for state in states:
        page.goto(f"{visit.address}#{urlencode(state)}")
        check(state)
    for state in reversed(states[:-1]):
        page.go_back()
        check(state)
