"""The n best trees of a chart, one after another: the compiled loops.

Algorithm 3 of Huang and Chiang (2005), "Better k-best Parsing". A *vertex* is a span in one of three
ways: its parts (what may stand below its own label), a piece or a sequence, as in ``cky_loops``; a
tree has one derivation over these, so no tree comes twice. A vertex lists its best *items* in order,
and only as far as somebody asks. An item is a choice (of a split point or of a label) with an item
of the left and one of the right part below it; what may come after it takes the next right item,
or the next left one, or the next choice, and waits in the vertex's heap.

Items that are first of their vertex need no graph, since the filled chart has their scores.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from bnaparser.chart.cky_loops import best_label, fill_best, row_start, span_count, trace_nodes
from bnaparser.chart.n_best import (
    BEGUN,
    FOUND,
    HEIGHT,
    ITEM,
    MORE,
    WRITTEN,
    Decoding,
    Hypergraph,
    Items,
    Listed,
)
from bnaparser.chart.probability_loops import highest_label, lowest_label
from bnaparser.chart.spans import NO_TREE, OK, Float32s, Int32s, Int64s
from bnaparser.compute.compiling import compiled_apart
from bnaparser.compute.functions import larger

# A whole number of 64 bits: each other type of an argument would be compiled for by itself.
_whole = cast("Callable[[object], int]", np.int64)
_PARTS, _PIECE, _SEQUENCE = _whole(0), _whole(1), _whole(2)
# If there is no item, and where nobody has looked yet.
_NONE, _UNKNOWN = _whole(-1), _whole(-2)
# Rows of a vertex's state: its first and its last listed item, the top of its heap, and how many of
# the three that may come after its last item wait in the heap already.
_FIRST, _LAST, _HEAP, _WAITING = 0, 1, 2, 3
# Rows of an item: its choice, the items below, the item that follows it, its first child and its
# next sibling in the heap, which is a pairing heap.
_CHOICE, _LEFT, _RIGHT, _NEXT, _CHILD, _SIBLING = 0, 1, 2, 3, 4, 5
_MINUS_INFINITY, _ZERO = np.float32(-np.inf), np.float32(0)
# More than one step of the search makes.
_ITEMS_A_STEP = 16


def start_search(graph: Hypergraph, decoded: Decoding, status: Int64s) -> None:
    """Fill the chart of the best trees in double precision, and write the tree that CKY finds in single precision.

    ``graph`` has the scores, and scratch space; ``status`` (1,) gets a code of ``layout``.
    """
    n, scores, never_empty, pieces, chart, vertices = graph
    highest_scores = decoded.highest
    size = span_count(n)
    status[0] = OK
    for span in range(size):
        highest, of_row = highest_label(scores[span])
        status[0] = max(status[0], of_row)
        pieces[span] = highest_scores[span] = highest
        chart[span] = highest if never_empty[span] else max(0.0, float(highest))
    for start in range(n):
        word = row_start(start, n) + start + 1
        pieces[word] = chart[word]
    fill_best(chart, pieces, n, decoded.splits, decoded.splits)
    for vertex in range(vertices.shape[1]):
        vertices[_FIRST, vertex] = vertices[_LAST, vertex] = _UNKNOWN
        vertices[_HEAP, vertex], vertices[_WAITING, vertex] = _NONE, 0
    if status[0] == OK and chart[n - 1] == -np.inf:
        status[0] = NO_TREE
    if status[0] == OK or status[0] == NO_TREE:
        _decode(graph, decoded)


@compiled_apart
def _decode(graph: Hypergraph, decoded: Decoding) -> None:
    """Write labelled nodes and score of the best tree in single precision, as ``cky`` does."""
    n, highest = graph.n, decoded.highest
    chart, splits, nodes, stack = decoded.scratch
    for span in range(len(highest)):
        chart[span] = (
            highest[span] if graph.never_empty[span] else max(np.float32(0), highest[span])
        )
    fill_best(chart, chart, n, splits, splits)
    trace_nodes(chart, n, nodes, stack)
    out, total = 0, 0.0
    for node in range(2 * n - 1):
        span = row_start(nodes[node, 0], n) + nodes[node, 1]
        if graph.never_empty[span] or highest[span] > 0:
            label = best_label(graph.scores, span, 1)
            for part in range(2):
                decoded.spans[out, part] = nodes[node, part]
            decoded.spans[out, 2] = label
            out += 1
            total += graph.scores[span, label]
    decoded.size[0], decoded.total[0] = out, total


def best_trees(
    graph: Hypergraph, items: Items, trees: Listed, stack: Int32s, places: Int32s, state: Int64s
) -> None:
    """Write the best trees of a sentence that has one, as many as ``trees`` has space for, or all if they are fewer.

    Trees of minus infinity are left out. ``state`` (STATES,) begins as zeros. If there is no more space for nodes or
    items, its MORE is 1: with wider arrays, and the same state, the search continues from there. ``stack`` (2n + 2, 3)
    and ``places`` (n + 1, 3) are scratch space.
    """
    n = graph.n
    if state[BEGUN] == 0:
        state[BEGUN], state[ITEM] = 1, _first(graph, items, _SEQUENCE, _whole(0), n)
    state[MORE] = 0
    while state[ITEM] != _NONE:
        item = state[ITEM]
        if state[HEIGHT] == 0:
            written, found = state[WRITTEN], state[FOUND]
            # Of each of the tree's nodes at most four items are new.
            if written + 2 * n > len(trees.nodes) or items.used[0] + 8 * n > len(items.totals):
                state[MORE] = 1
                return
            size = _write_tree(graph, items, item, trees.nodes[written:], places)
            trees.counts[found], trees.totals[found] = size, items.totals[item]
            state[WRITTEN], state[FOUND] = written + size, found + 1
            if found + 1 == len(trees.counts):
                return
            stack[0, 0], stack[0, 1], stack[0, 2] = _SEQUENCE, 0, n
            state[HEIGHT] = 1
        state[HEIGHT] = _list_next(graph, items, stack, state[HEIGHT])
        if state[HEIGHT] > 0:
            state[MORE] = 1
            return
        state[ITEM] = items.links[_NEXT, item]


@compiled_apart
def _vertex(graph: Hypergraph, kind: int, start: int, end: int) -> int:
    return kind * span_count(graph.n) + row_start(start, graph.n) + end


@compiled_apart
def _new_item(items: Items, total: float, choice: int, left: int, right: int) -> int:
    item = _whole(items.used[0])
    items.used[0] += 1
    items.totals[item] = total
    links = items.links
    links[_CHOICE, item], links[_LEFT, item], links[_RIGHT, item] = choice, left, right
    links[_NEXT, item], links[_CHILD, item], links[_SIBLING, item] = _UNKNOWN, _NONE, _NONE
    return _whole(item)


@compiled_apart
def _choose(
    graph: Hypergraph, kind: int, start: int, end: int, below: float, last: int
) -> tuple[float, int]:
    """The best choice that comes after ``last``, whose score is ``below``; _NONE if there is none.

    Of equals the lowest comes first. Splits score the sum of the best parts on either side.
    """
    row = row_start(start, graph.n)
    if kind != _PARTS:
        empty = (kind == _SEQUENCE or end - start == 1) and not graph.never_empty[row + end]
        return _choose_label(graph.scores[row + end], 0 if empty else 1, np.float32(below), last)
    best, choice = -np.inf, _NONE
    for middle in range(start + 1, end):
        other = row_start(middle, graph.n)
        total = graph.pieces[row + middle] + graph.chart[other + end]
        if total > best and (total < below or (total == below and middle > last)):
            best, choice = total, middle
    return best, choice


@compiled_apart
def _choose_label(labels: Float32s, first: int, below: np.float32, last: int) -> tuple[float, int]:
    """Choose the next best label, from ``first`` on: three short loops, since they run in vectors."""
    if below < np.inf:
        place = lowest_label(labels, last + 1, below)
        if place < len(labels):
            return float(below), place
    best = _MINUS_INFINITY
    for label in range(first, len(labels)):
        # A sum, since a choice between two numbers is not made in vectors here.
        score = labels[label]
        best = larger(best, score + (_MINUS_INFINITY if score >= below else _ZERO))
    if best == -np.inf:
        return -np.inf, _NONE
    return float(best), lowest_label(labels, first, best)


@compiled_apart
def _first_parts(graph: Hypergraph, items: Items, start: int, end: int) -> int:
    """The first item of a span's parts; what is below it is found when it is requested."""
    vertices, vertex = graph.vertices, _vertex(graph, _PARTS, start, end)
    if vertices[_FIRST, vertex] == _UNKNOWN:
        if end - start == 1:
            item = _new_item(items, 0.0, _NONE, _NONE, _NONE)
            items.links[_NEXT, item] = _NONE
        else:
            best, middle = _choose(graph, _PARTS, start, end, np.inf, _NONE)
            item = _new_item(items, best, middle, _UNKNOWN, _UNKNOWN)
        vertices[_FIRST, vertex] = vertices[_LAST, vertex] = item
    return _whole(vertices[_FIRST, vertex])


