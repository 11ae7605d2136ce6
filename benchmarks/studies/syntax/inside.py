"""What syntax does inside the networks of run_syntax.py: before training, and after it.

Each variant is trained once more, as in its run with the first seed, and asked before and after,
over texts of the training set: how far its vectors are from those of the plain encoder, how much of
the attention is syntax's, how well the supervised head knows the parents, and how hard task and
supervision pull at the encoder.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.speed.run_speed import say
from benchmarks.studies.syntax.kept_runs import Result, budget
from benchmarks.studies.syntax.runs import data_of, recipe_of
from benchmarks.studies.syntax.syntax_tables import INSIDE, MAIN, PLAIN

if TYPE_CHECKING:
    from torch import Tensor

    from bnaparser.tasks.examples import PreparedExample
    from bnaparser.tasks.model import TaskModel

BATCHES, SEED = 8, 1


def look_inside(options: argparse.Namespace) -> None:
    """Ask every variant on the tasks of INSIDE, and add to ``OUTPUT/inside.json`` what is not there."""
    from bnaparser.cli.console import quiet_libraries

    quiet_libraries()
    path = options.output / "inside.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    for task, system in product(INSIDE, MAIN):
        wanted = {"task": task, "system": system, **budget(options, task)}
        if system == PLAIN or any(wanted.items() <= row.items() for row in rows):
            continue
        say(f"inside {task} {system}")
        rows += [{**wanted, **found} for found in inside(options, task, system)]
        path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def inside(options: argparse.Namespace, task: str, system: str) -> list[Result]:
    """Return what is found before the training and after it."""
    import torch

    from bnaparser.tasks.model import create
    from bnaparser.tasks.one_seed import train_seed

    torch.set_num_threads(options.threads)
    recipe = recipe_of(options, task, system, SEED)
    data = data_of(options, recipe, system)
    size = options.batch_size
    examples = data.train.examples[: BATCHES * size]
    batches = [examples[start : start + size] for start in range(0, len(examples), size)]
    torch.manual_seed(SEED)
    fresh = create(recipe.model_settings(), data.labels)
    with tempfile.TemporaryDirectory() as folder:
        trained = train_seed(recipe, data, SEED, Path(folder))
    return [
        {"when": when, **asked(model, batches)}
        for when, model in (("before", fresh), ("after", trained))
    ]


def asked(model: TaskModel, batches: list[tuple[PreparedExample, ...]]) -> Result:
    """Return what a model shows, the mean over batches; ``shares`` of syntax, a number a layer."""
    from bnaparser.inspection.gates import gate_curve, gate_values, has_gates
    from bnaparser.syntax.attachment import syntax_of
    from bnaparser.syntax.variants.sgnet import SgNet

    model.network.eval()
    found: Result = {"shares": []}
    syntax = syntax_of(model.network.encoder)
    if isinstance(syntax, SgNet):
        found["shares"] = [float(syntax.mixture.softmax(dim=0)[1])]
    elif has_gates(model):
        values = gate_values(model, [one for batch in batches for one in batch])
        found["shares"] = gate_curve(values).mean.tolist()
    each = [asked_of_batch(model, batch) for batch in batches]
    for name in each[0]:
        found[name] = statistics.mean(one[name] for one in each)
    return found


def asked_of_batch(model: TaskModel, batch: tuple[PreparedExample, ...]) -> Result:
    """Return how far syntax moves the vectors, and how hard each loss pulls at the encoder."""
    import torch

    from bnaparser.syntax.attachment import syntax_of

    network = model.network
    inputs = model.training_batch(batch, model.max_pieces)
    vectors = {name: value for name, value in inputs.items() if name != "labels"}
    syntax = vectors.pop("syntax")
    with torch.inference_mode():
        guided = network.encoder(**vectors, syntax=syntax).last_hidden_state
        plain = network.encoder(**vectors).last_hidden_state
    real = vectors["attention_mask"].bool()
    found = {"moved": float((guided - plain)[real].norm() / plain[real].norm())}
    with torch.enable_grad():
        total = network(**inputs)["loss"]
        supervision = getattr(syntax_of(network.encoder), "loss", None)
        task = total if supervision is None else total - supervision
        known = {id(p) for p in network.new_parameters()}
        weights = [p for p in network.encoder.parameters() if id(p) not in known]
        pull = gradient(task, weights)
        found["task_loss"], found["task_pull"] = float(task), float(pull.norm())
        if supervision is not None:
            other = gradient(supervision, weights)
            found["supervision"] = float(supervision)
            # By geometric mean over tokens, whatever the supervision weighs: LISA's weight is 1.
            found["on_parent"] = math.exp(-float(supervision))
            found["supervision_pull"] = float(other.norm())
            found["agreement"] = float(torch.cosine_similarity(pull, other, dim=0))
    return found


def gradient(loss: Tensor, weights: list[Any]) -> Tensor:
    """Return the gradient of a loss by all weights, as one vector; 0 where it does not reach."""
    import torch

    found = torch.autograd.grad(loss, weights, retain_graph=True, allow_unused=True)
    pairs = zip(found, weights, strict=True)
    return torch.cat([(torch.zeros_like(w) if g is None else g).flatten() for g, w in pairs])
