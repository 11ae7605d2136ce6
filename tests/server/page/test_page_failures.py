"""What the page does when the service is gone or busy, refuses, or asks for a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CAT = "The cat sat on the mat."
KEY = "a-key-for-tests"
PATIENCE = 60_000  # milliseconds; a busy machine is no failure


def test_a_service_that_is_gone(visit: Visit) -> None:
    visit.expected = "ERR_CONNECTION_REFUSED|ERR_FAILED"
    page = visit(CAT)
    page.route("**/v1/parse", lambda route: route.abort("connectionrefused"))
    page.locator("#text").fill("Dogs bark.")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "The service cannot be reached. Your text is kept" in alert.text_content()
    assert page.locator("#text").input_value() == "Dogs bark."
    assert page.locator(".word").first.text_content() == "The"  # the last tree stays
    page.unroute("**/v1/parse")
    page.get_by_role("button", name="Try again").click()
    soon(page.locator(".word").first).to_have_text("Dogs", timeout=PATIENCE)
    assert alert.is_hidden()


def refuse_once(page: Any, retry_after: int) -> None:
    """Have the next request answered as by a busy service."""
    busy = {"title": "The service is busy", "status": 503, "detail": "", "request_id": "r-1"}
    headers = {"Retry-After": str(retry_after)}
    page.route(
        "**/v1/parse", lambda route: route.fulfill(status=503, headers=headers, json=busy), times=1
    )


def test_a_service_that_is_busy_is_asked_again(visit: Visit) -> None:
    visit.expected = "503"
    page = visit()
    refuse_once(page, retry_after=1)
    page.locator("#text").fill("Dogs bark.")
    page.wait_for_selector("text=The service is busy. Trying again in 1 s.")
    page.wait_for_selector("svg.tree")
    assert page.get_by_role("alert").is_hidden()


def test_a_text_that_is_too_long_and_an_answer_that_is_none(visit: Visit) -> None:
    visit.expected = "413|500"
    page = visit()
    page.locator("#text").fill("Dogs bark. " * 400)
    page.wait_for_selector("text=press Parse when it is complete")
    page.get_by_role("button", name="Parse", exact=True).click()
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert alert.text_content().startswith("The text is too long.")
    assert "more than the 3,000" in alert.text_content()
    page.route("**/v1/parse", lambda route: route.fulfill(status=500, body="<html>oops"))
    page.locator("#text").fill("Dogs bark.")
    page.wait_for_selector("text=The service failed (500).")


def test_a_key_is_asked_for_and_kept_for_the_tab_only(visit: Visit) -> None:
    visit.expected = "401"
    page = visit()

    def guard(route: Any) -> None:
        right = route.request.headers.get("authorization") == f"Bearer {KEY}"
        route.continue_() if right else route.fulfill(status=401, json={"status": 401})

    page.route("**/v1/parse", guard)
    page.locator("#text").fill(CAT)
    field_ = page.get_by_label("This service needs a key.")
    field_.wait_for()
    field_.fill("wrong")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=This key was not accepted.")
    field_.fill(KEY)
    page.keyboard.press("Enter")
    page.wait_for_selector("svg.tree")
    assert field_.is_hidden()
    kept = page.evaluate("[Object.values(sessionStorage), localStorage.length, document.cookie]")
    assert kept == [[KEY], 0, ""]
