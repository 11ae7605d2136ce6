"""The n best trees of each sentence of a batch, the decoder's first: the compiled loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnaparser.chart.compiled import compiled_borrowing
from bnaparser.chart.kernels import NO_TREE, OK, Layout, best_label, trace_nodes
from bnaparser.chart.lazy import best_trees, start_search
from bnaparser.chart.recursion import fill_best, row_start, span_count
from bnaparser.chart.spans import Bools, Float32s, Float64s, Int32s, Int64s
from bnaparser.compute.compiling import compiled, entry


class TreeLists(NamedTuple):
    """The trees of a group, sentence after sentence.

    ``nodes`` (all trees' nodes, 3): start, end and label of labelled nodes in pre-order; ``sizes``
    and ``totals`` (trees,): how many nodes a tree has, and its score.
    """

    nodes: Int32s
    sizes: Int64s
    totals: Float64s


@entry
def list_group(
    scores: Float32s,
    never_empty: Bools,
    count: int,
    layout: Layout,
    counts: Int64s,
    status: Int64s,
    begin: int,
    end: int,
) -> TreeLists:
    """The ``count`` best trees of the sentences begin..end of a batch, or all if they are fewer.

    Written are ``counts`` and ``status``, one entry a sentence: how many trees it has, and a code
    of ``kernels``. Where every tree scores minus infinity (NO_TREE) the decoder's is listed.
    """
    used = np.zeros(2, np.int64)
    lists = TreeLists(np.empty((1024, 3), np.int32), np.empty(64, np.int64), np.empty(64))
    for sentence in range(begin, end):
        n, first = layout.words[sentence], layout.spans[sentence]
        size = span_count(n)
        rows, full = scores[first : first + size], never_empty[first : first + size]
        highest = np.empty(size, np.float32)
        graph, status[sentence] = start_search(rows, full, n, highest)
        if status[sentence] != OK and status[sentence] != NO_TREE:
            continue
        best, total = _decoded(rows, full, n, highest)
        place = used[1]
        lists = _with_tree(lists, used, best, total)
        if status[sentence] == OK and count > 1:
            nodes, sizes, totals = best_trees(graph, count)
            top = 0
            for tree in range(len(sizes)):
                spans = nodes[top : top + sizes[tree]]
                top += sizes[tree]
                if used[1] - place < count and not _same(spans, best):
                    lists = _with_tree(lists, used, spans, totals[tree])
        counts[sentence] = used[1] - place
    return TreeLists(
        lists.nodes[: used[0]].copy(), lists.sizes[: used[1]].copy(), lists.totals[: used[1]].copy()
    )


@compiled
def _decoded(
    scores: Float32s, never_empty: Bools, n: int, highest: Float32s
) -> tuple[Int32s, float]:
    """Labelled nodes and score of the tree that CKY finds in single precision, as ``cky`` does."""
    chart = np.empty(len(highest), np.float32)
    for span in range(len(highest)):
        chart[span] = highest[span] if never_empty[span] else max(np.float32(0), highest[span])
    splits = np.empty(n + 1, np.float32)
    fill_best(chart, chart, n, splits, splits)
    nodes, stack = np.empty((2 * n - 1, 2), np.int32), np.empty((n + 1, 2), np.int32)
    trace_nodes(chart, n, nodes, stack)
    spans, out, total = np.empty((2 * n - 1, 3), np.int32), 0, 0.0
    for node in range(2 * n - 1):
        span = row_start(nodes[node, 0], n) + nodes[node, 1]
        if never_empty[span] or highest[span] > 0:
            label = best_label(scores, span, 1)
            spans[out, 0], spans[out, 1], spans[out, 2] = nodes[node, 0], nodes[node, 1], label
            out += 1
            total += scores[span, label]
    return spans[:out], total


@compiled_borrowing
def _same(first: Int32s, second: Int32s) -> bool:
    """Tell whether two trees have the same nodes."""
    if len(first) != len(second):
        return False
    # From the end, where trees that are much alike seldom are: the first nodes are the large ones.
    for node in range(len(first) - 1, -1, -1):
        for part in range(3):
            if first[node, part] != second[node, part]:
                return False
    return True


@compiled
def _with_tree(lists: TreeLists, used: Int64s, nodes: Int32s, total: float) -> TreeLists:
    """The lists with one tree more; ``used`` counts nodes and trees."""
    top, tree = used[0], used[1]
    if top + len(nodes) > len(lists.nodes):
        wider = np.empty((2 * (top + len(nodes)), 3), np.int32)
        wider[:top] = lists.nodes[:top]
        lists = TreeLists(wider, lists.sizes, lists.totals)
    if tree == len(lists.sizes):
        sizes, totals = np.empty(2 * tree, np.int64), np.empty(2 * tree)
        sizes[:tree], totals[:tree] = lists.sizes, lists.totals
        lists = TreeLists(lists.nodes, sizes, totals)
    lists.nodes[top : top + len(nodes)] = nodes
    lists.sizes[tree], lists.totals[tree] = len(nodes), total
    used[0], used[1] = top + len(nodes), tree + 1
    return lists
