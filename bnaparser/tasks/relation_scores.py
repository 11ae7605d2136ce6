"""F1 of relations, as the official scorer of SemEval-2010 task 8 counts it (Hendrickx and others 2010).

A class is a relation with its direction, ``Cause-Effect(e2,e1)``. A relation is right where its
direction is, too; wrong directions count as predicted and as there. The mean is over the relations
that the gold classes have, without the class of those that are none; predicting that one for a
relation still costs recall, and a relation for it precision.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DIRECTION = re.compile(r"\(e[12],e[12]\)$")


def relation_of(label: str) -> str:
    """Return the relation of a class, without its direction."""
    return _DIRECTION.sub("", label)


def relations_of(labels: Sequence[str], other: str) -> NDArray[np.int64]:
    """Return the number of each class's relation, (classes): both directions have one, ``other`` -1."""
    names = list(map(relation_of, labels))
    numbers = {name: number for number, name in enumerate(sorted(set(names) - {other}))}
    return np.array([numbers.get(name, -1) for name in names], np.int64)


def relation_f1(counts: Floats, relations: NDArray[np.int64]) -> Floats:
    """Return the macro F1 in percent, (rows), of how often each class is right, there and predicted.

    ``counts`` (rows, 3, C) have them in this order.
    """
    count = int(relations.max(initial=-1)) + 1
    belongs = np.equal.outer(relations, np.arange(count)).astype(np.float64)  # (C, relations)
    right, wanted, found = (counts @ belongs).transpose(1, 0, 2)
    total = wanted + found
    scores = np.divide(2 * right, total, out=np.zeros_like(right), where=total > 0)
    there = wanted > 0
    number = there.sum(axis=1)
    sums = np.where(there, scores, 0.0).sum(axis=1)
    mean: Floats = np.divide(sums, number, out=np.zeros_like(sums), where=number > 0)
    percent: Floats = 100 * mean
    return percent
