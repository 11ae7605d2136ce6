"""The parser's network as `BnaModel` defines it, without PyTorch: read from its folder, for one CPU.

The first run on a machine compiles. Other processes compile what a sentence needs while this one reads the model:

this process   reads the model .......  waits ...........................  parses
another one    imports Numba, compiles sums of rows ..  attention ...... ends
its child                                               products, labels of spans, the best tree . ends
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.chart.cky import decode_best_group
from bnaparser.compute.attention import attend_kernel
from bnaparser.compute.kernel import compile_in_background
from bnaparser.compute.matrices import (
    Floats,
    add_scaled,
    multiply_bytes,
    multiply_floats,
    normalise,
)
from bnaparser.compute.span_labels import (
    ScorerWeights,
    best_labels,
    of_bytes,
    of_floats,
    posts_of_spans,
    span_vectors,
)
from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.subwords import MISSING, Subwords, Window
from bnaparser.encoders.tokenizer_file import TokenizerFile, is_whole
from bnaparser.errors import require_extra
from bnaparser.files.folder import CONFIG, ENCODER, WEIGHTS
from bnaparser.files.matrices import STORE, read_matrices
from bnaparser.files.tables import read_object
from bnaparser.network.compiled.encoder import CompiledEncoder, PackedLengths, shape_of
from bnaparser.network.compiled.layers import CompiledLayers, can_compile
from bnaparser.network.compiled.weights import Affine, Norm, StoredWeights
from bnaparser.network.labels import barred
from bnaparser.network.model_settings import StoredSettings, read_settings
from bnaparser.network.parsing_network import BestLabels, packed_best
from bnaparser.network.prepared import (
    PreparedSentence,
    position_rows,
    prepare_sentences,
    window_numbers,
    words_and_sides,
)
from bnaparser.network.word_forms import WordShape, allowed_tags, best_tags

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# Number of spans scored at once if all scores are computed: their hidden vectors stay in the cache.
SPANS_AT_ONCE = 1024


@dataclass(frozen=True)
class CompiledBatch:
    """The data of a batch for the compiled network: like ``model.Encoded``, but in numpy."""

    fenceposts: Floats
    words: Floats
    lengths: list[int]


@dataclass(frozen=True)
class _Head:
    """Scores of words by their vectors: linear, norm, ReLU, linear."""

    hidden: Affine
    norm: Norm
    output: Affine

    @classmethod
    def of(cls, weights: StoredWeights, name: str, width: int, inner: int, outputs: int) -> _Head:
        return cls(
            weights.affine(width, inner, f"{name}.0"),
            weights.norm(inner, f"{name}.1"),
            weights.affine(inner, outputs, f"{name}.3"),
        )

    def __call__(self, words: Floats) -> Floats:
        hidden = self.hidden(words)
        return self.output(np.maximum(self.norm(hidden, np.zeros_like(hidden)), 0))


class CompiledNetwork:
    """A network that `load_compiled` returns; ``precision`` is "int8" or "float32"."""

    backend = "compiled"
    device = "cpu"
    batch_sensitive = False  # the loops take each row by itself
    prefer_single_thread = False  # nor do they need Python in the meantime

    def __init__(
        self,
        stored: StoredSettings,
        subwords: Subwords,
        encoder: CompiledEncoder,
        weights: StoredWeights,
        folder: Path,
    ):
        self.settings, self.labels, self.tags = stored.settings, stored.labels, stored.tags
        self.allowed_tags = allowed_tags(stored.tags.names)
        self.allow_empty_root = stored.allow_empty_root
        self.by_language = stored.by_language
        self.subwords, self.encoder = subwords, encoder
        self.source = folder / WEIGHTS  # a file that is another one for other weights
        self.precision = "int8" if weights.in_int8 else "float32"
        layers, scorer, tags = stored.settings.layers, stored.settings.scorer, stored.settings.tags
        width, hidden = layers.hidden_size, scorer.hidden_size
        self._project = weights.affine(encoder.shape.width, layers.content_width, "project")
        self._layers = CompiledLayers(layers, weights)
        if tags.given:
            known = len(stored.tags) + 1
            self._given_tags = weights.table("tag_embedding.weight", known, layers.content_width)
        if layers.word_shapes:
            self._shapes = weights.table("shape_embedding", len(WordShape), layers.content_width)
        first = weights.matrix("scorer.hidden.weight", hidden, width)
        self._fenceposts = weights.made([first], np.zeros(hidden, np.float32))
        norm = weights.norm(hidden, "scorer.norm")
        self._output = weights.affine(hidden, len(stored.labels) - 1, "scorer.output")
        self._scorer = ScorerWeights(
            weights.array("scorer.hidden.bias", hidden),
            norm.gain,
            norm.bias,
            norm.epsilon,
            self._output.bias,
        )
        if tags.predict:
            self._tagger = _Head.of(weights, "tagger", width, tags.hidden_size, len(stored.tags))
        if stored.settings.text.segment_words:
            inner = stored.settings.text.hidden_size
            self._word_finder = _Head.of(weights, "word_finder", width, inner, 1)

    @property
    def reads_case(self) -> bool:
        """Return whether small letters and capitals are different to it."""
        return self.settings.layers.word_shapes or self.subwords.reads_case

    def fingerprint(self) -> str:
        """Return a text that differs for other weights or another precision."""
        with self.source.open("rb") as file:
            return f"{self.precision} {hashlib.file_digest(file, 'sha256').hexdigest()}"

    @property
    def parts(self) -> list[tuple[CompiledNetwork, float]]:
        """Itself alone."""
        return [(self, 1.0)]

    def in_language(self, language: str) -> CompiledNetwork:
        """Return a network that shares all weights, and predicts the labels and tags of one language only."""
        if not self.by_language:
            return self
        view, known = copy(self), self.by_language[language]
        view.settings = self.settings.in_language(language)
        view.by_language = {language: known}
        bias = barred(self._output.bias, self.labels.names[1:], known.labels)
        view._output = replace(self._output, bias=bias)
        view._scorer = self._scorer._replace(output_bias=bias)
        if self.settings.tags.predict:
            output = self._tagger.output
            bias = barred(output.bias, self.tags.names, known.tags)
            view._tagger = replace(self._tagger, output=replace(output, bias=bias))
            view.allowed_tags = allowed_tags(self.tags.names, known.tags)
        return view

    def eval(self) -> CompiledNetwork:
        """Return the network unchanged: it has no dropout."""
        return self

    def prepare(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]] | None = None,
        written: Sequence[Sequence[str]] | None = None,
    ) -> list[PreparedSentence]:
        """Return sentences of words as the network takes them, as `BnaModel.prepare` does."""
        windows = self.subwords.windows(sentences)
        return prepare_sentences(self, windows, sentences, tags, written)

    def inference(self) -> AbstractContextManager[Any]:
        """Return a context that does nothing: there are no gradients here."""
        return nullcontext()

    def encode(self, batch: Sequence[PreparedSentence]) -> CompiledBatch:
        """Run encoder and layers over sentences of at least one word."""
        windows: list[Window] = [w for one in batch for w in one.windows]  # type: ignore[misc]
        subwords = PackedLengths.of_lengths([len(window.ids) for window in windows])
        positions = PackedLengths.of_lengths([len(window.last) for window in windows])
        vectors = self.encoder(np.concatenate([window.ids for window in windows]), subwords)
        content = self._project(self._gathered(vectors, windows, subwords, positions))
        if self.settings.tags.given:
            tags = window_numbers(batch, [one.tags for one in batch])
            content += self._given_tags.rows(np.concatenate(tags))
        if self.settings.layers.word_shapes:
            shapes = window_numbers(batch, [one.shapes for one in batch])
            content += self._shapes.rows(np.concatenate(shapes))
        hidden = self._layers(content, positions)
        lengths = [sentence.words for sentence in batch]
        rows = hidden[position_rows(batch)]
        words, left = words_and_sides(lengths)
        half = hidden.shape[1] // 2
        sides = np.concatenate([rows[left, :half], -rows[left + 1, half:]], axis=1)
        return CompiledBatch(self._fenceposts(sides), rows[words], lengths)

    def best_labels(self, encoded: CompiledBatch) -> BestLabels:
        """Return the best label of every span without keeping the scores of the others."""
        spans = posts_of_spans(np.array(encoded.lengths))
        found = best_labels(encoded.fenceposts, *spans, self._scorer, self._output.matrix)
        return packed_best(*found, encoded.lengths, self.allow_empty_root)

    def all_scores(self, encoded: CompiledBatch) -> NDArray[np.float32]:
        """Score every label of every span: float32 (spans, labels), column 0 the empty label."""
        starts, ends = posts_of_spans(np.array(encoded.lengths))
        scores = np.zeros((len(starts), len(self.labels)), np.float32)
        for first in range(0, len(starts), SPANS_AT_ONCE):
            part = slice(first, first + SPANS_AT_ONCE)
            hidden = np.empty((len(starts[part]), encoded.fenceposts.shape[1]), np.float32)
            span_vectors(encoded.fenceposts, starts[part], ends[part], self._scorer, hidden)
            scores[part, 1:] = self._output(hidden)
        return scores

    def best_tags(self, encoded: CompiledBatch, allowed: NDArray[np.bool_]) -> list[int]:
        """Return the number of the best tag of every word; ``allowed`` is (words, tags)."""
        return best_tags(self.all_tag_scores(encoded), allowed)

    def all_tag_scores(self, encoded: CompiledBatch) -> Floats:
        """Score the tags of all words: float32 (words, tags)."""
        return self._tagger(encoded.words)

    def all_word_scores(self, encoded: CompiledBatch) -> Floats:
        """Score pieces that were read as words: float32 (pieces,), above 0 where one begins a word."""
        return self._word_finder(encoded.words)[:, 0]

    def _gathered(
        self,
        vectors: Floats,
        windows: Sequence[Window],
        subwords: PackedLengths,
        positions: PackedLengths,
    ) -> Floats:
        """Return the vectors of START, words and STOP of all windows: of their last subwords."""
        last = np.concatenate([window.last for window in windows])
        missing = last == MISSING
        rows = np.repeat(subwords.starts, positions.lengths) + last
        gathered: Floats = vectors[np.where(missing, 0, rows)]
        if missing.any():
            instead = np.full(len(last), 2)
            instead[positions.starts] = 0
            instead[positions.starts + positions.lengths - 1] = 1
            gathered[missing] = self.encoder.missing[instead[missing]]
        return gathered


def load_compiled(folder: Path, precision: str) -> CompiledNetwork | None:
    """Read a model folder; None if its network cannot be compiled.

    ``precision`` is "int8", "float32", or "auto": int8 where the weights are stored so. Raises ModelError if the folder is damaged.
    """
    stored = read_settings(folder)
    settings = stored.settings
    given = settings.encoder
    if given.name is None or given.detokenize or given.decoder or not can_compile(settings.layers):
        return None
    config = SimpleNamespace(**read_object(folder / ENCODER / CONFIG))
    shape = shape_of(config)
    if shape is None:
        return None
    begin_first_run(precision)
    matrices, metadata = read_matrices(folder / WEIGHTS)
    in_int8 = precision == "int8"
    if precision == "auto":
        in_int8 = metadata.get(STORE) == "int8"
    tokenizer = _tokenizer(folder / ENCODER)
    max_words, unspaced = settings.layers.max_positions - 2, settings.text.unspaced
    subwords = Subwords(tokenizer, max_positions(config), max_words, unspaced=unspaced)
    weights = StoredWeights(matrices, in_int8, f"{folder / WEIGHTS} does not fit {CONFIG}")
    encoder = CompiledEncoder(shape, config, weights, settings.encoder.mix_layers)
    return CompiledNetwork(stored, subwords, encoder, weights, folder)


def _tokenizer(folder: Path) -> TokenizerFile | PreTrainedTokenizerBase:
    if is_whole(folder):
        return TokenizerFile(folder)
    require_extra("torch")
    from bnaparser.encoders.loading import read_encoder

    return read_encoder(folder)[1]


def begin_first_run(precision: str) -> None:
    """Compile the kernels that a sentence needs, in the background.

    Args:
        precision: "int8" or "float32"; with "auto" the model is taken for one that is stored in int8.
    """
    in_int8 = precision != "float32"
    multiply, of_spans = (multiply_bytes, of_bytes) if in_int8 else (multiply_floats, of_floats)
    compile_in_background(
        [[add_scaled, normalise, attend_kernel], [multiply, of_spans, decode_best_group]]
    )
