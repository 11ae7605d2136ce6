"""Reading ahead: nothing that was read before an error is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bnaparser.cli.streams import in_chunks
from bnaparser.files.ahead import read_ahead


def failing(count: int) -> Iterator[int]:
    yield from range(count)
    raise OSError("the disk is gone")


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
@pytest.mark.parametrize(
    "lists",
    [
        lambda items: read_ahead(items, 3),
        lambda items: read_ahead(items, 3, lambda item: 1 + item % 2),
        lambda items: in_chunks(([item] for item in items), lambda: False),
    ],
)
def test_what_was_read_before_an_error_comes_before_it(
    lists: Callable[[Iterator[int]], Iterator[list[Any]]], count: int
) -> None:
    found = []
    with pytest.raises(OSError, match="the disk is gone"):
        for items in lists(failing(count)):
            found += items
    assert found == list(range(count))
    assert [item for items in lists(iter(range(count))) for item in items] == list(range(count))


def test_lists_are_as_large_as_asked_for() -> None:
    assert list(read_ahead(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(read_ahead([5, 1, 1, 1], 3, lambda item: item)) == [[5], [1, 1, 1]]
