"""How sure the parser is of a constituent, in words and in a drawing.

The web page's ``sureness.js`` says and draws it in the same way.
"""

from __future__ import annotations

import math
from typing import TypeGuard

_UNSURE = 0.95  # a constituent that is less probable is drawn faint
_FAINTEST = 0.15


def is_unsure(probability: float | None) -> TypeGuard[float]:
    """Tell whether a probability is known and so low that one should see it."""
    return probability is not None and probability < _UNSURE


def strength(probability: float) -> float:
    """Return how strongly an unsure constituent is drawn, 0 to 1."""
    return max(_FAINTEST, probability)


def outline_strength(probability: float) -> float:
    """Return how strong the line around an unsure constituent is: it comes as the field goes."""
    return min(1.0, 2 * (1 - probability))


def sureness(probability: float) -> str:
    """Return a probability in words: ``62 % sure``.

    What is not quite sure, or not quite impossible, does not look so.
    """
    percent = math.floor(100 * probability + 0.5)
    if percent >= 100 and probability < 1:
        return "over 99 % sure"
    return "under 1 % sure" if percent <= 0 else f"{percent} % sure"
