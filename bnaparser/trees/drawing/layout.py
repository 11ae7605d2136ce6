"""Where the nodes of a drawn tree stand, from estimates of how wide text will be; text that XML can hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bnaparser.trees.brackets import ROOT_LABELS

# Advance widths of the characters from blank to "~" in hundredths of the font size: those of
# DejaVu Serif, the widest of the fonts that browsers fall back to, so that words do not touch.
# fmt: off
_ASCII = (
    32, 40, 46, 84, 64, 95, 89, 27, 39, 39, 50, 84, 32, 34, 32, 34, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 72, 73, 77, 80, 73, 69, 80,
    87, 40, 40, 75, 66, 102, 88, 82, 67, 82, 75, 69, 67, 84, 72, 103, 71, 66, 69, 39,
    34, 39, 84, 50, 50, 60, 64, 56, 64, 59, 37, 64, 64, 32, 31, 61, 32, 95, 64, 60,
    64, 64, 48, 51, 40, 64, 56, 86, 56, 56, 53, 64, 34, 64, 84,
)
# fmt: on
_WIDE, _UPPER, _OTHER = 104, 100, 78
_PICTURE = 138  # emoji are wider than the square that East Asian characters fill

_NOT_XML = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def text_width(text: str, size: float) -> float:
    """Return about how wide ``text`` is at the font size ``size``, rather too wide than too small.

    Marks that join the character before them have no width; East Asian characters and emoji have
    theirs.
    """
    return sum(map(_advance, text)) * size / 100


def cells(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes, as far as terminals agree."""
    return sum(map(_columns, text))


