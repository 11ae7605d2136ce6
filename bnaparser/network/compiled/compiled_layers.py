"""BNA's layers from compiled loops (eq. 10 to 17), without padding: `LayerStack` says what they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bnaparser.compute.attention import attend, attend_both_ways, attend_to_spans
from bnaparser.compute.functions import ACTIVATION_NUMBERS
from bnaparser.compute.packed import Floats
from bnaparser.network.compiled.compiled_encoder import Runs
from bnaparser.network.compiled.weights import Affine, Norm, StoredWeights, signed
from bnaparser.network.model_settings import LayerKind, LayerSettings

# From word vectors (rows, width) to contexts (rows, heads * head_width).
_Attention = Callable[[Floats, Runs], Floats]


@dataclass(frozen=True)
class _Block:
    attention: _Attention
    output: Affine
    attention_norm: Norm
    inner: Affine
    outer: Affine
    norm: Norm


class CompiledLayers:
    """Positions, norm, then the layers; those of `LayerStack` that `can_compile` names."""

    def __init__(self, settings: LayerSettings, weights: StoredWeights):
        self._adds_input = settings.residual == "program"
        self._activation = ACTIVATION_NUMBERS[settings.activation]
        self._positions = weights.table("stack.positions")
        self._norm = weights.norm("stack.norm")
        self._blocks = [
            _block(kind, settings, weights, f"stack.layers.{number}.")
            for number, kind in enumerate(settings.kinds)
        ]

    def __call__(self, content: Floats, runs: Runs) -> Floats:
        """Map the content of START, words and STOP, float32 (rows, width), to contextual vectors."""
        hidden = self._norm(content, self._positions.rows(runs.places()))
        for block in self._blocks:
            contexts = block.attention(hidden, runs)
            attended = block.attention_norm(block.output(contexts), hidden)
            inner = block.inner(attended, self._activation)
            kept = hidden if self._adds_input else attended
            hidden = block.norm(block.outer(inner), kept)
        return hidden


def can_compile(settings: LayerSettings) -> bool:
    """Tell whether these layers are among those written here."""
    kinds = {"bimsa", "nsa", "self_attention"}
    return (
        set(settings.kinds) <= kinds
        and settings.positions == "add"
        and settings.span_signs == "paper"
    )


def _block(
    kind: LayerKind, settings: LayerSettings, weights: StoredWeights, prefix: str
) -> _Block:
    make = {"bimsa": _bimsa, "nsa": _nsa, "self_attention": _self_attention}[kind]
    return _Block(
        make(settings, weights, f"{prefix}attention."),
        weights.affine(f"{prefix}attention.output"),
        weights.norm(f"{prefix}attention_norm"),
        weights.affine(f"{prefix}feed_forward.0"),
        weights.affine(f"{prefix}feed_forward.3"),
        weights.norm(f"{prefix}feed_forward_norm"),
    )


def _room(rows: Floats, settings: LayerSettings) -> Floats:
    return np.empty((len(rows), settings.heads * settings.head_width), np.float32)


def _self_attention(settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Attention:
    projection = weights.affine(f"{prefix}query", f"{prefix}key", f"{prefix}value")
    scale = np.float32(settings.head_width**-0.5)
    nothing = np.zeros((1, 1), np.float32)

    def contexts(rows: Floats, runs: Runs) -> Floats:
        out = _room(rows, settings)
        attend(projection(rows), runs.starts, runs.lengths, settings.heads, scale, nothing, out)
        return out

    return contexts


def _bimsa(settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Attention:
    projection = weights.affine(f"{prefix}query", f"{prefix}key", f"{prefix}value")
    scale = np.float32(settings.head_width**-0.5)

    def contexts(rows: Floats, runs: Runs) -> Floats:
        out = _room(rows, settings)
        attend_both_ways(projection(rows), runs.starts, runs.lengths, settings.heads, scale, out)
        return out

    return contexts


def _nsa(settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Attention:
    # Spans are [h_j^f - h_i^f; h_i^b - h_j^b]: a position counts with its backward half turned round.
    signs = np.ones(settings.width, np.float32)
    signs[settings.width // 2 :] = -1
    key, value = (signed(weights.matrix(f"{prefix}{name}"), signs) for name in ("key", "value"))
    query_bias = weights.array(f"{prefix}query.bias")
    bias = np.concatenate([query_bias, np.zeros(2 * len(query_bias), np.float32)])
    projection = weights.made([weights.matrix(f"{prefix}query"), key, value], bias)
    value_bias = weights.array(f"{prefix}value.bias")
    scale = np.float32(settings.head_width**-0.5)

    def contexts(rows: Floats, runs: Runs) -> Floats:
        out = _room(rows, settings)
        attend_to_spans(
            projection(rows),
            value_bias,
            runs.starts,
            runs.lengths,
            2 * settings.heads,
            settings.ngrams,
            scale,
            out,
        )
        return out

    return contexts
