"""The relations of tregex as its documents word them, told for each pair of nodes, and a plain matcher.

A node is its path from the top: the numbers of children, from 0. Nothing here is fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from bnaparser.trees.heads.dependencies import dependencies
from bnaparser.trees.tree import Tree

Path = tuple[int, ...]
Names = dict[str, Path]


class Whole:
    """A tree as a table from paths to labels, in pre-order."""

    def __init__(self, tree: Tree):
        self.labels: dict[Path, str] = {}
        self.words: dict[Path, set[int]] = {}  # of each node, the words that it covers
        self.fill(tree, ())
        self.governors = dependencies(tree)

    def fill(self, part: Tree | str, path: Path) -> None:
        if isinstance(part, str):
            self.labels[path] = part
            self.words[path] = {len([p for p in self.labels if self.is_word(p)]) - 1}
            return
        self.labels[path] = part.label
        self.words[path] = set(range(part.start, part.end))
        for place, child in enumerate(part.children):
            self.fill(child, (*path, place))

    def is_word(self, path: Path) -> bool:
        return not any(other[:-1] == path and other for other in self.labels) and path != ()

    def children(self, path: Path) -> list[Path]:
        return [other for other in self.labels if other and other[:-1] == path]

    def head(self, path: Path) -> int:
        """The word of a phrase that depends on none of its words."""
        own = self.words[path]
        (found,) = [word for word in own if self.governors[word] - 1 not in own]
        return found


def dominates(t: Whole, a: Path, b: Path) -> bool:
    return a != b and b[: len(a)] == a


def parent_of(t: Whole, a: Path, b: Path) -> bool:
    return b != () and b[:-1] == a


def sister(t: Whole, a: Path, b: Path) -> bool:
    return a != b and a != () and b != () and a[:-1] == b[:-1]


@cache
def follows(t: Whole, b: Path, a: Path) -> bool:
    """B or one of its ancestors is a right sibling of A or of one of A's ancestors."""
    above_b = [b[:size] for size in range(1, len(b) + 1)]
    above_a = [a[:size] for size in range(1, len(a) + 1)]
    return any(sister(t, x, y) and x[-1] > y[-1] for x in above_b for y in above_a)


@cache
def follows_at_once(t: Whole, b: Path, a: Path) -> bool:
    return follows(t, b, a) and not any(follows(t, b, c) and follows(t, c, a) for c in t.labels)


def leftmost(t: Whole, a: Path, b: Path) -> bool:
    """B is a leftmost descendant of A."""
    return dominates(t, a, b) and not any(b[len(a) :])


def rightmost(t: Whole, a: Path, b: Path) -> bool:
    inside = range(len(a), len(b))
    return dominates(t, a, b) and all(b[: i + 1] == t.children(b[:i])[-1] for i in inside)


def unary(t: Whole, a: Path, b: Path) -> bool:
    inside = range(len(a), len(b))
    return dominates(t, a, b) and all(len(t.children(b[:i])) == 1 for i in inside)


def head_of(t: Whole, a: Path, b: Path) -> bool:
    """B is the immediate head of A: A's child with A's head word."""
    return parent_of(t, a, b) and t.head(a) in t.words[b]


def heads(t: Whole, a: Path, b: Path) -> bool:
    return dominates(t, a, b) and t.head(a) in t.words[b]


Told = Callable[[Whole, Path, Path], bool]


def turned(told: Told) -> Told:
    return lambda t, a, b: told(t, b, a)


def child_number(number: int) -> Told:
    def told(t: Whole, a: Path, b: Path) -> bool:
        below = t.children(a)
        return len(below) >= abs(number) and below[number - (number > 0)] == b

    return told


def leaf_number(number: int) -> Told:
    def told(t: Whole, a: Path, b: Path) -> bool:
        leaves = [c for c in t.labels if dominates(t, a, c) and t.is_word(c)]
        return len(leaves) >= abs(number) and leaves[number - (number > 0)] == b

    return told


def through(step: Told, regex: str) -> Told:
    """A is related to B by steps between which there are only nodes that the expression finds."""

    @cache
    def all_from(t: Whole, a: Path) -> set[Path]:
        reached, grown = {a}, True
        while grown:
            more = {
                c
                for x in reached
                for c in t.labels
                if step(t, x, c) and (x == a or re.search(regex, t.labels[x]))
            }
            grown = not more <= reached
            reached |= more
        return reached

    return lambda t, a, b: b != a and b in all_from(t, a)


