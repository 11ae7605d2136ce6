"""Work beside the event loop: long work lets other work in between, and ends when nobody waits for it."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable

from bnaparser.server.queue.threads import Steps, TextThread

LARGE = 1_000_000
WAIT = 10.0


def until(condition: Callable[[], bool], steps: list[int]) -> Steps[str]:
    """Go on until something holds; return the name of the thread, or nothing where it never did."""
    ends = time.monotonic() + WAIT
    while not condition() and time.monotonic() < ends:
        steps.append(1)
        time.sleep(0.01)
        yield
    return threading.current_thread().name if condition() else ""


def test_long_work_takes_turns_with_other_work() -> None:
    async def check() -> None:
        texts, other = TextThread(10), threading.Event()
        work = asyncio.ensure_future(texts.in_turns(LARGE, until(other.is_set, [])))
        await asyncio.sleep(0)
        await texts.off_loop(LARGE, other.set)
        assert (await work).startswith("bnaparser-text")
        texts.end()

    asyncio.run(asyncio.wait_for(check(), 2 * WAIT))


def test_work_that_nobody_waits_for_goes_no_further() -> None:
    async def check() -> None:
        texts, end = TextThread(10), threading.Event()
        steps: list[int] = []
        try:
            async with asyncio.timeout(0.1):
                await texts.in_turns(LARGE, until(end.is_set, steps))
        except TimeoutError:
            await texts.off_loop(LARGE, int)  # whatever it was at is done
        done = len(steps)
        await texts.off_loop(LARGE, time.sleep, 0.2)
        assert 0 < done == len(steps)
        assert done < 100  # so it was not at its end
        end.set()
        texts.end()

    asyncio.run(asyncio.wait_for(check(), 2 * WAIT))


def test_what_is_very_long_is_done_one_after_another() -> None:
    """All of them in turns were all late."""

    async def check() -> None:
        texts, order = TextThread(10), list[int]()

        def steps(number: int) -> Steps[None]:
            for _ in range(4):
                time.sleep(0.03)
                order.append(number)
                yield

        await asyncio.gather(*(texts.in_turns(10**7, steps(number)) for number in range(3)))
        assert order == sorted(order)
        texts.end()

    asyncio.run(asyncio.wait_for(check(), 2 * WAIT))


def test_short_work_is_done_at_once() -> None:
    async def check() -> None:
        texts, steps = TextThread(10), list[int]()
        where = await texts.in_turns(10, until(lambda: len(steps) > 7, steps))
        assert where == threading.current_thread().name
        texts.end()

    asyncio.run(check())


def test_a_thread_that_computes_gets_the_lock_soon() -> None:
    """With Python's usual interval each of these 200 handovers took 5 ms: batches beside long answers took 1.8 s."""

    async def check() -> None:
        texts, ended = TextThread(10), threading.Event()

        def write() -> Steps[None]:
            while not ended.is_set():
                sum(range(20_000))
                yield

        def give_up_the_lock_again_and_again() -> float:
            start = time.perf_counter()
            for _ in range(200):
                time.sleep(0)
            return time.perf_counter() - start

        usual = sys.getswitchinterval()
        work = asyncio.ensure_future(texts.in_turns(LARGE, write()))
        seconds = await asyncio.to_thread(give_up_the_lock_again_and_again)
        ended.set()
        await work
        assert seconds < 0.5 and sys.getswitchinterval() == usual
        texts.end()

    asyncio.run(asyncio.wait_for(check(), 2 * WAIT))
