"""A pre-trained encoder of BERT's kind: subwords in, one vector each out, no padding between windows."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.attention import Scratch, attend, scratch_for
from bnaparser.compute.packed import Floats
from bnaparser.compute.rowwise import add_scaled
from bnaparser.encoders.positions import first_position
from bnaparser.network.compiled.encoder_family import EncoderShape
from bnaparser.network.compiled.weights import Affine, Norm, StoredWeights

# MPNet's distances are told apart up to here.
_FARTHEST = 128


@dataclass(frozen=True)
class Runs:
    """Sequences one after another: where each begins, and how long it is, int64 (sequences,)."""

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of_lengths(cls, lengths: list[int]) -> Runs:
        """Make it of the lengths."""
        array = np.array(lengths, np.int64)
        return cls(np.cumsum(array) - array, array)

    def places(self) -> NDArray[np.int64]:
        """Return the place of every element in its sequence."""
        return np.arange(self.lengths.sum()) - np.repeat(self.starts, self.lengths)


@dataclass(frozen=True)
class _Layer:
    attention: Affine
    output: Affine
    attention_norm: Norm
    inner: Affine
    outer: Affine
    norm: Norm


class CompiledEncoder:
    """The sums of a Hugging Face encoder, and the learned mix of its layers where there is one.

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
        self._wider: Affine | None = None
        if f"{inner}embeddings_project.weight" in weights:
            self._wider = weights.affine(narrow, width, f"{inner}embeddings_project")
        self._distances = np.zeros((1, 1), np.float32)
        if f"{inner}encoder.relative_attention_bias.weight" in weights:
            kinds = config.relative_attention_num_buckets
            distances = f"{inner}encoder.relative_attention_bias.weight"
            table = weights.array(distances, kinds, shape.heads)
            self._distances = _by_distance(table, shape.positions)
        self._layers = [_layer(shape, weights, inner, number) for number in range(shape.layers)]
        self.missing = weights.array(f"{prefix}missing", 3, width)
        self._mix: Floats | None = None
        if mix_layers:
            mix = weights.array(f"{prefix}mix_weights", shape.layers + 1)
            exponents = np.exp(mix - mix.max())
            self._mix = weights.array(f"{prefix}mix_gamma") * exponents / exponents.sum()

    def __call__(self, ids: NDArray[np.int64], runs: Runs) -> Floats:
        """Return the vectors of subwords, float32 (subwords, width); ``ids`` is (subwords,)."""
        embedded = self._words.rows(ids)
        places = self._positions.rows(runs.places() + self._first)
        if self._type is not None:
            places += self._type
        hidden = self._norm(embedded, places)
        if self._wider is not None:
            hidden = self._wider(hidden)
        scratch = scratch_for(runs.lengths, self.shape.width // self.shape.heads)
        if self._mix is None:
            for layer in self._layers:
                hidden = self._through(layer, hidden, runs, scratch)
            return hidden
        mixed: Floats = hidden * self._mix[0]
        for layer, part in zip(self._layers, self._mix[1:], strict=True):
            hidden = self._through(layer, hidden, runs, scratch)
            add_scaled(mixed, hidden, part)
        return mixed

    def _through(self, layer: _Layer, hidden: Floats, runs: Runs, scratch: Scratch) -> Floats:
        contexts = np.empty_like(hidden)
        scale = np.float32((self.shape.width // self.shape.heads) ** -0.5)
        attend(
            layer.attention(hidden),
            runs.starts,
            runs.lengths,
            self.shape.heads,
            scale,
            self._distances,
            contexts,
            scratch,
        )
        attended = layer.attention_norm(layer.output(contexts), hidden)
        inner = layer.inner(attended, self.shape.activation)
        return layer.norm(layer.outer(inner), attended)


def _layer(shape: EncoderShape, weights: StoredWeights, prefix: str, number: int) -> _Layer:
    names = shape.names
    at = prefix + names.layer.format(number)
    width, inner = shape.width, shape.inner_width
    return _Layer(
        weights.affine(width, width, at + names.query, at + names.key, at + names.value),
        weights.affine(width, width, at + names.output),
        weights.norm(width, at + names.attention_norm, shape.epsilon),
        weights.affine(width, inner, at + names.inner),
        weights.affine(inner, width, at + names.outer),
        weights.norm(width, at + names.norm, shape.epsilon),
    )


def _by_distance(table: Floats, longest: int) -> Floats:
    """Spread MPNet's biases (kinds of distance, heads) out: (heads, 2 longest - 1), for key - query.

    As in T5 half the kinds are for keys behind the query; of each half the first half are single
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
