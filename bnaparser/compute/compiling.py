"""Compiling with Numba, without Python's lock; the machine code of what Python calls is kept on disk.

Numba's own cache has an index beside the machine code. Two processes that write one at once can make it name the
other's code for good, and a folder that cannot be written is not read. Here each specialisation of a function is one
file. Its name has hashes of all that the code depends on, and its content is checked when it is read. There is no index
and no lock, and any state that a process leaves is either whole or ignored.

    FOLDER/multiply.multiply_bytes-SOURCES-COMPILER-TYPES.code
        SOURCES    the source files that the function may be made of
        COMPILER   the processor and its instructions, Numba, its settings, LLVM, numpy and Python
        TYPES      the types of the arguments

The code is run. So a file is read only if it belongs to this user, to root or to the owner of the program, and if nobody
else may write to it. Where another user's file has the name already, ``-USER`` follows TYPES.
"""

from __future__ import annotations

import errno
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
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from bnaparser.errors import SettingsError

Function = TypeVar("Function", bound=Callable[..., Any])
_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent
_DIGEST = hashlib.sha256().digest_size
# Settings of Numba that change the machine code.
_SETTINGS = [
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "USING_SVML",
]
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
        """The folder that machine code is written to; None if no folder can be written."""
        folder = _writable_folder()
        return None if folder is None else str(folder)

    def flush(self) -> None:
        """Do nothing: a file that is old is never read."""

    def has_any(self, codegen: Any) -> bool:
        """Return whether any folder has machine code of the function for a compiler, for any types of arguments."""
        begin = self._begin(_hash(_compiler(codegen)))
        for folder in _folders():
            with suppress(OSError):
                if next(folder.glob(f"{begin}-*.code"), None):
                    return True
        return False

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function for the types of a signature; None if no folder has it."""
        found = self._read(signature, target_context)
        if found is None and self._name in _beside:
            _beside[self._name].wait()
            found = self._read(signature, target_context)
        if found is None:
            _tell_once(
                logging.INFO,
                "compiling loops of the parser for this processor: it takes some 10 to 30 s, once on this machine",
            )
        return found

    def _read(self, signature: Any, target_context: Any) -> Any:
        stem, key = self._stem_and_key(signature, target_context.codegen())
        for folder in _folders():
            for file in _names(folder / stem):
                with suppress(Exception):  # of what a damaged pickle names anything may be raised
                    content = _read_safely(file)
                    if content[:_DIGEST] == _checked(key, content[_DIGEST:]):
                        target_context.refresh()
                        return CompileResult._rebuild(
                            target_context, *pickle.loads(content[_DIGEST:])
                        )
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled function to the first folder that can be written; log why, if there is none."""
        if result.library.has_dynamic_globals or any(not one.can_cache for one in result.lifted):
            return
        stem, key = self._stem_and_key(signature, result.codegen)
        code = dumps(result._reduce())
        reasons = []
        for folder in _folders():
            try:
                _make(folder)
                _write(folder / stem, _checked(key, code) + code)
                self._remove_old(folder)
                return
            except OSError as error:
                reasons.append(f"{folder}: {error.strerror or error}")
        _tell_once(
            logging.WARNING,
            "machine code cannot be kept, so each run compiles again; NUMBA_CACHE_DIR=FOLDER names a folder"
            f" that can be written ({'; '.join(reasons)})",
        )

    def _remove_old(self, folder: Path) -> None:
        """Remove what was compiled of earlier sources of the package, in its own folder.

        In other folders it may be the code of another installation, of another version.
        """
        if folder != _folder_of_package():
            return
        for old in folder.glob(f"{self._name}-*.code"):
            if not old.name.startswith(f"{self._name}-{self._sources[:8]}-"):
                with suppress(OSError):
                    old.unlink()

    def _stem_and_key(self, signature: Any, codegen: Any) -> tuple[str, str]:
        """Return the name of a file without its ending, and all that its code depends on."""
        compiler, types = _compiler(codegen), str(signature)
        stem = f"{self._begin(_hash(compiler))}-{_hash(types)[:16]}"
        return stem, repr((self._name, self._sources, compiler, types))

    def _begin(self, compiler: str) -> str:
        return f"{self._name}-{self._sources[:8]}-{compiler[:8]}"


def is_kept(function: Any) -> bool:
    """Return whether any folder has machine code of a function that `entry` returned, for this processor."""
    return bool(function._cache.has_any(function.targetctx.codegen()))


