r"""Constraints written into a text: ``I saw [NP the man with the telescope].``

A bracket opens with what is known, a blank, and the words; it closes after them. Brackets may stand
in one another. What is known:

- ``[NP ...]``, ``[NP|QP ...]``: a constituent with this label, or one of these; ``[* ...]``: with any
- ``[!NP ...]``: no constituent with this label; ``[!* ...]``: no constituent
- ``[?NP ...]``: if a constituent, then with no other label; ``S::VP`` is that chain alone
- ``[~ ...]``: nothing crosses it
- ``[+2 ...]``, ``[-1.5:NP ...]``: a constituent there, or one with this label, gets this bonus (or penalty) in its score
- ``[=NN dog]``: the word's part of speech

``\[``, ``\]`` and ``\\`` are the characters themselves.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from bnaparser.errors import SentenceError, check_flag, shortened
from bnaparser.parsing.named_constraints import Constraint, Kind, in_words
from bnaparser.text.sentence import Sentence, Split
from bnaparser.text.splitting import check_split, read_sentences, split_lines, text_lines
from bnaparser.text.text_rules import ENGLISH, TextRules

# What a bracket says ends before another one: else a row of brackets would be read to its end from each of them.
_TOKEN = re.compile(
    r"\\([\[\]\\])|\[([^\s\[]*+)(?:[ \t]+|(?=\r?\n|\[)|\Z)|(\])|([^\[\]\\]++|[\[\\])", re.DOTALL
)
_BONUS = re.compile(r"([+-](?:[0-9]*\.)?[0-9]+)(?::(\S+))?")


class Marked(NamedTuple):
    """A text without its markup, and the constraints, which count its code points."""

    text: str
    constraints: list[Constraint]


def unmark(text: str) -> Marked:
    """Take the markup out of a text; SentenceError where it cannot be read, saying where."""
    reader = MarkupReader()
    plain = reader.strip(text)
    reader.check_closed()
    return Marked(plain, reader.found)


class _BracketMarkup(NamedTuple):
    """What a bracket says of the words in it, as the fields of a Constraint."""

    kind: Kind
    labels: tuple[str, ...] = ()
    amount: float | None = None
    tag: str | None = None

    def of(self, start: int, end: int) -> Constraint:
        """Return it as a constraint on these code points."""
        return Constraint(self.kind, start, end, self.labels, self.amount, self.tag)


@dataclass
class _Open:
    """A bracket that is open: how it is written, what it says, where it stands, and where the words in it begin."""

    known: str
    said: _BracketMarkup
    place: int
    start: int | None = None

    def begins(self) -> float:
        """Return where its words begin, infinity if it has none yet."""
        return math.inf if self.start is None else self.start


class MarkupReader:
    """Takes the markup out of a text that comes line by line; ``found`` are its constraints so far.

    ``place`` counts the code points that were returned, from the first one's. Brackets may be closed
    in a later line.
    """

    def __init__(self, place: int = 0) -> None:
        self.place = place
        self.found: list[Constraint] = []
        self._open: list[_Open] = []  # by where their words begin; those without any last
        self._before = 0  # how many of them had words before this line
        self._closed: list[_Open] = []  # others that had, but were closed in it
        self._end = place  # of the last word

    def strip(self, line: str) -> str:
        """Return a line without its markup. Raises SentenceError if it cannot be read."""
        self._before = bisect_left(self._open, math.inf, key=_Open.begins)
        self._closed = []
        parts: list[str] = []
        for escaped, known, closing, text in _tokens(line):
            if closing:
                self._close()
                continue
            if known is not None:
                self._open.append(_Open(known, _bracket_markup(known, self.place), self.place))
                continue
            self._go_over(escaped or text)
            parts.append(escaped or text)
        return "".join(parts)

    def check_closed(self) -> None:
        """Raise SentenceError if a bracket is still open."""
        if self._open:
            last = self._open[-1]
            raise SentenceError(
                f"the bracket [{shortened(last.known)} at {last.place} is not closed"
            )

    def taken(self) -> list[Constraint]:
        """Return the constraints that were found since this was last called."""
        found, self.found = self.found, []
        return found

    def open_in(self, start: int, end: int) -> str | None:
        """Return what a bracket says that was opened there and is not closed."""
        first = bisect_left(self._open, float(start), key=_Open.begins)
        if first == len(self._open):
            return None
        one = self._open[first]
        # Without words yet, it stands after the last sentence that there is so far.
        within = self._end <= end if one.start is None else one.start < end
        return one.known if within else None

    def opened_before(self) -> list[_Open]:
        """Return the brackets that were open, with words in them, before the last line, by where these begin."""
        return [*self._open[: self._before], *reversed(self._closed)]

    def _close(self) -> None:
        if not self._open:
            raise SentenceError(
                f"a ] at {self.place} has no opening bracket: write \\] for the character itself"
            )
        last = self._open.pop()
        if len(self._open) < self._before:
            self._before -= 1
            self._closed.append(last)
        if last.start is None:
            raise SentenceError(
                f"the bracket [{shortened(last.known)} at {last.place} contains no words"
            )
        self.found.append(last.said.of(last.start, self._end))

    def _go_over(self, text: str) -> None:
        """Note where words begin and end: blanks beside a bracket do not count."""
        if text.strip():
            first = self.place + len(text) - len(text.lstrip())
            self._end = self.place + len(text.rstrip())
            for one in reversed(self._open):
                if one.start is not None:
                    break  # and so have those around it
                one.start = first
        self.place += len(text)


class MarkedLines:
    """Lines without their markup, and for each of their sentences the parsed markup.

    With split "text" a bracket may reach from one line to the next.
    """

    def __init__(self, lines: Iterable[str], split: Split):
        self._lines, self._split = lines, split
        self._line_markups: deque[LineMarkup] = deque()
        self._reader = MarkupReader()
        self._lost: deque[_Open] = deque()  # brackets that a bad line kept from being closed

    def __iter__(self) -> Iterator[str]:
        reader = self._reader
        for number, line in enumerate(self._lines, 1):
            if self._split != "text":
                reader = MarkupReader(reader.place if self._split == "paragraph" else 0)
            start = reader.place
            try:
                plain = reader.strip(line)
                if self._split != "text":
                    reader.check_closed()
            except SentenceError as error:
                plain = line
                line_markup = LineMarkup(number, start, start + len(line), [], str(error))
                self._lost += reader.opened_before()
                reader = MarkupReader(line_markup.end)
            else:
                found = sorted(enumerate(reader.taken()), key=_start_of)
                line_markup = LineMarkup(number, start, reader.place, found, None)
            self._line_markups.append(line_markup)
            self._reader = reader
            yield plain

    def of(self, sentence: Sentence, number: int) -> list[Constraint] | str:
        """Return the constraints of a sentence, in words, or why there are none; in their order.

        ``number`` is that of the sentence's line, which plays no part with split "text".
        """
        if not sentence.offsets:
            return []
        start, end = sentence.offsets[0][0], sentence.offsets[-1][1]
        running = self._split == "text"
        while self._line_markups and (
            self._line_markups[0].end <= start if running else self._line_markups[0].number < number
        ):
            self._line_markups.popleft()
        mine = [
            one
            for one in self._line_markups
            if (one.start < end and one.end > start if running else one.number == number)
        ]
        problem = next((one.problem for one in mine if one.problem is not None), None)
        if problem is not None:
            return problem
        if running and (known := self._left_open(start, end)) is not None:
            return f"the bracket [{shortened(known)} is not closed in its sentence"
        inside = [each for one in mine for each in one.within(start, end)]
        return in_words(inside, [sentence])[0]

    def _left_open(self, start: int, end: int) -> str | None:
        """Return what a bracket says that was opened in a sentence and not closed; sentences come in order."""
        while self._lost and self._lost[0].begins() < start:
            self._lost.popleft()
        if self._lost and self._lost[0].begins() < end:
            return self._lost[0].known
        return self._reader.open_in(start, end)


def marked_sentences(
    text: str, split: Split, rules: TextRules = ENGLISH
) -> list[tuple[Sentence, list[Constraint] | str]]:
    """Return the sentences of a text with markup, each with its constraints, or why it has none.

    Places count in the text without markup. Raises ValueError for another ``split``.
    """
    check_split(split)
    marked = MarkedLines(text_lines(text), split)
    return [
        (sentence, marked.of(sentence, number))
        for number, group in enumerate(split_lines(marked, split, rules), 1)
        for sentence in group
    ]


def under_constraints(
    text: str,
    split: Split,
    constraints: Sequence[Constraint] = (),
    markup: bool = False,
    rules: TextRules = ENGLISH,
) -> tuple[list[Sentence], list[list[Constraint] | str]]:
    """Return the sentences of a text, and what is known of each: given by place, or in markup.

    Raises ValueError if both are given, or places that do not say which line they are of.
    """
    check_flag("markup", markup)
    if markup:
        if constraints:
            raise ValueError("give either constraints or markup, not both")
        found = marked_sentences(text, split, rules)
        return [sentence for sentence, _ in found], [known for _, known in found]
    sentences = read_sentences(text, split, rules)
    if constraints and split in ("line", "token") and len(sentences) > 1:
        raise ValueError(f"with split {split} offsets count within a line: give one line per call")
    return sentences, in_words(constraints, sentences)


class LineMarkup(NamedTuple):
    """The markup of a line: its number, its position without markup, and its constraints or its error.

    Constraints stand in the order in which their words begin, each with its number in that in which they were closed.
    """

    number: int
    start: int
    end: int
    found: list[tuple[int, Constraint]]
    problem: str | None

    def within(self, start: int, end: int) -> list[Constraint]:
        """Return the constraints whose words begin in a sentence, in the order in which they were
        closed.
        """
        first = bisect_left(self.found, start, key=_start_of)
        last = bisect_left(self.found, end, lo=first, key=_start_of)
        return [one for _, one in sorted(self.found[first:last], key=itemgetter(0))]


def _start_of(numbered: tuple[int, Constraint]) -> int:
    return numbered[1].start


def _tokens(line: str) -> Iterator[tuple[str | None, str | None, str | None, str]]:
    for found in _TOKEN.finditer(line):
        escaped, known, closing, text = found.groups()
        yield escaped, known, closing, text or ""


def _bracket_markup(known: str, place: int) -> _BracketMarkup:
    """Return what a bracket at ``place`` says; SentenceError where that is nothing."""
    mark, rest = known[:1], known[1:]
    labels = () if rest == "*" else tuple(rest.split("|"))
    if known == "~":
        return _BracketMarkup("uncrossed")
    if found := _BONUS.fullmatch(known):
        return _BracketMarkup(
            "bonus", tuple(found[2].split("|")) if found[2] else (), float(found[1])
        )
    if mark == "=" and rest:
        return _BracketMarkup("tag", tag=rest)
    if mark == "!" and rest:
        return _BracketMarkup("not", labels)
    if mark == "?" and rest and rest != "*":
        return _BracketMarkup("only", labels)
    if known == "*":
        return _BracketMarkup("must")
    if mark.isalpha() and "]" not in known:
        return _BracketMarkup("must", tuple(known.split("|")))
    raise SentenceError(
        f"[{shortened(known)} at {place} is not a constraint: after [ write a label, *, !, ?, ~, =, + or -, and a blank;"
        r" \[ is the character itself"
    )
