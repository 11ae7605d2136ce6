"""While a program loads, and after it, the garbage collector leaves what stays alone."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from bnaparser.parsing.startup import loading


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


class Node:
    """An object that can be part of a cycle."""

    def __init__(self) -> None:
        self.itself = self


def test_nothing_is_collected_while_loading_nor_is_what_was_loaded_gone_through_later() -> None:
    with loading():
        assert not gc.isenabled()
        loaded = Node()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    assert loaded not in gc.get_objects()


def test_what_comes_later_is_collected_as_ever() -> None:
    with loading():
        pass
    gone = weakref.ref(Node())
    gc.collect()
    assert gone() is None


def test_the_collector_is_back_after_an_error() -> None:
    with pytest.raises(OSError, match="no file"), loading():
        raise OSError("no file")
    assert gc.isenabled()
