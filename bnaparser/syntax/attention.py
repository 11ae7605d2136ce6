"""One layer's attention, stopped before its softmax: the output of the families and the input of the variants.

Shapes: B texts, A heads, T tokens, W features of a head, H of a token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.settings import Settings
from bnaparser.syntax.batch import SyntaxBatch


@dataclass
class Attention:
    """What a layer has computed when its softmax is due.

    ``layer_input`` (B, T, H) is what queries, keys and values were projected from. ``query``
    (B, A, T, W) is scaled already, so ``scores`` (B, A, T, T) are its products with ``key`` plus
    whatever the family adds for positions; nothing in them is masked. ``allowed`` says which keys
    the plain encoder lets a query see, (B or 1, 1, T or 1, T) of booleans, or is None if that
    is all; a mask of the user's own may have one for each head, (B or 1, A, T, T). ``dropout`` is 0 outside training. ``output_weight`` (H, A * W) is W^O. ``turn``
    turns keys (B, T, W) by their positions, where the family does so with its own.
    """

    layer_input: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    scores: Tensor
    allowed: Tensor | None
    dropout: float
    output_weight: Tensor
    turn: Callable[[Tensor], Tensor] | None = None

    def softmax(self, mask: Tensor | None = None) -> Tensor:
        """Return the probabilities (B, A, T, T) of all keys that are allowed, by ``mask`` too.

        A row without any such key is uniform, never NaN.
        """
        scores, visible = self.scores, both(self.allowed, mask)
        if visible is not None:
            scores = scores + closing(visible, scores.dtype)
        wide = torch.promote_types(scores.dtype, torch.float32)
        return scores.softmax(dim=-1, dtype=wide).to(self.value.dtype)

    def drop(self, probabilities: Tensor) -> Tensor:
        """Apply the encoder's attention dropout."""
        return F.dropout(probabilities, self.dropout, training=self.dropout > 0)


def both(allowed: Tensor | None, mask: Tensor | None) -> Tensor | None:
    """Return a mask of what both masks allow. A mask may be None: it forbids nothing."""
    if mask is None or allowed is None:
        return allowed if mask is None else mask
    return allowed & mask


def closing(visible: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the number that is added to scores to mask the keys that are not visible.

    A sum, as a mask is shared by all heads: filling their scores in takes three times as long. Half
    of the least number, so that sums stay numbers: a row without any key is uniform, never NaN.
    """
    closed = torch.zeros_like(visible, dtype=dtype)
    return closed.masked_fill_(~visible, torch.finfo(dtype).min / 2)


@dataclass(frozen=True)
class Sizes:
    """Of an encoder: features of a token, heads, features of a head, attention modules.

    ``layers`` counts modules that have parameters of their own: ALBERT's layers share theirs, and
    so they share what a variant adds.
    """

    width: int
    heads: int
    head_dim: int
    layers: int
    intermediate_size: int
    dropout: float
    initializer_range: float


class Syntax(nn.Module):
    """What ``attach`` puts into an encoder, as ``encoder.syntax``: the variant and its parameters.

    It keeps what its last call showed: each subclass says what. An encoder serves one call at a
    time, as every module with hooks.
    """

    def __init__(self, settings: Settings):
        super().__init__()
        self.settings = settings
        self.pending_batch: SyntaxBatch | None = None
        self.batch: SyntaxBatch | None = None
        self.running = False
        self.calls = 0
        self.learning = False

    def begin(self, batch: SyntaxBatch | None, shape: torch.Size, device: torch.device) -> None:
        """Take in the batch of a call for tokens of ``shape`` (B, T); forget the last call."""
        if batch is not None:
            if batch.settings != self.settings:
                raise SettingsError(
                    f"the batch was collated for {batch.settings!r}, the encoder has "
                    f"{self.settings!r}: give collate the settings of the encoder"
                )
            if batch.shape != tuple(shape):
                raise DataError(
                    f"syntax of {batch.shape[0]} texts of {batch.shape[1]} tokens does not fit "
                    f"an input of {shape[0]} texts of {shape[1]} tokens"
                )
            batch = batch.to(device)
        self.batch, self.running, self.calls = batch, True, 0
        self.learning = torch.is_grad_enabled()

    def end(self) -> None:
        """Close a call, even if it failed."""
        self.batch, self.running = None, False

    def check_gradient(self) -> None:
        """Raise where what a layer keeps for the loss would have no gradient."""
        if self.running and self.learning and not torch.is_grad_enabled():
            raise SettingsError(
                "gradient checkpointing with use_reentrant=True loses LISA's supervision: "
                "set use_reentrant=False"
            )

    def check_called(self) -> None:
        """Raise where a call has gone past the variant, as an unknown release might make it."""
        if self.batch is not None and not self.calls:
            raise ModelError(
                f"{type(self).__name__} was never called by its encoder: this release of transformers"
                " is not supported"
            )


class AttentionVariant(Syntax):
    """A variant that changes the attention of every layer."""

    def probabilities(self, layer: int, attention: Attention) -> Tensor:
        """Return what values are weighted with, (B, A, T, T), dropout applied, without syntax."""
        return attention.drop(attention.softmax())

    def guided(self, layer: int, attention: Attention, batch: SyntaxBatch) -> Tensor:
        """Return what values are weighted with, (B, A, T, T), dropout applied, under syntax."""
        raise NotImplementedError

    def attend(self, layer: int, attention: Attention, batch: SyntaxBatch | None) -> Tensor:
        """Return what values are weighted with, (B, A, T, T), dropout applied."""
        if batch is None:
            return self.probabilities(layer, attention)
        if self.running:  # not when gradient checkpointing runs a layer a second time
            self.calls += 1
        return self.guided(layer, attention, batch)

    def fused(
        self,
        layer: int,
        layer_input: Tensor,
        projected: tuple[Tensor, Tensor, Tensor],
        allowed: Tensor | None,
        batch: SyntaxBatch | None,
    ) -> Tensor | None:
        """Return contexts (B, A, T, W) by torch's own attention; None if that cannot serve.

        It returns no probabilities, and stores none: long texts take a fraction of time and memory.
        Only called if there is no dropout, and scores are nothing but the products of the
        queries, scaled, and keys of ``projected`` (with the values, as in `Attention`).
        """
        return None

    def combine(self, layer: int, contexts: Tensor, batch: SyntaxBatch) -> Tensor:
        """Return what a layer's contexts (B, T, A, W) are replaced by."""
        return contexts

    def finish(self, output: Tensor, batch: SyntaxBatch) -> Tensor:
        """Return what a layer's output projection (B, T, H) is replaced by."""
        return output
