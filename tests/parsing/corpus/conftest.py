"""A corpus of many shards, and what a run wrote of it that nobody disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.parsing.parser import Parser
from tests.parsing.corpus.corpora import SETTINGS, many_lines, run, written


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, "cpu")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("corpus") / "in.txt"
    file.write_text(many_lines(120), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def whole(
    corpus: Path, parser: Parser, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What a run that nobody disturbed wrote."""
    output = tmp_path_factory.mktemp("whole") / "out"
    run(parser, [corpus], output, SETTINGS)
    files = written(output)
    assert len(files) > 15
    return files
