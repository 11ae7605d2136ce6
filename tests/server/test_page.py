"""The page at ``/`` in a browser: Debian's Chromium, a real server, a real (tiny) model.

Every test fails as well when the page asks anything of another origin, or writes an error to the
browser's console that the test does not expect.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest
import uvicorn
from fastapi.testclient import TestClient

from bnaparser.parse import Parse
from bnaparser.parser import Parser
from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings
from bnaparser.tree import Span, Tree

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CHROMIUM = os.environ.get("BNAPARSER_CHROMIUM") or shutil.which("chromium")
in_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on the path; BNAPARSER_CHROMIUM may name one"
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
)
SVG = "{http://www.w3.org/2000/svg}"
CAT = "The cat sat on the mat."
KEY = "a-key-for-tests"
PATIENCE = 60_000  # milliseconds; a busy machine is no failure


@contextmanager
def serving(parser: Parser, **settings: Any) -> Iterator[str]:
    """Serve in a thread, on a port that is free; gives the address."""
    app = create_app(ServerSettings(**settings), lambda _: parser)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def tiny_parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


@pytest.fixture(scope="module")
def address(tiny_parser: Parser) -> Iterator[str]:
    with serving(tiny_parser, max_words=30, max_characters=3000) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield chromium
        chromium.close()


@dataclass
class Visit:
    """Opens pages, and notes what they ask for and complain of."""

    browser: Any
    address: str
    stack: ExitStack
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    expected: str = "nothing is expected"

    def __call__(self, text: str = "", where: str = "", **options: Any) -> Any:
        """Open the page, with a text in its address; options are the browser context's."""
        context = self.browser.new_context(reduced_motion="reduce", **options)
        self.stack.callback(context.close)
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: self.asked.append(request.url))
        page = context.new_page()
        page.on("console", lambda told: self.note(told.type, told.text))
        page.on("pageerror", lambda error: self.note("error", str(error)))
        page.goto(where or self.address + (f"#text={quote(text)}" if text else ""))
        page.wait_for_selector("#examples button")
        if text:
            page.wait_for_selector("svg.tree")
        return page

    def note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not re.search(self.expected, text):
            self.complaints.append(text)


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    with ExitStack() as stack:
        made = Visit(browser, address, stack)
        yield made
    assert made.complaints == []
    foreign = [url for url in made.asked if not url.startswith((made.address, "blob:", "data:"))]
    assert foreign == []
    assert made.asked


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


@in_browser
def test_typing_a_sentence_shows_its_tree(visit: Visit) -> None:
    page = visit()
    page.get_by_label("Sentence, or several").type(CAT)
    page.wait_for_selector("svg.tree")
    expected = answer(visit.address, CAT)
    assert drawn(page, ".word") == ["The", "cat", "sat", "on", "the", "mat", "."]
    assert drawn(page, ".label") == [one["label"] for one in expected["constituents"]]
    assert page.get_by_role("status").text_content().startswith("1 tree, 7 words, ")
    assert parse_qs(page.url.partition("#")[2]) == {"text": [CAT]}


@in_browser
def test_an_example_can_be_clicked_and_undone(visit: Visit) -> None:
    page = visit(CAT)
    page.get_by_role("button", name="Colorless green ideas").click()
    page.wait_for_selector("text=furiously >> nth=1")
    page.go_back()
    soon(page.locator(".word").first).to_have_text("The", timeout=PATIENCE)
    assert page.locator("#text").input_value() == CAT


@in_browser
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


