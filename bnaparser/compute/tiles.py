"""Tiles of a matrix product, which stay in the processor's registers: written in LLVM's own language.

A tile is ROWS rows of A times a panel of columns of B. Of A each step takes four bytes a row, which
all lanes share: one float32, or as many small integers as are added up at once. B lies packed, what a
step needs side by side. Compilers do not find this by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bnaparser.compute.instructions import Instructions, instructions

# Rows of a tile: with 4 vectors across 24 of 32 registers hold sums, with 2 across 12 of 16.
ROWS = 6
# Weights come from far away, each once a batch: they are asked for some steps before they are needed.
_STEPS_AHEAD, _CACHE_LINE = 4, 64

_BYTE, _SHORT, _INT, _LONG, _FLOAT = (
    ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType(),
)  # fmt: skip
# Adds a step's products to a vector of sums: (builder, sums, four bytes of A in all lanes, B).
_Add = Callable[[ir.IRBuilder, ir.Value, ir.Value, ir.Value], ir.Value]


class _Product(NamedTuple):
    """Vectors of sums and of what a step takes of B, and how its products are added."""

    numbers: ir.VectorType
    of_b: ir.VectorType
    add: _Add


def tile(kind: str, vectors: int) -> Any:
    """Return a function for compiled loops that computes one tile; ``kind`` is "int8" or "float32".

    It takes addresses and distances in bytes: those of A and from row to row of A, those of B and from
    step to step of B, the number of steps, at least one, and where to write the tile, rows one after
    another, int32 or float32.
    """
    unit = instructions()
    product = _float(unit) if kind == "float32" else _int8(unit)

    def write(builder: ir.IRBuilder, given: list[ir.Value]) -> None:
        _write_tile(builder, given, product, vectors)

    return _as_intrinsic(write)


def _write_tile(
    builder: ir.IRBuilder, given: list[ir.Value], product: _Product, vectors: int
) -> None:
    a, a_row, b, b_step, steps, out = given
    numbers, of_b = product.numbers, product.of_b
    before = builder.block
    loop, done = builder.append_basic_block("steps"), builder.append_basic_block("done")
    rows = [builder.add(a, builder.mul(a_row, _LONG(row))) for row in range(ROWS)]
    builder.branch(loop)
    builder.position_at_end(loop)
    step, here = builder.phi(_LONG), builder.phi(_LONG)
    sums = [builder.phi(numbers) for _ in range(ROWS * vectors)]
    of_step = [_load(builder, here, of_b, size=v * _bytes(of_b)) for v in range(vectors)]
    step_size = vectors * _bytes(of_b)
    for offset in range(0, step_size, _CACHE_LINE):
        _prefetch(builder, builder.add(here, _LONG(_STEPS_AHEAD * step_size + offset)))
    after: list[ir.Value] = []
    for row in rows:
        place = builder.add(row, builder.mul(step, _LONG(4)))
        shared = _shared(builder, _load(builder, place, numbers.element), numbers.count)
        after += [
            product.add(builder, sums[len(after) + v], shared, of_step[v]) for v in range(vectors)
        ]
    following = builder.add(step, _LONG(1))
    zero = ir.Constant(numbers, [0] * numbers.count)
    counters = [(step, _LONG(0), following), (here, b, builder.add(here, b_step))]
    for phi, first, then in [*counters, *((s, zero, t) for s, t in zip(sums, after, strict=True))]:
        phi.add_incoming(first, before)
        phi.add_incoming(then, loop)
    builder.cbranch(builder.icmp_signed("<", following, steps), loop, done)
    builder.position_at_end(done)
    for number, value in enumerate(after):
        place = builder.add(out, _LONG(number * _bytes(numbers)))
        builder.store(value, builder.inttoptr(place, numbers.as_pointer())).align = 4


def _as_intrinsic(write: Callable[[ir.IRBuilder, list[ir.Value]], None]) -> Any:
    def typed(
        typing_context: Any, a: Any, a_row: Any, b: Any, b_step: Any, steps: Any, out: Any
    ) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
            write(builder, given)
            return context.get_dummy_value()

        return types.void(*[types.intp] * 6), generate

    return intrinsic(typed)


def _float(unit: Instructions) -> _Product:
    numbers = ir.VectorType(_FLOAT, unit.lanes)

    def add(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
        if not unit.fused:
            return builder.fadd(sums, builder.fmul(a, b))
        return builder.call(_named(builder, f"llvm.fma.v{unit.lanes}f32", numbers, 3), [a, b, sums])

    return _Product(numbers, numbers, add)


def _int8(unit: Instructions) -> _Product:
    numbers = ir.VectorType(_INT, unit.lanes)
    of_b = ir.VectorType(_BYTE, unit.group * unit.lanes)
    shorts = ir.VectorType(_SHORT, 2 * unit.lanes)
    bits = 32 * unit.lanes

    def add(builder: ir.IRBuilder, sums: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
        if unit.int8 == "vpdpbusd":
            name = f"llvm.x86.avx512.vpdpbusd.{bits}"
            taken = [sums, a, builder.bitcast(b, numbers)]
            return builder.call(_named(builder, name, numbers, 3), taken)
        if unit.int8 == "plain":
            return builder.add(sums, builder.mul(a, builder.sext(b, numbers)))
        name = "llvm.x86.avx512.pmaddw.d.512" if bits == 512 else "llvm.x86.avx2.pmadd.wd"
        kind = ir.FunctionType(numbers, [shorts, shorts])
        taken = [builder.bitcast(a, shorts), builder.sext(b, shorts)]
        return builder.add(sums, builder.call(_declared(builder, name, kind), taken))

    return _Product(numbers, of_b, add)


def _named(builder: ir.IRBuilder, name: str, numbers: ir.VectorType, count: int) -> ir.Function:
    return _declared(builder, name, ir.FunctionType(numbers, [numbers] * count))


def _declared(builder: ir.IRBuilder, name: str, kind: ir.FunctionType) -> ir.Function:
    known = builder.module.globals.get(name)
    return known if known is not None else ir.Function(builder.module, kind, name)


def _bytes(numbers: ir.VectorType) -> int:
    width = 32 if numbers.element is _FLOAT else numbers.element.width
    return int(numbers.count * width) // 8


def _load(builder: ir.IRBuilder, place: ir.Value, kind: ir.Type, size: int = 0) -> ir.Value:
    pointer = builder.inttoptr(builder.add(place, _LONG(size)), kind.as_pointer())
    loaded = builder.load(pointer)
    loaded.align = 1
    return loaded


def _prefetch(builder: ir.IRBuilder, place: ir.Value) -> None:
    """Ask for a cache line, wherever it is; where there is no memory nothing happens."""
    pointer = _BYTE.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, _INT, _INT, _INT])
    to_read, soon, data = _INT(0), _INT(3), _INT(1)
    given = [builder.inttoptr(place, pointer), to_read, soon, data]
    builder.call(_declared(builder, "llvm.prefetch.p0", kind), given)


def _shared(builder: ir.IRBuilder, number: ir.Value, lanes: int) -> ir.Value:
    """Put one number into all lanes."""
    kind = ir.VectorType(number.type, lanes)
    nothing = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(nothing, number, _INT(0))
    return builder.shuffle_vector(
        one, nothing, ir.Constant(ir.VectorType(_INT, lanes), [0] * lanes)
    )


@intrinsic  # type: ignore[untyped-decorator]
def float_of_bits(typing_context: Any, bits: Any) -> Any:
    """Read an int32's bits as a float32."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        return builder.bitcast(given[0], _FLOAT)

    return types.float32(types.int32), generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the larger of two float32 numbers; loops over it become vector instructions."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        kind = ir.FunctionType(_FLOAT, [_FLOAT, _FLOAT])
        return builder.call(
            _declared(builder, "llvm.maxnum.f32", kind), given, fastmath=("nnan", "nsz")
        )

    return types.float32(types.float32, types.float32), generate
