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

# Bytes that memory gives at once.
_LINE = 64

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
        places = max(1, vectors * size_in_bytes(of_b) // _LINE)
        part = builder.lshr(far_step, LONG(places.bit_length() - 1))
        for number in range(places):
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
    """Return the products of bytes; their sums are exact, so all of these compute the same numbers."""
    numbers = ir.VectorType(INT, unit.lanes)
    of_b = ir.VectorType(BYTE, unit.group * unit.lanes)
    adds = {
        "vpdpbusd": _vpdpbusd, "vpmaddwd": _pmaddwd, "pmaddwd": _pmaddwd,
        "sdot": _sdot, "smull": _smull, "plain": _plain,
    }  # fmt: skip
    return _Product(numbers, of_b, adds[unit.int8])


def _vpdpbusd(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """Four unsigned bytes of A times four bytes of B."""
    kind = sums.type
    name = f"llvm.x86.avx512.vpdpbusd.{32 * kind.count}"
    taken = [sums, a, builder.bitcast(b, kind)]
    return builder.call(declared(builder, name, ir.FunctionType(kind, [kind] * 3)), taken)


def _pmaddwd(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """Two short numbers of A times two bytes of B."""
    names = {4: "sse2.pmadd.wd", 8: "avx2.pmadd.wd", 16: "avx512.pmaddw.d.512"}
    shorts = ir.VectorType(SHORT, 2 * sums.type.count)
    kind = ir.FunctionType(sums.type, [shorts, shorts])
    function = declared(builder, f"llvm.x86.{names[sums.type.count]}", kind)
    return builder.add(
        sums, builder.call(function, [builder.bitcast(a, shorts), builder.sext(b, shorts)])
    )


def _sdot(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """Four bytes of A times four bytes of B."""
    kind = ir.FunctionType(sums.type, [sums.type, b.type, b.type])
    function = declared(builder, "llvm.aarch64.neon.sdot.v4i32.v16i8", kind)
    return builder.call(function, [sums, builder.bitcast(a, b.type), b])


def _smull(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """Four bytes of A times four bytes of B, on ARM without a dot product."""
    products = _short_products(builder, a, b)
    kind = ir.FunctionType(sums.type, [products.type])
    function = declared(builder, "llvm.aarch64.neon.saddlp.v4i32.v8i16", kind)
    return builder.add(sums, builder.call(function, [products]))


def _plain(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """Four bytes of A times four bytes of B, on any processor."""
    products = _short_products(builder, a, b)
    even, odd = (
        builder.sext(_every_other(builder, products, first), sums.type) for first in (0, 1)
    )
    return builder.add(sums, builder.add(even, odd))


def _short_products(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return, for each four bytes, two sums of two products: short numbers are wide enough for them."""
    count = b.type.count // 2
    shorts = ir.VectorType(SHORT, count)

    def pairs(four: ir.Value, first: int) -> ir.Value:
        chosen = _every_other(builder, builder.bitcast(four, shorts), first)
        return builder.sext(builder.bitcast(chosen, ir.VectorType(BYTE, count)), shorts)

    one, other = (builder.mul(pairs(a, first), pairs(b, first)) for first in (0, 1))
    return builder.add(one, other)


def _every_other(builder: ir.IRBuilder, vector: ir.Value, first: int) -> ir.Value:
    """Return every second number of a vector, from the first or the second on."""
    places = list(range(first, vector.type.count, 2))
    chosen = ir.Constant(ir.VectorType(INT, len(places)), places)
    return builder.shuffle_vector(vector, vector, chosen)


def _prefetch(builder: ir.IRBuilder, place: ir.Value) -> None:
    """Ask for a cache line, wherever it is; where there is no memory nothing happens."""
    pointer = BYTE.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, INT, INT, INT])
    to_read, soon, data = INT(0), INT(3), INT(1)
    given = [builder.inttoptr(place, pointer), to_read, soon, data]
    builder.call(declared(builder, "llvm.prefetch.p0", kind), given)
