"""Measure what more pre-training gains: parsers on several encoders, with the same other settings.

    python -m benchmarks.studies.pretrain.run_parsers --treebanks TREEBANKS --encoder NAME=DIR [--encoder ...] --output DIR
    python -m benchmarks.studies.pretrain.run_parsers ... --report

The script trains a parser on each encoder with each seed and each recipe of DATA (``parser_wsj.toml`` and ``parser_mix.toml``
beside this file). It scores the parser on development and test trees of each of its treebanks; no setting is chosen by these
scores. A finished training writes a line to ``OUTPUT/parsers.jsonl`` and is not repeated. An interrupted training is
resumed. All encoders run with the first seed, then with the next. "NAME, pre-trained" and "NAME, pre-trained on subwords"
are compared with NAME. ``--report`` writes ``parsers.md`` and ``parsers.jsonl`` beside this file and keeps the notes at the end of the page.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.accuracy.run_accuracy import SETS, bracket_scores, gold_trees
from benchmarks.encoders import described
from benchmarks.machine import (
    NUMBERS,
    command,
    computed_on,
    listed_of,
    now,
    versions,
    without_folders,
)
from benchmarks.pages import keep_row, kept_rows, spread, write_page
from benchmarks.speed.run_speed import say

HERE = Path(__file__).parent
# The recipes, and the treebanks that their parsers are scored on.
DATA = {"wsj": ("wsj_sample",), "mix": tuple(SETS)}
PARTS = ("dev", "test")
# Follows the name of an encoder in the name of its pre-trained version.
PRETRAINED = ", pre-trained"
PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "numpy")
Row = dict[str, Any]


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treebanks", type=Path, required=True, metavar="DIR")
    parser.add_argument("--encoder", action="append", required=True, metavar="NAME=DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--data", action="append", choices=DATA, help="default: all")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument(
        "--sentences", type=int, default=400, help="of each treebank that is scored"
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--report", action="store_true", help="write the page; train nothing")
    parser.add_argument("--page", type=Path, default=HERE / "parsers.md")
    return parser.parse_args()


def pending(options: argparse.Namespace) -> list[tuple[str, int, str]]:
    """Return the requested trainings that are not finished: data, seed, encoder."""
    names = [encoder.partition("=")[0] for encoder in options.encoder]
    seeds = map(int, options.seeds.split(","))
    done = {(row["data"], row["seed"], row["encoder"]) for row in rows_of(options)}
    requested = product(options.data or DATA, seeds, names)
    return [training for training in requested if training not in done]


def rows_of(options: argparse.Namespace) -> list[Row]:
    """Return what is done, here or, where nothing is, beside the page."""
    return kept_rows(options.output / "parsers.jsonl", options.page)


def train_one(options: argparse.Namespace, data: str, seed: int, name: str) -> Row:
    """Train one parser; return its line."""
    from bnaparser.training.recipe import load_recipe
    from bnaparser.training.run import train

    folders = dict(encoder.split("=", 1) for encoder in options.encoder)
    text = (HERE / f"parser_{data}.toml").read_text(encoding="utf-8")
    text = text.replace("ENCODER", folders[name]).replace("TREEBANKS", str(options.treebanks))
    folder = options.output / f"{data}-{name}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    recipe = load_recipe(folder / "recipe.toml", (f"train.seed={seed}", *options.set))
    begin = time.monotonic()
    train(recipe, folder)
    row: Row = {"data": data, "seed": seed, "encoder": name, "seconds": time.monotonic() - begin}
    row |= {part: scores_of(options, data, folder / "model", part) for part in PARTS}
    row |= {"updates": recipe.train.max_steps, "precision": recipe.train.mixed_precision}
    row |= {"sentences": options.sentences, "machine": computed_on()}
    row |= {"date": now(), "versions": versions(PACKAGES)}
    shutil.rmtree(folder)
    return row


def scores_of(options: argparse.Namespace, data: str, model: Path, part: str) -> dict[str, float]:
    """Return a parser's F1 on each treebank of its data."""
    from bnaparser import Parser

    parser = Parser.load(model, precision="float32")
    found = {}
    for name in DATA[data]:
        gold = gold_trees(options.treebanks, name, part, options.sentences)
        scores = bracket_scores(gold, parser.parse_many([tree.words for tree in gold]))
        assert not scores.error_sentences + scores.skipped
        found[name] = scores.f1
    return found