@compiled_apart
def _first(graph: Hypergraph, items: Items, kind: int, start: int, end: int) -> int:
    """The first item of a piece or a sequence."""
    vertices, vertex = graph.vertices, _vertex(graph, kind, start, end)
    if vertices[_FIRST, vertex] == _UNKNOWN:
        parts = _first_parts(graph, items, start, end)
        best, label = _choose(graph, kind, start, end, np.inf, _NONE)
        item = _new_item(items, best + items.totals[parts], label, _NONE, parts)
        vertices[_FIRST, vertex] = vertices[_LAST, vertex] = item
    return _whole(vertices[_FIRST, vertex])


@compiled_apart
def _settle(graph: Hypergraph, items: Items, item: int, start: int, end: int) -> None:
    """Find the items below the parts of (start, end) where nobody has looked yet."""
    links = items.links
    if links[_LEFT, item] == _UNKNOWN:
        middle = _whole(links[_CHOICE, item])
        links[_LEFT, item] = _first(graph, items, _PIECE, start, middle)
        links[_RIGHT, item] = _first(graph, items, _SEQUENCE, middle, end)


@compiled_apart
def _list_next(graph: Hypergraph, items: Items, stack: Int32s, height: int) -> int:
    """List the next item of each vertex on a stack of this height, from the top, and whatever others that takes.

    What may follow a vertex's last item goes into its heap, each as soon as the item below that it
    needs is listed; then the best of the heap is listed. Returns the height that is left: 0, or
    more if there is no more space for items. The stack (2n + 2, 3) has kind, start and end.
    """
    first = graph.vertices[_FIRST]
    while height > 0:
        if items.used[0] + _ITEMS_A_STEP > len(items.totals):
            return height
        kind, start, end = (
            _whole(stack[height - 1, 0]),
            _whole(stack[height - 1, 1]),
            _whole(stack[height - 1, 2]),
        )
        vertex = _vertex(graph, kind, start, end)
        last = _whole(graph.vertices[_LAST, vertex])
        middle, kind_below = start, _PARTS
        if kind == _PARTS:
            _settle(graph, items, last, start, end)
            middle, kind_below = _whole(items.links[_CHOICE, last]), _SEQUENCE
        left, right = _whole(items.links[_LEFT, last]), _whole(items.links[_RIGHT, last])
        right_is_first = first[_vertex(graph, kind_below, middle, end)] == right
        if graph.vertices[_WAITING, vertex] == 0:
            if items.links[_NEXT, right] == _UNKNOWN:
                stack[height, 0], stack[height, 1], stack[height, 2] = kind_below, middle, end
                height += 1
                continue
            _wait(graph, items, last, vertex, left, _whole(items.links[_NEXT, right]))
            graph.vertices[_WAITING, vertex] = 1
        left_is_first = left == _NONE
        if kind == _PARTS and right_is_first:
            if items.links[_NEXT, left] == _UNKNOWN:
                stack[height, 0], stack[height, 1], stack[height, 2] = _PIECE, start, middle
                height += 1
                continue
            _wait(graph, items, last, vertex, _whole(items.links[_NEXT, left]), right)
            left_is_first = first[_vertex(graph, _PIECE, start, middle)] == left
        if left_is_first and right_is_first:
            _wait_with_next_choice(graph, items, last, (kind, start, end))
        _list_best(graph, items, last, vertex)
        height -= 1
    return height


