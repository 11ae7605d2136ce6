"""Where machine code is kept: also where neither the package nor a home can be written."""

from __future__ import annotations

import errno
import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

from bnaparser.compute import compiling
from bnaparser.compute.compiling import compiled


@pytest.fixture(autouse=True)
def nowhere_to_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Numba finds no folder of its own, and refuses to keep anything unless it is given one."""
    njit = numba.njit

    def refuse(*functions: Any, **options: Any) -> Any:
        if options.get("cache") and not numba.config.CACHE_DIR:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*functions, **options)

    monkeypatch.setattr(numba, "njit", refuse)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield


def one_more(number: int) -> int:
    return number + 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows: temporary files are one's own")
def test_it_is_kept_among_temporary_files_where_only_the_user_may_write(tmp_path: Path) -> None:
    assert compiled(one_more)(1) == 2
    folder = Path(numba.config.CACHE_DIR)
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbi"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows: temporary files are one's own")
def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / f"bnaparser-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    assert compiled(one_more)(1) == 2
    assert not list(folder.iterdir())


def test_where_nothing_can_be_written_it_compiles_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert compiled(one_more)(1) == 2


def test_what_another_version_kept_with_classes_that_are_no_more_is_compiled_anew(
    tmp_path: Path,
) -> None:
    assert compiled(one_more)(1) == 2
    (index,) = tmp_path.rglob("*.nbi")
    version = pickle.loads(index.read_bytes())  # the file's first of two pickles
    # The second is a pickle within a pickle: here of a class that this module never had.
    gone = b"c" + __name__.encode() + b"\nGone\n."
    index.write_bytes(pickle.dumps(version) + gone)
    assert compiled(one_more)(1) == 2


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damaged", [b"", b"\0" * 2000, None])
def test_what_is_kept_and_damaged_is_compiled_and_kept_anew(
    tmp_path: Path, kind: str, damaged: bytes | None
) -> None:
    assert compiled(one_more)(1) == 2
    (file,) = tmp_path.rglob(f"*.{kind}")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damaged is None else damaged)
    assert compiled(one_more)(1) == 2
    again = compiled(one_more)
    assert again(1) == 2
    assert again.stats.cache_hits  # type: ignore[attr-defined]


def test_it_is_old_when_a_file_of_its_room_or_of_this_one_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [tmp_path / "chart", tmp_path / "compute"]
    monkeypatch.setattr(compiling, "_HERE", rooms[1])
    stamps = []
    for room in [*rooms, *rooms]:
        room.mkdir(exist_ok=True)
        with (room / "loops.py").open("a", encoding="utf-8") as file:
            file.write("# more\n")
        compiling._stamp.cache_clear()
        stamps.append(compiling._stamp(rooms[0]))
    assert len(set(stamps)) == 4
    compiling._stamp.cache_clear()


def test_a_full_disk_keeps_nothing_and_nobody_from_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*paths: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert compiled(one_more)(1) == 2
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
