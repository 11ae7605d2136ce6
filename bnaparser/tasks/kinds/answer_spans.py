"""From scores of subwords to answers: the best spans of a passage, and whether it has an answer at all.

A span's score is that of its first subword as a start plus that of its last one as an end; of a span in
several windows the best counts. The score for no answer is the lowest score of a window, and a
question is left without one where it exceeds the best span's by more than a threshold, chosen on
development data (Devlin and others 2019, section 4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.encoders.batching import batches_by_length
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.kinds.answer_windows import AnswerReader, AnswerWindow

Floats = NDArray[np.float32]
NO_ANSWER = ""
"""What a model says where the passage has no answer."""


@dataclass(frozen=True)
class Candidate:
    """A span of the passage, from ``start`` to ``end`` in characters, and its score, a logit."""

    start: int
    end: int
    score: float


@dataclass(frozen=True)
class AnswerCandidates:
    """The best spans of a passage, best first, and the score for no answer."""

    passage: str
    spans: tuple[Candidate, ...]
    null: float

    @property
    def finite(self) -> bool:
        """Whether all scores are numbers."""
        return bool(np.isfinite([self.null, *(span.score for span in self.spans)]).all())

    @property
    def margin(self) -> float:
        """By how much no answer is likelier than the best span."""
        return self.null - self.spans[0].score if self.spans else np.inf

    @property
    def text(self) -> str:
        """The best span's text."""
        return self.text_of(self.spans[0]) if self.spans else NO_ANSWER

    def text_of(self, span: Candidate) -> str:
        """Return the text of a span."""
        return self.passage[span.start : span.end]

    def answer(self, threshold: float) -> str:
        """Return the best span's text, NO_ANSWER where the margin exceeds the threshold."""
        return NO_ANSWER if self.margin > threshold else self.text

    def shares(self, threshold: float) -> list[float]:
        """Return the probability of each span among these, and with a threshold no answer.

        No answer counts with its score less the threshold: where it is the likeliest, it is given.
        """
        scores = [span.score for span in self.spans]
        if np.isfinite(threshold):
            scores.append(self.null - threshold)
        powers = np.exp(np.array(scores) - max(scores, default=0.0))
        return [float(share) for share in (powers / powers.sum())[: len(self.spans)]]


def best_spans(window: AnswerWindow, logits: Floats, longest: int, best: int) -> list[Candidate]:
    """Return the ``best`` spans of a window, of at most ``longest`` subwords, best first.

    ``logits`` (T, 2) are the scores of its tokens as start and as end. Several pairs of subwords may
    have the same characters, as where an encoder reads a character as several bytes: they are one
    span, which scores what the best of the pairs does.
    """
    count = len(window.starts)
    if not count:
        return []
    start, end = logits[window.passage].astype(np.float64).T
    width = min(longest, count)
    # Row i, column k: the span of the subwords from i to i + k.
    last = np.arange(count)[:, None] + np.arange(width)
    inside = last < count
    last = np.minimum(last, count - 1)
    written = window.ends[last] > window.starts[:, None]
    sums = np.where(inside & written, start[:, None] + end[last], -np.inf).ravel()
    found: dict[tuple[int, int], Candidate] = {}
    for place in np.argsort(-sums, kind="stable"):
        if len(found) == best or not sums[place] > -np.inf:
            break
        i, k = divmod(int(place), width)
        characters = int(window.starts[i]), int(window.ends[last[i, k]])
        found.setdefault(characters, Candidate(*characters, float(sums[place])))
    return list(found.values())


def merged(spans: Iterable[Candidate], best: int) -> tuple[Candidate, ...]:
    """Return the ``best`` of several windows' spans, each once, with its best score."""
    found: dict[tuple[int, int], Candidate] = {}
    for span in spans:
        key = span.start, span.end
        if key not in found or span.score > found[key].score:
            found[key] = span
    order = sorted(found.values(), key=lambda span: (-span.score, span.start, span.end))
    return tuple(order[:best])


def find_candidates(
    reader: AnswerReader,
    examples: Sequence[PreparedExample],
    variant: SyntaxSettings | None,
    score: Callable[[dict[str, Any]], Floats],
    batch_tokens: int,
) -> list[AnswerCandidates]:
    """Return the best answers to questions, in order; ``score`` returns a batch's logits (B, T, 2)."""
    longest, best = reader.settings.max_answer_length, reader.settings.n_best_size
    windows = [(owner, w) for owner, one in enumerate(examples) for w in reader.windows(one)]
    spans: list[list[Candidate]] = [[] for _ in examples]
    nulls: list[list[float]] = [[] for _ in examples]
    for chosen in batches_by_length([len(window) for _, window in windows], batch_tokens):
        owners, here = zip(*(windows[index] for index in chosen), strict=True)
        structures = [examples[owner].structures for owner in owners]
        batch, offsets = reader.inputs(here, structures, variant)
        for owner, window, row, offset in zip(owners, here, score(batch), offsets, strict=True):
            logits = row[offset : offset + len(window)]
            spans[owner] += best_spans(window, logits, longest, best)
            nulls[owner].append(float(logits[window.null].astype(np.float64).sum()))
    return [
        AnswerCandidates(one.written.text if one.written else "", merged(found, best), min(null))
        for one, found, null in zip(examples, spans, nulls, strict=True)
    ]


def best_threshold(
    margins: Sequence[float], answered: Sequence[float], silent: Sequence[float]
) -> float:
    """Return the threshold that makes the sum of scores largest.

    Of each question there is the margin of no answer, and what it scores when it is ``answered`` and
    when it is left ``silent``. The threshold lies in the middle between two margins; infinity is
    never to be silent, and of equal sums the one with more answers is taken.
    """
    order = np.argsort(-np.array(margins, np.float64), kind="stable")
    sorted_margins = np.array(margins, np.float64)[order]
    gains = (np.array(silent, np.float64) - np.array(answered, np.float64))[order]
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    following = np.append(sorted_margins, -np.inf)
    before = np.concatenate([[np.inf], sorted_margins])
    sums[before == following] = -np.inf  # no threshold cuts between equal margins
    silenced = int(np.argmax(sums))
    if silenced == 0:
        return np.inf
    if silenced == len(order):
        return float(before[silenced]) - 1.0
    return float((before[silenced] + following[silenced]) / 2)
