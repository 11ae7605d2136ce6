"""Stepping through the best trees of a sentence: shown, told apart from the best one, taken along."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from bnaparser.render.latex import forest
from bnaparser.trees.tree import Tree
from tests.server.page.test_page import SVG, answer, drawn

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from tests.server.conftest import Serving
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


def test_differences_from_the_best_tree_are_marked_and_told(visit: Visit) -> None:
    page = visit(CAT)
    best, *others = trees_of(visit.address, CAT)
    assert page.locator(".node[aria-label*='not in the best']").count() == 0
    for place, other in enumerate(others, 2):
        step(page, f"Tree {place} of 5")
        new, gone = places(other) - places(best), places(best) - places(other)
        assert new or gone
        marked = page.locator(".node[aria-label*='not in the best tree']")
        assert marked.count() == new.total()
        strokes = marked.locator(".field").evaluate_all(
            "all => all.map(one => one.getAttribute('stroke'))"
        )
        assert set(strokes) <= {"#0e8f86"}
        words = CAT.replace(".", " .").split()
        told = drawn(page, ".differs li")
        assert Counter(told) == Counter(
            f"{label} {' '.join(words[start:end])}"
            for some in (new, gone)
            for label, start, end in some.elements()
        )
        share = other["probability"] / best["probability"]
        said = page.locator(".differs p").first.text_content()
        assert said.startswith(f"Tree {place}, ")
        if share >= 0.01:
            assert float(said.split()[2]) == pytest.approx(share, abs=0.011)


def test_by_keyboard(visit: Visit) -> None:
    page = visit(CAT)
    expected = trees_of(visit.address, CAT)
    page.locator(".phrase").first.focus()
    page.keyboard.press("n")
    soon(page.locator(".which")).to_have_text("Tree 2 of 5", timeout=PATIENCE)
    assert page.evaluate("document.activeElement.classList.contains('node')")
    page.keyboard.press("n")
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert page.locator(".which").text_content() == "Tree 1 of 5"
    page.keyboard.press("p")
    assert brackets(page) == expected[4]["tree"]
    page.locator("#text").press("n")  # typed, not stepped
    assert page.locator(".which").text_content() == "Tree 5 of 5"


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
    page.get_by_label("Find in the trees").fill("__")  # what is shown is searched, too
    soon(page.locator("#found")).to_contain_text("matches", timeout=PATIENCE)
    soon(page.locator(".node.found")).to_have_count(page.locator(".node").count(), timeout=PATIENCE)


def test_a_sentence_among_others_and_under_constraints(visit: Visit) -> None:
    text = r"Dogs 🐕 bark. [NP The cat] sat \[here\]. It rained."
    page = visit()
    page.get_by_label("Text holds markup").check()
    page.locator("#text").fill(text)
    soon(page.locator("svg.tree")).to_have_count(3, timeout=PATIENCE)
    step(page, "Tree 2 of 5", card=1)
    expected = trees_of(visit.address, r"[NP The cat] sat \[here\].", markup=True)
    assert brackets(page, card=1) == expected[1]["tree"]
    assert page.locator("article .which").all_text_contents()[0] == "Best tree"
    with page.expect_download() as waiting:
        page.locator("article").nth(1).get_by_role("button", name="Save as JSON").click()
    with open(waiting.value.path(), encoding="utf-8") as file:
        saved = json.load(file)
    plain = "Dogs 🐕 bark. The cat sat [here]. It rained."
    for token in saved["tokens"]:
        assert plain[token["start"] : token["end"]] == token["text"]
    for one in saved["constituents"]:
        inside = saved["tokens"][one["start"] : one["end"]]
        assert (one["char_start"], one["char_end"]) == (inside[0]["start"], inside[-1]["end"])


def test_one_word_and_pasted_brackets(visit: Visit) -> None:
    page = visit("(TOP (S (NP (NN Dogs)) (VP (VBP bark))))")
    assert page.get_by_role("button", name="The next tree").count() == 0
    page.keyboard.press("n")
    page.locator("#text").fill("Go")
    page.get_by_role("button", name="The next tree").wait_for()
    count = len(answer(visit.address, "Go", n_best=5).get("alternatives", ())) + 1
    step(page, f"Tree {2 if count > 1 else 1} of {count}")


def test_a_service_that_gives_fewer(visit: Visit, serving: Serving, tiny_parser: Parser) -> None:
    with serving(tiny_parser, max_n_best=2) as address:
        visit.address = f"{address}/"
        page = visit(CAT)
        step(page, "Tree 2 of 2")


def test_why_there_are_no_others_is_said(visit: Visit) -> None:
    visit.expected = "500"
    page = visit(CAT)
    page.route("**/v1/parse", lambda route: route.fulfill(status=500, body="oops"))
    page.get_by_role("button", name="The next tree").click()
    soon(page.get_by_role("status")).to_contain_text("There are no other trees to see: ")
    assert page.locator(".which").text_content() == "Best tree"
