"""One run of run_masking.py from beginning to end: pre-training, parser, tasks."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import now, versions
from benchmarks.pages import keep_row
from benchmarks.studies.pretrain.masking_tables import (
    BATCH_SIZE,
    BATCH_TOKENS,
    BLOCK,
    JUDGED,
    LEARNING_RATE,
    NONE,
    PARSER,
    RUNS,
    TASKS,
)

if TYPE_CHECKING:
    from bnaparser.spanbert.settings import PretrainRecipe

Result = dict[str, Any]
PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "datasets", "numpy")
PARTS = ("dev", "test")


def budget(options: argparse.Namespace) -> Result:
    """Return what two runs must have in common to stand in one table."""
    return {
        "encoder": options.encoder.name,
        "text": [file.name for file in options.text],
        "updates": options.updates,
        "parser_updates": options.parser_updates,
        "precision": options.precision,
    }


def run_one(options: argparse.Namespace, name: str, seed: int) -> None:
    """Pre-train, train on each task, and add the line to the results; what was cut off goes on."""
    from bnaparser.cli.console import quiet_libraries

    quiet_libraries()
    begin = time.monotonic()
    folder = options.output / f"{name}-{seed}"
    row = {"name": name, "seed": seed, **budget(options)}
    encoder = options.encoder
    if name != NONE:
        row |= pretrained(options, name, seed, folder)
        encoder = folder / "pretraining" / "model"
    row["parser"] = parser_scores(options, encoder, seed, folder)
    for task in TASKS:
        row[task] = task_scores(options, task, encoder, seed, folder)
    row |= {"seconds": time.monotonic() - begin, "date": now(), "versions": versions(PACKAGES)}
    keep_row(options.output / "results.jsonl", row)
    shutil.rmtree(folder)


def recipe_of(options: argparse.Namespace, name: str, seed: int) -> PretrainRecipe:
    """Return how a run is pre-trained."""
    from bnaparser.spanbert.settings import PretrainRecipe

    run = RUNS[name]
    return PretrainRecipe.model_validate(
        {
            "encoder": {"name": str(options.encoder), "dropout": 0.0},
            "text": {
                "files": [str(file) for file in options.text],
                "block_size": BLOCK,
                "dev_ratio": 0.02,
                "cache": str(options.output / "text"),
            },
            "masking": {"scheme": run.scheme, "entities": options.entities},
            "objectives": {
                "boundary_weight": float(run.boundaries),
                "next_sentence": run.next_sentence,
            },
            "pretrain": {
                "max_steps": options.updates,
                "batch_size": BATCH_SIZE,
                "batch_tokens": BATCH_TOKENS,
                "learning_rate": LEARNING_RATE,
                "weight_decay": 0.01,
                "warmup_steps": options.updates // 10,
                "eval_steps": max(1, options.updates // 4),
                "dev_blocks": 100,
                "mixed_precision": options.precision,
                "threads": options.threads,
                "seed": seed,
            },
        }
    )


def pretrained(options: argparse.Namespace, name: str, seed: int, folder: Path) -> Result:
    """Pre-train; return its held-out losses, and those that all runs can be compared by."""
    from bnaparser.spanbert.pretraining import pretrain

    recipe = recipe_of(options, name, seed)
    progress = pretrain(recipe, folder / "pretraining")
    return {
        "tokens": progress.tokens,
        "pretraining_seconds": progress.seconds,
        "history": progress.history,
        "words_lost": {
            scheme: words_lost(recipe, folder / "pretraining", scheme)
            for scheme in ("subwords", "geometric")
        },
    }


def words_lost(recipe: PretrainRecipe, output: Path, scheme: str) -> float:
    """Return what the made encoder loses a masked word of held-out text, one segment, masked so."""
    from bnaparser.spanbert.pretraining import HELD_OUT, PretrainRun, held_out_losses
    from bnaparser.spanbert.settings import PretrainRecipe
    from bnaparser.training.setup import build_accelerator

    tables = recipe.model_dump()
    tables["encoder"]["name"] = str(output / "model")
    tables["masking"]["scheme"] = scheme
    tables["objectives"] = {"boundary_weight": 0.0}
    judged = PretrainRecipe.model_validate(tables)
    run = PretrainRun(judged, output / scheme, build_accelerator("no", output / scheme))
    return held_out_losses(run.parts, run.settings, HELD_OUT)["held_out_words"]


def parser_scores(options: argparse.Namespace, encoder: Path, seed: int, folder: Path) -> Result:
    """Train a parser on the encoder; return its F1 on development and test trees."""
    from bnaparser.eval import score
    from bnaparser.network import storage
    from bnaparser.network.decoding import predict
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings, Recipe
    from bnaparser.training.run import train
    from bnaparser.trees.tree import Tree

    recipe = Recipe.model_validate(
        {
            "encoder": {"name": str(encoder)},
            "layers": {"layer_types": ()},
            "tags": {"predict": True},
            "train": PARSER
            | {
                "data": [{"path": str(options.data / "train.mrg")}],
                "max_steps": options.parser_updates,
                "warmup_steps": options.parser_updates // 10,
                "lr_scheduler_type": "linear",
                "early_stopping_epochs": None,
                "evals_per_epoch": 1e-6,
                "seed": seed,
                "threads": options.threads,
                "mixed_precision": options.precision,
            },
        }
    )
    train(recipe, folder / "parser")
    model = storage.load(folder / "parser" / "model")
    found = {}
    for part in PARTS:
        examples = read_examples(DataSettings(path=str(options.data / f"{part}.mrg")), recipe.train)
        predictions = predict(model, model.prepare([e.words for e in examples]), 1000)
        pairs = zip(examples, predictions, strict=True)
        parsed = [str(Tree.from_spans(e.words, e.tags, one.spans)) for e, one in pairs]
        gold = [str(example.tree) for example in examples]
        for kind, trees in (("gold", gold), ("parsed", parsed)):
            file = folder / f"{part}.{kind}.mrg"
            file.write_text("\n".join(trees) + "\n", encoding="utf-8")
        scores = score(folder / f"{part}.gold.mrg", folder / f"{part}.parsed.mrg")
        assert not scores.error_sentences + scores.skipped
        found[part] = scores.f1
    return found


def task_scores(
    options: argparse.Namespace, task: str, encoder: Path, seed: int, folder: Path
) -> Result:
    """Train a task on the encoder; return its score on each part that it is judged on."""
    from bnaparser.tasks.all_seeds import train
    from bnaparser.tasks.settings import TaskRecipe

    tables = TASKS[task]
    files = {
        part: [file | {"path": str(options.tasks / file["path"])} for file in tables["train"][part]]
        for part in ("data", *PARTS)
        if part in tables["train"]
    }
    recipe = TaskRecipe.model_validate(
        {
            **tables,
            "encoder": {"name": str(encoder)},
            "train": {
                "learning_rate": 1e-4,
                "head_learning_rate": 5e-4,
                "batch_size": 16,
                "mixed_precision": options.precision,
                "threads": options.threads,
                "seeds": (seed,),
            }
            | tables["train"]
            | files,
        }
    )
    results = train(recipe, folder / task)
    metric = JUDGED[task][0]
    return {part: scores[metric] for part, scores in results["seeds"][str(seed)].items()}
