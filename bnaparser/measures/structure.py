"""Depths, lengths and shape of a tree, sentence by sentence and word by word, in one pass over its nodes.

V. Yngve 1960, A model and an hypothesis for language structure. L. Frazier 1985, Syntactic complexity. How
words are scored for both follows B. Roark, M. Mitchell and K. Hollingshead 2007, Syntactic complexity measures
for detecting Mild Cognitive Impairment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads.dependencies import is_punctuation

if TYPE_CHECKING:
    from bnaparser.trees.tree import Tree

_SPANISH = [
    "S.F.A", "S.F.AComp", "S.F.AConc", "S.F.ACond", "S.F.ACons", "S.F.C", "S.F.R", "S.NF.A", "S.NF.C", "S.NF.P",
    "S.NF.PA", "S.NF.R",
]  # fmt: skip
PHRASES: dict[str, frozenset[str]] = {
    "clause": frozenset(
        ["S", "SINV", "SQ", "Sint", "Ssub", "Srel", "SENT", "IP", "fcl", "icl", "acl", *_SPANISH]
    ),
    "NP": frozenset(["NP", "np", "sn", "SN"]),
    "VP": frozenset(["VP", "vp", "VN", "grup.verb"]),
    "PP": frozenset(["PP", "pp", "sp", "SP"]),
    "ADJP": frozenset(["ADJP", "AP", "adjp", "s.a", "sa"]),
    "ADVP": frozenset(["ADVP", "AdP", "AVP", "advp", "sadv"]),
}
"""The kinds of phrases whose lengths are measured, with their labels in the treebanks that are known."""

_KINDS = {label: kind for kind, labels in PHRASES.items() for label in labels}
_SENTENCES = PHRASES["clause"] | {"SBAR", "SBARQ", "CP"}
_MAIN_CLAUSES = ("S", "SINV", "SQ", "SBARQ")
_SENTENCE_SCORE = 1.5  # of Frazier's; of any other node 1
_NEIGHBOURS = 3  # adjacent words whose Frazier scores are added


@dataclass(slots=True)
class WordStructure:
    """What a word does in its tree; ``yngve`` and ``frazier`` are None of punctuation."""

    depth: int = 0
    opened: int = 0
    closed: int = 0
    left_corner: int = 0
    open_constituents: int = 0
    open_nodes: int = 0
    yngve: int | None = None
    frazier: float | None = None


@dataclass(slots=True)
class Structure:
    """The depths and lengths of one tree.

    ``words`` are tokens that are no punctuation. ``phrases`` has of each kind of phrase the number of
    phrases and of words in them. ``right`` and ``left`` count constituents of several words that are the
    last, or the first, of several children. ``before_verb`` is None if there is no main verb.
    """

    tokens: int = 0
    words: int = 0
    tagged: bool = True
    yngve: list[int] = field(default_factory=list)
    frazier: list[float] = field(default_factory=list)
    height: int = 0
    constituents: int = 0
    left: int = 0
    right: int = 0
    phrases: dict[str, list[int]] = field(default_factory=dict)
    before_verb: int | None = None

    @property
    def frazier_local(self) -> float:
        """The largest sum of the Frazier scores of three adjacent words."""
        scores = self.frazier
        last = max(1, len(scores) - _NEIGHBOURS + 1)
        return max((sum(scores[i : i + _NEIGHBOURS]) for i in range(last)), default=0.0)


def is_top(tree: Tree) -> bool:
    """Return whether a tree's first node is a top that is no constituent, ``TOP`` or ``ROOT``."""
    return tree.label in ROOT_LABELS and bool(tree.subtrees)


def has_tags(tree: Tree) -> bool:
    """Return whether the words have part-of-speech tags, even if all of them are tags of
    punctuation marks.

    ``_``, ``X``, ``XX`` and the label of a phrase stand for no tag. A tree with a word alone, as in ``(NP a wug)``, has none.
    """
    return "" not in tree.tags and any(map(_is_tag, tree.tags))


