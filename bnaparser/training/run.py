"""Training a parser: batch after batch, judged on development sets, from checkpoint to checkpoint.

Hugging Face accelerate does the device work underneath: mixed precision, several processes,
TensorBoard, saved states. What is random is drawn from the recipe's seed and the epoch, so an
interrupted run goes on from its last checkpoint exactly as if nothing had happened.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from bnaparser.chart import ScoresError
from bnaparser.network import storage
from bnaparser.training.arithmetic import diverged, training_arithmetic
from bnaparser.training.checkpoints import (
    BEST,
    Progress,
    load_checkpoint,
    save_checkpoint,
)
from bnaparser.training.data import epoch_batches, read_mix, updates_per_epoch
from bnaparser.training.development import development_scores, judge
from bnaparser.training.pace import Pace
from bnaparser.training.recipe import Recipe
from bnaparser.training.rounding import rounded
from bnaparser.training.schedule import scheduled_factor, set_learning_rates
from bnaparser.training.setup import (
    TrainingSentence,
    begin_run,
    new_model,
    open_output,
    training_sentences,
)
from bnaparser.training.teacher import Teacher, load_teacher
from bnaparser.training.update import Updater
from bnaparser.treebanks.collector import collector_at_rest

log = logging.getLogger(__name__)
LOG_EVERY = 50


def train(recipe: Recipe, output: str | Path, *, fresh: bool = False) -> Progress:
    """Train a model by a recipe; the best one on the development set is in ``output/model``.

    A run that was interrupted goes on from ``output/checkpoint``; ``fresh`` starts over. Raises
    DataError when there is nothing to train on, SettingsError and ModelError as they apply.
    """
    output = Path(output)
    settings = recipe.train
    accelerator = begin_run(settings.precision, settings.threads, output)
    with training_arithmetic(accelerator.device):
        run = Run(recipe, output, accelerator)
        open_output(accelerator, output, fresh)
        run.progress = load_checkpoint(accelerator, output, recipe, Progress())
        run.go()
    return run.progress


class Run:
    """One training run: its data, what updates its network, and its progress."""

    def __init__(self, recipe: Recipe, output: Path, accelerator: Any):
        self.settings, self.output, self.accelerator = recipe.train, output, accelerator
        networks = load_teacher(self.settings.teacher, str(accelerator.device))
        with collector_at_rest():
            self.mix = read_mix(recipe.train)
            self.model = new_model(recipe, self.mix)
            self.sentences = training_sentences(self.model, self.mix.train)
        # Of several processes each draws its own dropout; a single one goes on as it began.
        if accelerator.process_index > 0:
            torch.manual_seed(self.settings.seed + accelerator.process_index)
        teacher = None
        if networks:
            weight = self.settings.teacher_weight
            teacher = Teacher(networks, self.model, 0.5 if weight is None else weight)
        self.updater = Updater(self.model, self.settings, accelerator, teacher)
        self.updates_per_epoch = updates_per_epoch(self.mix, self.settings)
        self.total_updates = self.settings.max_updates or max(
            1, round(self.settings.epochs * self.updates_per_epoch)
        )
        self.check_every = max(1, round(self.updates_per_epoch / self.settings.checks_per_epoch))
        self.progress = Progress()

    def go(self) -> None:
        """Train to the end of the recipe, or until development scores stop getting better."""
        bar = tqdm(
            total=self.total_updates,
            initial=self.progress.update,
            unit="update",
            disable=None if self.accelerator.is_main_process else True,
        )
        started = time.monotonic() - self.progress.seconds
        pace = Pace(self.progress.seconds, self.progress.update)
        self._say_where_it_stands()
        while not self._finished():
            for batch in self._batches_left():
                loss = self._update(batch)
                bar.update()
                bar.set_postfix(loss=f"{loss:.3f}", best=f"{self.progress.best_f1:.2f}")
                self.progress.seconds = time.monotonic() - started
                self.accelerator.log({"loss": loss}, step=self.progress.update)
                if self.progress.update % LOG_EVERY == 0:
                    self._log_progress(loss, pace)
                last = self.progress.update == self.total_updates
                if self.progress.update % self.check_every == 0 or last:
                    self._check(loss)
                if self._finished():
                    break
        bar.close()
        self.accelerator.end_training()

    def _batches_left(self) -> Iterator[list[TrainingSentence]]:
        """Yield the batches that are left of the current epoch."""
        epoch, done = divmod(self.progress.update, self.updates_per_epoch)
        sizes = [sentence.prepared.size for sentence in self.sentences]
        for batch in epoch_batches(self.mix, sizes, self.settings, epoch)[done:]:
            yield [self.sentences[index] for index in batch]

    def _update(self, batch: list[TrainingSentence]) -> float:
        factor = scheduled_factor(self.progress.update, self.total_updates, self.settings)
        set_learning_rates(self.updater.optimizer, factor * self.progress.learning_rate_factor)
        loss = self.updater.update(batch, self.progress.update)
        self.progress.update += 1
        return loss

    def _finished(self) -> bool:
        return self.progress.update >= self.total_updates or self._stalled()

    def _stalled(self) -> bool:
        patience, history = self.settings.stop_after_epochs, self.progress.history
        if patience is None or not history:
            return False
        # At the last check: what came since is in no checkpoint, and a run that goes on would end there again.
        since: int = history[-1]["update"] - self.progress.best_update
        return since >= patience * self.updates_per_epoch

    def _say_where_it_stands(self) -> None:
        done, settings = self.progress.update, self.settings
        if done and self._finished():
            length = "epochs" if settings.max_updates is None else "max_updates"
            more = "stop_after_epochs" if self._stalled() else length
            log.info(
                "finished already, after update %d: the model is in %s", done, self.output / BEST
            )
            log.info("--fresh starts over; a larger train.%s goes on", more)
        elif done:
            log.info("resumed after update %d", done)

    def _log_progress(self, loss: float, pace: Pace) -> None:
        done, total = self.progress.update, self.total_updates
        (updates,) = pace.since_last(self.progress.seconds, done)
        left = (total - done) / updates / 60
        log.info("update %d of %d, loss %.3f, %.0f min left", done, total, loss, left)

    def _check(self, loss: float) -> None:
        """Score the development sets, keep the best model, save a checkpoint."""
        from accelerate.utils import broadcast_object_list

        if self.accelerator.is_main_process:
            self._judge(loss)
        # What the scores mean for learning rate and end must be the same in all processes.
        self.progress = broadcast_object_list([self.progress])[0]
        save_checkpoint(self.accelerator, self.output, self.progress)

    def _judge(self, loss: float) -> None:
        model, progress = self.updater.judged_model, self.progress
        step = self.settings.weight_step
        with self.accelerator.autocast(), rounded(model, step):
            try:
                scores = development_scores(model, self.mix.dev, self.updater.batch_tokens)
            except ScoresError as error:
                raise diverged(progress.update, str(error)) from error
        shown = " ".join(f"{name} {value:.2f}" for name, value in scores.items())
        log.info("update %d: %s", progress.update, shown or "no development data to score")
        self.accelerator.log(scores, step=progress.update)
        if judge(progress, scores, loss, self.settings):
            metrics = {"update": progress.update, "seconds": progress.seconds, **scores}
            storage.save(model, self.output / BEST, self.settings.store, metrics, step)
