"""EVALB's own output, byte for byte: the C program's on every stored case."""

from __future__ import annotations

import lzma
import os
import shlex
from pathlib import Path

import pytest

from bnaparser.eval import evalb

HERE = Path(__file__).parent / "cases"
COLLINS = Path(evalb.__file__).with_name("COLLINS.prm")
# The full set has text that may not be passed on; who has it names its folder.
MORE = os.environ.get("BNAPARSER_EVALB_CASES")


def names(folder: str | Path) -> list[str]:
    return sorted(path.name.removesuffix(".status") for path in Path(folder).glob("*.status"))


def content(folder: str | Path, name: str, default: bytes = b"") -> bytes:
    path = Path(folder, name)
    if path.exists():
        return path.read_bytes()
    packed = path.with_name(path.name + ".xz")
    return lzma.open(packed).read() if packed.exists() else default


def check(
    folder: str | Path, name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    files = {}
    for side in ("gld", "tst"):
        files[side] = tmp_path / f"{name}.{side}"
        files[side].write_bytes(content(folder, f"{name}.{side}"))
    parameters = Path(folder, f"{name}.prm")
    prm = parameters if parameters.exists() else COLLINS
    options = shlex.split(content(folder, f"{name}.args", b"-p {prm}").decode())
    options = [str(prm) if option == "{prm}" else option for option in options]

    status = evalb.main([*options, str(files["gld"]), str(files["tst"])])

    printed = capsysbinary.readouterr()
    assert printed.out == content(folder, f"{name}.out")
    assert printed.err == content(folder, f"{name}.err")
    assert status == int(content(folder, f"{name}.status"))


@pytest.mark.parametrize("name", names(HERE))
def test_prints_what_the_c_program_printed(
    name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    check(HERE, name, tmp_path, capsysbinary)


@pytest.mark.skipif(not MORE, reason="BNAPARSER_EVALB_CASES does not name the folder of cases")
@pytest.mark.parametrize("name", names(MORE) if MORE else [])
def test_prints_what_the_c_program_printed_on_more_cases(
    name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert MORE is not None
    check(MORE, name, tmp_path, capsysbinary)


def test_the_cases_are_there() -> None:
    assert len(names(HERE)) == 74
