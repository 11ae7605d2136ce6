"""The pages and docstrings load the same few models a hundred times: here each is loaded once."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from bnaparser.parsing.parser import Parser

LOADED = functools.lru_cache(4)(Parser.load)


@pytest.fixture(scope="module", autouse=True)
def models_are_loaded_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Parser, "load", LOADED)
        yield
