"""Pre-training an encoder on spans: update after update, judged on held-out text, resumable.

Hugging Face accelerate does the device work, as in `bnaparser.training`. What is random is drawn from the
recipe's seed, the epoch and the block, so an interrupted run ends at the weights of one that was not.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from bnaparser.encoders.batching import batches_by_length
from bnaparser.errors import SettingsError, TrainingInterrupted
from bnaparser.spanbert.held_out import held_out_advice, held_out_losses
from bnaparser.spanbert.pretrain_batch import MaskedExample, collate_examples
from bnaparser.spanbert.pretrain_folder import save_pretrained
from bnaparser.spanbert.pretrain_schedule import set_pretrain_rates
from bnaparser.spanbert.pretrain_settings import PretrainRecipe
from bnaparser.spanbert.pretrain_setup import Pretraining, set_up
from bnaparser.training.checkpoints import (
    BEST,
    CheckedRun,
    load_checkpoint,
    save_checkpoint,
)
from bnaparser.training.loop import (
    LINE_SECONDS,
    Interruption,
    ProgressReport,
    diverged,
    interruptible,
    training_arithmetic,
)
from bnaparser.training.setup import begin_run, device_of, open_output

log = logging.getLogger(__name__)
# What may differ from the recipe that a run was begun with. The number of updates may not: the
# learning rate falls towards their end.
FREE_IN_PRETRAIN = {
    "pretrain": {"threads", "eval_steps", "batch_tokens", "dev_blocks"},
    "text": {"workers", "cache"},
}
# A batch of training, a batch of held-out text: their masks are never the same.
TRAINED, HELD_OUT = 0, 1


class Batch(NamedTuple):
    """What an update learns from: a process's examples of a batch of so many blocks, and whether they count."""

    examples: list[MaskedExample]
    size: int
    counts: bool


@dataclass
class PretrainProgress:
    """Where a run stands; all of it is in the checkpoint. ``tokens`` are subwords seen so far.

    ``masking_seconds`` were waited for masks, which are drawn while the update before is done.
    ``text`` is the name that the text's blocks have by its contents.
    """

    text: str
    update: int = 0
    loss: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    masking_seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)


def pretrain(
    recipe: PretrainRecipe, output: str | Path, *, fresh: bool = False
) -> PretrainProgress:
    """Pre-train an encoder by a recipe; the encoder is in ``output/model`` after every check.

    An interrupted run is resumed from ``output/checkpoint``; ``fresh`` starts over. On Ctrl-C and SIGTERM the
    run writes a checkpoint and raises TrainingInterrupted. A model that an earlier run has left is renamed.

    Args:
        recipe: encoder, text, masks and training.
        output: the folder for the encoder, the checkpoint, TensorBoard's logs and the tokenised text.
        fresh: start over where there is a checkpoint.

    Returns:
        Where the run stands at its end, with the losses on held-out text of all its checks.

    Raises:
        DataError: there is no text, or a file cannot be read.
        SettingsError: a setting does not fit, or the checkpoint is another recipe's or another text's.
        ModelError: the encoder cannot be trained on masked words.
        TrainingInterrupted: Ctrl-C or SIGTERM.
    """
    output = Path(output)
    settings = recipe.pretrain
    with interruptible() as interruption:
        accelerator = begin_run(settings.mixed_precision, settings.threads, output)
        with training_arithmetic(accelerator.device):
            run = PretrainRun(recipe, output, accelerator)
            run.interruption = interruption
            open_output(accelerator, output, fresh)
            begin = run.progress
            run.progress = load_checkpoint(accelerator, output, recipe, begin, FREE_IN_PRETRAIN)
            if run.progress.text != begin.text:
                raise SettingsError(
                    f"the text has changed since {output} was begun: give the old one, start over with"
                    " --fresh, or write elsewhere with --output"
                )
            run.go()
    return run.progress


