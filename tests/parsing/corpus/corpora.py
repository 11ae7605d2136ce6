"""What the tests of corpora share: a few documents in every kind of file, a run, what it wrote."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import multiprocessing
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser.parsing.corpus.run import CorpusRun, CorpusSettings
from bnaparser.parsing.corpus.shards import ShardSettings
from bnaparser.parsing.parser import Parser

TEXTS = ["It rained. Dogs bark.\nThe cat sat.", "Dogs bark at cats.", "", "It\u2028rained all day."]
FORK = multiprocessing.get_context("fork") if sys.platform == "linux" else None
SMALL = CorpusSettings(shard=ShardSettings(size=60))
SETTINGS = CorpusSettings(shard=ShardSettings(size=400))


def rows() -> list[dict[str, Any]]:
    """The documents as rows, with a field beside the text."""
    return [{"id": f"d{n}", "text": text, "year": 1990 + n} for n, text in enumerate(TEXTS)]


def write_jsonl(path: Path, given: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    return path


def csv_text(given: list[dict[str, Any]], delimiter: str = ",") -> str:
    target = io.StringIO(newline="")
    writer = csv.DictWriter(target, list(given[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(given)
    return target.getvalue()


def packed_by_pyarrow(data: bytes) -> bytes:
    """As ``.zst``; a test that has no pyarrow is skipped."""
    pa: Any = pytest.importorskip("pyarrow")
    target = pa.BufferOutputStream()
    with pa.CompressedOutputStream(target, "zstd") as packer:
        packer.write(data)
    return bytes(target.getvalue())


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": packed_by_pyarrow,
}


def many_lines(count: int) -> str:
    """Lines that are all different, with blank ones between."""
    lines = [
        f"It rained {'very ' * (n % 5)}often in {n}. Dogs bark at cat{n}." for n in range(count)
    ]
    return "\n\n".join(lines) + "\n"


def run(
    parser: Parser, inputs: list[Path], output: Path, settings: CorpusSettings = SMALL, **how: Any
) -> dict[str, Any]:
    """Run to the end; notices are forgotten unless a list is given as ``notices``."""
    corpus = CorpusRun([str(path) for path in inputs], output, settings)
    report = how.get("report", lambda progress: None)
    return corpus.go(parser, report, how.get("notices", []).append)


def written(output: Path) -> dict[str, bytes]:
    """All files of a folder, by name."""
    files = (file for file in output.rglob("*") if file.is_file())
    return {str(file.relative_to(output)): file.read_bytes() for file in files}


def found(output: Path) -> list[dict[str, Any]]:
    """The rows of JSON lines that were written, in order."""
    parts = sorted(output.glob("part-*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_bytes().splitlines()]


def in_a_process(work: Callable[[], Any]) -> int:
    """Do something in a forked process; its exit code, below 0 for a signal."""
    assert FORK is not None
    process = FORK.Process(target=work)
    process.start()
    # Not join(60): that waits for all that the process has forked, too.
    until = time.monotonic() + 60
    while process.exitcode is None and time.monotonic() < until:
        time.sleep(0.02)
    assert process.exitcode is not None
    return process.exitcode
