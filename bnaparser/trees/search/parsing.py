"""Patterns read: text to tokens, tokens to nodes and conditions, and the error that points at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, NoReturn

from bnaparser.errors import BnaparserError, quoted
from bnaparser.trees.search.conditions import (
    ANYTHING,
    AllOf,
    AnyOf,
    Condition,
    Description,
    Mode,
    Related,
    WantedNode,
)
from bnaparser.trees.search.relations import COUNTED, SIMPLE, Relation, numbered, through

Kind = Literal["relation", "through", "exactly", "number", "regex", "literal", "sign", "end"]

_THROUGH = ("<+", ">+", ".+", ",+")
_EXACTLY = "<..."
_DEEPEST = 100
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _any_of(symbols: Sequence[str]) -> str:
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=len, reverse=True))


# A literal is what JavaCC's grammar of tregex takes for an identifier, but ends before a | that no
# further alternative follows.
_FIRST = r"[^\s0-9(/|@!#%&)=?\[\]><~_.,$:{};]"
_LATER = r"[^\s(/|@!#%&)=?\[\]><~.,$:{};]"
_LITERAL = rf"(?:_ROOT_|{_FIRST}{_LATER}*)"
_TOKEN = re.compile(
    rf"(?P<exactly>{re.escape(_EXACTLY)})"
    rf"|(?P<through>{_any_of(_THROUGH)})"
    rf"|(?P<relation>{_any_of([*SIMPLE, *COUNTED])})"
    r"|(?P<number>-?[0-9]+)"
    r"|(?P<regex>/(?:\\.|[^/\\\n\r])*/)"
    rf"|(?P<literal>__|{_LITERAL}(?:\|{_LITERAL})*)"
    r"|(?P<sign>[()\[\]{};&|!?@=~#%])"
)
_BLANKS = re.compile(r"\s*")


class PatternError(BnaparserError):
    """A pattern for trees cannot be read; the message shows it, with ``^`` below the place.

    ``column`` counts from 1.
    """

    def __init__(self, message: str, pattern: str, place: int):
        start = pattern.rfind("\n", 0, place) + 1
        line = pattern[start:].partition("\n")[0].replace("\t", " ")
        super().__init__(f"the pattern: {message}\n  {line}\n  {' ' * (place - start)}^")
        self.message, self.pattern, self.column = message, pattern, place + 1

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.pattern, self.column - 1)


class PatternToken(NamedTuple):
    """A sign: what kind it is, its text, and where it starts, from 0."""

    kind: Kind
    text: str
    place: int


class PatternSigns:
    """The signs of a pattern, and how far they are read."""

    def __init__(self, pattern: str):
        self.pattern = pattern
        self.signs = _read(pattern)
        self.place = 0
        self.depth = 0

    @property
    def next(self) -> PatternToken:
        """The sign that is to be read."""
        return self.signs[self.place]

    def take(self, text: str) -> bool:
        """Read this sign, if it is the next."""
        taken = self.next.kind == "sign" and self.next.text == text
        self.place += taken
        return taken

    def take_kind(self, kind: Kind) -> PatternToken | None:
        """Read a sign of this kind, if the next one is."""
        sign = self.next
        if sign.kind != kind:
            return None
        self.place += 1
        return sign

    def need(self, text: str, purpose: str = "") -> None:
        """Read this sign, which must be the next."""
        if not self.take(text):
            self.fail(f"{text} is wanted here{purpose}")

    @contextmanager
    def inside(self, opening: str) -> Iterator[None]:
        """Read what is in brackets, of which the first is read, and the closing one."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"brackets within brackets, more than {_DEEPEST} deep")
        yield
        self.depth -= 1
        self.need(_CLOSING[opening], f", to close {opening}")

    def fail(self, message: str, place: int | None = None) -> NoReturn:
        """Raise PatternError, by default at the next sign."""
        raise PatternError(message, self.pattern, self.next.place if place is None else place)


