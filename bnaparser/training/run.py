"""Training a parser: batch after batch, scored on development sets, from checkpoint to checkpoint.

Hugging Face accelerate does the device work underneath: mixed precision, several processes,
TensorBoard, saved states. What is random is drawn from the recipe's seed and the epoch, so an
interrupted run is resumed from its last checkpoint exactly as if nothing had happened.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bnaparser.chart import ScoresError
from bnaparser.encoders.batching import batches_by_length
from bnaparser.errors import TrainingInterrupted
from bnaparser.eval import collins, score
from bnaparser.network import storage
from bnaparser.network.decoding import Prediction, predict
from bnaparser.network.model import BnaModel
from bnaparser.training.checkpoints import (
    BEST,
    CheckedRun,
    Progress,
    check_recipe,
    load_checkpoint,
    save_checkpoint,
)
from bnaparser.training.data import Example, epoch_batches, read_mix, updates_per_epoch
from bnaparser.training.loop import (
    LINE_SECONDS,
    Interruption,
    ProgressReport,
    diverged,
    interruptible,
    training_arithmetic,
)
from bnaparser.training.recipe import Recipe, TrainSettings
from bnaparser.training.setup import (
    TrainingSentence,
    begin_run,
    device_of,
    gold_pieces,
    new_model,
    only_run,
    open_output,
    training_sentences,
)
from bnaparser.training.teacher import Teacher, load_teacher
from bnaparser.training.update import Updater, rounded, scheduled_factor
from bnaparser.treebanks.garbage_collection import gc_disabled
from bnaparser.trees.tree import Tree

log = logging.getLogger(__name__)


def train(recipe: Recipe, output: str | Path, *, fresh: bool = False) -> Progress:
    """Train a model by a recipe; the best model on the development set is in ``output/model``.

    An interrupted run is resumed from ``output/checkpoint``; ``fresh`` starts over. On Ctrl-C and SIGTERM the
    run writes a checkpoint and raises TrainingInterrupted. A model that an earlier run has left is renamed.

    Args:
        recipe: the network and its training.
        output: the folder for model, checkpoint and TensorBoard's logs.
        fresh: start over where there is a checkpoint.

    Returns:
        Where the run stands at its end, with the scores of all its checks.

    Raises:
        DataError: there is nothing to train on, or a file cannot be read.
        SettingsError: a setting does not fit, or the checkpoint is another recipe's.
        ModelError: the encoder or the model to start from cannot be used.
        TrainingInterrupted: Ctrl-C or SIGTERM.
    """
    output = Path(output)
    settings = recipe.train
    if not fresh:
        check_recipe(output, recipe)
    with interruptible() as interruption:
        accelerator = begin_run(settings.mixed_precision, settings.threads, output)
        with only_run(accelerator, output), training_arithmetic(accelerator.device):
            run = Run(recipe, output, accelerator)
            run.interruption = interruption
            open_output(accelerator, output, fresh)
            run.progress = load_checkpoint(accelerator, output, recipe, run.progress)
            run.go()
    return run.progress


class Run(CheckedRun):
    """One training run: its data, what updates its network, and its progress."""

    progress: Progress

    def __init__(self, recipe: Recipe, output: Path, accelerator: Any):
        self.settings, self.output, self.accelerator = recipe.train, output, accelerator
        networks = load_teacher(self.settings.teacher, str(accelerator.device))
        with gc_disabled():
            self.mix = read_mix(recipe.train)
            if accelerator.is_main_process:
                log.info("preparing %s training sentences", f"{len(self.mix.train):,}")
            self.model = new_model(recipe, self.mix)
            self.sentences = training_sentences(self.model, self.mix.train)
        # Of several processes each draws its own dropout; a single one continues as it began.
        if accelerator.process_index > 0:
            torch.manual_seed(self.settings.seed + accelerator.process_index)
        teacher = None
        if networks:
            weight = self.settings.teacher_weight
            teacher = Teacher(networks, self.model, 0.5 if weight is None else weight)
        self.updater = Updater(self.model, self.settings, accelerator, teacher)
        self.updates_per_epoch = updates_per_epoch(self.mix, self.settings)
        self.total_updates = self.settings.max_steps or max(
            1, round(self.settings.epochs * self.updates_per_epoch)
        )
        self.eval_steps = self.settings.eval_steps or max(
            1, round(self.updates_per_epoch / self.settings.evals_per_epoch)
        )
        self.progress = Progress(data=self.mix.digest())
        self.interruption = Interruption()
        self._check_seconds = LINE_SECONDS

    def go(self) -> None:
        """Train to the end of the recipe, or until development scores stop getting better."""
        self._log_start()
        main = self.accelerator.is_main_process
        report = ProgressReport(self.total_updates, self.progress.update, shown=main)
        try:
            with self.interruption.waiting():
                self._train(report)
        finally:
            report.close()
            self.accelerator.end_training()

    def _train(self, report: ProgressReport) -> None:
        started = time.monotonic() - self.progress.seconds
        if self._check_is_due():  # the run was interrupted in the middle of it
            self._check()
        while not self._finished():
            for batch in self._batches_left():
                self.progress.loss = loss = self._update(batch)
                self.progress.seconds = time.monotonic() - started
                report.update(self.progress.update, loss)
                self.accelerator.log(self._measured(loss), step=self.progress.update)
                if self._check_is_due():
                    self._check()
                if self.interruption.requested(self.accelerator):
                    self._stop(kept=self._checked())
                if self._finished():
                    break

    def _measured(self, loss: float) -> dict[str, float]:
        """Return what TensorBoard shows of an update."""
        rates = [group["lr"] for group in self.updater.optimizer.param_groups]
        found = {"loss": loss, "learning_rate/head": rates[0]}
        if len(rates) > 1:
            found["learning_rate/encoder"] = rates[1]
        if self.updater.gradient_norm is not None:
            found["gradient_norm"] = self.updater.gradient_norm
        return found

    def _batches_left(self) -> Iterator[list[TrainingSentence]]:
        """Yield the batches that are left of the current epoch."""
        epoch, done = divmod(self.progress.update, self.updates_per_epoch)
        sizes = [sentence.prepared.size for sentence in self.sentences]
        for batch in epoch_batches(self.mix, sizes, self.settings, epoch)[done:]:
            yield [self.sentences[index] for index in batch]

    def _update(self, batch: list[TrainingSentence]) -> float:
        factor = scheduled_factor(self.progress.update, self.total_updates, self.settings)
        for group in self.updater.optimizer.param_groups:
            group["lr"] = group["base"] * (factor * self.progress.learning_rate_factor)
        loss = self.updater.update(batch, self.progress.update)
        self.progress.update += 1
        return loss

    def _finished(self) -> bool:
        return self.progress.update >= self.total_updates or self._stalled()

    def _stalled(self) -> bool:
        patience, history = self.settings.early_stopping_epochs, self.progress.history
        if patience is None or not history:
            return False
        # At the last check: what came since is in no checkpoint, and a run that continues would end there again.
        since: int = history[-1]["update"] - self.progress.best_update
        return since >= patience * self.updates_per_epoch

    def _log_start(self) -> None:
        done, settings = self.progress.update, self.settings
        if not self.accelerator.is_main_process:
            return
        if done and self._finished():
            length = "epochs" if settings.max_steps is None else "max_steps"
            more = "early_stopping_epochs" if self._stalled() else length
            log.info(
                "the training was already finished after update %d: the model is in %s",
                done,
                self.output / BEST,
            )
            log.info("--fresh starts from scratch; a larger train.%s continues the run", more)
            return
        parameters = sum(one.numel() for one in self.model.parameters())
        log.info(
            "training on %s: %s sentences, %s parameters, %s updates (%.3g epochs), %s;"
            " output in %s",
            device_of(self.accelerator), f"{len(self.sentences):,}", f"{parameters:,}", f"{self.total_updates:,}",
            self.total_updates / self.updates_per_epoch, self._checks(), self.output,
        )  # fmt: skip
        if done:
            log.info("resumed after update %d", done)

    def _check(self) -> None:
        """Score the development sets, keep the best model, save a checkpoint."""
        from accelerate.utils import broadcast_object_list

        if self.accelerator.is_main_process:
            self._judge()
        # What the scores mean for learning rate and end must be the same in all processes.
        self.progress = broadcast_object_list([self.progress])[0]
        save_checkpoint(self.accelerator, self.output, self.progress)

    def _judge(self) -> None:
        model, progress = self.updater.model, self.progress
        step = self.settings.qat_step
        scores = self._development_scores()
        shown = " ".join(f"{name} {value:.2f}" for name, value in scores.items())
        log.info("update %d: %s", progress.update, shown or "no development data to score")
        self.accelerator.log(
            {tensorboard_tag(name): value for name, value in scores.items()}, step=progress.update
        )
        if judge(progress, scores, progress.loss, self.settings):
            metrics = {"update": progress.update, "seconds": progress.seconds, **scores}
            with self.accelerator.autocast(), rounded(model, step):
                storage.save(model, self.output / BEST, self.settings.store, metrics, step)

    def _development_scores(self) -> dict[str, float]:
        """Return the scores of the model that is judged.

        An interrupt does not wait for them: the check is done again when the run is resumed.
        """
        model, update = self.updater.model, self.progress.update
        sentences = sum(map(len, self.mix.dev.values()))
        if self._check_seconds >= LINE_SECONDS and sentences:
            log.info("update %d: scoring %s development sentences", update, f"{sentences:,}")
        began = time.monotonic()
        try:
            with (
                self.interruption.at_once(self.accelerator.num_processes == 1),
                self.accelerator.autocast(),
                rounded(model, self.settings.qat_step),
            ):
                scores = development_scores(
                    model,
                    self.mix.dev,
                    self.updater.batch_tokens,
                    keep_functions=self.settings.keep_functions,
                )
        except ScoresError as error:
            raise diverged(update, str(error)) from error
        except TrainingInterrupted:
            self._stop(kept=False)
            raise
        self._check_seconds = time.monotonic() - began
        return scores


def tensorboard_tag(score: str) -> str:
    """Return the tag of a score in TensorBoard: the set without the endings of its file, then the measure.

    Example:
        >>> tensorboard_tag("fr/dev.txt.xz f1"), tensorboard_tag("f1")
        ('fr/dev/f1', 'f1')
    """
    name, _, measure = score.rpartition(" ")
    if not name:
        return measure
    bare = re.sub(r"(\.[A-Za-z]\w*)+(?= |$)", "", name)
    return f"{re.sub(r'[^-/.A-Za-z0-9_]+', '_', bare).strip('_')}/{measure}"


def development_scores(
    model: BnaModel,
    sets: dict[str, list[Example]],
    batch_tokens: int,
    *,
    keep_functions: bool = False,
) -> dict[str, float]:
    """Return F1 of each development set (percent), the mean F1, and the scores of the other heads.

    With ``keep_functions``, labels count with their functions, and ``NAME labels`` is F1 without. ``NAME tags`` is a
    tagger's accuracy, ``NAME words`` the F1 of words found in their text.

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
        gold = [example.tree for example in examples]
        params = replace(collins(), keep_functions=keep_functions)
        scores[f"{name} f1"] = score(gold, trees, params).f1
        if keep_functions:
            scores[f"{name} labels"] = score(gold, trees).f1
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
    right = found = in_gold = 0
    sizes = [one.prepared.size for one in cut]
    for batch in batches_by_length(sizes, batch_tokens):
        with model.inference():
            scores = model.all_word_scores(model.encode([cut[place].prepared for place in batch]))
        ends = np.cumsum([len(cut[place].begins) for place in batch])
        for place, own in zip(batch, np.split(scores, ends[:-1]), strict=True):
            gold, mine = _word_places(cut[place].begins > 0), _word_places(own > 0)
            right, found, in_gold = (
                right + len(gold & mine),
                found + len(mine),
                in_gold + len(gold),
            )
    return 200 * right / (found + in_gold) if in_gold else 0.0


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
