"""The cache of the machine code of kernels on disk.

Each kernel's code for one processor is one file. Its name has hashes of all that the code depends on, and its content
is checked when it is read. There is no index and no lock, and any state that a process leaves is either whole or ignored.

    FOLDER/matrix_loops.multiply_bytes-SOURCES-COMPILER-KINDS.code
        SOURCES    the source files that the kernel may be made of
        COMPILER   the processor and its instructions, Numba, its settings, LLVM
        KINDS      the kinds of the arguments

The code is run. So a file is read only if it belongs to this user, to root or to the owner of the program, and if nobody
else may write to it. Where another user's file has the name already, ``-USER`` follows KINDS.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import llvmlite

from bnaparser.compute.processor import processor

_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent
_DIGEST = hashlib.sha256().digest_size
# Settings of Numba that change the machine code.
_SETTINGS = (
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "BOUNDSCHECK",
    "DEBUGINFO",
    "DISABLE_INTEL_SVML",
)
log = logging.getLogger(__name__)


class CodeFile:
    """The file of a kernel's machine code for this processor, in the first folder that has it.

    What cannot be read, or is damaged, is as good as not there. What cannot be written is not kept. Neither keeps
    anybody from computing.

    Args:
        module: the module that the kernel is in.
        name: the kernel's name there.
        kinds: what its parameters are.
    """

    def __init__(self, module: str, name: str, kinds: str):
        self._name = f"{module.rpartition('.')[2]}.{name}"
        self._sources = _hash_of_sources(_folder_of(module))
        compiler = _compiler()
        self._stem = f"{self._name}-{self._sources[:8]}-{_hash(compiler)[:8]}-{_hash(kinds)[:16]}"
        self._key = repr((self._name, self._sources, compiler, kinds))

    def read(self) -> bytes | None:
        """Return the machine code; None if no folder has it."""
        for folder in folders():
            for file in _names(folder / self._stem):
                with suppress(OSError):
                    content = _read_safely(file)
                    if content[:_DIGEST] == self._checked(content[_DIGEST:]):
                        return content[_DIGEST:]
        return None

    def write(self, code: bytes) -> None:
        """Write machine code to the first folder that can be written; log why, if there is none."""
        reasons = []
        for folder in folders():
            try:
                _make(folder)
                _write(folder / self._stem, self._checked(code) + code)
                self._remove_old(folder)
                return
            except OSError as error:
                reasons.append(f"{folder}: {error.strerror or error}")
        log_once(
            logging.WARNING,
            "machine code cannot be kept, so each run compiles again; NUMBA_CACHE_DIR=FOLDER names a folder"
            f" that can be written ({'; '.join(reasons)})",
        )

    def _checked(self, code: bytes) -> bytes:
        """Return the digest that a file begins with: of what was requested, and of what it holds."""
        return hashlib.sha256(self._key.encode() + code).digest()

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


@cache
def log_once(level: int, message: str) -> None:
    """Log why a sentence takes longer, each reason once in a process."""
    log.log(level, message)


@cache
def _compiler() -> str:
    """Return what compiles, with the settings that change what it makes."""
    settings = {name: os.environ.get(f"NUMBA_{name}") for name in _SETTINGS}
    return repr(
        (processor(), settings, version("numba"), llvmlite.__version__, object.__basicsize__)
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _folder_of(module: str) -> Path:
    """Return the folder of a module, which is not imported for it."""
    spec = find_spec(module.rpartition(".")[0])
    places = None if spec is None else spec.submodule_search_locations
    return Path(places[0]) if places else _HERE


@cache
def _hash_of_sources(folder: Path) -> str:
    """Return a hash of the files that a kernel may be made of: those of its folder and of this one."""
    found = hashlib.sha256()
    for path in sorted({*folder.glob("*.py"), *_HERE.glob("*.py")}):
        with suppress(OSError):
            content = path.read_bytes()
            found.update(f"{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()


def folders() -> Iterator[Path]:
    """Yield the folders where machine code may lie, in the order in which they are read.

    They are NUMBA_CACHE_DIR alone, if it is set; otherwise the package's own folder, the user's cache folder and the
    user's folder among temporary files. They need not exist.
    """
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(named)
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
    """Return a folder of this user's own among temporary files; None if the user's cache folder is always there."""
    if sys.platform == "win32":
        return None
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"bnaparser-{os.geteuid()}"


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)


def writable_folder() -> Path | None:
    """Return the first folder that can be written, after making it."""
    for folder in folders():
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
    # A file with a second name may be any file of this user, if others may create names in this folder.
    return found.st_nlink == 1 or not folder.stat().st_mode & 0o022
