"""From the signs of a pattern to its conditions: tregex's grammar, one function a rule."""

from __future__ import annotations

import re

from bnaparser.errors import quoted
from bnaparser.trees.search.conditions import AllOf, AnyOf, Condition, Mode, Related, WantedNode
from bnaparser.trees.search.descriptions import ANYTHING, Description
from bnaparser.trees.search.node_reader import NodeReader
from bnaparser.trees.search.pattern_tokens import PatternSigns, PatternToken
from bnaparser.trees.search.relations import COUNTED, SIMPLE, Relation, numbered, through

_ASKS = re.compile(r"[!?(\[]")  # what may stand before a relation, and before a node


def read_pattern(pattern: str) -> tuple[list[WantedNode], frozenset[str], tuple[Description, ...]]:
    """Return the alternatives for a pattern's first node, the names it gives, and all its descriptions.

    Raises PatternError if it is wrong.
    """
    reader = _PatternReader(pattern)
    alternatives = reader.alternatives()
    return alternatives, frozenset(reader.nodes.names), tuple(reader.nodes.descriptions)


class _PatternReader:
    """Reads conditions, and has nodes read."""

    def __init__(self, pattern: str):
        self.signs = PatternSigns(pattern)
        self.nodes = NodeReader(self.signs)

    def alternatives(self) -> list[WantedNode]:
        """node | node | ..."""
        found = [self.node_with_relations()]
        names = self.nodes.names
        while self.signs.take("|"):
            self.nodes.names = set()
            found.append(self.node_with_relations())
            names |= self.nodes.names
        self.nodes.names = names
        if self.signs.next.kind != "end":
            self.signs.fail(f"{quoted(self.signs.next.text)} does not belong here")
        return found

    def node_with_relations(self) -> WantedNode:
        """A description, or such a thing in brackets, and conditions."""
        if self.signs.take("("):
            with self.signs.inside("("):
                wanted = self.node_with_relations()
        else:
            wanted = self.nodes.description()
        if self.starts_condition():
            more = self.any_of()
            before = wanted.condition
            wanted.condition = more if before is None else AllOf((before, more))
        return wanted

    def node(self) -> WantedNode:
        """What a relation leads to: a description, or more of a pattern in brackets."""
        if not self.signs.take("("):
            return self.nodes.description()
        with self.signs.inside("("):
            return self.node_with_relations()

    def any_of(self) -> Condition:
        """Conditions | conditions | ..."""
        before, known = set(self.nodes.names), set(self.nodes.names)
        parts = []
        while True:
            parts.append(self.all_of())
            known |= self.nodes.names
            if not (self.signs.next.text == "|" and self.starts_condition(1)):
                break
            self.signs.place += 1
            self.nodes.names = set(before)
        self.nodes.names = known
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def all_of(self) -> Condition:
        """Conditions, with or without & between them."""
        parts = [self.condition()]
        while self.signs.take("&") or self.starts_condition():
            parts.append(self.condition())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def condition(self) -> Condition:
        """A relation or a group, maybe negated or optional."""
        if self.signs.take("!"):
            if self.signs.next.text in ("!", "?"):
                self.signs.fail("a condition is negated once, and not optional as well")
            self.nodes.negations += 1
            found = self.plain_condition("!")
            self.nodes.negations -= 1
            return found
        return self.plain_condition("?" if self.signs.take("?") else "")

    def plain_condition(self, mode: Mode) -> Condition:
        opening = self.signs.next.text
        if opening not in ("(", "["):
            return self.relation(mode)
        self.signs.place += 1
        with self.signs.inside(opening):
            inside = self.any_of()
        if not mode:
            return inside
        # A group of one that has a mode of its own keeps it.
        return AllOf((inside,), mode)

    def relation(self, mode: Mode) -> Condition:
        """A relation and the node that it leads to."""
        sign = self.signs.next
        if sign.kind not in ("relation", "through", "exactly"):
            self.signs.fail("a relation is wanted here, such as < or $+")
        self.signs.place += 1
        if sign.kind == "exactly":
            return self.exactly(mode)
        if sign.kind == "through":
            return Related(self.through(sign.text), self.node(), mode)
        return Related(self.simple(sign), self.node(), mode)

    def simple(self, sign: PatternToken) -> Relation:
        """A relation without more, or with a number."""
        symbol, number = sign.text, self.signs.take_kind("number")
        if number is None:
            if symbol in SIMPLE:
                return SIMPLE[symbol]
            symbol, count = COUNTED[symbol]
        else:
            count = int(number.text)
            if symbol.endswith("-") and symbol[:-1] in SIMPLE:  # <-2 is < and -2
                symbol, count = symbol[:-1], -count
        found = numbered(symbol, count) if count else None
        if found is None:
            said = "counted from 1 or -1" if not count else "that takes no number"
            self.signs.fail(f"{quoted(sign.text)} is a relation {said}", sign.place)
        return found

    def through(self, symbol: str) -> Relation:
        """A relation by way of nodes that fit a description, in brackets."""
        opening = self.signs.next.text
        if opening in ("(", "["):
            self.signs.place += 1
            with self.signs.inside(opening):
                description = self.nodes.label()
        else:
            start = self.signs.next.place
            description = self.nodes.label()
            if description.regex is None:
                self.signs.fail(
                    f"{symbol} is followed by a description in brackets, {symbol}(NP)", start
                )
        return through(symbol, WantedNode(description).fits)

    def exactly(self, mode: Mode) -> Condition:
        """{ B ; C }: these children and no other."""
        self.signs.need("{")
        children: list[WantedNode] = []
        with self.signs.inside("{"):
            while self.signs.next.text != "}" and (not children or self.signs.take(";")):
                children.append(self.node())
        parts: list[Condition] = []
        for place, child in enumerate(children, 1):
            parts.append(Related(_numbered_child(place), child))
        other = WantedNode(Description((ANYTHING,)))
        parts.append(Related(_numbered_child(len(children) + 1), other, "!"))
        return AllOf(tuple(parts), mode)

    def starts_condition(self, ahead: int = 0) -> bool:
        """Whether what comes next is a condition: behind ! ? and brackets stands a relation."""
        place = self.signs.place + ahead
        if self.signs.signs[place].text == "&":
            return True
        while _ASKS.fullmatch(self.signs.signs[place].text):
            place += 1
        return self.signs.signs[place].kind in ("relation", "through", "exactly")


def _numbered_child(count: int) -> Relation:
    found = numbered("<", count)
    assert found is not None
    return found
