"""The first run on a machine: other processes compile what a sentence needs while this one reads the model.

this process   reads the model .......  waits ...........................  parses
another one    imports Numba, compiles sums of rows ..  attention ...... ends
its child                                               products, labels of spans, the best tree . ends
"""

from __future__ import annotations

from bnaparser.chart.cky import decode_best_group
from bnaparser.compute.attention import attend_kernel
from bnaparser.compute.cores import usable_cores
from bnaparser.compute.kernel import compile_in_background
from bnaparser.compute.multiply import multiply_bytes, multiply_floats
from bnaparser.compute.rowwise import add_scaled, normalise
from bnaparser.compute.span_labels import of_bytes, of_floats


def begin_first_run(precision: str) -> None:
    """Compile the kernels that a sentence needs, in the background; do nothing on a single core.

    Args:
        precision: "int8" or "float32"; with "auto" the model is taken for one that is stored in int8.
    """
    if usable_cores() < 2:
        return
    in_int8 = precision != "float32"
    multiply, of_spans = (multiply_bytes, of_bytes) if in_int8 else (multiply_floats, of_floats)
    compile_in_background(
        [[add_scaled, normalise, attend_kernel], [multiply, of_spans, decode_best_group]]
    )
