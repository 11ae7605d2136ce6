"""How probable each constituent is, over all trees: what callers see of the loops of probabilities.

A tree is a set of labelled spans no two of which cross: what is left of the chart's binary trees
when nodes with the empty label are spliced out. Each such tree counts once, however many binary
forms it has. Its probability is exp(score / temperature), divided by the sum of that over all trees.

Scores, lengths, threads and errors are as in ``cky``; a sentence all of whose trees score minus
infinity is a ScoresError. ``never_empty`` (spans,) is true where a node must have a label, as
``constraints`` gives it: trees without do not count.

Light: never imports Numba; `probability_loops` has the loops.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bnaparser.chart.chart_batch import ChartBatch, Decoded, check_scores, raise_first, with_roots
from bnaparser.chart.cky import decode_best_packed
from bnaparser.chart.spans import LAYOUT, Bools, Float32s, Float64s, Int64s, span_count
from bnaparser.compute.kernel import Kernel

# The highest, and 1 / the lowest: beyond these all trees are alike, or the best one is certain.
EXTREME_TEMPERATURE = 1e30


class Marginals(NamedTuple):
    """Probabilities in one sentence.

    ``probabilities`` is float32 (spans, labels): that the span is a constituent with this label,
    and in column 0 that it is none. ``log_partition`` is the natural logarithm of the sum over all
    trees; a tree's own probability is exp(its score / temperature - log_partition). ``entropy`` of
    the trees is in nats.
    """

    probabilities: Float32s
    log_partition: float
    entropy: float


class MarginalsBatch(NamedTuple):
    """Probabilities in a batch of sentences.

    ``probabilities`` has the rows of one sentence after another, as in `Marginals`;
    ``log_partitions`` and ``entropies`` are float64 (sentences,).
    """

    probabilities: Float32s
    log_partitions: Float64s
    entropies: Float64s


class Inside(NamedTuple):
    """The filled chart of one sentence: natural logarithms in float64, one entry for each span.

    ``filled``: sum over the span's labels; ``both``: over these and none; ``pieces`` and ``chart``
    as in ``cky_loops``.
    """

    filled: Float64s
    both: Float64s
    pieces: Float64s
    chart: Float64s


class MarginalsOut(NamedTuple):
    """Output of inside and outside for a batch.

    ``probabilities`` (all spans, labels) float32; ``log_partitions``, ``entropies`` and ``status``,
    one entry a sentence.
    """

    probabilities: Float32s
    log_partitions: Float64s
    entropies: Float64s
    status: Int64s


class Workspace(NamedTuple):
    """Working memory for one sentence; it is reused for the next sentence.

    Sums are float64 (n + 1,); ``by_chart`` and ``occupied`` (spans,); ``parts`` float32 (labels,).
    """

    splits: Float64s
    relative: Float64s
    by_parts: Float64s
    below: Float64s
    shares: Float64s
    by_chart: Float64s
    occupied: Float64s
    parts: Float32s


_INSIDE = Inside, "f8:1", "f8:1", "f8:1", "f8:1"
_WORKSPACE = Workspace, *["f8:1"] * 7, "f4:1"
_fill_sentence = Kernel(
    "bnaparser.chart.probability_loops:fill_sentence",
    *("f4:2", "f8", "b1:1", "i8", "f4:2", _INSIDE, _WORKSPACE, "i8:1"),
)
_marginals_group = Kernel(
    "bnaparser.chart.probability_loops:marginals_group",
    *(
        "f4:2",
        "b1:1",
        "f8",
        LAYOUT,
        (MarginalsOut, "f4:2", "f8:1", "f8:1", "i8:1"),
        _INSIDE,
        _WORKSPACE,
        "i8",
        "i8",
    ),
)
_write_gains = Kernel(
    "bnaparser.chart.probability_loops:write_gains", "f4:2", "f4", "b1:1", "f4:1", "i4:1"
)
_draw_trees = Kernel(
    "bnaparser.chart.probability_loops:draw_trees",
    *("f4:2", "f8", _INSIDE, "i8", "f8:2", (tuple, "i4:2", "i8:1", "f8:1"), "i4:2"),
)
PROBABILITY_LOOPS = (_fill_sentence, _marginals_group, _write_gains, _draw_trees)


def _workspace_for(words: int, labels: int) -> tuple[Inside, Workspace]:
    """Allocate the inside chart and the workspace for sentences of at most ``words`` words."""
    spans = span_count(words)
    splits, relative, by_parts, below, shares = np.empty((5, words + 1))
    sums = splits, relative, by_parts, below, shares
    workspace = Workspace(*sums, np.empty(spans), np.empty(spans), np.empty(labels, np.float32))
    return Inside(*(np.empty(spans) for _ in range(4))), workspace


def numbers_a_tree(n: int) -> int:
    """How many numbers a drawn tree takes at most: each of n words two, each of n - 1 sequences three."""
    return 2 * n + 3 * (n - 1)


def marginals(
    scores: Float32s,
    n: int,
    *,
    temperature: float = 1.0,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> Marginals:
    """Compute the probability of every constituent of a sentence (inside-outside algorithm).

    Args:
        scores: float32, shape (spans, labels), column 0 the empty label; row ``span_index(start, end, n)``.
        n: number of words.
        temperature: divides the scores.
        allow_empty_root: whether the whole sentence may have the empty label.
        never_empty: bool, shape (spans,): spans that must have a label, as `constrain` returns them.

    Returns:
        Probabilities, log partition function and entropy.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import marginals
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> marginals(scores, 2).probabilities[0].tolist()  # the first word: no constituent, label 1
        [0.5, 0.5]
    """
    found = marginals_packed(
        scores,
        [n],
        1,
        temperature=temperature,
        allow_empty_root=allow_empty_root,
        never_empty=never_empty,
    )
    probabilities, log_partitions, entropies = found
    return Marginals(probabilities, float(log_partitions[0]), float(entropies[0]))


def marginals_packed(
    flat_scores: Float32s,
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    temperature: float = 1.0,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> MarginalsBatch:
    """Compute the probability of every constituent of each sentence of a batch.

    Args:
        flat_scores: float32, shape (spans of all sentences, labels): the rows of one sentence after another.
        lengths: number of words of each sentence.
        threads: maximum number of threads (default: as many as the batch is worth, at most one a core).
        temperature: divides the scores.
        allow_empty_root: whether the whole sentence may have the empty label.
        never_empty: bool, shape (spans,): spans that must have a label, as `constrain` returns them.

    Returns:
        Probabilities, log partition functions and entropies. They need as much memory as the scores.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import marginals_packed
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> marginals_packed(scores, [2]).probabilities.shape
        (3, 2)
    """
    batch = ChartBatch(lengths)
    check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    full = with_roots(batch, never_empty, allow_empty_root)
    inverse_temperature = 1 / checked_temperature(temperature)
    shares = MarginalsOut(
        np.empty_like(flat_scores),
        np.zeros(len(batch)),
        np.zeros(len(batch)),
        np.zeros(len(batch), np.int64),
    )

    def work(begin: int, end: int) -> None:
        longest = int(batch.layout.words[begin:end].max(initial=1))
        inside, workspace = _workspace_for(longest, flat_scores.shape[1])
        _marginals_group(
            *(
                flat_scores,
                full,
                inverse_temperature,
                batch.layout,
                shares,
                inside,
                workspace,
                begin,
                end,
            )
        )

    batch.run(work, 6 * flat_scores.size, threads)
    raise_first(shares.status)
    return MarginalsBatch(shares.probabilities, shares.log_partitions, shares.entropies)


def sample(
    scores: Float32s,
    n: int,
    count: int,
    generator: np.random.Generator,
    *,
    temperature: float = 1.0,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> list[Decoded]:
    """Draw trees of a sentence, independently, by their probabilities.

    Args:
        scores: float32, shape (spans, labels), column 0 the empty label; row ``span_index(start, end, n)``.
        n: number of words.
        count: number of trees.
        generator: the random numbers.
        temperature: divides the scores.
        allow_empty_root: whether the whole sentence may have the empty label.
        never_empty: bool, shape (spans,): spans that must have a label, as `constrain` returns them.

    Returns:
        The trees.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import sample
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> len(sample(scores, 2, count=5, generator=np.random.default_rng(1)))
        5
    """
    if count < 0:
        raise ValueError(f"count is {count}; it must be at least 0")
    batch = ChartBatch([n])
    check_scores("scores", scores, batch.spans, allow_empty_root)
    full = with_roots(batch, never_empty, allow_empty_root)
    inverse_temperature = 1 / checked_temperature(temperature)
    scratch = np.empty((1, scores.shape[1]), np.float32)
    inside, workspace = _workspace_for(n, scores.shape[1])
    status = np.zeros(1, np.int64)
    _fill_sentence(scores, inverse_temperature, full, n, scratch, inside, workspace, status)
    raise_first(status)
    trees = (
        np.empty((count * (2 * n - 1), 3), np.int32),
        np.zeros(count, np.int64),
        np.zeros(count, np.float64),
    )
    chances = generator.random((count, numbers_a_tree(n)))
    stack = np.empty((n + 1, 3), np.int32)
    _draw_trees(scores, inverse_temperature, inside, n, chances, trees, stack)
    spans, counts, totals = trees
    parts = np.split(spans[: counts.sum()], counts.cumsum()[:-1]) if count else []
    return list(map(Decoded, totals.tolist(), parts))


def decode_expected(
    probabilities: Float32s,
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    threshold: float = 0.5,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> list[Decoded]:
    """Find the trees with the most expected correct constituents (minimum Bayes risk).

    Goodman (1996), "Parsing Algorithms and Metrics". With the threshold 0.5 the tree has the fewest expected errors (wrong and
    missing constituents). With 0 it has the most expected correct constituents, however many are wrong.

    Args:
        probabilities: float32, shape (spans of all sentences, labels), as from `marginals_packed`.
        lengths: number of words of each sentence.
        threads: maximum number of threads (default: as many as the batch is worth, at most one a core).
        threshold: subtracted from the probability of each constituent.
        allow_empty_root: whether the whole sentence may have the empty label.
        never_empty: bool, shape (spans,): spans that must have a label, as `constrain` returns them.

    Returns:
        The best tree of each sentence. Its score is the sum of (probability - threshold).

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import decode_expected, marginals_packed
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> probabilities = marginals_packed(scores, [2]).probabilities
        >>> [tree.spans.tolist() for tree in decode_expected(probabilities, [2])]
        [[[0, 2, 1], [0, 1, 1]]]
    """
    batch = ChartBatch(lengths)
    check_scores("probabilities", probabilities, batch.spans, allow_empty_root)
    full = with_roots(batch, never_empty, allow_empty_root)
    gains, labels = np.empty(batch.spans, np.float32), np.empty(batch.spans, np.int32)
    _write_gains(probabilities, np.float32(threshold), full, gains, labels)
    roots = batch.layout.spans + batch.layout.words - 1
    return decode_best_packed(gains, labels, gains[roots], labels[roots], lengths, threads)


def checked_temperature(temperature: float) -> float:
    """Return the temperature; ValueError unless it is a number above 0 by which float32 can be
    divided.
    """
    if not (math.isfinite(temperature) and temperature > 0):
        raise ValueError(f"temperature is {temperature}; it must be a number above 0")
    if not 1 / EXTREME_TEMPERATURE <= temperature <= EXTREME_TEMPERATURE:
        raise ValueError(
            f"temperature is {temperature}; it must be from {1 / EXTREME_TEMPERATURE:g} to"
            f" {EXTREME_TEMPERATURE:g}"
        )
    return temperature
