"""What a user knows of a sentence's tree, by names and places: ``Constraint("must", 0, 2, "NP")``.

A label stands for every chain that holds it: ``VP`` for ``S::VP`` too, ``S::VP`` for that chain and
any longer one. With "only" it stands for itself alone. The search keeps to it in `bnaparser.chart.constraints`; here names become numbers,
and a contradiction is reported in one sentence.
"""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

from bnaparser.chart import Bonus, Clash, Rule
from bnaparser.chart.constraints import bonuses_of_spans
from bnaparser.errors import SentenceError, quoted, shortened
from bnaparser.network.labels import Inventory
from bnaparser.text.sentence import Sentence
from bnaparser.trees.tree import CHAIN, Tree

Kind = Literal["must", "not", "only", "uncrossed", "bonus", "tag"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds of constraints."""

_MOST_NAMED = 8  # constraints that a message describes; of more it gives the numbers alone

MOST_AMOUNT = 10_000
"""The most that the bonuses of a span and a label may be together.

Scores are single precision, and would lose digits beside more.
"""


_LONGEST_LABEL = 80  # for which a like one is looked up


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint on the words ``start`` to ``end``, end-exclusive.

    ``kind`` says it. "must": they are a constituent, with one of ``labels`` if there are some.
    "not": they are none with such a label, or none at all. "only": if they are one, it has no other
    labels than these; "S::VP" allows that chain, neither an S nor a VP alone. "uncrossed": no
    constituent begins outside and ends inside them, or the other way round. "bonus": a constituent with one of the labels, or any, scores ``amount`` more, or less
    where that is below 0. "tag": the one word's part of speech is ``tag``, which changes nothing else.

    Places count words where a sentence is given as words, else code points of the text. Labels may
    be given as one string. Raises ValueError for another kind, or where ``tag`` or ``amount`` is
    given to a kind that has none, or lacking, and TypeError for what is no place, name or number.
    """

    kind: Kind
    start: int
    end: int
    labels: Sequence[str] = ()
    amount: float | None = None
    tag: str | None = None

    def __post_init__(self) -> None:
        values: Any = self.labels
        is_one = isinstance(values, str) or not isinstance(values, Iterable)
        labels: tuple[str, ...] = (values,) if is_one else tuple(values)
        object.__setattr__(self, "labels", labels)
        _check_types(self)
        if self.kind not in KINDS:
            raise ValueError(
                f"a constraint of kind {quoted(self.kind)}is unknown: use one of {', '.join(KINDS)}"
            )
        if (self.amount is not None) != (self.kind == "bonus"):
            raise ValueError(
                f"{self}: an amount is for kind bonus only, and kind bonus needs an amount"
            )
        if (self.tag is not None) != (self.kind == "tag"):
            instead = f'; give it as tag="{shortened(labels[0])}", not as a label' if labels else ""
            raise ValueError(
                f"{self}: a tag is for kind tag only, and kind tag needs a tag{instead}"
            )
        if self.kind == "only" and not labels:
            raise ValueError(f"{self}: kind only needs at least one label")

    def __str__(self) -> str:
        more = "|".join(self.labels)
        if self.amount is not None:
            more = f"{self.amount:+g} {more}".strip()
        what = f"{self.kind} {shortened(more or self.tag or '')}".strip()
        return f"{what} at {shortened(str(self.start))} to {shortened(str(self.end))}"

    def to_dict(self) -> dict[str, Any]:
        """Return its fields that say something."""
        found: dict[str, Any] = {"kind": self.kind, "start": self.start, "end": self.end}
        found |= {"labels": list(self.labels)} if self.labels else {}
        found |= {} if self.amount is None else {"amount": self.amount}
        return found | ({} if self.tag is None else {"tag": self.tag})


class Numbered(NamedTuple):
    """Constraints in numbers: rules and bonuses for the chart, and the tags of words.

    ``places`` are those of the rules among the constraints.
    """

    rules: list[Rule]
    bonuses: list[Bonus]
    tags: dict[int, str]
    places: list[int]


def constraints_of(tree: Tree) -> list[Constraint]:
    """Return the constraints of a tree, or of part of one: one constraint for each of its constituents."""
    return [Constraint("must", span.start, span.end, (span.label,)) for span in tree.spans()]


def numbered(
    constraints: Sequence[Constraint],
    n: int,
    labels: Inventory,
    barred: frozenset[int] = frozenset(),
) -> Numbered:
    """Return the constraints of a sentence of n words in numbers; SentenceError for a wrong
    constraint.

    ``barred`` are labels that its language does not have.
    """
    found = Numbered([], [], {}, [])
    for number, one in enumerate(constraints, 1):
        try:
            _check(one, n)
            known = _numbers_of(one, labels, barred)
        except SentenceError as error:
            raise SentenceError(f"constraint {number} ({one}): {error}") from None
        if one.kind == "bonus":
            assert one.amount is not None
            found.bonuses.append(Bonus(one.start, one.end, one.amount, known))
        elif one.kind == "tag":
            assert one.tag is not None
            if found.tags.setdefault(one.start, one.tag) != one.tag:
                raise SentenceError(_two_tags(constraints, number))
        else:
            rule = Rule(one.start, one.end, known, one.kind == "must", one.kind == "uncrossed")
            found.rules.append(rule)
            found.places.append(number)
    for (start, end), amounts in bonuses_of_spans(found.bonuses, len(labels)).items():
        most = max(amounts.tolist(), key=abs)
        if abs(most) > MOST_AMOUNT:
            raise SentenceError(
                f"the bonuses at {start} to {end} are {most:,g} together, and may be no more than {MOST_AMOUNT:,}"
            )
    return found


def describe_conflict(
    clash: Clash, constraints: Sequence[Constraint], places: Sequence[int]
) -> str:
    """Return a message that names the constraints that contradict each other, with their numbers
    from 1.
    """
    numbers = [places[place] for place in clash.places]
    reason = "the whole sentence is a constituent in every tree of this model"
    message = _cannot_hold(constraints, numbers)
    return f"{message}: {reason}" if clash.of_the_root else message


def _cannot_hold(constraints: Sequence[Constraint], numbers: Sequence[int]) -> str:
    """Say that constraints cannot hold; what each is, unless they are many."""
    if len(numbers) > _MOST_NAMED:
        *first, last = map(str, numbers)
        return f"constraints {', '.join(first)} and {last} cannot hold together"
    *first, last = (f"constraint {number} ({constraints[number - 1]})" for number in numbers)
    if not first:
        return f"{last} cannot hold"
    return f"{', '.join(first)} and {last} cannot hold together"


def checked(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Return the constraints unchanged; TypeError if an item is not a Constraint, for example a
    tuple.
    """
    if isinstance(constraints, Constraint):
        raise TypeError("constraints must be a list of Constraint, not one Constraint")
    values = tuple(constraints)
    for number, one in enumerate(values, 1):
        if not isinstance(one, Constraint):
            raise TypeError(
                f"constraint {number} is {one!r:.60}: give a Constraint, as in"
                ' Constraint("must", 0, 2, "NP")'
            )
    return values


def in_words(
    constraints: Iterable[Constraint], sentences: Sequence[Sentence]
) -> list[list[Constraint] | str]:
    """Return the constraints of each sentence in word numbers, given constraints in code points of
    the text.

    For a sentence in which one begins that does not begin and end with words of it, the reason. One
    that lies before or after all sentences is that of the first or last one. Raises TypeError for what
    is no constraint.
    """
    found: list[list[Constraint] | str] = [[] for _ in sentences]
    starts = [one.offsets[0][0] if one.offsets else 0 for one in sentences]
    words: dict[int, _WordsAt] = {}
    for number, constraint in enumerate(checked(constraints), 1):
        place = max(0, bisect_right(starts, constraint.start) - 1)
        if not sentences or isinstance(found[place], str):
            continue
        try:
            of_sentence = found[place]
            assert not isinstance(of_sentence, str)
            if place not in words:
                words[place] = _words_at(sentences[place])
            of_sentence.append(_in_words(constraint, words[place]))
        except SentenceError as error:
            found[place] = f"constraint {number} ({constraint}): {error}"
    return found


class _WordsAt(NamedTuple):
    """By place in the text, the word that begins there, and the number of words up to the one that ends there."""

    starts: dict[int, int]
    ends: dict[int, int]


def _words_at(sentence: Sentence) -> _WordsAt:
    # Of two words that stand at one place, as those of "à" do, the first begins there.
    starts: dict[int, int] = {}
    for word, (start, _) in enumerate(sentence.offsets):
        starts.setdefault(start, word)
    return _WordsAt(starts, {end: word + 1 for word, (_, end) in enumerate(sentence.offsets)})


def _in_words(constraint: Constraint, words: _WordsAt) -> Constraint:
    starts, ends = words
    if constraint.start not in starts:
        raise SentenceError(f"no word of the sentence begins at {shortened(str(constraint.start))}")
    if constraint.end not in ends:
        raise SentenceError(f"no word of the sentence ends at {shortened(str(constraint.end))}")
    return replace(constraint, start=starts[constraint.start], end=ends[constraint.end])


def check_amount(amount: float) -> None:
    """Raise SentenceError for a bonus or penalty that no score could be added to."""
    if not abs(amount) <= MOST_AMOUNT:
        raise SentenceError(
            f"{shortened(str(amount))} is not a number between -{MOST_AMOUNT:,} and {MOST_AMOUNT:,}"
        )


def tag_against(constraints: Sequence[Constraint], tags: Sequence[str]) -> str | None:
    """Return a message if a constraint gives a word another tag than ``tags``, the tags of all
    words; else None.
    """
    for number, one in enumerate(constraints, 1):
        if one.tag is not None and 0 <= one.start < len(tags) and tags[one.start] != one.tag:
            values = f"the tag {shortened(tags[one.start])} of the input"
            return f"constraint {number} ({one}) and {values} cannot hold together"
    return None


def _two_tags(constraints: Sequence[Constraint], second: int) -> str:
    last = constraints[second - 1]
    first = next(
        number
        for number, one in enumerate(constraints, 1)
        if one.kind == "tag" and one.start == last.start
    )
    return _cannot_hold(constraints, [first, second])


def _check_types(one: Constraint) -> None:
    for name, place in (("start", one.start), ("end", one.end)):
        # True is a whole number to Python, and True:2 none to NumPy.
        if isinstance(place, bool) or not hasattr(
            place, "__index__"
        ):  # isinstance of a protocol takes ten times as long
            raise TypeError(f"the {name} of a constraint is {quoted(place)}: give a whole number")
    for name, values in (("label", one.labels), ("tag", () if one.tag is None else (one.tag,))):
        if wrong := [each for each in values if not isinstance(each, str)]:
            raise TypeError(f"the {name} of a constraint is {quoted(wrong[0])}: give a string")
    amount: object = one.amount
    if amount is not None and (not hasattr(amount, "__float__") or isinstance(amount, str)):
        raise TypeError(f"the amount of a bonus is {quoted(one.amount)}: give a number")


def _check(one: Constraint, n: int) -> None:
    if one.start >= one.end:
        raise SentenceError("the span has no words: end must be greater than start")
    if one.start < 0 or one.end > n:
        raise SentenceError(f"the span lies outside the sentence, which has {n} words")
    if one.amount is not None:
        check_amount(one.amount)
    if one.tag is not None:
        if one.end - one.start != 1:
            raise SentenceError("a tag constraint must cover exactly one word")
        if not one.tag or any(char.isspace() or char in "()" for char in one.tag):
            raise SentenceError("a tag must not be empty, and must not contain blanks or brackets")


def _numbers_of(
    one: Constraint, labels: Inventory, barred: frozenset[int]
) -> frozenset[int] | None:
    """Return the numbers of the labels that a constraint leaves, or that it gives a bonus."""
    if one.kind in ("tag", "uncrossed"):
        return None
    if not one.labels:
        return frozenset() if one.kind == "not" else None
    chains = {
        number: name.split(CHAIN)
        for number, name in enumerate(labels.names)
        if number and number not in barred
    }
    required_chains = [_known(label, chains) for label in one.labels]
    if one.kind == "only":
        return frozenset(
            number for number, chain in chains.items() if _made_of(chain, required_chains)
        )
    having = {
        n for n, chain in chains.items() if any(_holds(chain, each) for each in required_chains)
    }
    return frozenset(chains.keys() - having if one.kind == "not" else having)


def _known(label: str, chains: Mapping[int, Sequence[str]]) -> list[str]:
    """Return a label's chain; SentenceError if the model never predicts it."""
    chain = label.split(CHAIN)
    if not any(_holds(each, chain) for each in chains.values()):
        names = {name for each in chains.values() for name in each}
        near = difflib.get_close_matches(label[:_LONGEST_LABEL].upper(), sorted(names), 1)
        hint = f"; is {near[0]} meant?" if near else f": it has {' '.join(sorted(names))}"
        raise SentenceError(f"the model knows no label {quoted(label)}{hint}")
    return chain


def _made_of(chain: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    """Return whether a chain is nothing but some of the parts, one below another."""
    return not chain or any(
        list(chain[: len(part)]) == list(part) and _made_of(chain[len(part) :], parts)
        for part in parts
    )


def _holds(chain: Sequence[str], part: Sequence[str]) -> bool:
    size = len(part)
    return any(list(chain[i : i + size]) == list(part) for i in range(len(chain) - size + 1))