@compiled_apart
def _wait(graph: Hypergraph, items: Items, last: int, vertex: int, left: int, right: int) -> None:
    """Put what follows ``last`` with one of the two below exchanged into the heap, if there is one."""
    below, links = items.totals, items.links
    old_left = _whole(links[_LEFT, last])
    if right == _NONE or (left == _NONE and old_left != _NONE):
        return
    if old_left == _NONE:
        labels = graph.scores[vertex % span_count(graph.n)]
        total = float(labels[links[_CHOICE, last]]) + below[right]
    else:
        total = below[left] + below[right]
    item = _new_item(items, total, _whole(links[_CHOICE, last]), left, right)
    heap = graph.vertices[_HEAP]
    heap[vertex] = _meld(items, _whole(heap[vertex]), item)


@compiled_apart
def _wait_with_next_choice(
    graph: Hypergraph, items: Items, last: int, place: tuple[int, int, int]
) -> None:
    """Put the next split point or label, with the first items below, into the heap."""
    kind, start, end = place
    vertex, parts = _vertex(graph, kind, start, end), _whole(items.links[_RIGHT, last])
    choice = _whole(items.links[_CHOICE, last])
    if kind == _PARTS:
        best, found = _choose(graph, kind, start, end, items.totals[last], choice)
        item = _new_item(items, best, found, _UNKNOWN, _UNKNOWN)
    else:
        score = 0.0 + graph.scores[row_start(start, graph.n) + end, choice]
        best, found = _choose(graph, kind, start, end, score, choice)
        item = _new_item(items, best + items.totals[parts], found, _NONE, parts)
    if found != _NONE:
        heap = graph.vertices[_HEAP]
        heap[vertex] = _meld(items, _whole(heap[vertex]), item)


