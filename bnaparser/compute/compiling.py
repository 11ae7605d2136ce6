"""Compiling with Numba, without Python's lock; the machine code of what Python calls is kept on disk.

Numba's own cache has an index beside the machine code. Two processes that write one at once can make it name the
other's code for good, and a folder that cannot be written is not read. Here each specialisation of a function is one
file. Its name is a hash of all that the code depends on, and its content is checked when it is read. There is no index
and no lock, and any state that a process leaves is either whole or ignored.

    FOLDER/products.multiply_bytes-SOURCES-KEY.code
        SOURCES   of the source files that the function may be made of
        KEY       of SOURCES, the types of the arguments, the processor and its instructions, Numba, LLVM and Python
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from bnaparser.errors import SettingsError

Function = TypeVar("Function", bound=Callable[..., Any])
_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent
_DIGEST = hashlib.sha256().digest_size
log = logging.getLogger(__name__)
# Functions that another process compiles just now.
_beside: dict[str, subprocess.Popen[bytes]] = {}


def compiled(
    function: Function,
    liberties: frozenset[str] | set[str] = frozenset(),
    borrowing: bool = False,
) -> Function:
    """Compile a function that other compiled functions call.

    Args:
        function: the function.
        liberties: what LLVM may do with its arithmetic, in LLVM's names, such as "reassoc". By default nothing:
            every processor computes the same numbers.
        borrowing: it makes no array of its own and counts no references to those that it is given.
    """
    # Numba optimises and writes the machine code of each function that is not inlined by itself, and again in each of
    # its callers: half of the time that compiling takes. With liberties of its own a function cannot be inlined.
    plain = not liberties and not borrowing
    return _njit(function, liberties, borrowing, inline="always" if plain else "never")


def entry(function: Function) -> Function:
    """Compile a function that Python calls, on its first call, and keep its machine code on disk."""
    dispatcher: Any = _njit(function)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache = KeptCode(function)
    return cast(Function, dispatcher)


def _njit(
    function: Function,
    liberties: frozenset[str] | set[str] = frozenset(),
    borrowing: bool = False,
    **options: Any,
) -> Function:
    if borrowing:
        options["_nrt"] = False
    return cast(
        Function,
        numba.njit(nogil=True, error_model="numpy", fastmath=set(liberties), **options)(function),
    )


class KeptCode:
    """The machine code of a function on disk: what Numba's dispatcher calls its cache.

    What cannot be read, or is damaged, is compiled anew. What cannot be written is not kept. Neither keeps anybody
    from computing.
    """

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        module = function.__module__.rpartition(".")[2]
        self._name = f"{module}.{function.__name__}"

    @cached_property
    def _sources(self) -> str:
        return _hash_of_sources(Path(self._function.__code__.co_filename))

    @property
    def cache_path(self) -> str | None:
        """The folder of the machine code that is written; None if no folder can be written."""
        return next((str(folder) for folder in _folders() if os.access(folder, os.W_OK)), None)

    def flush(self) -> None:
        """Do nothing: a file that is old is never read."""

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function for the types of a signature; None if no folder has it."""
        key = self._key(signature, target_context.codegen())
        found = self._read(key, target_context)
        if found is None and self._name in _beside:
            _beside[self._name].wait()
            found = self._read(key, target_context)
        if found is None:
            _tell_once()
        return found

    def _read(self, key: str, target_context: Any) -> Any:
        for folder in _folders():
            with suppress(Exception):  # of what a damaged pickle names anything may be raised
                content = (folder / self._file(key)).read_bytes()
                if content[:_DIGEST] == _checked(key, content[_DIGEST:]):
                    target_context.refresh()
                    return CompileResult._rebuild(target_context, *pickle.loads(content[_DIGEST:]))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled function to the first folder that can be written."""
        if result.library.has_dynamic_globals or any(not one.can_cache for one in result.lifted):
            return
        key = self._key(signature, result.codegen)
        code = dumps(result._reduce())
        for folder in _folders(making=True):
            with suppress(OSError):
                self._write(folder / self._file(key), _checked(key, code) + code)
                return

    def _write(self, file: Path, content: bytes) -> None:
        """Write a file in one step, and remove those of the function's earlier sources beside it."""
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".code-")
        try:
            with open(handle, "wb") as written:
                written.write(content)
            os.chmod(name, 0o644)  # another user of this installation may read it
            os.replace(name, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        for old in file.parent.glob(f"{self._name}-*.code"):
            if not old.name.startswith(f"{self._name}-{self._sources[:8]}-"):
                with suppress(OSError):
                    old.unlink()

    def _key(self, signature: Any, codegen: Any) -> str:
        parts = (
            self._name, self._sources, str(signature), codegen.magic_tuple(), numba.__version__, llvmlite.__version__,
            sys.implementation.cache_tag,
        )  # fmt: skip
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _file(self, key: str) -> str:
        return f"{self._name}-{self._sources[:8]}-{key[:32]}.code"


def is_kept(name: str) -> bool:
    """Return whether any folder has machine code of a function, such as "multiply.multiply_bytes"."""
    return any(True for folder in _folders() for _ in folder.glob(f"{name}-*.code"))


def compile_beside(command: Sequence[str], names: Iterable[str]) -> None:
    """Start a process that compiles functions, which this process waits for when it needs them.

    Nothing is started if its machine code could not be kept.
    """
    folder = next(_folders(making=True), None)
    if folder is None or not os.access(folder, os.W_OK) or numba.config.DISABLE_JIT:
        return
    nowhere = subprocess.DEVNULL
    with suppress(OSError):
        process = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        _tell_once()
        _beside.update(dict.fromkeys(names, process))


@cache
def _tell_once() -> None:
    """Log why the first sentence takes longer, once in a process."""
    log.info("compiling the parser's loops for this processor; later runs start at once")


def _checked(key: str, code: bytes) -> bytes:
    """Return the digest that a file begins with: of what was asked for, and of what it holds."""
    return hashlib.sha256(key.encode() + code).digest()


@cache
def _hash_of_sources(file: Path) -> str:
    """Return a hash of the files that a function may be made of: those of its package and of this one."""
    found = hashlib.sha256()
    for path in sorted({*file.parent.glob("*.py"), *_HERE.glob("*.py")}):
        with suppress(OSError):
            content = path.read_bytes()
            found.update(f"{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()


def _folders(making: bool = False) -> Iterator[Path]:
    """Yield the folders where machine code may lie, in the order in which they are read.

    They are NUMBA_CACHE_DIR alone, if it is set; otherwise the package's own folder, the user's cache folder and the
    user's folder among temporary files. With ``making`` they are made, and those that cannot be made are left out.
    """
    if numba.config.CACHE_DIR:
        places: tuple[Callable[[], Path | None], ...] = (lambda: Path(numba.config.CACHE_DIR),)
    else:
        places = (lambda: _PACKAGE / "__pycache__" / "machine-code", _of_user, _temporary)
    for place in places:
        with suppress(OSError, RuntimeError):
            folder = place()
            if folder is not None:
                if making:
                    folder.mkdir(parents=True, exist_ok=True)
                yield folder


def _of_user() -> Path | None:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return None if base is None else Path(base) / "bnaparser" / "machine-code"
    base = os.environ.get("XDG_CACHE_HOME")
    if base is None:
        home = Path.home()
        base = str(home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache")
    return Path(base) / "bnaparser" / "machine-code"


def _temporary() -> Path | None:
    """Return this user's folder among temporary files; None if another user has made it or may write to it.

    What lies there is run.
    """
    temporary = Path(tempfile.gettempdir())
    if not hasattr(os, "getuid"):  # Windows has a folder of its own for each user's temporary files
        return temporary / "bnaparser"
    folder = temporary / f"bnaparser-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if mine and not found.st_mode & 0o022 else None


def check_compiler() -> None:
    """Raise SettingsError where Numba was told to compile nothing: a parser is made of compiled functions."""
    if numba.config.DISABLE_JIT:
        raise SettingsError(
            "NUMBA_DISABLE_JIT is set, so nothing is compiled, and a parser consists of compiled functions:"
            " unset this variable"
        )
