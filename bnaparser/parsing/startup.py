"""For programs that load a model: Python's garbage collector out of the way of the start, loops compiled beforehand."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Let the collector rest while libraries are imported and models are loaded in here.

    They make a million objects that stay: going through them again and again takes a second here,
    and later, now and then, would hold everything up for half a second. So what is there at the end
    is left out for good.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def compile_rest() -> None:
    """Compile the loops of all that goes beyond the best tree (probabilities, n-best trees, other decoders) in the background.

    A call of such a loop waits for it. Compiled in this process, they would leave 150 MB of Numba and LLVM in it.
    """
    from bnaparser.chart.cky import decode_group
    from bnaparser.chart.n_best import N_BEST_LOOPS
    from bnaparser.chart.probabilities import PROBABILITY_LOOPS
    from bnaparser.compute.kernel import compile_in_background
    from bnaparser.compute.span_labels import span_vectors

    compile_in_background([[decode_group, span_vectors, *N_BEST_LOOPS], PROBABILITY_LOOPS])
