"""To NLTK's trees and back, as flat lists; nothing here recurses, NLTK's own walks do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnaparser.errors import TreeError
from bnaparser.trees.brackets import check_readable


def flatten_nltk(tree: Any) -> tuple[list[str], list[int], list[str]]:
    """Return what `bnaparser.trees.tree.flatten` does, of an ``nltk.Tree``.

    Raises TreeError where it is no tree, or holds what no Tree can.
    """
    if not hasattr(tree, "label"):
        raise TreeError(f"give an nltk.Tree, not {tree!r:.40}")
    labels, arities, words = [], [], []
    stack = [tree]
    while stack:
        node = stack.pop()
        children = list(node)
        is_tag = len(children) == 1 and isinstance(children[0], str)
        labels.append(check_readable(str(node.label()), "label", may_be_empty=not is_tag))
        if is_tag:
            words.append(check_readable(children[0], "word"))
            arities.append(0)
        elif not children or not all(hasattr(child, "label") for child in children):
            raise TreeError(f"the node {node.label()!r} must have one word or nodes below it")
        else:
            arities.append(len(children))
            stack.extend(reversed(children))
    return labels, arities, words


def assemble_nltk(labels: Sequence[str], arities: Sequence[int], words: Sequence[str]) -> Any:
    """Undo `flatten_nltk`: the ``nltk.Tree`` of labels, arities and words, which are not checked."""
    from nltk import Tree as NltkTree

    left = list(words)
    built: list[Any] = []
    for label, arity in zip(reversed(labels), reversed(arities), strict=True):
        if arity == 0:
            built.append(NltkTree(label, [left.pop()]))
        else:
            children = built[: -arity - 1 : -1]
            del built[-arity:]
            built.append(NltkTree(label, children))
    return built[0]
