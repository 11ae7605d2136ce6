"""Where machine code is kept, and that no state of its folders gives wrong code or keeps anybody from computing."""

from __future__ import annotations

import errno
import logging
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnaparser.compute import code_cache
from bnaparser.compute import kernel as kernels
from bnaparser.compute.kernel import Kernel

unix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no owners of folders")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Three folders of this test's own: the package's, the user's, the one for temporary files."""
    for name in ("package", "user", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setattr(code_cache, "_PACKAGE", tmp_path / "package")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    code_cache.log_once.cache_clear()
    yield


def one_more(numbers: Any) -> None:
    """Written as a kernel is."""
    numbers[0] += 1


def kernel(number: float = 1) -> Kernel:
    kind = "i8:1" if isinstance(number, int) else "f8:1"
    return Kernel("tests.compute.test_code_cache:one_more", kind)


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.code"))


def from_disk(number: float = 1) -> bool:
    """Compute with a kernel that knows nothing; tell whether it read its code."""
    function = kernel(number)
    kept_before = function.is_cached()
    numbers = np.array([number])
    function(numbers)
    assert numbers[0] == number + 1
    return kept_before


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
    assert file.parent.name == f"bnaparser-{os.geteuid()}"
    assert from_disk()


@unix
@pytest.mark.parametrize("planted", ["writable", "a link", "a second name", "a pipe", "a folder"])
def test_what_another_user_may_have_written_is_not_run(tmp_path: Path, planted: str) -> None:
    assert not from_disk()
    (file,) = kept(tmp_path)
    elsewhere = tmp_path / "elsewhere.code"
    file.parent.chmod(0o777)
    if planted == "writable":
        file.chmod(0o664)
    elif planted == "a second name":
        os.link(file, elsewhere)
    else:
        file.rename(elsewhere)
        if planted == "a link":
            file.symlink_to(elsewhere)
        elif planted == "a pipe":
            os.mkfifo(file)
        else:
            file.mkdir()
    assert not from_disk()
    assert from_disk()  # its own, beside what is planted


@unix
def test_only_files_of_this_user_of_root_and_of_the_programs_owner_are_run(tmp_path: Path) -> None:
    file = tmp_path / "package" / "file"
    file.touch(0o644)
    mode, inode, device, links, _, *rest = file.stat()

    def safe(user: int, mode: int = mode) -> bool:
        return code_cache._is_safe(
            os.stat_result((mode, inode, device, links, user, *rest)), file.parent
        )

    owner = file.parent.stat().st_uid
    assert safe(os.geteuid()) and safe(0) and safe(owner)
    assert not safe(max(os.geteuid(), owner) + 1)
    assert not safe(os.geteuid(), mode | stat.S_IWGRP) and not safe(0, mode | stat.S_IWOTH)


@unix
def test_several_users_fill_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reads its own, whoever was first; nobody waits for a folder of others to change."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(shared))
    assert not from_disk()
    (first,) = kept(shared)
    first.chmod(0o666)  # as little to be trusted as another user's
    before = first.stat()
    assert not from_disk()
    assert from_disk()
    assert len(kept(shared)) == 2
    assert first.stat() == before


def test_without_any_folder_it_compiles_all_the_same_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setenv("TMPDIR", "/dev/null")
    close(tmp_path / "package")
    with caplog.at_level(logging.INFO):
        assert not from_disk()
        assert not from_disk(1.5)
    said = [record.getMessage() for record in caplog.records]
    assert [re.split("[:;]", line)[0] for line in said] == [
        "compiling loops of the parser for this processor",
        "machine code cannot be kept, so each run compiles again",
    ]
    assert f"{tmp_path / 'package'}/__pycache__/machine-code: " in said[1]


@pytest.mark.parametrize("value", ["", ".", "cache", "/" + 300 * "x"])
def test_a_users_cache_folder_that_is_none_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", "/dev/null")
    close(tmp_path / "package")
    assert not kernel().is_cached()
    assert not from_disk()
    (file,) = kept(tmp_path)
    assert file.is_relative_to(tmp_path / "temporary")
    assert kernel().is_cached()


def test_a_folder_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An image that is warmed and then runs read-only compiled anew at each start."""
    assert not from_disk()

    def read_only(*given: Any, **options: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", read_only)
    monkeypatch.setattr(Path, "mkdir", read_only)
    assert from_disk()


def test_a_full_disk_keeps_nothing_and_nobody_from_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*paths: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert not from_disk()
    assert "No space left on device" in caplog.text
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
    monkeypatch.setattr(code_cache, "_HERE", rooms[1])
    monkeypatch.setattr(code_cache, "_folder_of", lambda module: rooms[0])
    for room in [*rooms, *rooms]:
        room.mkdir(exist_ok=True)
        with (room / "loops.py").open("a", encoding="utf-8") as file:
            file.write("# more\n")
        code_cache._hash_of_sources.cache_clear()
        assert not kernel().is_cached()
        assert not from_disk()
        assert from_disk()
    code_cache._hash_of_sources.cache_clear()
    assert len(kept(tmp_path)) == 1


def test_two_versions_that_share_a_folder_leave_each_others_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close(tmp_path / "package")
    for new in (True, False):
        for version in ("a" * 64, "b" * 64):
            monkeypatch.setattr(code_cache, "_hash_of_sources", lambda folder: version)  # noqa: B023
            assert from_disk() != new


def test_a_setting_of_numba_that_changes_the_code_has_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NUMBA_OPT=0, once, left slow code for all later runs."""
    assert not from_disk()
    monkeypatch.setenv("NUMBA_OPT", "0")
    code_cache._compiler.cache_clear()
    assert not from_disk()
    monkeypatch.undo()
    code_cache._compiler.cache_clear()


@unix
def test_processes_that_fill_one_folder_never_get_each_others_code() -> None:
    """Two rounds; BNAPARSER_CACHE_ROUNDS=200 runs 200 in some minutes."""
    rounds = os.environ.get("BNAPARSER_CACHE_ROUNDS", "2")
    command = [sys.executable, str(ROOT / "tests" / "compute" / "shared_folder.py"), rounds]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{rounds} rounds, no wrong code" in done.stdout


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"NUMBA_CPU_NAME": "generic"},
        {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"},
        {"NUMBA_CPU_NAME": "haswell"},
        {"NUMBA_ENABLE_AVX": "0"},
    ],
)
def test_numba_compiles_for_the_processor_that_is_named(settings: dict[str, str]) -> None:
    """The processor is known without Numba; both must mean the same by its variables."""
    code = (
        "from bnaparser.compute.processor import processor\n"
        "from numba.core.registry import cpu_target\n"
        "assert processor() == cpu_target.target_context.codegen().magic_tuple(), processor()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_a_kernel_refuses_arrays_that_are_not_what_it_takes() -> None:
    numbers = np.zeros(4)
    for wrong in (numbers[::2], numbers.astype(np.float32), numbers.reshape(2, 2)):
        with pytest.raises(
            TypeError, match="a kernel takes a C-contiguous array of float64 with 1 dimensions"
        ):
            kernel(1.5)(wrong)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("/usr/bin/python3.11", True),
        ("pypy3", True),
        ("/usr/bin/uwsgi", False),
        ("", False),
        (None, False),
    ],
)
def test_only_pythons_interpreter_is_started_to_compile(
    program: str | None, expected: bool
) -> None:
    assert kernels._is_python(program) is expected


ENDS_AT_ONCE = """
from bnaparser.compute import kernel
from bnaparser.parsing.startup import compile_rest
compile_rest()
print(next(iter(kernel._in_background.values())).pid)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_what_compiles_ends_with_the_process_that_it_compiles_for(tmp_path: Path) -> None:
    """It went on for 15 seconds, and wrote into a folder that was being removed."""
    done = subprocess.run(
        [sys.executable, "-c", ENDS_AT_ONCE],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip
    stat = Path(f"/proc/{int(done.stdout)}/stat")

    def runs() -> bool:
        try:
            return stat.read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    end = time.monotonic() + 5
    while runs() and time.monotonic() < end:
        time.sleep(0.05)
    assert not runs()
    assert not list(tmp_path.glob("*.code"))
