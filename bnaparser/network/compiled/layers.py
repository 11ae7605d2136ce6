"""BNA's layers from compiled loops (eq. 10 to 17), without padding: `LayerStack` says what they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bnaparser.compute.attention import NO_DISTANCES, attend_both_ways, attend_to_spans
from bnaparser.compute.matrices import ACTIVATION_NUMBERS, Floats
from bnaparser.network.compiled.encoder import Attention, Block, PackedLengths, SelfAttention
from bnaparser.network.compiled.weights import Affine, StoredWeights, signed
from bnaparser.network.model_settings import LayerKind, LayerSettings


class CompiledLayers:
    """Positions, norm, then the layers; those of `LayerStack` that `can_compile` names."""

    def __init__(self, settings: LayerSettings, weights: StoredWeights):
        width = settings.hidden_size
        self._positions = weights.table("stack.positions", settings.max_positions, width)
        self._norm = weights.norm(width, "stack.norm")
        self._blocks = [
            _block(kind, settings, weights, f"stack.layers.{number}.")
            for number, kind in enumerate(settings.layer_types)
        ]

    def __call__(self, content: Floats, lengths: PackedLengths) -> Floats:
        """Map the content of START, words and STOP, float32 (rows, width), to contextual vectors."""
        hidden = self._norm(content, self._positions.rows(lengths.places()))
        for block in self._blocks:
            hidden = block(hidden, lengths)
        return hidden


def can_compile(settings: LayerSettings) -> bool:
    """Return whether the compiled network supports these layers."""
    kinds = {"bimsa", "nsa", "self_attention"}
    return (
        set(settings.layer_types) <= kinds
        and settings.positions == "add"
        and settings.span_signs == "paper"
    )


def _block(kind: LayerKind, settings: LayerSettings, weights: StoredWeights, prefix: str) -> Block:
    attentions: dict[str, Callable[[LayerSettings, StoredWeights, str], Attention]]
    attentions = {"bimsa": BiMSA.of, "nsa": NSA.of, "self_attention": _self_attention}
    width, inner = settings.hidden_size, settings.intermediate_size
    return Block(
        attentions[kind](settings, weights, f"{prefix}attention."),
        weights.affine(_inner(settings), width, f"{prefix}attention.output"),
        weights.norm(width, f"{prefix}attention_norm"),
        weights.affine(width, inner, f"{prefix}feed_forward.0"),
        weights.affine(inner, width, f"{prefix}feed_forward.3"),
        weights.norm(width, f"{prefix}feed_forward_norm"),
        ACTIVATION_NUMBERS[settings.activation],
        adds_input=settings.residual == "program",
    )


def _inner(settings: LayerSettings) -> int:
    return settings.num_attention_heads * settings.head_dim


def _self_attention(settings: LayerSettings, weights: StoredWeights, prefix: str) -> SelfAttention:
    names = [f"{prefix}{name}" for name in ("query", "key", "value")]
    projection = weights.affine(settings.hidden_size, _inner(settings), *names)
    heads, size = settings.num_attention_heads, settings.head_dim
    return SelfAttention(projection, heads, size, NO_DISTANCES)


@dataclass(frozen=True)
class BiMSA:
    """Bidirectional masked self-attention (eq. 12 to 14): ``projection`` computes queries, keys and values of half width."""

    projection: Affine
    heads: int
    head_dim: int

    @classmethod
    def of(cls, settings: LayerSettings, weights: StoredWeights, prefix: str) -> BiMSA:
        """Return the attention with its stored weights."""
        width, inner = settings.hidden_size, _inner(settings)
        sizes = {"query": inner, "key": inner, "value": inner // 2}
        projection = weights.made(
            [weights.matrix(f"{prefix}{name}.weight", size, width) for name, size in sizes.items()],
            np.concatenate(
                [weights.array(f"{prefix}{name}.bias", size) for name, size in sizes.items()]
            ),
        )
        return cls(projection, settings.num_attention_heads, settings.head_dim)

    def __call__(self, rows: Floats, lengths: PackedLengths) -> Floats:
        """Return forward contexts, then backward ones, float32 (rows, heads * head_dim)."""
        out = np.empty((len(rows), self.heads * self.head_dim), np.float32)
        scale, scratch = np.float32(self.head_dim**-0.5), lengths.scratch(self.head_dim)
        places = lengths.starts, lengths.lengths
        attend_both_ways(self.projection(rows), *places, self.heads, scale, out, scratch)
        return out


@dataclass(frozen=True)
class NSA:
    """N-gram span attention (eq. 15 to 17): ``projection`` computes queries, and keys and values of positions."""

    projection: Affine
    value_bias: Floats
    heads: int
    head_dim: int
    ngrams: int

    @classmethod
    def of(cls, settings: LayerSettings, weights: StoredWeights, prefix: str) -> NSA:
        """Return the attention with its stored weights."""
        # Spans are [h_j^f - h_i^f; h_i^b - h_j^b]: a position counts with its backward half turned round.
        signs = np.ones(settings.hidden_size, np.float32)
        signs[settings.hidden_size // 2 :] = -1
        inner = _inner(settings)
        query, key, value = (
            weights.matrix(f"{prefix}{name}.weight", inner, settings.hidden_size)
            for name in ("query", "key", "value")
        )
        query_bias, value_bias = (
            weights.array(f"{prefix}{name}.bias", inner) for name in ("query", "value")
        )
        bias = np.concatenate([query_bias, np.zeros(2 * inner, np.float32)])
        projection = weights.made([query, signed(key, signs), signed(value, signs)], bias)
        return cls(
            *(projection, value_bias, settings.num_attention_heads),
            *(settings.head_dim, settings.ngrams),
        )

    def __call__(self, rows: Floats, lengths: PackedLengths) -> Floats:
        """Return the contexts of both halves, float32 (rows, heads * head_dim)."""
        out = np.empty((len(rows), self.heads * self.head_dim), np.float32)
        attend_to_spans(
            self.projection(rows),
            self.value_bias,
            lengths.starts,
            lengths.lengths,
            2 * self.heads,
            self.ngrams,
            np.float32(self.head_dim**-0.5),
            out,
            lengths.scratch(out.shape[1] // (2 * self.heads)),
        )
        return out
