"""The signs of a pattern, each with its place, and the error that points at one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, NoReturn

from bnaparser.errors import BnaparserError
from bnaparser.trees.search.relations import COUNTED, SIMPLE

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
