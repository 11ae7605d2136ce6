"""What is read and written: UTF-16, the first answers soon, progress for who watches."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from bnaparser.cli import streams
from bnaparser.cli.console import say
from bnaparser.cli.streams import answered, in_chunks, open_output
from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import DataError
from bnaparser.files.text_files import LineReader

TEXT = "It rained.\r\n😀 Ça va.\n\nDogs bark."
LINES = ["It rained.\r\n", "😀 Ça va.\n", "\n", "Dogs bark."]


class Pipe(io.BytesIO):
    """Bytes that come one by one, as a slow program writes them."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(1)


@pytest.mark.parametrize("source", [io.BytesIO, Pipe])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF8, "utf-8"),
        (b"", "utf-8"),
    ],
)
def test_a_byte_order_mark_says_how_a_text_is_written(
    source: type[io.BytesIO], mark: bytes, encoding: str
) -> None:
    reader = LineReader(source(mark + TEXT.encode(encoding)))
    assert list(reader) == LINES


def test_a_new_file_is_removed_where_nothing_was_written(tmp_path: Path) -> None:
    new, old, begun = (tmp_path / name for name in ("new", "old", "begun"))
    old.touch()
    for path, text in ((new, ""), (old, ""), (begun, "(TOP")):
        with pytest.raises(DataError), open_output(path) as output:
            output.write(text)
            raise DataError("no model")
    assert not new.exists()
    assert old.exists()
    assert begun.read_text(encoding="utf-8") == "(TOP"
    with open_output(new):
        pass
    assert new.exists()


def numbers(count: int, read: list[int]) -> Iterator[list[int]]:
    for number in range(count):
        read.append(number)
        yield [number]


def test_first_answers_come_soon_and_later_ones_in_large_parts() -> None:
    """All of the first 1,024 lines were read and parsed before a tree was written: 12 s of nothing."""
    read: list[int] = []
    chunks = in_chunks(numbers(5000, read), lambda: False)
    assert len(next(chunks)) == len(read) == 16
    sizes = [16, *map(len, chunks)]
    assert sum(sizes) == 5000
    assert max(sizes) == READ_AHEAD
    # Who interrupts while a part is worked on has at least as much already, as far as parts grow.
    assert all(size <= max(16, 2 * before) for before, size in pairwise(sizes))


def test_a_line_of_several_sentences_is_answered_in_one_go_before_waiting() -> None:
    lines = iter([["It rained.", "Dogs bark."], ["The cat slept."]])
    assert list(in_chunks(lines, lambda: True)) == [
        ["It rained.", "Dogs bark."],
        ["The cat slept."],
    ]


class Terminal(io.StringIO):
    """Standard error that someone watches."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("progress", "screen"), [(True, Terminal), (True, io.StringIO)])
def test_progress_and_the_time_left_are_shown_on_a_terminal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    progress: bool,
    screen: type[io.StringIO],
) -> None:
    monkeypatch.setattr(streams, "_PROGRESS_AFTER", 0)
    source = tmp_path / "in.txt"
    source.write_text("It rained.\n" * 100, encoding="utf-8")
    shown = screen()
    monkeypatch.setattr(sys, "stderr", shown)
    with source.open("rb") as file:
        reader = LineReader(file)
        found = answered(([line] for line in reader), reader, list, progress)
        for _ in range(17):  # the first part is done, and 100 * 11 bytes are not
            next(found)
        said = shown.getvalue()
        assert len(list(found)) == 83
    assert (" gone, " in said and " left" in said) == (screen is Terminal)


def test_what_is_said_meanwhile_stands_on_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_PROGRESS_AFTER", 0)
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    source = tmp_path / "in.txt"
    source.write_bytes(b"It rained.\n" * 200)
    with source.open("rb") as file:
        reader = LineReader(file)
        for number, _ in enumerate(answered(([line] for line in reader), reader, list, True)):
            if number >= 100:
                say("it failed")
    told = [line for line in shown.getvalue().split("\n") if "it failed" in line]
    assert len(told) == 100
    assert all(line.rpartition("\r")[2].endswith("failed") for line in told)
    assert all(" left" not in line.rpartition("\r")[2] for line in told)


def test_quiet_shows_no_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_PROGRESS_AFTER", 0)
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    reader = LineReader(io.BytesIO(b"It rained.\n" * 100))
    assert len(list(answered(([line] for line in reader), reader, list, False))) == 100
    assert shown.getvalue() == ""
