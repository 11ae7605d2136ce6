"""The service on a tiny parser that is watched, for CoreNLP's protocol."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bnaparser import Parser
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.parsing.options import DEFAULT_OPTIONS, ParseOptions
from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import Sentence

if TYPE_CHECKING:
    from tests.server.conftest import Serving


class WatchedParser(Parser):
    """A parser that counts how often it is asked, and can be held up."""

    def __init__(self, model: ParsingNetwork):
        super().__init__(model)
        self.calls = 0
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
        options: ParseOptions | Sequence[ParseOptions] = DEFAULT_OPTIONS,
    ) -> list[Parse]:
        self.calls += 1
        assert self.may_go_on.wait(60)
        return super().parse_sentences(sentences, tags, batch_tokens, options)


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> WatchedParser:
    return WatchedParser(Parser.load(tiny_model_dir, device="cpu").model)


@pytest.fixture(scope="module")
def url(serving: Serving, parser: WatchedParser) -> Iterator[str]:
    with serving(
        parser,
        max_words=60,
        max_characters=20_000,
        max_sentences=50,
        max_body_bytes=100_000,
    ) as where:
        yield where
