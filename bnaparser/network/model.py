"""The network: word vectors, BNA layers, span scores and tags. Forward only: no loss, no trees."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser import chart
from bnaparser.encoders.characters import CharacterEncoder, CharacterWindow
from bnaparser.encoders.loading import max_positions
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.encoders.subwords import Subwords, Window
from bnaparser.network.labels import Inventory
from bnaparser.network.layers.dropout import FeatureDropout
from bnaparser.network.layers.stack import LayerStack
from bnaparser.network.model_settings import ModelSettings
from bnaparser.network.scorer import SpanScorer
from bnaparser.network.word_shapes import WordShape, word_shapes

log = logging.getLogger(__name__)
# Spans scored at once where no gradient is kept: their hidden vectors stay in the cache.
SPANS_AT_ONCE = 8192


@dataclass(frozen=True)
class PreparedSentence:
    """A sentence ready for the network: its windows and, where the model takes them, tags and shapes.

    ``tags`` and ``shapes`` (`word_shapes`) are int64 (words,).
    """

    words: int
    windows: tuple[Window, ...] | tuple[CharacterWindow, ...]
    tags: NDArray[np.int64] | None = None
    shapes: NDArray[np.int64] | None = None

    @property
    def size(self) -> int:
        """Subwords (or words) that the sentence takes in a batch."""
        return sum(len(w.ids) if isinstance(w, Window) else w.words + 2 for w in self.windows)


@dataclass(frozen=True)
class Encoded:
    """What the network knows of a batch, sentences one after another without padding.

    ``fenceposts`` is (sum of n + 1, hidden), ``words`` is (sum of n, width), for the ``lengths`` n.
    """

    fenceposts: Tensor
    words: Tensor
    lengths: list[int]

    def fencepost_offsets(self) -> NDArray[np.int64]:
        """Return the row of each sentence's first fencepost, int64 (sentences,)."""
        sizes = np.array(self.lengths, np.int64) + 1
        return np.cumsum(sizes) - sizes


@dataclass(frozen=True)
class BestLabels:
    """The best label of every span of a batch, packed as ``bnaparser.chart`` wants it.

    ``scores`` float32 and ``labels`` int32 are (spans,). ``root_scores`` and ``root_labels``
    (sentences,) are the whole sentence's best label but the empty one, which may score less than
    0, or its best label of all where the model allows an empty root.
    """

    scores: NDArray[np.float32]
    labels: NDArray[np.int32]
    root_scores: NDArray[np.float32]
    root_labels: NDArray[np.int32]


