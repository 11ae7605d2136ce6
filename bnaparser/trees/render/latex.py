"""A tree for LaTeX's forest package."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.drawing.layout import is_folded, visible
from bnaparser.trees.tree import Tree

# Commands that typeset characters which TeX takes for something else. The empty groups keep TeX
# from making one sign of several: -- is no dash, '' no quotation mark.
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\char34{}",
}
_SPECIAL = re.compile(r"[\\{}$&#%_^~<>|`\"]")
_LIGATURE = re.compile(r"(?<=([-',]))(?=\1)")
_INDENTS = 60  # deeper levels are not indented further, or blanks would be most of the text
_PLAIN = re.compile(r"[A-Za-z0-9]+")


def forest(tree: Tree, words: Sequence[str] | None = None) -> str:
    """Return the tree as a ``forest`` environment; a node over nothing but words takes one line.

    ``words`` are shown in place of the tree's words. Words stand on one line; a top node that is no
    constituent (TOP and the like) is left out where it has one child. Several words without tags that are all a phrase
    has stand below a triangle. The document needs ``\\usepackage{forest}``, for triangles
    ``\\useforestlibrary{linguistics}``, and XeLaTeX or LuaLaTeX with a font that has them for characters
    beyond Latin ones.
    """
    shown = tree.words if words is None else words
    top = tree.subtrees[0] if tree.label in ROOT_LABELS and len(tree.subtrees) == 1 else tree
    lines = [r"\begin{forest}", r"  for tree={if n children=0{tier=word}{}}"]
    stack: list[tuple[Tree, int, int]] = [(top, 1, 0)]  # node, depth, brackets to close after
    while stack:
        node, depth, closing = stack.pop()
        indent = "  " * min(depth, _INDENTS)
        if node.word is not None or all(child.word is not None for child in node.subtrees):
            leaves = [node] if node.word is not None else node.subtrees
            if is_folded(node):
                folded = " ".join(shown[node.start - tree.start : node.end - tree.start])
                text = f"[{_content(folded)}, roof]"
            else:
                text = " ".join(_leaf(leaf, shown[leaf.start - tree.start]) for leaf in leaves)
            if node.word is None:
                text = f"[{_content(node.label)} {text}]"
            lines.append(indent + text + "]" * closing)
            continue
        lines.append(f"{indent}[{_content(node.label)}")
        last = len(node.subtrees) - 1
        below = [
            (child, depth + 1, closing + 1 if number == last else 0)
            for number, child in enumerate(node.subtrees)
        ]
        stack.extend(reversed(below))
    return "\n".join([*lines, r"\end{forest}", ""])


def _leaf(node: Tree, word: str) -> str:
    text = f"[{_content(word)}]"
    return f"[{_content(node.label)} {text}]" if node.label else text


def _content(text: str) -> str:
    """A node's text, in braces unless it is plain: forest reads brackets, commas and = itself."""
    text = visible(text)
    if _PLAIN.fullmatch(text):
        return text
    text = _LIGATURE.sub("{}", _SPECIAL.sub(lambda match: _ESCAPES[match[0]], text))
    return "{" + text + "}"
