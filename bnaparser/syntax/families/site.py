"""One place in an encoder where a variant steps in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from bnaparser.syntax.attention import Attention, AttentionVariant
from bnaparser.syntax.batch import SyntaxBatch


@dataclass
class Site:
    """An attention module of an encoder, its number, and the variant that serves it.

    ``projection`` is the linear layer behind it, or the module itself where that calls ``finish``.

    Not a module itself, so that modules can point to it without changing the tree of parameters.
    """

    module: nn.Module
    projection: nn.Module
    layer: int
    variant: AttentionVariant | None = None
    serving: SyntaxBatch | None = None

    def serve(self, attention: Attention, batch: SyntaxBatch | None) -> tuple[Tensor, Tensor]:
        """Return contexts (B, T, A, W) and the probabilities (B, A, T, T) that made them."""
        assert self.variant is not None
        self.serving = batch
        probabilities = self.variant.attend(self.layer, attention, batch)
        contexts = probabilities.to(attention.value.dtype) @ attention.value
        contexts = contexts.transpose(1, 2).contiguous()
        if batch is not None:
            contexts = self.variant.combine(self.layer, contexts, batch)
        return contexts, probabilities

    def held(self) -> SyntaxBatch | None:
        """Return the batch of the call that is under way."""
        assert self.variant is not None
        return self.variant.batch

    def finish(self, module: nn.Module, args: Any, output: Tensor) -> Tensor:
        """Hook behind the output projection: the variant's last word on what comes out of it.

        The batch is what ``serve`` has just been given, not that of the call: where gradient
        checkpointing runs a layer again, the call is over.
        """
        batch, self.serving = self.serving, None
        if batch is None or self.variant is None:
            return output
        return self.variant.finish(output, batch)
