"""Parses as a Polars ``DataFrame``: a row a constituent, or a row a sentence.

from bnaparser.integrations.polars import constituents
constituents(parser(text)).filter(pl.col("label") == "NP")
constituents(parser.pipe(frame["text"])).join(frame.with_row_index("document"), on="document")
"""

from __future__ import annotations

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


def constituents(parses: Parsed) -> Any:
    """Return a data frame with one row for each constituent.

    Args:
        parses: parses of one text, or a list of parses for each text.

    Returns:
        A data frame of Polars. docs/integrations.md describes its columns.

    Example:
        >>> from bnaparser import Parser
        >>> from bnaparser.integrations.polars import constituents
        >>> constituents(Parser.load("en")("It rained."))["label"].to_list()
        ['S', 'NP', 'VP']
    """
    return _frame(constituent_columns(parses), CONSTITUENT_TYPES)


def sentences(parses: Parsed) -> Any:
    """Return a data frame with one row for each sentence.

    Args:
        parses: parses of one text, or a list of parses for each text.

    Returns:
        A data frame of Polars. docs/integrations.md describes its columns.

    Example:
        >>> from bnaparser import Parser
        >>> from bnaparser.integrations.polars import sentences
        >>> sentences(Parser.load("en")("It rained."))["words"].to_list()
        [3]
    """
    return _frame(sentence_columns(parses), SENTENCE_TYPES)


def measures(parses: Any, by: By = "sentence", patterns: OwnPatterns | None = None) -> Any:
    """Return a data frame of syntactic complexity measures, with one row for each text, sentence or word.

    Args:
        parses: parses of one text, or a list of parses for each text.
        by: what a row is: "text", "sentence" or "word".
        patterns: names and Tregex patterns of further counts.

    Returns:
        A data frame of Polars. docs/measures.md describes its columns.

    Example:
        >>> from bnaparser import Tree
        >>> from bnaparser.integrations.polars import measures
        >>> measures([Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))")])["W"].to_list()
        [2]
    """
    return _frame(*measure_columns(parses, by, patterns))


def _frame(columns: Columns, types: dict[str, type]) -> Any:
    polars = import_extra("polars", "polars")
    # with_row_index, to which "document" is joined, counts in UInt32: join casts neither.
    known = {int: polars.Int64, float: polars.Float64, str: polars.String}
    schema: dict[str, Any] = {name: known[types[name]] for name in columns}
    if not all(isinstance(value, int | None) for value in columns.get("document", ())):
        schema["document"] = None  # labels of a Series of pandas: of the type that fits them
    return polars.DataFrame(columns, schema=schema)
