"""How good a network is on the development sets, and what that means for its run."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.eval import score
from bnaparser.network.decoding import predict
from bnaparser.network.model import BnaModel
from bnaparser.training.checkpoints import Progress
from bnaparser.training.data import Example
from bnaparser.training.recipe import TrainSettings
from bnaparser.trees.tree import Tree


def development_scores(
    model: BnaModel, sets: dict[str, list[Example]], batch_tokens: int
) -> dict[str, float]:
    """Return F1 and tag accuracy of each development set (percent), and the mean F1 of all.

    The network is in evaluation mode from then on.
    """
    model.eval()
    scores: dict[str, float] = {}
    for name, examples in sets.items():
        result = score([e.tree for e in examples], _parse(model, examples, batch_tokens))
        scores[f"{name} f1"] = result.f1
        scores[f"{name} tags"] = result.tag_accuracy
    f1s = [value for name, value in scores.items() if name.endswith(" f1")]
    return {**scores, "f1": sum(f1s) / len(f1s)} if f1s else {}


def _parse(model: BnaModel, examples: Sequence[Example], batch_tokens: int) -> list[Tree]:
    prepared = model.prepare([e.words for e in examples], [e.tags for e in examples])
    return [
        Tree.from_spans(e.words, prediction.tags or e.tags, prediction.spans)
        for e, prediction in zip(examples, predict(model, prepared, batch_tokens), strict=True)
    ]


def judge(
    progress: Progress, scores: dict[str, float], loss: float, settings: TrainSettings
) -> bool:
    """Write scores into a run's progress; return whether they are its best.

    Under the schedule "plateau" the learning rate falls after too many checks without a better one.
    """
    # Without development data the last model is the best one.
    f1 = scores.get("f1", float(progress.update))
    row = {"update": progress.update, "loss": loss, "seconds": progress.seconds, **scores}
    progress.history.append(row)
    if f1 > progress.best_f1:
        progress.best_f1, progress.best_update = f1, progress.update
        progress.checks_since_best = 0
        return True
    progress.checks_since_best += 1
    if settings.schedule == "plateau" and progress.checks_since_best > settings.plateau_checks:
        progress.learning_rate_factor *= settings.plateau_factor
        progress.checks_since_best = 0
    return False
