"""What a tree says of each dependency: the phrases on both sides of it."""

from __future__ import annotations

from typing import NamedTuple

from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads.dependencies import (
    CONJUNCTIONS,
    HeadedPhrase,
    dependencies,
    headed_phrases,
    is_punctuation,
)
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.tree import Tree

_NOUN_PHRASES = ("NP", "NML", "NX")


class Arc(NamedTuple):
    """A word's head, from 1 (0: none), and its place in the tree; labels are without functions.

    ``child`` is the largest phrase that the word heads, ``parent`` the phrase above it, ``head_child``
    the head among that one's children; ``before``: whether it stands before the head child.
    """

    head: int
    child: str = ""
    parent: str = ""
    head_child: str = ""
    before: bool = False
    is_conjunct: bool = False
    possessive: bool = False  # "the cat's"
    has_question_word: bool = False  # "who sat"
    has_subordinator: bool = False  # "because it sat", not "that it sat"
    has_subject: bool = False
    holds_clause: bool = False  # "by going"
    nouns_after: bool = False  # a noun phrase follows among its sisters
    beside_clause: bool = False  # its head is of a clause with a subject: "what he ate"


def arcs(tree: Tree, rules: HeadRules) -> list[Arc]:
    """Return the arc of each word, with heads as `dependencies` finds them."""
    found = [Arc(head) for head in dependencies(tree, rules)]
    for phrase, head, asks in headed_phrases(tree, rules):
        row = _row(phrase, head if asks is None else asks)
        for place, word in enumerate(phrase.head_words):
            if place != row.chosen and found[word].head:
                found[word] = _arc(phrase, place, row, found[word].head)
    return found


class _Row(NamedTuple):
    """The children of a phrase: the head child, places of others, -1 where there is none, and what the head child is."""

    chosen: int
    joined: int  # the first conjunction behind the head child
    last_join: int
    last_noun: int
    is_clause: bool


def _row(phrase: HeadedPhrase, chosen: int) -> _Row:
    labels = phrase.labels
    joins = [place for place, label in enumerate(labels) if label in CONJUNCTIONS]
    nouns = [place for place, label in enumerate(labels) if label in _NOUN_PHRASES]
    inside = [core_label(below.label) for below in phrase.node.subtrees[chosen].subtrees]
    return _Row(
        chosen,
        next((place for place in joins if place >= chosen), -1),
        max(joins, default=-1),
        max(nouns, default=-1),
        labels[chosen] in ("S", "SQ") and "VP" in inside and _has_subject(inside),
    )


def _has_subject(inside: list[str]) -> bool:
    """Whether a noun phrase is among the children of a clause, and not its last."""
    return not set(_NOUN_PHRASES).isdisjoint(inside[:-1])


def _arc(phrase: HeadedPhrase, place: int, row: _Row, head: int) -> Arc:
    chosen = row.chosen
    child = phrase.node.subtrees[place]
    inside = [core_label(below.label) for below in child.subtrees]
    clause = child
    if phrase.labels[place] == "SBAR" and inside:
        clause = next((one for one in child.subtrees if one.label[:1] == "S"), child)
    first = child.subtrees[0] if child.subtrees else child
    return Arc(
        head,
        phrase.labels[place],
        phrase.label,
        phrase.labels[chosen],
        before=place < chosen,
        is_conjunct=_is_conjunct(phrase.labels, place, row),
        possessive=bool(inside) and inside[-1] == "POS",
        has_question_word=any(label[:2] in ("WH", "WD", "WP") for label in inside),
        has_subordinator=first.label[:2] == "IN" and first.words[0].lower() != "that",
        has_subject=_has_subject([core_label(one.label) for one in clause.subtrees]),
        holds_clause=any(label in ("S", "VP", "SBAR") for label in inside),
        nouns_after=place < row.last_noun,
        beside_clause=row.is_clause,
    )


def _is_conjunct(labels: list[str], place: int, row: _Row) -> bool:
    """Whether a child is joined to the head child before it by a conjunction, also in a longer row."""
    if place < row.chosen or is_punctuation(labels[place]) or labels[place] in CONJUNCTIONS:
        return False
    if -1 < row.joined < place:
        return True
    alike = labels[place][:2] == labels[row.chosen][:2]
    return alike and row.last_join >= place