def compile_beside(command: Sequence[str], names: Iterable[str]) -> None:
    """Start a process that compiles functions, which this process waits for when it needs them.

    Nothing is started if its machine code could not be kept.
    """
    if numba.config.DISABLE_JIT or _writable_folder() is None:
        return
    nowhere = subprocess.DEVNULL
    with suppress(OSError):
        process = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        _beside.update(dict.fromkeys(names, process))


@cache
def _tell_once(level: int, message: str) -> None:
    """Log why a sentence takes longer, each reason once in a process."""
    log.log(level, message)


def _compiler(codegen: Any) -> str:
    """Return what compiles, with the settings that change what it makes."""
    settings = {name: str(getattr(numba.config, name, None)) for name in _SETTINGS}
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag
    return repr((codegen.magic_tuple(), settings, versions))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


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


def _folders() -> Iterator[Path]:
    """Yield the folders where machine code may lie, in the order in which they are read.

    They are NUMBA_CACHE_DIR alone, if it is set; otherwise the package's own folder, the user's cache folder and the
    user's folder among temporary files. They need not exist.
    """
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR)
        return
    yield _folder_of_package()
    for folder in (_of_user(), _temporary()):
        if (
            folder is not None and folder.is_absolute()
        ):  # one that is not would be another in each working directory
            yield folder


def _folder_of_package() -> Path:
    return _PACKAGE / "__pycache__" / "machine-code"


def _of_user() -> Path | None:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    else:
        base = os.environ.get("XDG_CACHE_HOME")
        with suppress(RuntimeError):  # no home
            base = base or str(
                Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
            )
    return Path(base) / "bnaparser" / "machine-code" if base else None


def _temporary() -> Path | None:
    """Return a folder of this user's own among temporary files; None where the user's cache folder is always there."""
    if sys.platform == "win32":
        return None
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"bnaparser-{os.geteuid()}"


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)


def _writable_folder() -> Path | None:
    """Return the first folder that can be written, after making it."""
    for folder in _folders():
        with suppress(OSError):
            _make(folder)
            if os.access(folder, os.W_OK):
                return folder
    return None


def _write(stem: Path, content: bytes) -> None:
    """Write a file in one step; raise OSError where it cannot be written or would not be read."""
    folder = stem.parent
    handle, name = tempfile.mkstemp(dir=folder, prefix=".code-")
    try:
        with open(handle, "wb") as written:
            written.write(content)
            if sys.platform != "win32":
                os.fchmod(handle, 0o644)  # another user of this installation may read it
            if not _is_safe(os.fstat(handle), folder):
                raise PermissionError(errno.EPERM, "files there get another owner")
        names = _names(stem)
        os.replace(name, next(filter(_is_free, names), names[-1]))
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _names(stem: Path) -> list[Path]:
    """Return the names that a file may have, in the order in which they are read: a plain one, and one of this user."""
    plain = stem.with_name(f"{stem.name}.code")
    if sys.platform == "win32":
        return [plain]
    return [plain, stem.with_name(f"{stem.name}-{os.geteuid()}.code")]


def _is_free(file: Path) -> bool:
    """Return whether a file may be replaced: it is not there, or would be read."""
    try:
        return _is_safe(file.lstat(), file.parent)
    except OSError:
        return True


def _read_safely(file: Path) -> bytes:
    """Return what is in a file; raise PermissionError if another user may have written it."""
    with open(file, "rb", opener=_open_safely) as opened:
        if not _is_safe(os.fstat(opened.fileno()), file.parent):
            raise PermissionError(errno.EPERM, "another user may have written it", str(file))
        return opened.read()


def _open_safely(file: str, flags: int) -> int:
    """Open a file to read it, but follow no link, and wait for no pipe's writer."""
    return os.open(file, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_safe(found: os.stat_result, folder: Path) -> bool:
    """Return whether a file in a folder can be run: nobody has written it who could not change this program anyway."""
    if sys.platform == "win32":  # its folders are each user's own
        return True
    trusted = (os.geteuid(), 0, _PACKAGE.stat().st_uid)
    if not stat.S_ISREG(found.st_mode) or found.st_uid not in trusted or found.st_mode & 0o022:
        return False
    # With a second name it may be any file of ours, if others may give it a name in this folder.
    return found.st_nlink == 1 or not folder.stat().st_mode & 0o022


def check_compiler() -> None:
    """Raise SettingsError where Numba was told to compile nothing: a parser is made of compiled functions."""
    if numba.config.DISABLE_JIT:
        raise SettingsError(
            "NUMBA_DISABLE_JIT is set, so nothing is compiled, and a parser consists of compiled functions:"
            " unset this variable"
        )
