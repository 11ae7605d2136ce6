"""Parses as rows of Parquet, with the fields of `Parse.to_dict`; `Parse.from_dict` takes a row back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from bnaparser.errors import import_extra
from bnaparser.files.tables import replace_all_surrogates

Row = Mapping[str, Any]

_GROUP = 1024  # rows of a group, which are in memory at once


def parse_fields(probabilities: bool = True, alternatives: bool = True) -> list[tuple[str, Any]]:
    """Return the names and types of a parse's fields, with what may be requested, or without.

    What was not requested of a parse, or is not known, is null.
    """
    pa = import_extra("parquet", "pyarrow")
    number, text = pa.int32(), pa.string()
    token = pa.struct([("text", text), ("tag", text), ("start", number), ("end", number)])
    constituent = pa.struct(
        [
            ("label", text),
            *((name, number) for name in ("start", "end", "char_start", "char_end")),
            ("score", pa.float64()),
            *([("probability", pa.float64())] if probabilities else []),
        ]
    )
    names = ("probability", "confidence", "entropy") if probabilities else ()
    score_columns = [(name, pa.float64()) for name in names]
    of_tree = [("tree", text), ("score", pa.float64()), ("constituents", pa.list_(constituent))]
    return [
        ("text", text),
        ("tree", text),
        ("score", pa.float64()),
        ("tokens", pa.list_(token)),
        ("constituents", pa.list_(constituent)),
        ("error", text),
        ("language", text),
        *score_columns,
        *(
            [("alternatives", pa.list_(pa.struct([*of_tree, *score_columns])))]
            if alternatives
            else []
        ),
    ]


def clauses_field() -> tuple[str, Any]:
    """Return the name and type of the field with the clauses of a sentence."""
    pa = import_extra("parquet", "pyarrow")
    number, text = pa.int32(), pa.string()
    places = [(name, number) for name in ("start", "end", "char_start", "char_end")]
    segment = pa.struct([*places, ("text", text)])
    clause = pa.struct(
        [
            *((name, text) for name in ("kind", "text", "label")),
            ("head", number),
            ("marker", segment),
            ("verb", segment),
            ("segments", pa.list_(segment)),
        ]
    )
    return "clauses", pa.list_(clause)


@contextmanager
def parquet_writer(target: BinaryIO, schema: Any = None) -> Iterator[Callable[[Row], None]]:
    """Give a function that writes a row; ``schema`` is pyarrow's, by default that of a parse.

    Half a character in a text becomes U+FFFD. Raises MissingExtraError without pyarrow.
    """
    pa, parquet = import_extra("parquet", "pyarrow"), import_extra("parquet", "pyarrow.parquet")
    schema = pa.schema(parse_fields()) if schema is None else schema
    rows: list[Row] = []
    with parquet.ParquetWriter(target, schema, compression="zstd") as table:

        def flush() -> None:
            try:
                group = pa.Table.from_pylist(rows, schema)
            except UnicodeEncodeError:
                group = pa.Table.from_pylist(replace_all_surrogates(rows), schema)
            table.write_table(group)
            rows.clear()

        def write(row: Row) -> None:
            rows.append(row)
            if len(rows) >= _GROUP:
                flush()

        yield write
        if rows:
            flush()
