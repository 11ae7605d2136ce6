"""Tiles of an int8 product in Intel's matrix registers (AMX): Sapphire Rapids and later.

A register is 16 rows of 64 bytes. One instruction (TDPBUSD) multiplies 64 inputs of 16 rows by 16 columns. The panels
of `matrices` have the layout that it takes. The sums are exact, so they are those of all other processors:

                 B: 16 steps of 4 inputs      one panel, 64 columns
                        +--------+--------+--------+--------+
                        |   _B   | _B + 1 |   _B   | _B + 1 |
                        +--------+--------+--------+--------+
    A: rows x 64 inputs      |        |        |        |
        +--------+      +--------+--------+--------+--------+
        |   _A   |  ->  |   0    |   1    |   2    |   3    |  sums, int32
        +--------+      +--------+--------+--------+--------+

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bnaparser.compute.float_vectors import BYTE, INT, LONG, SHORT, declared, load, stack_space
from bnaparser.compute.processor import AMX_ROWS, AMX_STEPS, instructions
from bnaparser.compute.tiles import (
    Finish,
    activate,
    prefetch,
    read_columns,
    write_row_finished,
)

_A, _B = 4, 5  # numbers of registers; the registers from 0 to 3 hold the sums
_LINE = 64  # bytes of a cache line, and of a row of a register
_VOID = ir.VoidType()


@intrinsic  # type: ignore[untyped-decorator]
def start_tiles(typing_context: Any, height: Any) -> Any:
    """Configure the matrix registers of this thread for tiles of ``height`` rows, 16 at most."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> ir.Value:
        settings = stack_space(builder, _LINE // 4)
        pointer = BYTE.as_pointer()
        cgutils.memset(builder, builder.inttoptr(settings, pointer), LONG(_LINE), 0)

        def write(place: int, number: ir.Value) -> None:
            at = builder.inttoptr(builder.add(settings, LONG(place)), number.type.as_pointer())
            builder.store(number, at)

        write(0, BYTE(1))  # the only layout of registers that there is
        for register in range(8):
            rows = BYTE(AMX_STEPS) if register >= _B else builder.trunc(values[0], BYTE)
            write(16 + 2 * register, SHORT(_LINE))
            write(48 + register, rows)
        _call(builder, "ldtilecfg", builder.inttoptr(settings, pointer))
        return context.get_dummy_value()

    return types.void(types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def end_tiles(typing_context: Any) -> Any:
    """Release the matrix registers of this thread: while they are in use, the system saves 8 kB at each change of threads."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        _call(builder, "tilerelease")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic  # type: ignore[untyped-decorator]
def write_amx_tile(typing_context: Any, height: Any, place: Any) -> Any:
    """Write a tile of ``height`` rows, the number that `start_tiles` was called with; ``place`` is the tuple of `finished_tile`."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> ir.Value:
        _write(builder, values[0], cgutils.unpack_tuple(builder, values[1], 15))
        return context.get_dummy_value()

    return types.void(types.intp, types.UniTuple(types.intp, 15)), generate


def _write(builder: ir.IRBuilder, height: ir.Value, place: list[ir.Value]) -> None:
    a, a_row, b, b_step, steps, ask, ask_step = place[:7]
    unit = instructions()
    for v in range(unit.wide):
        _call(builder, "tilezero", BYTE(v))
    blocks = builder.udiv(steps, LONG(AMX_STEPS))
    ask_block = builder.mul(ask_step, LONG(AMX_STEPS))
    lines = builder.udiv(ask_block, LONG(_LINE))
    with cgutils.for_range(builder, blocks, intp=LONG) as loop:
        there = builder.add(ask, builder.mul(loop.index, ask_block))
        with cgutils.for_range(builder, lines, intp=LONG) as line:
            # The first level holds what the next instructions read.
            prefetch(builder, builder.add(there, builder.mul(line.index, LONG(_LINE))), level=2)
        of_a = builder.add(a, builder.mul(loop.index, LONG(4 * AMX_STEPS)))
        of_b = builder.add(b, builder.mul(loop.index, builder.mul(b_step, LONG(AMX_STEPS))))
        _move(builder, "tileloadd64", _A, of_a, a_row)
        for v in range(unit.wide):
            _move(builder, "tileloadd64", _B + v % 2, builder.add(of_b, LONG(v * _LINE)), b_step)
            _call(builder, "tdpbusd", BYTE(v), BYTE(_A), BYTE(_B + v % 2))
    size, kind = unit.panel * 4, ir.VectorType(INT, unit.lanes)
    sums = stack_space(builder, unit.panel * AMX_ROWS, align=_LINE)
    for v in range(unit.wide):
        _move(builder, "tilestored64", v, builder.add(sums, LONG(v * _LINE)), LONG(size))
    finish = Finish(*place[7:])
    columns = read_columns(builder, finish, kind, unit.wide)
    with cgutils.for_range(builder, height, intp=LONG) as row:
        line = builder.add(sums, builder.mul(row.index, LONG(size)))
        values = [load(builder, line, kind, v * _LINE) for v in range(unit.wide)]
        write_row_finished(builder, values, columns, finish, row.index)
    activate(builder, height, columns, finish)


def _move(builder: ir.IRBuilder, name: str, register: int, place: ir.Value, row: ir.Value) -> None:
    """Read or write a register at an address; ``row`` is the number of bytes from row to row there."""
    _call(builder, name, BYTE(register), builder.inttoptr(place, BYTE.as_pointer()), row)


def _call(builder: ir.IRBuilder, name: str, *operands: ir.Value) -> None:
    """Call one of LLVM's functions for x86."""
    kind = ir.FunctionType(_VOID, [one.type for one in operands])
    builder.call(declared(builder, f"llvm.x86.{name}", kind), operands)