class BnaModel(nn.Module):
    """The parser's network. Give ``encoder`` with ``subwords``, or a CharacterEncoder alone.

    ``allow_empty_root`` says that a tree may have several constituents at its top, as some training
    tree had: then no label covers the whole sentence.
    """

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
        self.allow_empty_root = allow_empty_root
        self.settings, self.labels, self.tags = settings, labels, tags
        self.subwords = subwords
        self.encoder = encoder
        self.stack = LayerStack(settings.layers)
        width, content = settings.layers.width, settings.layers.content_width
        self.project: nn.Module = nn.Identity()
        if isinstance(encoder, PretrainedEncoder):
            self.project = nn.Linear(encoder.width, content, bias=False)
        if settings.tags.given:
            # Row 0 is for START, STOP, padding and tags never seen in training.
            self.tag_embedding = nn.Embedding(len(tags) + 1, content)
            with torch.no_grad():  # drawn with deviation 1
                self.tag_embedding.weight.mul_(settings.tags.deviation)
            self.tag_dropout = FeatureDropout(settings.tags.dropout)
        if settings.layers.word_shapes:
            # They begin as nothing: a model that goes on from one without them begins as that one.
            self.shape_embedding = nn.Parameter(torch.zeros(len(WordShape), content))
        self.scorer = SpanScorer(width, len(labels), settings.scorer)
        if settings.tags.predict:
            self.tagger = nn.Sequential(
                nn.Linear(width, settings.tags.hidden),
                nn.LayerNorm(settings.tags.hidden),
                nn.ReLU(),
                nn.Linear(settings.tags.hidden, len(tags)),
            )

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.scorer.hidden.weight.device

    @property
    def reads_case(self) -> bool:
        """Tell whether small letters and capitals are different to the encoder, and it has both."""
        if isinstance(self.encoder, CharacterEncoder):
            characters = self.encoder.characters
            return any(map(str.islower, characters)) and any(map(str.isupper, characters))
        assert self.subwords is not None
        return self.subwords.reads_case

    @property
    def subwords_can_be_masked(self) -> bool:
        """Tell whether there is a tokenizer with a mask token."""
        return self.subwords is not None and self.subwords.mask is not None

    def prepare(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> list[PreparedSentence]:
        """Return sentences of words as the network takes them; ``tags`` where it wants given ones.

        A tag that training never saw is read as such; where all are, a warning is logged. Raises
        ValueError where it wants tags and there are none.
        """
        if self.settings.tags.given and tags is None:
            raise ValueError("this model reads part-of-speech tags: give a row for each sentence")
        max_words = self.settings.layers.max_positions - 2
        windows: Sequence[Sequence[Window | CharacterWindow]]
        if isinstance(self.encoder, CharacterEncoder):
            windows = self.encoder.windows(sentences, max_words)
        else:
            assert self.subwords is not None
            windows = self.subwords.windows(sentences)
        numbers: list[NDArray[np.int64] | None] = [None] * len(sentences)
        if self.settings.tags.given and tags is not None:
            numbers = [
                np.array([self.tags.number(tag, -1) + 1 for tag in row], np.int64) for row in tags
            ]
            self._warn_of_unknown(tags)
        shapes: list[NDArray[np.int64] | None] = [None] * len(sentences)
        if self.settings.layers.word_shapes:
            shapes = [word_shapes(words) for words in sentences]
        # One model has windows of one kind only, which the types do not say.
        return [
            PreparedSentence(len(words), tuple(of), row, shape)  # type: ignore[arg-type]
            for words, of, row, shape in zip(sentences, windows, numbers, shapes, strict=True)
        ]

    def _warn_of_unknown(self, tags: Sequence[Sequence[str]]) -> None:
        given = {tag for row in tags for tag in row}
        if given and not any(tag in self.tags for tag in given):
            theirs, ours = (", ".join(sorted(names)[:5]) for names in (given, self.tags.names))
            log.warning("the model knows none of the tags given (%s); it knows %s", theirs, ours)

    def encode(self, batch: Sequence[PreparedSentence]) -> Encoded:
        """Run encoder and layers over sentences of at least one word."""
        windows = [window for sentence in batch for window in sentence.windows]
        content = self.project(self.encoder(windows))
        beside: Tensor | None = None
        if self.settings.tags.given:
            numbers = _at_positions(batch, [one.tags for one in batch], content.shape[1])
            beside = self.tag_dropout(self.tag_embedding(numbers.to(self.device)))
        if self.settings.layers.word_shapes:
            numbers = _at_positions(batch, [one.shapes for one in batch], content.shape[1])
            shapes = F.embedding(numbers.to(self.device), self.shape_embedding)
            beside = shapes if beside is None else beside + shapes
        words = torch.tensor([window.words for window in windows], device=content.device)
        positions = torch.arange(content.shape[1], device=content.device)
        hidden = self.stack(content, positions < words[:, None] + 2, beside)
        lengths = [sentence.words for sentence in batch]
        rows = hidden.flatten(0, 1)[position_rows(batch, hidden.shape[1]).to(hidden.device)]
        sizes = np.array(lengths) + 2
        stops = np.cumsum(sizes) - 1
        left = np.delete(np.arange(sizes.sum()), stops)
        inner = np.delete(np.arange(sizes.sum()), np.concatenate([stops, stops - sizes + 1]))
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

    def span_rows(self, encoded: Encoded) -> tuple[Tensor, Tensor]:
        """Return the fencepost rows of all spans of all sentences, packed as the chart wants."""
        starts, ends = [], []
        offsets = encoded.fencepost_offsets()
        for length, offset in zip(encoded.lengths, offsets, strict=True):
            start, end = chart.span_indices(length)
            starts.append(start + offset)
            ends.append(end + offset)
        both = np.stack([np.concatenate(starts), np.concatenate(ends)]).astype(np.int64)
        rows = torch.from_numpy(both).to(encoded.fenceposts.device)
        return rows[0], rows[1]

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
        return packed_best(
            scores.cpu().numpy(), labels.cpu().numpy(), encoded.lengths, self.allow_empty_root
        )


def packed_best(
    scores: NDArray[np.float32],
    labels: NDArray[np.int32],
    lengths: Sequence[int],
    allow_empty_root: bool,
) -> BestLabels:
    """Return the best labels of a batch, given the best one but the empty one of every span.

    Both arrays are (spans,) and are taken over; a span that scores 0 or less gets the empty label.
    """
    counts = np.array([chart.span_count(length) for length in lengths])
    # The span of the whole sentence is the last of those that start at its first word.
    roots = np.cumsum(counts) - counts + np.array(lengths) - 1
    root_scores, root_labels = scores[roots], labels[roots]
    empty = scores <= 0
    scores[empty], labels[empty] = 0, 0
    if allow_empty_root:
        root_scores, root_labels = scores[roots], labels[roots]
    return BestLabels(scores, labels, root_scores, root_labels)


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
    return Subwords(tokenizer, limit, settings.layers.max_positions - 2)


def position_rows(batch: Sequence[PreparedSentence], positions: int) -> Tensor:
    """Return, for START, words and STOP of every sentence, the row in its best window.

    Where windows overlap, a word is read where it stands farthest from the window's ends.
    """
    rows: list[NDArray[np.int64]] = []
    base = 0
    for sentence in batch:
        if len(sentence.windows) == 1:
            rows.append(np.arange(base, base + sentence.words + 2))
            base += positions
            continue
        best = np.full(sentence.words + 2, -1)
        row = np.zeros(sentence.words + 2, np.int64)
        for window in sentence.windows:
            inside = np.arange(window.words + 2)
            margin = np.minimum(inside, inside[::-1])
            place = slice(window.first_word, window.first_word + window.words + 2)
            # A window's START and STOP stand in only at the ends of the sentence.
            better = margin > best[place]
            better[0] &= window.first_word == 0
            better[-1] &= window.first_word + window.words == sentence.words
            best[place] = np.where(better, margin, best[place])
            row[place] = np.where(better, base + inside, row[place])
            base += positions
        rows.append(row)
    return torch.from_numpy(np.concatenate(rows))


def _at_positions(
    batch: Sequence[PreparedSentence], numbers: Sequence[NDArray[np.int64] | None], positions: int
) -> Tensor:
    """Return words' numbers where the words stand in their windows, int64 (windows, positions).

    START, STOP and padding have 0.
    """
    rows = []
    for sentence, own in zip(batch, numbers, strict=True):
        assert own is not None  # else it was not prepared by this model
        for window in sentence.windows:
            row = np.zeros(positions, np.int64)
            first = window.first_word
            row[1 : window.words + 1] = own[first : first + window.words]
            rows.append(row)
    return torch.from_numpy(np.stack(rows))
