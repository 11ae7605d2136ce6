"""A model folder that is a zip, unpacked for as long as it is read."""

from __future__ import annotations

import errno
import lzma
import shutil
import struct
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import BENEPAR_WEIGHTS, CONFIG, ENCODER, WEIGHTS
from bnaparser.files.temporary import temporary_folder
from bnaparser.models.about import DATA, other_format

# Weights hardly compress, and texts some tenfold. A zip that unpacks to more than this holds no model.
_MOST_TIMES, _MOST_BYTES_BESIDE, _MOST_FILES = 20, 16 << 20, 1000

_DAMAGED = (
    BadZipFile,
    OSError,
    RuntimeError,  # encrypted, or of a packing that Python does not have
    EOFError,
    ValueError,  # a name that is not in the encoding it says, a place before the file's beginning
    struct.error,
    zlib.error,
    lzma.LZMAError,
)


@contextmanager
def unzipped(path: Path) -> Iterator[Path | None]:
    """Yield the model folder that a zip holds, which need not be at its top; None where it is a checkpoint of PyTorch.

    Only files that a model has are unpacked, and no more of them than a model of the zip's size can hold. A
    DataError, ModelError or SettingsError of the block names the zip instead of the temporary folder. Raises
    ModelError where the file is not a whole zip, holds no model, or one of a format that is not read here.
    """
    with _damage_told(path):
        archive = ZipFile(path)
    with archive:
        if any(PurePosixPath(name).name == "data.pkl" for name in archive.namelist()):
            yield None
            return
        members = _members(archive, path)
        with temporary_folder() as folder:
            with _damage_told(path):
                for name, member in members.items():
                    target = folder / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    # zipfile reads no more of a member than the size that it states.
                    with archive.open(member) as source, target.open("wb") as file:
                        shutil.copyfileobj(source, file, 1 << 20)
            if other := other_format(folder):
                raise ModelError(f"{path} {other}")
            try:
                yield folder
            except (DataError, ModelError, SettingsError) as error:
                raise type(error)(str(error).replace(str(folder), str(path))) from error


def _members(archive: ZipFile, path: Path) -> dict[PurePosixPath, ZipInfo]:
    """Return the files of the model in a zip by their names below its folder; ModelError where there is not one model."""
    top = _top(archive.namelist(), path)
    found: dict[PurePosixPath, ZipInfo] = {}
    for member in archive.infolist():
        name = PurePosixPath(member.filename.removeprefix(top))
        if not member.filename.startswith(top) or member.is_dir() or not _is_of_model(name):
            continue
        if name in found:
            raise _no_model(path, f"{member.filename!r} is in the archive twice")
        found[name] = member
    if not any(PurePosixPath(name) in found for name in (WEIGHTS, BENEPAR_WEIGHTS)):
        raise _no_model(path, f"the file {top + WEIGHTS!r} is missing")
    if len(found) > _MOST_FILES:
        raise _no_model(path, f"it has {len(found):,} files, more than a model has")
    _check_size(found.values(), path)
    return found


def _top(names: Collection[str], path: Path) -> str:
    """Return the folder of the model in a zip as the names of its files begin: "" or "folder/".

    Raises ModelError where the zip has no model, or several.
    """
    there = set(names)
    configs = [name for name in there if PurePosixPath(name).name == CONFIG]
    if not configs:
        raise _no_model(path, f"the file {CONFIG} is missing")
    tops = {name.removesuffix(CONFIG) for name in configs}
    models = {
        top for top in tops if any(top + weights in there for weights in (WEIGHTS, BENEPAR_WEIGHTS))
    }
    # An encoder's folder in a model may have weights of its own.
    models = {top for top in models if top.removesuffix(f"{ENCODER}/") not in models - {top}}
    if len(models) > 1:
        shown = sorted(repr(top.removesuffix("/") or ".") for top in models)
        more = f" and {len(shown) - 5:,} more" if len(shown) > 5 else ""
        raise ModelError(
            f"{path} has {len(models):,} models, in the folders {', '.join(shown[:5])}{more}: a zip file must have one"
            " model: unpack it, and give the folder of one model"
        )
    # Without weights: the error names the file that is missing in the topmost folder.
    return min(models or tops, key=lambda top: (top.count("/"), top))


def check_checkpoint(path: Path) -> None:
    """Raise ModelError where a checkpoint of PyTorch, which is a zip, would unpack to more than a model has."""
    if is_zipfile(path):
        with _damage_told(path), ZipFile(path) as archive:
            _check_size(archive.infolist(), path)


def _check_size(members: Collection[ZipInfo], path: Path) -> None:
    size = sum(member.file_size for member in members)
    packed = path.stat().st_size
    if size > _MOST_TIMES * packed + _MOST_BYTES_BESIDE:
        raise _no_model(
            path,
            f"it has {packed / 1e6:,.1f} MB and would unpack to {size / 1e6:,.0f} MB",
        )


def _is_of_model(name: PurePosixPath) -> bool:
    """Tell whether a name below a model's folder is that of a file that a model has."""
    if name.is_absolute() or ".." in name.parts:
        return False
    return any(map(name.match, (*DATA, BENEPAR_WEIGHTS)))


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Turn what zipfile raises, and a full disk, into a ModelError that names the zip."""
    try:
        yield
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ModelError(
                f"{path} cannot be unpacked: the disk for temporary files is full: name a folder on another disk in the variable TMPDIR"
            ) from error
        said = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else str(error) or type(error).__name__
        )
        raise _no_model(path, said) from error


def _no_model(path: Path, reason: str) -> ModelError:
    return ModelError(
        f"{path} is not a whole zip file of a model: {reason}; download or copy the model again"
    )
