"""One update of a network's weights, by a batch that goes through it in parts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import torch

from bnaparser.chart import ScoresError
from bnaparser.encoders.batching import TRAINING_TOKENS, batches_by_length, default_tokens
from bnaparser.network.model import BnaModel
from bnaparser.training.arithmetic import diverged
from bnaparser.training.loss import known_tags
from bnaparser.training.noise import disturbed
from bnaparser.training.objective import LossShares, Objective
from bnaparser.training.recipe import TrainSettings
from bnaparser.training.rounding import rounded
from bnaparser.training.setup import TrainingSentence
from bnaparser.training.soft_targets import SoftTarget
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
        pieces. With several processes each takes its share of the batch, and the loss is that of
        its share. The number and the
        settings' seed fix the noise. Raises SettingsError where the network has diverged.
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
    """Return a batch in which one of so many sentences has pieces, another one in the next update.

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
