"""Corpora of more than best trees: probabilities and several trees, in every shard, part of what the run is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import SettingsError
from bnaparser.parsing.corpus.run import CorpusSettings
from bnaparser.parsing.corpus.shards import ShardSettings
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from tests.parsing.corpus.corpora import SMALL, TEXTS, run, written

ASKED = ParseOptions(n_best=3, probabilities=True)
CHANCES = ("probability", "confidence", "entropy")


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, "cpu")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("\n".join(text for text in TEXTS if text), encoding="utf-8")
    return path


def asking(parse_options: ParseOptions, **more: Any) -> CorpusSettings:
    return replace(SMALL, shard=ShardSettings(size=60, parse_options=parse_options, **more))


def found(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("part-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def test_every_row_has_what_was_asked_for(parser: Parser, file: Path, tmp_path: Path) -> None:
    run(parser, [file], tmp_path / "out", asking(ASKED))
    rows = found(tmp_path / "out")
    parses = parser(file.read_text("utf-8"), n_best=3, probabilities=True)
    assert len(rows) == len(parses) == 5
    for row, parse in zip(rows, parses, strict=True):
        expected = parse.to_dict()
        assert row["tree"] == expected["tree"]
        trees, others = row["alternatives"], expected["alternatives"]
        assert [one["tree"] for one in trees] == [one["tree"] for one in others]
        assert len(trees) == 2
        for one, other in zip((row, *trees), (expected, *others), strict=True):
            assert [one[name] for name in CHANCES] == pytest.approx(
                [other[name] for name in CHANCES], rel=1e-3
            )
            sure = [each["probability"] for each in other["constituents"]]
            assert [each["probability"] for each in one["constituents"]] == pytest.approx(
                sure, rel=1e-3
            )
        assert Parse.from_dict(row).confidence == pytest.approx(row["confidence"], rel=1e-3)


def test_several_workers_write_the_same_bytes(parser: Parser, file: Path, tmp_path: Path) -> None:
    run(parser, [file], tmp_path / "one", asking(ASKED))
    run(parser, [file], tmp_path / "two", replace(asking(ASKED), workers=2))
    assert written(tmp_path / "one") == written(tmp_path / "two")


@pytest.mark.parametrize(
    "parse_options",
    [ASKED, ParseOptions(probabilities=True), ParseOptions(n_best=2), ParseOptions()],
)
def test_parquet_has_the_same_and_no_column_that_was_not_asked_for(
    parser: Parser, file: Path, tmp_path: Path, parse_options: ParseOptions
) -> None:
    polars = pytest.importorskip("polars")
    run(parser, [file], tmp_path / "lines", asking(parse_options))
    run(parser, [file], tmp_path / "table", asking(parse_options, to="parquet"))
    table = polars.read_parquet(tmp_path / "table" / "part-*.parquet").to_dicts()
    for row in table:
        row["fields"] = json.loads(row["fields"])
    assert table == [{**row, "language": None} for row in found(tmp_path / "lines")]


def test_a_run_that_asks_nothing_more_is_what_it_always_was(
    parser: Parser, file: Path, tmp_path: Path
) -> None:
    run(parser, [file], tmp_path / "out", SMALL)
    row = found(tmp_path / "out")[0]
    assert list(row) == [
        "document", "part", "sentence", "text", "tree", "score", "tokens", "constituents", "error", "fields",
    ]  # fmt: skip
    assert "probability" not in row["constituents"][0]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert list(manifest["run"]) == [
        "bnaparser", "model", "model_sha256", "precision", "batch_tokens", "max_words", "split", "format",
        "shard_size", "field", "id", "inputs",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("parse_options", "said"),
    [
        (ParseOptions(), "n_best: 3, now None"),
        (replace(ASKED, decoder="expected"), "decoder: None, now 'expected'"),
        (replace(ASKED, n_best=2), "n_best: 3, now 2"),
        (replace(ASKED, temperature=2.0), "temperature: None, now 2.0"),
    ],
)
def test_another_question_is_another_run(
    parser: Parser, file: Path, tmp_path: Path, parse_options: ParseOptions, said: str
) -> None:
    run(parser, [file], tmp_path / "out", asking(ASKED))
    before = written(tmp_path / "out")
    with pytest.raises(SettingsError, match="is the output of another run") as error:
        run(parser, [file], tmp_path / "out", asking(parse_options))
    assert said in str(error.value)
    assert written(tmp_path / "out") == before
