"""Pre-training an encoder on spans: update after update, judged on held-out text, resumable.

Hugging Face accelerate does the device work, as in `bnaparser.training`. What is random is drawn from the
recipe's seed, the epoch and the block, so an interrupted run ends at the weights of one that was not.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.batching import batches_by_length
from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.loading import load_tokenizer, save_tokenizer
from bnaparser.encoders.pretrained import set_dropout
from bnaparser.errors import DataError, ModelError, SettingsError, TrainingInterrupted
from bnaparser.spanbert.batch import Frame, MaskedExample, Masker, collate_examples, frame_of
from bnaparser.spanbert.blocks import (
    Blocks,
    evenly,
    find_files,
    key_of,
    make_once,
    read_blocks,
    read_documents,
    split_blocks,
)
from bnaparser.spanbert.language_model import (
    LanguageModel,
    add_mask_token,
    load_language_model,
    new_config,
    new_language_model,
    train_tokenizer,
)
from bnaparser.spanbert.masking import annotated, is_annotated
from bnaparser.spanbert.model import SpanModel, load_heads, save_pretrained
from bnaparser.spanbert.settings import PretrainRecipe, PretrainSettings
from bnaparser.training.checkpoints import (
    BEST,
    CheckedRun,
    check_recipe,
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
from bnaparser.training.setup import begin_run, device_of, only_run, open_output

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
    """What an update learns from: a process's examples of a batch of this number of blocks, and whether they count."""

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
    if not fresh:
        check_recipe(output, recipe, FREE_IN_PRETRAIN)
    with interruptible() as interruption:
        accelerator = begin_run(settings.mixed_precision, settings.threads, output)
        with only_run(accelerator, output), training_arithmetic(accelerator.device):
            run = PretrainRun(recipe, output, accelerator)
            run.interruption = interruption
            open_output(accelerator, output, fresh)
            begin = run.progress
            run.progress = load_checkpoint(accelerator, output, recipe, begin, FREE_IN_PRETRAIN)
            if run.progress.text != begin.text:
                raise SettingsError(
                    f"the text has changed since {output} was begun: use the former text, start from scratch with"
                    " --fresh, or choose another folder with --output"
                )
            run.go()
    return run.progress


