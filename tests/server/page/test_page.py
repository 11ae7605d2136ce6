"""The page at ``/`` in a browser: text in, trees out, folding, keys, explanations, taking a tree along.

`conftest.py` opens it, and watches what it asks for.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
SVG = "{http://www.w3.org/2000/svg}"
CAT = "The cat sat on the mat."
PATIENCE = 60_000  # milliseconds; a busy machine is no failure


def answer(address: str, text: str, **asked: Any) -> dict[str, Any]:
    """What the service says of a text that is one sentence; ``asked`` are further fields."""
    body = json.dumps({"text": text, **asked}).encode()
    request = Request(f"{address}v1/parse", body, {"Content-Type": "application/json"})
    with urlopen(request) as response:
        (parse,) = json.load(response)["parses"]
    assert isinstance(parse, dict)
    return parse


def drawn(page: Any, selector: str) -> list[str]:
    """The texts of elements, in document order."""
    found = page.locator(selector).evaluate_all("all => all.map(one => one.textContent)")
    return list(found)


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''"))


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


def test_a_link_with_a_text_opens_its_tree(visit: Visit) -> None:
    text = "Dogs & <b>cats</b> #1 bark, 100% naïvely + 猫?"
    page = visit(where=f"{visit.address}#text={quote(text)}")
    page.wait_for_selector("svg.tree")
    assert page.locator("#text").input_value() == text
    shown = drawn(page, ".word")
    assert shown == [token["text"] for token in answer(visit.address, text)["tokens"]]
    again = visit(where=page.url)
    again.wait_for_selector("svg.tree")
    assert drawn(again, ".word") == shown


def test_several_sentences_have_a_tree_each_and_one_that_failed_says_why(visit: Visit) -> None:
    page = visit(f"{CAT} " + "word " * 40 + ". Dogs bark.")
    soon(page.locator("svg.tree")).to_have_count(2, timeout=PATIENCE)
    assert page.locator("article").count() == 3
    assert drawn(page, "article .number") == ["1", "2", "3"]
    assert drawn(page, "article:nth-child(3) .word") == ["Dogs", "bark", "."]
    error = page.locator("article:nth-child(2) .error").text_content()
    assert error.startswith("No tree for this one: the sentence has 41 words")
    assert "2 trees, 1 sentence without a tree" in page.get_by_role("status").text_content()


# --- folding, keys, explanations


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
    labels = json.loads(page.request.get(f"{visit.address}static/labels.json").text())["languages"][
        "en"
    ]
    phrase = page.locator(".phrase").first
    phrase.hover()
    meaning = labels["phrases"][phrase.locator(".label").text_content()][1]
    tooltip = page.get_by_role("tooltip")
    assert meaning in tooltip.text_content()
    # The tree is drawn once more when probabilities come: what lies under the mouse is told again.
    tooltip.filter(has_text="probability").wait_for()
    page.mouse.move(0, 0)
    leaf = page.locator(".leaf").first
    leaf.focus()
    meaning = labels["tags"][leaf.locator(".tag").text_content()][1]
    tooltip.filter(has_text=meaning).wait_for()
    page.get_by_role("button", name="Labels").click()
    assert meaning in page.locator(".legend").text_content()


def test_a_screen_reader_finds_the_tree_in_words(visit: Visit) -> None:
    page = visit(CAT)
    outline = page.get_by_role("region", name="Outline of the tree").aria_snapshot()
    parse = answer(visit.address, CAT)
    labels = json.loads(page.request.get(f"{visit.address}static/labels.json").text())["languages"][
        "en"
    ]
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
    tree = answer(visit.address, CAT)["tree"]
    assert root.findtext(f"{SVG}desc") == tree
    texts = [text.text for text in root.iter(f"{SVG}text")]
    once = re.sub(r"\((\S+) \1\)", r"\1", tree.removeprefix("(TOP"))  # "(. .)" has one text
    assert texts == re.findall(r"[^\s()]+", once)
    used = {name for element in root.iter() for name in element.attrib}
    assert used.isdisjoint({"class", "style", "tabindex", "aria-label"})
    assert float(root.attrib["width"]) > 100
    page.goto(f"data:image/svg+xml,{quote(ElementTree.tostring(root, encoding='unicode'))}")
    assert page.locator("text").count() == len(texts)


def test_the_brackets_are_copied(visit: Visit) -> None:
    page = visit(CAT, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy brackets").click()
    page.wait_for_selector("text=is on the clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == answer(visit.address, CAT)["tree"]
    page.get_by_role("button", name="Brackets", exact=True).click()
    assert page.locator("pre").text_content() == answer(visit.address, CAT)["tree"]
