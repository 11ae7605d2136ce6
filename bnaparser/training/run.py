"""Training a parser: batches, updates, development scores, checkpoints, resume.

Hugging Face accelerate does the device work underneath: mixed precision, several processes,
TensorBoard, saved states. What is random is drawn from the recipe's seed and the epoch, so an
interrupted run goes on from its last checkpoint exactly as if nothing had happened.
"""

from __future__ import annotations

import json
import logging
import math
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tqdm import tqdm

from bnaparser.chart import ScoresError
from bnaparser.encoders.batching import TRAINING_TOKENS, batches_by_length, default_tokens
from bnaparser.errors import DataError, MissingExtraError, SettingsError
from bnaparser.eval import score
from bnaparser.files.tables import read_json, write_json
from bnaparser.files.tensors import writing
from bnaparser.models import find
from bnaparser.network import storage
from bnaparser.network.decoding import predict
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel, PreparedSentence
from bnaparser.training.arithmetic import training_arithmetic
from bnaparser.training.data import pooled_batches, read_mix
from bnaparser.training.loss import Gold, gold, hinge_loss, known_tags, tag_loss
from bnaparser.training.noise import disturbed
from bnaparser.training.recipe import Recipe, TrainSettings
from bnaparser.training.warm_start import create_from
from bnaparser.trees.tree import Tree

log = logging.getLogger(__name__)
LOG_EVERY = 50
CHECKPOINT, BEST, LOGS, PROGRESS = "checkpoint", "model", "logs", "progress.json"
RECIPE = "recipe.json"
# What may differ from the recipe that a run was begun with: how long it goes on, and on what.
FREE = {"train": {"epochs", "max_updates", "stop_after_epochs", "threads"}}
# A checkpoint that is being written, and the last one until the new one has its place.
NEW, OLD = "checkpoint.new", "checkpoint.old"


@dataclass
class Progress:
    """Where a run stands; all of it is in the checkpoint."""

    update: int = 0
    best_f1: float = -1.0
    best_update: int = 0
    learning_rate_factor: float = 1.0
    checks_since_best: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)


class Objective(nn.Module):
    """The loss of a part of a batch: what a training process computes in one forward pass."""

    def __init__(self, model: BnaModel, tag_weight: float):
        super().__init__()
        self.model = model
        self.tag_weight = tag_weight

    def forward(
        self, batch: Sequence[PreparedSentence], golds: Sequence[Gold], sentence: float, word: float
    ) -> Tensor:
        """Return a scalar: the hinge loss, a ``sentence`` weighs so much, and the tags', a ``word``."""
        encoded = self.model.encode(batch)
        loss = sentence * hinge_loss(self.model, encoded, golds)
        if self.model.settings.tags.predict:
            loss = loss + self.tag_weight * word * tag_loss(self.model, encoded, golds)
        return loss


def train(recipe: Recipe, output: str | Path, *, fresh: bool = False) -> Progress:
    """Train a model by a recipe; the best one on the development set is in ``output/model``.

    A run that was interrupted goes on from ``output/checkpoint``; ``fresh`` starts over. Raises
    DataError when there is nothing to train on, SettingsError and ModelError as they apply.
    """
    accelerator = _accelerator(recipe, Path(output))
    settings = recipe.train
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    output = Path(output)
    if fresh and accelerator.is_main_process:
        remove_run(output, (CHECKPOINT, NEW, OLD, BEST, LOGS, RECIPE))
    accelerator.wait_for_everyone()
    accelerator.init_trackers(LOGS)
    with training_arithmetic(accelerator.device):
        run = Run(recipe, output, accelerator)
        run.resume()
        run.go()
    return run.progress


def remove_run(output: Path, names: Sequence[str]) -> None:
    """Remove from a folder what a run has written, by patterns of names; other files stay."""
    for found in [found for name in names for found in output.glob(name)]:
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found)
        else:
            found.unlink()


