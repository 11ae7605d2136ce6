"""Parses as a pandas ``DataFrame``: a row a constituent, or a row a sentence.

from bnaparser.integrations.pandas import constituents
constituents(parser(text)).query("label == 'NP'")
constituents(parser.pipe(frame["text"])).join(frame["id"], on="document")
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bnaparser.errors import import_extra
from bnaparser.integrations.columns import (
    CONSTITUENT_TYPES,
    SENTENCE_TYPES,
    Columns,
    Parsed,
    constituent_columns,
    measure_columns,
    sentence_columns,
)
from bnaparser.measures.api import OwnPatterns
from bnaparser.measures.table import By
from bnaparser.parsing.result import Parse, Parses
from bnaparser.trees.tree import Tree

pandas = import_extra("pandas", "pandas")

# Types of pandas that know what is missing; of a float that is NaN.
_TYPES = {int: "Int64", float: "float64", str: "string"}


def constituents(parses: Parsed) -> Any:
    """Return a data frame with one row for each constituent.

    Args:
        parses: parses of one text, or a list of parses for each text; or a Series of either, whose index
            labels are the column ``document``.

    Returns:
        A data frame of pandas. docs/integrations.md describes its columns.

    Example:
        >>> from bnaparser import Parser
        >>> from bnaparser.integrations.pandas import constituents
        >>> constituents(Parser.load("en")("It rained."))["label"].tolist()
        ['S', 'NP', 'VP']
    """
    return _frame(constituent_columns(_labelled(parses)), CONSTITUENT_TYPES)


def sentences(parses: Parsed) -> Any:
    """Return a data frame with one row for each sentence.

    Args:
        parses: parses of one text, or a list of parses for each text; or a Series of either, whose index
            labels are the column ``document``.

    Returns:
        A data frame of pandas. docs/integrations.md describes its columns.

    Example:
        >>> from bnaparser import Parser
        >>> from bnaparser.integrations.pandas import sentences
        >>> sentences(Parser.load("en")("It rained."))["words"].tolist()
        [3]
    """
    return _frame(sentence_columns(_labelled(parses)), SENTENCE_TYPES)


def measures(parses: Any, by: By = "sentence", patterns: OwnPatterns | None = None) -> Any:
    """Return a data frame of syntactic complexity measures, with one row for each text, sentence or word.

    Args:
        parses: parses of one text, or a list of parses for each text; or a Series of either, whose index
            labels are the column ``document``.
        by: what a row is: "text", "sentence" or "word".
        patterns: names and Tregex patterns of further counts.

    Returns:
        A data frame of pandas. docs/measures.md describes its columns.

    Example:
        >>> from bnaparser import Tree
        >>> from bnaparser.integrations.pandas import measures
        >>> measures([Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))")])["W"].tolist()
        [2]
    """
    return _frame(*measure_columns(_labelled(parses), by, patterns))


def _labelled(parses: Any) -> Any:
    """Return the parses of each text of a Series with the text's label; anything else as it is."""
    return _of_series(parses) if isinstance(parses, pandas.Series) else parses


def _of_series(series: Any) -> Iterator[Any]:
    for label, given in series.items():
        if isinstance(given, Parse | Tree):
            given = [given]
        if isinstance(given, list | tuple):
            given = Parses(given)
            given.label = label
        yield given


def _frame(columns: Columns, types: dict[str, type]) -> Any:
    frame = {name: _array(values, types[name]) for name, values in columns.items()}
    if not columns.get("document", [0]):  # labels of no texts are joined with labels of any type
        frame["document"] = pandas.Series([], dtype=object)
    return pandas.DataFrame(frame)


def _array(values: list[Any], kind: type) -> Any:
    """Return a column; labels of texts, which need not be numbers, in the type that fits them."""
    if kind is not int or all(value is None or isinstance(value, int) for value in values):
        return pandas.array(values, _TYPES[kind])
    labels = pandas.Series([None] * len(values), dtype=object)
    for place, value in enumerate(values):  # tuples, too: labels of a MultiIndex
        labels.iat[place] = value
    return labels.infer_objects()
