"""The clauses that gold dependencies of Universal Dependencies have, in the kinds of `parse.clauses()`.

What heads a clause: the root; a word with the relation ccomp, csubj, xcomp, advcl, acl or parataxis; and the conj of
such a word. Except for the root it must be a predicate: a verb, or a word with a subject, copula or auxiliary of its own; for
ccomp, advcl and acl a mark is enough ("if possible"). An xcomp without a verb ("made him happy") is no clause. Each
other word belongs to the clause of the nearest such head above it.

Kinds: the root is main; conj and parataxis are coordinate; a clause whose first verb is "to", VBG, VBN or VB is
non-finite, except imperatives; acl:relcl and advcl:relcl are relative; ccomp, csubj, xcomp and acl are complement; advcl is
adverbial. UD calls "he said" a relative clause of "what" in "what he said"; it is complement here, as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bnaparser.treebanks.conllu import COLUMNS
from bnaparser.treebanks.lines import read_lines

FINITE = frozenset({"MD", "VBD", "VBP", "VBZ"})
_SUBORDINATE = frozenset({"ccomp", "csubj", "xcomp", "advcl", "acl"})
_OF_PREDICATES = frozenset({"nsubj", "csubj", "cop", "aux", "expl"})


class Word(NamedTuple):
    """A word of a file in CoNLL-U; ``head`` counts from 1, 0 is the root's."""

    form: str
    universal: str
    tag: str
    head: int
    relation: str


class GoldClause(NamedTuple):
    """A clause: its kind, its verbs (auxiliaries and copula among them), its own words, from 0."""

    kind: str
    verbs: frozenset[int]
    words: frozenset[int]


def read_sentences(path: str) -> Iterator[tuple[int, list[Word]]]:
    """Yield the sentences of a file, each with the number of its document."""
    document, sentence = 0, list[Word]()
    for line in read_lines(path):
        document += line.startswith("# newdoc")
        columns = line.rstrip("\n").split("\t")
        if len(columns) == COLUMNS and columns[0].isdigit():
            _, form, _, universal, tag, _, head, relation, _, _ = columns
            sentence.append(Word(form, universal, tag, int(head), relation))
        elif not line.strip() and sentence:
            yield document, sentence
            sentence = []


def gold_clauses(sentence: Sequence[Word]) -> list[GoldClause]:
    """Return the clauses of a sentence, that of the root first."""
    below: list[list[int]] = [[] for _ in sentence]
    roots = []
    for place, word in enumerate(sentence):
        if word.head:
            below[word.head - 1].append(place)
        else:
            roots.append(place)
    found: list[tuple[int, str]] = []
    owners = [-1] * len(sentence)
    waiting = [(root, 0) for root in reversed(roots)]
    while waiting:
        place, above = waiting.pop()
        kind = _kind(sentence, below, place)
        if kind:
            owners[place] = len(found)
            found.append((place, kind))
        else:
            owners[place] = above
        waiting += [(child, owners[place]) for child in reversed(below[place])]
    words: list[set[int]] = [set() for _ in found]
    for place, owner in enumerate(owners):
        words[owner].add(place)
    return [
        GoldClause(kind, frozenset(_verbs(sentence, below, head)), frozenset(own))
        for (head, kind), own in zip(found, words, strict=True)
    ]


def _core(relation: str) -> str:
    return relation.partition(":")[0]


def _verbs(sentence: Sequence[Word], below: Sequence[Sequence[int]], head: int) -> list[int]:
    """Return the verbs of a clause: its head, and auxiliaries and copulas that depend on it."""
    helping = [one for one in below[head] if _core(sentence[one].relation) in ("aux", "cop")]
    is_verb = sentence[head].tag[:2] in ("VB", "MD")
    return sorted([*helping, *([head] if is_verb or not helping else [])])


def _kind(sentence: Sequence[Word], below: Sequence[Sequence[int]], place: int) -> str:
    """Return the kind of the clause that a word heads; empty if it heads none."""
    word = sentence[place]
    relation = _core(word.relation)
    if not word.head:
        return "main"
    relations = {_core(sentence[child].relation) for child in below[place]}
    is_predicate = word.universal in ("VERB", "AUX") or not relations.isdisjoint(_OF_PREDICATES)
    if relation in ("conj", "parataxis"):
        is_of_clause = relation == "parataxis" or _kind(sentence, below, word.head - 1)
        return "coordinate" if is_predicate and is_of_clause else ""
    if relation not in _SUBORDINATE:
        return ""
    is_marked = "mark" in relations and relation in ("ccomp", "advcl", "acl")
    if not (is_predicate or is_marked):
        return ""
    if is_predicate and _is_nonfinite(sentence, below, place):
        return "non-finite"
    if word.relation.endswith(":relcl"):
        head_tag = sentence[word.head - 1].tag
        return "complement" if head_tag in ("WP", "WDT", "WRB") else "relative"
    return "adverbial" if relation == "advcl" else "complement"


def _is_nonfinite(sentence: Sequence[Word], below: Sequence[Sequence[int]], place: int) -> bool:
    tags = [sentence[one].tag for one in _verbs(sentence, below, place)]
    marks = [sentence[one] for one in below[place] if sentence[one].relation == "mark"]
    if any(one.tag == "TO" for one in marks):
        return True
    first = next((tag for tag in tags if tag[:2] in ("VB", "MD")), "")
    if first == "VB":  # "(Go away), he said", "I ask that he (go)"
        is_imperative = _core(sentence[place].relation) == "ccomp"
        return not (is_imperative or marks)
    return first in ("VBG", "VBN")