RELATIONS: dict[str, Told] = {
    "<<": dominates,
    ">>": turned(dominates),
    "<": parent_of,
    ">": turned(parent_of),
    "<<<": lambda t, a, b: dominates(t, a, b) and t.is_word(b),
    "<<<2": leaf_number(2),
    "<<<-1": leaf_number(-1),
    "$": sister,
    "..": turned(follows),
    ".": turned(follows_at_once),
    ",,": follows,
    ",": follows_at_once,
    "<<,": leftmost,
    "<<-": rightmost,
    "<<`": rightmost,
    ">>,": turned(leftmost),
    ">>-": turned(rightmost),
    ">>`": turned(rightmost),
    "<,": child_number(1),
    "<-": child_number(-1),
    "<`": child_number(-1),
    ">,": turned(child_number(1)),
    ">-": turned(child_number(-1)),
    ">`": turned(child_number(-1)),
    "<2": child_number(2),
    "<-2": child_number(-2),
    ">2": turned(child_number(2)),
    ">-2": turned(child_number(-2)),
    "<:": lambda t, a, b: t.children(a) == [b],
    ">:": lambda t, a, b: t.children(b) == [a],
    "<<:": unary,
    ">>:": turned(unary),
    "$++": lambda t, a, b: sister(t, a, b) and a[-1] < b[-1],
    "$..": lambda t, a, b: sister(t, a, b) and a[-1] < b[-1],
    "$--": lambda t, a, b: sister(t, a, b) and a[-1] > b[-1],
    "$,,": lambda t, a, b: sister(t, a, b) and a[-1] > b[-1],
    "$+": lambda t, a, b: sister(t, a, b) and a[-1] + 1 == b[-1],
    "$.": lambda t, a, b: sister(t, a, b) and a[-1] + 1 == b[-1],
    "$-": lambda t, a, b: sister(t, a, b) and a[-1] == b[-1] + 1,
    "$,": lambda t, a, b: sister(t, a, b) and a[-1] == b[-1] + 1,
    "<#": head_of,
    ">#": turned(head_of),
    "<<#": heads,
    ">>#": turned(heads),
    "==": lambda t, a, b: a == b,
    "<=": lambda t, a, b: a == b or parent_of(t, a, b),
    ":": lambda t, a, b: True,
    "<+(N)": through(parent_of, "^N$"),
    "<+(/P/)": through(parent_of, "P"),
    ">+(/P/)": through(turned(parent_of), "P"),
    ".+(N)": through(turned(follows_at_once), "^N$"),
    ",+(N)": through(follows_at_once, "^N$"),
}
UPWARDS = {">>", ">>,", ">>-", ">>`", ">>:", ">>#", ">+(/P/)", ",+(N)"}  # the nearest first


@dataclass(frozen=True)
class Plan:
    """A pattern to be written, and matched pair by pair: a label, a name, conditions.

    A condition is (mode, relation, plan), or (mode, "&" or "|", conditions).
    """

    label: str
    name: str | None = None
    conditions: tuple[Any, ...] = ()


def written(plan: Plan) -> str:
    name = "" if plan.name is None else f"={plan.name}"
    return " ".join([plan.label + name, *map(written_condition, plan.conditions)])


def written_condition(condition: Any) -> str:
    mode, kind, inside = condition
    if kind in ("&", "|"):
        return f"{mode}[{f' {kind} '.join(map(written_condition, inside))}]"
    return f"{mode}{kind} ({written(inside)})"


def fits(label: str, text: str) -> bool:
    if label.startswith("!"):
        return not fits(label[1:], text)
    if label.startswith("@"):
        return fits(label[1:], text.split("-")[0] if "-" in text[1:] else text)
    if label.startswith("/"):
        return re.search(label[1:-1], text) is not None
    return label == "__" or text in label.split("|")


def ways(t: Whole, plan: Plan, a: Path, names: Names) -> Iterator[Names]:
    if plan.label.startswith("="):
        ok = names.get(plan.label[1:]) == a
    elif plan.label.startswith("~"):
        other = names.get(plan.label[1:])
        ok = other is not None and t.labels[other] == t.labels[a]
    else:
        ok = fits(plan.label, t.labels[a])
    if ok:
        named = names if plan.name is None else {**names, plan.name: a}
        yield from all_ways(t, plan.conditions, a, named)


def all_ways(t: Whole, conditions: Any, a: Path, names: Names) -> Iterator[Names]:
    if not conditions:
        yield names
        return
    for found in condition_ways(t, conditions[0], a, names):
        yield from all_ways(t, conditions[1:], a, found)


def condition_ways(t: Whole, condition: Any, a: Path, names: Names) -> list[Names]:
    mode, kind, inside = condition
    if kind == "&":
        found = list(all_ways(t, inside, a, names))
    elif kind == "|":
        found = [way for one in inside for way in condition_ways(t, one, a, names)]
    else:
        others = list(t.labels)[:: -1 if kind in UPWARDS else 1]
        told = RELATIONS[kind]
        found = [way for b in others if told(t, a, b) for way in ways(t, inside, b, names)]
    if mode == "!":
        return [] if found else [names]
    return (found or [names])[:1] if mode == "?" else found


def all_matches(plan: Plan, tree: Tree) -> list[tuple[Path, Names]]:
    t = Whole(tree)
    return [(a, way) for a in t.labels for way in ways(t, plan, a, {})]