def page_of(rows: list[Row]) -> str:
    """Return the page of all lines."""
    dates = sorted(row["date"] for row in rows)
    machines = dict.fromkeys(row["machine"] for row in rows)
    lines = ["# Parsers before and after pre-training", ""]
    lines += [f"{dates[0]} to {dates[-1]} UTC.", "", f"- {'; '.join(machines)}"]
    lines += [f"- {listed_of(rows)}"]
    encoders = dict.fromkeys(row["encoder"].partition(",")[0] for row in rows)
    lines += [f"- Encoder {described(name)}" for name in encoders]
    typed = [one for one in without_folders(sys.argv[1:]) if one != "--report"]
    lines += [f"- `{command('benchmarks.studies.pretrain.run_parsers', typed)}`"]
    for data, sets in DATA.items():
        mine = [row for row in rows if row["data"] == data]
        if mine:
            lines += ["", *table(data, sets, mine)]
    return "\n".join([*lines, *gains(rows)]) + "\n"


def table(data: str, sets: tuple[str, ...], rows: list[Row]) -> list[str]:
    """Return F1 by encoder, mean and standard deviation over seeds."""
    scored = (*sets, "mean") if len(sets) > 1 else sets
    columns = [(part, name) for part in PARTS for name in scored]
    heads = "".join(f" {name}, {part} |" for part, name in columns)
    some = rows[0]
    lines = [
        f"Parsers of `parser_{data}.toml`, {some['updates']} updates. F1 on the first {some['sentences']} sentences of each",
        "treebank, mean and standard deviation over seeds:",
        "",
        f"| encoder | number format | seeds |{heads}",
        f"|---|---|---|{'---|' * len(columns)}",
    ]
    for name, precision in dict.fromkeys((row["encoder"], row["precision"]) for row in rows):
        mine = [row for row in rows if (row["encoder"], row["precision"]) == (name, precision)]
        seeds = " ".join(str(row["seed"]) for row in mine)
        cells = "".join(f" {spread([f1(row, *column) for row in mine])} |" for column in columns)
        lines.append(f"| {name} | {NUMBERS[precision]} | {seeds} |{cells}")
    return lines


def gains(rows: list[Row]) -> list[str]:
    """Return what the encoders named so have over those before, on the mean of a recipe's treebanks: by seed and altogether."""
    shown = {(row["data"], row["encoder"], row["seed"]): row for row in rows}
    lines = []
    for data, name in dict.fromkeys((data, name) for data, name, _ in shown if PRETRAINED in name):
        before = name.partition(PRETRAINED)[0]
        pairs = [
            (shown[data, before, seed], row)
            for (other, after, seed), row in shown.items()
            if (other, after) == (data, name) and (data, before, seed) in shown
        ]
        if not pairs:
            continue
        cells = []
        for part in PARTS:
            gained = [f1(after, part, "mean") - f1(before, part, "mean") for before, after in pairs]
            each = " ".join(f"{one:+.2f}" for one in gained)
            cells.append(f"{each}: {statistics.fmean(gained):+.2f}")
        lines.append(f"| {name} | {data} | {' | '.join(cells)} |")
    if not lines:
        return []
    heads = [f"| encoder | data |{''.join(f' {part} |' for part in PARTS)}", "|---|---|---|---|"]
    return ["", "Gain in F1 of more pre-training, for each seed and the mean:", "", *heads, *lines]


def f1(row: Row, part: str, name: str) -> float:
    scores: dict[str, float] = row[part]
    return statistics.fmean(scores.values()) if name == "mean" else scores[name]


def main() -> None:
    options = options_from_command_line()
    if options.report:
        rows = rows_of(options)
        write_page(options.page, page_of(rows), rows)
        return
    options.output.mkdir(parents=True, exist_ok=True)
    left = pending(options)
    for number, (data, seed, name) in enumerate(left):
        say(f"training {number + 1} of {len(left)}: {data}, {name}, seed {seed}")
        row = train_one(options, data, seed, name)
        keep_row(options.output / "parsers.jsonl", row)
    say("all done; --report writes the page")


if __name__ == "__main__":
    main()
