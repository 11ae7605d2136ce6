"""Tiles of a matrix product, which stay in the processor's registers: written in LLVM's own language.

A tile is ROWS rows of A times a panel of columns of B. Of A each step takes four bytes a row, which
all lanes share: one float32, or as many small integers as are added up at once. B lies packed, what a
step needs side by side. Compilers do not find this by themselves. What follows the sums (scales, bias,
activation) is done while they are in the registers: for GELU, compilers take as long as for the product.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bnaparser.compute.float_vectors import (
    BYTE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    add_product,
    add_rounded_product,
    copy_numbers,
    declared,
    first_lanes,
    load,
    masked_load,
    masked_store,
    readable,
    shared,
    size_in_bytes,
    stack_space,
)
from bnaparser.compute.matrices import GELU, LEAKY_RELU, RELU
from bnaparser.compute.processor import ROWS, Instructions, instructions

# erf(x) = x P(x^2) / Q(x^2) within 4 on either side, as in Eigen's library; the highest power first.
_P = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
    -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_Q = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
    -1.42647390514189e-02,
)  # fmt: skip
_SQRT_HALF, _LEAK = 0.70710678, 0.01


class Finish(NamedTuple):
    """Where a tile goes, and what is done to it before.

    Addresses and distances in bytes: ``out`` and from row to row of it; ``width`` columns are written.
    ``bias``, ``scales`` and ``sums`` are of columns, ``row_scales`` of rows. With ``activation``, a
    number of ``activations``, column c of row r becomes
    ``activation((tile[r, c] + sums[c]) * (row_scales[r] * scales[c]) + bias[c])``; tiles of float32
    have neither scales nor sums.
    """

    out: ir.Value
    out_row: ir.Value
    width: ir.Value
    bias: ir.Value
    activation: ir.Value
    row_scales: ir.Value | None = None
    scales: ir.Value | None = None
    sums: ir.Value | None = None


class _Columns:
    """Reads and writes the columns of a tile that there are, a vector at a time."""

    def __init__(self, builder: ir.IRBuilder, lanes: int, vectors: int, width: ir.Value):
        self._builder = builder
        self._size = lanes * 4
        self._masks = None
        if instructions().masks:
            self._masks = [first_lanes(builder, width, lanes, v * lanes) for v in range(vectors)]

    def read(self, place: ir.Value, v: int, kind: ir.VectorType) -> ir.Value:
        """Return a vector of an array that begins at an address."""
        if self._masks is None:
            return load(self._builder, place, kind, v * self._size)
        there = self._builder.add(place, LONG(v * self._size))
        return masked_load(self._builder, there, kind, self._masks[v])

    def write(self, value: ir.Value, place: ir.Value, v: int) -> None:
        """Write a vector of an array that begins at an address."""
        there = self._builder.add(place, LONG(v * self._size))
        if self._masks is None:
            pointer = self._builder.inttoptr(there, value.type.as_pointer())
            self._builder.store(value, pointer).align = 4
        else:
            masked_store(self._builder, value, there, self._masks[v])


def write_finished(
    builder: ir.IRBuilder, tile: Sequence[ir.Value], rows: int, finish: Finish
) -> None:
    """Write a tile, vectors of rows one after another; the builder ends in a new block."""
    vectors = len(tile) // rows
    if instructions().masks:
        _write(builder, tile, rows, finish)
        return
    # Where the tile is wider than the output, the whole tile is written elsewhere first.
    panel = tile[0].type.count * vectors
    narrow = builder.icmp_signed("<", finish.width, LONG(panel))
    space = stack_space(builder, panel * rows)
    arrays = {
        name: readable(builder, place, finish.width, panel)
        for name in ("bias", "scales", "sums")
        if (place := getattr(finish, name)) is not None
    }
    out = builder.select(narrow, space, finish.out)
    out_row = builder.select(narrow, LONG(panel * 4), finish.out_row)
    _write(builder, tile, rows, finish._replace(out=out, out_row=out_row, **arrays))
    with builder.if_then(narrow):
        for row in range(rows):
            to = builder.add(finish.out, builder.mul(finish.out_row, LONG(row)))
            copy_numbers(builder, to, builder.add(space, LONG(row * panel * 4)), finish.width)


class Columns(NamedTuple):
    """Vectors that are read once for all rows of a tile: bias, scales and sums."""

    reader: _Columns
    bias: list[ir.Value]
    scales: list[ir.Value]
    sums: list[ir.Value]
    numbers: ir.VectorType


def read_columns(
    builder: ir.IRBuilder, finish: Finish, kind: ir.VectorType, vectors: int
) -> Columns:
    """Return what follows the sums of a tile whose vectors have such a type."""
    numbers = ir.VectorType(FLOAT, kind.count)
    reader = _Columns(builder, kind.count, vectors, finish.width)

    def of_columns(array: ir.Value | None, kind: ir.VectorType) -> list[ir.Value]:
        return [] if array is None else [reader.read(array, v, kind) for v in range(vectors)]

    bias = of_columns(finish.bias, numbers)
    scales, sums = of_columns(finish.scales, numbers), of_columns(finish.sums, kind)
    return Columns(reader, bias, scales, sums, numbers)


def write_row_finished(
    builder: ir.IRBuilder, sums: Sequence[ir.Value], columns: Columns, finish: Finish, row: ir.Value
) -> None:
    """Write a row of a tile, without the activation."""
    line = builder.add(finish.out, builder.mul(finish.out_row, row))
    row_scale = None
    if finish.row_scales is not None:
        place = builder.add(finish.row_scales, builder.mul(row, LONG(4)))
        row_scale = shared(builder, load(builder, place, FLOAT), columns.numbers.count)
    for v, value in enumerate(sums):
        if row_scale is None:
            value = builder.fadd(value, columns.bias[v])
        else:
            whole = builder.sitofp(builder.add(value, columns.sums[v]), columns.numbers)
            factor = builder.fmul(row_scale, columns.scales[v])
            value = add_rounded_product(builder, columns.bias[v], whole, factor)
        columns.reader.write(value, line, v)


def _write(builder: ir.IRBuilder, tile: Sequence[ir.Value], rows: int, finish: Finish) -> None:
    vectors = len(tile) // rows
    columns = read_columns(builder, finish, tile[0].type, vectors)
    for row in range(rows):
        sums = tile[row * vectors : (row + 1) * vectors]
        write_row_finished(builder, sums, columns, finish, LONG(row))
    activate(builder, LONG(rows), columns, finish)


def activate(builder: ir.IRBuilder, rows: ir.Value, columns: Columns, finish: Finish) -> None:
    """Apply the activation to what is written, a row at a time; the builder ends in a new block."""
    numbers, reader = columns.numbers, columns.reader
    done = builder.append_basic_block("finished")
    ways = {RELU: _relu, LEAKY_RELU: _leaky_relu, GELU: _gelu}
    blocks = {number: builder.append_basic_block("activation") for number in ways}
    before = builder.block
    choice = builder.switch(finish.activation, done)
    for number, block in blocks.items():
        choice.add_case(LONG(number), block)
        builder.position_at_end(block)
        row, line = builder.phi(LONG), builder.phi(LONG)
        for v in range(len(columns.bias)):
            found = ways[number](builder, reader.read(line, v, numbers))
            reader.write(found, line, v)
        following, below = builder.add(row, LONG(1)), builder.add(line, finish.out_row)
        for phi, first, then in ((row, LONG(0), following), (line, finish.out, below)):
            phi.add_incoming(first, before)
            phi.add_incoming(then, block)
        builder.cbranch(builder.icmp_signed("<", following, rows), block, done)
    builder.position_at_end(done)


def _relu(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    # A not-a-number is below nothing, and stays.
    zero = _all(x, 0)
    return builder.select(builder.fcmp_ordered("<", x, zero), zero, x)


def _leaky_relu(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    below = builder.fcmp_ordered("<", x, _all(x, 0))
    return builder.select(below, builder.fmul(x, _all(x, _LEAK)), x)


def _gelu(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    one_more = builder.fadd(_all(x, 1), _erf(builder, builder.fmul(x, _all(x, _SQRT_HALF))))
    return builder.fmul(builder.fmul(x, _all(x, 0.5)), one_more)


def _erf(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    lowest, highest = _all(x, -4), _all(x, 4)
    x = builder.select(builder.fcmp_ordered(">", x, lowest), x, lowest)
    x = builder.select(builder.fcmp_ordered("<", x, highest), x, highest)
    square = builder.fmul(x, x)
    p, q = (_polynomial(builder, square, factors) for factors in (_P, _Q))
    return builder.fdiv(builder.fmul(x, p), q)


def _polynomial(builder: ir.IRBuilder, x: ir.Value, factors: Sequence[float]) -> ir.Value:
    value = _all(x, factors[0])
    for factor in factors[1:]:
        value = add_rounded_product(builder, _all(x, factor), value, x)
    return value


def _all(like: ir.Value, number: float) -> ir.Constant:
    """The number in all lanes of such a vector."""
    return ir.Constant(like.type, [ir.Constant(FLOAT, number)] * like.type.count)


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
    """Return the function for this number of rows, with what follows the sums: the last arguments are those of `Finish`.

    Weights come from far away, each once a batch, and so are requested a panel before they are needed: where,
    and how far each step continues there, are two more arguments, the sixth and the seventh.
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
        prefetched = builder.add(far, builder.mul(step, far_step))
        places = max(1, vectors * size_in_bytes(of_b) // _LINE)
        part = builder.lshr(far_step, LONG(places.bit_length() - 1))
        for number in range(places):
            prefetch(builder, builder.add(prefetched, builder.mul(part, LONG(number))))
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
    """Return a function for compiled loops that takes a tuple of this number of whole numbers."""

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


def prefetch(builder: ir.IRBuilder, place: ir.Value, level: int = 1) -> None:
    """Prefetch a cache line at any address into the cache of this level, 1 or 2; if there is no memory, nothing happens."""
    pointer = BYTE.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, INT, INT, INT])
    to_read, locality, data = INT(0), INT(4 - level), INT(1)
    given = [builder.inttoptr(place, pointer), to_read, locality, data]
    builder.call(declared(builder, "llvm.prefetch.p0", kind), given)