def visible(text: str) -> str:
    """Return the text with each character that XML forbids or that nobody sees made visible.

    Control characters become their pictures (``\\x07`` is ``␇``); lone surrogates, and other code
    points that are no characters, become ``�``.
    """
    return _NOT_XML.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _advance(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _ASCII[code - 32]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return _PICTURE if 0x1F000 <= code < 0x20000 else _WIDE
    base = ord(unicodedata.normalize("NFD", character)[0])
    if base < 127:
        return _ASCII[base - 32]
    return _UPPER if character.isupper() or not character.isalnum() else _OTHER


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


LABEL_SIZE, TAG_SIZE, WORD_SIZE = 13, 12, 17
LABEL_HEIGHT, LABEL_PADDING = 22, 8
ROW_HEIGHT, WORD_GAP, LABEL_GAP = 52, 16, 10
FLATTEST, MOST_EXTRA = (
    16,
    48,
)  # a row grows by one pixel for this many pixels that a branch reaches aside
TAG_RISE = 25  # from the line of the words up to the line of their tags
MARGIN = 16
_BOLD = 1.12  # how much wider bold letters are


class DrawableTree(Protocol):
    """What is drawn of a tree; `Tree`, which draws itself, is one."""

    @property
    def label(self) -> str:
        """The label, or the tag of a part-of-speech node."""

    @property
    def start(self) -> int:
        """The number of the first word."""

    @property
    def word(self) -> str | None:
        """The word of a part-of-speech node; None for every other node."""

    @property
    def words(self) -> Sequence[str]:
        """All words, left to right."""

    @property
    def subtrees(self) -> Sequence[DrawableTree]:
        """The children that are nodes."""

    def nodes(self) -> Iterator[DrawableTree]:
        """Yield all nodes in pre-order."""


@dataclass(slots=True)
class Box:
    """A drawn node: the middle of its label (a word's: of its tag), and its parent's number."""

    label: str
    word: str | None
    parent: int
    width: float
    is_folded: bool = False  # several words below one phrase, drawn as a triangle
    x: float = 0
    y: float = 0
    drop: float = ROW_HEIGHT  # from this box's row to the next one

    @property
    def is_untagged(self) -> bool:
        """Whether a word is shown without a tag: it has none, or is punctuation that is its own tag."""
        return self.label in ("", self.word)

    def branch_to(self, child: Box) -> tuple[float, float, float]:
        """Return the heights at which the branch to a child starts, bends and ends.

        It bends within the row below the parent, and continues straight down in the child's own column.
        """
        top = self.y + LABEL_HEIGHT / 2
        bottom = child.y + (LABEL_HEIGHT / 4 if child.is_untagged else -LABEL_HEIGHT / 2)
        return top, top + self.drop - LABEL_HEIGHT, bottom

    def triangle_to(self, child: Box) -> list[tuple[float, float]]:
        """Return the corners of the triangle over folded words: the top, then left and right."""
        bottom, half = child.y + LABEL_HEIGHT / 4, (child.width - WORD_GAP) / 2
        return [
            (self.x, self.y + LABEL_HEIGHT / 2),
            (child.x - half, bottom),
            (child.x + half, bottom),
        ]


@dataclass(frozen=True)
class TreeLayout:
    """Boxes in pre-order, a parent before its children, and the size of the whole, in pixels."""

    boxes: tuple[Box, ...]
    width: float
    height: float


def drawn_top(tree: DrawableTree) -> DrawableTree:
    """Return the topmost node that is drawn: a root such as TOP is left out where it has one child."""
    below = tree.subtrees
    return below[0] if tree.label in ROOT_LABELS and len(below) == 1 else tree


def is_folded(node: DrawableTree) -> bool:
    """Return whether a phrase is drawn as a triangle: several words are below it, all without tags."""
    below = node.subtrees
    return len(below) > 1 and not any(child.label or child.subtrees for child in below)


def arrange(tree: DrawableTree, words: Sequence[str] | None = None) -> TreeLayout:
    """Place the nodes of a tree; ``words`` are shown in the place of the tree's own.

    A top node that is no constituent (TOP and the like) is left out where it has one child. A
    sentence that is written from right to left is drawn so.
    """
    shown = tree.words if words is None else words
    boxes, children = _boxes(drawn_top(tree), [visible(word) for word in shown], tree.start)
    slots = [box.width for box in boxes]
    rows = [0] * len(boxes)
    for number in reversed(range(len(boxes))):  # children before parents
        if below := children[number]:
            slots[number] = max(slots[number], sum(slots[child] for child in below))
            rows[number] = 1 + max(rows[child] for child in below)
    _place(boxes, children, slots)
    width = slots[0] + 2 * MARGIN
    mirrored = _right_to_left(shown)
    for box in boxes:
        box.x = round(width - box.x if mirrored else box.x, 1)
    bottom = _stack(boxes, rows)
    return TreeLayout(tuple(boxes), round(width, 1), bottom + LABEL_HEIGHT / 2 + TAG_RISE + MARGIN)


def _boxes(
    top: DrawableTree, words: Sequence[str], start: int
) -> tuple[list[Box], list[list[int]]]:
    """The nodes as boxes without a place, and the numbers of each one's children."""
    boxes: list[Box] = []
    children: list[list[int]] = []
    stack = [(top, -1)]
    while stack:
        node, parent = stack.pop()
        number = len(boxes)
        if parent >= 0:
            children[parent].append(number)
        label = visible(node.label)
        children.append([])
        if node.word is None:
            width = text_width(label, LABEL_SIZE) * _BOLD + 2 * LABEL_PADDING + LABEL_GAP
            boxes.append(Box(label, None, parent, width))
            if is_folded(node):
                text = " ".join(words[child.start - start] for child in node.subtrees)
                children[number].append(number + 1)
                children.append([])
                width = text_width(text, WORD_SIZE) + WORD_GAP
                boxes.append(Box("", text, number, width, is_folded=True))
            else:
                stack.extend((child, number) for child in reversed(node.subtrees))
        else:
            word = words[node.start - start]
            width = max(text_width(word, WORD_SIZE), text_width(label, TAG_SIZE)) + WORD_GAP
            boxes.append(Box(label, word, parent, width))
    return boxes, children


def _place(boxes: Sequence[Box], children: Sequence[Sequence[int]], slots: list[float]) -> None:
    """Give each box its x; ``slots`` are the widths of the columns that the boxes need."""
    left = [float(MARGIN)] * len(boxes)
    for number, below in enumerate(children):  # parents before children
        spare = slots[number] - sum(slots[child] for child in below)
        start = left[number]
        for child in below:
            slots[child] += spare / len(below)
            left[child] = start
            start += slots[child]
    for number in reversed(range(len(boxes))):
        box, below = boxes[number], children[number]
        middle = left[number] + slots[number] / 2
        if below:
            middle = (boxes[below[0]].x + boxes[below[-1]].x) / 2
        box.x = max(left[number] + box.width / 2, middle)
        box.x = min(left[number] + slots[number] - box.width / 2, box.x)


def _stack(boxes: Sequence[Box], rows: Sequence[int]) -> float:
    """Give each box its y, and return that of the lowest row.

    Rows from which branches reach far to the side are higher, so that branches are not too flat.
    """
    drops = [ROW_HEIGHT] * (rows[0] + 1)
    for box in boxes[1:]:
        row, reach = rows[box.parent], abs(box.x - boxes[box.parent].x)
        drops[row] = max(drops[row], ROW_HEIGHT + min(MOST_EXTRA, int(reach / FLATTEST)))
    heights = [MARGIN + LABEL_HEIGHT / 2]
    for drop in reversed(drops[1:]):
        heights.append(heights[-1] + drop)
    for box, row in zip(boxes, rows, strict=True):
        box.y, box.drop = heights[rows[0] - row], drops[row]
    return heights[-1]


def _right_to_left(words: Sequence[str]) -> bool:
    kinds = [unicodedata.bidirectional(character) for word in words for character in word]
    return kinds.count("R") + kinds.count("AL") > kinds.count("L")
