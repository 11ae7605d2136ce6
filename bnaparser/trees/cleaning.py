"""From a treebank's own trees to those a parser is trained on and scored with.

Penn-style treebanks hold more than a parser predicts: traces (``-NONE-``), functions, indices and
gaps in labels (``NP-SBJ-1``, ``NP=2``), alternatives (``PRT|ADVP``), an outer bracket without a
label. `clean` takes them away; `rewrite` is the traversal that it shares with label maps.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.tree import Tree, assemble

ROOT = "TOP"
EMPTY_TAG = "-NONE-"

# A label that starts with "-" is a bracket or -NONE-; the first sign of any other is always kept.
_CORE = re.compile(r"-.*|.[^-=|]*", re.DOTALL)
_INDEX = re.compile(r"(?<=.)[-=][0-9]+(?=[-=]|\Z)")


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What `clean` does; the default is what the usual scripts do to the Penn and Chinese ones."""

    remove_empty: bool = True
    """Take out empty elements and every node that has no word without them."""
    cut_functions: bool = True
    """``NP-SBJ-1`` is ``NP``, ``NP=2`` is ``NP``, ``PRT|ADVP`` is ``PRT``, ``-LRB-`` stays."""
    cut_indices: bool = True
    """Where functions are kept: ``NP-SBJ-1`` is ``NP-SBJ``, ``NP=2`` is ``NP``. An index points to a trace, which is no
    more there.
    """
    merge_repeated: bool = False
    """A node whose only child has its own label is one node: ``(NP (NP ...))`` is ``(NP ...)``."""


def core_label(label: str) -> str:
    """Return a label or tag without functions, indices, gaps and alternatives."""
    found = _CORE.match(label)
    return found.group() if found else label


def _without_index(label: str) -> str:
    """Return a label or tag with its functions, but without indices, gaps and alternatives."""
    if label[:1] in ("", "-"):
        return label
    return _INDEX.sub("", label[0] + label[1:].partition("|")[0])


def clean(tree: Tree, rules: Cleaning | None = None) -> Tree | None:
    """Return the tree cleaned, below a node ``TOP``; None if no word is left.

    A top node TOP, ROOT, S1, VROOT or without a label becomes TOP, any other gets it as parent;
    of several such nodes, ``( (ROOT (S ...)))``, one is left. But a node VROOT below TOP over several phrases, or a
    word, stays: graphs that have more than one root are written so.
    Unlabelled nodes further down go, their children stay.
    """
    rules = rules or Cleaning()
    rename: Callable[[str], str] = str
    if rules.cut_functions:
        rename = core_label
    elif rules.cut_indices:
        rename = _without_index
    return rewrite(
        tree,
        rename_label=rename,
        rename_tag=lambda tag, word: rename(tag),
        keep_tag=lambda tag: not (rules.remove_empty and tag == EMPTY_TAG),
        merge_repeated=rules.merge_repeated,
    )


def without_traces(tree: Tree) -> Tree | None:
    """Return the tree without empty elements and nodes that hold nothing else, labels unchanged; None if no word is left.

    Example:
        >>> print(without_traces(Tree.parse("(S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go))))")))
        (S (VP (TO to) (VP (VB go))))
    """
    tags = tree.tags
    if EMPTY_TAG not in tags:
        return tree
    kept = [0]  # of the first 0, 1, 2 ... words: how many stay
    for tag in tags:
        kept.append(kept[-1] + (tag != EMPTY_TAG))
    if not kept[-1]:
        return None
    labels: list[str] = []
    arities: list[int] = []
    for node in tree.nodes():
        if kept[node.end - tree.start] > kept[node.start - tree.start]:
            labels.append(node.label)
            arities.append(
                sum(
                    kept[child.end - tree.start] > kept[child.start - tree.start]
                    for child in node.subtrees
                )
            )
    words = [word for word, tag in zip(tree.words, tags, strict=True) if tag != EMPTY_TAG]
    return assemble(labels, arities, words, tree.start)


def _holds_roots(node: Tree) -> bool:
    """Return whether a node is the root of a graph with several phrases, or a word, at the top."""
    below = node.subtrees
    return node.label == "VROOT" and (len(below) > 1 or (len(below) == 1 and not below[0].subtrees))


def merge_repeated(tree: Tree) -> Tree:
    """Return the tree below ``TOP`` with every label repeated in a chain of nodes merged."""
    return rewrite(tree, merge_repeated=True) or tree  # no word is dropped: always a tree


def rewrite(
    tree: Tree,
    *,
    rename_label: Callable[[str], str] = str,
    rename_tag: Callable[[str, str], str] = lambda tag, word: tag,
    keep_tag: Callable[[str], bool] = lambda tag: True,
    merge_repeated: bool = False,
) -> Tree | None:
    """Return a copy below ``TOP`` with other labels and tags; None if no word is kept.

    ``rename_label`` gets a phrase label; if it returns ``""`` the node is taken out and its
    children hang from its parent. ``rename_tag`` gets tag and word. Words whose tag ``keep_tag``
    refuses go, with every node that is empty without them.
    """
    words: list[str] = []
    kept = [0]  # of the tree's first 0, 1, 2 ... words: how many stay
    for tag, word in zip(tree.tags, tree.words, strict=True):
        if keep_tag(tag):
            words.append(word)
        kept.append(len(words))
    if not words:
        return None
    labels, arities, covers = [ROOT], [0], [(0, len(words))]
    inside: tuple[Tree, ...] = (tree,)
    while len(inside) == 1 and inside[0].label in ROOT_LABELS and inside[0].subtrees:
        top = inside[0]
        inside = top.subtrees
        if top.label == ROOT and len(inside) == 1 and _holds_roots(inside[0]):
            break
    stack = [(node, 0) for node in reversed(inside)]
    while stack:
        node, parent = stack.pop()
        cover = kept[node.start - tree.start], kept[node.end - tree.start]
        if cover[0] == cover[1]:
            continue
        label = (
            rename_label(node.label) if node.subtrees else rename_tag(node.label, node.word or "")
        )
        # A child that covers what its parent covers is the only one that has words.
        repeated = merge_repeated and (label, cover) == (labels[parent], covers[parent])
        if node.word is not None or (label and not repeated):
            arities[parent] += 1
            parent = len(labels)
            labels.append(label)
            arities.append(0)
            covers.append(cover)
        stack.extend((child, parent) for child in reversed(node.subtrees))
    return assemble(labels, arities, words)
