"""One training of run_ablation.py from beginning to end, ours or benepar's."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import time
import tomllib
from collections.abc import Sequence
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import computed_on, now, versions
from benchmarks.pages import keep_row
from benchmarks.speed.run_speed import for_benepar, say
from benchmarks.studies.ablation.ablation_tables import (
    BATCH_SIZE,
    LEARNING_RATE,
    LEARNING_RATE_OF_CHARACTERS,
    PARTS,
    RUNS,
    WARM_UP,
)
from bnaparser.eval.report import Row

if TYPE_CHECKING:
    from bnaparser.training.recipe import Recipe

Result = dict[str, Any]
PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "numpy", "numba")


def run_one(options: argparse.Namespace, name: str, seed: int) -> None:
    """Train, parse, score, and add the line to the results."""
    begin = time.monotonic()
    data = options.output / "data"
    write_once(options, data)
    folder = options.output / f"{name}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    train = train_benepar if RUNS[name].layers is None else train_ours
    row = {"name": name, "seed": seed, "updates": options.updates, "precision": options.precision}
    row |= train(options, name, seed, folder)
    from bnaparser.eval import score

    for part in PARTS:
        scores = score(data / f"{part}.mrg", folder / f"{part}.mrg")
        row[part], row[f"{part} errors"] = scores.f1, scores.error_sentences + scores.skipped
        row[f"{part} brackets"] = brackets(scores.rows)
    row["total_seconds"] = time.monotonic() - begin
    row["date"], row["processor"] = now(), computed_on()
    keep_row(options.output / "results.jsonl", row)
    say(f"{name} seed {seed}: dev {row['dev']:.2f}, test {row['test']:.2f}")
    # The networks with their optimizers' states would fill a disk; the parsed trees stay.
    for large in ("model", "checkpoint", "logs"):
        shutil.rmtree(folder / large, ignore_errors=True)


def brackets(rows: Sequence[Row]) -> list[list[int]]:
    """Return of each sentence its status, and how many brackets matched, are in the gold tree and in the other."""
    return [[row.status, row.matched, row.gold, row.test] for row in rows]


def as_rows(kept: Sequence[Sequence[int]]) -> list[Row]:
    """Return what ``brackets`` kept as rows that can be compared."""
    return [
        Row(number, 0, status, matched, gold, test, 0, 0, 0)
        for number, (status, matched, gold, test) in enumerate(kept, 1)
    ]


def write_once(options: argparse.Namespace, data: Path) -> None:
    """Write the trees unless they are there, of the same options: several runs may begin at once."""
    told = json.dumps([*map(str, options.data), options.judged, str(options.label_maps)])
    made = data / "made.json"
    if not made.is_file() or made.read_text(encoding="utf-8") != told:
        write_data(options, data)
        made.write_text(told, encoding="utf-8")


def write_data(options: argparse.Namespace, data: Path) -> None:
    """Write the trees as our reader gives them, so that both programs see the same ones."""
    data.mkdir(parents=True, exist_ok=True)
    for part in ("train", *PARTS):
        most = None if part == "train" else options.judged
        trees = [
            tree
            for folder in options.data
            for tree in islice(trees_of(options, folder, part), most)
        ]
        (data / f"{part}.mrg").write_text("\n".join(trees) + "\n", encoding="utf-8")


def trees_of(options: argparse.Namespace, folder: Path, part: str) -> list[str]:
    """Return the trees of a part of a treebank, one a line, with the labels that its map gives them."""
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings, TrainSettings
    from bnaparser.treebanks.reading import list_files

    (file,) = list_files(f"{folder}/{part}.*")
    maps = tomllib.loads(options.label_maps.read_text(encoding="utf-8"))["map"]
    source = DataSettings(path=str(file), map=folder.name if folder.name in maps else None)
    settings = TrainSettings(label_maps=str(options.label_maps))
    return [str(example.tree) for example in read_examples(source, settings)]


def learning_rate(options: argparse.Namespace) -> float:
    return LEARNING_RATE_OF_CHARACTERS if options.encoder is None else LEARNING_RATE


def recipe_of(options: argparse.Namespace, name: str, seed: int) -> Recipe:
    from bnaparser.training.recipe import Recipe

    return Recipe.model_validate(
        {
            "encoder": {} if options.encoder is None else {"name": str(options.encoder)},
            "text": {"languages": [options.language]},
            "layers": RUNS[name].layers or {},
            "tags": {"predict": True},
            "train": {
                "data": [{"path": str(options.output / "data" / "train.mrg")}],
                "max_words": 10_000,
                "batch_size": BATCH_SIZE,
                "batch_tokens": options.batch_tokens,
                "max_steps": options.updates,
                "learning_rate": learning_rate(options),
                "warmup_steps": WARM_UP,
                "lr_scheduler_type": "constant_with_warmup",
                "early_stopping_epochs": None,
                "evals_per_epoch": 1e-6,
                "seed": seed,
                "threads": options.threads,
                "mixed_precision": options.precision,
            },
        }
    )


def train_ours(options: argparse.Namespace, name: str, seed: int, folder: Path) -> Result:
    """Train with the library, then parse with gold tags in the trees, as for benepar."""
    from bnaparser.cli.console import quiet_libraries
    from bnaparser.encoders.device import move
    from bnaparser.network import storage
    from bnaparser.network.decoding import predict
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings
    from bnaparser.training.run import train
    from bnaparser.trees.tree import Tree

    quiet_libraries()
    recipe = recipe_of(options, name, seed)
    seconds = train(recipe, folder, fresh=True).seconds
    model = storage.load(folder / "model")
    move(model, None)
    for part in PARTS:
        source = DataSettings(path=str(options.output / "data" / f"{part}.mrg"))
        examples = read_examples(source, recipe.train)
        found = predict(model, model.prepare([e.words for e in examples]), options.batch_tokens)
        trees = [
            str(Tree.from_spans(e.words, e.tags, prediction.spans))
            for e, prediction in zip(examples, found, strict=True)
        ]
        (folder / f"{part}.mrg").write_text("\n".join(trees) + "\n", encoding="utf-8")
    parameters = sum(p.numel() for n, p in model.named_parameters() if "encoder.model" not in n)
    return {
        "seconds": seconds,
        "head_parameters": parameters,
        "versions": versions(PACKAGES),
    }


def train_benepar(options: argparse.Namespace, name: str, seed: int, folder: Path) -> Result:
    """Let benepar's own environment train on the batches that our training has with this seed.

    A training that was broken off is gone on with.
    """
    recipe = recipe_of(options, name, seed)
    data = options.output / "data"
    checkpoint = folder / "checkpoint" / "benepar.pt"
    checkpoint.parent.mkdir(exist_ok=True)
    job = {
        "encoder": str(for_benepar(options.encoder, folder)),
        "threads": options.threads,
        "seed": seed,
        "train": str(data / "train.mrg"),
        "batches": batches(recipe),
        "learning_rate": learning_rate(options),
        "warmup_steps": WARM_UP,
        "betas": recipe.train.betas,
        "epsilon": recipe.train.eps,
        "batch_tokens": options.batch_tokens,
        "tag_weight": recipe.tags.loss_weight,
        "precision": options.precision,
        "checkpoint": str(checkpoint),
        "parse": [[str(data / f"{part}.mrg"), str(folder / f"{part}.mrg")] for part in PARTS],
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    script = Path(__file__).with_name("benepar_training.py")
    command = [options.benepar_python, "-W", "ignore", str(script), str(folder / "job.json")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def batches(recipe: Recipe) -> list[list[int]]:
    """Return the batches of all updates, as indices of examples, as our training draws them."""
    from bnaparser.training.data import epoch_batches, read_mix

    mix = read_mix(recipe.train)
    sizes = [len(example.words) for example in mix.train]
    epochs = (epoch_batches(mix, sizes, recipe.train, epoch) for epoch in count())
    drawn = (batch for epoch in epochs for batch in epoch)
    return list(islice(drawn, recipe.train.max_steps))
