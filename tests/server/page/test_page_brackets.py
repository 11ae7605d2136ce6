"""Brackets that are pasted into the page: drawn without the parser, mistakes told with their place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from bnaparser.trees.render.latex import forest
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
TREE = "(TOP (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat) (-LRB- -LRB-) (ADVP (RB down))) (. .)))"
ODD = r"(TOP (S (NP (NN 50%) (NN a_b&c) (NN {x}~^\) (NN it--''s)) (X (NP (, ,) (NN é`\"|<>))) (VB go)))"


def fill(page: Any, text: str) -> None:
    page.locator("#text").fill(text)


def words_of(page: Any) -> list[str]:
    return list(page.locator(".word").all_text_contents())


def test_pasted_brackets_are_drawn_without_the_parser(visit: Visit) -> None:
    page = visit()
    fill(page, TREE)
    page.wait_for_selector("svg.tree")
    assert words_of(page) == ["The", "cat", "sat", "(", "down", "."]
    assert page.locator(".label").all_text_contents() == ["S", "NP-SBJ", "VP", "ADVP"]
    assert "Drawn from the brackets: 1 tree, 6 words" in page.get_by_role("status").text_content()
    page.get_by_role("button", name="Brackets", exact=True).click()
    assert page.locator("pre").text_content() == TREE
    assert not any("/v1/parse" in url or "/v1/classify" in url for url in visit.asked)


MISTAKES = [
    (
        "(TOP (S (NP (NN dog))\n (VP (VBZ barks))",
        "Line 1, column 1: the tree .* 2 “\\)” missing",
    ),
    ("(S (NP (NN dog)))\n)", "Line 2, column 1: this “\\)” has no opening bracket"),
    ("(S (NP (NN dog) barks))", "Line 1, column 17: the node “NP” has a word and other nodes"),
    ("(NP (NN dog) barks)", "Line 1, column 14: the node “NP” has a word and other nodes"),
    ("(VROOT (S", "Line 1, column 1: the tree .* 2 “\\)” missing"),
    ("(S (NP ))", "Line 1, column 8: the node “NP” is empty"),
    ("(S (NP (NN dog)))\n  barks", "Line 2, column 3: “barks” stands outside"),
]


def test_what_is_wrong_with_brackets_is_told_with_its_place(visit: Visit) -> None:
    page = visit(TREE)
    for text, said in MISTAKES:
        fill(page, text)
        soon(page.get_by_role("alert")).to_have_text(re.compile(said), timeout=PATIENCE)
    assert "stale" in page.locator("#trees").get_attribute("class").split()
    assert not any("/v1/parse" in url for url in visit.asked)


SENTENCES = [
    "(See (also) the cat.)",
    "(I (really) like it.)",
    "(NATO (the alliance) met.)",
    "(NATO (NAC) met.)",
    "(NATO (NAC), the US (Air Force) met.)",
    "(NATO (NAC) met.) It (the agency) said so.",
    "(NATO ( the alliance) met.)",
    "((Mira) sang.)",
]


def test_a_sentence_in_brackets_is_parsed(visit: Visit) -> None:
    page = visit()
    for count, text in enumerate(SENTENCES, 1):
        with page.expect_response("**/v1/parse"):
            fill(page, text)
        page.wait_for_selector("svg.tree")
        assert sum("/v1/parse" in url for url in visit.asked) == count


def test_latex_is_that_of_the_library(visit: Visit) -> None:
    page = visit()
    fill(page, ODD)
    page.wait_for_selector("svg.tree")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save for LaTeX").click()
    assert waiting.value.suggested_filename.endswith(".tex")
    tree = Tree.parse(ODD)
    words = ["(" if word == "-LRB-" else word for word in tree.words]
    with open(waiting.value.path(), encoding="utf-8") as saved:
        assert saved.read() == forest(tree, words)