def _read(pattern: str) -> list[PatternToken]:
    """Return the signs of a pattern, the last one the end; PatternError where there is none."""
    found: list[PatternToken] = []
    place = _skip(pattern, 0)
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        if match is None:
            raise PatternError(_wrong(pattern[place]), pattern, place)
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the groups are the kinds
        found.append(PatternToken(kind, match.group(), place))
        place = _skip(pattern, match.end())
    return [*found, PatternToken("end", "", len(pattern))]


def _skip(pattern: str, place: int) -> int:
    blanks = _BLANKS.match(pattern, place)
    return blanks.end() if blanks else place


def _wrong(sign: str) -> str:
    if sign == "/":
        return "the regular expression that begins here has no / at its end"
    if sign.isdigit() or sign == "_":
        return f"a label that begins with {sign} is written as a regular expression, /^{sign}...$/"
    return f"{sign!r} has no meaning here; in a label it needs a regular expression, /\\{sign}/"


class NodeReader:
    """Reads nodes; knows which names were given so far, and how many negations are open."""

    def __init__(self, signs: PatternSigns):
        self.signs = signs
        self.names: set[str] = set()
        self.descriptions: list[Description] = []  # all that were read
        self.negations = 0

    def description(self) -> WantedNode:
        """What a node must be, and its name."""
        start = self.signs.next
        if start.text in ("=", "~"):
            return self._reference()
        description = self.label()
        captures = []
        while self.signs.take("#"):
            captures.append(self._capture(description))
        name = self._new_name() if self.signs.take("=") else None
        return WantedNode(description, name, captures=captures)

    def label(self) -> Description:
        """!@literal|literal, /regex/ or __."""
        found = self._label()
        self.descriptions.append(found)
        return found

    def _label(self) -> Description:
        negated, basic = self.signs.take("!"), self.signs.take("@")
        if (literal := self.signs.take_kind("literal")) is not None:
            return Description(tuple(literal.text.split("|")), None, basic, negated)
        regex = self.signs.take_kind("regex")
        if regex is None:
            self.signs.fail("a node is wanted here: a label, /a regular expression/ or __")
        try:
            compiled = re.compile(regex.text[1:-1], re.ASCII)
        except (re.error, OverflowError, RecursionError) as error:
            place = regex.place + 1 + (getattr(error, "pos", None) or 0)
            self.signs.fail(
                f"the regular expression is wrong: {getattr(error, 'msg', error)}", place
            )
        if regex.text in ("/.*/", "/^.*$/"):
            return Description((ANYTHING,), None, basic, negated)
        return Description((), compiled, basic, negated)

    def _reference(self) -> WantedNode:
        """=name or ~name: a node that was named before."""
        sign = self.signs.next
        self.signs.place += 1
        kind: Literal["=", "~"] = "=" if sign.text == "=" else "~"
        known = self.signs.take_kind("literal")
        if known is None:
            self.signs.fail(f"a name is wanted after {kind}")
        if known.text not in self.names:
            self.signs.fail(f"no node before this one has the name {known.text}", known.place)
        name = self._new_name() if kind == "~" and self.signs.take("=") else None
        return WantedNode(Description((ANYTHING,)), name, (kind, known.text))

    def _new_name(self) -> str:
        name = self.signs.take_kind("literal")
        if name is None:
            self.signs.fail("a name is wanted after =, of letters")
        if self.negations:
            self.signs.fail("a node below a negation has no name: it is never found", name.place)
        if name.text in self.names:
            self.signs.fail(
                f"the name {name.text} is given twice: write ={name.text} alone", name.place
            )
        self.names.add(name.text)
        return name.text

    def _capture(self, description: Description) -> tuple[int, str]:
        """#number%name: what a group of the regular expression finds gets a name."""
        number = self.signs.take_kind("number")
        if number is None or not number.text.isdigit():
            self.signs.fail("the number of a group is wanted after #")
        groups = 0 if description.regex is None else description.regex.groups
        if description.regex is not None and int(number.text) > groups:
            self.signs.fail(f"the regular expression has {groups} groups", number.place)
        if description.negated:
            self.signs.fail("what does not match has no groups", number.place)
        self.signs.need("%")
        name = self.signs.take_kind("literal")
        if name is None:
            self.signs.fail("a name is wanted after %")
        return int(number.text), name.text


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