class PretrainRun(CheckedRun):
    """One pre-training: text, network, optimizer, and where it stands."""

    progress: PretrainProgress

    def __init__(self, recipe: PretrainRecipe, output: Path, accelerator: Any):
        self.recipe, self.settings = recipe, recipe.pretrain
        self.output, self.accelerator = output, accelerator
        self.parts: Pretraining = set_up(recipe, output, accelerator)
        self.trained = self.parts.masker.numbers
        if accelerator.process_index > 0:
            torch.manual_seed(self.settings.seed + accelerator.process_index)
        self.progress = PretrainProgress(self.parts.masker.blocks.folder.name)
        self.interruption = Interruption()
        self.total_updates, self.eval_steps = self.settings.max_steps, self.settings.eval_steps
        self.gradient_norm: float | None = None  # of the last update, before clipping
        self._check_seconds = LINE_SECONDS

    def go(self) -> None:
        """Train to the end of the recipe."""
        self._tell_beginning()
        main, done = self.accelerator.is_main_process, self.progress.update
        report = ProgressReport(self.settings.max_steps, done, shown=main, unit="subwords")
        try:
            with self.interruption.waiting():
                self._train(report)
        finally:
            report.close()
            self.accelerator.end_training()

    def _train(self, report: ProgressReport) -> None:
        progress, total = self.progress, self.settings.max_steps
        started, tokens = time.monotonic() - progress.seconds, progress.tokens
        if progress.update == 0 and self.accelerator.is_main_process:
            self._judge({})  # what the encoder knows before
        if self._check_is_due():  # the run was interrupted in the middle of it
            self._check()
        while progress.update < total:
            for batch in self._batches_ahead():
                progress.loss = loss = self.update(batch)
                progress.seconds = time.monotonic() - started
                report.update(progress.update, loss, progress.tokens - tokens)
                self.accelerator.log(self._measured(loss), step=progress.update)
                if self._check_is_due():
                    self._check()
                if self.interruption.asked(self.accelerator):
                    self._stop(kept=self._checked())
                if progress.update == total:
                    break

    def _tell_beginning(self) -> None:
        if not self.accelerator.is_main_process:
            return
        held_out = len(self.parts.held_out.numbers)
        parameters = sum(one.numel() for one in self.parts.model.parameters())
        epoch = -(-len(self.trained) // self.settings.batch_size)
        log.info(
            "training on %s: %s blocks (%s held out), %s parameters, %s updates (%.3g epochs), a check every %s updates;"
            " output in %s",
            device_of(self.accelerator), f"{len(self.trained):,}", f"{held_out:,}", f"{parameters:,}",
            f"{self.settings.max_steps:,}", self.settings.max_steps / epoch, f"{self.settings.eval_steps:,}", self.output,
        )  # fmt: skip
        if told := held_out_advice(len(self.trained), held_out, self.recipe.text.dev_ratio):
            log.warning("%s", told)
        if self.progress.update:
            log.info("resumed after update %d of %d", self.progress.update, self.settings.max_steps)

    def _measured(self, loss: float) -> dict[str, float]:
        """Return what TensorBoard shows of an update."""
        groups = self.parts.optimizer.param_groups
        found = {
            "loss": loss,
            "learning_rate/encoder": groups[0]["lr"],
            "learning_rate/heads": groups[-1]["lr"],
        }
        if self.gradient_norm is not None:
            found["gradient_norm"] = self.gradient_norm
        return found

    def _batches_ahead(self) -> Generator[Batch]:
        """Yield the batches that are left of the current epoch, masked: the next one while one is learned from."""
        with ThreadPoolExecutor(1) as pool:
            begun = (pool.submit(self.masked, numbers) for numbers in self._batches_left())
            coming = next(begun, None)
            while coming is not None:
                after = next(begun, None)
                yield self._waited(coming)
                coming = after

    def _waited(self, coming: Future[Batch]) -> Batch:
        started = time.monotonic()
        batch = coming.result()
        self.progress.masking_seconds += time.monotonic() - started
        return batch

    def _batches_left(self) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
        """Yield the batches that are left of the current epoch, as numbers of blocks."""
        size = self.settings.batch_size
        per_epoch = -(-len(self.trained) // size)
        self.epoch, done = divmod(self.progress.update, per_epoch)
        generator = np.random.default_rng((self.settings.seed, self.epoch))
        order = generator.permutation(self.trained)
        for start in range(done * size, len(order), size):
            yield order[start : start + size]

    def masked(self, numbers: np.ndarray[Any, np.dtype[np.int64]]) -> Batch:
        """Return a batch of blocks with the masks of this epoch, those of this process's share.

        With several processes each takes its share; one that has no block left reads another's for nothing, as all
        must take part.
        """
        process, processes = self.accelerator.process_index, self.accelerator.num_processes
        seed = (self.settings.seed, TRAINED, self.epoch)
        share = numbers[process::processes]
        chosen = share if len(share) else numbers[:1]
        examples = [self.parts.masker.example(int(number), seed) for number in chosen]
        return Batch(examples, len(numbers), len(share) > 0)

    def update(self, batch: Batch) -> float:
        """Do one update on a batch that is masked, in parts that fit the token budget; return its loss.

        The loss is the mean of -log P over masked words, plus the weighted mean over boundary
        targets (their number plus one, as in the authors' program), plus that over pairs. With
        several processes the loss is that of this one's share.
        """
        accelerator, mine, used = self.accelerator, batch.examples, float(batch.counts)
        self.parts.network.train()
        set_pretrain_rates(self.parts.optimizer, self.progress.update, self.settings)
        weights, tokens = self._weights(mine if used else [], batch.size)
        parts = batches_by_length([one.size for one in mine], self.settings.batch_tokens)
        total = 0.0
        for place, part in enumerate(parts):
            taken = [mine[index] for index in part]
            is_last = place == len(parts) - 1
            with nullcontext() if is_last else accelerator.no_sync(self.parts.network):
                total += self._backward(taken, [used * weight for weight in weights])
        if not np.isfinite(total):
            raise diverged(self.progress.update)
        if self.settings.max_grad_norm is not None:
            norm = accelerator.clip_grad_norm_(
                self.parts.network.parameters(), self.settings.max_grad_norm
            )
            self.gradient_norm = float(norm)
        self.parts.optimizer.step()
        self.parts.optimizer.zero_grad()
        self.progress.update += 1
        self.progress.tokens += tokens
        return total

    def _weights(self, examples: list[MaskedExample], batch: int) -> tuple[list[float], int]:
        """Return what the summed losses of the three objectives are multiplied by, and the subwords.

        Each process counts its ``examples`` of the batch of so many; the means are the whole batch's.
        """
        accelerator, objectives = self.accelerator, self.recipe.objectives
        counts = [(one.masked_subwords, one.boundary_targets, one.size) for one in examples]
        summed = torch.tensor(counts, dtype=torch.int64).reshape(-1, 3).sum(0)
        summed = accelerator.reduce(summed.to(accelerator.device), "sum")
        masked, targets, tokens = summed.tolist()
        processes = accelerator.num_processes  # gradients are averaged over them
        weights = [
            processes / max(1, masked),
            processes * objectives.boundary_weight / (targets + 1),
            processes / batch if objectives.next_sentence else 0.0,
        ]
        return weights, tokens

    def _backward(self, examples: list[MaskedExample], weights: list[float]) -> float:
        parts = self.parts
        batch = collate_examples(examples, parts.frame, parts.padding, parts.segments)
        losses = parts.network(batch.to(self.accelerator.device))
        loss = sum(weight * one for weight, one in zip(weights, losses, strict=True))
        self.accelerator.backward(loss)
        return float(loss.detach())

    def _check(self) -> None:
        """Score held-out text, write the encoder, save a checkpoint."""
        if self.accelerator.is_main_process:
            self._judge({"loss": self.progress.loss})
            told = {**asdict(self.progress), "recipe": self.recipe.model_dump(mode="json")}
            save_pretrained(self.parts.model, self.parts.tokenizer, self.output / BEST, told)
        self.accelerator.wait_for_everyone()
        save_checkpoint(self.accelerator, self.output, self.progress)

    def _judge(self, loss: dict[str, float]) -> None:
        """Add to the history what is lost on held-out text, beside the training's own loss."""
        progress = self.progress
        losses = self._held_out_losses()
        shown = ", ".join(f"{name} {value:.4f}" for name, value in losses.items())
        log.info("update %d: %s", progress.update, shown or "no text is held out")
        self.accelerator.log(losses, step=progress.update)
        told = {"update": progress.update, "tokens": progress.tokens, **loss, **losses}
        progress.history.append(told)

    def _held_out_losses(self) -> dict[str, float]:
        """Return what is lost on held-out text.

        An interrupt does not wait for it: the check is done again when the run is resumed.
        """
        update = self.progress.update
        blocks = min(len(self.parts.held_out.numbers), self.settings.dev_blocks)
        if blocks and self._check_seconds >= LINE_SECONDS:
            log.info("update %d: scoring %s held-out blocks", update, f"{blocks:,}")
        began = time.monotonic()
        try:
            with (
                self.interruption.at_once(self.accelerator.num_processes == 1),
                self.accelerator.autocast(),
            ):
                losses = held_out_losses(self.parts, self.settings, HELD_OUT)
        except TrainingInterrupted:
            if update:
                self._stop(kept=False)
            raise
        if update:
            self._check_seconds = time.monotonic() - began
        return losses
