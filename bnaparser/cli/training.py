"""The verbs that train from a recipe: ``train`` (a parser, a task's model) and ``pretrain`` (an encoder, SpanBERT)."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from bnaparser.cli.arguments import add_examples, add_recipe
from bnaparser.cli.console import log_progress, quiet_libraries
from bnaparser.errors import SettingsError, require
from bnaparser.files.tables import parse_toml
from bnaparser.training.loop import interruptible

log = logging.getLogger(__name__)

TRAIN_EXAMPLES = """\
  bnaparser train recipes/tiny.toml
  bnaparser train recipes/tiny.toml -o runs/mine --set train.seed=2"""


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the recipe, where to write, and settings that override the recipe's."""
    add_recipe(parser, "checkpoints, logs and the model")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="for a task: output folder of another run; test whether the predictions of both runs differ by more"
        " than chance",
    )
    add_examples(parser, TRAIN_EXAMPLES)


def run_train(options: argparse.Namespace) -> int:
    """Train; the best model is in OUTPUT/model. An interrupted run is resumed by the same command."""
    quiet_libraries()
    log_progress()
    require("train", "accelerate", "tensorboard")
    output = options.output or Path("runs") / options.recipe.stem
    with interruptible():
        if is_task_recipe(options.recipe):
            return _train_task(options, output)
        return _train_parser(options, output)


def _train_parser(options: argparse.Namespace, output: Path) -> int:
    """Train a parser, and print the score of its best model."""
    if options.against is not None:
        raise SettingsError(
            "--against is for task recipes: compare two parsers with 'bnaparser evaluate GOLD PRED"
            " --significance OTHER_PRED'"
        )
    from bnaparser.training.recipe import load_recipe

    recipe = load_recipe(options.recipe, tuple(options.set))
    recipe.check_data()  # before PyTorch is imported
    log.info("reading the data of %s; output in %s", options.recipe, output)
    from bnaparser.training.run import train

    progress = train(recipe, output, fresh=options.fresh)
    scored = f"best development F1 {progress.best_f1:.2f} at" if recipe.train.dev else "after"
    print(f"{scored} update {progress.best_update}: {output}/model")
    return 0


def is_task_recipe(path: Path) -> bool:
    """Return whether a file is a task recipe (it has a table [task]); False if it cannot be read."""
    try:
        return "task" in parse_toml(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False


def _train_task(options: argparse.Namespace, output: Path) -> int:
    """Train a task model for each seed, and print the scores."""
    require("train", "sklearn", "seqeval")
    log.info("reading the data of %s; output in %s", options.recipe, output)
    from bnaparser.tasks.all_seeds import train
    from bnaparser.tasks.settings import load_task_recipe

    recipe = load_task_recipe(options.recipe, tuple(options.set))
    results = train(recipe, output, fresh=options.fresh, against=options.against)
    metric = results["metric"]
    for part, scores in results["summary"].items():
        found = [f"{run[part][metric]:.2f}" for run in results["seeds"].values()]
        mean, deviation = scores[metric]["mean"], scores[metric]["deviation"]
        seeds = f", deviation {deviation:.2f} ({' '.join(found)})" if len(found) > 1 else ""
        print(f"{part} {metric} {mean:.2f}{seeds}")
    if "against" in results:
        test = results["against"]
        print(
            f"against {test['run']}: {test['first']:.2f} and {test['second']:.2f}, difference "
            f"{test['difference']:+.2f} [{test['low']:+.2f}, {test['high']:+.2f}], "
            f"p = {test['p_value']:.4f}"
        )
    print(f"the model of seed {results['best_seed']}: {output}/model")
    return 0


PRETRAIN_EXAMPLES = """\
  bnaparser pretrain recipes/pretrain/two-minutes.toml
  bnaparser pretrain recipes/pretrain/en.toml --set encoder.name=ENCODER --show-masks "The cat sat."\
"""


def add_pretrain_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the recipe, where to write, and settings that override the recipe's."""
    add_recipe(parser, "checkpoints, logs, the text in subwords, and the encoder")
    parser.add_argument(
        "--show-masks",
        metavar="TEXT",
        help="do not train: show how each masking scheme masks TEXT",
    )
    add_examples(parser, PRETRAIN_EXAMPLES)


def run_pretrain(options: argparse.Namespace) -> int:
    """Pre-train; the encoder is in OUTPUT/model. An interrupted run is resumed by the same command."""
    quiet_libraries()
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    log_progress()
    logging.getLogger("accelerate").setLevel(
        logging.ERROR
    )  # it tells of tied weights at each check
    from bnaparser.spanbert.settings import load_pretrain_recipe

    recipe = load_pretrain_recipe(options.recipe, tuple(options.set))
    if options.show_masks is not None:
        from bnaparser.spanbert.masking import picture

        print(picture(options.show_masks, recipe))
        return 0
    require("pretrain", "accelerate", "tensorboard", "datasets", "filelock")
    output = options.output or Path("runs") / options.recipe.stem
    log.info("reading the text of %s; output in %s", options.recipe, output)
    with interruptible():
        from bnaparser.spanbert.pretraining import pretrain

        progress = pretrain(recipe, output, fresh=options.fresh)
    found = progress.history[-1] if progress.history else {}
    losses = ", ".join(f"{n} {v:.3f}" for n, v in found.items() if n.startswith("held_out"))
    print(f"{progress.tokens:,} subwords seen; {losses or 'nothing held out'}: {output}/model")
    return 0


COMMANDS = {
    "train": (add_train_arguments, run_train),
    "pretrain": (add_pretrain_arguments, run_pretrain),
}
