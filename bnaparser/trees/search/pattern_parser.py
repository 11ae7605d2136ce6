"""From the signs of a pattern to its conditions: tregex's grammar, one function a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NoReturn

from bnaparser.trees.search.conditions import AllOf, AnyOf, Condition, Mode, Related, Wanted
from bnaparser.trees.search.descriptions import ANYTHING, TOP, Description
from bnaparser.trees.search.pattern_tokens import Kind, PatternError, PatternToken, read_signs
from bnaparser.trees.search.relations import COUNTED, SIMPLE, Relation, numbered, through

_DEEPEST = 100
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ASKS = re.compile(r"[!?(\[]")  # what may stand before a relation, and before a node


def read_pattern(pattern: str) -> list[Wanted]:
    """Return the alternatives that a pattern names for its first node; PatternError if it is wrong."""
    return _PatternReader(pattern).alternatives()


class _PatternReader:
    """The signs of a pattern, and how far they are read."""

    def __init__(self, pattern: str):
        self.pattern = pattern
        self.signs = read_signs(pattern)
        self.place = 0
        self.depth = 0
        self.negations = 0  # that are open
        self.names: set[str] = set()

    @property
    def sign(self) -> PatternToken:
        return self.signs[self.place]

    def alternatives(self) -> list[Wanted]:
        """node | node | ..."""
        found = [self.node_with_relations()]
        names = self.names
        while self.take_text("|"):
            self.names = set()
            found.append(self.node_with_relations())
            names |= self.names
        self.names = names
        if self.sign.kind != "end":
            self.fail(f"{self.sign.text!r} does not belong here")
        return found

    def node_with_relations(self) -> Wanted:
        """A description, or such a thing in brackets, and conditions."""
        with self.nested():
            if self.take_text("("):
                wanted = self.node_with_relations()
                self.close("(")
            else:
                wanted = self.description()
        if self.starts_condition():
            more = self.any_of()
            before = wanted.condition
            wanted.condition = more if before is None else AllOf((before, more))
        return wanted

    def node(self) -> Wanted:
        """What a relation leads to: a description, or more of a pattern in brackets."""
        if not self.take_text("("):
            return self.description()
        with self.nested():
            wanted = self.node_with_relations()
        self.close("(")
        return wanted

    def any_of(self) -> Condition:
        """Conditions | conditions | ..."""
        before, known = set(self.names), set(self.names)
        parts = []
        while True:
            parts.append(self.all_of())
            known |= self.names
            if not (self.sign.text == "|" and self.starts_condition(1)):
                break
            self.place += 1
            self.names = set(before)
        self.names = known
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def all_of(self) -> Condition:
        """Conditions, with or without & between them."""
        parts = [self.condition()]
        while self.take_text("&") or self.starts_condition():
            parts.append(self.condition())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def condition(self) -> Condition:
        """A relation or a group, maybe negated or optional."""
        if self.take_text("!"):
            if self.sign.text in ("!", "?"):
                self.fail("a condition is negated once, and not optional as well")
            self.negations += 1
            found = self.plain_condition("!")
            self.negations -= 1
            return found
        return self.plain_condition("?" if self.take_text("?") else "")

    def plain_condition(self, mode: Mode) -> Condition:
        opening = self.sign.text
        if opening not in ("(", "["):
            return self.relation(mode)
        self.place += 1
        with self.nested():
            inside = self.any_of()
        self.close(opening)
        if not mode:
            return inside
        # A group of one that has a mode of its own keeps it.
        return AllOf((inside,), mode)

    def relation(self, mode: Mode) -> Condition:
        """A relation and the node that it leads to."""
        sign = self.sign
        if sign.kind not in ("relation", "through", "exactly"):
            self.fail("a relation is wanted here, such as < or $+")
        self.place += 1
        if sign.kind == "exactly":
            return self.exactly(mode)
        if sign.kind == "through":
            return Related(self.through(sign.text), self.node(), mode)
        return Related(self.simple(sign), self.node(), mode)

    def simple(self, sign: PatternToken) -> Relation:
        """A relation without more, or with a number."""
        symbol, number = sign.text, self.take_kind("number")
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
            self.fail(f"{sign.text!r} is a relation {said}", sign.place)
        return found

    def through(self, symbol: str) -> Relation:
        """A relation by way of nodes that fit a description, in brackets."""
        opening = self.sign.text
        if opening in ("(", "["):
            self.place += 1
            description = self.label()
            self.close(opening)
        else:
            start = self.sign.place
            description = self.label()
            if description.regex is None:
                self.fail(f"{symbol} is followed by a description in brackets, {symbol}(NP)", start)
        return through(symbol, description.accepting())

    def exactly(self, mode: Mode) -> Condition:
        """{ B ; C }: these children and no other."""
        self.need("{")
        children: list[Wanted] = []
        while self.sign.text != "}" and (not children or self.take_text(";")):
            children.append(self.node())
        self.close("{")
        parts: list[Condition] = []
        for place, child in enumerate(children, 1):
            parts.append(Related(_numbered_child(place), child))
        other = Wanted(Description((ANYTHING,)))
        parts.append(Related(_numbered_child(len(children) + 1), other, "!"))
        return AllOf(tuple(parts), mode)

    def description(self) -> Wanted:
        """What a node must be, and its name."""
        start = self.sign
        if start.text in ("=", "~"):
            return self.reference()
        description = self.label()
        captures = []
        while self.take_text("#"):
            captures.append(self.capture(description))
        name = self.new_name() if self.take_text("=") else None
        if description.literals == (TOP,):
            wanted = Wanted(description, name, captures=captures)
            wanted.at_top = True
            return wanted
        return Wanted(description, name, captures=captures)

    def label(self) -> Description:
        """!@literal|literal, /regex/ or __."""
        negated, basic = self.take_text("!"), self.take_text("@")
        if (literal := self.take_kind("literal")) is not None:
            return Description(tuple(literal.text.split("|")), None, basic, negated)
        regex = self.take_kind("regex")
        if regex is None:
            self.fail("a node is wanted here: a label, /a regular expression/ or __")
        try:
            compiled = re.compile(regex.text[1:-1], re.ASCII)
        except (re.error, OverflowError, RecursionError) as error:
            place = regex.place + 1 + (getattr(error, "pos", None) or 0)
            self.fail(f"the regular expression is wrong: {getattr(error, 'msg', error)}", place)
        if regex.text in ("/.*/", "/^.*$/"):
            return Description((ANYTHING,), None, basic, negated)
        return Description((), compiled, basic, negated)

    def reference(self) -> Wanted:
        """=name or ~name: a node that was named before."""
        sign = self.sign
        self.place += 1
        kind: Literal["=", "~"] = "=" if sign.text == "=" else "~"
        known = self.take_kind("literal")
        if known is None:
            self.fail(f"a name is wanted after {kind}")
        if known.text not in self.names:
            self.fail(f"no node before this one has the name {known.text}", known.place)
        name = self.new_name() if kind == "~" and self.take_text("=") else None
        return Wanted(Description((ANYTHING,)), name, (kind, known.text))

    def new_name(self) -> str:
        name = self.take_kind("literal")
        if name is None:
            self.fail("a name is wanted after =, of letters")
        if self.negations:
            self.fail("a node below a negation has no name: it is never found", name.place)
        if name.text in self.names:
            self.fail(f"the name {name.text} is given twice: write ={name.text} alone", name.place)
        self.names.add(name.text)
        return name.text

    def capture(self, description: Description) -> tuple[int, str]:
        """#number%name: what a group of the regular expression finds gets a name."""
        number = self.take_kind("number")
        if number is None or not number.text.isdigit():
            self.fail("the number of a group is wanted after #")
        groups = 0 if description.regex is None else description.regex.groups
        if description.regex is not None and int(number.text) > groups:
            self.fail(f"the regular expression has {groups} groups", number.place)
        if description.negated:
            self.fail("what does not match has no groups", number.place)
        self.need("%")
        name = self.take_kind("literal")
        if name is None:
            self.fail("a name is wanted after %")
        return int(number.text), name.text

    def starts_condition(self, ahead: int = 0) -> bool:
        """Whether what comes next is a condition: behind ! ? and brackets stands a relation."""
        place = self.place + ahead
        if self.signs[place].text == "&":
            return True
        while _ASKS.fullmatch(self.signs[place].text):
            place += 1
        return self.signs[place].kind in ("relation", "through", "exactly")

    def take_text(self, text: str) -> bool:
        taken = self.sign.kind == "sign" and self.sign.text == text
        self.place += taken
        return taken

    def take_kind(self, kind: Kind) -> PatternToken | None:
        sign = self.sign
        if sign.kind != kind:
            return None
        self.place += 1
        return sign

    def need(self, text: str) -> None:
        if not self.take_text(text):
            self.fail(f"{text} is wanted here")

    def close(self, opening: str) -> None:
        if not self.take_text(_CLOSING[opening]):
            self.fail(f"{_CLOSING[opening]} is wanted here, to close {opening}")

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"brackets within brackets, more than {_DEEPEST} deep")
        yield
        self.depth -= 1

    def fail(self, message: str, place: int | None = None) -> NoReturn:
        raise PatternError(message, self.pattern, self.sign.place if place is None else place)


def _numbered_child(count: int) -> Relation:
    found = numbered("<", count)
    assert found is not None
    return found
