"""The tiny parser, loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.parsing.parser import Parser


@pytest.fixture(scope="session")
def tiny_parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir)