class Run:
    """One training run: its data, network, optimizer and progress."""

    def __init__(self, recipe: Recipe, output: Path, accelerator: Any):
        self.recipe, self.settings, self.output = recipe, recipe.train, output
        self.accelerator = accelerator
        mix = read_mix(recipe.train)
        if mix.epoch_size == 0:
            raise DataError("the recipe names no training trees: set train.data, and their weights")
        torch.manual_seed(self.settings.seed)
        labels = Inventory.of_labels(span.label for example in mix.train for span in example.spans)
        if len(labels) == 1:
            raise DataError("the training trees hold no constituents, only words and their tags")
        tags = Inventory.of_tags(tag for example in mix.train for tag in example.tags)
        characters = "".join(sorted({c for e in mix.train for word in e.words for c in word}))
        empty_root = any(not example.has_root for example in mix.train)
        self.mix = mix
        if self.settings.start is None:
            chosen = recipe.model_settings()
            self.model = storage.create(chosen, labels, tags, characters, empty_root)
        else:
            start = storage.load(find(self.settings.start))
            chosen = recipe.model_settings_over(start.settings)
            self.model = create_from(start, chosen, labels, tags, empty_root)
        if self.settings.mask_pieces and not self.model.subwords_can_be_masked:
            raise SettingsError("train.mask_pieces needs an encoder whose tokenizer has a mask")
        self.prepared = self.model.prepare(
            [example.words for example in mix.train], [example.tags for example in mix.train]
        )
        self.golds = [gold(e.spans, e.tags, labels, tags) for e in mix.train]
        self.updates_per_epoch = math.ceil(mix.epoch_size / self.settings.batch_size)
        # Of several processes each draws its own dropout; a single one goes on as it began.
        if accelerator.process_index > 0:
            torch.manual_seed(self.settings.seed + accelerator.process_index)
        self.total_updates = self.settings.max_updates or max(
            1, round(self.settings.epochs * self.updates_per_epoch)
        )
        self.check_every = max(1, round(self.updates_per_epoch / self.settings.checks_per_epoch))
        self.progress = Progress()
        self.batch_tokens = self.settings.batch_tokens or default_tokens(
            TRAINING_TOKENS, str(accelerator.device)
        )
        self._prepare_optimizer()

    def _prepare_optimizer(self) -> None:
        settings = self.settings
        encoder = [p for n, p in self.model.named_parameters() if n.startswith("encoder.model.")]
        own = {id(parameter) for parameter in encoder}
        head = [p for p in self.model.parameters() if id(p) not in own]
        head_rate = settings.head_learning_rate or settings.learning_rate
        groups = [{"params": head, "lr": head_rate, "base": head_rate}]
        if encoder:
            rate = settings.learning_rate
            groups.append({"params": encoder, "lr": rate, "base": rate})
        self.optimizer = torch.optim.AdamW(
            groups,
            betas=settings.betas,
            eps=settings.epsilon,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        objective = Objective(self.model, self.model.settings.tags.loss_weight)
        self.objective, self.optimizer = self.accelerator.prepare(objective, self.optimizer)
        self.average: AveragedModel | None = None
        if settings.average_decay is not None:
            # torch gives this function no types.
            update = get_ema_multi_avg_fn(settings.average_decay)  # type: ignore[no-untyped-call]
            self.average = AveragedModel(self.model, multi_avg_fn=update)
            self.accelerator.register_for_checkpointing(self.average)

    def resume(self) -> None:
        """Load the last checkpoint, if there is one; SettingsError where it does not fit."""
        target, new = self.output / CHECKPOINT, self.output / NEW
        unfinished = not target.exists() and (new / PROGRESS).is_file()
        if unfinished and self.accelerator.is_main_process:
            new.rename(target)
        self.accelerator.wait_for_everyone()
        file = target / PROGRESS
        ours = json.loads(self.recipe.model_dump_json(exclude=FREE))
        if not file.is_file():
            if self.accelerator.is_main_process:
                self.output.mkdir(parents=True, exist_ok=True)
                write_json(self.output / RECIPE, ours)
            return
        theirs = read_json(self.output / RECIPE) if (self.output / RECIPE).is_file() else ours
        if changed := [name for name, table in ours.items() if theirs.get(name) != table]:
            raise SettingsError(
                f"{target} is another recipe's (it differs in {', '.join(changed)}): start over with "
                "--fresh, or write elsewhere with --output"
            )
        try:
            self.accelerator.load_state(str(target))
            self.progress = Progress(**json.loads(file.read_text(encoding="utf-8")))
        except Exception as error:  # whatever the library finds wrong
            detail = str(error).splitlines()[-1:] or [type(error).__name__]
            raise SettingsError(
                f"{target} is another recipe's, or damaged ({detail[0].strip()}): start over with "
                "--fresh, or write elsewhere with --output"
            ) from error
        log.info("resumed after update %d", self.progress.update)

    def go(self) -> None:
        """Train to the end of the recipe, or until development scores stop getting better."""
        bar = tqdm(
            total=self.total_updates,
            initial=self.progress.update,
            unit="update",
            disable=None if self.accelerator.is_main_process else True,
        )
        started = time.monotonic() - self.progress.seconds
        while self.progress.update < self.total_updates and not self._stalled():
            for batch in self._batches_of_epoch():
                loss = self._update(batch)
                bar.update()
                bar.set_postfix(loss=f"{loss:.3f}", best=f"{self.progress.best_f1:.2f}")
                self.progress.seconds = time.monotonic() - started
                self.accelerator.log({"loss": loss}, step=self.progress.update)
                if self.progress.update % LOG_EVERY == 0:
                    self._log_progress(loss)
                last = self.progress.update == self.total_updates
                if self.progress.update % self.check_every == 0 or last:
                    self._check(loss)
                if last or self._stalled():
                    break
        bar.close()
        self.accelerator.end_training()

    def _log_progress(self, loss: float) -> None:
        done, seconds = self.progress.update, self.progress.seconds
        left = seconds / done * (self.total_updates - done) / 60
        log.info("update %d of %d, loss %.3f, %.0f min left", done, self.total_updates, loss, left)

    def _stalled(self) -> bool:
        patience = self.settings.stop_after_epochs
        since = self.progress.update - self.progress.best_update
        return patience is not None and since > patience * self.updates_per_epoch

    def _batches_of_epoch(self) -> Iterator[list[int]]:
        """Yield the batches that are left of the current epoch, as indices of examples."""
        epoch, done = divmod(self.progress.update, self.updates_per_epoch)
        generator = np.random.default_rng((self.settings.seed, epoch))
        sizes = [sentence.size for sentence in self.prepared]
        order = self.mix.draw(generator)
        batches = pooled_batches(order, sizes, self.settings, generator)
        yield from batches[done:]

    def _update(self, batch: list[int]) -> float:
        """Do one optimizer step on a batch, in parts that fit the token budget; return the loss."""
        settings, process = self.settings, self.accelerator.process_index
        processes = self.accelerator.num_processes
        self.objective.train()
        self._set_learning_rates()
        # All processes must take part: one that has no sentence left reads another's for nothing.
        mine = batch[process::processes] or batch[:1]
        used = 0 if process >= len(batch) else processes  # gradients are averaged over processes
        sentence = used / len(batch)
        word = used / max(1, known_tags([self.golds[index] for index in batch]))
        sizes = [self.prepared[index].size for index in mine]
        parts = batches_by_length(sizes, self.batch_tokens)
        total = 0.0
        for number, part in enumerate(parts):
            chosen = [mine[index] for index in part]
            generator = np.random.default_rng(
                (settings.seed, self.progress.update, number * processes + process)
            )
            batch_part = disturbed(
                self.model,
                [self.mix.train[index] for index in chosen],
                [self.prepared[index] for index in chosen],
                settings,
                generator,
            )
            golds = [self.golds[index] for index in chosen]
            if number < len(parts) - 1:
                with self.accelerator.no_sync(self.objective):
                    total += self._backward(batch_part, golds, sentence, word)
            else:
                total += self._backward(batch_part, golds, sentence, word)
        if settings.clip_norm is not None:
            self.accelerator.clip_grad_norm_(self.objective.parameters(), settings.clip_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.progress.update += 1
        if self.average is not None:
            self.average.update_parameters(self.model)
        return total

    def _backward(
        self, batch: list[PreparedSentence], golds: list[Gold], sentence: float, word: float
    ) -> float:
        try:
            loss = self.objective(batch, golds, sentence, word)
        except ScoresError as error:
            raise SettingsError(
                f"the training has diverged at update {self.progress.update}: {error};"
                " set a smaller train.learning_rate, or train.clip_norm"
            ) from error
        self.accelerator.backward(loss)
        return float(loss.detach())

    def _set_learning_rates(self) -> None:
        factor = scheduled_factor(self.progress.update, self.total_updates, self.settings)
        factor *= self.progress.learning_rate_factor
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * factor

    def _check(self, loss: float) -> None:
        """Score the development sets, keep the best model, save a checkpoint."""
        from accelerate.utils import broadcast_object_list

        if self.accelerator.is_main_process:
            scores = self._development_scores()
            self._judge(scores, loss)
        # What the scores mean for learning rate and end must be the same in all processes.
        self.progress = broadcast_object_list([self.progress])[0]
        self._save_checkpoint()

    def _judge(self, scores: dict[str, float], loss: float) -> None:
        progress, settings = self.progress, self.settings
        # Without development data the last model is the best one.
        f1 = scores.get("f1", float(progress.update))
        row = {"update": progress.update, "loss": loss, "seconds": progress.seconds, **scores}
        progress.history.append(row)
        shown = " ".join(f"{name} {value:.2f}" for name, value in scores.items())
        log.info("update %d: %s", progress.update, shown or "no development data to score")
        self.accelerator.log(scores, step=progress.update)
        if f1 > progress.best_f1:
            progress.best_f1, progress.best_update = f1, progress.update
            progress.checks_since_best = 0
            metrics = {"update": progress.update, "seconds": progress.seconds, **scores}
            storage.save(self._judged_model(), self.output / BEST, settings.store, metrics)
            return
        progress.checks_since_best += 1
        if settings.schedule == "plateau" and progress.checks_since_best > settings.plateau_checks:
            progress.learning_rate_factor *= settings.plateau_factor
            progress.checks_since_best = 0

    def _judged_model(self) -> BnaModel:
        return self.model if self.average is None else cast(BnaModel, self.average.module)

    def _development_scores(self) -> dict[str, float]:
        """Return F1 and tag accuracy of each development set (percent), and the mean F1 of all."""
        model = self._judged_model().eval()
        scores: dict[str, float] = {}
        for name, examples in self.mix.dev.items():
            prepared = model.prepare([e.words for e in examples], [e.tags for e in examples])
            with self.accelerator.autocast():
                found = predict(model, prepared, self.batch_tokens)
            trees = [
                Tree.from_spans(e.words, prediction.tags or e.tags, prediction.spans)
                for e, prediction in zip(examples, found, strict=True)
            ]
            result = score([e.tree for e in examples], trees)
            scores[f"{name} f1"] = result.f1
            scores[f"{name} tags"] = result.tag_accuracy
        f1s = [value for name, value in scores.items() if name.endswith(" f1")]
        return {**scores, "f1": sum(f1s) / len(f1s)} if f1s else {}

    def _save_checkpoint(self) -> None:
        """Write the checkpoint beside the last one, then put it in its place.

        Its progress file is written last. Whenever the run is killed, `resume` finds a whole one.
        """
        target, new, old = (self.output / name for name in (CHECKPOINT, NEW, OLD))
        if self.accelerator.is_main_process:
            shutil.rmtree(new, ignore_errors=True)
        self.accelerator.wait_for_everyone()
        with writing(new):
            self.accelerator.save_state(str(new))
        if self.accelerator.is_main_process:
            text = json.dumps(asdict(self.progress), indent=1)
            (new / PROGRESS).write_text(text, encoding="utf-8")
            shutil.rmtree(old, ignore_errors=True)
            if target.exists():
                target.rename(old)
            new.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        self.accelerator.wait_for_everyone()


def scheduled_factor(update: int, total_updates: int, settings: TrainSettings) -> float:
    """Return what the learning rate is multiplied by at an update, counted from 0.

    It rises from 0 in a straight line, then is 1 or, with the schedule "linear", falls towards 0;
    what development scores do to it under "plateau" comes on top.
    """
    if update < settings.warmup_updates:
        return update / settings.warmup_updates
    if settings.schedule == "linear":
        return (total_updates - update) / max(1, total_updates - settings.warmup_updates)
    return 1.0


def _accelerator(recipe: Recipe, output: Path) -> Any:
    try:
        from accelerate import Accelerator
        from accelerate.utils import ProjectConfiguration
    except ImportError as error:
        raise MissingExtraError("accelerate", "train") from error
    return Accelerator(
        mixed_precision=recipe.train.precision,
        log_with="tensorboard",
        project_config=ProjectConfiguration(project_dir=str(output), logging_dir=str(output)),
    )
