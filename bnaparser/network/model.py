"""The network: word vectors, BNA layers, span scores (BNA, eq. 6) and tags. Forward only: no loss, no trees."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.compute.matrices import multiply, pack_bytes
from bnaparser.compute.span_labels import posts_of_spans
from bnaparser.encoders.characters import CharacterEncoder, CharacterWindow
from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.encoders.subwords import JoinedSubwords, Subwords, Window
from bnaparser.network.labels import Inventory, LanguageNames, barred
from bnaparser.network.layers.block import FeatureDropout
from bnaparser.network.layers.stack import LayerStack
from bnaparser.network.model_settings import ModelSettings, ScorerSettings
from bnaparser.network.parsing_network import BestLabels, packed_best
from bnaparser.network.prepared import (
    PreparedSentence,
    position_rows,
    prepare_sentences,
    window_numbers,
    words_and_sides,
)
from bnaparser.network.word_forms import WordShape, allowed_tags
from bnaparser.text.detokenize import words_and_spaces

Module = TypeVar("Module", bound=nn.Module)

# Spans scored at once where no gradient is kept: their hidden vectors stay in the cache.
SPANS_AT_ONCE = 8192
# Vectors that are narrower make calls so short that two threads are slower than one.
WORTH_SHARING = 128


@dataclass(frozen=True)
class Encoded:
    """The vectors of a batch, sentences one after another without padding.

    ``fenceposts`` is (sum of n + 1, hidden), ``words`` is (sum of n, width), for the ``lengths`` n.
    """

    fenceposts: Tensor
    words: Tensor
    lengths: list[int]


class BnaModel(nn.Module):
    """The parser's network. Give ``encoder`` with ``subwords``, or a CharacterEncoder alone.

    ``allow_empty_root`` says that a tree may have several constituents at its top, as some training
    tree had: then no label covers the whole sentence.
    """

    backend = "torch"

    def __init__(
        self,
        settings: ModelSettings,
        labels: Inventory,
        tags: Inventory,
        encoder: PretrainedEncoder | CharacterEncoder,
        subwords: Subwords | None = None,
        allow_empty_root: bool = False,
    ):
        super().__init__()
        self.precision = "float32"
        self.by_language: dict[str, LanguageNames] = {}
        self.allow_empty_root = allow_empty_root
        self.settings, self.labels, self.tags = settings, labels, tags
        self.allowed_tags = allowed_tags(tags.names)
        if (
            settings.encoder.detokenize is not None
        ):  # a model of benepar's, which predicts the same tags here
            self.allowed_tags[:] = True
        self.subwords = subwords
        self.encoder = encoder
        self.stack = LayerStack(settings.layers)
        width, content = settings.layers.hidden_size, settings.layers.content_width
        self.project: nn.Module = nn.Identity()
        if isinstance(encoder, PretrainedEncoder):
            self.project = nn.Linear(encoder.width, content, bias=False)
        if settings.tags.given:
            # Row 0 is for START, STOP, padding and tags never seen in training.
            self.tag_embedding = nn.Embedding(len(tags) + 1, content)
            with torch.no_grad():  # drawn with deviation 1
                self.tag_embedding.weight.mul_(settings.tags.init_std)
            self.tag_dropout = FeatureDropout(settings.tags.dropout)
        if settings.layers.word_shapes:
            # They begin as nothing: a model that continues from one without them begins as that one.
            self.shape_embedding = nn.Parameter(torch.zeros(len(WordShape), content))
        self.scorer = SpanScorer(width, len(labels), settings.scorer)
        if settings.tags.predict:
            self.tagger = _head(width, settings.tags.hidden_size, len(tags))
        if settings.text.segment_words:
            self.word_finder = _head(width, settings.text.hidden_size, 1)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.scorer.hidden.weight.device

    @property
    def reads_case(self) -> bool:
        """Return whether the network distinguishes lower case and capitals, and was trained on
        both.
        """
        if self.settings.layers.word_shapes:
            return True
        if isinstance(self.encoder, CharacterEncoder):
            characters = self.encoder.characters
            return any(map(str.islower, characters)) and any(map(str.isupper, characters))
        assert self.subwords is not None
        return self.subwords.reads_case

    @property
    def parts(self) -> list[tuple[BnaModel, float]]:
        """Itself alone."""
        return [(self, 1.0)]

    @property
    def batch_sensitive(self) -> bool:
        """Return whether the scores of a sentence would depend on the other sentences of its batch.

        PyTorch sums in another order in batches of other sizes: in float32 the last digits change, and
        what is then rounded to few values changes a tree now and then. On a GPU batches are kept all the same.
        """
        return self.precision != "float32" and self.device.type == "cpu"

    @property
    def prefer_single_thread(self) -> bool:
        """Return whether batches should be computed one after another, even if there are cores for
        several.

        A narrow network is many short calls of PyTorch, between which threads would wait for Python.
        """
        width = self.settings.layers.hidden_size
        if isinstance(self.encoder, PretrainedEncoder):
            width = max(width, self.encoder.width)
        return width < WORTH_SHARING

    def fingerprint(self) -> str:
        """Return a text that differs for other weights."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.state_dict().items()):
            digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
            digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
        return digest.hexdigest()

    @property
    def subwords_can_be_masked(self) -> bool:
        """Return whether there is a tokenizer with a mask token."""
        return self.subwords is not None and self.subwords.mask is not None

    def prepare(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]] | None = None,
        written: Sequence[Sequence[str]] | None = None,
    ) -> list[PreparedSentence]:
        """Return sentences as the network takes them.

        Args:
            sentences: The words that the network reads.
            tags: The part-of-speech tags, where the network reads them. A tag that training never saw is read
                as such; where all are, a warning is logged.
            written: The words of the text, where the network reads others in their place.

        Raises:
            ValueError: The network reads tags and there are none.
        """
        windows: Sequence[Sequence[Window]] | Sequence[Sequence[CharacterWindow]]
        if isinstance(self.encoder, CharacterEncoder):
            max_words = self.settings.layers.max_positions - 2
            windows = self.encoder.windows(sentences, max_words)
        else:
            assert self.subwords is not None
            windows = self.subwords.windows(sentences)
        return prepare_sentences(self, windows, sentences, tags, written)

    def in_language(self, language: str) -> BnaModel:
        """Return a network that shares all weights, and predicts the labels and tags of one language only."""
        if not self.by_language:
            return self
        view, known = _shallow(self), self.by_language[language]
        view.settings = self.settings.in_language(language)
        view.by_language = {language: known}
        view.scorer = _shallow(self.scorer)
        view.scorer.output = _barred(self.scorer.output, self.labels.names[1:], known.labels)
        if self.settings.tags.predict:
            view.tagger = _shallow(self.tagger)
            last = len(self.tagger) - 1
            output = cast(nn.Linear, self.tagger[last])
            view.tagger[last] = _barred(output, self.tags.names, known.tags)
            view.allowed_tags = allowed_tags(self.tags.names, known.tags)
        return view

    def inference(self) -> AbstractContextManager[Any]:
        """Return a context in which no gradients are kept."""
        return torch.inference_mode()

    def to_bfloat16(self) -> None:
        """Compute in bfloat16 from now on, for inference; scores of spans stay in float32."""
        for name, part in self.named_children():
            if name != "scorer":
                part.to(torch.bfloat16)
        for own in self.parameters(recurse=False):  # vectors of shapes, which are part of no part
            own.data = own.data.to(torch.bfloat16)
        self.precision = "bfloat16"

    def to_int8(self) -> None:
        """Compute the linear layers of the encoder in int8 from now on, for inference on a CPU; all else in float32."""
        for module in list(self.encoder.modules()):
            for name, child in list(module.named_children()):
                if type(child) is nn.Linear:
                    setattr(module, name, Int8Linear(child))
        self.precision = "int8"

    def encode(self, batch: Sequence[PreparedSentence]) -> Encoded:
        """Run encoder and layers over sentences of at least one word."""
        windows = [window for sentence in batch for window in sentence.windows]
        content = self.project(self.encoder(windows))
        beside: Tensor | None = None
        if self.settings.tags.given:
            numbers = self._at_positions(batch, [one.tags for one in batch], content.shape[1])
            beside = self.tag_dropout(self.tag_embedding(numbers))
        if self.settings.layers.word_shapes:
            numbers = self._at_positions(batch, [one.shapes for one in batch], content.shape[1])
            shapes = F.embedding(numbers, self.shape_embedding)
            beside = shapes if beside is None else beside + shapes
        words = torch.tensor([window.words for window in windows], device=content.device)
        positions = torch.arange(content.shape[1], device=content.device)
        hidden = self.stack(content, positions < words[:, None] + 2, beside)
        lengths = [sentence.words for sentence in batch]
        rows = hidden.flatten(0, 1)[self._on_device(position_rows(batch, hidden.shape[1]))]
        inner, left = map(self._on_device, words_and_sides(lengths))
        with torch.autocast(hidden.device.type, enabled=False):
            fenceposts = self.scorer.fenceposts(rows[left].float(), rows[left + 1].float())
        return Encoded(fenceposts, rows[inner], lengths)

    def span_scores(self, encoded: Encoded, starts: Tensor, ends: Tensor) -> Tensor:
        """Score spans given by rows of fenceposts, int64 (spans,): float32 (spans, labels - 1)."""
        with torch.autocast(starts.device.type, enabled=False):
            scores: Tensor = self.scorer(encoded.fenceposts, starts, ends)
        return scores

    def tag_scores(self, encoded: Encoded) -> Tensor:
        """Score the tags of all words: (words, tags)."""
        scores: Tensor = self.tagger(encoded.words)
        return scores

    def all_tag_scores(self, encoded: Encoded) -> NDArray[np.float32]:
        """Score the tags of all words, without gradient: float32 (words, tags)."""
        scores: NDArray[np.float32] = self.tag_scores(encoded).detach().float().cpu().numpy()
        return scores

    def word_scores(self, encoded: Encoded) -> Tensor:
        """Score pieces that were read as words: (pieces,), above 0 where one begins a word."""
        scores: Tensor = self.word_finder(encoded.words)[:, 0]
        return scores

    def all_word_scores(self, encoded: Encoded) -> NDArray[np.float32]:
        """Score pieces that were read as words, without gradient: float32 (pieces,)."""
        scores: NDArray[np.float32] = self.word_scores(encoded).detach().float().cpu().numpy()
        return scores

    def span_rows(self, encoded: Encoded) -> tuple[Tensor, Tensor]:
        """Return the fencepost rows of all spans of all sentences, packed in the order of the chart."""
        posts = posts_of_spans(np.array(encoded.lengths))
        starts, ends = (self._on_device(rows.astype(np.int64)) for rows in posts)
        return starts, ends

    @torch.no_grad()
    def all_scores(self, encoded: Encoded) -> NDArray[np.float32]:
        """Score every label of every span: float32 (spans, labels), column 0 the empty label."""
        starts, ends = self.span_rows(encoded)
        scores = torch.zeros(len(starts), len(self.labels), device=starts.device)
        for first in range(0, len(starts), SPANS_AT_ONCE):
            part = slice(first, first + SPANS_AT_ONCE)
            scores[part, 1:] = self.span_scores(encoded, starts[part], ends[part])
        return scores.cpu().numpy()

    @torch.no_grad()
    def best_labels(self, encoded: Encoded) -> BestLabels:
        """Return the best label of every span without keeping the scores of the others."""
        starts, ends = self.span_rows(encoded)
        scores = torch.empty(len(starts), device=starts.device)
        labels = torch.empty(len(starts), dtype=torch.int32, device=starts.device)
        for first in range(0, len(starts), SPANS_AT_ONCE):
            part = slice(first, first + SPANS_AT_ONCE)
            best, label = self.span_scores(encoded, starts[part], ends[part]).max(dim=-1)
            scores[part], labels[part] = best, label.int() + 1
        found = scores.cpu().numpy(), labels.cpu().numpy()
        return packed_best(*found, encoded.lengths, self.allow_empty_root)

    def best_tags(self, encoded: Encoded, allowed: NDArray[np.bool_]) -> list[int]:
        """Return the number of the best tag of every word; ``allowed`` is (words, tags)."""
        never = torch.from_numpy(~allowed).to(self.device)
        scores = self.tag_scores(encoded).masked_fill(never, -math.inf)
        numbers: list[int] = scores.argmax(dim=-1).tolist()
        return numbers

    def _at_positions(
        self,
        batch: Sequence[PreparedSentence],
        numbers: Sequence[NDArray[np.int64] | None],
        positions: int,
    ) -> Tensor:
        """Return `window_numbers` with padding, which has 0: int64 (windows, positions)."""
        rows = window_numbers(batch, numbers)
        padded = np.zeros((len(rows), positions), np.int64)
        for line, row in zip(padded, rows, strict=True):
            line[: len(row)] = row
        return self._on_device(padded)

    def _on_device(self, numbers: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(numbers).to(self.device)


def _head(width: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return what scores words by their vectors."""
    norm = nn.LayerNorm(hidden)
    return nn.Sequential(nn.Linear(width, hidden), norm, nn.ReLU(), nn.Linear(hidden, outputs))


def _shallow(module: Module) -> Module:
    """Return a module of the same parts, of which some can be replaced."""
    view = copy(module)
    view._modules = dict(module._modules)
    view._parameters = dict(module._parameters)
    return view


def _barred(linear: nn.Linear, names: Sequence[str], known: frozenset[str]) -> nn.Linear:
    """Return a layer with the same weights that never prefers an output whose name is not known."""
    view = _shallow(linear)
    bias = barred(linear.bias.detach().float().cpu().numpy(), names, known)
    view.bias = nn.Parameter(torch.from_numpy(bias).to(linear.bias), requires_grad=False)
    return view


def build_model(
    settings: ModelSettings,
    labels: Inventory,
    tags: Inventory,
    source: str | tuple[PreTrainedModel, PreTrainedTokenizerBase],
    allow_empty_root: bool = False,
) -> BnaModel:
    """Build the network on what reads its words: an alphabet, or an encoder and its tokenizer."""
    if isinstance(source, str):
        alphabet = CharacterEncoder(source, settings.layers.content_width, settings.encoder)
        return BnaModel(settings, labels, tags, alphabet, allow_empty_root=allow_empty_root)
    pretrained, tokenizer = source
    encoder = PretrainedEncoder(pretrained, settings.encoder)
    subwords = build_subwords(encoder, tokenizer, settings)
    return BnaModel(settings, labels, tags, encoder, subwords, allow_empty_root)


def build_subwords(
    encoder: PretrainedEncoder, tokenizer: PreTrainedTokenizerBase, settings: ModelSettings
) -> Subwords:
    """Return the subwords of an encoder, windows bounded by its positions and by BNA's own."""
    limit = max_positions(encoder.model.config)
    max_words, decoder = settings.layers.max_positions - 2, settings.encoder.decoder
    if settings.encoder.detokenize is None:
        return Subwords(tokenizer, limit, max_words, decoder, settings.text.unspaced)
    read = partial(words_and_spaces, spacing=settings.encoder.detokenize)
    return JoinedSubwords(tokenizer, limit, max_words, decoder, read)


class SpanScorer(nn.Module):
    """Linear, norm, ReLU, linear over span vectors ``[h_j^f - h_i^f; h_i^b - h_j^b]``.

    Fencepost k takes its forward half from position k and its backward half from position k + 1
    (position 0 is START), so neither half has seen what lies beyond the fencepost. The first linear
    map is applied to fenceposts before the subtraction: W(a - b) + c = Wa - Wb + c, which costs
    O(n) products a sentence instead of O(n^2).
    """

    def __init__(self, width: int, labels: int, settings: ScorerSettings):
        super().__init__()
        self.hidden = nn.Linear(width, settings.hidden_size)
        self.norm = nn.LayerNorm(settings.hidden_size)
        self.output = nn.Linear(settings.hidden_size, labels - 1)

    def fenceposts(self, left: Tensor, right: Tensor) -> Tensor:
        """Project fenceposts (count, width) to (count, hidden), without the bias.

        ``left`` and ``right`` hold the contextual vectors (count, width) of the positions to the
        left and to the right of each fencepost.
        """
        forward, _ = left.chunk(2, dim=-1)
        _, backward = right.chunk(2, dim=-1)
        return F.linear(torch.cat([forward, -backward], dim=-1), self.hidden.weight)

    def forward(self, fenceposts: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Score spans (spans, labels - 1): every label but the empty one, whose score is 0.

        ``starts`` and ``ends`` are int64 (spans,), rows of ``fenceposts``.
        """
        # Spans are many: the bias is added to the fenceposts, and nothing is copied that need not be.
        spans = torch.index_select(fenceposts + self.hidden.bias, 0, ends)
        spans -= torch.index_select(fenceposts, 0, starts)
        scores: Tensor = self.output(self.norm(spans).relu_())
        return scores


class Int8Linear(nn.Module):
    """A linear layer whose weights have a scale a row, its inputs, rounded to int8, one a vector.

    For inference on a CPU. A matrix that was stored as int8 becomes the same numbers again.
    """

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self._matrix = pack_bytes(linear.weight.detach().float().numpy())
        self.weight = torch.empty(0)  # T5 asks for its kind of numbers
        bias = torch.zeros(self.out_features) if linear.bias is None else linear.bias.detach()
        self._bias = bias.float().numpy().copy()

    def get_extra_state(self) -> Tensor:
        """Return the bytes of what is multiplied, no parameter any more, for `BnaModel.fingerprint` to count."""
        parts = (self._matrix.panels, self._matrix.scales, self._bias)
        return torch.from_numpy(np.concatenate([part.reshape(-1).view(np.uint8) for part in parts]))

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (..., in_features) to (..., out_features), float32."""
        rows = np.ascontiguousarray(inputs.detach().reshape(-1, self.in_features).numpy())
        outputs = torch.from_numpy(multiply(rows, self._matrix, self._bias))
        return outputs.reshape(*inputs.shape[:-1], self.out_features)
