"""Work on many items at once where one bad item must not take the others along."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

log = logging.getLogger(__name__)
In = TypeVar("In")
Out = TypeVar("Out")


def each_or_reason(
    function: Callable[[Sequence[In]], Sequence[Out]], items: Sequence[In], failed: str
) -> list[Out | str]:
    """Apply a function to all items; where it fails, to each alone, so that only bad ones fail.

    Returns a result for each item, in order, or the reason why it has none: ``failed``, such as
    "the parser failed on this sentence", and the error.
    """
    try:
        return list(function(items))
    except Exception as error:  # whatever it is, it must not take the other items along
        if len(items) == 1:
            log.debug(failed, exc_info=True)
            return [f"{failed}: {type(error).__name__}: {error}"]
    return [result for item in items for result in each_or_reason(function, [item], failed)]
