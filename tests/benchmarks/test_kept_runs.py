"""Runs of benchmarks/syntax/run_syntax.py that are kept: nothing is done twice, nothing half."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.syntax import run_syntax, runs
from benchmarks.syntax.kept_runs import Result, Run, budget, claimed, read_run, run_file, write_run

RUN: Run = ("cola", "sla", 1)
CLAIM = """
import argparse, pathlib, sys
from benchmarks.syntax.kept_runs import claimed
options = argparse.Namespace(output=pathlib.Path(sys.argv[1]))
with claimed(options, "cola sla 1") as ours:
    print(ours, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    return argparse.Namespace(
        encoder=Path("minilm-l3"),
        output=tmp_path,
        examples=None,
        epochs=None,
        scored=1000,
        batch_size=16,
        learning_rate=3e-4,
        pooling="mean",
        precision="no",
        seeds=(1, 2),
        only=RUN[:2],
    )


def result(options: argparse.Namespace, run: Run) -> Result:
    task, system, seed = run
    of_run: Result = {"task": task, "system": system, "seed": seed, "total_seconds": 1.0}
    return {**of_run, **budget(options, task), "scores": {"matthews": 50.0}, "predicted": [0, 1]}


def test_a_run_is_kept_with_its_predictions_for_its_own_budget(options: argparse.Namespace) -> None:
    assert read_run(options, RUN) is None
    write_run(options, RUN, result(options, RUN))
    kept = read_run(options, RUN)
    assert kept is not None and kept["predicted"] == [0, 1]
    options.precision = "bf16"
    assert read_run(options, RUN) is None


def test_what_is_broken_off_is_no_run(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_run(options, RUN, result(options, RUN))
    assert not run_file(options, RUN).exists()
    assert read_run(options, RUN) is None


def test_a_claim_ends_with_its_process(options: argparse.Namespace) -> None:
    command = [sys.executable, "-c", CLAIM, str(options.output)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "True\n"
        with claimed(options, "cola sla 1") as ours, claimed(options, "cola sla 2") as another:
            assert not ours and another
        other.kill()
        other.wait()
        with claimed(options, "cola sla 1") as ours:
            assert ours


def test_only_what_is_missing_and_free_is_trained(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Run] = []

    def train(options: argparse.Namespace, run: Run) -> Result:
        trained.append(run)
        return result(options, run)

    def here(work: Any, *arguments: Any) -> Any:
        return work(*arguments)

    monkeypatch.setattr(runs, "trained", train)
    monkeypatch.setattr(run_syntax, "in_a_process", here)
    monkeypatch.setattr(run_syntax, "prepared", lambda options: {"window": 4})
    options.seeds = (1, 2, 3)
    write_run(options, RUN, result(options, RUN))
    with claimed(options, run_file(options, ("cola", "sla", 2)).stem):  # another process is at it
        run_syntax.run_all(options)
    assert trained == [("cola", "sla", 3)]
    run_syntax.run_all(options)
    assert trained == [("cola", "sla", 3), ("cola", "sla", 2)]


def test_the_majority_answer_is_that_of_the_training_examples() -> None:
    assert runs.majority([0, 1, 1]) == 1
    assert runs.majority([(0, 0, 2), (0,)]) == 0
    assert runs.majority([1.0, 2.0, 4.5]) == 2.5
