"""A pre-trained encoder of BERT's kind: subwords in, one vector each out, no padding between windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.attention import NO_DISTANCES, Scratch, attend, scratch_for
from bnaparser.compute.matrices import ACTIVATION_NUMBERS, Floats, add_scaled
from bnaparser.encoders.encoder_settings import first_position
from bnaparser.network.compiled.weights import Affine, Norm, StoredWeights


@dataclass(frozen=True)
class LayerNames:
    """Names of a layer's weights; ``layer`` is where layer {} begins."""

    layer: str
    query: str
    key: str
    value: str
    output: str
    attention_norm: str
    inner: str
    outer: str
    norm: str


_BERT = LayerNames(
    "encoder.layer.{}.", "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "attention.output.LayerNorm",
    "intermediate.dense", "output.dense", "output.LayerNorm",
)  # fmt: skip
_MPNET = LayerNames(
    "encoder.layer.{}.", "attention.attn.q", "attention.attn.k", "attention.attn.v",
    "attention.attn.o", "attention.LayerNorm",
    "intermediate.dense", "output.dense", "output.LayerNorm",
)  # fmt: skip
_DISTILBERT = LayerNames(
    "transformer.layer.{}.", "attention.q_lin", "attention.k_lin", "attention.v_lin",
    "attention.out_lin", "sa_layer_norm",
    "ffn.lin1", "ffn.lin2", "output_layer_norm",
)  # fmt: skip
NAMES = {
    "bert": _BERT,
    "camembert": _BERT,
    "distilbert": _DISTILBERT,
    "electra": _BERT,
    "mpnet": _MPNET,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
}


@dataclass(frozen=True)
class EncoderShape:
    """What of an encoder's configuration the sums depend on."""

    names: LayerNames
    layers: int
    heads: int
    width: int
    inner_width: int
    vocabulary: int
    positions: int
    epsilon: float
    activation: int


def shape_of(config: SimpleNamespace) -> EncoderShape | None:
    """Return the shape of an encoder by its ``config.json`` as attributes; None if it has the wrong type."""
    values = vars(config)
    names = NAMES.get(str(values.get("model_type")))
    distil = names is _DISTILBERT
    activation = ACTIVATION_NUMBERS.get(str(values.get("activation" if distil else "hidden_act")))
    if names is None or activation is None:
        return None
    if values.get("position_embedding_type", "absolute") != "absolute" or values.get("is_decoder"):
        return None
    keys = ("n_layers", "n_heads", "dim", "hidden_dim") if distil else (
        "num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size",
    )  # fmt: skip
    sizes: Any = [values.get(key) for key in (*keys, "vocab_size", "max_position_embeddings")]
    epsilon = 1e-12 if distil else values.get("layer_norm_eps")
    if not isinstance(epsilon, float | int):
        return None
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        return None
    layers, heads, width, inner, vocabulary, positions = sizes
    if width % heads:  # PyTorch says what is wrong
        return None
    return EncoderShape(
        names, layers, heads, width, inner, vocabulary, positions, epsilon, activation
    )


# From vectors (rows, width) to contexts (rows, heads * head_dim).
Attention = Callable[[Floats, "PackedLengths"], Floats]
# MPNet distinguishes distances up to this one.
_FARTHEST = 128


@dataclass(frozen=True)
class PackedLengths:
    """Sequences one after another: where each begins, and how long it is, int64 (sequences,)."""

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    _scratch: dict[int, Scratch] = field(default_factory=dict)

    @classmethod
    def of_lengths(cls, lengths: list[int]) -> PackedLengths:
        """Make it of the lengths."""
        array = np.array(lengths, np.int64)
        return cls(np.cumsum(array) - array, array)

    def scratch(self, size: int) -> Scratch:
        """Return scratch space for attention with heads of ``size`` features, which all layers share."""
        if size not in self._scratch:
            self._scratch[size] = scratch_for(self.lengths, size)
        return self._scratch[size]

    def places(self) -> NDArray[np.int64]:
        """Return the place of every element in its sequence."""
        return np.arange(self.lengths.sum()) - np.repeat(self.starts, self.lengths)


@dataclass(frozen=True)
class SelfAttention:
    """Multi-head attention: ``projection`` computes queries, keys and values, ``distances`` what is added to scores."""

    projection: Affine
    heads: int
    head_dim: int
    distances: Floats

    def __call__(self, rows: Floats, lengths: PackedLengths) -> Floats:
        """Return the contexts of all heads, float32 (rows, heads * head_dim)."""
        out = np.empty((len(rows), self.heads * self.head_dim), np.float32)
        scale, scratch = np.float32(self.head_dim**-0.5), lengths.scratch(self.head_dim)
        places = lengths.starts, lengths.lengths
        attend(self.projection(rows), *places, self.heads, scale, self.distances, out, scratch)
        return out


