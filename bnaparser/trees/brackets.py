"""Reading and writing trees in brackets: finished nodes out of lines, with the place of every mistake.

It knows no tree class: who reads hands in the function that makes a node, who writes a node that has
a label and children. Only ASCII blanks separate, so that a no-break space may stand inside a word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

from bnaparser.errors import TreeError, quoted

_TOKEN = re.compile(
    r"\(\s*+([^\s()]++)\s++([^\s()]++)\s*+\)"  # a whole part-of-speech node: its tag, its word
    r"|(\))"
    r"|([^\s()]++)"  # a word or a label whose bracket opens on an earlier line, or text out of place
    r"|\(\s*+([^\s()]*+)",  # a node that opens, with or without a label
    re.ASCII,
)
# Lines between trees that are no trees: the LDC's notes (*x*x*) and comments.
_BETWEEN = re.compile(r"\s*(?:\*x\*|%|;)", re.ASCII)
_UNREADABLE = re.compile(r"[\s()]", re.ASCII)

ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})
"""Labels of a top node that is no constituent; ``""`` is the unlabelled outer bracket of ``.mrg``."""

Node = TypeVar("Node")
MakeNode = Callable[[str, tuple[Node | str, ...], int, int], Node]
"""Called with label, children (nodes, or one word), and the words covered, half-open."""


class Place(NamedTuple):
    """Where a token stands: the number of its line from 1, the line, and which token of it."""

    line: int
    text: str
    token: int

    @property
    def column(self) -> int:
        """The column from 1; counted only when it is asked for, as it takes a second reading."""
        tokens = islice(_TOKEN.finditer(self.text), self.token, None)
        return next(tokens).start() + 1


def read_brackets(
    lines: Iterable[str], source: str, make_node: MakeNode[Node], first_line: int = 1
) -> Iterator[tuple[Node, Place]]:
    """Yield each tree with the place where it starts, as soon as its last bracket is read.

    Lines are counted from ``first_line``. Between trees, lines that begin with ``%``, ``;`` or ``*x*`` are
    comments. Raises TreeError, with line and column, at the first thing that is wrong.
    """
    stack: list[tuple[str, list[Node | str], int]] = []
    children: list[Node | str] = []  # of the node on top of the stack
    words = 0
    place = Place(first_line, "", 0)
    intern, findall = sys.intern, _TOKEN.findall
    for number, line in enumerate(lines, first_line):
        for index, (tag, word, close, stray, label) in enumerate(findall(line)):
            if not stack:
                place, words = Place(number, line, index), 0
            if word:
                node = make_node(intern(tag), (intern(word),), words, words + 1)
                words += 1
            elif close:
                if not children or (isinstance(children[0], str) and len(children) > 1):
                    _fail_at_close(stack, children, source, Place(number, line, index))
                label, _, start = stack.pop()
                node = make_node(label, tuple(children), start, words)
                children = stack[-1][1] if stack else []
            elif stray:
                if not stack and not index and _BETWEEN.match(line):
                    break
                if stack and not children and not stack[-1][0]:
                    stack[-1] = intern(stray), children, words
                    continue
                if not stack or children:
                    _fail_at_word(stray, bool(stack), source, Place(number, line, index))
                children.append(intern(stray))
                words += 1
                continue
            else:
                children = []
                stack.append((intern(label), children, words))
                continue
            if stack:
                children.append(node)
            else:
                yield node, place
    if stack:
        message = f"the tree that starts here is never closed: {len(stack)} ')' missing at the end"
        raise TreeError(message, source, place.line, place.column)


class BracketNode(Protocol):
    """What can be written: a label over nodes, or over one word."""

    @property
    def label(self) -> str:
        """The label; it may be empty above nodes."""

    @property
    def children(self) -> Sequence[BracketNode | str]:
        """Nodes, left to right, or exactly one word."""


def write_brackets(tree: BracketNode) -> str:
    """Return a tree on one line: ``(TOP (S (VP (VB Go))))``."""
    parts: list[str] = []
    stack: list[BracketNode | str] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item.children[0], str):
            parts.append(f" ({item.label} {item.children[0]})")
        else:
            parts.append(f" ({item.label}")
            stack.append(")")
            stack.extend(item.children[::-1])
    return "".join(parts)[1:]


def indent_brackets(
    *trees: BracketNode, depth: int = 0, closing: str = "", deepest: int = sys.maxsize
) -> str:
    """Return trees on several lines, indented; a node with only words below takes one.

    The first level is ``depth``, and levels below ``deepest`` are not indented more. ``closing`` stands at the end.
    """
    lines: list[str] = []
    stack = [(tree, depth, "") for tree in trees[::-1]]  # node, depth, brackets to close after
    stack[0] = trees[-1], depth, closing
    while stack:
        node, depth, closing = stack.pop()
        indent = "  " * min(depth, deepest)
        below = [child for child in node.children if not isinstance(child, str)]
        if all(isinstance(child.children[0], str) for child in below):
            lines.append(f"{indent}{write_brackets(node)}{closing}")
            continue
        lines.append(f"{indent}({node.label}")
        closings = [""] * (len(below) - 1) + [f"){closing}"]
        stack += [(child, depth + 1, end) for child, end in zip(below, closings, strict=True)][::-1]
    return "\n".join(lines)


def check_readable(text: str, what: str, *, may_be_empty: bool = False) -> str:
    """Return ``text``; raises TreeError if, written as a ``what``, it could not be read back."""
    if _UNREADABLE.search(text) or not (text or may_be_empty):
        raise TreeError(
            f"the {what} {quoted(text)} cannot stand in a tree: it must not be empty or hold blanks,"
            " and ( ) are written -LRB- -RRB- (bnaparser.trees.escapes.escape_brackets)"
        )
    return text


def _fail_at_close(
    stack: Sequence[tuple[str, Any, int]], children: Sequence[Any], source: str, at: Place
) -> NoReturn:
    if not stack:
        message = "')' closes nothing: take it out, or write a bracket that is a word as -RRB-"
    elif children:
        message = (
            f"the node {stack[-1][0]!r} has a word beside other nodes:"
            " give each word a tag of its own, as in (NN word)"
        )
    else:
        message = (
            f"the node {stack[-1][0]!r} is empty: put a word or nodes into it"
            " (a round bracket that is a word is written -LRB- or -RRB-)"
        )
    raise TreeError(message, source, at.line, at.column)


def _fail_at_word(word: str, inside: bool, source: str, at: Place) -> NoReturn:
    shown = repr(word) if len(word) <= 40 else repr(word)[:37] + "...'"
    if inside:
        message = f"{shown} has no tag: give each word a tag of its own, as in (NN word)"
    else:
        message = f"{shown} stands outside all brackets: a tree starts with '(', as in (TOP (S ..."
    raise TreeError(message, source, at.line, at.column)
