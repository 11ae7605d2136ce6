"""``bnaparser train``: a recipe of a parser or of a task in, a model folder out."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from bnaparser.cli.arguments import add_examples, add_recipe
from bnaparser.cli.quiet import log_progress, quiet_libraries
from bnaparser.errors import SettingsError, require
from bnaparser.files.tables import parse_toml
from bnaparser.training.loop import interruptible

log = logging.getLogger(__name__)

EXAMPLES = """\
  bnaparser train recipes/tiny.toml
  bnaparser train recipes/tiny.toml -o runs/mine --set train.seed=2"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the recipe, where to write, and settings that override the recipe's."""
    add_recipe(parser, "checkpoints, logs and the model")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="of a task: the output of another run, to test the difference of their predictions",
    )
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
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
        raise SettingsError("--against compares tasks' predictions: see 'bnaparser evaluate'")
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
    """Tell whether a recipe is a task's; one that cannot be read is not, others say why."""
    try:
        return "task" in parse_toml(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False


def _train_task(options: argparse.Namespace, output: Path) -> int:
    """Train a task once a seed, and print what its results say of its metric."""
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
