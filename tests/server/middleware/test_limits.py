"""What stands before the routes, and what happens to requests while they wait: message by message."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import Message

from bnaparser.server.app import create_app
from bnaparser.server.logs import RequestRecord
from bnaparser.server.problems import NotReady, QueueFull
from bnaparser.server.settings import ServerSettings

if TYPE_CHECKING:
    from tests.server.conftest import HeldParser


LARGE = 1_000_000
WAIT = 20.0  # seconds after which a held thread goes on by itself, where a test has failed


class RawConnection:
    """A client's connection: what it sends is put in by hand, what it gets is kept."""

    def __init__(self, app: FastAPI, *headers: tuple[str, str], path: str = "/v1/parse"):
        self.to_app: asyncio.Queue[Message] = asyncio.Queue()
        self.got: list[Message] = []
        named = {"content-type": "application/json", **dict(headers)}
        raw = [(name.encode(), value.encode()) for name, value in named.items()]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path.partition("?")[0],
            "raw_path": path.partition("?")[0].encode(),
            "query_string": path.partition("?")[2].encode(),
            "headers": raw,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
        }
        self.task = asyncio.ensure_future(app(scope, self.to_app.get, self._send))

    async def _send(self, message: Message) -> None:
        self.got.append(message)

    def send(self, body: bytes, more: bool = False) -> None:
        self.to_app.put_nowait({"type": "http.request", "body": body, "more_body": more})

    def leave(self) -> None:
        self.to_app.put_nowait({"type": "http.disconnect"})

    async def answer(self) -> tuple[int, dict[str, str], Any]:
        """Wait for the whole answer: status, headers, JSON."""
        await asyncio.wait_for(self.task, 20)
        start, *rest = self.got
        headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return start["status"], headers, json.loads(b"".join(m.get("body", b"") for m in rest))


@asynccontextmanager
async def started(parser: HeldParser, **settings: Any) -> AsyncIterator[FastAPI]:
    app = create_app(ServerSettings(**settings), lambda _: parser)  # type: ignore[arg-type, return-value]
    async with app.router.lifespan_context(app):
        yield app
        parser.gate.set()


def ask(app: FastAPI, *sentences: str) -> RawConnection:
    connection = RawConnection(app)
    connection.send(json.dumps({"sentences": sentences}).encode())
    return connection


def sent(
    app: FastAPI, body: str, path: str = "/v1/parse", kind: str = "application/json"
) -> RawConnection:
    headers = ("content-type", kind), ("content-length", str(len(body)))
    connection = RawConnection(app, *headers, path=path)
    connection.send(body.encode())
    return connection


async def turns() -> None:
    """Let the event loop turn often enough for all that need not wait."""
    for _ in range(100):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Let the event loop turn until something holds."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0)


async def hold(app: FastAPI, parser: HeldParser) -> RawConnection:
    """Stop the parser in the middle of a request."""
    parser.hold()
    connection = ask(app, "first")
    await asyncio.to_thread(parser.wait_until_held)
    parser.batches.clear()
    return connection


def waiting(app: FastAPI) -> int:
    words: int = app.state.service._queue.short.waiting.words
    return words


