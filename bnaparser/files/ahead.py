"""Reading ahead in a stream without losing what was read when the stream fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def read_ahead(
    items: Iterable[Item], least: int, size: Callable[[Item], int] = lambda _: 1
) -> Iterator[list[Item]]:
    """Yield lists of items of the size ``least`` or more; the last list may be smaller.

    Where ``items`` raises an error, the items before the error are yielded first.
    """
    ahead: list[Item] = []
    count = 0
    try:
        for item in items:
            ahead.append(item)
            count += size(item)
            if count >= least:
                yield ahead
                ahead, count = [], 0
    except Exception:
        if ahead:
            yield ahead
        raise
    if ahead:
        yield ahead
