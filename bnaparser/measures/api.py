"""``measure``: parses or trees in, rows of measures out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, cast, get_args

from bnaparser.errors import type_name
from bnaparser.measures.patterns import Patterns
from bnaparser.measures.table import (
    SENTENCE_COLUMNS,
    WORD_COLUMNS,
    By,
    Parsed,
    Sums,
    Value,
    add,
    columns_of,
    sums_of,
    without_tree,
    word_rows,
)
from bnaparser.trees.search.pattern import Pattern
from bnaparser.trees.tree import Tree

Row = dict[str, Value]
OwnPatterns = dict[str, Any]
"""Of each name a pattern, as text or as a `Pattern`, or a tuple of these."""


def measure(parses: Any, by: By = "text", patterns: OwnPatterns | None = None) -> list[Row]:
    """Return the measures of syntactic complexity of parses or trees, a row a text, sentence or word.

    Args:
        parses: A Parse or a Tree; several of these, which are one text; or lists of them, a text each, as
            ``Parser.pipe`` returns them. Rows then have the text's number, from 0, as ``document``.
        by: What a row is about: "text", "sentence" or "word".
        patterns: Patterns of your own by name; each is a column more, of a text or sentence.

    Returns:
        The rows. ``sentence`` counts from 0 in the text, ``word`` from 1 in the sentence. docs/measures.md has all
        columns. A value that is not defined is None.

    Raises:
        ValueError: ``by`` is none of the three; or two texts of a Series have the same index label.
        TypeError: something is neither parse nor tree.
        PatternError: a pattern cannot be read.

    Example:
        >>> from bnaparser import Tree
        >>> from bnaparser.measures import measure
        >>> tree = Tree.parse("(TOP (S (NP (PRP She)) (VP (VBD slept) (NP (DT all) (NN day)))))")
        >>> (row,) = measure(tree)
        >>> row["W"], row["C"], row["MLC"], row["yngve_max"]
        (4, 1, 4.0, 1)
        >>> [(row["token"], row["opened"], row["closed"]) for row in measure(tree, by="word")]
        [('She', 2, 1), ('slept', 1, 0), ('all', 1, 0), ('day', 0, 3)]
    """
    if by not in get_args(By):
        raise ValueError(f'by is {by!r}: give "text", "sentence" or "word"')
    own = _compiled(patterns or {})
    rows: list[Row] = []
    given = _listed(parses)
    of_texts = bool(given) and not _is_parsed(given[0])
    labels: set[Hashable] = set()
    for number, text in enumerate(given if of_texts else [given]):
        label = getattr(text, "label", None)  # of a Series of pandas
        check_label(label, labels)
        place: Row = {"document": number if label is None else label} if of_texts else {}
        rows += [place | row for row in rows_of(_checked(text), by, own)]
    return rows


def check_label(label: Hashable, labels: set[Hashable]) -> None:
    """Add the index label of a text to those before. Raises ValueError if another text has this label."""
    if label is not None and label in labels:
        raise ValueError(
            f"two texts have the same index label {label!r}: give"
            " parser.pipe texts whose labels differ, as frame.reset_index(drop=True) makes them, or a list"
        )
    labels.add(label)


def rows_of(parses: Iterable[Tree | Parsed], by: By, patterns: Patterns) -> Iterator[Row]:
    """Yield the rows of one text."""
    total: Sums = {}
    for number, one in enumerate(parses):
        tree, parse = (one, None) if isinstance(one, Tree) else (one.tree, one)
        if by == "word":
            if tree is not None:
                yield from ({"sentence": number} | row for row in word_rows(tree, parse))
            continue
        entropy = None if parse is None else parse.entropy
        sums = None if tree is None else sums_of(tree, patterns, entropy)
        if by == "text":
            add(total, {"failed": 1} if sums is None else sums)
            continue
        row = without_tree(patterns) if sums is None else columns_of(sums, patterns)
        error = None if parse is None else parse.error
        yield {"sentence": number, **row, "error": error}
    if by == "text":
        yield text_row(total, patterns)


def columns(by: By, patterns: Iterable[str] = ()) -> dict[str, type]:
    """Return the names of a table's columns with the types of their values, but ``document``."""
    if by == "word":
        return {"sentence": int, **WORD_COLUMNS}
    measures = {**SENTENCE_COLUMNS, **dict.fromkeys(patterns, int)}
    return (
        {**measures, "failed": int} if by == "text" else {"sentence": int, **measures, "error": str}
    )


def text_row(total: Sums, patterns: Patterns) -> Row:
    """Return the row of a text from its sums; ``failed`` are sentences without a tree."""
    return {**columns_of(total, patterns), "failed": int(total.get("failed", 0))}


def _is_parsed(one: Any) -> bool:
    return isinstance(one, Tree) or (hasattr(one, "tree") and hasattr(one, "spans"))


def _listed(given: Any) -> list[Any]:
    """Return a list of what was given, one parse or tree or several."""
    if _is_parsed(given):
        return [given]
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"give parses or trees, or lists of these, not {type_name(given)}")
    return list(given)


def _checked(text: Any) -> list[Tree | Parsed]:
    parses = _listed(text)
    for one in parses:
        if not _is_parsed(one):
            raise TypeError(f"give parses or trees, or lists of these, not {type_name(one)}")
    return cast("list[Tree | Parsed]", parses)


def _compiled(patterns: OwnPatterns) -> Patterns:
    return {
        name: tuple(
            one if isinstance(one, Pattern) else Pattern(one)
            for one in (given if isinstance(given, tuple) else (given,))
        )
        for name, given in patterns.items()
    }
