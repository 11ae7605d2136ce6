"""A tree as the Penn Treebank's files have it: ``( (S ...) )`` over indented lines."""

from __future__ import annotations

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.escapes import whole
from bnaparser.trees.tree import Tree

_INDENT = 2
_DEEPEST = 60  # levels further down are not indented more, or blanks would be most of the text


def penn(tree: Tree) -> str:
    """Return a tree as in ``.mrg`` files, with the outer bracket that has no label, and a line's end.

    A top node that is no constituent (TOP and the like) is that bracket. Escapes stay as they are:
    they are the Penn Treebank's own. Half a character becomes U+FFFD, as UTF-8 can hold none.
    """
    tops = tree.subtrees if tree.label in ROOT_LABELS and tree.subtrees else (tree,)
    lines: list[str] = []
    stack: list[tuple[Tree, int, int]] = [(top, 1, int(top is tops[-1])) for top in tops[::-1]]
    while stack:
        node, depth, closing = stack.pop()
        indent = " " * (_INDENT * min(depth, _DEEPEST)) if lines else "( "
        if node.word is not None or all(child.word is not None for child in node.subtrees):
            lines.append(f"{indent}{node}{')' * closing}")
            continue
        lines.append(f"{indent}({node.label}")
        last = len(node.subtrees) - 1
        below = [
            (child, depth + 1, closing + 1 if place == last else 0)
            for place, child in enumerate(node.subtrees)
        ]
        stack.extend(below[::-1])
    return whole("\n".join(lines) + "\n")
