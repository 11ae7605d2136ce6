"""Reading and writing trees in brackets: finished nodes out of lines, with the place of every mistake.

Brackets are round, ``(NP (DT a) (NN wug))``, or square, as linguists write them: ``[NP a wug]``. It knows no tree class: who reads hands in the function that makes a node, who writes a node that has
a label and children. Only ASCII blanks separate, so that a no-break space may stand inside a word.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

from bnaparser.errors import TreeError, quoted

_TOKEN = re.compile(
    r"\(\s*+([^\s()]++)\s++([^\s()]++)\s*+\)"  # a whole part-of-speech node: its tag, its word
    r"|(\))"
    r"|([^\s()]++)"  # a word or a label whose bracket opens on an earlier line, or text out of place
    r"|\(\s*+([^\s()]*+)",  # a node that opens, with or without a label
    re.ASCII,
)
_NO_BRACKETS = bytes(set(range(256)) - set(b"()"))
_EMPTY_NODE = re.compile(r"\(\s*+[^\s()]*+\s*+\)", re.ASCII)
# Lines between trees that are no trees: the LDC's notes (*x*x*) and comments.
_BETWEEN = re.compile(r"\s*(?:\*x\*|%|;)", re.ASCII)
_UNREADABLE = re.compile(r"[\s()]", re.ASCII)

ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})
"""Labels of a top node that is no constituent; ``""`` is the unlabelled outer bracket of ``.mrg``."""

Node = TypeVar("Node")
MakeNode = Callable[[str, tuple[Node | str, ...], int, int], Node]
"""Called with label, children (nodes, or one word), and the words covered, end-exclusive."""


class Place(NamedTuple):
    """Where a token stands: the number of its line from 1, the line, and which token of it."""

    line: int
    text: str
    token: int

    @property
    def column(self) -> int:
        """The column from 1; counted only when it is requested, as it takes a second reading."""
        tokens = itertools.islice(_TOKEN.finditer(self.text), self.token, None)
        return next(tokens).start() + 1


# They stand for the round brackets in the words of square brackets, while these are read as round ones.
_OPEN, _CLOSE = "\ue000", "\ue001"
_TO_ROUND = str.maketrans({"[": "(", "]": ")", "(": _OPEN, ")": _CLOSE})
_TO_SQUARE = str.maketrans({"(": "[", ")": "]", _OPEN: "(", _CLOSE: ")"})
_SQUARE_WORD = re.compile(r"[^\s\[\]]*[()][^\s\[\]]*", re.ASCII)
_MIXED = (
    "round and square brackets are mixed: write all brackets the same way, and a bracket that is a word"
    " as -LRB- -RRB- -LSB- -RSB-"
)


class _Untagged(NamedTuple):
    """A word without a tag of its own, its number, and where it stands."""

    word: str
    number: int
    place: Place


def read_brackets(
    lines: Iterable[str],
    source: str,
    make_node: MakeNode[Node],
    first_line: int = 1,
    *,
    untagged: bool = False,
) -> Iterator[tuple[Node, Place]]:
    """Yield each tree with the place where it starts, as soon as its last bracket is read.

    Lines are counted from ``first_line``. Between trees, lines that begin with ``%``, ``;`` or ``*x*`` are
    comments. If the first tree begins with ``[``, all trees are in square brackets. With ``untagged``, words may stand
    without a tag, ``(NP a wug)``: each gets a node without a label, and in square brackets a node without children is
    a word, ``[NP [a] [wug]]``. Raises TreeError, with line and column, at the first thing that is wrong.
    """
    rest = iter(lines)
    begin: list[str] = []
    for line in rest:
        begin.append(line)
        if line.strip() and not _BETWEEN.match(line):
            break
    lines = itertools.chain(begin, rest)
    if begin and begin[-1].lstrip().startswith("["):
        return _read_square(lines, source, make_node, first_line, untagged)
    return _read_round(lines, source, make_node, first_line, untagged=untagged)


def is_one_tree(text: str) -> bool:
    """Return whether a text is one tree in round brackets; where this is True, it can be read.

    Words may stand without tags. The test is much faster than reading. False is not certain: a text with square
    brackets in it may be a tree.
    """
    text = text.strip(" \t\n\r\f\v")
    if not (text.startswith("(") and text.endswith(")")) or "[" in text or "]" in text:
        return False
    # Within the outer brackets, pairs are removed until none is left.
    brackets = text.encode("utf-8", "replace").translate(None, _NO_BRACKETS)[1:-1]
    while b"()" in brackets:
        brackets = brackets.replace(b"()", b"")
    return not brackets and not _EMPTY_NODE.search(text)


def _read_square(
    lines: Iterable[str], source: str, make_node: MakeNode[Node], first_line: int, untagged: bool
) -> Iterator[tuple[Node, Place]]:
    def make(label: str, children: tuple[Node | str, ...], start: int, end: int) -> Node:
        if isinstance(only := children[0], str):
            children = (_escaped(only),)
        return make_node(_escaped(label), children, start, end)

    try:
        yield from _read_round(
            _rounded(lines, source, first_line),
            source,
            make,
            first_line,
            untagged=untagged,
            leaves=untagged,
        )
    except TreeError as error:
        message = error.message
        if message is not _MIXED:
            message = message.translate(_TO_SQUARE).replace("RB-", "SB-")
            message = message.replace("a round bracket", "a square bracket")
        raise TreeError(message, error.source, error.line, error.column) from None


def _rounded(lines: Iterable[str], source: str, first_line: int) -> Iterator[str]:
    """Yield lines of square brackets as lines of round ones, each character in its column."""
    for number, line in enumerate(lines, first_line):
        if ("(" in line or ")" in line) and not _BETWEEN.match(line):
            for word in _SQUARE_WORD.finditer(line):
                if word[0].count("(") != word[0].count(")"):  # else it is a word such as dog(s)
                    raise TreeError(_MIXED, source, number, word.start() + 1)
        yield line.translate(_TO_ROUND)


def _escaped(text: str) -> str:
    """Return a word or label of square brackets as trees have it."""
    return text.replace(_OPEN, "-LRB-").replace(_CLOSE, "-RRB-")


def _read_round(
    lines: Iterable[str],
    source: str,
    make_node: MakeNode[Node],
    first_line: int,
    *,
    untagged: bool = False,
    leaves: bool = False,
) -> Iterator[tuple[Node, Place]]:
    """Yield the trees of round brackets; ``leaves``: a node without children is a word of its parent."""
    stack: list[tuple[str, list[Any], int]] = []
    children: list[Any] = []  # of the node on top of the stack: nodes, words
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
                if leaves and not children and len(stack) > 1 and stack[-1][0]:
                    word, _, _ = stack.pop()
                    children = stack[-1][1]
                    children.append(_Untagged(word, words, Place(number, line, index)))
                    words += 1
                    continue
                if not children or (isinstance(children[0], str) and len(children) > 1):
                    _fail_at_close(stack, children, source, Place(number, line, index))
                if untagged:
                    children = _with_nodes(children, source, make_node)
                label, _, start = stack.pop()
                node = make_node(label, tuple(children), start, words)
                children = stack[-1][1] if stack else []
            elif stray:
                if not stack and not index and _BETWEEN.match(line):
                    break
                if stack and not children and not stack[-1][0]:
                    stack[-1] = intern(stray), children, words
                    continue
                here = Place(number, line, index)
                if not stack or (children and not untagged):
                    _fail_at_word(stray, bool(stack), source, here)
                stray = intern(stray)
                children.append(_Untagged(stray, words, here) if untagged else stray)
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


def _with_nodes(children: list[Any], source: str, make_node: MakeNode[Any]) -> list[Any]:
    """Return the children of a node with nodes for words without tags; an only word stays: the node is its tag."""
    if len(children) == 1 and isinstance(children[0], _Untagged):
        return [children[0].word]
    found = []
    for child in children:
        if isinstance(child, _Untagged):
            word, number, place = child
            if "[" in word or "]" in word:
                raise TreeError(_MIXED, source, place.line, place.column)
            child = make_node("", (word,), number, number + 1)
        found.append(child)
    return found


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
            parts.append(
                f" ({item.label} {item.children[0]})" if item.label else f" {item.children[0]}"
            )
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
        message = "')' has no opening bracket: remove the bracket, or write -RRB- for a bracket that is a word"
    elif children:
        message = (
            f"the node {stack[-1][0]!r} has a word and other nodes:"
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
