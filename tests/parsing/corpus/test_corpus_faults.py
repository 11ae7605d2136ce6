"""What a corpus may meet that is nobody's fault: each is one sentence."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import DataError
from bnaparser.parsing.corpus import documents
from bnaparser.parsing.corpus.documents import Piece, refuse_repeated
from bnaparser.parsing.corpus.run import CorpusRun
from tests.parsing.corpus.corpora import (
    SMALL,
)


def test_what_python_s_times_cannot_hold_is_one_sentence(tmp_path: Path) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    file = tmp_path / "in.parquet"
    for far in (pa.array([2**31 - 1], pa.date32()), pa.array([1], pa.timestamp("us", "No/Where"))):
        table = pa.table({"text": ["It rained."], "at": far})
        pytest.importorskip("pyarrow.parquet").write_table(table, file)
        with pytest.raises(DataError, match=r"in\.parquet: cannot be read: "):
            CorpusRun([str(file)], tmp_path / "out", SMALL)


def test_a_full_disk_under_the_ids_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(documents, "_seen", full)
    piece = Piece("a", "in.jsonl, row 1", "It rained.", begins=True)
    with pytest.raises(DataError, match="disk is full: free some space, and run the same"):
        list(refuse_repeated(iter([piece]), tmp_path / "ids"))


def test_the_name_of_a_file_may_be_no_utf_8(tmp_path: Path) -> None:
    pieces = [Piece("a", f"\udce9.jsonl, row {n}", "It rained.", begins=True) for n in (1, 2)]
    first, second = refuse_repeated(iter(pieces), tmp_path / "ids")
    assert first.error is None
    assert second.error == "the id 'a' is that of an earlier document: \udce9.jsonl, row 1"


def test_times_to_the_nanosecond_are_one_sentence_without_pandas(
    tmp_path: Path,
) -> None:
    """pyarrow gives them to pandas alone, and raised a ValueError where that is missing."""
    pa: Any = pytest.importorskip("pyarrow")
    table = pa.table({"text": ["It rained."], "at": pa.array([1], pa.timestamp("ns"))})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "in.parquet")
    run_without = f"""
import sys
class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoPandas())
from bnaparser.cli import main
sys.exit(main(["corpus", {str(tmp_path / "in.parquet")!r}, {str(tmp_path / "out")!r}]))
"""
    command = [sys.executable, "-c", run_without]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "in.parquet: cannot be read: Nanosecond" in done.stderr
    assert done.stderr.count("\n") == 1