@dataclass(frozen=True)
class Block:
    """A layer of a Transformer: an attention, then what follows it, each with residual and norm."""

    attention: Attention
    output: Affine
    attention_norm: Norm
    inner: Affine
    outer: Affine
    norm: Norm
    activation: int
    adds_input: bool = False

    def __call__(self, hidden: Floats, lengths: PackedLengths) -> Floats:
        """Return the layer's output, float32 (rows, width)."""
        attended = self.attention_norm(self.output(self.attention(hidden, lengths)), hidden)
        outer = self.outer(self.inner(attended, self.activation))
        return self.norm(outer, hidden if self.adds_input else attended)


class CompiledEncoder:
    """The sums of a Hugging Face encoder, and the learned mix of its layers if there is one.

    The weights' names begin with ``prefix``.
    """

    def __init__(
        self,
        shape: EncoderShape,
        config: SimpleNamespace,
        weights: StoredWeights,
        mix_layers: bool,
        prefix: str = "encoder.",
    ):
        self.shape = shape
        width = shape.width
        inner = f"{prefix}model."
        embeddings = f"{inner}embeddings."
        narrow = vars(config).get("embedding_size", width)
        self._words = weights.table(f"{embeddings}word_embeddings.weight", shape.vocabulary, narrow)
        places = f"{embeddings}position_embeddings.weight"
        self._positions = weights.table(places, shape.positions, narrow)
        self._first = first_position(config)
        self._type: Floats | None = None
        if f"{embeddings}token_type_embeddings.weight" in weights:
            types = f"{embeddings}token_type_embeddings.weight"
            self._type = weights.array(types, getattr(config, "type_vocab_size", 2), narrow)[0]
        self._norm = weights.norm(narrow, f"{embeddings}LayerNorm", shape.epsilon)
        self._embedding_projection: Affine | None = None
        if f"{inner}embeddings_project.weight" in weights:
            self._embedding_projection = weights.affine(narrow, width, f"{inner}embeddings_project")
        by_distance = NO_DISTANCES
        if f"{inner}encoder.relative_attention_bias.weight" in weights:
            kinds = config.relative_attention_num_buckets
            distances = f"{inner}encoder.relative_attention_bias.weight"
            table = weights.array(distances, kinds, shape.heads)
            by_distance = _by_distance(table, shape.positions)
        self._layers = [
            _layer(shape, weights, inner, number, by_distance) for number in range(shape.layers)
        ]
        self.missing = weights.array(f"{prefix}missing", 3, width)
        self._mix: Floats | None = None
        if mix_layers:
            mix = weights.array(f"{prefix}mix_weights", shape.layers + 1)
            exponents = np.exp(mix - mix.max())
            self._mix = weights.array(f"{prefix}mix_gamma") * exponents / exponents.sum()

    def __call__(self, ids: NDArray[np.int64], lengths: PackedLengths) -> Floats:
        """Return the vectors of subwords, float32 (subwords, width); ``ids`` is (subwords,)."""
        embedded = self._words.rows(ids)
        places = self._positions.rows(lengths.places() + self._first)
        if self._type is not None:
            places += self._type
        hidden = self._norm(embedded, places)
        if self._embedding_projection is not None:
            hidden = self._embedding_projection(hidden)
        if self._mix is None:
            for layer in self._layers:
                hidden = layer(hidden, lengths)
            return hidden
        mixed: Floats = hidden * self._mix[0]
        for layer, part in zip(self._layers, self._mix[1:], strict=True):
            hidden = layer(hidden, lengths)
            add_scaled(mixed, hidden, part)
        return mixed


def _layer(
    shape: EncoderShape, weights: StoredWeights, prefix: str, number: int, distances: Floats
) -> Block:
    names = shape.names
    at = prefix + names.layer.format(number)
    width, inner = shape.width, shape.inner_width
    projection = weights.affine(width, width, at + names.query, at + names.key, at + names.value)
    return Block(
        SelfAttention(projection, shape.heads, width // shape.heads, distances),
        weights.affine(width, width, at + names.output),
        weights.norm(width, at + names.attention_norm, shape.epsilon),
        weights.affine(width, inner, at + names.inner),
        weights.affine(inner, width, at + names.outer),
        weights.norm(width, at + names.norm, shape.epsilon),
        shape.activation,
    )


def _by_distance(table: Floats, longest: int) -> Floats:
    """Spread MPNet's biases (kinds of distance, heads) out: (heads, 2 longest - 1), for key - query.

    As in T5 half the kinds are for keys after the query; of each half the first half are single
    distances, the others ranges that grow with the distance.
    """
    distance = np.arange(-(longest - 1), longest)
    kinds = len(table) // 2
    single = kinds // 2
    far = np.maximum(np.abs(distance), 1).astype(np.float32) / np.float32(single)
    grown = np.log(far) / np.float32(np.log(_FARTHEST / single)) * np.float32(kinds - single)
    ranges = np.minimum(single + grown.astype(np.int64), kinds - 1)
    kind = np.where(np.abs(distance) < single, np.abs(distance), ranges)
    return np.ascontiguousarray(table[kind + kinds * (distance > 0)].T)
