"""The first run on a machine: a second process compiles the loops that are needed last while this one goes on.

this process    reads the model ...  compiles products and attention ............  reads what the other has written
the other one   compiles the best labels of spans and the best tree ...... ends
"""

from __future__ import annotations

import sys

import numpy as np

from bnaparser.chart.kernels import decode_best_group
from bnaparser.compute.compiling import compile_beside, is_kept
from bnaparser.compute.cores import usable_threads
from bnaparser.compute.packed import pack_bytes, pack_floats
from bnaparser.compute.span_labels import ScorerWeights, best_labels, posts_of_spans

# What needs no weights, and is needed last.
_FUNCTIONS = ("kernels.decode_best_group", "span_labels._of_bytes", "span_labels._of_floats")
_CODE = "import sys; sys.path[:] = {path!r}; from bnaparser.network.compiled.first_run import compile_last; compile_last({in_int8})"


def begin_first_run(in_int8: bool) -> None:
    """Start the second process, unless the machine code is there or there is no second core."""
    if usable_threads() > 1 and not is_kept(decode_best_group):
        code = _CODE.format(path=sys.path, in_int8=in_int8)
        compile_beside([sys.executable, "-c", code], _FUNCTIONS)


def compile_last(in_int8: bool) -> None:
    """Compile the best labels of spans and the best tree: compute them of one word."""
    from bnaparser.chart import decode_best_packed
    from bnaparser.network.best_labels import packed_best

    one = np.ones(1, np.float32)
    weights = ScorerWeights(one, one, one, np.float32(1), one)
    matrix = np.ones((1, 1), np.float32)
    packed = pack_bytes(matrix) if in_int8 else pack_floats(matrix)
    found = best_labels(
        np.ones((2, 1), np.float32), *posts_of_spans(np.ones(1, np.int64)), weights, packed
    )
    best = packed_best(*found, [1], True)
    decode_best_packed(best.scores, best.labels, best.root_scores, best.root_labels, [1], 1)
