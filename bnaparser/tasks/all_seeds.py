"""Training a task: Hugging Face's Trainer underneath, one run a seed, the best on development data.

An interrupted run is resumed by the same command: seeds that are done are not trained again, and the one
that was interrupted starts from its last checkpoint.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from bnaparser.compute.cores import usable_threads
from bnaparser.encoders.device import check_device
from bnaparser.errors import DataError, SettingsError
from bnaparser.files.folder import METRICS, only_one, put_in_place
from bnaparser.files.tables import parse_json, write_json
from bnaparser.tasks.data import Data, read_data
from bnaparser.tasks.examples import Gold
from bnaparser.tasks.model import TaskModel, create, load_model, save_model, to_device
from bnaparser.tasks.one_seed import train_seed
from bnaparser.tasks.settings import TaskRecipe
from bnaparser.tasks.significance import Comparison, compare
from bnaparser.training.checkpoints import LOGS, differing, fixed_part, remove_run, set_aside
from bnaparser.training.loop import Interruption, interruptible

log = logging.getLogger(__name__)
MODEL, RECIPE, RESULTS, CHECKPOINTS = "model", "recipe.json", "results.json", "checkpoints"
SEEDS, NEW, DATA, FILES = "seed-*", "model.new", "data.json", "files"
# What may differ from the recipe that the first seed was trained with.
FREE = {"train": {"seeds", "device", "threads"}}
_SEED = re.compile(r"seed-(0|[1-9][0-9]*)")


def train(
    recipe: TaskRecipe, output: str | Path, *, fresh: bool = False, against: Path | None = None
) -> dict[str, Any]:
    """Train a task by a recipe, once a seed; return what ``output/results.json`` then holds.

    Each seed has a folder ``seed-N`` with its model and predictions; the one that is best on the
    development data is in ``output/model``. The results are the scores of each seed in percent,
    their mean and standard deviation, and with ``against``, the output of another run on the same
    data, a paired test of both runs' predictions. ``fresh`` starts over; the model of the earlier run is renamed.
    On Ctrl-C and SIGTERM the run writes a checkpoint and raises TrainingInterrupted.

    Raises DataError when there is nothing to train on or to compare with, SettingsError and
    ModelError as they apply, MissingExtraError without what training needs.
    """
    output = Path(output)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        # Each would read batches of its own, and all would write the same files.
        raise SettingsError(
            "a task model is trained by one process on one device:"
            " run the command without accelerate launch or torchrun"
        )
    with only_one(output, "a model is being trained"):
        if not fresh:
            _check_same_recipe(recipe, output)
        check_device(recipe.train.device)
        if against is not None:
            _pairs(recipe, against)
        torch.set_num_threads(recipe.train.threads or usable_threads())
        trained = all(map(Path.is_file, _results_of_seeds(recipe, output)))
        if trained and not fresh and _same_files(recipe, output):
            log.info("the models of all seeds are already trained")
        else:
            with interruptible() as interruption:
                _train_seeds(recipe, output, fresh, against, interruption)
        results = summarize(recipe, output)
        write_json(output / RESULTS, results)
        if against is not None:
            results["against"] = {
                "run": str(against),
                **asdict(compare_runs(recipe, output, against)),
            }
            write_json(output / RESULTS, results)
        return results


def _results_of_seeds(recipe: TaskRecipe, output: Path) -> list[Path]:
    return [output / f"seed-{seed}" / RESULTS for seed in recipe.train.seeds]


def _train_seeds(
    recipe: TaskRecipe,
    output: Path,
    fresh: bool,
    against: Path | None,
    interruption: Interruption,
) -> None:
    """Train the seeds that are left. What an earlier run has left goes once encoder and data are there."""
    # A wrong encoder is known before all texts are parsed; which classes there are is not yet.
    create(recipe.model_settings(), ())
    files = _hashes(recipe)  # before they are read: they may change while texts are parsed
    data = read_data(recipe)
    if against is not None:
        _predicted_by(recipe, against, data.labels, data.judged[-1].gold)
    if fresh:
        set_aside(output / MODEL)
        remove_run(output, (SEEDS, MODEL, NEW, RECIPE, RESULTS, DATA))
        _check_same_recipe(recipe, output)
    _check_same_data(recipe, data, files, output)
    for seed, results in zip(recipe.train.seeds, _results_of_seeds(recipe, output), strict=True):
        if results.is_file():
            log.info("seed %d: the model is already trained", seed)
            continue
        folder = results.parent
        model = train_seed(recipe, data, seed, folder / CHECKPOINTS, folder / LOGS, interruption)
        interruption.kept = (
            f"the last checkpoint of seed {seed} stays; the same command resumes the run"
        )
        _finish(recipe, data, model, seed, folder)
        interruption.kept = f"seed {seed} is trained; the same command resumes the run"


def _finish(recipe: TaskRecipe, data: Data, model: TaskModel, seed: int, folder: Path) -> None:
    """Store a seed's model, predict with it as it is stored, and take its checkpoints away."""
    save_model(model, folder / MODEL, recipe.train.store, {})
    stored = to_device(load_model(folder / MODEL), recipe.train.device)
    scores: dict[str, dict[str, float]] = {}
    for split in data.judged:
        predicted = stored.predictions(split.examples, recipe.train.eval_batch_tokens)
        scores[split.name] = model.kind.score(data.labels, split.gold, predicted)
        write_json(
            folder / f"{split.name}.predictions.json",
            {"labels": data.labels, "gold": split.gold, "predicted": predicted},
        )
        shown = " ".join(f"{name} {value:.2f}" for name, value in scores[split.name].items())
        log.info("seed %d, %s: %s", seed, split.name, shown)
    flat = {f"{part} {name}": v for part, found in scores.items() for name, v in found.items()}
    write_json(folder / MODEL / METRICS, {"seed": seed, **flat})
    write_json(folder / RESULTS, scores)
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def summarize(recipe: TaskRecipe, output: Path) -> dict[str, Any]:
    """Return the scores of all seeds, mean and deviation; put the best model into its place."""
    metric = recipe.task.main_metric
    seeds = {seed: _read(output / f"seed-{seed}" / RESULTS) for seed in recipe.train.seeds}
    best = max(seeds, key=lambda seed: seeds[seed]["dev"][metric])
    first = next(iter(seeds.values()))
    summary = {
        part: {
            name: {
                "mean": statistics.fmean(values),
                "deviation": statistics.stdev(values) if len(values) > 1 else 0.0,
            }
            for name in scores
            for values in [[found[part][name] for found in seeds.values()]]
        }
        for part, scores in first.items()
    }
    new = output / NEW
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(output / f"seed-{best}" / MODEL, new)
    put_in_place(new, output / MODEL)
    return {
        "metric": metric,
        "best_seed": best,
        "summary": summary,
        "seeds": {str(seed): found for seed, found in seeds.items()},
    }


