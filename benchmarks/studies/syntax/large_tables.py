"""What run_large.py trains: four tasks with more examples, and the rates that a system chooses from."""

from __future__ import annotations

from typing import NamedTuple


class Budget(NamedTuple):
    """How many training examples at most, and how often they are gone through."""

    examples: int
    epochs: float


# What is not held out, at most; the plain encoder stands well above the majority answer after it.
LARGE = {
    "ner": Budget(3000, 2),
    "ged": Budget(2400, 2),
    "stsb": Budget(5200, 3),
    "cola": Budget(7700, 4),
    "chnsenticorp": Budget(4000, 1),
    "ner-zh": Budget(3600, 3),
}
RATES = (1e-4, 3e-4)
