"""Apps of the service on models that the test holds in its hand, and on real tiny ones."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from fastapi.testclient import TestClient

from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.result import Parse
from bnaparser.parsing.validation import reason_against
from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import split
from bnaparser.text.text_rules import ENGLISH, TextRules
from bnaparser.trees.tree import Span

WAIT = 20.0  # seconds after which a test that waits for an event gives up


class HeldParser:
    """Gives each sentence a flat tree of its own words; it stops while ``gate`` is clear.

    ``batches`` are the words of the sentences that it was given, call by call, ``options`` all that was asked of
    them; ``begun`` is set when a call begins. The word BOOM makes a call raise, BAD gives its sentence an error.
    """

    predicts_tags = True
    reads_tags = False
    text = ENGLISH
    languages = ("en",)
    labels = ("S", "S::VP", "NP")

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()
        self.batches: list[list[tuple[str, ...]]] = []
        self.options: list[ParseOptions] = []
        self.model = SimpleNamespace(
            device="cpu",
            prefer_single_thread=False,
            labels=SimpleNamespace(names=("", "S", "S::VP", "NP")),
        )
        self.networks = {"en": self.model}

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        options: Sequence[ParseOptions] = (),
    ) -> list[Parse]:
        self.batches.append([sentence.words for sentence in sentences])
        self.options += options
        self.begun.set()
        assert self.gate.wait(WAIT)
        rows = [None] * len(sentences) if tags is None else tags
        return [self._parse(one, row) for one, row in zip(sentences, rows, strict=True)]

    def _parse(self, sentence: Sentence, tags: Sequence[str] | None) -> Parse:
        if "BOOM" in sentence.words:
            raise SystemExit("boom")
        error = "bad" if "BAD" in sentence.words else None
        row = None if tags is None else tuple(tags)
        error = reason_against(sentence, row, self.reads_tags) or error
        if error is not None:
            return Parse(sentence.text, sentence.words, offsets=sentence.offsets, error=error)
        count = len(sentence.words)
        row = row or ("NN",) * count
        spans = (Span(0, count, "S::VP", 2.5),)
        return Parse(sentence.text, sentence.words, row, spans, 2.5, sentence.offsets)

    def text_rules(self, language: str) -> TextRules:
        return self.text.with_language(language)

    def hold(self) -> None:
        """Stop at the next call."""
        self.begun.clear()
        self.gate.clear()

    def wait_until_held(self) -> None:
        assert self.begun.wait(WAIT)


class HeldClassifier:
    """Finds every text positive; ``batches`` are the texts that it was given, call by call.

    It stops while ``gate`` is clear. The word CRASH makes a call raise.
    """

    def __init__(self, parser: HeldParser) -> None:
        self.parser = parser
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()
        self.batches: list[list[str]] = []
        task = SimpleNamespace(pair=False, kind="classification", language="en")
        self.model = SimpleNamespace(
            settings=SimpleNamespace(task=task),
            labels=("negative", "positive"),
            kind=SimpleNamespace(passages=False),
            device="cpu",
            max_pieces=512,
        )

    @property
    def sample(self) -> str | tuple[str, str]:
        return ("Mira sang.",) * 2 if self.model.settings.task.pair else "Mira sang."

    def read(self, text: str | Sequence[str]) -> Any:
        from bnaparser.tasks.classifier import ReadText

        if not isinstance(text, str) and len(text) != 1:
            return ReadText("\t".join(text), [], "this model takes one text")
        text = text if isinstance(text, str) else text[0]
        sentences = split(text)
        return ReadText(text, [sentences], None if sentences else "the text has no words")

    def answer(self, given: Sequence[Any]) -> list[Any]:
        from bnaparser.tasks.classifier import Classification

        good = [one.text for one in given if one.error is None]
        if good:
            self.batches.append(good)
            self.begun.set()
            assert self.gate.wait(WAIT)
        if any("CRASH" in text for text in good):
            raise SystemExit("crash")
        shares = {"negative": 0.25, "positive": 0.75}
        return [
            Classification(one.text, error=one.error)
            if one.error is not None
            else Classification(one.text, "positive", shares, *one.parses)
            for one in given
        ]

    def hold(self) -> None:
        """Stop at the next call."""
        self.begun.clear()
        self.gate.clear()

    def wait_until_held(self) -> None:
        assert self.begun.wait(WAIT)


@pytest.fixture
def classifier(parser: HeldParser) -> Iterator[HeldClassifier]:
    held = HeldClassifier(parser)
    yield held
    held.gate.set()


@pytest.fixture
def parser() -> Iterator[HeldParser]:
    held = HeldParser()
    yield held
    held.gate.set()


@pytest.fixture
def make_client(
    parser: HeldParser, classifier: HeldClassifier
) -> Iterator[Callable[..., TestClient]]:
    """A function from settings to a client of a started app on the held models.

    It has a classifier where the setting ``classifier`` says so, whatever its value.
    """
    with ExitStack() as stack:

        def make(**settings: Any) -> TestClient:
            app = create_app(ServerSettings(**settings), lambda _: parser, lambda *_: classifier)  # type: ignore[arg-type, return-value]
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

        yield make
        parser.gate.set()
        classifier.gate.set()


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


@pytest.fixture(scope="module")
def tiny_client(tiny_model_dir: Path) -> Iterator[TestClient]:
    """A client of an app on the real tiny parser; gone after the module, with its collections."""
    with TestClient(create_app(ServerSettings(model=str(tiny_model_dir)))) as started:
        yield started


@pytest.fixture(scope="session")
def tiny_classifier_dir(
    tmp_path_factory: pytest.TempPathFactory,
    encoder_folder: Callable[[str], Path],
    tiny_model_dir: Path,
) -> Path:
    """The folder of a classifier with a random head, made for the tiny parser's trees."""
    from bnaparser.settings import validate
    from bnaparser.tasks.model import create, save_model
    from bnaparser.tasks.settings import TaskModelSettings

    table = {"encoder": {"name": str(encoder_folder("bert"))}, "syntax": {"sla": {}}}
    folder = tmp_path_factory.mktemp("tiny-classifier")
    settings = validate(TaskModelSettings, table, "test")
    save_model(create(settings, ("negative", "positive")), folder, "float32", {})
    # A stored model names its parser as others know it; on this machine that is a folder.
    config = json.loads((folder / "config.json").read_text())
    config["syntax"]["parser"] = str(tiny_model_dir)
    (folder / "config.json").write_text(json.dumps(config))
    return folder


Serving = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="session")
def serving() -> Serving:
    """A function that serves in a thread, on a free port: a parser, maybe a classifier, settings."""

    @contextmanager
    def serve(parser: Any, classifier: Any = None, **settings: Any) -> Iterator[str]:
        given = settings if classifier is None else {"classifier": "held", **settings}
        app = create_app(ServerSettings(**given), lambda _: parser, lambda *_: classifier)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
            thread.start()
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}"
            finally:
                server.should_exit = True
                thread.join()

    return serve
