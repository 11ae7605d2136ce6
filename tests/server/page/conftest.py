"""The page in a browser: Debian's Chromium, a real server, a real (tiny) model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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


@pytest.fixture(scope="module")
def kept_page(browser: Any) -> Iterator[Any]:
    """A tab that the tests of a file share: its process starts once, and compiles the page's files once."""
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@dataclass
class Visit:
    """Opens pages, and notes what they ask for and complain of.

    The first page of a test is in the ``kept`` tab, unless it has options. What other tests stored is cleared.
    """

    browser: Any
    kept: Any
    address: str
    stack: ExitStack
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    expected: str = "nothing is expected"

    def __call__(self, text: str = "", where: str = "", **options: Any) -> Any:
        """Open the page, with a text in its address; options are the browser context's."""
        if options or self.asked:
            context = self.browser.new_context(reduced_motion="reduce", **options)
            self.stack.callback(context.close)
            page = context.new_page()
        else:
            page = self.kept
            page.unroute_all()
            page.goto("about:blank")
            stored = {"origin": self.address.rstrip("/"), "storageTypes": "cookies,local_storage"}
            page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", stored)
        page.set_default_timeout(PATIENCE)
        self.listen(page, "request", lambda request: self.asked.append(request.url))
        self.listen(page, "console", lambda told: self.note(told.type, told.text))
        self.listen(page, "pageerror", lambda error: self.note("error", str(error)))
        page.goto(where or self.address + (f"#text={quote(text)}" if text else ""))
        page.wait_for_selector("#examples button")
        if text:
            page.wait_for_selector("svg.tree")
        return page

    def listen(self, page: Any, event: str, handle: Callable[[Any], None]) -> None:
        page.on(event, handle)
        self.stack.callback(page.remove_listener, event, handle)

    def note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not re.search(self.expected, text):
            self.complaints.append(text)


@pytest.fixture
def visit(browser: Any, kept_page: Any, address: str) -> Iterator[Visit]:
    """Opens the page of the service at the module's own fixture ``address``.

    The test fails as well when the page asks anything of another origin, or writes an error to the
    browser's console that the test does not expect.
    """
    with ExitStack() as stack:
        made = Visit(browser, kept_page, address, stack)
        yield made
    assert made.complaints == []
    foreign = [url for url in made.asked if not url.startswith((made.address, "blob:", "data:"))]
    assert foreign == []
    assert made.asked