def test_concurrent_answers_are_never_mixed_up(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            names = [f"token{number}" for number in range(200)]
            asked = [ask(app, name, f"{name} twice {name}") for name in names]
            for name, connection in zip(names, asked, strict=True):
                status, _, body = await connection.answer()
                assert status == 200
                assert [p["text"] for p in body["parses"]] == [name, f"{name} twice {name}"]
            assert app.state.service.in_flight == 0

    asyncio.run(check())


def test_a_full_queue_answers_while_the_parser_is_at_work(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser, queue_words=10, max_words=10) as app:
            first = await hold(app, parser)
            second = ask(app, "word " * 10)
            await until(lambda: waiting(app) == 10)
            status, headers, body = await ask(app, "late").answer()
            assert status == 503
            assert body["type"].endswith("queue-full")
            assert int(headers["retry-after"]) >= 1
            parser.gate.set()
            assert [(await one.answer())[0] for one in (first, second)] == [200, 200]

    asyncio.run(check())


def test_texts_that_are_read_wait_for_the_queue_and_answers_that_are_written_do_not(
    parser: HeldParser,
) -> None:
    async def check() -> None:
        async with started(parser, queue_words=100, max_words=10) as app:
            service = app.state.service
            gate, large = threading.Event(), RequestRecord("large", 0.0, body_bytes=1_000_000)
            writing = asyncio.ensure_future(service.texts.off_loop(1_000_000, gate.wait))
            await asyncio.sleep(0)
            service.check_capacity(large)
            reading = asyncio.ensure_future(service.texts.read(1_000_000, gate.wait))
            await asyncio.sleep(0)
            with pytest.raises(QueueFull):
                service.check_capacity(large)
            gate.set()
            await asyncio.gather(writing, reading)
            service.check_capacity(large)

    asyncio.run(check())


@pytest.mark.parametrize(("path", "status"), [("/v1/search", 200), ("/v1/parse", 503)])
def test_a_search_that_is_read_is_no_text_that_waits(
    parser: HeldParser, path: str, status: int
) -> None:
    async def check() -> None:
        async with started(parser, queue_words=2000) as app:
            gate = threading.Event()
            held = asyncio.ensure_future(app.state.service.texts.off_loop(LARGE, gate.wait, WAIT))
            searches = path == "/v1/search"
            body = {"pattern": "NP", "trees": []} if searches else {"text": "."}
            first = sent(app, json.dumps(body).ljust(20_000), path)
            await until(first.to_app.empty)
            await turns()
            later = sent(app, json.dumps({"text": "It rained."}).ljust(5_000))
            await turns()
            assert later.task.done() == (status == 503)
            gate.set()
            assert await held
            assert (await later.answer())[0] == status
            assert (await first.answer())[0] == 200

    asyncio.run(check())


def test_very_many_empty_lines_are_read_and_written_while_others_are_answered(
    parser: HeldParser,
) -> None:
    async def check() -> None:
        async with started(parser) as app:
            off_loop = app.state.service.texts.off_loop
            before_reading, before_writing = threading.Event(), threading.Event()
            held = [asyncio.ensure_future(off_loop(LARGE, before_reading.wait, WAIT))]
            await asyncio.sleep(0)
            lines = sent(app, "\n" * 5000, "/v1/parse?split=line", "text/plain")
            await until(lines.to_app.empty)
            await turns()
            assert not lines.task.done()
            held.append(asyncio.ensure_future(off_loop(LARGE, before_writing.wait, WAIT)))
            await turns()
            before_reading.set()
            assert await held[0]
            assert (await ask(app, "another").answer())[0] == 200
            await turns()
            assert not lines.task.done()
            before_writing.set()
            await lines.task
            assert b"".join(one.get("body", b"") for one in lines.got[1:]) == b"\n" * 5000

    asyncio.run(check())


def test_a_body_counts_as_no_more_text_than_it_may_hold(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            service = app.state.service
            gate, large = threading.Event(), RequestRecord("large", 0.0, body_bytes=1_000_000)
            reading = asyncio.ensure_future(service.texts.read(2_000_000, gate.wait))
            await asyncio.sleep(0)
            service.check_capacity(large)
            gate.set()
            await reading
            assert service.texts.characters == 0

    asyncio.run(check())


def test_a_request_past_its_deadline_is_dropped(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser, deadline_seconds=0.3) as app:
            first = await hold(app, parser)
            late = ask(app, *["late"] * 50)
            status, _, body = await late.answer()
            assert (status, body["title"]) == (504, "The deadline passed")
            assert (await first.answer())[0] == 504
            assert waiting(app) == 0
            parser.gate.set()
            assert (await ask(app, "next").answer())[0] == 200
            assert parser.batches == [[("next",)]]

    asyncio.run(check())


def test_a_client_that_leaves_is_taken_out_of_the_queue(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            first = await hold(app, parser)
            gone = ask(app, *["gone"] * 50)
            await until(lambda: waiting(app) == 50)
            gone.leave()
            await asyncio.wait_for(gone.task, 20)
            assert gone.got == []
            assert waiting(app) == 0
            parser.gate.set()
            assert (await first.answer())[0] == 200
            assert (await ask(app, "next").answer())[0] == 200
            assert parser.batches == [[("next",)]]
            assert app.state.service.in_flight == 0

    asyncio.run(check())


def test_draining_finishes_what_was_taken_in_and_refuses_the_rest(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            first = await hold(app, parser)
            second = ask(app, "second")
            await until(lambda: waiting(app) == 1)
            half = RawConnection(app)
            half.send(b'{"text"', more=True)
            service = app.state.service
            assert service.in_flight == 2
            service.drain()
            assert not service.ready
            status, headers, body = await ask(app, "late").answer()
            assert (status, "stopping" in body["detail"]) == (503, True)
            assert "retry-after" in headers
            half.send(b': "a"}')
            assert (await half.answer())[0] == 503
            parser.gate.set()
            assert [(await one.answer())[0] for one in (first, second)] == [200, 200]
            assert service.in_flight == 0

    asyncio.run(check())


def test_stopping_answers_those_who_wait(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            first = await hold(app, parser)
            service = app.state.service
            await service.stop()
            status, _, body = await first.answer()
            assert (status, "stopping" in body["detail"]) == (503, True)
            with pytest.raises(NotReady):
                await service.texts.off_loop(1_000_000, len, "a text that was still to be split")

    asyncio.run(check())


def test_a_parser_that_breaks_down_gives_a_problem(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            status, _, body = await ask(app, "BOOM").answer()
            assert (status, body["type"]) == (500, "urn:bnaparser:problem:failure")
            assert (await ask(app, "next").answer())[0] == 200

    asyncio.run(check())


def test_a_body_that_says_it_is_too_large_is_not_read(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser, max_body_bytes=100) as app:
            connection = RawConnection(app, ("content-length", "101"))
            await until(lambda: bool(connection.got))
            assert connection.got[0]["status"] == 413
            assert connection.to_app.empty()
            connection.leave()
            status, headers, body = await connection.answer()
            assert (status, headers["connection"]) == (413, "close")
            assert "100 bytes" in body["detail"]

    asyncio.run(check())


def test_a_body_of_just_the_largest_size_is_taken(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser, max_body_bytes=100) as app:
            connection = RawConnection(app, ("content-length", "100"))
            connection.send(b'{"text": "It rained."}'.ljust(100), more=False)
            parser.gate.set()
            assert (await connection.answer())[0] == 200

    asyncio.run(check())


def test_a_chunked_body_is_read_to_the_limit_only(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser, max_body_bytes=100) as app:
            connection = RawConnection(app, ("transfer-encoding", "chunked"))
            for _ in range(3):
                connection.send(b" " * 50, more=True)
            await until(lambda: bool(connection.got))
            assert connection.got[0]["status"] == 413
            # What still comes is thrown away, so that the client can read why.
            connection.send(b" " * 50, more=True)
            connection.send(b"", more=False)
            assert (await connection.answer())[0] == 413
            assert connection.to_app.empty()

    asyncio.run(check())


def test_a_half_sent_body_gets_408_and_takes_no_place(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser, body_seconds=0.2) as app:
            half = RawConnection(app, ("content-length", "50"))
            half.send(b'{"text":', more=True)
            await until(lambda: half.to_app.empty())
            assert (app.state.service.in_flight, waiting(app)) == (0, 0)
            await until(lambda: bool(half.got))
            half.leave()
            status, headers, _ = await half.answer()
            assert (status, headers["connection"]) == (408, "close")

    asyncio.run(check())


def test_half_sent_bodies_are_held_up_to_a_limit_on_their_bytes(parser: HeldParser) -> None:
    """Clients that send megabytes slowly do not fill the memory; small requests are answered meanwhile."""

    async def check() -> None:
        async with started(parser) as app:
            size = ("content-length", "1000000")
            slow = [RawConnection(app, size) for _ in range(64)]
            for one in slow:
                one.send(b" " * (LARGE - 1), more=True)
            await until(lambda: all(one.to_app.empty() for one in slow))
            more = [RawConnection(app, size) for _ in range(2)]
            for one in more:
                one.send(b" " * LARGE, more=True)
            status, headers, body = await more[-1].answer()
            assert (status, headers["retry-after"]) == (503, "5")
            assert "large requests" in body["detail"]
            status, _, _ = await ask(app, "a short one").answer()
            assert status == 200
            for one in slow:
                one.leave()
            await asyncio.wait({one.task for one in slow})
            again = sent(app, json.dumps({"sentences": ["a"]}) + " " * 500_000)
            status, _, _ = await again.answer()
            assert status == 200

    asyncio.run(check())


def test_bodies_of_medium_size_are_held_up_to_a_higher_limit(parser: HeldParser) -> None:
    """Thousands of clients that each send 64 kB slowly do not fill the memory either."""

    async def check() -> None:
        async with started(parser) as app:
            size, medium = ("content-length", "64000"), b" " * 63_990
            slow = [RawConnection(app, size) for _ in range(1_500)]
            for one in slow:
                one.send(medium, more=True)
            await until(lambda: all(one.to_app.empty() for one in slow))
            assert not any(one.got for one in slow)
            more = [RawConnection(app, size) for _ in range(2)]
            for one in more:
                one.send(medium, more=True)
            status, headers, body = await more[-1].answer()
            assert (status, headers["retry-after"]) == (503, "5")
            assert "large requests" in body["detail"]
            status, _, _ = await sent(app, '{"text": "a short one"}'.ljust(4_000)).answer()
            assert status == 200
            for one in slow:
                one.leave()
            await asyncio.wait({one.task for one in slow})
            status, _, _ = await sent(app, '{"text": "again"}'.ljust(60_000)).answer()
            assert status == 200

    asyncio.run(check())


def test_answers_that_nobody_takes_are_held_up_to_a_limit_on_their_bytes(
    parser: HeldParser,
) -> None:
    async def check() -> None:
        async with started(parser) as app:
            app.state.service.unsent = lambda: 100 * LARGE
            long = "word " * 10_000
            status, headers, body = await ask(app, *[long[:2_500]] * 10).answer()
            assert (status, headers["retry-after"]) == (503, "5")
            assert "large answers" in body["detail"]
            status, _, _ = await ask(app, "a short one").answer()
            assert status == 200
            app.state.service.unsent = lambda: LARGE
            status, _, _ = await ask(app, *[long[:2_500]] * 10).answer()
            assert status == 200

    asyncio.run(check())


def test_a_client_that_leaves_in_its_body_is_forgotten(parser: HeldParser) -> None:
    async def check() -> None:
        async with started(parser) as app:
            half = RawConnection(app)
            half.send(b'{"text":', more=True)
            half.leave()
            await asyncio.wait_for(half.task, 20)
            assert half.got == []

    asyncio.run(check())


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"anyone:{password}".encode()).decode()


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (None, 401),
        ("Bearer wrong", 401),
        ("Bearer", 401),
        ("Bearer se:same extra", 401),
        ("Bearer \u00e9", 401),
        ("Basic !", 401),
        (basic("wrong"), 401),
        ("Digest se:same", 401),
        ("Bearer se:same", 200),
        ("bearer  se:same", 200),
        (basic("se:same"), 200),
    ],
)
def test_the_key_is_asked_for(
    make_client: Callable[..., TestClient], given: str | None, status: int
) -> None:
    client = make_client(key="se:same")
    headers = [] if given is None else [(b"Authorization", given.encode("latin-1"))]
    answer = client.post("/v1/parse", json={"text": "It rained."}, headers=headers)
    assert answer.status_code == status
    for path in ("/ready", "/metrics", "/docs", "/openapi.json", "/v1/models", "/nowhere", "/"):
        assert (client.get(path, headers=headers).status_code == 401) == (status == 401)
    assert client.get("/live", headers=headers).status_code == 200
    if status == 401:
        assert "Bearer" in answer.headers["www-authenticate"]
        assert answer.json()["type"] == "urn:bnaparser:problem:unauthorized"
