"""What stands at the beginning of a clause: its conjunction, question phrase, subject and verb."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads import english
from bnaparser.trees.tree import Tree

CLAUSES = frozenset({"S", "SBAR", "SBARQ", "SINV", "SQ"})
NOUN_PHRASES = frozenset({"NP", "NML", "NX"})
NONFINITE = frozenset({"TO", "VB", "VBG", "VBN", ""})
"""Forms of a clause without a finite verb; the empty one is that of a clause without a verb."""

_DEPTH = 16  # a clause's verb is sought no deeper, so that nested clauses take linear time


class Clause(NamedTuple):
    """The beginning of a clause.

    Args:
        introducers: The words in lower case before the clause proper: "so", "that".
        question: The label of the question phrase: ``WHNP`` of "who left"; empty if there is none.
        question_word: The first word of the question phrase, in lower case.
        subject: The noun phrase before the verb.
        is_inverted: Whether the verb stands first: "should it rain".
        form: The tag of the first verb, ``TO`` or ``MD``; empty if there is none.
    """

    introducers: tuple[str, ...] = ()
    question: str = ""
    question_word: str = ""
    subject: Tree | None = None
    form: str = ""
    is_inverted: bool = False

    @property
    def small_subject(self) -> Tree | None:
        """The subject of a clause that has no finite verb: "him" in "made (him leave)"."""
        return self.subject if self.form in NONFINITE else None


def read_clause(node: Tree) -> Clause:
    """Return the beginning of a clause or a verb phrase; of several conjuncts, of the first."""
    introducers: list[str] = []
    question = question_word = ""
    is_inverted = False
    form = ""
    subjects: list[Tree] = []
    for _ in range(_DEPTH):
        inner: Tree | None = None
        label = core_label(node.label)
        is_inverted = is_inverted or label == "SINV"
        for child in node.subtrees:
            core = core_label(child.label)
            if label == "VP":
                if core in ("TO", "MD") or core[:2] == "VB":
                    form = form or core
                    break
                inner = child if core == "VP" else None
            elif core == "ADJP" and label == "S" and subjects:
                break  # "(it) (possible) (to win)" has no verb of its own
            elif core in CLAUSES or core == "VP":
                inner = child
            elif label in ("SQ", "SINV") and (core == "MD" or core[:2] == "VB"):
                form = form or core
            elif core[:2] == "WH":
                question = question or core
                question_word = question_word or first_word(child)
            elif core in NOUN_PHRASES and label != "SBAR":
                subjects.append(child)
            elif label == "SBAR" and core[:1].isalpha():
                introducers += [one.word.lower() for one in child.subtrees or (child,) if one.word]
            if inner is not None:
                break
        if inner is None:
            break
        node = inner
    # "(last year) (he) left", but "(made) (him) (president)"
    subject = subjects[-1 if form else 0] if subjects else None
    return Clause(tuple(introducers), question, question_word, subject, form, is_inverted)


def own_subject(node: Tree) -> Tree | None:
    """Return the phrase of a clause that is its subject: the last noun phrase or clause before the verb."""
    label, found = core_label(node.label), None
    if label in ("SBAR", "SBARQ"):  # "(which) (would be to win)"
        return next((child for child in node.subtrees if child.label[:4] == "WHNP"), None)
    if label not in ("S", "SQ", "SINV"):
        return None
    for child in node.subtrees:
        core = core_label(child.label)
        if core == "VP":
            break
        if core in NOUN_PHRASES or core in ("S", "SBAR"):
            found = child
            if label == "SQ":
                break
    return found


def predicate_clause(node: Tree) -> int | None:
    """Return the child that is the predicate of "be" and a clause: "the aim is (to win)", "is (that he lied)".

    Args:
        node: A verb phrase, or a question with its verb in front.
    """
    below = node.subtrees
    labels = [core_label(child.label) for child in below]
    if "VP" in labels:
        return None
    copula = next((place for place, label in enumerate(labels) if label[:2] == "VB"), None)
    if copula is None or (below[copula].word or "").lower() not in english.BE:
        return None
    start = copula + 1
    if core_label(node.label) == "SQ":
        nouns = [place for place in range(start, len(labels)) if labels[place] in NOUN_PHRASES]
        if not nouns:
            return None
        start = nouns[0] + 1
    for place in range(start, len(labels)):
        label = labels[place]
        if label in CLAUSES:
            if "PRD" in functions(below[place].label):
                return place
            mark = below[place - 1].word if labels[place - 1] in (",", ":") else None
            is_part = mark is None or (mark in (",", "...") and _is_bare_clause(below[place]))
            return place if is_part else None
        is_place = label == "ADVP" and first_word(below[place]) in english.PLACES
        if is_place or label in _PREDICATE_PHRASES or "PRD" in functions(below[place].label):
            return None
    return None


class JoinedAuxiliaries(NamedTuple):
    """The children of a verb phrase that are auxiliaries joined by a conjunction, and the child that they serve."""

    auxiliaries: tuple[int, ...]
    main: int


def joined_auxiliaries(node: Tree) -> JoinedAuxiliaries | None:
    """Return the auxiliaries of "can and must win", "was and is a hero"; None where they serve nothing: "can and will"."""
    below = node.subtrees
    labels = [core_label(child.label) for child in below]
    if "CC" not in labels or len(below) < 3:
        return None
    places = [
        place
        for place, label in enumerate(labels)
        if label[:1].isalpha() and label not in ("CC", "CONJP", "RB")
        if label != "ADVP" or first_word(below[place]) in english.PLACES
    ]
    verbs = [_auxiliaries(below[place]) for place in places]
    last = next((number for number, words in enumerate(verbs) if not words), len(places))
    if last == len(places) and last > 1:  # "can and (will) (be done)"
        is_after_auxiliary = "CC" not in labels[places[-2] : places[-1]]
        last -= (
            is_after_auxiliary and labels[places[-1]] == "VP" and verbs[-1][-1] not in english.BE
        )
    if not 0 < last < len(places):
        return None
    verbs, main = verbs[:last], places[last]
    if last == 1 and not (len(places) == 2 and _begins_with_auxiliary(below[main], verbs[0])):
        return None
    is_joined = "CC" in labels[places[0] : main if last == 1 else places[last - 1]]
    is_of_be = all(words[-1] in english.BE for words in verbs)
    serves = labels[main] == "VP" or (is_of_be and labels[main] in _PREDICATE_PHRASES | {"ADVP"})
    if not (is_joined and serves):
        return None
    # In "was and always (will) (be) a hero" the last auxiliary of each part counts.
    kept = [
        place
        for place, following in pairwise(places[: last + 1])
        if following == main or not {"CC", ","}.isdisjoint(labels[place:following])
    ]
    return JoinedAuxiliaries(tuple(kept), main)


def _auxiliaries(node: Tree) -> list[str]:
    """Return the words of a verb or verb phrase if they are auxiliaries and adverbs only; else nothing."""
    found: list[str] = []
    for _ in range(_DEPTH):
        if node.word is not None:
            is_verb = node.label == "MD" or node.label[:2] == "VB"
            is_auxiliary = is_verb and (
                node.label == "MD" or node.word.lower() in english.AUXILIARIES
            )
            return [*found, node.word.lower()] if is_auxiliary else []
        if core_label(node.label) != "VP":
            return []
        *before, last = node.subtrees
        for child in before:
            word = (child.word or "").lower()
            if core_label(child.label) not in ("ADVP", "RB") and not (
                child.label == "MD" or word in english.AUXILIARIES
            ):
                return []
            found.append(word)
        node = last
    return []


def _begins_with_auxiliary(node: Tree, words: Sequence[str]) -> bool:
    """Whether a verb phrase has an auxiliary of its own that agrees with others: "(is) and (was ill)"."""
    if core_label(node.label) != "VP" or len(node.subtrees) < 2:
        return False
    first = node.subtrees[0]
    word = (first.word or "").lower()
    if first.label == "MD":
        return core_label(node.subtrees[-1].label) == "VP"
    return word in english.BE and words[-1] in english.BE


_PREDICATE_PHRASES = NOUN_PHRASES | {"ADJP", "QP", "UCP", "WHNP", "PP"}


def _is_bare_clause(node: Tree) -> bool:
    """Whether a clause is a whole sentence or begins with "that": "the thing is, (he lied)"."""
    clause = read_clause(node)
    is_finite = clause.form not in NONFINITE and clause.subject is not None
    return is_finite and not clause.question and clause.introducers in ((), ("that",))


def is_free_relative(clause: Tree, subject: Tree | None) -> bool:
    """Return whether the predicate of "be" is a relative clause: "this is (what he said)"; no question.

    Args:
        clause: The predicate.
        subject: The subject of "be". After "the question is", the clause is a question.
    """
    read = read_clause(clause)
    if core_label(clause.label) != "SBAR" or read.introducers or not read.question:
        return False
    is_noun = subject is not None and core_label(subject.label) in NOUN_PHRASES
    noun = _last_noun(subject) if subject is not None and is_noun else ""
    if read.question_word == "how":
        return read.question == "WHADVP" and noun in english.DEMONSTRATIVES
    if read.question == "WHNP":
        return noun not in english.QUESTIONS
    asks = noun in english.QUESTIONS | english.POINTS
    return read.question == "WHADVP" and not asks and noun not in english.NOMINATIVES


def _last_noun(node: Tree) -> str:
    """Return the noun of a simple noun phrase, or of its first noun phrase, in lower case."""
    for _ in range(_DEPTH):
        if node.word is not None:
            return node.word.lower()
        inner = [child for child in node.subtrees if child.label[:1].isalpha()]
        phrase = next((child for child in inner if child.label[:2] == "NP"), None)
        node = phrase or (inner or node.subtrees)[-1]
    return ""


def first_word(node: Tree) -> str:
    """Return the first word of a phrase in lower case; empty if it lies deep inside."""
    for _ in range(_DEPTH):
        if node.word is not None:
            return node.word.lower()
        node = node.subtrees[0]
    return ""


def has_lone_preposition(clause: Tree) -> bool:
    """Return whether a preposition without a noun ends a clause: "what he talked *about*"."""
    node = clause
    for _ in range(_DEPTH):
        inner: Tree | None = None
        for child in node.subtrees:
            core = core_label(child.label)
            if core == "PP" and [core_label(one.label) for one in child.subtrees] in (
                ["IN"],
                ["TO"],
            ):
                return True
            if core in ("VP", "S", "ADJP"):
                inner = child
        if inner is None:
            return False
        node = inner
    return False


def functions(label: str) -> frozenset[str]:
    """Return the functions in a label: SBJ of ``NP-SBJ-1``."""
    if "-" not in label or label[0] == "-":
        return frozenset()
    return frozenset(label.partition("=")[0].split("-")[1:])
