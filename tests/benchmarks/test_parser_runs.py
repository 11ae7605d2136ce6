"""benchmarks/pretrain/run_parsers.py: what is done is not done again; the page says what was measured."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.pretrain import run_parsers
from bnaparser.training.recipe import load_recipe


def row(data: str, seed: int, encoder: str, f1: float) -> dict[str, Any]:
    scores = {name: f1 + place for place, name in enumerate(run_parsers.DATA[data])}
    return {
        "data": data, "seed": seed, "encoder": encoder, "dev": scores, "test": scores, "seconds": 1.0,
        "updates": 240, "precision": "no", "sentences": 400, "machine": "a GPU", "date": "2026-01-01 00:00", "versions": {"torch": "2"},
    }  # fmt: skip


def test_what_is_done_is_not_done_again_and_stands_in_the_page(tmp_path: Path) -> None:
    options = argparse.Namespace(
        encoder=["before=a", "after=b"],
        seeds="1,2",
        data=None,
        output=tmp_path,
        page=tmp_path / "p.md",
    )
    everything = run_parsers.pending(options)
    assert len(everything) == 8
    rows = [
        row("wsj", 1, "before", 80.0),
        row("wsj", 2, "before", 82.0),
        row("mix", 1, "after", 80.0),
    ]
    text = "".join(json.dumps(one) + "\n" for one in rows)
    (tmp_path / "parsers.jsonl").write_text(text)
    left = run_parsers.pending(options)
    assert set(everything) - set(left) == {
        ("wsj", 1, "before"), ("wsj", 2, "before"), ("mix", 1, "after"),
    }  # fmt: skip
    page = run_parsers.page_of(rows)
    assert "\n- a GPU\n" in page
    assert "| before | float32 | 1 2 | 81.00 ± 1.41 | 81.00 ± 1.41 |" in page
    assert "| after | float32 | 1 | 80.00 | 81.00 | 82.00 | 83.00 | 84.00 | 82.00 | 80.00" in page


def test_the_page_says_what_pre_training_gained_seed_by_seed() -> None:
    more = "small, pre-trained"
    rows = [row("wsj", seed, "small", 80.0 + seed) for seed in (1, 2, 3)]
    rows += [row("wsj", 2, more, 82.5), row("wsj", 1, more, 80.0), row("mix", 1, more, 80.0)]
    page = run_parsers.page_of(rows)
    assert "| small | wsj | +0.50 -1.00: -0.25 | +0.50 -1.00: -0.25 |" in page
    assert "| small | mix |" not in page
    assert "gained" not in run_parsers.page_of(rows[:3])


def test_the_recipes_are_alike_but_for_data_and_updates() -> None:
    tables = []
    for data in run_parsers.DATA:
        recipe = load_recipe(run_parsers.HERE / f"parser_{data}.toml")
        table = recipe.model_dump()
        for key in ("data", "label_maps", "max_steps", "warmup_steps"):
            table["train"].pop(key)
        tables.append(table)
    assert tables[0] == tables[1]
