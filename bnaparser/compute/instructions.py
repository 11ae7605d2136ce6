"""Which of the processor's instructions the products use, and the shape of their tiles."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from bnaparser.compute.processor import processor

# Rows of a tile: with 4 vectors across 24 of 32 registers hold sums, with 2 across 12 of 16.
ROWS = 6
# Rows of a small tile, for what is left: as many sums as products are under way at once.
FEW_ROWS = 2

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
    features = set(processor().features.split(","))
    if "+avx512bw" in features:
        wide = Instructions(16, 4, 2, True, "vpmaddwd", 2)
        return wide._replace(int8="vpdpbusd", group=4) if "+avx512vnni" in features else wide
    if {"+avx2", "+fma"} <= features:
        half = Instructions(8, 2, 2, True, "vpmaddwd", 2)
        return half._replace(int8="vpdpbusd", group=4) if "+avxvnni" in features else half
    return Instructions(4, 2, 2, False, "plain", 1)
