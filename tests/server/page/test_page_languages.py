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


@pytest.fixture(scope="module")
def polyglot_address(
    serving: Serving, tiny_model_dir: Path, two_languages_dir: Path
) -> Iterator[str]:
    parser = Parser.load(f"{tiny_model_dir},{two_languages_dir}", device="cpu")
    with serving(parser) as address:
        yield f"{address}/"


@pytest.fixture
def polyglot_visit(browser: Any, kept_page: Any, polyglot_address: str) -> Iterator[Visit]:
    with ExitStack() as stack:
        visit = Visit(browser, kept_page, polyglot_address, stack)
        yield visit
        assert not visit.complaints


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
