"""One training of run_syntax.py or run_large.py from beginning to end, the trees for all, and who sees whom."""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import computed_on, now, versions
from benchmarks.speed.run_speed import say
from benchmarks.studies.syntax.kept_runs import (
    Result,
    Run,
    budget,
    claimed,
    measured,
    read_run,
    run_file,
    write_run,
)
from benchmarks.studies.syntax.syntax_tables import ENGLISH, SYSTEMS, TASKS, WINDOW

if TYPE_CHECKING:
    from bnaparser.syntax.syntax_trees import SyntaxTrees
    from bnaparser.tasks.data import Data
    from bnaparser.tasks.examples import Gold
    from bnaparser.tasks.settings import TaskRecipe
    from bnaparser.trees.tree import Tree

PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "scikit-learn", "seqeval", "numpy")
# The Trainer wants development data and an end that it is judged at; that score is not used.
UNUSED = 32
NEVER = 10**9
HELD_OUT = 0.1


def recipe_of(options: argparse.Namespace, task: str, system: str, seed: int) -> TaskRecipe:
    """Return the recipe of a run; nothing is chosen on what it is scored on.

    With ``options.held_out`` a tenth of the training examples is development data instead.
    """
    from bnaparser.tasks.settings import TaskRecipe

    found, given = TASKS[task], budget(options, task)
    variant, trees = SYSTEMS[system].variant, SYSTEMS[system].trees
    if system == WINDOW:
        variant = {"wla": variant["wla"] | {"window": prepared(options)["window"]}}
    train = {"path": str(options.tasks / found.train), **(found.of_files or {})}
    scored = {"path": str(options.tasks / found.scored), **(found.of_files or {})}
    learned, dev = train, train | {"limit": UNUSED}
    if options.held_out:
        learned = train | {"part": (HELD_OUT, 1.0)}
        dev = train | {"part": (0.0, HELD_OUT), "limit": options.scored}
    return TaskRecipe.model_validate(
        {
            "task": found.table,
            "encoder": {"name": str(options.encoder), "pooling": options.pooling},
            "syntax": {
                **variant,
                "trees": "random" if trees == "random" else "parser",
                "parser": options.parser,
                "cache": str(options.output / "trees.sqlite"),
            },
            "train": {
                "data": [learned | {"limit": given["examples"]}],
                "dev": [dev],
                "test": [scored | {"limit": options.scored}],
                "epochs": given["epochs"],
                "batch_size": options.batch_size,
                "learning_rate": options.learning_rate,
                "eval_steps": NEVER,
                "mixed_precision": options.precision,
                "device": options.device,
                "seeds": [seed],
            },
        }
    )


def data_of(options: argparse.Namespace, recipe: TaskRecipe, system: str) -> Data:
    """Return a run's examples with their trees: our parser's, random ones, or SST's own."""
    from bnaparser.tasks.data import read_data

    data = read_data(recipe)
    if SYSTEMS[system].trees != "sst":
        return data
    trees = own_trees(options.tasks / TASKS["sst2"].train, options.tasks / TASKS["sst2"].scored)
    change: Callable[[SyntaxTrees], SyntaxTrees] = lambda structure: with_tree(structure, trees)
    return with_structures(data, change)


def with_structures(data: Data, change: Callable[[SyntaxTrees], SyntaxTrees]) -> Data:
    """Return the data with every structure changed."""

    def changed(split: Any) -> Any:
        examples = tuple(
            replace(example, structures=tuple(map(change, example.structures)))
            for example in split.examples
        )
        return replace(split, examples=examples)

    return replace(data, train=changed(data.train), judged=tuple(map(changed, data.judged)))


def own_trees(*files: Path) -> dict[tuple[str, ...], Tree]:
    """Return the trees of files in SST's form, by their words."""
    from bnaparser.treebanks.reading import find_trees
    from bnaparser.trees.escapes import unescape

    found = (place.tree for file in files for place in find_trees(file))
    return {tuple(map(unescape, tree.words)): tree for tree in found}


def with_tree(structure: SyntaxTrees, trees: Mapping[tuple[str, ...], Tree]) -> SyntaxTrees:
    """Return the structure of the same words with another tree, and heads that fit it.

    The tree has no labels that head rules could read: of the words of a phrase the one that is
    highest in the given dependencies is its head, the first of several.
    """
    from bnaparser.syntax.syntax_trees import SyntaxTrees
    from bnaparser.trees.heads.dependencies import parents_first

    if structure.heads is None:
        return structure
    tree = trees[structure.words]
    depths = [0] * len(structure.words)
    for place in parents_first(structure.heads):
        if structure.heads[place]:
            depths[place] = depths[structure.heads[place] - 1] + 1
    heads = [0] * len(depths)
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        head = min(range(node.start, node.end), key=depths.__getitem__)
        for child in node.subtrees:
            other = min(range(child.start, child.end), key=depths.__getitem__)
            if other != head:
                heads[other] = head + 1
            nodes.append(child)
    return SyntaxTrees(structure.words, tuple(heads), (tree,))


