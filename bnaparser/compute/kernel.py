"""Compiled functions that Python calls: LLVM loads their machine code from a cache, and Numba is imported only to compile.

A kernel is a function of a heavy module (`*_loops`, which imports Numba), which only the compiler imports. `words`
says how it gets its arguments. Light: never imports Numba.
"""

from __future__ import annotations

import ctypes
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from bnaparser.compute.code_cache import CodeFile, log_once, writable_folder
from bnaparser.compute.processor import target_machine
from bnaparser.compute.words import Kind, check_arrays, flatten, parsed
from bnaparser.errors import SettingsError

NAME = "kernel"
_WATCH_SECONDS = 0.1
# Where a function of Numba's writes its result and the reason of an error, beside the status that it returns.
_ignored = (ctypes.c_int64 * 2)()
_IGNORED = ctypes.addressof(_ignored)


class Kernel:
    """A compiled function that writes to its arguments and returns nothing.

    Args:
        place: module and name of the function, such as "bnaparser.compute.matrix_loops:multiply_bytes".
        kinds: the type of each parameter, as `words` writes types.
    """

    def __init__(self, place: str, *kinds: Kind):
        self.place = place
        self.kinds = kinds
        self._kinds = tuple(parsed(kind) for kind in kinds)
        self._function: Callable[[int, int, int], int] | None = None

    def __call__(self, *arguments: Any) -> None:
        """Run the function without the GIL.

        Raises:
            TypeError: an argument has another type or number of dimensions, or is not C-contiguous.
        """
        words: list[int] = []
        flatten(self._kinds, arguments, words)
        row = array("q", words)
        function = self._function or self._load()
        if function(_IGNORED, _IGNORED + 8, row.buffer_info()[0]) != 0:
            raise RuntimeError(f"{self.place} failed")

    def compile(self) -> bytes:
        """Compile the function for this processor, write its machine code to the cache, and return the machine code."""
        from bnaparser.compute.kernel_compiler import compile_kernel

        module, _, name = self.place.partition(":")
        code = compile_kernel(getattr(import_module(module), name), self.kinds, NAME)
        self._file.write(code)
        return code

    def is_cached(self) -> bool:
        """Return whether the function is loaded, or its machine code for this processor is in the cache."""
        return self._function is not None or self._file.read() is not None

    @cached_property
    def _file(self) -> CodeFile:
        module, _, name = self.place.partition(":")
        return CodeFile(module, name, repr(self.kinds))

    def _load(self) -> Callable[[int, int, int], int]:
        code = self._file.read()
        if code is None and self.place in _in_background:
            _in_background[self.place].wait()
            code = self._file.read()
        if code is None:
            _log_compiling()
            code = self.compile()
        self._function = _machine_code(code)
        return self._function


def compile_in_background(groups: Sequence[Sequence[Kernel]]) -> None:
    """Start a process that compiles kernels. A call of one of these kernels waits for the end of the process.

    No process is started if all machine code is in the cache, or if the cache cannot be written.

    Args:
        groups: groups of kernels that take about the same time to compile. Each group gets a core.
    """
    missing = [
        [one for one in group if one.place not in _in_background and not one.is_cached()]
        for group in groups
    ]
    missing = [group for group in missing if group]
    if not missing or writable_folder() is None or not _is_python(sys.executable):
        return
    _log_compiling()
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
            named = [[(one.place, one.kinds) for one in group] for group in missing]
            pickle.dump((os.getpid(), named), process.stdin)
        _in_background.update({one.place: process for group in missing for one in group})


def _is_python(program: str | None) -> bool:
    """Return whether a program is a Python interpreter, not a program that embeds Python, such as uWSGI."""
    return Path(program or "").name.lower().startswith(("python", "pypy"))


def compile_missing() -> None:
    """Compile groups of kernels and write their machine code to the cache.

    Standard input has the process that waits, and the groups, pickled. This process ends with that one.
    """
    parent, named = pickle.load(sys.stdin.buffer)
    _end_with(parent)
    groups = [[Kernel(place, *kinds) for place, kinds in group] for group in named]
    # Numba needs a second for its first kernel. Processes that are forked afterwards do not need it again.
    groups[0].pop(0).compile()
    children: list[int] = []
    if hasattr(os, "fork"):
        while len(groups) > 1:
            child = os.fork()
            if not child:
                _end_with(os.getppid())
                groups, children = groups[-1:], []
                break
            children.append(child)
            groups.pop()
    for kernel in chain.from_iterable(groups):
        if not kernel.is_cached():
            kernel.compile()
    for child in children:
        os.waitpid(child, 0)


def _end_with(parent: int) -> None:
    """End this process soon after its parent has ended: nobody waits for the machine code any longer."""
    if sys.platform == "win32":  # where a launcher may stand between the two
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH_SECONDS)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


# The process that compiles a kernel, by the kernel's place.
_in_background: dict[str, subprocess.Popen[bytes]] = {}


def _log_compiling() -> None:
    log_once(
        logging.INFO,
        "compiling loops of the parser for this processor: the cache has no machine code of them yet; this takes 5 to 20 s",
    )


def check_compiler() -> None:
    """Raise SettingsError if NUMBA_DISABLE_JIT is set: a parser consists of compiled functions."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        raise SettingsError(
            "NUMBA_DISABLE_JIT is set, so nothing is compiled, and a parser consists of compiled functions:"
            " unset this variable"
        )


def _machine_code(code: bytes) -> Callable[[int, int, int], int]:
    """Load machine code and return its function; the first line of the code names the C functions that it calls."""
    check_arrays()
    names, _, code = code.partition(b"\n")
    for name in names.decode().split():
        _name_to_llvm(name)
    # The code lives as long as the engine.
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    return kind(engine.get_function_address(NAME))


_engines: list[Any] = []


@cache
def _name_to_llvm(name: str) -> None:
    """Register the address of a C function, such as "logf", in LLVM."""
    # On Windows there is no handle of the process itself: TypeError.
    with suppress(TypeError, AttributeError):
        address = ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value
        llvm.add_symbol(name, address)
        return
    import_module("numba")  # it tells LLVM the addresses of the C functions that it calls
