"""Compiled functions that Python calls: their machine code is read from disk, and no compiler is imported for it.

A kernel is a function of a module that only the compiler imports. `words` says how it gets its arguments.
"""

from __future__ import annotations

import ctypes
import logging
import os
import pickle
import subprocess
import sys
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from bnaparser.compute.kept_code import CodeFile, tell_once, writable_folder
from bnaparser.compute.processor import target_machine
from bnaparser.compute.words import Kind, check_arrays, flatten, parsed
from bnaparser.errors import SettingsError

NAME = "kernel"
# What Numba's functions write beside their status: a result, which is none, and why one failed.
_ignored = (ctypes.c_int64 * 2)()
_IGNORED = ctypes.addressof(_ignored)


class Kernel:
    """A compiled function that writes to the arrays it is given and returns nothing.

    Args:
        place: its module and its name there, such as "bnaparser.compute.products:multiply_bytes".
        kinds: what its parameters are, in order.
    """

    def __init__(self, place: str, *kinds: Kind):
        self.place = place
        self.kinds = kinds
        self._kinds = tuple(parsed(kind) for kind in kinds)
        self._function: Callable[[int, int, int], int] | None = None

    def __call__(self, *arguments: Any) -> None:
        """Run the function, without Python's lock.

        Raises TypeError if an argument is not what the kernel takes.
        """
        words: list[int] = []
        flatten(self._kinds, arguments, words)
        row = array("q", words)
        function = self._function or self._load()
        if function(_IGNORED, _IGNORED + 8, row.buffer_info()[0]) != 0:
            raise RuntimeError(f"{self.place} failed")

    def compile(self) -> bytes:
        """Compile the function for this processor, keep its machine code on disk, and return it."""
        from bnaparser.compute.kernel_compiler import compile_kernel

        module, _, name = self.place.partition(":")
        code = compile_kernel(getattr(import_module(module), name), self.kinds, NAME)
        self._file.write(code)
        return code

    def is_kept(self) -> bool:
        """Return whether the machine code for this processor is on disk."""
        return self._file.read() is not None

    @cached_property
    def _file(self) -> CodeFile:
        module, _, name = self.place.partition(":")
        return CodeFile(module, name, repr(self.kinds))

    def _load(self) -> Callable[[int, int, int], int]:
        code = self._file.read()
        if code is None and self.place in _beside:
            _beside[self.place].wait()
            code = self._file.read()
        if code is None:
            _tell()
            code = self.compile()
        self._function = _machine_code(code)
        return self._function


def compile_beside(groups: Sequence[Sequence[Kernel]]) -> None:
    """Start a process that compiles kernels; this process waits for its end when it calls one of them.

    Nothing is started for what is compiled already, or if the machine code could not be kept.

    Args:
        groups: kernels that take about the same time; each group is compiled on a core of its own.
    """
    missing = [
        [one for one in group if one.place not in _beside and not one.is_kept()] for group in groups
    ]
    missing = [group for group in missing if group]
    if not missing or writable_folder() is None or not _is_python(sys.executable):
        return
    _tell()
    command = f"import sys; sys.path[:] = {sys.path!r}; from bnaparser.compute.kernel import compile_missing; compile_missing()"
    with suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        with process.stdin:
            pickle.dump(
                [[(one.place, one.kinds) for one in group] for group in missing], process.stdin
            )
        _beside.update({one.place: process for group in missing for one in group})


def _is_python(program: str | None) -> bool:
    """Return whether a program is Python's interpreter, not one that has Python inside, such as uWSGI."""
    return Path(program or "").name.lower().startswith(("python", "pypy"))


def compile_missing() -> None:
    """Compile the groups of kernels that standard input names, pickled, and keep their machine code."""
    groups = [
        [Kernel(place, *kinds) for place, kinds in group] for group in pickle.load(sys.stdin.buffer)
    ]
    # The first kernel takes the compiler a second more, which a process that is forked then has behind it.
    groups[0].pop(0).compile()
    children = []
    if hasattr(os, "fork"):
        while len(groups) > 1 and (child := os.fork()):
            children.append(child)
            groups.pop()
        groups = groups[-1:]
    for group in groups:
        for kernel in group:
            if not kernel.is_kept():
                kernel.compile()
    for child in children:
        os.waitpid(child, 0)


# Kernels that other processes compile just now.
_beside: dict[str, subprocess.Popen[bytes]] = {}


def _tell() -> None:
    tell_once(
        logging.INFO,
        "compiling loops of the parser for this processor: they are not kept yet, and it takes some 10 to 30 s",
    )


def check_compiler() -> None:
    """Raise SettingsError where Numba was told to compile nothing: a parser consists of compiled functions."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        raise SettingsError(
            "NUMBA_DISABLE_JIT is set, so nothing is compiled, and a parser consists of compiled functions:"
            " unset this variable"
        )


def _machine_code(code: bytes) -> Callable[[int, int, int], int]:
    """Return the function that machine code has; the first line names the functions of the system that it calls."""
    check_arrays()
    names, _, code = code.partition(b"\n")
    for name in names.decode().split():
        _name_to_llvm(name)
    # LLVM's engine ends with its module, and takes the code along.
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    return kind(engine.get_function_address(NAME))


_engines: list[Any] = []


@cache
def _name_to_llvm(name: str) -> None:
    """Tell LLVM where a function of the system is, such as "logf"."""
    with suppress(
        TypeError, AttributeError
    ):  # Windows has no such list, or the function is elsewhere
        address = ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value
        llvm.add_symbol(name, address)
        return
    import_module("numba")  # which adds its own
