"""Apps of the service on a parser that the test holds in its hand, and on a real tiny one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.errors import SentenceError
from bnaparser.parse import Parse
from bnaparser.parser import _check
from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings
from bnaparser.text import Sentence
from bnaparser.tree import Span

WAIT = 20.0  # seconds after which a test that waits for an event gives up


class HeldParser:
    """Gives each sentence a flat tree of its own words; it stops while ``gate`` is clear.

    ``batches`` are the words of the sentences that it was given, call by call; ``begun`` is set when
    a call begins. The word BOOM makes a call raise, BAD gives its sentence an error.
    """

    predicts_tags = True

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()
        self.batches: list[list[tuple[str, ...]]] = []
        self.model = SimpleNamespace(
            device="cpu", labels=SimpleNamespace(names=("", "S", "S::VP", "NP"))
        )

    def parse_sentences(
        self, sentences: Sequence[Sentence], tags: Sequence[Sequence[str]] | None = None
    ) -> list[Parse]:
        self.batches.append([sentence.words for sentence in sentences])
        self.begun.set()
        assert self.gate.wait(WAIT)
        rows = [None] * len(sentences) if tags is None else tags
        return [self._parse(one, row) for one, row in zip(sentences, rows, strict=True)]

    def _parse(self, sentence: Sentence, tags: Sequence[str] | None) -> Parse:
        if "BOOM" in sentence.words:
            raise SystemExit("boom")
        error = "bad" if "BAD" in sentence.words else None
        try:
            _check(sentence, None if tags is None else tuple(tags))
        except SentenceError as refused:
            error = str(refused)
        if error is not None:
            return Parse(sentence.text, sentence.words, offsets=sentence.offsets, error=error)
        count = len(sentence.words)
        row = tuple(tags or ["NN"] * count)
        spans = (Span(0, count, "S::VP", 2.5),)
        return Parse(sentence.text, sentence.words, row, spans, 2.5, sentence.offsets)

    def hold(self) -> None:
        """Stop at the next call."""
        self.begun.clear()
        self.gate.clear()

    def wait_until_held(self) -> None:
        assert self.begun.wait(WAIT)


@pytest.fixture
def parser() -> Iterator[HeldParser]:
    held = HeldParser()
    yield held
    held.gate.set()


@pytest.fixture
def make_client(parser: HeldParser) -> Iterator[Callable[..., TestClient]]:
    """A function from settings to a client of a started app on the held parser."""
    with ExitStack() as stack:

        def make(**settings: Any) -> TestClient:
            app = create_app(ServerSettings(**settings), lambda _: parser)  # type: ignore[arg-type, return-value]
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

        yield make
        parser.gate.set()


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


@pytest.fixture(scope="session")
def tiny_client(tiny_model_dir: Path) -> Iterator[TestClient]:
    """A client of an app on the real tiny parser."""
    with TestClient(create_app(ServerSettings(model=str(tiny_model_dir)))) as started:
        yield started
