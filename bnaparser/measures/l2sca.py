"""The nine counts and fourteen ratios of L2SCA, by its published Tregex patterns.

X. Lu 2010, Automatic analysis of syntactic complexity in second language writing, International Journal of
Corpus Linguistics 15(4). The patterns are those of L2SCA 3.3.3 as NeoSCA 0.0.55 has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.search.pattern import Match, Pattern

if TYPE_CHECKING:
    from bnaparser.trees.search.relations import IndexedTree
    from bnaparser.trees.tree import Tree

_FINITE = (
    "S|SINV|SQ [> ROOT <, (VP <# VB) | <# MD|VBZ|VBP|VBD"
    " | < (VP [<# MD|VBP|VBZ|VBD | < CC < (VP <# MD|VBP|VBZ|VBD)])]"
)
_T_UNIT = "S|SBARQ|SINV|SQ > ROOT | [$-- S|SBARQ|SINV|SQ !>> SBAR|VP]"

PATTERNS: dict[str, tuple[str, ...]] = {
    "S": ("ROOT !> __",),
    "VP": ("VP > S|SINV|SQ", "MD|VBZ|VBP|VBD > (SQ !< VP)"),
    "C": (_FINITE, f"FRAG > ROOT !<< ({_FINITE})"),
    "T": (_T_UNIT, f"FRAG > ROOT !<< ({_T_UNIT})"),
    "DC": (f"SBAR < ({_FINITE})",),
    "CT": (
        f"S|SBARQ|SINV|SQ [> ROOT | [$-- S|SBARQ|SINV|SQ !>> SBAR|VP]] << (SBAR < ({_FINITE}))",
    ),
    "CP": ("ADJP|ADVP|NP|VP < CC",),
    "CN": (
        "NP !> NP [<< JJ|POS|PP|S|VBG | << (NP $++ NP !$+ CC)]",
        "SBAR [<# WHNP | <# (IN < That|that|For|for) | <, S] & [$+ VP | > VP]",
        "S < (VP <# VBG|TO) $+ VP",
    ),
}
"""Of each count but W its patterns; a count is the number of nodes that each of its patterns finds."""

COUNTS = ("W", *PATTERNS)
"""The nine counts, in the order of L2SCA's table."""

RATIOS = {
    "MLS": ("W", "S"),
    "MLT": ("W", "T"),
    "MLC": ("W", "C"),
    "C/S": ("C", "S"),
    "VP/T": ("VP", "T"),
    "C/T": ("C", "T"),
    "DC/C": ("DC", "C"),
    "DC/T": ("DC", "T"),
    "T/S": ("T", "S"),
    "CT/T": ("CT", "T"),
    "CP/T": ("CP", "T"),
    "CP/C": ("CP", "C"),
    "CN/T": ("CN", "T"),
    "CN/C": ("CN", "C"),
}
"""The fourteen ratios, each with numerator and denominator."""

WITHOUT_TAGS = ("S", "T")
"""The counts whose patterns name no part-of-speech tag."""

_WORD_TAG = re.compile(r"[A-Z]+\$?")
_NO_WORD = re.compile("[()—–-]")  # noqa: RUF001 (both dashes)
# The labels of which a tree must have one for a pattern to find anything.
_FIRST = {"VP": ("VP", "SQ"), "DC": ("SBAR",), "CT": ("SBAR",), "CP": ("CC",)}


@lru_cache(maxsize=1)
def _compiled() -> dict[str, tuple[Pattern, ...]]:
    return {name: tuple(map(Pattern, patterns)) for name, patterns in PATTERNS.items()}


@lru_cache(maxsize=1)
def _token_pattern() -> Pattern:
    return Pattern("__ <: (__=word !< __)")


def is_word(tag: str, word: str) -> bool:
    """Return whether L2SCA's program counts a token as a word (W).

    Its tag is of capital letters, as ``NN`` and ``PRP$``; the word has no bracket and no hyphen or dash.

    Example:
        >>> is_word("NN", "house"), is_word(".", "."), is_word("JJ", "well-known")
        (True, False, False)
    """
    return _WORD_TAG.fullmatch(tag) is not None and _NO_WORD.search(word) is None


def count(indexed: IndexedTree, tokens: Iterator[tuple[str, str]]) -> dict[str, int]:
    """Return the nine counts of a tree below a top node; ``tokens`` are its tags and words."""
    counts = {"W": sum(is_word(tag, word) for tag, word in tokens)}
    labels = set(indexed.labels)
    for name, patterns in _compiled().items():
        first = _FIRST.get(name)
        if first is not None and labels.isdisjoint(first):
            counts[name] = 0
        else:
            counts[name] = sum(1 for one in patterns for _ in one.nodes(indexed))
    return counts


def ratios(counts: Mapping[str, float]) -> dict[str, float]:
    """Return the fourteen ratios of nine counts; 0 where the denominator is 0, as in L2SCA's program."""
    return {
        name: counts[above] / counts[below] if counts[below] else 0.0
        for name, (above, below) in RATIOS.items()
    }


def find(tree: Tree, name: str) -> Iterator[Match]:
    """Yield what a count (``C``) counts in a tree below a top node, pattern by pattern; of ``W`` the tags of its words."""
    if name == "W":
        for match in _token_pattern().matches(tree):
            tag, word = match.node.label, match.names["word"]  # type: ignore[union-attr]
            if is_word(tag, str(word)):
                yield match
        return
    for pattern in _compiled()[name]:
        yield from pattern.matches(tree, once=True)


def under_top(tree: Tree) -> Tree:
    """Return the tree, below a node ``ROOT`` where its top is a phrase: the patterns need a root above it."""
    from bnaparser.trees.tree import assemble, flatten

    if tree.label in ROOT_LABELS and tree.subtrees:
        return tree
    labels, arities, words = flatten(tree)
    return assemble(["ROOT", *labels], [1, *arities], words)
