"""A tree drawn with letters and box-drawing characters, for terminals.

Where it fits, every phrase stands over its words, as on paper; where it does not, a line a node,
indented, as folders are listed. Words without tags that are all a phrase has stand below a triangle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bnaparser.trees.drawing.layout import DrawableTree, cells, drawn_top, is_folded, visible

GAP = 2  # columns between two words or labels
# What a branch looks like in a cell that it leaves to these sides: up, down, left, right.
_BRANCHES = {
    "ud": "│", "dr": "┌", "dl": "┐", "dlr": "┬", "ulr": "┴", "udlr": "┼", "udr": "├", "udl": "┤",
    "ul": "┘", "ur": "└", "lr": "─",
}  # fmt: skip
_LEFT, _RIGHT = "\u2571", "\u2572"  # the sides of a triangle


def draw_text(tree: DrawableTree, width: int = 80, words: Sequence[str] | None = None) -> str:
    """Return the tree as lines of text without a last line end.

    ``words`` are shown in place of the tree's words. Where it fits into ``width`` columns it is drawn from its root down, the words on one line; else
    with a line a node. A top node that is no constituent (TOP and the like) is left out where it
    has one child.
    """
    shown = tree.words if words is None else words
    top = drawn_top(tree)
    texts, below = _drawn_nodes(top, [visible(word) for word in shown], tree.start)
    slots = _slots(texts, below)
    lines: list[str] = []
    if slots[0] - GAP <= width:
        lines = [line.rstrip(" ") for line in _from_root_down(texts, below, slots)]
    # A word of an even number of letters leans to the right, at the edge over it.
    if not lines or max(map(cells, lines)) > width:
        lines = [line.rstrip(" ") for line in _outline(texts, below)]
    return "\n".join(lines)


def _drawn_nodes(
    top: DrawableTree, words: Sequence[str], start: int
) -> tuple[list[list[str]], list[list[int]]]:
    """Return, in pre-order, what is written of each node, one text a line, and the numbers of its children.

    A phrase has its label, a word its tag (without one, a branch) and itself, folded words a triangle and themselves.
    """
    texts: list[list[str]] = []
    below: list[list[int]] = []
    stack = [(top, -1)]
    while stack:
        node, parent = stack.pop()
        number = len(texts)
        if parent >= 0:
            below[parent].append(number)
        below.append([])
        label = visible(node.label)
        if node.word is not None:
            texts.append([label or _BRANCHES["ud"], words[node.start - start]])
            continue
        texts.append([label])
        if is_folded(node):
            text = " ".join(words[child.start - start] for child in node.subtrees)
            below[number].append(number + 1)
            below.append([])
            texts.append([f"{_LEFT}{'─' * (cells(text) - 2)}{_RIGHT}", text])
        else:
            stack.extend((child, number) for child in reversed(node.subtrees))
    return texts, below


def _slots(texts: Sequence[Sequence[str]], below: Sequence[Sequence[int]]) -> list[int]:
    """How many columns each node needs with what is below it, the gap to the next one counted."""
    slots = [max(map(cells, of_node)) + GAP for of_node in texts]
    for number in reversed(range(len(texts))):  # children before parents
        slots[number] = max(slots[number], sum(slots[child] for child in below[number]))
    return slots


def _from_root_down(
    texts: Sequence[Sequence[str]], below: Sequence[Sequence[int]], slots: Sequence[int]
) -> list[str]:
    rows = [0] * len(texts)
    for number in reversed(range(len(texts))):
        rows[number] = 1 + max((rows[child] for child in below[number]), default=-1)
    middles = _middles(texts, below, slots)
    # Two lines a row, from the root: labels, and the branches below them; then the words.
    canvas = [[" "] * slots[0] for _ in range(2 * rows[0] + 2)]
    for number, of_node in enumerate(texts):
        line = 2 * (rows[0] - rows[number])
        for place, text in enumerate(of_node):
            _write(canvas[line + place], middles[number], text)
        if below[number]:
            children = [middles[child] for child in below[number]]
            _branch(canvas[line + 1], middles[number], children)
        for child in below[number]:
            for between in canvas[line + 2 : 2 * (rows[0] - rows[child])]:
                between[middles[child]] = "│"
    return ["".join(line) for line in canvas]


def _middles(
    texts: Sequence[Sequence[str]], below: Sequence[Sequence[int]], slots: Sequence[int]
) -> list[int]:
    """The column of each node's middle: over its children, and within its own columns."""
    left = [0] * len(texts)
    widths = list(slots)
    for number, children in enumerate(below):  # parents before children
        spare = widths[number] - sum(slots[child] for child in children)
        start = left[number]
        for place, child in enumerate(children):
            extra = spare * (place + 1) // len(children) - spare * place // len(children)
            left[child], widths[child] = start, slots[child] + extra
            start += widths[child]
    middles = [left[number] + (widths[number] - GAP) // 2 for number in range(len(texts))]
    for number in reversed(range(len(texts))):
        if children := below[number]:
            over = (middles[children[0]] + middles[children[-1]]) // 2
            # Over a child that is all but there: a straight branch looks better than a kink.
            over = next((m for c in children if abs((m := middles[c]) - over) <= 1), over)
            size = cells(texts[number][0])
            least = left[number] + (size - 1) // 2
            most = left[number] + widths[number] - GAP - size // 2
            middles[number] = max(least, min(over, max(least, most)))
    return middles


def _write(line: list[str], middle: int, text: str) -> None:
    """Write a text around a column; one of its characters may take two cells, or none."""
    column = middle - max(0, cells(text) - 1) // 2
    for character in text:
        size = cells(character)
        if size == 0 and column > 0:
            line[column - 1] += character
            continue
        line[column] = character
        line[column + 1 : column + size] = [""] * (size - 1)
        column += size


def _branch(line: list[str], parent: int, children: Sequence[int]) -> None:
    """Draw the branches from a parent in the line above to its children in the line below."""
    columns = [parent, *children]
    for column in range(min(columns), max(columns) + 1):
        sides = "u" if column == parent else ""
        sides += "d" if column in children else ""
        sides += "l" if column > min(columns) else ""
        sides += "r" if column < max(columns) else ""
        line[column] = _BRANCHES[sides]


def _outline(texts: Sequence[Sequence[str]], below: Sequence[Sequence[int]]) -> Iterable[str]:
    """A line a node, below its parent and to the right of it; a word beside its tag."""
    stack = [(0, "", "")]  # node, what stands before it, what stands before its children
    while stack:
        number, before, inside = stack.pop()
        of_node = texts[number]
        has_tag = not of_node[0].startswith((_LEFT, _BRANCHES["ud"]))
        yield before + " ".join(of_node if has_tag else of_node[1:])
        children = [(child, f"{inside}├─ ", f"{inside}│  ") for child in below[number]]
        if children:
            children[-1] = (below[number][-1], f"{inside}└─ ", f"{inside}   ")
        stack.extend(reversed(children))
