"""Head rules: which child of a phrase passes its head word up (Magerman 1995).

The head words of the other children depend on that child's head word. `collins.COLLINS` is the table
of Collins 1999, whose heads are functional: the auxiliary, the preposition, "to". `ud.UD` comes close
to Universal Dependencies, where content words are heads and function words depend on them. Both
are for labels and tags of the Penn Treebank's kind; a phrase whose label they do not know has its
first child that is no punctuation as its head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Search:
    """One look through the children of a phrase, from its ``side`` end on.

    The first of ``labels`` that any child has finds that child; with ``any_of`` the first child
    that has any of the labels is found.
    """

    side: Side
    labels: tuple[str, ...]
    any_of: bool = False

    def find(self, labels: Sequence[str]) -> int | None:
        """Return the index of the child that is found among children labelled so, or None."""
        seen = labels if self.side == "left" else labels[::-1]
        if self.any_of:
            found = next((place for place, label in enumerate(seen) if label in self.labels), None)
        else:
            found = next((seen.index(label) for label in self.labels if label in seen), None)
        return found if found is None or self.side == "left" else len(labels) - 1 - found


@dataclass(frozen=True, slots=True)
class HeadRules:
    """A table of searches, one phrase label a row; the first search that finds a child decides.

    Where none does, the head is the first child, from the last search's side, that is no
    punctuation. With ``content_heads`` auxiliaries, copulas and conjunctions depend on what they
    serve, and the first of several conjuncts is the head.
    """

    name: str
    source: str
    table: Mapping[str, tuple[Search, ...]]
    content_heads: bool = False

    def __repr__(self) -> str:
        # The table would be 200 lines in the signature of every function with default rules.
        return f"<HeadRules {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # A table that cannot be changed cannot be pickled either.
        return HeadRules, (self.name, self.source, dict(self.table), self.content_heads)


def priority(side: Side, labels: str = "") -> Search:
    """Return a search for the first of the labels, blanks between them, that any child has."""
    return Search(side, tuple(labels.split()))


def any_label(side: Side, labels: str) -> Search:
    """Return a search for the first child that has any of the labels."""
    return Search(side, tuple(labels.split()), any_of=True)
