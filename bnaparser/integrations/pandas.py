"""Parses as a pandas ``DataFrame``: a row a constituent, or a row a sentence.

from bnaparser.integrations.pandas import constituents
constituents(parser(text)).query("label == 'NP'")
constituents(parser.pipe(frame["text"])).merge(frame, left_on="document", right_index=True)
"""

from __future__ import annotations

from typing import Any

from bnaparser.errors import MissingExtraError
from bnaparser.integrations.columns import (
    CONSTITUENT_TYPES,
    SENTENCE_TYPES,
    Columns,
    Parsed,
    constituent_columns,
    sentence_columns,
)

# Types of pandas that know what is missing; of a float that is NaN.
_TYPES = {int: "Int64", float: "float64", str: "string"}


def constituents(parses: Parsed) -> Any:
    """Return the frame of `bnaparser.integrations.columns.constituent_columns`."""
    return _frame(constituent_columns(parses), CONSTITUENT_TYPES)


def sentences(parses: Parsed) -> Any:
    """Return the frame of `bnaparser.integrations.columns.sentence_columns`."""
    return _frame(sentence_columns(parses), SENTENCE_TYPES)


def _frame(columns: Columns, types: dict[str, type]) -> Any:
    try:
        from pandas import DataFrame, array
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas") from error
    return DataFrame({n: array(values, _TYPES[types[n]]) for n, values in columns.items()})
