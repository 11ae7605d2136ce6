"""Parses as the columns of a table: a row a constituent, or a row a sentence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from bnaparser.errors import type_name
from bnaparser.files.tables import replace_all_surrogates
from bnaparser.measures.api import OwnPatterns, check_label, columns, measure
from bnaparser.measures.table import By
from bnaparser.parsing.result import Parse
from bnaparser.trees.tree import CHAIN

Parsed = Parse | Iterable[Parse] | Iterable[Sequence[Parse]]
Columns = dict[str, list[Any]]

# What stands in a column; any but the numbers of sentences, words and characters may be missing.
SENTENCE_TYPES: dict[str, type] = {
    "document": int,
    "sentence": int,
    "text": str,
    "words": int,
    "tree": str,
    "score": float,
    "probability": float,
    "confidence": float,
    "entropy": float,
    "error": str,
}
CONSTITUENT_TYPES: dict[str, type] = {
    "document": int,
    "sentence": int,
    "constituent": int,
    "parent": int,
    "label": str,
    "start": int,
    "end": int,
    "char_start": int,
    "char_end": int,
    "text": str,
    "score": float,
    "probability": float,
}


def sentence_columns(parses: Parsed) -> Columns:
    """Return a row a sentence: text, number of words, tree on one line, score, error.

    Between these stand ``probability``, ``confidence`` and ``entropy``, which are missing unless they
    were requested.
    ``sentence`` counts from 0. Of lists of parses, one a text, as ``Parser.pipe`` returns them, it
    counts in the text. ``document`` is then the text's index label, where the texts are a Series of
    pandas, else its place among the texts, from 0. Raises ValueError if two texts have one label.
    """
    given, of_texts = _looked_at(parses)
    rows = [
        (document, number, one.text, len(one.words), _brackets(one), *_figures(one), one.error)
        for document, number, one in _numbered(given)
    ]
    return _columns(SENTENCE_TYPES, rows, of_texts)


def constituent_columns(parses: Parsed) -> Columns:
    """Return one row for each constituent, in pre-order; each constituent of a chain has its own
    row. Numbers count from 0.

    ``constituent`` is its number in the sentence, ``parent`` that of the one above it (missing at
    the top). ``start`` and ``end`` are words, ``char_start`` and ``char_end`` code points of the
    input, both half-open. Sentences without a parse have no rows. ``document`` and ``sentence``
    are as in `sentence_columns`.
    """
    given, of_texts = _looked_at(parses)
    rows = [
        (document, number, *row)
        for document, number, one in _numbered(given)
        for row in _constituents(one)
    ]
    return _columns(CONSTITUENT_TYPES, rows, of_texts)


def measure_columns(
    parses: Any, by: By, patterns: OwnPatterns | None
) -> tuple[Columns, dict[str, type]]:
    """Return the rows of `bnaparser.measures.measure` by columns, and the types of the columns."""
    rows = measure(parses, by, patterns)
    types = {"document": int, **columns(by, patterns or ())}
    if rows and "document" not in rows[0]:
        del types["document"]
    return {name: [row[name] for row in rows] for name in types}, types


def _constituents(parse: Parse) -> Iterator[tuple[Any, ...]]:
    above: list[tuple[int, int]] = []  # of each constituent that is open: its end, its number
    number = 0
    for span in parse.spans:
        while above and above[-1][0] <= span.start:
            above.pop()
        begin, stop = parse.offsets[span.start][0], parse.offsets[span.end - 1][1]
        text = parse.text_of(span)
        for label in span.label.split(CHAIN):
            parent = above[-1][1] if above else None
            place = (label, span.start, span.end, begin, stop, text, span.score, span.probability)
            yield number, parent, *place
            above.append((span.end, number))
            number += 1


def _looked_at(parses: Parsed) -> tuple[Iterable[Any], bool]:
    """Return what was given, and whether it is of texts.

    It is where it begins with a list, the parses of a text; and where it is no list itself and empty, as
    `Parser.pipe` is of no texts.
    """
    source = iter([parses] if isinstance(parses, Parse) else parses)
    first = list(islice(source, 1))
    of_texts = any(isinstance(one, list | tuple) for one in first)
    of_no_texts = not first and not isinstance(parses, Sequence)
    return chain(first, source), of_texts or of_no_texts


def _numbered(parses: Iterable[Any]) -> Iterator[tuple[Hashable, int, Parse]]:
    """Yield parses with the label or number of their text, None if there are no texts, and their own."""
    labels: set[Hashable] = set()
    for number, one in enumerate(parses):
        if isinstance(one, Parse):
            yield None, number, one
            continue
        label = getattr(one, "label", None)
        check_label(label, labels)
        for place, parse in enumerate(_of_text(one)):
            yield number if label is None else label, place, parse


def _of_text(given: Any) -> Sequence[Parse]:
    """Return the parses of a text; TypeError for anything else, as for pairs of them and something."""
    if not isinstance(given, list | tuple):
        raise TypeError(
            f"give a list of parses, or a list of lists of parses, not {type_name(given)}"
        )
    for one in given:
        if not isinstance(one, Parse):
            raise TypeError(
                f"give a list of parses, or a list of lists of parses, not {type_name(given)} with {type_name(one)} in it:"
                " parser.pipe gives them without as_tuples"
            )
    return given


def _columns(types: dict[str, type], rows: list[tuple[Any, ...]], of_texts: bool) -> Columns:
    """The rows by columns, half a character as U+FFFD; ``document`` also where none of several texts has a row."""
    columns = {
        name: [replace_all_surrogates(row[place]) if of_kind is str else row[place] for row in rows]
        for place, (name, of_kind) in enumerate(types.items())
    }
    if not of_texts and all(number is None for number in columns["document"]):
        del columns["document"]
    return columns


def _brackets(parse: Parse) -> str | None:
    return None if parse.tree is None else str(parse.tree)


def _figures(parse: Parse) -> tuple[float | None, ...]:
    score = None if parse.error is not None else parse.score
    return score, parse.probability, parse.confidence, parse.entropy
