"""Where machine code is kept, and that no state of its folders gives wrong code or keeps anybody from computing."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import pytest

from bnaparser.compute import compiling
from bnaparser.compute.compiling import KeptCode, entry

unix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no owners of folders")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Three folders of this test's own: the package's, the user's, the one for temporary files."""
    for name in ("package", "user", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(compiling, "_PACKAGE", tmp_path / "package")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield


def one_more(number: Any) -> Any:
    return number + 1


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.code"))


def from_disk(number: Any = 1) -> bool:
    """Compute with a dispatcher that knows nothing; tell whether it read its code."""
    function: Any = entry(one_more)
    compiled_now: list[bool] = []
    save = function._cache.save_overload

    def saved(*given: Any) -> None:
        compiled_now.append(True)
        save(*given)

    function._cache.save_overload = saved
    assert function(number) == number + 1
    return not compiled_now


def close(folder: Path) -> None:
    """Make a file of a folder: nobody can write there, root neither."""
    folder.rmdir()
    folder.write_text("")


def test_it_is_kept_in_the_package_and_read_again(tmp_path: Path) -> None:
    assert not from_disk()
    assert from_disk()
    assert len(kept(tmp_path / "package")) == len(kept(tmp_path)) == 1


@unix
def test_the_first_folder_that_can_be_written_has_it(tmp_path: Path) -> None:
    close(tmp_path / "package")
    assert not from_disk()
    assert len(kept(tmp_path / "user")) == 1
    (tmp_path / "user" / "bnaparser").rename(tmp_path / "gone")
    close(tmp_path / "user")
    assert not from_disk()
    (file,) = kept(tmp_path / "temporary")
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert from_disk()


@unix
def test_a_temporary_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "temporary" / f"bnaparser-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    close(tmp_path / "package")
    close(tmp_path / "user")
    assert not from_disk()
    assert not from_disk()
    assert not kept(tmp_path)


def test_without_any_folder_it_compiles_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/dev/null")
    close(tmp_path / "package")
    assert not from_disk()


def test_a_folder_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An image that is warmed and then runs read-only compiled anew at each start."""
    assert not from_disk()

    def read_only(*given: Any, **options: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "mkstemp", read_only)
    monkeypatch.setattr(Path, "mkdir", read_only)
    assert from_disk()


def test_a_full_disk_keeps_nothing_and_nobody_from_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*paths: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert not from_disk()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("damage", ["empty", "zeros", "half", "a bit", "of another key"])
def test_what_is_damaged_is_compiled_and_kept_anew(tmp_path: Path, damage: str) -> None:
    assert not from_disk()
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    if damage == "of another key":  # what two writers could leave in Numba's own cache
        assert not from_disk(1.5)
        (other,) = {*kept(tmp_path)} - {file}
        file.write_bytes(other.read_bytes())
    else:
        bit = bytes([whole[-1] ^ 1])
        file.write_bytes(
            {
                "empty": b"",
                "zeros": b"\0" * 2000,
                "half": whole[: len(whole) // 2],
                "a bit": whole[:-1] + bit,
            }[damage]
        )
    assert not from_disk()
    assert from_disk()


def test_a_change_of_a_source_file_makes_it_old_and_removes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [tmp_path / "chart", tmp_path / "compute"]
    monkeypatch.setattr(compiling, "_HERE", rooms[1])
    hashes = []
    for room in [*rooms, *rooms]:
        room.mkdir(exist_ok=True)
        with (room / "loops.py").open("a", encoding="utf-8") as file:
            file.write("# more\n")
        compiling._hash_of_sources.cache_clear()
        hashes.append(compiling._hash_of_sources(rooms[0] / "loops.py"))
    compiling._hash_of_sources.cache_clear()
    assert len(set(hashes)) == 4
    for found in hashes:
        monkeypatch.setattr(KeptCode, "_sources", found)
        assert not from_disk()
        assert from_disk()
    assert len(kept(tmp_path)) == 1


RACE = """
import os, random, sys, time
from pathlib import Path
import numba
from bnaparser.compute import compiling
replace = os.replace
def late(*given):
    time.sleep(random.random() / 100)
    replace(*given)
os.replace = late
numba.config.CACHE_DIR = sys.argv[1]
for _ in range(20):
    def twice(number):
        return number + number
    function = compiling.entry(twice)
    given = float(sys.argv[2]) if "." in sys.argv[2] else int(sys.argv[2])
    found = function(given)
    assert (type(found), found) == (type(given), given + given), (found, given)
    for file in Path(sys.argv[1]).glob("*.code"):
        if random.random() < 0.5:
            file.unlink(missing_ok=True)
"""


def test_two_processes_that_fill_one_folder_never_get_each_others_code(tmp_path: Path) -> None:
    def run(number: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", RACE, str(tmp_path / "shared"), number]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor() as pool:
        for done in pool.map(run, ["3", "2.5"]):
            assert done.returncode == 0, done.stderr
