"""The page in a browser: Debian's Chromium, a real server, a real (tiny) model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from bnaparser.parsing.parser import Parser

if TYPE_CHECKING:
    from tests.server.conftest import Serving

PATIENCE = 60_000  # milliseconds; a busy machine is no failure


@pytest.fixture(scope="module")
def tiny_parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


@pytest.fixture(scope="module")
def address(serving: Serving, tiny_parser: Parser) -> Iterator[str]:
    with serving(tiny_parser, max_words=30, max_characters=3000) as address:
        yield f"{address}/"


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
    """Opens the page of the service at the module's own fixture ``address``.

    The test fails as well when the page asks anything of another origin, or writes an error to the
    browser's console that the test does not expect.
    """
    with ExitStack() as stack:
        made = Visit(browser, address, stack)
        yield made
    assert made.complaints == []
    foreign = [url for url in made.asked if not url.startswith((made.address, "blob:", "data:"))]
    assert foreign == []
    assert made.asked
