"""Tiles of a matrix product, which stay in the processor's registers: written in LLVM's own language.

A tile is ROWS rows of A times a panel of columns of B. Of A each step takes four bytes a row, which
all lanes share: one float32, or as many small integers as are added up at once. B lies packed, what a
step needs side by side. Compilers do not find this by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bnaparser.compute.finishing import Finish, write_finished
from bnaparser.compute.float_vectors import (
    BYTE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    add_product,
    add_rounded_product,
    declared,
    load,
    shared,
    size_in_bytes,
)
from bnaparser.compute.instructions import ROWS, Instructions, instructions

# Places asked for in a step, where a tile asks for what is needed after it.
_ASKED = 4

# Adds a step's products to a vector of sums: (builder, sums, four bytes of A in all lanes, B).
_Add = Callable[[ir.IRBuilder, ir.Value, ir.Value, ir.Value], ir.Value]


class _Product(NamedTuple):
    """Vectors of sums and of what a step takes of B, and how its products are added."""

    numbers: ir.VectorType
    of_b: ir.VectorType
    add: _Add


def tile(kind: str, vectors: int) -> Any:
    """Return a function for compiled loops that computes one tile; ``kind`` is "int8", "float32" or "unfused".

    "unfused" is float32 with products rounded before they are added: the same numbers on every processor.
    It takes a tuple of addresses and distances in bytes: those of A and from row to row of A, those
    of B and from step to step of B, the number of steps, at least one, where to write the tile, int32
    or float32, and from row to row there.
    """
    product = _product(kind)

    def write(builder: ir.IRBuilder, given: list[ir.Value]) -> None:
        *factors, out, out_row = given
        for number, value in enumerate(_sum_up(builder, factors, product, ROWS, vectors)):
            row, v = divmod(number, vectors)
            line = builder.add(out, builder.mul(out_row, LONG(row)))
            place = builder.add(line, LONG(v * size_in_bytes(value.type)))
            builder.store(value, builder.inttoptr(place, value.type.as_pointer())).align = 4

    return _as_intrinsic(write, 7)


def finished_tile(kind: str, rows: int, vectors: int) -> Any:
    """Return the same, of so many rows, with what follows the sums: the last arguments are those of `Finish`.

    Weights come from far away, each once a batch, and so are asked for a panel before they are needed: where,
    and how far each step goes on there, are two more arguments, the sixth and the seventh.
    """
    product, count = _product(kind), 12 if kind == "float32" else 15

    def write(builder: ir.IRBuilder, given: list[ir.Value]) -> None:
        sums = _sum_up(builder, given[:5], product, rows, vectors, given[5:7])
        write_finished(builder, sums, rows, Finish(*given[7:]))

    return _as_intrinsic(write, count)


def _product(kind: str) -> _Product:
    unit = instructions()
    if kind == "int8":
        return _int8(unit)
    numbers = ir.VectorType(FLOAT, unit.lanes)
    return _Product(numbers, numbers, add_product if kind == "float32" else add_rounded_product)


def _sum_up(
    builder: ir.IRBuilder,
    given: list[ir.Value],
    product: _Product,
    height: int,
    vectors: int,
    ask: Sequence[ir.Value] = (),
) -> list[ir.Value]:
    """Return a tile, a vector after another of a row after another; the builder ends in a new block."""
    a, a_row, b, b_step, steps = given
    numbers, of_b = product.numbers, product.of_b
    before = builder.block
    loop, done = builder.append_basic_block("steps"), builder.append_basic_block("done")
    rows = [builder.add(a, builder.mul(a_row, LONG(row))) for row in range(height)]
    builder.branch(loop)
    builder.position_at_end(loop)
    step, here = builder.phi(LONG), builder.phi(LONG)
    sums = [builder.phi(numbers) for _ in range(height * vectors)]
    of_step = [load(builder, here, of_b, v * size_in_bytes(of_b)) for v in range(vectors)]
    if ask:
        far, far_step = ask
        asked = builder.add(far, builder.mul(step, far_step))
        part = builder.lshr(far_step, LONG(_ASKED.bit_length() - 1))
        for number in range(_ASKED):
            _prefetch(builder, builder.add(asked, builder.mul(part, LONG(number))))
    after: list[ir.Value] = []
    for row in rows:
        place = builder.add(row, builder.mul(step, LONG(4)))
        of_a = shared(builder, load(builder, place, numbers.element), numbers.count)
        after += [
            product.add(builder, sums[len(after) + v], of_a, of_step[v]) for v in range(vectors)
        ]
    following = builder.add(step, LONG(1))
    zero = ir.Constant(numbers, [0] * numbers.count)
    counters = [(step, LONG(0), following), (here, b, builder.add(here, b_step))]
    for phi, first, then in [*counters, *((s, zero, t) for s, t in zip(sums, after, strict=True))]:
        phi.add_incoming(first, before)
        phi.add_incoming(then, loop)
    builder.cbranch(builder.icmp_signed("<", following, steps), loop, done)
    builder.position_at_end(done)
    return after


def _as_intrinsic(write: Callable[[ir.IRBuilder, list[ir.Value]], None], count: int) -> Any:
    """Return a function for compiled loops that takes a tuple of so many whole numbers."""

    def typed(typing_context: Any, given: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
            write(builder, cgutils.unpack_tuple(builder, given[0], count))
            return context.get_dummy_value()

        return types.void(types.UniTuple(types.intp, count)), generate

    return intrinsic(typed)


def _int8(unit: Instructions) -> _Product:
    numbers = ir.VectorType(INT, unit.lanes)
    of_b = ir.VectorType(BYTE, unit.group * unit.lanes)
    shorts = ir.VectorType(SHORT, 2 * unit.lanes)
    bits = 32 * unit.lanes

    def add(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
        if unit.int8 == "vpdpbusd":
            name = f"llvm.x86.avx512.vpdpbusd.{bits}"
            taken = [sums, a, builder.bitcast(b, numbers)]
            kind = ir.FunctionType(numbers, [numbers] * 3)
            return builder.call(declared(builder, name, kind), taken)
        if unit.int8 == "plain":
            return builder.add(sums, builder.mul(a, builder.sext(b, numbers)))
        name = "llvm.x86.avx512.pmaddw.d.512" if bits == 512 else "llvm.x86.avx2.pmadd.wd"
        kind = ir.FunctionType(numbers, [shorts, shorts])
        taken = [builder.bitcast(a, shorts), builder.sext(b, shorts)]
        return builder.add(sums, builder.call(declared(builder, name, kind), taken))

    return _Product(numbers, of_b, add)


def _prefetch(builder: ir.IRBuilder, place: ir.Value) -> None:
    """Ask for a cache line, wherever it is; where there is no memory nothing happens."""
    pointer = BYTE.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, INT, INT, INT])
    to_read, soon, data = INT(0), INT(3), INT(1)
    given = [builder.inttoptr(place, pointer), to_read, soon, data]
    builder.call(declared(builder, "llvm.prefetch.p0", kind), given)
