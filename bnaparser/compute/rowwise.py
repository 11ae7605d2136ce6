"""What is done to each row by itself: sums with another row, layer normalisation."""

from __future__ import annotations

from bnaparser.compute.kernel import Kernel

# (rows, added, gain, bias, epsilon, out) and (total, rows, factor), as `row_loops` says.
normalise = Kernel(
    "bnaparser.compute.row_loops:normalise", "f4:2", "f4:2", "f4:1", "f4:1", "f4", "f4:2"
)
add_scaled = Kernel("bnaparser.compute.row_loops:add_scaled", "f4:2", "f4:2", "f4")