def analyse(tree: Tree) -> Structure:
    """Return the depths and lengths of a tree, punctuation left out of all but ``height`` and ``constituents``."""
    found = Structure(tagged=has_tags(tree), phrases={kind: [0, 0] for kind in PHRASES})
    kept = _kept(tree, found.tagged)
    first, top = tree.start, is_top(tree)
    found.tokens, found.words = len(kept) - 1, kept[-1]
    # Of each node: its depth, its Yngve depth, its Frazier score with those of the nodes that it begins.
    stack: list[tuple[Tree, int, int, float]] = [(tree, 0, 0, 0.0)]
    while stack:
        node, depth, yngve, frazier = stack.pop()
        words = kept[node.end - first] - kept[node.start - first]
        below = node.subtrees
        if not below:
            found.height = max(found.height, depth)
            if words:
                found.yngve.append(yngve)
                found.frazier.append(frazier)
            continue
        if node is not tree or not top:
            depth += 1
            found.constituents += 1
            frazier += _own_score(node.label)
            kind = _kind(node.label)
            if kind is not None and words:
                counted = found.phrases[kind]
                counted[0] += 1
                counted[1] += words
        if not words:  # nothing but punctuation: only the height is left to measure
            stack += [(child, depth, 0, 0.0) for child in below]
            continue
        sizes = [kept[child.end - first] - kept[child.start - first] for child in below]
        alive = [size for size in sizes if size]
        if len(alive) > 1:
            found.left += alive[0] > 1
            found.right += alive[-1] > 1
        from_right, is_first = 0, len(alive)
        for child, size in zip(reversed(below), reversed(sizes), strict=True):
            begins = from_right == is_first - 1  # the first child that has words
            stack.append((child, depth, yngve + from_right, frazier if begins else 0.0))
            from_right += bool(size)
    if found.tagged:
        found.before_verb = _before_verb(tree, kept)
    return found


def by_word(tree: Tree) -> list[WordStructure]:
    """Return the counts of each word of a tree, including punctuation.

    A constituent is a node that is neither a tag nor the top. ``opened`` are those that begin at the word,
    ``closed`` those that end there, ``left_corner`` those whose first child ends there. ``open_nodes`` are
    the words and constituents that are complete after the word and wait to be merged.
    """
    first, top = tree.start, is_top(tree)
    words = [WordStructure() for _ in range(tree.end - first)]
    for node in tree.nodes():
        below = node.subtrees
        if not below:
            continue
        start, end = node.start - first, node.end - first
        if node is not tree or not top:
            for word in words[start:end]:
                word.depth += 1
            words[start].opened += 1
            words[end - 1].closed += 1
            words[below[0].end - first - 1].left_corner += 1
        for number, child in enumerate(below[:-1], 1):
            # Number of children that wait from the end of this child until the next one is complete.
            for word in words[child.end - first - 1 : below[number].end - first - 1]:
                word.open_nodes += number
    for word in words:
        word.open_constituents = word.depth - word.closed
    words[-1].open_nodes = 1  # the sentence
    structure = analyse(tree)
    scores = zip(structure.yngve, structure.frazier, strict=True)
    kept = _kept(tree, structure.tagged)
    for place, word in enumerate(words):
        if kept[place + 1] > kept[place]:
            word.yngve, word.frazier = next(scores)
    return words


def _kept(tree: Tree, tagged: bool) -> list[int]:
    """Of the first 0, 1, 2 ... words: how many are no punctuation."""
    kept = [0]
    for node in tree.preterminals():
        word = str(node.children[0])
        mark = _is_punctuation(node.label) if tagged else not any(map(str.isalnum, word))
        kept.append(kept[-1] + (not mark))
    return kept


def _before_verb(tree: Tree, kept: list[int]) -> int | None:
    """The number of words before the main verb of the first main clause."""
    node = tree
    while True:
        below = node.subtrees
        labels = [_core(child.label) for child in below]
        if "VP" in labels and (node is tree or _core(node.label) in (*_MAIN_CLAUSES, "VP")):
            node = below[labels.index("VP")]
            continue
        verbs = [
            child
            for child, label in zip(below, labels, strict=True)
            if child.word is not None and label.startswith(("VB", "MD"))
        ]
        if verbs and node is not tree:
            return kept[verbs[0].start - tree.start]
        clause = next((one for one in labels if one in _MAIN_CLAUSES), None)
        if clause is None:
            return None
        node = below[labels.index(clause)]


_core = lru_cache(4096)(core_label)
_is_punctuation = lru_cache(4096)(is_punctuation)


@lru_cache(4096)
def _kind(label: str) -> str | None:
    return _KINDS.get(core_label(label))


@lru_cache(4096)
def _own_score(label: str) -> float:
    return _SENTENCE_SCORE if core_label(label) in _SENTENCES else 1.0


@lru_cache(4096)
def _is_tag(tag: str) -> bool:
    return tag not in ("", "_", "X", "XX") and _kind(tag) is None
