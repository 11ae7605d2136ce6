"""What a treebank holds: its size, its labels and tags, and whatever in it is out of the ordinary."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bnaparser.treebanks.formats import PENN_HELSINKI, Found
from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.cleaning import EMPTY_TAG, ROOT, core_label
from bnaparser.trees.tree import CHAIN, Tree

LONG_SENTENCE = 300
_SQUARE_AND_CURLY = frozenset("[]{}")


@dataclass(slots=True)
class Oddity:
    """One kind of thing that is out of the ordinary: in how many trees, and the first of them."""

    trees: int
    first: str
    """File, line and what is odd there, as ``train.mrg:12: NP-SBJ``."""


@dataclass(slots=True)
class Survey:
    """Counts over trees; `add` them one by one."""

    lengths: Counter[int] = field(default_factory=Counter)
    """Trees by number of words."""
    depths: Counter[int] = field(default_factory=Counter)
    """Trees by number of nodes from the top to the deepest part-of-speech node."""
    labels: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    chains: Counter[str] = field(default_factory=Counter)
    """Constituents with more than one label, as ``S::VP``."""
    oddities: dict[str, Oddity] = field(default_factory=dict)
    formats: dict[str, set[str]] = field(default_factory=dict)
    """The formats found, each with the files in it."""
    removed: Counter[str] = field(default_factory=Counter)
    """What reading and cleaning take out, by its kind."""
    _seen: set[int] = field(default_factory=set)

    @property
    def trees(self) -> int:
        """How many trees were added."""
        return self.lengths.total()

    @property
    def words(self) -> int:
        """How many words they hold."""
        return sum(length * count for length, count in self.lengths.items())

    def add(self, found: Found) -> None:
        """Count one tree; the hash of its words is kept, to tell when they come again."""
        tree = found.tree
        words = tuple(
            word for word, tag in zip(tree.words, tree.tags, strict=True) if tag != EMPTY_TAG
        )
        self.formats.setdefault(found.format, set()).add(found.source)
        self.removed.update(dict(found.removed))
        if found.format != PENN_HELSINKI and (empty := len(tree.words) - len(words)):
            self.removed["empty elements"] += empty
        self.lengths[len(words)] += 1
        self.depths[_depth(tree)] += 1
        self.tags.update(tag for tag in tree.tags if tag != EMPTY_TAG)
        inside = tree.subtrees if tree.label in ROOT_LABELS else (tree,)
        self.labels.update(
            node.label for top in inside for node in top.nodes() if node.word is None
        )
        self.chains.update(span.label for span in tree.spans() if CHAIN in span.label)
        kinds = dict(reversed(list(_odd_things(tree))))  # of each kind the first in the tree
        key = hash(words)
        if key in self._seen:
            kinds["the words of an earlier tree again"] = " ".join(words[:12])
        self._seen.add(key)
        for kind, what in kinds.items():
            first = f"{found.source}:{found.line}: {what}"
            self.oddities.setdefault(kind, Oddity(0, first)).trees += 1

    def ambiguous_names(self) -> list[str]:
        """Return the names that are used both as a label and as a tag, sorted."""
        return sorted(set(self.labels) & set(self.tags))


def survey(found: Iterable[Found]) -> Survey:
    """Count all trees that `bnaparser.treebanks.reading.find_trees` yields."""
    result = Survey()
    for one in found:
        result.add(one)
    return result


def _odd_things(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the kind and an example of everything out of the ordinary in one tree."""
    words, tags = tree.words, tree.tags
    if tree.label != ROOT:
        yield f"a root other than {ROOT}", tree.label or "(no label)"
    if tree.label in ROOT_LABELS and len(tree.children) > 1:
        yield "several nodes under the root", f"{len(tree.children)} nodes"
    if all(tag == EMPTY_TAG for tag in tags):
        yield "no words but empty elements", str(tree)[:60]
    if len(words) > LONG_SENTENCE:
        yield f"more than {LONG_SENTENCE} words", f"{len(words)} words"
    for word, tag in zip(words, tags, strict=True):
        if tag == EMPTY_TAG:
            yield "empty elements (-NONE-)", word
        if not _SQUARE_AND_CURLY.isdisjoint(word):
            yield "square or curly brackets in words", word
        if "\ufffd" in word:
            yield "words with a sign lost in decoding (U+FFFD)", word
        if any(sign.isspace() for sign in word):
            yield "words with a blank inside (no-break or other)", repr(word)
    yield from _odd_labels(tree)


def _odd_labels(tree: Tree) -> Iterator[tuple[str, str]]:
    for node in tree.nodes():
        label = node.label
        if core_label(label) != label:
            yield "functions, indices, gaps or alternatives in labels", label
        if CHAIN in label:
            yield f"labels that hold {CHAIN}", label
        if not label and node is not tree:
            yield "nodes without a label inside", str(node)[:60]
    for chain in _chains(tree):
        if any(upper == lower for upper, lower in itertools.pairwise(chain)):
            yield "a node whose only child has its label", CHAIN.join(chain)
        elif len(set(chain)) < len(chain):
            yield "a label that comes back further down a chain", CHAIN.join(chain)


def _chains(tree: Tree) -> Iterator[list[str]]:
    """Yield the labels of every chain of nodes with one child each, and of what ends it."""
    starts = [tree]
    while starts:
        node = starts.pop()
        chain = [node.label] if node.subtrees else []
        while len(node.subtrees) == 1 and node.subtrees[0].subtrees:
            node = node.subtrees[0]
            chain.append(node.label)
        if len(chain) > 1:
            yield chain
        starts.extend(node.subtrees)


def _depth(tree: Tree) -> int:
    deepest, level = 0, [tree]
    while level:
        deepest += 1
        level = [child for node in level for child in node.subtrees]
    return deepest
