"""A small request of any protocol gets its turn while big ones wait: parsing, CoreNLP's protocol, classes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from tests.server.conftest import HeldClassifier, HeldParser

    MakeClient = Callable[..., TestClient]

WAIT = 20.0  # seconds
BIG = {"sentences": ["big " * 20] * 80}
BIG_TEXTS = {"texts": ["big " * 20] * 80}


@pytest.fixture
def sending() -> Iterator[Callable[..., Future[Any]]]:
    """A function that posts without waiting for the answer."""
    with ThreadPoolExecutor(16) as threads:
        yield lambda client, *given, **named: threads.submit(client.post, *given, **named)


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def queued(client: TestClient, name: str) -> float:
    page = client.get("/metrics").text
    return float(next(line for line in page.splitlines() if line.startswith(name)).split()[1])


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/v1/parse", {"json": {"text": "small one"}}),
        ("/v1/parse", {"content": "small one", "headers": {"content-type": "text/plain"}}),
        ("/", {"content": "small one"}),
        ("/v1/classify", {"json": {"text": "small one"}}),
    ],
    ids=["JSON", "plain text", "CoreNLP", "classes"],
)
def test_its_sentences_are_in_the_next_batch(
    make_client: MakeClient, parser: HeldParser, sending: Any, path: str, given: dict[str, Any]
) -> None:
    client = make_client(classifier="held", threads=2)
    parser.hold()
    big = [sending(client, "/v1/parse", json=BIG)]
    parser.wait_until_held()
    big += [sending(client, "/v1/parse", json=BIG) for _ in range(8)]
    until(lambda: queued(client, "bnaparser_queue_words ") > 8 * 1600)
    before = queued(client, "bnaparser_queue_words ")
    parser.batches.clear()
    small = sending(client, path, **given)
    until(lambda: queued(client, "bnaparser_queue_words ") > before)
    parser.gate.set()
    assert small.result().status_code == 200
    assert all(one.result().status_code == 200 for one in big)
    assert ("small", "one") in parser.batches[0]
    assert all(sum(map(len, batch)) <= 400 for batch in parser.batches)


def test_its_text_is_in_the_classifiers_next_batch(
    make_client: MakeClient, classifier: HeldClassifier, sending: Any
) -> None:
    client = make_client(classifier="held", threads=2)
    classifier.hold()
    big = [sending(client, "/v1/classify", json=BIG_TEXTS)]
    classifier.wait_until_held()
    big += [sending(client, "/v1/classify", json=BIG_TEXTS) for _ in range(8)]
    classifier.batches.clear()
    small = sending(client, "/v1/classify", json={"text": "small one"})
    # The thread of the models is held: what has come waits to be parsed, or else for the classifier.
    until(lambda: queued(client, "bnaparser_queue_sentences ") >= 8 * 80 + 1)
    classifier.gate.set()
    assert small.result().status_code == 200
    assert all(one.result().status_code == 200 for one in big)
    [place] = [number for number, batch in enumerate(classifier.batches) if "small one" in batch]
    # Of the first big request much is left; then a batch of sentences and one of texts take turns.
    assert place <= 3
    assert len(classifier.batches) > 30
