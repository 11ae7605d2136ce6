"""A tree drawn with letters and box-drawing characters, for terminals.

Where it fits, every phrase stands over its words, as on paper; where it does not, a line a node,
indented, as folders are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bnaparser.trees.drawing.layout import DrawableTree, cells, drawn_top, visible

GAP = 2  # columns between two words or labels
# What a branch looks like in a cell that it leaves to these sides: up, down, left, right.
_BRANCHES = {
    "ud": "│", "dr": "┌", "dl": "┐", "dlr": "┬", "ulr": "┴", "udlr": "┼", "udr": "├", "udl": "┤",
    "ul": "┘", "ur": "└", "lr": "─",
}  # fmt: skip


def draw_text(tree: DrawableTree, width: int = 80, words: Sequence[str] | None = None) -> str:
    """Return the tree as lines of text without a last line end.

    ``words`` are shown for the tree's own. Where it fits into ``width`` columns it is drawn from its root down, the words on one line; else
    with a line a node. A top node that is no constituent (TOP and the like) is left out where it
    has one child.
    """
    shown = tree.words if words is None else words
    top = drawn_top(tree)
    nodes = list(top.nodes())
    texts = [_texts(node, shown, tree.start) for node in nodes]
    below = _numbers_of_children(nodes)
    slots = _slots(texts, below)
    lines: list[str] = []
    if slots[0] - GAP <= width:
        lines = [line.rstrip(" ") for line in _from_root_down(texts, below, slots)]
    # A word of an even number of letters leans to the right, at the edge over it.
    if not lines or max(map(cells, lines)) > width:
        lines = [line.rstrip(" ") for line in _outline(top, texts)]
    return "\n".join(lines)


def _texts(node: DrawableTree, words: Sequence[str], start: int) -> list[str]:
    """What is written of a node: its label, and below a tag its word."""
    texts = [node.label] if node.word is None else [node.label, words[node.start - start]]
    return list(map(visible, texts))


def _numbers_of_children(nodes: Sequence[DrawableTree]) -> list[list[int]]:
    """Of nodes in pre-order, where the children of each stand in the list."""
    below: list[list[int]] = [[] for _ in nodes]
    waiting: list[int] = []  # the first nodes of what follows, the nearest last
    for number in reversed(range(len(nodes))):
        for _ in nodes[number].subtrees:
            below[number].append(waiting.pop())
        waiting.append(number)
    return below


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
    room = list(slots)
    for number, children in enumerate(below):  # parents before children
        spare = room[number] - sum(slots[child] for child in children)
        start = left[number]
        for place, child in enumerate(children):
            extra = spare * (place + 1) // len(children) - spare * place // len(children)
            left[child], room[child] = start, slots[child] + extra
            start += room[child]
    middles = [left[number] + (room[number] - GAP) // 2 for number in range(len(texts))]
    for number in reversed(range(len(texts))):
        if children := below[number]:
            over = (middles[children[0]] + middles[children[-1]]) // 2
            # Over a child that is all but there: a straight branch looks better than a kink.
            over = next((m for c in children if abs((m := middles[c]) - over) <= 1), over)
            size = cells(texts[number][0])
            least = left[number] + (size - 1) // 2
            most = left[number] + room[number] - GAP - size // 2
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


def _outline(top: DrawableTree, texts: Iterable[Sequence[str]]) -> Iterable[str]:
    """A line a node, below its parent and to the right of it; a word beside its tag."""
    in_order = iter(texts)
    stack = [(top, "", "")]  # node, what stands before it, what stands before its children
    while stack:
        node, before, inside = stack.pop()
        yield before + " ".join(next(in_order))
        children = [(child, f"{inside}├─ ", f"{inside}│  ") for child in node.subtrees]
        if children:
            children[-1] = (node.subtrees[-1], f"{inside}└─ ", f"{inside}   ")
        stack.extend(reversed(children))
