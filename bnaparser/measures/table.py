"""The rows of the tables: what is added up of sentences, and the columns that are made of the sums."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from bnaparser.measures import l2sca
from bnaparser.measures.patterns import Patterns
from bnaparser.measures.structure import PHRASES, analyse, by_word
from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.cleaning import core_label, without_traces
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.rules import TREGEX
from bnaparser.trees.labels import table
from bnaparser.trees.search.relations import IndexedTree

if TYPE_CHECKING:
    from bnaparser.trees.search.pattern import Pattern
    from bnaparser.trees.tree import Span, Tree

By = Literal["text", "sentence", "word"]
Value = str | int | float | None
Sums = dict[str, float]
"""What is added up of sentences; names in ``_MAXIMA`` are the largest instead."""

_MAXIMA = frozenset({"yngve_max", "frazier_max", "frazier_local_max", "height_max"})
_OF_TAGS = tuple(name for name in l2sca.COUNTS if name not in l2sca.WITHOUT_TAGS)

SENTENCE_COLUMNS: dict[str, type] = {
    "tokens": int,
    "words": int,
    **dict.fromkeys(l2sca.COUNTS, int),
    **dict.fromkeys(l2sca.RATIOS, float),
    "yngve_sum": int,
    "yngve_mean": float,
    "yngve_max": int,
    "frazier_sum": float,
    "frazier_mean": float,
    "frazier_max": float,
    "frazier_local_max": float,
    "height": float,
    "height_max": int,
    "constituents": int,
    "words_before_verb": float,
    "branching": float,
    **{f"{kind}_length": float for kind in PHRASES},
    "entropy": float,
}
"""The measures of a sentence or a text, in the order of the table, with the types of their values."""

WORD_COLUMNS: dict[str, type] = {
    "word": int,
    "token": str,
    "tag": str,
    "depth": int,
    "opened": int,
    "closed": int,
    "left_corner": int,
    "open_constituents": int,
    "open_nodes": int,
    "yngve": int,
    "frazier": float,
    "closed_probability": float,
    "closed_probability_min": float,
    "entropy": float,
}
"""The columns of a word, beside those that say where it stands."""


class Parsed(Protocol):
    """Interface of a parse; `bnaparser.parsing.result.Parse` has it."""

    @property
    def tree(self) -> Tree | None: ...  # noqa: D102
    @property
    def words(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def spans(self) -> tuple[Span, ...]: ...  # noqa: D102
    @property
    def entropy(self) -> float | None: ...  # noqa: D102
    @property
    def error(self) -> str | None: ...  # noqa: D102


def sums_of(tree: Tree, patterns: Patterns, entropy: float | None = None) -> Sums:
    """Return what a sentence adds to its text. Traces count for patterns of your own only."""
    bare = without_traces(tree)
    of_patterns = indexed = IndexedTree(l2sca.under_top(tree), TREGEX)
    if bare is None:
        own = {name: _number_of_nodes(several, of_patterns) for name, several in patterns.items()}
        return {"sentences": 1, "height": 0, **labels_of(tree), **own}
    if bare is not tree:
        indexed = IndexedTree(l2sca.under_top(bare), TREGEX)
    tree = l2sca.under_top(bare)
    found = analyse(tree)
    tokens = ((node.label, str(node.children[0])) for node in tree.preterminals())
    sums: Sums = {
        "sentences": 1,
        "untagged": not found.tagged,
        **labels_of(tree),
        "tokens": found.tokens,
        "words": found.words,
        **l2sca.count(indexed, tokens),
        "yngve_sum": sum(found.yngve),
        "yngve_max": max(found.yngve, default=0),
        "frazier_sum": sum(found.frazier),
        "frazier_max": max(found.frazier, default=0.0),
        "frazier_local_max": found.frazier_local,
        "height": found.height,
        "height_max": found.height,
        "constituents": found.constituents,
        "left": found.left,
        "right": found.right,
        "verbs": found.before_verb is not None,
        "before_verbs": found.before_verb or 0,
    }
    for kind, (number, words) in found.phrases.items():
        sums[f"{kind}s"] = number
        sums[f"{kind}_words"] = words
    for name, several in patterns.items():
        sums[name] = _number_of_nodes(several, of_patterns)
    if entropy is not None:
        sums["entropies"], sums["entropy"] = 1, entropy
    return sums


def _number_of_nodes(patterns: Iterable[Pattern], indexed: IndexedTree) -> int:
    return sum(1 for one in patterns for _ in one.nodes(indexed))


def labels_of(tree: Tree) -> Sums:
    """Return whether a tree has labels that are not the Penn Treebank's, and labels with functions (``NP-SBJ``)."""
    kinds = {_label_kind(node.label) for node in tree.nodes() if node.subtrees}
    return {"foreign": "foreign" in kinds, "functions": "functions" in kinds}


