"""benchmarks/syntax/run_large.py: rates are chosen on what is held out, and the page comes of kept runs."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.syntax import large_report, run_large
from benchmarks.syntax.kept_runs import Result, Run, budget, pack, write_run
from benchmarks.syntax.large_report import best_rate
from benchmarks.syntax.large_tables import LARGE, RATES
from benchmarks.syntax.runs import recipe_of
from benchmarks.syntax.syntax_tables import MAIN, TASKS
from bnaparser.tasks.data import read_examples
from bnaparser.tasks.settings import TaskSettings

LOW, HIGH = RATES
CHINESE = ("plain", "wla", "sla", "lisa", "sgnet", "sgnet-random", "syntax-bert")


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    return argparse.Namespace(
        tasks=tmp_path / "tasks",
        encoder=Path("minilm-l6"),
        output=tmp_path / "large",
        page=tmp_path / "large.md",
        parser="en",
        scored=1000,
        batch_size=16,
        pooling="mean",
        precision="no",
        seeds=(1, 2, 3),
        threads=1,
        device="cpu",
        of=["cola"],
        systems=tuple(MAIN),
        rates=RATES,
        held_out=True,
    )


def invented(options: argparse.Namespace, run: Run, held_out: float) -> Result:
    """A run of CoLA whose answers are right in nine of ten."""
    task, system, seed = run
    draw = random.Random(f"{run} {options.learning_rate}")
    gold: list[Any] = [number % 3 % 2 for number in range(90)]
    predicted = [one if draw.random() < 0.9 else 1 - one for one in gold]
    settings = TaskSettings.model_validate(TASKS[task].table)
    return {
        "task": task,
        "system": system,
        "seed": seed,
        **budget(options, task),
        "held_out": held_out,
        "scores": settings.of_kind.score(("0", "1"), gold, predicted),
        "scored_examples": len(gold),
        "total_seconds": 60.0,
        "versions": {"bnaparser": "1"},
        "processor": "Abacus, 2 cores",
        "date": "2026-11-26 13:00",
        "labels": ["0", "1"],
        "gold": gold,
        "predicted": predicted,
        "majority": 0,
    }


def train_as(
    held_out: dict[tuple[str, float], float], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[Run, float]]:
    """Let runs be invented with these scores of systems at rates; return the list of what is trained."""
    trained: list[tuple[Run, float]] = []

    def train(given: argparse.Namespace, run: Run) -> Result:
        trained.append((run, given.learning_rate))
        row = invented(given, run, held_out.get((run[1], given.learning_rate), 50.0))
        write_run(given, run, row)
        return row

    def here(work: Any, *arguments: Any) -> Any:
        return work(*arguments)

    monkeypatch.setattr(run_large, "run_one", train)
    monkeypatch.setattr(run_large, "parse_texts", lambda given, task: None)
    monkeypatch.setattr(run_large, "in_a_process", here)
    return trained


def test_the_rate_is_the_one_that_is_best_on_what_is_held_out() -> None:
    low, high = {"learning_rate": LOW, "held_out": 50.0}, {"learning_rate": HIGH, "held_out": 60.0}
    assert best_rate([low, high], RATES) == HIGH
    assert best_rate([high | {"held_out": 50.0}, low], RATES) == LOW
    assert best_rate([high], RATES) is None
    assert best_rate([high], [HIGH]) == HIGH


def test_other_seeds_are_trained_at_the_chosen_rate_alone(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = train_as({("sla", LOW): 70.0, ("lisa", HIGH): 70.0}, monkeypatch)
    run_large.run_all(options)
    first = [(("cola", system, 1), rate) for system in MAIN for rate in RATES]
    assert trained[: len(first)] == first
    rest = trained[len(first) :]
    assert sorted(rest) == sorted(
        (("cola", system, seed), HIGH if system == "lisa" else LOW)
        for system in MAIN
        for seed in (2, 3)
    )
    trained.clear()
    run_large.run_all(options)
    assert trained == []


def test_the_page_comes_of_what_is_packed(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_as({("sla", HIGH): 71.25}, monkeypatch)
    run_large.run_all(options)
    rows = run_large.results(options)
    assert len(rows) == len(MAIN) * (len(RATES) + 2)
    pack(options, rows)
    page = large_report.large_report(options, rows, "the command")
    options.output = options.output.with_name("empty")
    assert run_large.results(options) == []
    assert large_report.large_report(options, run_large.packed(options), "the command") == page
    run_large.unpack(options)
    assert sorted(row["seed"] for row in run_large.results(options)) == sorted(
        row["seed"] for row in rows
    )
    assert "| SLA | 50.0, **71.2** |" in page
    assert "| LISA | **50.0**, 50.0 |" in page
    shown = [row["scores"]["matthews"] for row in rows if row["system"] == "sla"]
    at_best = shown[1:]  # the first is at the lower rate
    mean = sum(at_best) / len(at_best)
    assert f"| SLA | {mean:.1f} ± " in page


def test_other_systems_than_the_papers_are_trained_where_they_are_named(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    options.systems = ("plain", "sgnet", "sgnet-random")
    trained = train_as({("sgnet-random", HIGH): 70.0}, monkeypatch)
    run_large.run_all(options)
    assert {run[1] for run, _ in trained} == set(options.systems)
    page = large_report.large_report(options, run_large.results(options), "the command")
    assert page.count("| SG-Net, random trees |") == 3
    assert "| SG-Net, random trees | 50.0, **70.0** |" in page
    assert "LISA" not in page
    pack(options, run_large.results(options))
    options.systems = ("plain", "sgnet")
    assert {row["system"] for row in run_large.packed(options)} == set(options.systems)


@pytest.mark.parametrize(
    ("page", "encoder", "parser", "systems"),
    [
        ("large.md", "distilbert-cased", "en", MAIN),
        ("large_minilm.md", "minilm-l6", "en", MAIN),
        ("large_zh.md", "e5-small-multilingual", "seven", CHINESE),
    ],
)
def test_the_page_is_that_of_the_runs_beside_it(
    options: argparse.Namespace, page: str, encoder: str, parser: str, systems: Iterable[str]
) -> None:
    options.systems = tuple(systems)
    options.page, options.of = large_report.PAGE.with_name(page), list(LARGE)
    options.encoder, options.parser = Path(encoder), parser
    written = options.page.read_text(encoding="utf-8").splitlines()
    command = next(line for line in written if line.startswith("- `")).strip("- `")
    found = large_report.large_report(options, run_large.packed(options), command)
    assert found.splitlines() == written


def test_other_rates_are_tried_instead(options: argparse.Namespace) -> None:
    options.rates, options.systems = [3e-5], ("plain",)
    (job,) = run_large.planned(options)
    given, run = job
    assert (given.learning_rate, run) == (3e-5, ("cola", "plain", 1))
    write_run(given, run, invented(given, run, 40.0))
    assert [run for _, run in run_large.planned(options)] == [
        ("cola", "plain", n) for n in (1, 2, 3)
    ]
    assert "learning rates of 3e-05, which" in large_report.large_report(
        options, run_large.results(options), "the command"
    )


def test_a_half_done_table_shows_what_there_is(options: argparse.Namespace) -> None:
    for rate in RATES:
        given = run_large.at(options, "cola", rate)
        write_run(given, ("cola", "plain", 1), invented(given, ("cola", "plain", 1), 40.0))
    given = run_large.at(options, "cola", LOW)
    write_run(given, ("cola", "sla", 1), invented(given, ("cola", "sla", 1), 40.0))
    page = large_report.large_report(options, run_large.results(options), "the command")
    assert "| plain encoder | **40.0**, 40.0 |" in page
    assert "| SLA | 40.0 |" in page
    assert "| LISA |  |" in page


@pytest.mark.parametrize("task", LARGE)
def test_what_is_held_out_is_not_learned(options: argparse.Namespace, task: str) -> None:
    folder = options.tasks / Path(TASKS[task].train).parent
    folder.mkdir(parents=True)
    train, scored = (folder / Path(name).name for name in (TASKS[task].train, TASKS[task].scored))
    for path in (train, scored):
        path.with_suffix("").write_text(examples(task))
    given = run_large.at(options, task, LOW)
    recipe = recipe_of(given, task, "plain", 1)
    parts = [
        {
            str(example.texts)
            for example in read_examples(
                [file.model_copy(update={"path": file.path.removesuffix(".xz")}) for file in files],
                recipe.task,
            )
        }
        for files in (recipe.train.data, recipe.train.dev)
    ]
    assert len(parts[0]) == 180 and len(parts[1]) == 20
    assert not parts[0] & parts[1]


def examples(task: str) -> str:
    """Return the text of a file of a task with 200 different examples."""
    if TASKS[task].table.get("kind") == "tagging":
        tag = "i" if task == "ged" else "B-PER"
        return "".join(f"word{number}\t{tag}\n\n" for number in range(200))
    if task == "stsb":
        head = "score\tsentence1\tsentence2\n"
        return head + "".join(f"2.5\tone {number}\ttwo\n" for number in range(200))
    return "label\tsentence\n" + "".join(f"1\tone {number}\n" for number in range(200))
