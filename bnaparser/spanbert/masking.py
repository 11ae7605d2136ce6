"""Which subwords of a block are masked, and with what: spans of whole words (SpanBERT, 3.1, appendix A).

All places are indices of subwords within one block, special ones left out; spans are half-open. What
is random comes from a numpy generator that is handed in, so the same seed gives the same masks
in any process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bnaparser.spanbert.pretrain_settings import MaskingSettings

Ints = NDArray[np.int64]
Span = tuple[int, int]
# Called with what is masked so far; gives the next span of whole words that may be masked.
Draw = Callable[[NDArray[np.bool_]], Span]


@dataclass(frozen=True)
class Candidates:
    """Spans of a block that stand for something: entities, noun phrases, constituents.

    ``spans`` int64 (spans, 2) are their first subword and the one after their last; ``words``
    int64 (spans,) how many words each has.
    """

    spans: Ints
    words: Ints


@dataclass(frozen=True)
class Masked:
    """A block as the encoder reads it.

    ``ids`` int64 (subwords,) have the masks in them; ``places`` int64 (masked,) are the masked
    subwords in order; ``spans`` are the merged spans, in order, which cover just these places.
    """

    ids: Ints
    places: Ints
    spans: list[Span]


def length_distribution(p: float, longest: int) -> NDArray[np.float64]:
    """Return the probabilities of lengths 1 to ``longest``: geometric, cut off and renormalised.

    For p = 0.2 and 10 words the mean is 3.797, the paper's 3.8.
    """
    weights: NDArray[np.float64] = p * (1 - p) ** np.arange(longest, dtype=np.float64)
    weights /= weights.sum()
    return weights


@cache
def _cumulative(p: float, longest: int) -> NDArray[np.float64]:
    return np.cumsum(length_distribution(p, longest))


def drawn_lengths(drawn: NDArray[np.float64], p: float, longest: int) -> Ints:
    """Return the lengths, int64, that numbers drawn evenly from 0 to 1 stand for."""
    return (
        np.minimum(np.searchsorted(_cumulative(p, longest), drawn, side="right"), longest - 1) + 1
    )


def budget(subwords: int, share: float) -> int:
    """Return how many subwords of a block are masked: a share, rounded up."""
    return math.ceil(round(share * subwords, 9))


def mask(
    ids: Ints,
    word_starts: NDArray[np.bool_],
    mask_id: int,
    random_ids: Callable[[int], Ints],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None = None,
) -> Masked:
    """Mask a block: draw spans until the budget is spent, merge them, replace their subwords.

    ``word_starts`` bool (subwords,) tells where words begin, the first subword always among them;
    ``random_ids`` draws so many subwords from the text's own distribution. Entities, noun phrases
    and constituents need ``candidates``.
    """
    wanted = budget(len(ids), settings.mask_probability)
    if settings.scheme == "subwords":
        places = np.sort(generator.permutation(len(ids))[:wanted])
        # Each subword is replaced by a draw of its own, as in BERT; spans are what touches.
        drawn = [(int(place), int(place) + 1) for place in places]
        return Masked(replaced(ids, drawn, mask_id, random_ids, generator), places, merged(drawn))
    draw = _DRAWS[settings.scheme](word_starts, settings, generator, candidates)
    spans = merged(_spend(len(ids), wanted, draw))
    places = (
        np.concatenate([np.arange(*span) for span in spans]) if spans else np.zeros(0, np.int64)
    )
    return Masked(replaced(ids, spans, mask_id, random_ids, generator), places, spans)


def _spend(subwords: int, wanted: int, draw: Draw) -> Iterator[Span]:
    """Yield spans until so many subwords are masked; the last one is cut there, inside a word too."""
    taken = np.zeros(subwords, np.bool_)
    left = wanted
    while left > 0:
        start, end = draw(taken)
        new = np.flatnonzero(~taken[start:end])[:left]
        if len(new) == 0:
            continue
        if len(new) == left:
            end = start + int(new[-1]) + 1
        taken[start:end] = True
        left -= len(new)
        yield start, end


def merged(spans: Sequence[Span] | Iterator[Span]) -> list[Span]:
    """Return spans in order, those that overlap or touch made one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


def replaced(
    ids: Ints,
    spans: Sequence[Span],
    mask_id: int,
    random_ids: Callable[[int], Ints],
    generator: np.random.Generator,
) -> Ints:
    """Return the subwords with each span masked (80 %), made of random ones (10 %), or kept (10 %).

    There is one draw a span: all its subwords are treated alike.
    """
    result = ids.copy()
    draws = generator.random(len(spans))
    for (start, end), drawn in zip(spans, draws, strict=True):
        if drawn < 0.8:
            result[start:end] = mask_id
        elif drawn < 0.9:
            result[start:end] = random_ids(end - start)
    return result


def _words_from(
    first: Ints, generator: np.random.Generator, lengths: Callable[[], int], subwords: int
) -> Draw:
    """Return a draw of spans that begin at a word drawn at random and have so many words.

    The anchor is drawn from the subwords, so a word of p subwords is p times as likely to begin a
    span (as in the authors' program).
    """
    ends = np.append(first[1:], subwords)

    def draw(taken: NDArray[np.bool_]) -> Span:
        while True:
            length, anchor = lengths(), int(generator.integers(subwords))
            if not taken[anchor]:
                break
        word = int(np.searchsorted(first, anchor, side="right")) - 1
        return int(first[word]), int(ends[min(word + length, len(ends)) - 1])

    return draw


def _geometric_lengths(
    settings: MaskingSettings, generator: np.random.Generator
) -> Callable[[], int]:
    return lambda: int(
        drawn_lengths(generator.random(1), settings.geometric_p, settings.max_span_length)[0]
    )


def _draw_geometric(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    first = np.flatnonzero(word_starts)
    lengths = _geometric_lengths(settings, generator)
    return _words_from(first, generator, lengths, len(word_starts))


def _draw_words(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    return _words_from(np.flatnonzero(word_starts), generator, lambda: 1, len(word_starts))


def _draw_named(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    """Return a draw of one of the candidates half of the time, else of a whole word (6.1)."""
    word = _draw_words(word_starts, settings, generator, None)
    spans = np.zeros((0, 2), np.int64) if candidates is None else candidates.spans

    def draw(taken: NDArray[np.bool_]) -> Span:
        if len(spans) and generator.random() < 0.5:
            free = spans[~taken[spans[:, 0]]]
            if len(free):
                start, end = free[generator.integers(len(free))]
                return int(start), int(end)
        return word(taken)

    return draw


def _draw_constituents(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    """Return a draw of constituents whose lengths are drawn as those of geometric spans.

    So the two schemes differ in where spans begin and end, not in how long they are. A single word
    is a constituent; where none of a length is left, another length is drawn.
    """
    lengths = _geometric_lengths(settings, generator)
    word = _draw_words(word_starts, settings, generator, None)
    of_length: dict[int, Ints] = {}
    if candidates is not None:
        for length in range(2, settings.max_span_length + 1):
            of_length[length] = candidates.spans[candidates.words == length]

    def draw(taken: NDArray[np.bool_]) -> Span:
        while True:
            length = lengths()
            if length == 1:
                return word(taken)
            spans = of_length.get(length, np.zeros((0, 2), np.int64))
            free = spans[~taken[spans[:, 0]]]
            if len(free):
                start, end = free[generator.integers(len(free))]
                return int(start), int(end)

    return draw


_DRAWS = {
    "geometric": _draw_geometric,
    "words": _draw_words,
    "entities": _draw_named,
    "noun_phrases": _draw_named,
    "constituents": _draw_constituents,
}
