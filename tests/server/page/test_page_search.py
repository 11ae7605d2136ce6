"""Searching the trees that the page shows: matches counted, marked in the drawings, gone to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
CAT = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
RAIN = "(S (NP (PRP It)) (VP (VBD rained)))"
SEVERAL_TOPS = "(TOP (NP (DT The) (NN cat)) (. .))"
MARKED = "all => all.map(one => one.getAttribute('aria-label').replace(/.*: /, ''))"


def find(page: Any, pattern: str, said: str) -> None:
    """Write a pattern, and wait until this is said of it."""
    page.get_by_label("Search the trees").fill(pattern)
    soon(page.locator("#found")).to_have_text(said, timeout=PATIENCE)


def marked(page: Any) -> list[str]:
    """The words of the nodes that are marked."""
    found: list[str] = page.locator(".node.found").evaluate_all(MARKED)
    return found


def test_what_a_pattern_finds_is_marked_and_counted(visit: Visit) -> None:
    page = visit(f"{CAT}\n{RAIN}")
    assert not marked(page)
    find(page, "NP < DT", "2 matches in 1 of 2 trees")
    assert marked(page) == ["The cat; found", "the mat; found"]
    stroke = page.locator(".found .field").first.get_attribute("stroke")  # a saved drawing has it
    assert stroke == "#d97706"
    find(page, "rained|on", "2 matches in 2 of 2 trees")
    assert marked(page) == ["on; found", "rained; found"]
    find(page, "SBAR", "No match; no tree has a label or word SBAR")
    assert marked(page) == []
    find(page, "", "")


@pytest.mark.parametrize("brackets", [CAT, SEVERAL_TOPS])
def test_every_node_has_its_own_number(visit: Visit, brackets: str) -> None:
    page = visit(brackets)
    for word in page.locator(".word").all_text_contents():
        find(page, f"/^{re.escape(word)}$/ !< __", "1 match")
        this = re.compile(f": {re.escape(word)}; found$")
        soon(page.locator(".node.found")).to_have_attribute("aria-label", this, timeout=PATIENCE)


def test_a_wrong_pattern_is_told_with_its_place(visit: Visit) -> None:
    page = visit(CAT)
    find(page, "NP < DT", "2 matches")
    find(page, "NP < (DT", "Column 9: ) is expected here, to close (.")
    field = page.get_by_label("Search the trees")
    assert (field.get_attribute("aria-invalid"), marked(page)) == ("true", [])
    assert page.get_by_role("button", name="Jump").is_disabled()
    find(page, "NP", "2 matches")
    assert field.get_attribute("aria-invalid") == "false"
