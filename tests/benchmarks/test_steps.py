"""benchmarks/accuracy/run_steps.py: each step adds one thing, what is done is not done again, the page says what was measured."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.accuracy import run_steps
from benchmarks.accuracy.run_accuracy import SETS
from bnaparser.training.recipe import Recipe


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    return argparse.Namespace(
        treebanks=Path("banks"), encoder="plain", pretrained="more", dependencies="heads.mrg",
        text="silver.mrg", seeds="1,2", only=None, set=[], output=tmp_path, page=tmp_path / "steps.md",
    )  # fmt: skip


def row(step: str, seed: int, f1: float) -> dict[str, Any]:
    return {
        "step": step, "seed": seed, "seconds": 60, "f1": {name: f1 + n for n, name in enumerate(SETS)},
        "capitals": 50.0, "tags": 90.0, "constructions": 25.0, "updates": 240, "sentences": 200,
        "encoder": "plain", "machine": "a GPU", "date": "2026-01-01 00:00", "versions": {"torch": "2"},
    }  # fmt: skip


def test_what_is_done_is_not_done_again_and_stands_in_the_page(options: argparse.Namespace) -> None:
    everything = run_steps.pending(options)
    assert len(everything) == 2 * len(run_steps.STEPS)
    assert everything[: len(run_steps.STEPS)] == [(1, name) for name in run_steps.STEPS]
    rows = [row("gold", 1, 80.0), row("gold", 2, 82.0), row("noise", 1, 80.0)]
    text = "".join(json.dumps(one) + "\n" for one in rows)
    (options.output / "steps.jsonl").write_text(text)
    done = {(1, "gold"), (2, "gold"), (1, "noise")}
    assert set(everything) - set(run_steps.pending(options)) == done
    options.only = "noise"
    assert run_steps.pending(options) == [(2, "noise")]
    page = run_steps.page_of(rows)
    assert "| gold trees alone | 1 2 | 83.00 ± 1.41 | 81.00 ± 1.41 | 82.00 ± 1.41 |" in page
    assert (
        "| + noise | 1 | 82.00 | 80.00 | 81.00 | 82.00 | 83.00 | 84.00 | 50.00 | 90.00 | 25.00 |"
        in page
    )


def test_without_a_second_encoder_its_steps_are_left_out(options: argparse.Namespace) -> None:
    options.pretrained = None
    assert not {name for _, name in run_steps.pending(options)} & {"pretrained", "all"}


def differences(one: dict[str, Any], other: dict[str, Any], path: str = "") -> set[str]:
    found = set()
    for key, value in one.items():
        if isinstance(value, dict):
            found |= differences(value, other[key], f"{path}{key}.")
        elif value != other[key]:
            found.add(path + key)
    return found


def test_a_step_adds_one_thing_and_is_a_recipe_that_holds(options: argparse.Namespace) -> None:
    recipes = {name: run_steps.recipe_of(options, name, 1) for name in run_steps.STEPS}
    tables = {name: recipe.model_dump() for name, recipe in recipes.items()}
    for table in tables.values():
        Recipe.model_validate(table)
    changed = {name: differences(table, tables["gold"]) for name, table in tables.items()}
    noise = {f"train.noise.{kind}" for kind in tables["gold"]["train"]["noise"]}
    data, teacher = {"train.data"}, {"train.teacher", "train.teacher_weight"}
    assert changed == {
        "gold": set(), "noise": noise | {"train.lower_case"}, "templates": data, "published": data,
        "dependencies": data, "teacher": data, "soft": data | teacher, "soft gold": teacher,
        "pretrained": {"encoder.name"},
        "all": noise | data | teacher | {"train.lower_case", "encoder.name"},
    }  # fmt: skip
    paths = {name: [one.path for one in recipe.train.data] for name, recipe in recipes.items()}
    assert paths["soft"] == paths["teacher"] == [*paths["gold"], "silver.mrg"]
    assert paths["dependencies"][-1] == "heads.mrg"
    assert paths["published"][-1] == "banks/silver_bert/brown.txt.xz"
    assert not any("TREEBANKS" in path for each in paths.values() for path in each)
    assert recipes["pretrained"].encoder.name == "more"


def test_scores_are_those_of_development_trees(
    options: argparse.Namespace, tiny_model_dir: Path
) -> None:
    from bnaparser import Parser

    options.sentences = 2
    for name in SETS:
        folder = options.output / name
        folder.mkdir()
        (folder / "dev.mrg").write_text("(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat))))\n" * 3)
    options.treebanks = options.output
    found = run_steps.scores_of(options, Parser.load(tiny_model_dir, device="cpu"))
    assert set(found["f1"]) == set(SETS)
    assert all(0 <= found[key] <= 100 for key in ("capitals", "tags", "constructions"))
