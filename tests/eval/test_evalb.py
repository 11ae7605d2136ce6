"""The program: options, exit codes, files that are not there, a reader that goes away."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.eval import evalb

PROGRAM = [sys.executable, "-m", "bnaparser.eval.evalb"]
TREE = b"(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .)))\n"


@pytest.fixture
def tree_file(tmp_path: Path) -> str:
    path = tmp_path / "trees"
    path.write_bytes(TREE)
    return str(path)


def program(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, check=False)


def test_runs_as_a_module(tree_file: str) -> None:
    done = program(tree_file, tree_file)
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.startswith(b"  Sent.  ")
    assert b"Bracketing FMeasure       = 100.00\n" in done.stdout


@pytest.mark.parametrize(("option", "code"), [("-h", 1), ("-n", 0), ("--help", 0)])
def test_usage(option: str, code: int, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert evalb.main([option]) == code
    assert capsysbinary.readouterr() == (b"", evalb.USAGE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], b"Can't open gold file ((null))\n"),
        (["FILE"], b"Can't open test file ((null))\n"),
        (["no gold", "FILE"], b"Can't open gold file (no gold)\n"),
        (["FILE", "no test"], b"Can't open test file (no test)\n"),
        (["", "FILE"], b"Can't open gold file ()\n"),
        (["-p", "no prm", "FILE", "FILE"], b"Can't open parameter file (no prm)\n"),
        (
            ["FILE", "FILE", "-p"],
            b"Missing argument: parameter file\nCan't open parameter file ()\n",
        ),
        (["a\0b", "FILE"], b"Can't open gold file (a\0b)\n"),
    ],
)
def test_missing_files_are_named_before_anything_is_printed(
    arguments: list[str], message: bytes, tree_file: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    code = evalb.main([tree_file if each == "FILE" else each for each in arguments])
    assert code == 1
    assert capsysbinary.readouterr() == (b"", message)


def test_a_folder_is_not_a_file(
    tmp_path: Path, tree_file: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert evalb.main([str(tmp_path), tree_file]) == 1
    assert b"Can't open gold file" in capsysbinary.readouterr().err


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
}


@pytest.mark.parametrize("suffix", PACK)
def test_a_damaged_packed_file_cannot_be_opened(
    suffix: str, tmp_path: Path, tree_file: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / f"gold{suffix}"
    for data in (b"another kind", PACK[suffix](TREE * 100)[:-20]):
        file.write_bytes(data)
        assert evalb.main([str(file), tree_file]) == 1
        assert capsysbinary.readouterr().out == b""


def test_xz_files_are_unpacked(
    tmp_path: Path, tree_file: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "gold.xz").write_bytes(lzma.compress(TREE))
    assert evalb.main([str(tmp_path / "gold.xz"), tree_file]) == 0
    assert b"FMeasure       = 100.00" in capsysbinary.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "there", "not_there"),
    [
        (["-c", "5"], b"-- len<=5 --", b"-<1>-"),
        (["-c5", "-c"], b"-- len<=0 --", b"-<1>-"),
        (["-dD"], b"-<1>-", b"label="),
        (["-D", "-", "-e-1"], b"label=", b"-- len<=0 --"),
        (["-c", "x", "-e", ""], b"-- len<=0 --", b"label="),
    ],
)
def test_options_are_followed_from_left_to_right(
    arguments: list[str],
    there: bytes,
    not_there: bytes,
    tree_file: str,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert evalb.main([tree_file, tree_file, *arguments]) == 0
    printed = capsysbinary.readouterr().out
    assert there in printed
    assert not_there not in printed


def test_a_closed_pipe_ends_the_program_quietly(tmp_path: Path) -> None:
    path = tmp_path / "many"
    path.write_bytes(TREE * 5000)
    process = subprocess.Popen(
        [*PROGRAM, str(path), str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == evalb.CLOSED_PIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(tree_file: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, tree_file, tree_file], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_is_whole_with_and_without_buffering(unbuffered: str, tree_file: str) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        [*PROGRAM, tree_file, tree_file], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.endswith(b"Tagging accuracy          = 100.00\n")


def test_long_lines_go_on_as_the_next_line_only_in_the_program(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "long"
    path.write_bytes(b" " + b"(A a) " * 900 + b"\n")  # 4,999 bytes end behind a word
    assert evalb.main([str(path), str(path)]) == 0
    assert b"Number of sentence        =      2" in capsysbinary.readouterr().out


def test_a_line_that_ends_in_a_label_is_an_unclosed_bracket(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "cut"
    path.write_bytes(b"(S (A a) (NP")
    assert evalb.main([str(path), str(path)]) == 0
    message = b"1 : Bracketing is unbalanced (too many open bracket)\n"
    assert capsysbinary.readouterr().err == message * 2