def compare_runs(recipe: TaskRecipe, output: Path, other: Path) -> Comparison:
    """Test this run against another on the last part of the data, the mean over their seeds.

    Seeds of the same number are paired if the other run has all seeds of this run, else the n-th of both in their
    order. Raises DataError if the other has no predictions, or they are not for the same examples.
    """
    name, pairs = _predictions_name(recipe), _pairs(recipe, other)
    taken = ", ".join(str(theirs) for _, theirs in pairs)
    log.info("compared with the seeds %s of %s", taken, other)
    mine = [_read(output / f"seed-{seed}" / name) for seed, _ in pairs]
    first, predicted = mine[0], [as_gold(run["predicted"]) for run in mine]
    gold = as_gold(first["gold"])
    theirs = _predicted_by(recipe, other, first["labels"], gold)
    return compare(recipe.task, first["labels"], gold, predicted, theirs)


def _predicted_by(
    recipe: TaskRecipe, other: Path, labels: Sequence[str], gold: Sequence[Gold]
) -> list[list[Gold]]:
    """Return another run's predictions for our labels and examples; DataError if they are for others."""
    found = []
    for _, seed in _pairs(recipe, other):
        file = other / f"seed-{seed}" / _predictions_name(recipe)
        run = _read(file)
        if as_gold(run["gold"]) != list(gold) or run["labels"] != list(labels):
            raise DataError(
                f"{file} has predictions for other examples than this run: compare runs on the same data"
            )
        found.append(as_gold(run["predicted"]))
    return found


