"""How good a network is on the development sets, and what that means for its run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnaparser.encoders.batching import batches_by_length
from bnaparser.eval import score
from bnaparser.network.decoding import Prediction, predict
from bnaparser.network.model import BnaModel
from bnaparser.training.checkpoints import Progress
from bnaparser.training.data import Example
from bnaparser.training.recipe import TrainSettings
from bnaparser.training.setup import gold_pieces
from bnaparser.trees.tree import Tree


def development_scores(
    model: BnaModel, sets: dict[str, list[Example]], batch_tokens: int
) -> dict[str, float]:
    """Return F1 of each development set (percent), and the mean F1; and how well other heads do.

    ``NAME tags`` is a tagger's accuracy, ``NAME words`` the F1 of words found in their text.

    Trees are judged with gold tags: where a predicted tag made a mark of a word, EVALB would leave
    the sentence out. The network is in evaluation mode from then on.
    """
    model.eval()
    scores: dict[str, float] = {}
    for name, examples in sets.items():
        prepared = model.prepare([e.words for e in examples], [e.given_tags for e in examples])
        found = predict(model, prepared, batch_tokens)
        trees = [
            Tree.from_spans(example.words, example.tags, prediction.spans)
            for example, prediction in zip(examples, found, strict=True)
        ]
        scores[f"{name} f1"] = score([example.tree for example in examples], trees).f1
        if model.settings.tags.predict:
            scores[f"{name} tags"] = _tag_accuracy(examples, found)
        if model.settings.text.segment_words:
            scores[f"{name} words"] = _words_f1(model, examples, batch_tokens)
    f1s = [value for name, value in scores.items() if name.endswith(" f1")]
    return {**scores, "f1": sum(f1s) / len(f1s)} if f1s else {}


def _tag_accuracy(examples: Sequence[Example], found: Sequence[Prediction]) -> float:
    """Return how many of all words have their gold tag, in percent."""
    right = [
        gold == tag
        for example, prediction in zip(examples, found, strict=True)
        for gold, tag in zip(example.tags, prediction.tags or (), strict=True)
    ]
    return 100 * sum(right) / len(right) if right else 0.0


def _words_f1(model: BnaModel, examples: Sequence[Example], batch_tokens: int) -> float:
    """Return the F1, in percent, of words found in the pieces of their text."""
    cut = [one for one in gold_pieces(model, examples) if one is not None]
    right = found = wanted = 0
    sizes = [one.prepared.size for one in cut]
    for batch in batches_by_length(sizes, batch_tokens):
        with model.inference():
            scores = model.all_word_scores(model.encode([cut[place].prepared for place in batch]))
        ends = np.cumsum([len(cut[place].begins) for place in batch])
        for place, own in zip(batch, np.split(scores, ends[:-1]), strict=True):
            gold, mine = _word_places(cut[place].begins > 0), _word_places(own > 0)
            right, found, wanted = (
                right + len(gold & mine),
                found + len(mine),
                wanted + len(gold),
            )
    return 200 * right / (found + wanted) if wanted else 0.0


def _word_places(begins: NDArray[np.bool_]) -> set[tuple[int, int]]:
    """Return the words that pieces make, as places of pieces, half-open."""
    firsts = [0, *(np.flatnonzero(begins[1:]) + 1).tolist()]
    return set(zip(firsts, [*firsts[1:], len(begins)], strict=True))


def judge(
    progress: Progress, scores: dict[str, float], loss: float, settings: TrainSettings
) -> bool:
    """Write scores into a run's progress; return whether they are its best.

    Under "reduce_lr_on_plateau" the learning rate falls after too many checks without a better one.
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
    if (
        settings.lr_scheduler_type == "reduce_lr_on_plateau"
        and progress.checks_since_best > settings.plateau_patience
    ):
        progress.learning_rate_factor *= settings.plateau_factor
        progress.checks_since_best = 0
    return False
