"""Which of the machine's instructions the products use: what Numba compiles for says it.

Numba compiles for the machine that it runs on, unless NUMBA_CPU_NAME and NUMBA_CPU_FEATURES name another
one; so tests compute as an older machine would.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from numba.core.registry import cpu_target

Int8Product = Literal["vpdpbusd", "vpmaddwd", "plain"]


class Instructions(NamedTuple):
    """Vectors and products.

    ``lanes`` are the float32 numbers of a vector, ``wide`` and ``narrow`` the vectors across a tile
    of a product; ``fused`` tells whether a product is added in one instruction. ``int8`` is how bytes
    are multiplied, ``group`` how many of them are multiplied and added up in a lane at once.
    """

    lanes: int
    wide: int
    narrow: int
    fused: bool
    int8: Int8Product
    group: int

    @property
    def int8_pays(self) -> bool:
        """Whether bytes are multiplied faster than float32 numbers are."""
        return self.int8 != "plain"

    @property
    def panel(self) -> int:
        """Columns of a tile."""
        return self.lanes * self.wide


@cache
def instructions() -> Instructions:
    """Return what the machine that Numba compiles for can do."""
    features = set(cpu_target.target_context.codegen().magic_tuple()[2].split(","))
    if "+avx512bw" in features:
        wide = Instructions(16, 4, 2, True, "vpmaddwd", 2)
        return wide._replace(int8="vpdpbusd", group=4) if "+avx512vnni" in features else wide
    if {"+avx2", "+fma"} <= features:
        half = Instructions(8, 2, 2, True, "vpmaddwd", 2)
        return half._replace(int8="vpdpbusd", group=4) if "+avxvnni" in features else half
    return Instructions(4, 2, 2, False, "plain", 1)