@compiled_apart
def _list_best(graph: Hypergraph, items: Items, last: int, vertex: int) -> None:
    """Take the best out of the vertex's heap and list it after ``last``; _NONE if there is none."""
    vertices, links = graph.vertices, items.links
    best = _whole(vertices[_HEAP, vertex])
    links[_NEXT, last] = best
    if best != _NONE:
        vertices[_LAST, vertex], vertices[_WAITING, vertex] = best, 0
        vertices[_HEAP, vertex] = _without_top(items, best)


@compiled_apart
def _meld(items: Items, first: int, second: int) -> int:
    """The top of two heaps put together, either of which may be empty."""
    if first == _NONE or second == _NONE:
        return max(first, second)
    top, other = first, second
    if items.totals[second] > items.totals[first]:
        top, other = second, first
    items.links[_SIBLING, other] = items.links[_CHILD, top]
    items.links[_CHILD, top] = other
    return top


@compiled_apart
def _without_top(items: Items, top: int) -> int:
    """The heap that is left when its top is taken: its children are melded in pairs, then all."""
    sibling, pairs = items.links[_SIBLING], _NONE
    child = _whole(items.links[_CHILD, top])
    while child != _NONE:
        second = _whole(sibling[child])
        rest = _NONE if second == _NONE else _whole(sibling[second])
        pair = _meld(items, child, second)
        sibling[pair], pairs, child = pairs, pair, rest
    whole = _NONE
    while pairs != _NONE:
        rest = _whole(sibling[pairs])
        whole, pairs = _meld(items, whole, pairs), rest
    return whole


@compiled_apart
def _write_tree(graph: Hypergraph, items: Items, item: int, nodes: Int32s, stack: Int32s) -> int:
    """Write the labelled nodes of a whole sentence's item in pre-order; returns how many they are.

    ``stack`` is scratch space of shape (n + 1, 3) for start, end and item.
    """
    written, height, links = 0, 1, items.links
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, graph.n, item
    while height > 0:
        height -= 1
        start, end, at = (
            _whole(stack[height, 0]),
            _whole(stack[height, 1]),
            _whole(stack[height, 2]),
        )
        label = links[_CHOICE, at]
        if label > 0:
            nodes[written, 0], nodes[written, 1], nodes[written, 2] = start, end, label
            written += 1
        if end - start == 1:
            continue
        parts = _whole(links[_RIGHT, at])
        _settle(graph, items, parts, start, end)
        middle = links[_CHOICE, parts]
        stack[height, 0], stack[height, 1], stack[height, 2] = middle, end, links[_RIGHT, parts]
        height += 1
        stack[height, 0], stack[height, 1], stack[height, 2] = start, middle, links[_LEFT, parts]
        height += 1
    return written