class PretrainRun(CheckedRun):
    """One pre-training: text, network, optimizer, and the state of the run."""

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
        self._log_start()
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
                if self.interruption.requested(self.accelerator):
                    self._stop(kept=self._checked())
                if progress.update == total:
                    break

    def _log_start(self) -> None:
        if not self.accelerator.is_main_process:
            return
        held_out = len(self.parts.held_out.numbers)
        parameters = sum(one.numel() for one in self.parts.model.parameters())
        epoch = -(-len(self.trained) // self.settings.batch_size)
        log.info(
            "training on %s: %s blocks (%s held out), %s parameters, %s updates (%.3g epochs), %s;"
            " output in %s",
            device_of(self.accelerator), f"{len(self.trained):,}", f"{held_out:,}", f"{parameters:,}",
            f"{self.settings.max_steps:,}", self.settings.max_steps / epoch, self._checks(), self.output,
        )  # fmt: skip
        if advice := held_out_advice(len(self.trained), held_out, self.recipe.text.dev_ratio):
            log.warning("%s", advice)
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
        """Return a batch of blocks with the masks of this epoch, for this process's part.

        With several processes each takes its part; one that has no block left reads another's for nothing, as all
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
        several processes the loss is that of this process's part.
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

        Each process has its own ``examples``; the means are over the whole batch, ``batch`` examples of all processes.
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
            facts = {**asdict(self.progress), "recipe": self.recipe.model_dump(mode="json")}
            save_pretrained(self.parts.model, self.parts.tokenizer, self.output / BEST, facts)
        self.accelerator.wait_for_everyone()
        save_checkpoint(self.accelerator, self.output, self.progress)

    def _judge(self, loss: dict[str, float]) -> None:
        """Add to the history what is lost on held-out text, beside the training's own loss."""
        progress = self.progress
        losses = self._held_out_losses()
        shown = ", ".join(f"{name} {value:.4f}" for name, value in losses.items())
        log.info("update %d: %s", progress.update, shown or "no text is held out")
        self.accelerator.log(losses, step=progress.update)
        entry = {"update": progress.update, "tokens": progress.tokens, **loss, **losses}
        progress.history.append(entry)

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


CACHE = "text"
# Settings of the text that its tokenizer depends on.
_READ = {"document", "field", "block_size"}


@dataclass
class Pretraining:
    """All parts of a pre-training; ``network`` is ``model`` as the accelerator has prepared it.

    ``masker`` draws from the text that is trained on, ``held_out`` from the rest.
    """

    tokenizer: PreTrainedTokenizerBase
    masker: Masker
    held_out: Masker
    frame: Frame
    model: SpanModel
    network: nn.Module
    optimizer: Any
    device: torch.device

    @property
    def padding(self) -> int:
        """The subword that fills up rows; what it is does not matter, since it is not attended to."""
        return self.tokenizer.pad_token_id or 0

    @property
    def segments(self) -> bool:
        """Whether the encoder distinguishes two segments and there are two."""
        two = self.masker.objectives.next_sentence
        return two and "token_type_ids" in self.tokenizer.model_input_names


def set_up(recipe: PretrainRecipe, output: Path, accelerator: Any) -> Pretraining:
    """Read the text and build the network of a recipe. Raises as `pretraining.pretrain` does."""
    torch.manual_seed(recipe.pretrain.seed)
    cache = Path(recipe.text.cache or output / CACHE)
    tokenizer, language_model = _encoder(recipe, cache)
    two = recipe.objectives.next_sentence
    frame = frame_of(tokenizer, two)
    limit = _limit(recipe, language_model, frame)
    # One process makes what the others wait for, at a lock and not at a barrier: tokenising may
    # take longer than processes wait for each other.
    blocks = read_blocks(recipe.text, tokenizer, limit, cache)
    needs = is_annotated(recipe.masking, recipe.text)
    table = annotated(blocks, tokenizer, recipe.masking, recipe.text) if needs else None
    if recipe.encoder.dropout is not None:
        set_dropout(language_model.model, recipe.encoder.dropout)
    model = SpanModel(language_model, recipe.objectives)
    if recipe.encoder.name is not None:
        load_heads(model, recipe.encoder.name)
    masker, held_out = _maskers(recipe, blocks, tokenizer, table)
    optimizer = build_pretrain_optimizer(model, recipe.pretrain)
    network, prepared = accelerator.prepare(model, optimizer)
    return Pretraining(
        tokenizer, masker, held_out, frame, model, network, prepared, accelerator.device
    )


def _encoder(recipe: PretrainRecipe, cache: Path) -> tuple[PreTrainedTokenizerBase, LanguageModel]:
    settings = recipe.encoder
    if settings.name is None:
        tokenizer = _new_tokenizer(recipe, cache)
        config = new_config(settings.new, len(tokenizer), recipe.text.block_size)
        return tokenizer, new_language_model(config, settings.attention)
    tokenizer = load_tokenizer(settings.name)
    if not tokenizer.is_fast:
        raise ModelError(
            f"the tokenizer of {settings.name} gives no character offsets: use a model with a fast tokenizer"
        )
    model = load_language_model(settings.name, settings.attention)
    add_mask_token(tokenizer, model)
    return tokenizer, model


def _new_tokenizer(recipe: PretrainRecipe, cache: Path) -> PreTrainedTokenizerBase:
    """Return a tokenizer that is trained on the text, once, and kept beside it."""
    files = find_files(recipe.text.files)

    def texts() -> Iterator[str]:
        return (text for path in files for text in read_documents(path, recipe.text))

    def make(new: Path) -> None:
        log.info("training a tokenizer on %d files", len(files))
        tokenizer = train_tokenizer(texts, recipe.encoder.new, recipe.text.block_size)
        save_tokenizer(tokenizer, new)

    key_parts = (recipe.encoder.new.model_dump_json(), recipe.text.model_dump_json(include=_READ))
    folder = cache / f"tokenizer-{key_of(key_parts, files)}"
    make_once(folder, make)
    return load_tokenizer(folder)


def _limit(recipe: PretrainRecipe, model: LanguageModel, frame: Frame) -> int:
    """Return how many subwords a segment may have."""
    positions = max_positions(model.base.config)
    if recipe.text.block_size > positions:
        raise SettingsError(
            f"text.block_size is {recipe.text.block_size}, but the encoder accepts at most {positions} subwords"
        )
    segments = 2 if recipe.objectives.next_sentence else 1
    return (recipe.text.block_size - frame.size) // segments


def _maskers(
    recipe: PretrainRecipe, blocks: Blocks, tokenizer: PreTrainedTokenizerBase, table: Any
) -> tuple[Masker, Masker]:
    """Return what draws from the text that is trained on, and from the text that is held out."""
    trained, held_out = split_blocks(blocks, recipe.text.dev_ratio)
    if len(trained) == 0:
        raise DataError("all text is held out: give more text, or a smaller text.dev_ratio")
    assert tokenizer.mask_token_id is not None
    masker = Masker(
        blocks, recipe.masking, recipe.objectives, tokenizer.mask_token_id, trained, table
    )
    return masker, replace(masker, numbers=held_out)


def build_pretrain_optimizer(model: SpanModel, settings: PretrainSettings) -> torch.optim.AdamW:
    """Return AdamW; biases and norms have no weight decay, as in BERT.

    Each group has, beside what AdamW knows, its highest rate, ``base``, and the update at which
    its rate begins to rise, ``begins``: a head made at random would spoil an encoder that it
    moves before it has learned anything, so the encoder can wait for it.
    """
    encoder = {id(parameter) for parameter in model.language_model.base.parameters()}
    head_rate = settings.head_learning_rate or settings.learning_rate
    groups: list[dict[str, Any]] = []
    for is_encoder, rate, begins in (
        (True, settings.learning_rate, settings.freeze_encoder_steps),
        (False, head_rate, 0),
    ):
        chosen = [p for p in model.parameters() if (id(p) in encoder) == is_encoder]
        for is_matrix, decay in ((True, settings.weight_decay), (False, 0.0)):
            parameters = [p for p in chosen if (p.dim() > 1) == is_matrix]
            options = {"lr": rate, "base": rate, "begins": begins, "weight_decay": decay}
            groups.append({"params": parameters, **options})
    return torch.optim.AdamW(groups, betas=settings.betas, eps=settings.eps, fused=True)


def set_pretrain_rates(optimizer: Any, update: int, settings: PretrainSettings) -> None:
    """Set the rate of each group of `build_pretrain_optimizer` for an update."""
    for group in optimizer.param_groups:
        begins = group["begins"]
        total = settings.max_steps - begins
        warmup = settings.warmup_steps
        if settings.warmup_ratio is not None:
            warmup = math.ceil(settings.warmup_ratio * total)
        factor = pretrain_factor(update - begins, warmup, total)
        group["lr"] = group["base"] * factor


def pretrain_factor(update: int, warmup: int, total: int) -> float:
    """Return the factor of the learning rate: it rises linearly, then falls linearly to 0.

    Before update 0 it is 0.
    """
    if update < 0:
        return 0.0
    if update < warmup:
        return (update + 1) / warmup
    return (total - update) / max(1, total - warmup)


FEW_BLOCKS = 10  # held-out blocks with less than these tell little


@torch.no_grad()
def held_out_losses(parts: Pretraining, settings: PretrainSettings, kind: int) -> dict[str, float]:
    """Return the mean -log P a target of each objective on held-out blocks, at most as many as set.

    Their masks are always the same. Without held-out blocks there are no losses to report.
    """
    masker = parts.held_out
    if len(masker.numbers) == 0:
        return {}
    numbers = evenly(masker.numbers, settings.dev_blocks)
    parts.model.eval()
    examples = [masker.example(int(number), (0, kind)) for number in numbers]
    totals = torch.zeros(3, dtype=torch.float64)
    for part in batches_by_length([one.size for one in examples], settings.batch_tokens):
        chosen = [examples[index] for index in part]
        batch = collate_examples(chosen, parts.frame, parts.padding, parts.segments)
        losses = parts.model(batch.to(parts.device))
        totals += torch.stack([loss.double().cpu() for loss in losses])
    parts.model.train()
    counts = {
        "words": sum(one.masked_subwords for one in examples),
        "boundaries": sum(one.boundary_targets for one in examples),
        "next_sentence": sum(len(one.originals) == 2 for one in examples),
    }
    found = zip(counts.items(), totals.tolist(), strict=True)
    return {f"held_out_{name}": total / count for (name, count), total in found if count}


def held_out_advice(trained: int, held_out: int, share: float) -> str | None:
    """Return what to say of a text of which too little is held out to judge a run by, or None.

    Args:
        trained: the number of blocks that are trained on.
        held_out: the number of blocks that are held out.
        share: ``text.dev_ratio``.
    """
    if share == 0 or held_out >= FEW_BLOCKS:
        return None
    blocks = trained + held_out
    if held_out == 0:
        return f"no text is held out: the text is {_blocks(blocks)}, and at least two are needed"
    advice = f"only {_blocks(held_out)} of {blocks:,} held out (text.dev_ratio = {share:g}): the losses vary much"
    if blocks < 2 * FEW_BLOCKS:
        return f"{advice}; more text is needed"
    return f"{advice}; text.dev_ratio = {math.ceil(100 * FEW_BLOCKS / blocks) / 100:g} holds out about {FEW_BLOCKS}"


def _blocks(number: int) -> str:
    return f"{number:,} block{'s' if number > 1 else ''}"
