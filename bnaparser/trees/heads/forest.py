"""The heads of a text's words as what they are: a forest, one tree or several."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.errors import SentenceError

Heads = Sequence[int]
"""The head of each word, counted from 1 in the whole text; 0 for a root. Roots may be several."""


def parents_first(heads: Heads) -> list[int]:
    """Return the words, from 0, by their depth: roots, then what hangs on them, and so on.

    Raises SentenceError, naming the word, where heads are no forest: one lies outside the text, or
    following them from a word leads round in a circle.
    """
    count = len(heads)
    below: list[list[int]] = [[] for _ in range(count + 1)]
    for place, head in enumerate(heads):
        if not 0 <= head <= count:
            raise SentenceError(f"the head of word {place + 1} is {head}: there are {count} words")
        below[head].append(place)
    order = below[0]
    for place in order:  # grows as it is read
        order.extend(below[place + 1])
    if len(order) < count:
        lost = min(set(range(count)) - set(order))
        raise SentenceError(f"following heads up from word {lost + 1} goes round in a circle")
    return order
