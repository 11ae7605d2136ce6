"""Clauses as users hold them: what each is, and where it stands in the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

from bnaparser.errors import TreeError, quoted
from bnaparser.trees.clauses.english import PennClauses
from bnaparser.trees.clauses.partition import Kind, Nodes, partition
from bnaparser.trees.clauses.treebanks import TREEBANKS, TreebankClauses
from bnaparser.trees.cleaning import core_label
from bnaparser.trees.escapes import unescape
from bnaparser.trees.labels import table_of_labels
from bnaparser.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of words of a sentence: word numbers and character offsets, both half-open, and its text."""

    start: int
    end: int
    char_start: int
    char_end: int
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a sentence; docs/clauses.md says what each kind is.

    Args:
        kind: ``main``, ``coordinate``, ``complement``, ``relative``, ``adverbial`` or ``non-finite``.
        label: The label of the clause's node in the tree.
        head: The number of the clause that it depends on, from 0; None for the main clause.
        marker: The words that introduce it: "because", "who", "to whom", "and", "to".
        verb: Its main verb; None if it has no verb, as in a heading.
        segments: Its own words, in order. Words of clauses inside it are not among them.
    """

    kind: Kind
    label: str
    head: int | None
    marker: Segment | None
    verb: Segment | None
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The text of its own words, with a blank between segments."""
        return " ".join(segment.text for segment in self.segments)

    @property
    def words(self) -> tuple[int, ...]:
        """The numbers of its own words, from 0."""
        return tuple(word for one in self.segments for word in range(one.start, one.end))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the fields of the clause, and its text."""
        found = asdict(self)
        found["segments"] = list(found["segments"])
        return {"kind": self.kind, "text": self.text} | found


def clauses_of(
    tree: Tree,
    words: Sequence[str] | None = None,
    text: str | None = None,
    offsets: Sequence[tuple[int, int]] | None = None,
) -> list[Clause]:
    """Return the clauses of a tree in the order of their first words; each word is in exactly one.

    Args:
        tree: A tree with part-of-speech tags.
        words: The words as the text has them; by default the tree's, unescaped.
        text: The text from the first word to the end of the last; by default the words with blanks between.
        offsets: Where each word stands, half-open; those of the first word need not be 0.

    Raises:
        TreeError: the tree has no tags.
    """
    shown = [unescape(word) for word in tree.words] if words is None else list(words)
    if text is None or offsets is None or len(offsets) != len(shown):
        ends = list(accumulate(len(word) + 1 for word in shown))
        text = " ".join(shown)
        offsets = [(end - len(word) - 1, end - 1) for end, word in zip(ends, shown, strict=True)]
    first = offsets[0][0]

    def segment(start: int, end: int) -> Segment:
        begin, stop = offsets[start][0], offsets[end - 1][1]
        return Segment(start, end, begin, stop, text[begin - first : stop - first])

    nodes = Nodes(tree)
    scheme = _scheme(nodes)
    found = []
    for part in partition(nodes, scheme.openings, scheme.punctuation):
        own = set(part.words)
        marker, verb = (
            place if place is not None and own.issuperset(range(*place)) else None
            for place in (scheme.marker(part), scheme.verb(part))
        )
        found.append(
            Clause(
                scheme.kind(part),
                part.label,
                part.head,
                None if marker is None else segment(*marker),
                None if verb is None else segment(*verb),
                tuple(segment(start, end) for start, end in _runs(part.words)),
            )
        )
    return found


def clauses_to_dict(
    text: str, find: Callable[[], list[Clause]], error: str | None = None
) -> dict[str, Any]:
    """Return the JSON form of a sentence's clauses: text, clauses and error; clauses are None if there is an error.

    Args:
        text: The sentence.
        find: Finds the clauses; it may raise TreeError.
        error: Why the sentence has no tree.
    """
    clauses = None
    if error is None:
        try:
            clauses = [clause.to_dict() for clause in find()]
        except TreeError as problem:
            error = str(problem)
    return {"text": text, "clauses": clauses, "error": error}


def _scheme(nodes: Nodes) -> PennClauses | TreebankClauses:
    """Return the clauses by the labels of the treebank that has most of the tree's tags."""
    tags = nodes.tree.tags
    distinctive = [tag for tag in tags if tag != "X"]  # an unknown category in several treebanks
    table = table_of_labels((tag, True) for tag in distinctive)
    if not any(tag in table.tags or core_label(tag) in table.tags for tag in distinctive):
        listed = ", ".join(dict.fromkeys(filter(None, tags)))
        raise TreeError(
            "clauses need the part-of-speech tags of a treebank that is known: "
            f"{quoted(' '.join(nodes.tree.words))} has {quoted(listed) if listed else 'none'}"
        )
    if table.language == "en":
        return PennClauses(nodes)
    return TreebankClauses(nodes, TREEBANKS[table.language])


def _runs(words: Sequence[int]) -> list[tuple[int, int]]:
    """Return the runs of adjacent words, half-open."""
    runs: list[tuple[int, int]] = []
    for word in words:
        if runs and runs[-1][1] == word:
            runs[-1] = runs[-1][0], word + 1
        else:
            runs.append((word, word + 1))
    return runs
