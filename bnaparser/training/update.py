"""One update of a network's weights, by a batch that goes through it in parts: loss, optimizer, learning rate.

With ``train.qat_step`` the loss and its gradient are those of weights that are rounded as they will be
stored; what the optimizer changes are the weights before rounding (BinaryConnect: Courbariaux, Bengio
and David 2015, with more values).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bnaparser.chart import ScoresError
from bnaparser.encoders.batching import TRAINING_TOKENS, batches_by_length, default_tokens
from bnaparser.files.tensors import is_large_matrix, round_rows
from bnaparser.network.model import BnaModel
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.loop import diverged
from bnaparser.training.loss import (
    Gold,
    SoftTarget,
    hinge_loss,
    known_tags,
    likelihood_loss,
    soft_tag_loss,
    tag_loss,
    tree_loss,
    word_loss,
)
from bnaparser.training.noise import disturbed
from bnaparser.training.recipe import TrainSettings
from bnaparser.training.setup import GoldPieces, TrainingSentence
from bnaparser.training.teacher import Teacher


class Updater:
    """A network with its objective and its optimizer.

    ``accelerator`` is Hugging Face's: it knows device, precision and processes, and brings the
    network onto its device. ``batch_tokens`` bounds what goes through the network at once.
    ``teacher`` is the settings', where they have one. ``gradient_norm`` is that of the last update before
    clipping, where the settings clip.
    """

    def __init__(
        self,
        model: BnaModel,
        settings: TrainSettings,
        accelerator: Any,
        teacher: Teacher | None = None,
    ):
        self.model, self.settings, self.accelerator = model, settings, accelerator
        self.teacher = teacher
        self.gradient_norm: float | None = None
        self.batch_tokens = settings.batch_tokens or default_tokens(
            TRAINING_TOKENS, str(accelerator.device)
        )
        objective = Objective(model, settings.loss)
        optimizer = build_optimizer(model, settings)
        self.objective, self.optimizer = accelerator.prepare(objective, optimizer)

    def parts(self, batch: Sequence[TrainingSentence]) -> list[list[TrainingSentence]]:
        """Return a batch in parts of similar length that fit the token budget."""
        sizes = [sentence.prepared.size for sentence in batch]
        return [
            [batch[index] for index in part] for part in batches_by_length(sizes, self.batch_tokens)
        ]

    def update(self, batch: Sequence[TrainingSentence], number: int) -> float:
        """Do the update of this number, counted from 0, on a batch; return its loss.

        The loss is the mean over sentences, that of tags over words, that of found words over
        pieces. With several processes each takes its part of the batch, and the loss is that of
        its part. The number and the
        settings' seed fix the noise. Raises SettingsError if the network has diverged.
        """
        accelerator, process = self.accelerator, self.accelerator.process_index
        processes = accelerator.num_processes
        self.objective.train()
        batch = with_some_pieces(batch, self.settings.segmentation_every, number)
        # All processes must take part: one that has no sentence left reads another's for nothing.
        mine = batch[process::processes] or batch[:1]
        used = 0 if process >= len(batch) else processes  # gradients are averaged over processes
        shares = LossShares(
            used / len(batch),
            used / max(1, known_tags([one.gold for one in batch])),
            used / max(1, sum(len(one.pieces.begins) for one in batch if one.pieces)),
        )
        parts = self._read(mine, number)
        total = 0.0
        with rounded(self.model, self.settings.qat_step):
            for place, (part, soft) in enumerate(parts):
                is_last = place == len(parts) - 1
                with nullcontext() if is_last else accelerator.no_sync(self.objective):
                    try:
                        total += self._backward(part, soft, shares)
                    except ScoresError as error:
                        raise diverged(number, str(error)) from error
        if self.settings.max_grad_norm is not None:
            norm = accelerator.clip_grad_norm_(
                self.objective.parameters(), self.settings.max_grad_norm
            )
            self.gradient_norm = float(norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return total

    def _read(
        self, batch: Sequence[TrainingSentence], number: int
    ) -> list[tuple[list[TrainingSentence], list[SoftTarget]]]:
        """Return a batch in parts, as this update reads it, with what a teacher thinks of each sentence.

        The teacher reads a sentence's words without noise, but for those that come or go.
        """
        process, processes = self.accelerator.process_index, self.accelerator.num_processes
        read = []
        for place, part in enumerate(self.parts(batch)):
            generator = np.random.default_rng(
                (self.settings.seed, number, place * processes + process)
            )
            read.append(disturbed(self.model, part, self.settings, generator))
        if self.teacher is None:
            return [(part, []) for part in read]
        soft = iter(self.teacher.targets([one.example for part in read for one in part]))
        return [(part, list(islice(soft, len(part)))) for part in read]

    def _backward(
        self, part: Sequence[TrainingSentence], soft: Sequence[SoftTarget], shares: LossShares
    ) -> float:
        """Add the gradient of a part of a batch to what is there; return its loss."""
        prepared, golds = [one.prepared for one in part], [one.gold for one in part]
        pieces = [one.pieces for one in part if one.pieces is not None]
        loss = self.objective(prepared, golds, shares, pieces, soft)
        self.accelerator.backward(loss)
        return float(loss.detach())


def with_some_pieces(
    batch: Sequence[TrainingSentence], every: int, number: int
) -> Sequence[TrainingSentence]:
    """Return a batch in which one of this number of sentences has pieces, another one in the next update.

    To find words is learned sooner than trees are, and the network reads a sentence a second time for it.
    """
    return [
        one if (place + number) % every == 0 else replace(one, pieces=None)
        for place, one in enumerate(batch)
    ]


def build_optimizer(model: BnaModel, settings: TrainSettings) -> torch.optim.AdamW:
    """Return AdamW: a group of parameters for the pre-trained encoder, and one for the rest.

    Each group's ``base`` is the rate that a schedule takes its part of.
    """
    encoder = [p for n, p in model.named_parameters() if n.startswith("encoder.model.")]
    own = {id(parameter) for parameter in encoder}
    head = [p for p in model.parameters() if id(p) not in own]
    head_rate = settings.head_learning_rate or settings.learning_rate
    groups = [{"params": head, "lr": head_rate, "base": head_rate}]
    if encoder:
        rate = settings.learning_rate
        groups.append({"params": encoder, "lr": rate, "base": rate})
    return torch.optim.AdamW(
        groups,
        betas=settings.betas,
        eps=settings.eps,
        weight_decay=settings.weight_decay,
        fused=True,
    )


# By the name that a recipe has for it.
SPAN_LOSSES = {"hinge": hinge_loss, "crf": likelihood_loss}


@dataclass(frozen=True)
class LossShares:
    """What a sentence, a word with its tag and a piece count in the loss of an update."""

    sentence: float
    word: float
    piece: float = 0.0


class Objective(nn.Module):
    """The loss of a part of a batch: what a training process computes in one forward pass."""

    def __init__(self, model: BnaModel, loss: str):
        super().__init__()
        self.model = model
        self.loss = loss
        self.tag_weight = model.settings.tags.loss_weight
        self.word_weight = model.settings.text.loss_weight

    def forward(
        self,
        batch: Sequence[PreparedSentence],
        golds: Sequence[Gold],
        shares: LossShares,
        pieces: Sequence[GoldPieces] = (),
        soft: Sequence[SoftTarget] = (),
    ) -> Tensor:
        """Return a scalar: the losses of spans, of tags and of words in pieces, each times its weight.

        ``soft`` is what a teacher thinks of each sentence, if there is one.
        """
        encoded = self.model.encode(batch)
        if soft:
            of_trees = tree_loss(self.model, encoded, golds, soft, self.loss)
        else:
            of_trees = SPAN_LOSSES[self.loss](self.model, encoded, golds)
        loss = shares.sentence * of_trees
        if self.model.settings.tags.predict:
            if soft:
                of_tags = soft_tag_loss(self.model, encoded, golds, soft)
            else:
                of_tags = tag_loss(self.model, encoded, golds)
            loss = loss + self.tag_weight * shares.word * of_tags
        if pieces:
            read = self.model.encode([one.prepared for one in pieces])
            found = word_loss(self.model, read, [one.begins for one in pieces])
            loss = loss + self.word_weight * shares.piece * found
        elif self.model.settings.text.segment_words:
            # Processes wait for the gradient of every weight: here that of the head is 0.
            loss = loss + 0.0 * self.model.word_scores(encoded).sum()
        return loss


@contextmanager
def rounded(model: nn.Module, step: float | None) -> Iterator[None]:
    """Within, a network's large matrices hold what is stored of them with this ``qat_step``.

    Afterwards they hold what they held before, to the bit. Without a step nothing is done.
    """
    large = [] if step is None else [p for p in model.parameters() if is_large_matrix(p)]
    before = [parameter.detach().clone() for parameter in large]
    with torch.no_grad():
        for parameter in large:
            matrix, scale = round_rows(parameter, step)
            parameter.copy_(matrix * scale)
    try:
        yield
    finally:
        with torch.no_grad():
            for parameter, exact in zip(large, before, strict=True):
                parameter.copy_(exact)


def scheduled_factor(update: int, total_updates: int, settings: TrainSettings) -> float:
    """Return what the learning rate is multiplied by at an update, counted from 0.

    It rises from 0 in a straight line, then is 1 or, under "linear", falls towards 0;
    what development scores do to it under "reduce_lr_on_plateau" comes on top.
    """
    warmup = settings.warmup_steps
    if settings.warmup_ratio is not None:
        warmup = math.ceil(settings.warmup_ratio * total_updates)
    if update < warmup:
        return update / warmup
    if settings.lr_scheduler_type == "linear":
        return (total_updates - update) / max(1, total_updates - warmup)
    return 1.0
