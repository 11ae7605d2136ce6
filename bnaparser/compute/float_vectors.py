"""Vectors of numbers in LLVM's language: what tiles and what follows them are written with.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils

from bnaparser.compute.processor import instructions

BIT, BYTE, SHORT, INT, LONG, FLOAT = (
    ir.IntType(1), ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType(),
)  # fmt: skip


def add_product(builder: ir.IRBuilder, sums: ir.Value, one: ir.Value, other: ir.Value) -> ir.Value:
    """Return ``sums + one * other`` of float32 vectors, rounded once where the machine can."""
    if not instructions().fused:
        return add_rounded_product(builder, sums, one, other)
    kind = sums.type
    return builder.call(
        declared(builder, f"llvm.fma.v{kind.count}f32", ir.FunctionType(kind, [kind] * 3)),
        [one, other, sums],
    )


def add_rounded_product(
    builder: ir.IRBuilder, sums: ir.Value, one: ir.Value, other: ir.Value
) -> ir.Value:
    """Return ``sums + one * other`` of float32 vectors, rounded twice on every processor."""
    return builder.fadd(sums, builder.fmul(one, other))


def declared(builder: ir.IRBuilder, name: str, kind: ir.FunctionType) -> ir.Function:
    """Return one of LLVM's own functions."""
    known = builder.module.globals.get(name)
    return known if known is not None else ir.Function(builder.module, kind, name)


def size_in_bytes(numbers: ir.VectorType) -> int:
    """Return how many bytes a vector has."""
    width = 32 if numbers.element is FLOAT else numbers.element.width
    return int(numbers.count * width) // 8


def load(builder: ir.IRBuilder, place: ir.Value, kind: ir.Type, offset: int = 0) -> ir.Value:
    """Read from an address plus an offset in bytes; the sum need not be a multiple of anything."""
    pointer = builder.inttoptr(builder.add(place, LONG(offset)), kind.as_pointer())
    loaded = builder.load(pointer)
    loaded.align = 1
    return loaded


def shared(builder: ir.IRBuilder, number: ir.Value, lanes: int) -> ir.Value:
    """Put one number into all lanes."""
    kind = ir.VectorType(number.type, lanes)
    nothing = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(nothing, number, INT(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(INT, lanes), [0] * lanes))


def first_lanes(builder: ir.IRBuilder, count: ir.Value, lanes: int, before: int = 0) -> ir.Value:
    """Return a mask of a vector's lanes: those of which the number, with ``before`` added, is below a count."""
    columns = ir.VectorType(INT, lanes)
    places = ir.Constant(columns, [before + lane for lane in range(lanes)])
    return builder.icmp_signed("<", places, shared(builder, builder.trunc(count, INT), lanes))


def masked_load(
    builder: ir.IRBuilder, place: ir.Value, kind: ir.VectorType, mask: ir.Value
) -> ir.Value:
    """Read the lanes of a mask from an address; the others are 0, and their memory is not touched."""
    pointer = kind.as_pointer()
    given = [builder.inttoptr(place, pointer), INT(4), mask, ir.Constant(kind, [0] * kind.count)]
    name = f"llvm.masked.load.v{kind.count}{_short(kind)}.p0"
    taken = ir.FunctionType(kind, [pointer, INT, _bits(kind), kind])
    return builder.call(declared(builder, name, taken), given)


def masked_store(builder: ir.IRBuilder, value: ir.Value, place: ir.Value, mask: ir.Value) -> None:
    """Write the lanes of a mask to an address; the memory of the others is not touched."""
    kind = value.type
    pointer = kind.as_pointer()
    name = f"llvm.masked.store.v{kind.count}{_short(kind)}.p0"
    taken = ir.FunctionType(ir.VoidType(), [kind, pointer, INT, _bits(kind)])
    builder.call(
        declared(builder, name, taken), [value, builder.inttoptr(place, pointer), INT(4), mask]
    )


def readable(builder: ir.IRBuilder, place: ir.Value, count: ir.Value, numbers: int) -> ir.Value:
    """Return an address from which ``numbers`` numbers of four bytes can be read, without masks.

    The first ``count`` are those at ``place``; the others are 0, and their memory is not touched.
    """
    copy = stack_space(builder, numbers)
    short = builder.icmp_signed("<", count, LONG(numbers))
    with builder.if_then(short):
        cgutils.memset(builder, builder.inttoptr(copy, BYTE.as_pointer()), LONG(4 * numbers), 0)
        copy_numbers(builder, copy, place, count)
    return builder.select(short, copy, place)


def copy_numbers(builder: ir.IRBuilder, to: ir.Value, place: ir.Value, count: ir.Value) -> None:
    """Copy numbers of four bytes from an address to another."""
    pointers = (builder.inttoptr(address, BYTE.as_pointer()) for address in (to, place))
    cgutils.raw_memcpy(builder, *pointers, count, 4)


def stack_space(builder: ir.IRBuilder, numbers: int, align: int = 16) -> ir.Value:
    """Return the address of scratch space for numbers of four bytes; it is a multiple of ``align`` bytes."""
    with builder.goto_entry_block():
        space = builder.alloca(INT, numbers)
        space.align = align
        return builder.ptrtoint(space, LONG)


def _bits(kind: ir.VectorType) -> ir.VectorType:
    return ir.VectorType(BIT, kind.count)


def _short(kind: ir.VectorType) -> str:
    return "f32" if kind.element is FLOAT else "i32"
