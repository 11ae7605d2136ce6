"""Patterns read: text to tokens, tokens to nodes and conditions, and the error that points at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, NoReturn

from bnaparser.errors import BnaparserError, quoted
from bnaparser.trees.labels import CLASSES
from bnaparser.trees.search.conditions import (
    ANYTHING,
    AllOf,
    AnyOf,
    Condition,
    Description,
    Mode,
    NodePattern,
    Related,
)
from bnaparser.trees.search.relations import (
    COUNTED,
    NUMBERED,
    SIMPLE,
    Relation,
    numbered_child,
    through,
)

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


_ASKS = re.compile(r"[!?(\[]")  # what may stand before a relation, and before a node


def read_pattern(pattern: str) -> tuple[list[NodePattern], frozenset[str], tuple[Description, ...]]:
    """Return the alternatives for a pattern's first node, its names, and all its descriptions.

    Raises PatternError if it is wrong.
    """
    reader = _PatternReader(pattern)
    alternatives = reader.alternatives()
    return alternatives, frozenset(reader.names), tuple(reader.descriptions)


class _PatternReader:
    """Reads a pattern from left to right, a method a rule of its grammar.

    ``place`` is the number of the next token. ``names`` were given so far, ``negations`` are open.
    """

    def __init__(self, pattern: str):
        self.pattern = pattern
        self.tokens = _tokens(pattern)
        self.place = self.depth = self.negations = 0
        self.names: set[str] = set()
        self.descriptions: list[Description] = []  # all that were read

    def alternatives(self) -> list[NodePattern]:
        """node | node | ..."""
        found = [self.node_with_relations()]
        names = self.names
        while self.take("|"):
            self.names = set()
            found.append(self.node_with_relations())
            names |= self.names
        self.names = names
        if self.next.kind != "end":
            self.fail(f"{quoted(self.next.text)} does not belong here")
        return found

    def node_with_relations(self) -> NodePattern:
        """A description, or such a thing in brackets, and conditions."""
        if self.take("("):
            with self.inside("("):
                node_pattern = self.node_with_relations()
        else:
            node_pattern = self.description()
        if self.starts_condition():
            more = self.any_of()
            before = node_pattern.condition
            node_pattern.condition = more if before is None else AllOf((before, more))
        return node_pattern

    def node(self) -> NodePattern:
        """What a relation leads to: a description, or more of a pattern in brackets."""
        if not self.take("("):
            return self.description()
        with self.inside("("):
            return self.node_with_relations()

    def any_of(self) -> Condition:
        """Conditions | conditions | ..."""
        before, known = set(self.names), set(self.names)
        parts = []
        while True:
            parts.append(self.all_of())
            known |= self.names
            if not (self.next.text == "|" and self.starts_condition(1)):
                break
            self.place += 1
            self.names = set(before)
        self.names = known
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def all_of(self) -> Condition:
        """Conditions, with or without & between them."""
        parts = [self.condition()]
        while self.take("&") or self.starts_condition():
            parts.append(self.condition())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def condition(self) -> Condition:
        """A relation or a group, maybe negated or optional."""
        if self.take("!"):
            if self.next.text in ("!", "?"):
                self.fail("a condition is negated once, and not optional as well")
            self.negations += 1
            found = self.plain_condition("!")
            self.negations -= 1
            return found
        return self.plain_condition("?" if self.take("?") else "")

    def plain_condition(self, mode: Mode) -> Condition:
        opening = self.next.text
        if opening not in ("(", "["):
            return self.relation(mode)
        self.place += 1
        with self.inside(opening):
            inside = self.any_of()
        if not mode:
            return inside
        # A group of one that has a mode of its own keeps it.
        return AllOf((inside,), mode)

    def relation(self, mode: Mode) -> Condition:
        """A relation and the node that it leads to."""
        sign = self.next
        if sign.kind not in ("relation", "through", "exactly"):
            self.fail("a relation is expected here, such as < or $+")
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
        if not count or symbol not in NUMBERED:
            mistake = "counted from 1 or -1" if not count else "that takes no number"
            self.fail(f"{quoted(sign.text)} is a relation {mistake}", sign.place)
        return NUMBERED[symbol](count)

    def through(self, symbol: str) -> Relation:
        """A relation by way of nodes that fit a description, in brackets."""
        opening = self.next.text
        if opening in ("(", "["):
            self.place += 1
            with self.inside(opening):
                description = self.label()
        else:
            start = self.next.place
            description = self.label()
            if description.regex is None:
                self.fail(f"{symbol} is followed by a description in brackets, {symbol}(NP)", start)
        return through(symbol, NodePattern(description).fits)

    def exactly(self, mode: Mode) -> Condition:
        """{ B ; C }: these children and no other."""
        self.need("{")
        children: list[NodePattern] = []
        with self.inside("{"):
            while self.next.text != "}" and (not children or self.take(";")):
                children.append(self.node())
        parts = [Related(numbered_child(place), child) for place, child in enumerate(children, 1)]
        other = NodePattern(Description((ANYTHING,)))
        return AllOf((*parts, Related(numbered_child(len(children) + 1), other, "!")), mode)

    def starts_condition(self, ahead: int = 0) -> bool:
        """Whether what comes next is a condition: after ! ? and brackets stands a relation."""
        place = self.place + ahead
        if self.tokens[place].text == "&":
            return True
        while _ASKS.fullmatch(self.tokens[place].text):
            place += 1
        return self.tokens[place].kind in ("relation", "through", "exactly")

    def description(self) -> NodePattern:
        """What a node must be, and its name."""
        start = self.next
        if start.text in ("=", "~"):
            return self._reference()
        description = self.label()
        captures = []
        while self.take("#"):
            captures.append(self._capture(description))
        name = self._new_name() if self.take("=") else None
        return NodePattern(description, name, captures=captures)

    def label(self) -> Description:
        """!@literal|literal, !@@class|class, /regex/ or __."""
        found = self._read_label()
        self.descriptions.append(found)
        return found

    def _read_label(self) -> Description:
        negated, basic = self.take("!"), self.take("@")
        if basic and self.take("@"):
            return self._classes(negated)
        if (literal := self.take_kind("literal")) is not None:
            return Description(tuple(literal.text.split("|")), None, basic, negated)
        regex = self.take_kind("regex")
        if regex is None:
            before = "".join(one.text for one in self.tokens[max(0, self.place - 2) : self.place])
            of_label = before[-1:] == "$" and before in self.pattern and len(before) > 1
            hint = f"; the label {before} is written /^{before[:-1]}\\$$/" if of_label else ""
            self.fail(f"a node is expected here: a label, /a regular expression/ or __{hint}")
        try:
            compiled = re.compile(regex.text[1:-1], re.ASCII)
        except (re.error, OverflowError, RecursionError) as error:
            place = regex.place + 1 + (getattr(error, "pos", None) or 0)
            self.fail(f"the regular expression is wrong: {getattr(error, 'msg', error)}", place)
        if regex.text in ("/.*/", "/^.*$/"):
            return Description((ANYTHING,), None, basic, negated)
        return Description((), compiled, basic, negated)

    def _classes(self, negated: bool) -> Description:
        """class|class, after @@."""
        start = self.next.place
        literal = self.take_kind("literal")
        names = tuple(literal.text.split("|")) if literal else ("",)
        for name in names:
            if name not in CLASSES:
                wrong = (
                    f"{quoted(name)} is no class of labels"
                    if name
                    else "the class of labels is missing after @@"
                )
                self.fail(f"{wrong}: the classes are {', '.join(sorted(CLASSES))}", start)
        return Description(names, negated=negated, of_class=True)

    def _reference(self) -> NodePattern:
        """=name or ~name: a node that was named before."""
        sign = self.next
        self.place += 1
        kind: Literal["=", "~"] = "=" if sign.text == "=" else "~"
        known = self.take_kind("literal")
        if known is None:
            self.fail(f"a name is expected after {kind}")
        if known.text not in self.names:
            self.fail(f"no node before this one has the name {known.text}", known.place)
        name = self._new_name() if kind == "~" and self.take("=") else None
        return NodePattern(Description((ANYTHING,)), name, (kind, known.text))

    def _new_name(self) -> str:
        name = self.take_kind("literal")
        if name is None:
            self.fail("a name is expected after =, of letters")
        if self.negations:
            self.fail("a node below a negation cannot have a name: it is in no match", name.place)
        if name.text in self.names:
            self.fail(f"the name {name.text} is used twice: write ={name.text} alone", name.place)
        self.names.add(name.text)
        return name.text

    def _capture(self, description: Description) -> tuple[int, str]:
        """#number%name: what a group of the regular expression finds gets a name."""
        number = self.take_kind("number")
        if number is None or not number.text.isdigit():
            self.fail("the number of a group is expected after #")
        groups = 0 if description.regex is None else description.regex.groups
        if description.regex is not None and int(number.text) > groups:
            self.fail(f"the regular expression has {groups} groups", number.place)
        if description.negated:
            self.fail("what does not match has no groups", number.place)
        self.need("%")
        name = self.take_kind("literal")
        if name is None:
            self.fail("a name is expected after %")
        return int(number.text), name.text

    @property
    def next(self) -> PatternToken:
        """The sign that is to be read."""
        return self.tokens[self.place]

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
            self.fail(f"{text} is expected here{purpose}")

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


def _tokens(pattern: str) -> list[PatternToken]:
    """Return the signs of a pattern, the last one the end; PatternError where there is none."""
    found: list[PatternToken] = []
    place = 0
    while place < len(pattern):
        if pattern[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(pattern, place)
        if match is None:
            raise PatternError(_wrong(pattern[place]), pattern, place)
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the groups are the kinds
        found.append(PatternToken(kind, match.group(), place))
        place = match.end()
    return [*found, PatternToken("end", "", len(pattern))]


def _wrong(sign: str) -> str:
    if sign == "/":
        return "the regular expression that begins here has no / at its end"
    if sign.isdigit() or sign == "_":
        return f"a label that begins with {sign} is written as a regular expression, /^{sign}...$/"
    return f"{sign!r} has no meaning here; in a label it needs a regular expression, /\\{sign}/"
