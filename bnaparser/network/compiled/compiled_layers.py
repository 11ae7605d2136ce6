"""BNA's layers from compiled loops (eq. 10 to 17), without padding: `LayerStack` says what they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bnaparser.compute.activations import ACTIVATION_NUMBERS
from bnaparser.compute.attention import attend, attend_both_ways, attend_to_spans
from bnaparser.compute.packed import Floats
from bnaparser.network.compiled.compiled_encoder import Runs
from bnaparser.network.compiled.weights import Affine, Norm, StoredWeights, signed
from bnaparser.network.model_settings import LayerKind, LayerSettings

# From word vectors (rows, width) to contexts (rows, heads * head_dim).
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
        width = settings.hidden_size
        self._positions = weights.table("stack.positions", settings.max_positions, width)
        self._norm = weights.norm(width, "stack.norm")
        self._blocks = [
            _block(kind, settings, weights, f"stack.layers.{number}.")
            for number, kind in enumerate(settings.layer_types)
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
        set(settings.layer_types) <= kinds
        and settings.positions == "add"
        and settings.span_signs == "paper"
    )


def _block(kind: LayerKind, settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Block:
    make = {"bimsa": _bimsa, "nsa": _nsa, "self_attention": _self_attention}[kind]
    width, inner = settings.hidden_size, settings.intermediate_size
    return _Block(
        make(settings, weights, f"{prefix}attention."),
        weights.affine(_inner(settings), width, f"{prefix}attention.output"),
        weights.norm(width, f"{prefix}attention_norm"),
        weights.affine(width, inner, f"{prefix}feed_forward.0"),
        weights.affine(inner, width, f"{prefix}feed_forward.3"),
        weights.norm(width, f"{prefix}feed_forward_norm"),
    )


def _inner(settings: LayerSettings) -> int:
    return settings.num_attention_heads * settings.head_dim


def _room(rows: Floats, settings: LayerSettings) -> Floats:
    return np.empty((len(rows), _inner(settings)), np.float32)


def _self_attention(settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Attention:
    names = [f"{prefix}{name}" for name in ("query", "key", "value")]
    projection = weights.affine(settings.hidden_size, _inner(settings), *names)
    scale = np.float32(settings.head_dim**-0.5)
    nothing = np.zeros((1, 1), np.float32)

    def contexts(rows: Floats, runs: Runs) -> Floats:
        out = _room(rows, settings)
        attend(
            projection(rows),
            runs.starts,
            runs.lengths,
            settings.num_attention_heads,
            scale,
            nothing,
            out,
        )
        return out

    return contexts


def _bimsa(settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Attention:
    width, inner = settings.hidden_size, _inner(settings)
    sizes = {"query": inner, "key": inner, "value": inner // 2}
    projection = weights.made(
        [weights.matrix(f"{prefix}{name}.weight", size, width) for name, size in sizes.items()],
        np.concatenate(
            [weights.array(f"{prefix}{name}.bias", size) for name, size in sizes.items()]
        ),
    )
    scale = np.float32(settings.head_dim**-0.5)

    def contexts(rows: Floats, runs: Runs) -> Floats:
        out = _room(rows, settings)
        attend_both_ways(
            projection(rows), runs.starts, runs.lengths, settings.num_attention_heads, scale, out
        )
        return out

    return contexts


def _nsa(settings: LayerSettings, weights: StoredWeights, prefix: str) -> _Attention:
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
    scale = np.float32(settings.head_dim**-0.5)

    def contexts(rows: Floats, runs: Runs) -> Floats:
        out = _room(rows, settings)
        attend_to_spans(
            projection(rows),
            value_bias,
            runs.starts,
            runs.lengths,
            2 * settings.num_attention_heads,
            settings.ngrams,
            scale,
            out,
        )
        return out

    return contexts
