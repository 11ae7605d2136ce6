"""The hook that replaces one attention module of an encoder by a variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from bnaparser.syntax.attention import Attention, AttentionVariant
from bnaparser.syntax.batch import SyntaxBatch


@dataclass
class AttentionHook:
    """An attention module of an encoder, its number, and the variant that serves it.

    ``projection`` is the linear layer after the module, or the module itself if the module calls ``finish``.

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
        probabilities = self.variant.attend(self.layer, attention, batch)
        contexts = probabilities.to(attention.value.dtype) @ attention.value
        return self._combined(contexts, batch), probabilities

    def fused(
        self,
        layer_input: Tensor,
        projected: tuple[Tensor, Tensor, Tensor],
        allowed: Tensor | None,
        batch: SyntaxBatch | None,
    ) -> Tensor | None:
        """Return contexts (B, T, A, W) without probabilities, or None; see the variant's ``fused``."""
        assert self.variant is not None
        contexts = self.variant.fused(self.layer, layer_input, projected, allowed, batch)
        return None if contexts is None else self._combined(contexts, batch)

    def _combined(self, contexts: Tensor, batch: SyntaxBatch | None) -> Tensor:
        """Return contexts (B, T, A, W) from the attention's output (B, A, T, W)."""
        assert self.variant is not None
        self.serving = batch
        contexts = contexts.transpose(1, 2).contiguous()
        return contexts if batch is None else self.variant.combine(self.layer, contexts, batch)

    def held(self) -> SyntaxBatch | None:
        """Return the batch of the current forward call."""
        assert self.variant is not None
        return self.variant.batch

    def finish(self, module: nn.Module, args: Any, output: Tensor) -> Tensor:
        """Forward hook of the output projection: let the variant change its output.

        The batch is what ``serve`` has just been given, not that of the call: where gradient
        checkpointing runs a layer again, the call is over.
        """
        batch, self.serving = self.serving, None
        if batch is None or self.variant is None:
            return output
        return self.variant.finish(output, batch)


class CarryingLayer:
    """A layer that passes the batch on as an argument, for classes that accept no further arguments.

    So gradient checkpointing, which runs a layer a second time after the call is over, runs it with
    the same batch.
    """

    attention: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the layer with the batch of the call that is under way."""
        held = self.attention.self.hook.held()
        return super().__call__(*args, syntax=held, **kwargs)  # type: ignore[misc]

    def forward(self, *args: Any, syntax: SyntaxBatch | None, **kwargs: Any) -> Any:
        """Run the original forward, with the batch laid down where the attention finds it."""
        self.attention.self.syntax = syntax
        return super().forward(*args, **kwargs)  # type: ignore[misc]
