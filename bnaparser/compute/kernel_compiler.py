"""Kernels are compiled by Numba: functions of arrays become functions of one address.

def run(place):                             place ---> word 0: address of a numpy array
    rows, count, out = arguments(place)                word 1: a number
    function(rows, count, out)                         ...

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from bnaparser.compute.processor import target_machine
from bnaparser.compute.words import DATA_OFFSET, SHAPE_OFFSET, Kind

_LONG = ir.IntType(64)
_SCALARS = {
    "f4": types.float32, "f8": types.float64, "i1": types.int8, "i2": types.int16, "i4": types.int32,
    "i8": types.int64, "u1": types.uint8, "b1": types.boolean,
}  # fmt: skip


def compile_kernel(function: Callable[..., None], kinds: Sequence[Kind], called: str) -> bytes:
    """Return machine code for this processor, after a line with the names of the C functions that it calls.

    The machine code runs without Numba and Python. It has one function, which returns a status (int32, 0 for success)
    and takes three addresses: where a result is written, where the reason of an error is written, and the words of
    the arguments.

    Args:
        function: the function to compile. It makes no arrays except views of its arguments.
        kinds: the types of its parameters.
        called: the name of the function in the machine code.
    """
    run = numba.njit(
        nogil=True,
        error_model="numpy",
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(_of_one_address(function, _reader(kinds)))
    signature = types.void(types.intp)
    run.compile(signature)
    module = llvm.parse_assembly(run.inspect_llvm(signature.args))
    outside = []
    for one in module.functions:
        if not one.is_declaration and one.linkage == llvm.Linkage.external:
            one.name = called
        elif one.is_declaration and not one.name.startswith("llvm."):
            outside.append(one.name)
    code: bytes = target_machine().emit_object(module)
    return " ".join(outside).encode() + b"\n" + code


def _of_one_address(function: Callable[..., None], reader: Any) -> Callable[[int], None]:
    """Return the function with one parameter, the address ``place``, and a first line that reads the arguments there.

    A second function that calls the first would take half as long again to compile.
    """
    tree = ast.parse(inspect.getsource(function))
    (definition,) = (one for one in tree.body if isinstance(one, ast.FunctionDef))
    names = ", ".join(one.arg for one in definition.args.args)
    new = ast.parse(f"def run(place):\n    {names}, = arguments(place)")
    (run,) = (one for one in new.body if isinstance(one, ast.FunctionDef))
    run.body += definition.body
    run.name = function.__name__
    scope = {**function.__globals__, "arguments": reader}
    exec(compile(new, inspect.getfile(function), "exec"), scope)  # noqa: S102 (our own source)
    made: Callable[[int], None] = scope[run.name]
    return made


def _type(kind: Kind) -> types.Type:
    """Return the type that Numba has for a parameter."""
    if isinstance(kind, tuple):
        items = [_type(item) for item in kind[1:]]
        if kind[0] is tuple:
            return types.BaseTuple.from_types(items)
        return types.NamedTuple(items, kind[0])
    number, _, dimensions = kind.partition(":")
    scalar = _SCALARS[number]
    return types.Array(scalar, int(dimensions), "C") if dimensions else scalar


def _reader(kinds: Sequence[Kind]) -> Any:
    """Return a function for compiled code that makes a tuple of the arguments whose words begin at an address."""
    everything = types.BaseTuple.from_types([_type(kind) for kind in kinds])

    def typed(typing_context: Any, place: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
            words = _words(builder, given[0])
            return _read(context, builder, everything, words)

        return everything(types.intp), generate

    return intrinsic(typed)


def _words(builder: ir.IRBuilder, place: ir.Value) -> Iterator[ir.Value]:
    number = 0
    while True:
        yield _load(builder, builder.add(place, _LONG(8 * number)), _LONG)
        number += 1


def _load(builder: ir.IRBuilder, place: ir.Value, kind: ir.Type) -> ir.Value:
    return builder.load(builder.inttoptr(place, kind.as_pointer()))


def _read(context: Any, builder: ir.IRBuilder, kind: Any, words: Iterator[ir.Value]) -> ir.Value:
    """Return an argument from its words."""
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(
            builder, kind, [_read(context, builder, item, words) for item in kind]
        )
    word = next(words)
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, word)
    if isinstance(kind, types.Float):
        double = builder.bitcast(word, ir.DoubleType())
        return double if kind is types.float64 else builder.fptrunc(double, ir.FloatType())
    if kind is types.boolean:
        return builder.icmp_signed("!=", word, _LONG(0))
    return word


def _array(context: Any, builder: ir.IRBuilder, kind: Any, address: ir.Value) -> ir.Value:
    """Return Numba's view of a numpy array, whose numbers lie in one piece."""
    data = _load(builder, builder.add(address, _LONG(DATA_OFFSET)), _LONG)
    sizes = _load(builder, builder.add(address, _LONG(SHAPE_OFFSET)), _LONG)
    number = context.get_data_type(kind.dtype)
    shape = [
        _load(builder, builder.add(sizes, _LONG(8 * axis)), _LONG) for axis in range(kind.ndim)
    ]
    strides: list[ir.Value] = []
    step = _LONG(context.get_abi_sizeof(number))
    for size in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, size)
    array = context.make_array(kind)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(data, number.as_pointer()),
        shape=shape,
        strides=strides,
        itemsize=_LONG(context.get_abi_sizeof(number)),
        meminfo=None,
    )
    return array._getvalue()