@in_browser
def test_a_link_can_be_copied(visit: Visit) -> None:
    page = visit(CAT, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector("text=The link is on the clipboard.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{visit.address}#text=The+cat+sat+on+the+mat."


@in_browser
def test_several_sentences_have_a_tree_each_and_one_that_failed_says_why(visit: Visit) -> None:
    page = visit(f"{CAT} " + "word " * 40 + ". Dogs bark.")
    soon(page.locator("svg.tree")).to_have_count(2, timeout=PATIENCE)
    assert page.locator("article").count() == 3
    assert drawn(page, "article .number") == ["1", "2", "3"]
    assert drawn(page, "article:nth-child(3) .word") == ["Dogs", "bark", "."]
    error = page.locator("article:nth-child(2) .error").text_content()
    assert error.startswith("No tree for this one: the sentence has 41 words")
    assert "2 trees, 1 sentence without a tree" in page.get_by_role("status").text_content()


@in_browser
def test_a_tree_that_stays_is_not_drawn_again(visit: Visit) -> None:
    page = visit(f"{CAT} Dogs bark.")
    soon(page.locator("svg.tree")).to_have_count(2, timeout=PATIENCE)
    page.locator("article:nth-child(1) .phrase").first.click()
    page.locator("#text").fill(f"{CAT} Birds sing.")
    page.wait_for_selector(".word >> text=Birds")
    assert folded(page)[0] == "false"


@in_browser
def test_without_text_there_is_nothing(visit: Visit) -> None:
    page = visit(CAT)
    page.locator("#text").fill("  ")
    page.wait_for_selector("svg.tree", state="detached")
    assert page.url == visit.address


# --- folding, keys, explanations


@in_browser
def test_a_constituent_folds_and_opens_by_click(visit: Visit) -> None:
    page = visit(CAT)
    before = drawn(page, ".word")
    page.locator(".phrase").first.click()
    assert drawn(page, ".word") == ["The cat sat on the mat ."]
    assert page.locator(".triangle").count() == 1
    page.locator(".phrase").first.click()
    assert drawn(page, ".word") == before
    assert set(folded(page)) == {"true"}


@in_browser
def test_the_main_parts_fold_and_all_unfolds(visit: Visit) -> None:
    page = visit(CAT)
    page.get_by_role("button", name="Fold", exact=True).click()
    assert page.locator(".triangle").count() >= 1
    page.get_by_role("button", name="Unfold").click()
    assert page.locator(".triangle").count() == 0
    assert len(drawn(page, ".word")) == 7


@in_browser
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


@in_browser
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


@in_browser
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


@in_browser
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


@in_browser
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


@in_browser
def test_the_brackets_are_copied(visit: Visit) -> None:
    page = visit(CAT, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy brackets").click()
    page.wait_for_selector("text=is on the clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == answer(visit.address, CAT)["tree"]
    page.get_by_role("button", name="Brackets", exact=True).click()
    assert page.locator("pre").text_content() == answer(visit.address, CAT)["tree"]


# --- when there is no tree


@in_browser
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


@in_browser
def test_a_service_that_is_busy_is_asked_again(visit: Visit) -> None:
    visit.expected = "503"
    page = visit()
    busy = {"title": "The service is busy", "status": 503, "detail": "", "request_id": "r-1"}
    page.route(
        "**/v1/parse",
        lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, json=busy),
        times=1,
    )
    page.locator("#text").fill("Dogs bark.")
    page.wait_for_selector("text=The service is busy. Trying again in 1 s.")
    page.wait_for_selector("svg.tree")
    assert page.get_by_role("alert").is_hidden()


@in_browser
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


@in_browser
def test_a_service_with_a_key(visit: Visit, tiny_parser: Parser) -> None:
    visit.expected = "401"
    with serving(tiny_parser, key=KEY) as address:
        visit.address = address
        with pytest.raises(HTTPError, match="401"):
            urlopen(address)
        page = visit(CAT, http_credentials={"username": "any", "password": KEY})
        assert drawn(page, ".word")[0] == "The"


@in_browser
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


# --- how it looks

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


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_in_the_light_and_in_the_dark(visit: Visit, scheme: str) -> None:
    page = visit("The cat sat on the mat quickly, and old dogs bark.", color_scheme=scheme)
    page.get_by_role("button", name="Labels").click()
    assert page.evaluate(CONTRAST) >= 4.5
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", paper)[0]) < 60) is (scheme == "dark")


@in_browser
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
    assert len(drawn(page, ".word")) == 1


@in_browser
def test_a_tree_is_zoomed_and_moved(visit: Visit) -> None:
    page = visit(CAT, viewport={"width": 800, "height": 700})
    width = "document.querySelector('svg.tree').getBoundingClientRect().width"
    first = page.evaluate(width)
    page.get_by_role("button", name="Larger").click()
    assert page.evaluate(width) == pytest.approx(1.25 * first, rel=0.01)
    page.locator(".phrase").first.focus()
    page.keyboard.press("-")
    assert page.evaluate(width) == pytest.approx(first, rel=0.01)
    page.locator("svg.tree").hover(position={"x": 5, "y": 5})
    page.keyboard.down("Control")
    page.mouse.wheel(0, -500)
    page.keyboard.up("Control")
    assert page.evaluate(width) > 2 * first
    frame = page.locator(".viewport").bounding_box()
    page.evaluate("document.querySelector('.viewport').scrollTo(0, 0)")
    page.mouse.move(frame["x"] + 300, frame["y"] + 20)
    page.mouse.down()
    page.mouse.move(frame["x"] + 200, frame["y"] + 20)
    page.mouse.up()
    assert page.evaluate("document.querySelector('.viewport').scrollLeft") == pytest.approx(
        100, 0.1
    )
    page.locator(".percent").click()
    assert page.evaluate(width) == pytest.approx(first, rel=0.01)


MANY = [
    "Internationalization",
    "of",
    "illiquidity,",
    "WWW",
    "iiii",
    "猫が好き",
    "👩‍👩‍👧‍👦😀🎉",
    "ЩЖЮ",
]
MANY += ["шишка", "مرحبا", "नमस्ते", "ﬀﬃ", "“—”", "ΩΣ", "e\u0301\u0323", "MMMM"]
BOXES = """selector => [...document.querySelectorAll(selector)].map((element) => {
  const { left, right } = element.getBoundingClientRect();
  return [left, right];
})"""


@in_browser
def test_words_of_any_script_do_not_touch(visit: Visit) -> None:
    tree = Tree.from_spans(MANY, ["NN"] * len(MANY), [Span(0, len(MANY), "S")])
    parse = Parse(" ".join(MANY), tuple(MANY), ("NN",) * len(MANY), tuple(tree.spans()))
    page = visit()
    page.goto("about:blank")
    page.set_content(parse.to_html())
    estimated = page.evaluate(BOXES, ".words text")
    shown = visit(" ".join(word for word in MANY if word != "illiquidity,"))
    for boxes in (estimated, shown.evaluate(BOXES, ".word")):
        assert len(boxes) >= len(MANY) - 1
        for (_, right), (left, _) in pairwise(boxes):
            assert right + 2 < left


@in_browser
@pytest.mark.parametrize(
    "brackets",
    ["(S (NN a) " * 1000 + "(NN x)" + ")" * 1000, "(S " + "(NP (NN word)) " * 2000 + ")"],
    ids=["1000 levels", "2000 words"],
)
def test_large_trees_are_drawn(visit: Visit, brackets: str) -> None:
    tree = Tree.parse(brackets)
    count = len(tree.words)
    offsets = tuple((2 * number, 2 * number + 1) for number in range(count))
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
