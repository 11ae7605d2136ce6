"""The page at ``/`` in a browser: Debian's Chromium, a real server, a real (tiny) model.

`conftest.py` opens it, and watches what it asks for. What a classifier says there is tested in
`test_page_verdict.py`, how trees look in `test_page_looks.py`.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from bnaparser.parsing.parser import Parser

if TYPE_CHECKING:
    from tests.server.conftest import Serving, Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
SVG = "{http://www.w3.org/2000/svg}"
CAT = "The cat sat on the mat."
KEY = "a-key-for-tests"
PATIENCE = 60_000  # milliseconds; a busy machine is no failure


@pytest.fixture(scope="module")
def tiny_parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


@pytest.fixture(scope="module")
def address(serving: Serving, tiny_parser: Parser) -> Iterator[str]:
    with serving(tiny_parser, max_words=30, max_characters=3000) as address:
        yield f"{address}/"


def answer(address: str, text: str) -> dict[str, Any]:
    """What the service says of a text that is one sentence."""
    body = json.dumps({"text": text}).encode()
    request = Request(f"{address}v1/parse", body, {"Content-Type": "application/json"})
    with urlopen(request) as response:
        (parse,) = json.load(response)["parses"]
    assert isinstance(parse, dict)
    return parse


def drawn(page: Any, selector: str) -> list[str]:
    """The texts of elements, in document order."""
    return page.locator(selector).evaluate_all("all => all.map(one => one.textContent)")


def folded(page: Any) -> list[str | None]:
    return page.locator(".phrase").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-expanded'))"
    )


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")


# --- the files, without a browser


def test_files_are_sent_with_their_type_and_an_entity_tag(
    make_client: Callable[..., TestClient],
) -> None:
    client = make_client()
    for path, media_type in (
        ("/", "text/html; charset=utf-8"),
        ("/static/main.js", "text/javascript; charset=utf-8"),
        ("/static/page.css", "text/css; charset=utf-8"),
        ("/static/favicon.svg", "image/svg+xml"),
        ("/static/labels.json", "application/json"),
    ):
        first = client.get(path)
        assert (first.status_code, first.headers["content-type"]) == (200, media_type)
        assert first.headers["cache-control"] == "no-cache"
        assert "default-src 'self'" in first.headers["content-security-policy"]
        tag = first.headers["etag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}'):
            again = client.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
        assert client.head(path).headers["etag"] == tag


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fpage.py", "__init__.py", "%00", ""])
def test_other_files_are_not_sent(make_client: Callable[..., TestClient], name: str) -> None:
    reply = make_client().get(f"/static/{name}")
    assert reply.status_code == 404
    assert reply.headers["content-type"] == "application/problem+json"


def test_the_page_holds_no_script_or_style_of_its_own() -> None:
    page = (Path(__file__).parents[2] / "server" / "static" / "index.html").read_text("utf-8")
    assert not re.search(r"<style|style=| on\w+=|javascript:|https?://", page)
    assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""]


# --- text in, tree out


def test_typing_a_sentence_shows_its_tree(visit: Visit) -> None:
    page = visit()
    page.get_by_label("Sentence, or several").type(CAT)
    page.wait_for_selector("svg.tree")
    expected = answer(visit.address, CAT)
    assert drawn(page, ".word") == ["The", "cat", "sat", "on", "the", "mat", "."]
    assert drawn(page, ".label") == [one["label"] for one in expected["constituents"]]
    assert page.get_by_role("status").text_content().startswith("1 tree, 7 words, ")
    assert parse_qs(page.url.partition("#")[2]) == {"text": [CAT]}


def test_an_example_can_be_clicked_and_undone(visit: Visit) -> None:
    page = visit(CAT)
    page.get_by_role("button", name="Colorless green ideas").click()
    page.wait_for_selector("text=furiously >> nth=1")
    page.go_back()
    soon(page.locator(".word").first).to_have_text("The", timeout=PATIENCE)
    assert page.locator("#text").input_value() == CAT


@pytest.mark.parametrize("sign", ["#", "?"])
def test_a_link_with_a_text_opens_its_tree(visit: Visit, sign: str) -> None:
    text = "Dogs & <b>cats</b> #1 bark, 100% naïvely + 猫?"
    page = visit(where=f"{visit.address}{sign}text={quote(text)}")
    page.wait_for_selector("svg.tree")
    assert page.locator("#text").input_value() == text
    shown = drawn(page, ".word")
    assert shown == [token["text"] for token in answer(visit.address, text)["tokens"]]
    again = visit(where=page.url)
    again.wait_for_selector("svg.tree")
    assert drawn(again, ".word") == shown


def test_a_link_can_be_copied(visit: Visit) -> None:
    page = visit(CAT, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector("text=The link is on the clipboard.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{visit.address}#text=The+cat+sat+on+the+mat."


def test_several_sentences_have_a_tree_each_and_one_that_failed_says_why(visit: Visit) -> None:
    page = visit(f"{CAT} " + "word " * 40 + ". Dogs bark.")
    soon(page.locator("svg.tree")).to_have_count(2, timeout=PATIENCE)
    assert page.locator("article").count() == 3
    assert drawn(page, "article .number") == ["1", "2", "3"]
    assert drawn(page, "article:nth-child(3) .word") == ["Dogs", "bark", "."]
    error = page.locator("article:nth-child(2) .error").text_content()
    assert error.startswith("No tree for this one: the sentence has 41 words")
    assert "2 trees, 1 sentence without a tree" in page.get_by_role("status").text_content()


def test_a_tree_that_stays_is_not_drawn_again(visit: Visit) -> None:
    page = visit(f"{CAT} Dogs bark.")
    soon(page.locator("svg.tree")).to_have_count(2, timeout=PATIENCE)
    page.locator("article:nth-child(1) .phrase").first.click()
    page.locator("#text").fill(f"{CAT} Birds sing.")
    page.wait_for_selector(".word >> text=Birds")
    assert folded(page)[0] == "false"


def test_without_text_there_is_nothing(visit: Visit) -> None:
    page = visit(CAT)
    page.locator("#text").fill("  ")
    page.wait_for_selector("svg.tree", state="detached")
    assert page.url == visit.address


# --- folding, keys, explanations


def test_a_constituent_folds_and_opens_by_click(visit: Visit) -> None:
    page = visit(CAT)
    before = drawn(page, ".word")
    page.locator(".phrase").first.click()
    assert drawn(page, ".word") == ["The cat sat on the mat ."]
    assert page.locator(".triangle").count() == 1
    page.locator(".phrase").first.click()
    assert drawn(page, ".word") == before
    assert set(folded(page)) == {"true"}


def test_the_main_parts_fold_and_all_unfolds(visit: Visit) -> None:
    page = visit(CAT)
    page.get_by_role("button", name="Fold", exact=True).click()
    assert page.locator(".triangle").count() >= 1
    page.get_by_role("button", name="Unfold").click()
    assert page.locator(".triangle").count() == 0
    assert len(drawn(page, ".word")) == 7


def test_all_can_be_done_by_keyboard_alone(visit: Visit) -> None:
    page = visit()
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.type(CAT)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("svg.tree")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('node')"):
            break
    root = focused(page)
    assert root.endswith(": The cat sat on the mat .")
    page.keyboard.press("ArrowDown")
    below = focused(page)
    assert below != root
    page.keyboard.press("ArrowRight")
    assert focused(page) not in (root, below)
    page.keyboard.press("ArrowLeft")
    assert focused(page) == below
    page.keyboard.press("End")
    assert focused(page).endswith(": .")
    page.keyboard.press("Home")
    assert focused(page) == root
    assert page.locator(".tip").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".tip").is_hidden()
    page.keyboard.press("Enter")
    assert drawn(page, ".word") == ["The cat sat on the mat ."]
    assert focused(page) == root
    page.keyboard.press(" ")
    assert len(drawn(page, ".word")) == 7
    page.keyboard.press("Tab")
    assert focused(page) == "Smaller"
    assert page.evaluate("document.activeElement.matches(':focus-visible')")


def test_labels_and_tags_are_explained(visit: Visit) -> None:
    page = visit(CAT)
    labels = json.loads(page.request.get(f"{visit.address}static/labels.json").text())
    phrase = page.locator(".phrase").first
    phrase.hover()
    meaning = labels["phrases"][phrase.locator(".label").text_content()][1]
    assert meaning in page.get_by_role("tooltip").text_content()
    leaf = page.locator(".leaf").first
    leaf.focus()
    meaning = labels["tags"][leaf.locator(".tag").text_content()][1]
    assert meaning in page.get_by_role("tooltip").text_content()
    page.get_by_role("button", name="Labels").click()
    assert meaning in page.locator(".legend").text_content()


def test_a_screen_reader_finds_the_tree_in_words(visit: Visit) -> None:
    page = visit(CAT)
    outline = page.get_by_role("region", name="Outline of the tree").aria_snapshot()
    parse = answer(visit.address, CAT)
    labels = json.loads(page.request.get(f"{visit.address}static/labels.json").text())
    for constituent in parse["constituents"]:
        assert f"{constituent['label']} {labels['phrases'][constituent['label']][1]}" in outline
    for token in parse["tokens"]:
        assert f"{token['text']} {token['tag']} {labels['tags'][token['tag']][1]}" in outline
    depth = max(len(line) - len(line.lstrip()) for line in outline.splitlines())
    assert depth > 4
    whole = page.locator("body").aria_snapshot()
    assert re.search(r'button "\w+, [^"]+: The cat sat on the mat \." \[expanded\]', whole)
    for role in ("banner", "main", "contentinfo", 'textbox "Sentence, or several"'):
        assert role in whole


# --- taking a tree along


def test_a_tree_is_saved_as_svg(visit: Visit) -> None:
    page = visit(CAT)
    page.locator(".phrase").first.hover()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as SVG").click()
    assert waiting.value.suggested_filename == "tree-the-cat-sat-on-the-mat.svg"
    root = ElementTree.parse(waiting.value.path()).getroot()
    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title") == CAT
    assert root.findtext(f"{SVG}desc") == answer(visit.address, CAT)["tree"]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert [text for text in texts if text in CAT] == ["The", "cat", "sat", "on", "the", "mat", "."]
    used = {name for element in root.iter() for name in element.attrib}
    assert used.isdisjoint({"class", "style", "tabindex", "aria-label"})
    assert float(root.attrib["width"]) > 100
    page.goto(f"data:image/svg+xml,{quote(ElementTree.tostring(root, encoding='unicode'))}")
    assert page.locator("text").count() == len(texts)


def test_a_tree_is_saved_as_png_twice_as_sharp(visit: Visit) -> None:
    page = visit(CAT)
    box = page.locator("svg.tree").get_attribute("viewBox").split()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as PNG").click()
    content = Path(waiting.value.path()).read_bytes()
    assert waiting.value.suggested_filename == "tree-the-cat-sat-on-the-mat.png"
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    size = struct.unpack(">II", content[16:24])
    assert size == (2 * int(box[2]), 2 * int(box[3]))
    assert len(content) > 3000  # not a white field


def test_the_brackets_are_copied(visit: Visit) -> None:
    page = visit(CAT, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy brackets").click()
    page.wait_for_selector("text=is on the clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == answer(visit.address, CAT)["tree"]
    page.get_by_role("button", name="Brackets", exact=True).click()
    assert page.locator("pre").text_content() == answer(visit.address, CAT)["tree"]


# --- when there is no tree


def test_a_service_that_is_gone(visit: Visit) -> None:
    visit.expected = "ERR_CONNECTION_REFUSED|ERR_FAILED"
    page = visit(CAT)
    page.route("**/v1/parse", lambda route: route.abort("connectionrefused"))
    page.locator("#text").fill("Dogs bark.")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "The service cannot be reached. Your text is kept" in alert.text_content()
    assert page.locator("#text").input_value() == "Dogs bark."
    assert drawn(page, ".word")[0] == "The"  # the last tree stays
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


def test_a_blank_typed_meanwhile_loses_no_answer(visit: Visit) -> None:
    page = visit()
    held: list[Any] = []
    page.route("**/v1/parse", lambda route: held.append(route), times=1)
    with page.expect_request("**/v1/parse"):
        page.locator("#text").fill("Dogs bark.")
    page.locator("#text").press_sequentially(" ")
    page.wait_for_timeout(500)  # longer than the page waits for another key
    held[0].continue_()
    soon(page.locator(".word").first).to_have_text("Dogs", timeout=PATIENCE)


def test_a_letter_typed_and_taken_back_asks_again(visit: Visit) -> None:
    page = visit()
    page.route("**/v1/parse", lambda route: None, times=1)  # never answered
    with page.expect_request("**/v1/parse"):
        page.locator("#text").fill("Dogs bark.")
    page.locator("#text").press_sequentially("x")
    page.locator("#text").press("Backspace")
    soon(page.locator(".word").first).to_have_text("Dogs", timeout=PATIENCE)


def test_a_blank_typed_while_the_service_is_busy_does_not_stop_the_count(visit: Visit) -> None:
    visit.expected = "503"
    page = visit()
    refuse_once(page, retry_after=2)
    page.locator("#text").fill("Dogs bark.")
    page.wait_for_selector("text=The service is busy. Trying again in 2 s.")
    page.locator("#text").press_sequentially(" ")
    soon(page.locator(".word").first).to_have_text("Dogs", timeout=PATIENCE)
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


def test_a_service_with_a_key(visit: Visit, serving: Serving, tiny_parser: Parser) -> None:
    visit.expected = "401"
    with serving(tiny_parser, key=KEY) as address:
        visit.address = address = f"{address}/"
        with pytest.raises(HTTPError, match="401"):
            urlopen(address)
        page = visit(CAT, http_credentials={"username": "any", "password": KEY})
        assert drawn(page, ".word")[0] == "The"


def test_a_key_is_asked_for_and_kept_for_the_tab_only(visit: Visit) -> None:
    visit.expected = "401"
    page = visit()

    def guard(route: Any) -> None:
        right = route.request.headers.get("authorization") == f"Bearer {KEY}"
        route.continue_() if right else route.fulfill(status=401, json={"status": 401})

    page.route("**/v1/parse", guard)
    page.locator("#text").fill(CAT)
    field_ = page.get_by_label("This service asks for a key.")
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