def parse_texts(options: argparse.Namespace, task: str) -> None:
    """Parse all texts of a task into the cache."""
    begin = time.monotonic()
    data_of(options, recipe_of(options, task, "syntax-bert", 1), "syntax-bert")
    say(f"trees of {task}: {time.monotonic() - begin:.0f} s")


def prepare(options: argparse.Namespace) -> None:
    """Parse all texts into the cache, and measure how many pairs of words each system lets see."""
    for task in ENGLISH:
        parse_texts(options, task)
    from bnaparser.syntax.variants.sla import SlaSettings, local_mask

    settings = SlaSettings()
    shares = {}
    for system in ("sla", "sla-sst", "sla-random"):
        data = data_of(options, recipe_of(options, "sst2", system, 1), system)
        structures = [s for e in data.train.examples for s in e.structures if s.heads is not None]
        shares[system] = share([local_mask(structure, settings) for structure in structures])
    lengths = [len(structure.words) for structure in structures]
    window, shares[WINDOW] = window_as_dense(lengths, shares["sla"])
    found = {"window": window, "shares": shares, **budget(options, "sst2")}
    path = options.output / "prepared.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def share(masks: list[Any]) -> float:
    """Return the share of all pairs of words, a word with itself too, that masks let see."""
    return sum(int(mask.sum()) for mask in masks) / sum(int(mask.size) for mask in masks)


def window_as_dense(lengths: list[int], wanted: float) -> tuple[int, float]:
    """Return the window of words whose share of pairs is nearest to the one wanted, and its share."""
    from bnaparser.syntax.variants.wla import band

    shares = {k: share([band(n, k) for n in lengths]) for k in range(1, max(lengths) + 1)}
    window = min(shares, key=lambda k: abs(shares[k] - wanted))
    return window, shares[window]


def prepared(options: argparse.Namespace) -> Result:
    """Return what ``prepare`` found with this budget; nothing where it was not done."""
    found: Result = measured(options, "prepared") or {}
    return found if budget(options, "sst2").items() <= found.items() else {}


def run_one(options: argparse.Namespace, run: Run) -> Result | None:
    """Train, score and keep a run; None where another process is at it or has done it."""
    with claimed(options, run_file(options, run).stem) as ours:
        if not ours or read_run(options, run) is not None:
            return None
        result = trained(options, run)
        write_run(options, run, result)
        return result


def trained(options: argparse.Namespace, run: Run) -> Result:
    """Train and score; return the scores, and the predictions that they are of."""
    import torch

    from bnaparser.cli.console import quiet_libraries
    from bnaparser.tasks.one_seed import development_scores, train_seed

    quiet_libraries()
    torch.set_num_threads(options.threads)
    begin = time.monotonic()
    task, system, seed = run
    recipe = recipe_of(options, task, system, seed)
    data = data_of(options, recipe, system)
    with tempfile.TemporaryDirectory() as folder:
        training = time.monotonic()
        model = train_seed(recipe, data, seed, Path(folder))
        training = time.monotonic() - training
    judged = data.judged[-1]
    predicted = [kept(model.predicted(row)) for row in model.scores(judged.examples)]
    result = {
        "task": task,
        "system": system,
        "seed": seed,
        **budget(options, task),
        "scores": recipe.task.of_kind.score(data.labels, judged.gold, predicted),
        "scored_examples": len(judged.examples),
        "updates_seconds": training,
        "total_seconds": time.monotonic() - begin,
        "new_parameters": sum(p.numel() for p in model.network.new_parameters()),
        "versions": versions(PACKAGES),
        "processor": computed_on(options.device),
        "date": now(),
        "labels": data.labels,
        "gold": judged.gold,
        "predicted": predicted,
        "majority": majority(data.train.gold),
    }
    if options.held_out:
        scores = development_scores(recipe, data.judged[0], model)
        result["held_out"] = scores[TASKS[task].metric]
    return result


def majority(gold: Sequence[Any]) -> float:
    """Return what one answers who has seen no text: the most frequent class, or the mean score."""
    if isinstance(gold[0], float):
        return round(statistics.fmean(gold), 4)
    classes = Counter(n for one in gold for n in (one if isinstance(one, tuple) else (one,)))
    return int(classes.most_common(1)[0][0])


def kept(predicted: Gold) -> Gold:
    """Return a prediction as it is kept and scored: more digits of a score would only take room."""
    return round(predicted, 4) if isinstance(predicted, float) else predicted
