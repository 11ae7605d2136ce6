"""Searching the trees that the page shows: matches counted, marked in the drawings, gone to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from tests.server.conftest import Serving
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
CAT = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
RAIN = "(S (NP (PRP It)) (VP (VBD rained)))"
SEVERAL_TOPS = "(TOP (NP (DT The) (NN cat)) (. .))"
MARKED = "all => all.map(one => one.getAttribute('aria-label').replace(/.*: /, ''))"
IN_SIGHT = """one => {
  const place = one.getBoundingClientRect();
  return place.top >= 0 && place.bottom <= innerHeight && place.left >= 0;
}"""


def find(page: Any, pattern: str, said: str) -> None:
    """Write a pattern, and wait until this is said of it."""
    page.get_by_label("Find in the trees").fill(pattern)
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


@pytest.mark.parametrize("brackets", [CAT, RAIN, SEVERAL_TOPS, f"( {RAIN})", "(TOP (UH Oh))"])
def test_every_node_has_its_own_number(visit: Visit, brackets: str) -> None:
    page = visit(brackets)
    for word in page.locator(".word").all_text_contents():
        find(page, f"/^{re.escape(word)}$/ !< __", "1 match")
        this = re.compile(f": {re.escape(word)}; found$")
        soon(page.locator(".node.found")).to_have_attribute("aria-label", this, timeout=PATIENCE)


def test_trees_of_the_parser_are_searched_and_a_new_one_at_once(visit: Visit) -> None:
    page = visit("Mira sang.")
    nodes = page.locator(".node").count()
    page.get_by_label("Find in the trees").fill("__ < __ > __")
    soon(page.locator(".node.found")).to_have_count(nodes, timeout=PATIENCE)
    page.locator("#text").fill("The old dog fell.")
    soon(page.locator(".word").first).to_have_text("The", timeout=PATIENCE)
    soon(page.locator(".node.found")).to_have_count(page.locator(".node").count(), timeout=PATIENCE)


def test_what_was_found_in_older_trees_is_forgotten_at_once(visit: Visit) -> None:
    page = visit(f"{CAT}\n{RAIN}")
    find(page, "NP", "3 matches in 2 of 2 trees")
    held: list[Any] = []
    page.route("**/v1/search", lambda route: held.append(route), times=1)
    with page.expect_request("**/v1/search"):
        page.locator("#text").fill("(S (NP (NNS Dogs)) (VP (VBP bark)))")
    assert not marked(page)
    assert page.get_by_role("button", name="Jump").is_disabled()
    page.get_by_label("Find in the trees").press("Enter")
    assert page.locator("#found").text_content() == ""
    held[0].continue_()
    soon(page.locator("#found")).to_have_text("1 match", timeout=PATIENCE)
    assert marked(page) == ["Dogs; found"]


def test_a_wrong_pattern_is_told_with_its_place(visit: Visit) -> None:
    page = visit(CAT)
    find(page, "NP < DT", "2 matches")
    find(page, "NP < (DT", "Column 9: ) is wanted here, to close (.")
    field = page.get_by_label("Find in the trees")
    assert (field.get_attribute("aria-invalid"), marked(page)) == ("true", [])
    assert page.get_by_role("button", name="Jump").is_disabled()
    find(page, "NP", "2 matches")
    assert field.get_attribute("aria-invalid") == "false"


def test_folded_parts_open_where_something_is_found(visit: Visit) -> None:
    page = visit(CAT)
    page.get_by_role("button", name="Fold", exact=True).click()
    assert page.locator(".label", has_text="PP").count() == 0
    find(page, "PP", "1 match")
    assert marked(page) == ["on the mat; found"]


def test_jump_goes_from_match_to_match_over_all_pages(visit: Visit) -> None:
    page = visit("\n".join([CAT] * 24), viewport={"width": 900, "height": 700})
    find(page, "mat", "24 matches in 24 of 24 trees")
    field = page.get_by_label("Find in the trees")
    for _ in range(20):
        field.press("Enter")
    assert page.locator(".number").first.text_content() == "1"
    last = page.locator("article").nth(19).locator(".node.found")
    assert last.evaluate(IN_SIGHT)
    field.press("Enter")
    soon(page.locator(".number").first).to_have_text("21", timeout=PATIENCE)
    assert page.locator("article").first.locator(".node.found").evaluate(IN_SIGHT)
    assert page.get_by_role("tooltip").filter(visible=True).count() == 1
    for _ in range(4):
        page.get_by_role("button", name="Jump").click()
    soon(page.locator(".number").first).to_have_text("1", timeout=PATIENCE)


def test_the_address_holds_the_pattern(visit: Visit) -> None:
    page = visit(CAT)
    find(page, "NP < (DT=x)", "2 matches")
    again = visit(where=page.url)
    soon(again.locator(".node.found")).to_have_count(2, timeout=PATIENCE)
    assert again.get_by_label("Find in the trees").input_value() == "NP < (DT=x)"


@pytest.fixture
def hurried(visit: Visit, serving: Serving, tiny_parser: Parser) -> Iterator[Visit]:
    """Visits to a service with little time for a search, and a key."""
    with serving(tiny_parser, search_seconds=0.5, key="sesame") as address:
        visit.address = f"{address}/"
        yield visit


def test_a_search_without_end_or_key_says_so(hurried: Visit) -> None:
    hurried.expected = "401|504"
    page = hurried("", http_credentials={"username": "", "password": "sesame"})
    page.locator("#text").fill(f"(S (NN {'a' * 60}b))")
    page.wait_for_selector("svg.tree")
    said = page.locator("#found")
    page.get_by_label("Find in the trees").fill("/^(a+)+$/")
    soon(said).to_contain_text(
        "This took too long. The search took more than the 0.5 s", timeout=PATIENCE
    )
    find(page, "NN", "1 match")


def test_without_trees_there_is_nothing_to_search(visit: Visit) -> None:
    page = visit()
    assert page.locator("#search").is_hidden()
    page.locator("#text").fill(CAT)
    page.wait_for_selector("svg.tree")
    assert page.locator("#search").is_visible()
    page.locator("#text").fill("")
    soon(page.locator("#search")).to_be_hidden()
    assert not any("/v1/search" in url for url in visit.asked)
