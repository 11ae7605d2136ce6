"""Label and tag inventories: names to numbers and back, in an order that never changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class Inventory:
    """A fixed list of names; ``first`` is what comes before the sorted rest.

    For constituent labels number 0 is the empty label, written ``""``: "no constituent". A chain of
    unary constituents is one label, ``S::VP`` (top first).
    """

    def __init__(self, names: Sequence[str]):
        if len(set(names)) != len(names):
            raise ValueError("a list of labels or tags has a name twice")
        self.names = tuple(names)
        self._numbers = {name: number for number, name in enumerate(names)}

    @classmethod
    def of_labels(cls, labels: Iterable[str]) -> Inventory:
        """Return the inventory of constituent labels: the empty label, then all seen, sorted."""
        return cls(["", *sorted(set(labels) - {""})])

    @classmethod
    def of_tags(cls, tags: Iterable[str]) -> Inventory:
        """Return the inventory of part-of-speech tags, sorted."""
        return cls(sorted(set(tags)))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def number(self, name: str, default: int | None = None) -> int:
        """Return the number of a name. For an unknown name return ``default``, or raise KeyError if
        ``default`` is None.
        """
        if default is None:
            return self._numbers[name]
        return self._numbers.get(name, default)


# What takes a label out of the choice, in the place of its bias: far below all scores, and a number.
MASKED_SCORE = np.float32(-1e6)


@dataclass(frozen=True)
class LanguageNames:
    """The labels and tags of one language, in a network for several languages."""

    labels: frozenset[str]
    tags: frozenset[str]


def barred(
    bias: NDArray[np.float32], names: Sequence[str], known: frozenset[str]
) -> NDArray[np.float32]:
    """Return the bias of the scores of names: unknown names are excluded from the choice."""
    return np.where([name in known for name in names], bias, MASKED_SCORE).astype(np.float32)
