"""Scores as values: ``score("gold.mrg", "pred.mrg").f1`` as EVALB, `score_with_pyevalb` as another program has them."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import BinaryIO

from bnaparser.errors import DataError, import_extra, type_name
from bnaparser.eval.files import open_seekable, tree_lines
from bnaparser.eval.params import Params, collins
from bnaparser.eval.report import ErrorLog, Row, Totals, percent
from bnaparser.eval.scorer import PairScorer

Trees = str | os.PathLike[str] | Iterable[object]
"""A file name, or trees: anything whose ``str`` is one.

A file has a tree a line, or is indented; ``.gz``, ``.xz`` and ``.bz2`` are unpacked.
"""


@dataclass(frozen=True)
class Scores:
    """EVALB's scores of a corpus. Ratios are percentages over the valid sentences.

    Valid sentences are those without an error that have words in the prediction: as in EVALB, an
    empty prediction is skipped and costs nothing, so look at ``skipped`` too. ``gold`` and
    ``test`` count brackets that are not deleted, ``matched`` those in both, and ``crossing`` the
    predicted ones that cross a gold one. ``tags`` is the number of ``words`` with the right tag.
    ``f1`` is 0 where EVALB prints ``-nan``. ``errors`` are EVALB's messages, each with the number
    of its sentence, from 1; ``rows`` hold each sentence's counts.
    """

    recall: float
    precision: float
    f1: float
    complete_match: float
    average_crossing: float
    no_crossing: float
    two_or_less_crossing: float
    tag_accuracy: float
    matched: int
    gold: int
    test: int
    crossing: int
    words: int
    tags: int
    sentences: int
    valid: int
    error_sentences: int
    skipped: int
    errors: tuple[str, ...]
    rows: tuple[Row, ...]


def score(gold: Trees, pred: Trees, params: Params | None = None) -> Scores:
    """Compute the EVALB scores of predicted trees against gold trees.

    Args:
        gold: a file of trees, or trees (brackets or `Tree`).
        pred: the same number of predicted trees. None and the empty string are sentences without a prediction.
        params: EVALB's parameters (default: COLLINS.prm). ``max_error`` and ``debug`` are ignored.

    Returns:
        The totals, with one row for each sentence.

    Raises:
        DataError: a file cannot be read, or the numbers of sentences differ.

    Example:
        >>> from bnaparser.eval import score
        >>> gold = ["(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat))))"]
        >>> pred = ["(TOP (S (NP (DT The) (NN cat) (VBD sat))))"]
        >>> score(gold, pred).f1
        40.0
    """
    params = replace(collins() if params is None else params, debug=0)
    messages: list[bytes] = []
    scorer = PairScorer(params, ErrorLog(None, messages.append))
    totals, rows = Totals(), []
    for number, (gold_line, line) in enumerate(zip_longest(*read_sides(gold, pred)), 1):
        if gold_line is None or line is None:
            longer, shorter = ("gold", "pred") if line is None else ("pred", "gold")
            raise DataError(f"{shorter} ends after {number - 1} sentences, but {longer} has more")
        scorer.start(number, gold_line)
        row = scorer.finish(line)
        totals.add(row)
        rows.append(row)
    return scores_of(totals, messages, rows)


def read_sides(*sides: Trees) -> list[Iterable[bytes]]:
    """Return the trees of each side as lines of bytes; several files of one side get one form.

    Raises DataError if a file cannot be read.
    """
    with ExitStack() as stack:
        names = [os.fspath(side) for side in sides if isinstance(side, str | os.PathLike)]
        files = [(stack.enter_context(_open(name)), name) for name in names]
        of_files = iter([list(lines) for lines in tree_lines(*files)])
    return [
        next(of_files) if isinstance(side, str | os.PathLike) else _as_lines(side) for side in sides
    ]


def _as_lines(trees: Iterable[object]) -> Iterator[bytes]:
    # A tree or a parse alone, which would be taken for its children.
    if hasattr(trees, "label") or hasattr(type(trees), "tree"):
        trees = [trees]
    for tree in trees:
        if hasattr(type(tree), "tree"):
            raise TypeError(
                f"{type_name(tree)} is not a tree: give {type(tree).__name__.lower()}.tree"
            )
        if isinstance(tree, bytes):
            yield tree
        else:
            # surrogatepass: half a character is odd, but no reason to fail on a comparison.
            yield b"" if tree is None else str(tree).encode("utf-8", "surrogatepass")


def _open(path: str) -> BinaryIO:
    try:
        return open_seekable(path)
    except OSError as error:
        hint = "; trees in memory go in a list" if path.lstrip().startswith("(") else ""
        raise DataError(f"cannot read {path!r}: {error.strerror or error}{hint}") from None


def scores_of(totals: Totals, messages: list[bytes], rows: list[Row]) -> Scores:
    """Return the scores of a corpus from its sums, error messages and rows."""
    valid = totals.valid
    return Scores(
        recall=totals.recall,
        precision=totals.precision,
        f1=totals.f1 or 0.0,
        complete_match=percent(totals.complete, valid),
        average_crossing=totals.average_crossing,
        no_crossing=percent(totals.without_crossing, valid),
        two_or_less_crossing=percent(totals.few_crossing, valid),
        tag_accuracy=percent(totals.tags, totals.words),
        matched=totals.matched,
        gold=totals.gold,
        test=totals.test,
        crossing=totals.crossing,
        words=totals.words,
        tags=totals.tags,
        sentences=totals.sentences,
        valid=valid,
        error_sentences=totals.errors,
        skipped=totals.skipped,
        errors=tuple(
            message.decode(errors="backslashreplace").rstrip("\n") for message in messages
        ),
        rows=tuple(rows),
    )


@dataclass(frozen=True)
class PyevalbScores:
    """PYEVALB's summary, in percent; ``messages`` is what it printed about single sentences."""

    recall: float
    precision: float
    f1: float
    complete_match: float
    average_crossing: float
    no_crossing: float
    tag_accuracy: float
    sentences: int
    valid: int
    error_sentences: int
    messages: str


