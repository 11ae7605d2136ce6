"""Stepping through the best trees of a sentence: shown, told apart from the best one, taken along."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from bnaparser.trees.render.latex import forest
from bnaparser.trees.tree import Tree
from tests.server.page.test_page import SVG, answer, drawn

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CAT = "The cat sat on the mat."
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
MARKED = "all => all.map(one => one.getAttribute('aria-label'))"


def trees_of(address: str, text: str, **asked: Any) -> list[dict[str, Any]]:
    """The five best trees of a sentence, as the service answers them."""
    parse = answer(address, text, n_best=5, probabilities=True, **asked)
    return [parse, *parse["alternatives"]]


def step(page: Any, said: str, card: int = 0, name: str = "The next tree") -> None:
    article = page.locator("article").nth(card)
    article.get_by_role("button", name=name).click()
    soon(article.locator(".which")).to_have_text(said, timeout=PATIENCE)


def places(tree: dict[str, Any]) -> Counter[tuple[str, int, int]]:
    return Counter((one["label"], one["start"], one["end"]) for one in tree["constituents"])


def brackets(page: Any, card: int = 0) -> str:
    return str(page.locator("article").nth(card).locator("pre").text_content())


def test_one_steps_through_five_trees_and_round_again(visit: Visit) -> None:
    page = visit(CAT)
    expected = trees_of(visit.address, CAT)
    assert page.locator(".which").text_content() == "Best tree"
    assert page.locator(".differs").is_hidden()
    for place in (1, 2, 3, 4, 0):
        step(page, f"Tree {place + 1} of 5")
        assert brackets(page) == expected[place]["tree"]
        labels = [one["label"] for one in expected[place]["constituents"]]
        assert drawn(page, ".label") == labels
    assert page.locator(".differs").is_hidden()
    step(page, "Tree 5 of 5", name="The tree before")
    assert brackets(page) == expected[4]["tree"]
    assert [url.endswith("/v1/parse") for url in visit.asked].count(True) == 2


def test_what_is_taken_along_is_what_is_shown(visit: Visit) -> None:
    page = visit(CAT, permissions=["clipboard-read", "clipboard-write"])
    best, second, *_ = trees_of(visit.address, CAT)
    step(page, "Tree 2 of 5")
    saved: dict[str, str] = {}
    for name in ("SVG", "LaTeX", "JSON"):
        title = "Save for LaTeX" if name == "LaTeX" else f"Save as {name}"
        with page.expect_download() as waiting:
            page.get_by_role("button", name=title).click()
        with open(waiting.value.path(), encoding="utf-8") as file:
            saved[name] = file.read()
    assert ElementTree.fromstring(saved["SVG"]).findtext(f"{SVG}desc") == second["tree"]
    assert saved["LaTeX"] == forest(Tree.parse(second["tree"]))
    parse = json.loads(saved["JSON"])
    assert (parse["tree"], parse["tokens"]) == (second["tree"], best["tokens"])
    assert [one["label"] for one in parse["constituents"]] == [
        one["label"] for one in second["constituents"]
    ]
    assert "alternatives" not in parse
    page.get_by_role("button", name="Copy brackets").click()
    page.wait_for_selector("text=is on the clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == second["tree"]
    page.get_by_label("Search the trees").fill("__")  # what is shown is searched, too
    soon(page.locator("#found")).to_contain_text("matches", timeout=PATIENCE)
    soon(page.locator(".node.found")).to_have_count(page.locator(".node").count(), timeout=PATIENCE)
