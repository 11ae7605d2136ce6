"""The page where the service knows several languages: guessed, chosen, in the address, in the right letters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bnaparser.parsing.parser import Parser
from tests.server.page.conftest import Visit

if TYPE_CHECKING:
    from tests.server.conftest import Serving

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
MIXED = "The cat sat on the mat. 我吃魚。"


@pytest.fixture(scope="module")
def polyglot_address(
    serving: Serving, tiny_model_dir: Path, two_languages_dir: Path
) -> Iterator[str]:
    parser = Parser.load(f"{tiny_model_dir},{two_languages_dir}", device="cpu")
    with serving(parser) as address:
        yield f"{address}/"


@pytest.fixture
def polyglot_visit(browser: Any, polyglot_address: str) -> Iterator[Visit]:
    with ExitStack() as stack:
        visit = Visit(browser, polyglot_address, stack)
        yield visit
        assert not visit.complaints


def test_each_sentence_in_its_language(polyglot_visit: Visit) -> None:
    page = polyglot_visit(MIXED)
    english, chinese = page.locator("article").all()
    assert english.locator("h3").get_attribute("lang") == "en"
    soon(chinese.locator("[lang=zh-Hant] svg.tree")).to_be_visible()
    soon(chinese.locator("svg.tree")).to_contain_text("吃")


def test_a_language_is_chosen_and_stands_in_the_address(polyglot_visit: Visit) -> None:
    page = polyglot_visit("Ana vive a pesar de Madrid.")
    language = page.get_by_label("Language")
    soon(language).to_have_value("")
    offered = language.locator("option").all_text_contents()
    assert offered == ["Guessed", "English", "Traditional Chinese", "Spanish"]
    brackets = page.locator("article pre")
    soon(brackets).to_contain_text("a_pesar_de")
    language.select_option("en")
    soon(brackets).not_to_contain_text("a_pesar_de")
    assert page.url.endswith("&language=en")
    again = polyglot_visit(where=page.url)
    soon(again.get_by_label("Language")).to_have_value("en")
    soon(again.locator("article pre")).to_contain_text("Madrid")
    soon(again.locator("article pre")).not_to_contain_text("a_pesar_de")


def test_other_trees_are_of_the_same_language(polyglot_visit: Visit) -> None:
    page = polyglot_visit(MIXED)
    chinese = page.locator("article").nth(1)
    chinese.get_by_role("button", name="Next").click()
    soon(chinese.locator("svg.tree")).to_contain_text("吃")
    assert chinese.locator("[lang=zh-Hant]").count()


def test_an_unknown_language_is_each_sentences_error(polyglot_visit: Visit) -> None:
    page = polyglot_visit(where=f"{polyglot_visit.address}#text=Oui.&language=fr")
    soon(page.locator("article .error")).to_contain_text("no model here knows the language 'fr'")
    soon(page.get_by_label("Language")).to_have_value("fr")


def test_one_language_leaves_no_choice(visit: Visit) -> None:
    page = visit("The cat sat.")
    soon(page.locator("#models p, #models details").first).to_be_visible()
    soon(page.locator("#language")).to_be_hidden()