def score_with_pyevalb(gold: Trees, pred: Trees) -> PyevalbScores:
    """Compute the scores of PYEVALB 0.1.3, as a second opinion (extra ``compare``).

    PYEVALB has no parameter file: TOP and punctuation count, ADVP is not PRT, function tags stay, and
    a bracket that occurs twice is matched once. So its scores differ from EVALB's, by up to one point.
    Lines beyond the shorter side are ignored.

    Args:
        gold: a file of gold trees, or trees.
        pred: a file of predicted trees, or trees.

    Returns:
        PYEVALB's scores.

    Raises:
        MissingExtraError: PYEVALB is not installed.
        DataError: PYEVALB fails on an unlabelled outer bracket, a line without brackets or an empty first
            line, or there is no valid sentence.
    """
    scorer = import_extra("compare", "PYEVALB.scorer")
    summary = import_extra("compare", "PYEVALB.summary")
    sides = [
        [line.decode("utf-8", "replace") for line in lines] for lines in read_sides(gold, pred)
    ]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = summary.summary(scorer.Scorer().score_corpus(*sides))
    except Exception as error:  # whatever it stumbles over: it checks nothing
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"PYEVALB fails on these trees ({reason}): use --scorer evalb") from error
    return PyevalbScores(
        recall=result.bracket_recall,
        precision=result.bracket_prec,
        f1=result.bracker_fmeasure,
        complete_match=result.complete_match,
        average_crossing=result.average_crossing,
        no_crossing=result.no_crossing,
        tag_accuracy=result.tagging_accuracy,
        sentences=int(result.sent_num),
        valid=int(result.valid_sent_num),
        error_sentences=int(result.error_sent_num),
        messages=printed.getvalue(),
    )
