"""Workers of a run that die, are killed or outlive it: each shard is written once, and nothing waits for ever."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnaparser import worker
from bnaparser.errors import DataError
from bnaparser.parsing.corpus.shards import Shard
from bnaparser.parsing.options import DEFAULT_OPTIONS
from bnaparser.parsing.parser import Parser
from bnaparser.worker import Worker
from tests.parsing.corpus.corpora import (
    SETTINGS,
    in_a_process,
    run,
    written,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")


def test_a_killed_worker_is_replaced(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    notices: list[str] = []
    killed = []

    def report(progress: Any) -> None:
        if progress.shards in (3, 6):
            victim = random.Random(progress.shards).choice(multiprocessing.active_children())
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    settings = replace(SETTINGS, workers=2)
    run(parser, [corpus], tmp_path / "out", settings, report=report, notices=notices)
    assert len(killed) == 2
    assert written(tmp_path / "out") == whole
    for notice in notices:
        assert "its worker ended by signal SIGKILL, another one takes it" in notice
    assert not multiprocessing.active_children()


def test_workers_that_died_idle_are_replaced(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Nobody was left to wait for, and it waited for ever."""
    give = Worker.give
    left = [2]  # to be killed before they are given anything

    def kill_first(worker: Any, shard: Shard) -> bool:
        if left[0]:
            left[0] -= 1
            worker.process.kill()
            worker.process.join()
        return give(worker, shard)

    monkeypatch.setattr(Worker, "give", kill_first)
    notices: list[str] = []
    run(parser, [corpus], tmp_path / "out", replace(SETTINGS, workers=2), notices=notices)
    assert len(notices) == 2
    assert written(tmp_path / "out") == whole


def test_a_worker_that_never_starts_ends_the_run(
    corpus: Path, parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_serve", lambda *given: os._exit(7))
    give = Worker.give

    def give_when_dead(worker: Any, shard: Shard) -> bool:
        worker.process.join()  # as a shard that is larger than a pipe finds it
        return give(worker, shard)

    monkeypatch.setattr(Worker, "give", give_when_dead)
    with pytest.raises(DataError, match="3 workers ended with code 7 on this part"):
        run(parser, [corpus], tmp_path / "out", replace(SETTINGS, workers=2))


class Deadly:
    """A parser that takes its process along at a word."""

    name = None
    precision = "float32"
    batch_tokens = 1000
    language = None
    threads: int | None = None

    def __init__(self, parser: Parser, word: str):
        self.parser, self.word = parser, word
        self.model, self.reads_tags = parser.model, parser.reads_tags
        self.text, self.max_words = parser.text, parser.max_words

    def parse_many(self, rows: Any) -> Any:
        return self.parser.parse_many(rows)

    def parse_sentences(
        self, sentences: Any, tags: Any = None, options: Any = DEFAULT_OPTIONS
    ) -> Any:
        if any(self.word in sentence.words for sentence in sentences):
            os.kill(os.getpid(), signal.SIGKILL)
        return self.parser.parse_sentences(sentences, tags, options=options)


def test_a_shard_that_kills_its_workers_ends_the_run_and_keeps_the_rest(
    corpus: Path, parser: Parser, tmp_path: Path
) -> None:
    notices: list[str] = []
    deadly: Any = Deadly(parser, "cat60")
    settings = replace(SETTINGS, workers=2)
    with pytest.raises(
        DataError, match=r"3 workers ended by signal SIGKILL on this part; the machine may have too"
    ) as e:
        run(deadly, [corpus], tmp_path / "out", settings, notices=notices)
    assert f"({corpus}:" in str(e.value)
    assert len(notices) == 2
    assert len(list((tmp_path / "out").glob("part-*"))) >= 8


def workers_of_a_killed_run(
    corpus: Path, parser: Parser, folder: Path, stopped: bool = False
) -> list[int]:
    """Kill a run into ``folder / "out"`` after its first shard; the ids of its workers.

    ``stopped``: one of them is stopped at birth, the other when the run is killed.
    """

    def birth() -> None:
        if (folder / "born").exists():
            os.kill(os.getpid(), signal.SIGSTOP)
        (folder / "born").touch()

    def work() -> None:
        if stopped:
            os.register_at_fork(after_in_child=birth)

        def report(progress: Any) -> None:
            workers = [child.pid or 0 for child in multiprocessing.active_children()]
            (folder / "pids").write_text(json.dumps(workers), encoding="utf-8")
            for pid in workers if stopped else []:
                os.kill(pid, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGKILL)

        run(parser, [corpus], folder / "out", replace(SETTINGS, workers=2), report=report)

    in_a_process(work)
    workers: list[int] = json.loads((folder / "pids").read_text(encoding="utf-8"))
    return workers


def test_workers_end_with_a_run_that_is_killed(
    corpus: Path, parser: Parser, tmp_path: Path
) -> None:
    left = set(workers_of_a_killed_run(corpus, parser, tmp_path))
    until = time.monotonic() + 10
    while left and time.monotonic() < until:
        left = {pid for pid in left if alive(pid)}
        time.sleep(0.05)
    assert not left


def test_workers_that_outlive_a_killed_run_do_not_keep_the_next_one_out(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    left = workers_of_a_killed_run(corpus, parser, tmp_path, stopped=True)
    try:
        run(parser, [corpus], tmp_path / "out", SETTINGS)
    finally:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    assert written(tmp_path / "out") == whole


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0]
    except OSError:
        return False
    return state != "Z"