@lru_cache(4096)
def _label_kind(label: str) -> str:
    penn = table("en").phrases
    if label in penn or label in ROOT_LABELS:
        return "penn"
    return "functions" if core_label(label) in penn else "foreign"


def add(total: Sums, more: Mapping[str, float]) -> None:
    """Add the sums of a sentence, or of a part of a text, to the sums of its text."""
    for name, value in more.items():
        if name in _MAXIMA:
            total[name] = max(total.get(name, 0), value)
        else:
            total[name] = total.get(name, 0) + value


def columns_of(sums: Mapping[str, float], patterns: Iterable[str] = ()) -> dict[str, Value]:
    """Return the measures of a sentence, or of a text, by the names of `SENTENCE_COLUMNS` and of the patterns.

    A value that is not defined is None: the mean of no values, and values that need tags if a tree has none.
    """

    def mean(above: str, below: str) -> float | None:
        number = sums.get(below, 0)
        return sums[above] / number if number else None

    row: dict[str, Value] = {name: int(sums.get(name, 0)) for name in ("tokens", "words")}
    counts = {name: int(sums.get(name, 0)) for name in l2sca.COUNTS}
    row |= counts
    row |= l2sca.ratios(counts)
    if sums.get("untagged"):
        row |= dict.fromkeys(_OF_TAGS)
        row |= {name: None for name, parts in l2sca.RATIOS.items() if {*parts} & {*_OF_TAGS}}
    row["yngve_sum"] = int(sums.get("yngve_sum", 0))
    row["yngve_mean"] = mean("yngve_sum", "words")
    row["yngve_max"] = int(sums.get("yngve_max", 0))
    row["frazier_sum"] = float(sums.get("frazier_sum", 0))
    row["frazier_mean"] = mean("frazier_sum", "words")
    row["frazier_max"] = float(sums.get("frazier_max", 0))
    row["frazier_local_max"] = float(sums.get("frazier_local_max", 0))
    row["height"] = mean("height", "sentences")
    row["height_max"] = int(sums.get("height_max", 0))
    row["constituents"] = int(sums.get("constituents", 0))
    row["words_before_verb"] = mean("before_verbs", "verbs")
    left, right = sums.get("left", 0), sums.get("right", 0)
    row["branching"] = (right - left) / (right + left) if right + left else None
    for kind in PHRASES:
        row[f"{kind}_length"] = mean(f"{kind}_words", f"{kind}s")
    row["entropy"] = mean("entropy", "entropies")
    for name in patterns:
        row[name] = int(sums.get(name, 0))
    return row


def without_tree(patterns: Iterable[str] = ()) -> dict[str, Value]:
    """Return the row of a sentence that has no tree: no measure is known."""
    return dict.fromkeys((*SENTENCE_COLUMNS, *patterns))


def word_rows(tree: Tree, parse: Parsed | None = None) -> Iterator[dict[str, Value]]:
    """Yield a row for each word of a tree, traces left out, with the word as in running text. ``parse`` has the
    probabilities.
    """
    bare = without_traces(tree)
    if bare is None:
        return
    tree = l2sca.under_top(bare)
    closing: dict[int, list[float]] = {}
    for span in () if parse is None else parse.spans:
        if span.probability is not None:
            closing.setdefault(span.end, []).append(span.probability)
    entropy = None if parse is None else parse.entropy
    rows = zip(by_word(tree), tree.words, tree.tags, strict=True)
    for number, (word, token, tag) in enumerate(rows, 1):
        sure = closing.get(number)
        yield {
            "word": number,
            "token": unescape(token),
            "tag": tag,
            "depth": word.depth,
            "opened": word.opened,
            "closed": word.closed,
            "left_corner": word.left_corner,
            "open_constituents": word.open_constituents,
            "open_nodes": word.open_nodes,
            "yngve": word.yngve,
            "frazier": word.frazier,
            "closed_probability": math.fsum(sure) / len(sure) if sure else None,
            "closed_probability_min": min(sure) if sure else None,
            "entropy": entropy,
        }