def as_gold(stored: Sequence[Any]) -> list[Gold]:
    """Return what JSON gives as lists as the tuples that they were."""
    return [tuple(gold) if isinstance(gold, list) else gold for gold in stored]


def _predictions_name(recipe: TaskRecipe) -> str:
    return f"{'test' if recipe.train.test else 'dev'}.predictions.json"


def _pairs(recipe: TaskRecipe, other: Path) -> list[tuple[int, int]]:
    """Return our seeds, each with one of another run's that has predictions.

    It is the same number if the other run has all seeds of this run, else both are sorted, and the other's first
    ones are taken. Raises DataError if the other has fewer.
    """
    name, ours = _predictions_name(recipe), recipe.train.seeds
    found = [_SEED.fullmatch(file.parent.name) for file in other.glob(f"{SEEDS}/{name}")]
    theirs = sorted(int(match[1]) for match in found if match)
    if len(theirs) < len(ours):
        raise DataError(f"{other} has {len(theirs)} seeds with {name}, this run has {len(ours)}")
    if set(ours) <= set(theirs):
        return [(seed, seed) for seed in ours]
    return list(zip(sorted(ours), theirs, strict=False))


def _hashes(recipe: TaskRecipe) -> dict[str, str]:
    """Return a hash of each file that a recipe's examples or trees are read from, where it is there."""
    settings = recipe.train
    examples = [file.path for file in (*settings.data, *settings.dev, *settings.test)]
    found = {}
    for path in filter(os.path.isfile, (*examples, *recipe.syntax.files)):
        with open(path, "rb") as file:
            found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _same_files(recipe: TaskRecipe, output: Path) -> bool:
    """Return whether all files are there still, byte for byte; if not, what they hold is to be looked at."""
    stored = _read(output / DATA) if (output / DATA).is_file() else None
    return isinstance(stored, dict) and stored.get(FILES) == _hashes(recipe)


def _check_same_data(recipe: TaskRecipe, data: Data, files: dict[str, str], output: Path) -> None:
    """Note hashes of a new output's data; SettingsError if runs on other data are in it.

    Trees of a parser are no part of it: another batch may change a last digit, and so a tree. Files
    may change where what they hold does not.
    """
    trees = recipe.syntax.trees == "files"
    parts = {
        split.name: {"examples": len(split.examples), "sha256": split.digest(trees)}
        for split in (data.train, *data.judged)
    }
    ours = {"labels": list(data.labels), "parts": parts, FILES: files}
    _check_same(output, DATA, ours, "data", frozenset({FILES}))


def _check_same_recipe(recipe: TaskRecipe, output: Path) -> None:
    """Write the recipe into a new output; SettingsError if runs of another recipe are in it."""
    ours = fixed_part(recipe, FREE)
    output.mkdir(parents=True, exist_ok=True)
    _check_same(output, RECIPE, ours, "settings")


def _check_same(
    output: Path, name: str, ours: dict[str, Any], what: str, free: frozenset[str] = frozenset()
) -> None:
    file = output / name
    begun = file.is_file() and any(output.glob(SEEDS))
    changed = differing(ours, _read(file)) if begun else list(ours)
    others = [name for name in changed if name.partition(".")[0] not in free]
    if begun and others:
        raise SettingsError(
            f"{output} was begun with other {what} ({', '.join(others)}): start from scratch with"
            " --fresh, or choose another folder with --output"
        )
    if changed:
        write_json(file, ours)


def _read(file: Path) -> Any:
    try:
        return parse_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: cannot be read: {error}") from error
