"""What a tree says of each dependency: the phrases on both sides of it, and the role of bare noun phrases.

A bare noun phrase of a clause is its subject, an object, a time or measure, or a vocative.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import takewhile
from typing import NamedTuple

from bnaparser.trees.heads import english
from bnaparser.trees.heads.clauses import CLAUSES, NOUN_PHRASES, functions, read_clause
from bnaparser.trees.heads.dependencies import (
    BEFORE_NOUNS,
    CONJUNCTIONS,
    HeadedPhrase,
    headed_phrases,
    is_punctuation,
    nouns_of_a_list,
)
from bnaparser.trees.heads.english import is_form_of
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.tree import Tree

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NML", "NX", "FW"})
_NOMINAL = NOUN_PHRASES | NOUN_TAGS | {"PRP", "DT", "NAC"}
_CLAUSE_LEVEL = frozenset({"S", "SQ", "SINV", "SBARQ", "SBAR", "FRAG", "PRN", "TOP"})
_BY_FUNCTION = {
    **dict.fromkeys(["TMP", "ADV", "EXT", "LOC", "DIR", "MNR", "PRP"], "obl:unmarked"),
    "SBJ": "nsubj",
    "VOC": "vocative",
    "DTV": "iobj",
    "BNF": "iobj",
    "PRD": "xcomp",
}


def noun_relations(
    phrase: HeadedPhrase,
    chosen: int,
    conjuncts: frozenset[int],
    words: Sequence[str],
    tags: Sequence[str],
) -> dict[int, str]:
    """Return the relation of each noun phrase among the children of a clause or a verb phrase.

    The function in a label decides, NP-TMP. If there is none, a clause has one subject: the last
    noun phrase before its verb that is no time. Of two objects the first is the ``iobj``.

    Args:
        phrase: The clause or verb phrase.
        chosen: Its head child.
        conjuncts: The children that are joined to the head child.
        words: The words of the sentence, in lower case.
        tags: The tags of the words.

    Returns:
        The relation by the number of the child, from 0.
    """
    places = [
        place
        for place, label in enumerate(phrase.labels)
        if place != chosen and place not in conjuncts and label in _NOMINAL
        if tags[phrase.head_words[place]] != "EX"
    ]
    # "a" of "(VP gave (DT a) (NN book))" is no object
    places = [
        place
        for place in places
        if phrase.labels[place] in NOUN_PHRASES
        or all(
            label[:2] != "NN"
            for label in takewhile(BEFORE_NOUNS.__contains__, phrase.labels[place + 1 :])
        )
    ]
    found: dict[int, str] = {}
    is_there = words[phrase.head_words[chosen]] in english.BE  # "there is (a man)-PRD"
    for place in places:
        edge_functions = functions(phrase.node.subtrees[place].label)
        relation = next((_BY_FUNCTION[one] for one in edge_functions if one in _BY_FUNCTION), None)
        if relation is None and "TPC" in edge_functions:
            relation = "dislocated" if phrase.labels[place + 1 : place + 2] == [","] else "obj"
        if relation and not (relation == "xcomp" and is_there):
            found[place] = relation
    reader = _Reader(phrase, chosen, words, tags)
    if phrase.label == "VP":
        reader.read_objects([place for place in places if place > chosen], found)
        places = [place for place in places if place < chosen and phrase.labels[place] == "NP"]
    if phrase.label in _CLAUSE_LEVEL or phrase.label == "VP":
        reader.read_subjects(places, found)
    return found


def is_direct_speech(labels: Sequence[str], place: int, verb: str) -> bool:
    """Return whether quotation marks stand around a child of a clause whose verb says something."""
    is_quoted = labels[max(place - 1, 0)] == "``" and "''" in labels[place + 1 : place + 3]
    return is_quoted and is_form_of(verb, english.SAYING)


class _Reader:
    """The noun phrases of one clause or verb phrase."""

    def __init__(
        self, phrase: HeadedPhrase, chosen: int, words: Sequence[str], tags: Sequence[str]
    ) -> None:
        self.phrase, self.chosen, self.words, self.tags = phrase, chosen, words, tags
        self.verb_tag = tags[phrase.head_words[chosen]]
        self.verb = words[phrase.head_words[chosen]] if self.verb_tag[:2] == "VB" else ""

    def noun(self, place: int) -> str:
        return self.words[self.phrase.head_words[place]]

    def tag(self, place: int) -> str:
        return self.tags[self.phrase.head_words[place]]

    def first(self, place: int) -> str:
        return self.words[self.start(place)]

    def start(self, place: int) -> int:
        node = self.phrase.node.subtrees[place]
        return self.phrase.ends[place] - (node.end - node.start)

    def is_beside_comma(self, place: int) -> bool:
        labels = self.phrase.labels
        return "," in (*labels[max(place - 1, 0) : place], *labels[place + 1 : place + 2])

    def is_time(self, place: int) -> bool:
        """Whether a noun phrase can be a time, as to its noun: "today", "last year", "this way"."""
        noun = self.noun(place)
        pointed = self.first(place) in english.POINTERS and self.first(place) != noun
        is_number = english.TIME_IN_NUMBERS.fullmatch(noun) is not None
        return noun in english.TIMES or (pointed and noun in english.MANNERS) or is_number

    def is_pointed(self, place: int) -> bool:
        """Whether a time expression names a definite time: "today", "last year", "Monday night", "the next day"."""
        first, noun = self.start(place), self.phrase.head_words[place]
        pointers = [*self.words[first : min(first + 3, noun)], self.words[noun]]
        if not english.DEICTIC_TIMES.isdisjoint(pointers):
            return True
        if english.TIME_IN_NUMBERS.fullmatch(self.noun(place)):
            return True
        if self.noun(place) in english.MONTHS and noun + 1 < self.phrase.ends[place]:
            return True  # "July 8"
        return not english.POINTERS.isdisjoint(pointers[:-1])

    def is_quantified(self, place: int) -> bool:
        """Whether a time is so long or so often: "two hours", "a while"."""
        first = self.first(place)
        return first in english.QUANTIFIERS or self.tags[self.start(place)] == "CD"

    def is_measure(self, place: int) -> bool:
        noun, length = self.noun(place), self.phrase.ends[place] - self.start(place)
        if noun in english.LITTLE and length <= 3 and self.first(place) in ("a", "quite"):
            return True
        return noun in english.MEASURES or noun in english.DISTANCES

    # Subjects

    def read_subjects(self, places: list[int], found: dict[int, str]) -> None:
        """Add the relations of noun phrases beside the verb phrase: one is the subject."""
        if self.phrase.label == "SBAR":  # "(two years) before he left"
            found.update((place, "obl:unmarked") for place in places if place not in found)
        before = [place for place in places if place < self.chosen and place not in found]
        spoken = [
            place for place in before if is_direct_speech(self.phrase.labels, place, self.verb)
        ]
        if spoken and len(places) > len(spoken):  # "a snake!" cried Ann
            found.update(dict.fromkeys(spoken, "ccomp"))
            before = [place for place in before if place not in found]
        after = [place for place in places if place > self.chosen and place not in found]
        is_imperative = (
            self.verb_tag == "VB" and self.phrase.label == "S" and self._lacks_auxiliary()
        )
        if "nsubj" not in found.values():
            subject = self._subject(before, after, is_imperative)
            if subject is not None:
                found[subject] = "nsubj"
        for place in before + after:
            if place not in found:
                found[place] = self._beside_subject(place)

    def _subject(self, before: list[int], after: list[int], is_imperative: bool) -> int | None:
        times = [place for place in before if self.is_time(place)]
        others = [place for place in before if place not in times]
        if is_imperative and (times or (others and self.is_beside_comma(others[-1]))):
            return None
        if others:
            return others[-1]
        if after and (self.phrase.label in ("SQ", "SINV") or not times):
            return after[0]
        return times[-1] if times else None

    def _lacks_auxiliary(self) -> bool:
        """Whether the verb is the first word of its phrase, adverbs left out: an imperative."""
        chosen = self.phrase.head_words[self.chosen]
        between = self.tags[self.start(self.chosen) : chosen]
        return not any(tag in ("MD", "TO") or tag[:2] == "VB" for tag in between)

    def _beside_subject(self, place: int) -> str:
        if not self.is_beside_comma(place) or self.is_time(place) or self.tag(place) == "CD":
            return "obl:unmarked"
        if self.tag(place) in ("NNP", "NNPS") or self.noun(place) in english.ADDRESSEES:
            return "vocative"
        return "obl:unmarked" if self.noun(place) in english.MANNERS else "dislocated"

    # Objects

    def read_objects(self, places: list[int], found: dict[int, str]) -> None:
        """Add the relations of noun phrases after a verb."""
        unknown = [place for place in places if place not in found]
        objects: list[int] = []
        for place in unknown:
            is_first, has_objects = place == unknown[0], len(objects) > 1
            if self._is_adverbial(place, is_first, has_objects):
                found[place] = "obl:unmarked"
            elif self._is_vocative(place, is_first):
                found[place] = "vocative"
            else:
                objects.append(place)
        if len(objects) == 1:
            found[objects[0]] = self._only_object(objects[0])
        elif objects:
            first, second, *others = objects
            found[first], found[second] = self._two_objects(first, second)
            for place in others:
                found[place] = self._beside_objects(place)

    def _is_adverbial(self, place: int, is_first: bool, has_objects: bool) -> bool:
        """Whether a noun phrase after a verb is a time, a measure or a manner."""
        if self.is_time(place):
            if is_first:
                return self._is_adverbial_after_verb(place)
            return self._is_adverbial_after_object(place, has_objects)
        noun = self.noun(place)
        if is_first and noun == "lot":
            return self.is_measure(place) and not is_form_of(self.verb, english.DOING)
        if is_first:
            counts = self.is_measure(place) or self.tag(place) in ("CD", "$")
            moves = counts and is_form_of(self.verb, english.MOVING)
            return moves or noun in english.DISTANCES
        if noun in english.MANNERS or noun in english.REFLEXIVES:
            return True
        return self.is_measure(place) and not is_form_of(self.verb, english.GIVING)

    def _is_adverbial_after_verb(self, place: int) -> bool:
        """Whether a time right after the verb is no object: "left Monday", but "spent Monday"."""
        if self.verb in english.SPEND:
            return False
        if is_form_of(self.verb, english.SPENDING):
            return self.noun(place) in english.DEICTIC_TIMES
        if is_form_of(self.verb, english.GIVING | english.TAKING_TIMES):
            return self.is_pointed(place)
        is_said_when = self.is_pointed(place) or self.is_quantified(place) or self._is_habit(place)
        return is_said_when or not self.verb

    def _is_adverbial_after_object(self, place: int, has_objects: bool) -> bool:
        """Whether a time after an object is no object: "met him Monday", but "gave him an hour"."""
        if self.is_pointed(place) or self._is_habit(place):
            return True
        if is_form_of(self.verb, english.TAKING):
            return False
        gives = is_form_of(self.verb, english.GIVING)
        return not gives or has_objects or self.noun(place) == "times"

    def _is_habit(self, place: int) -> bool:
        """Whether a phrase says when something is done again and again: "works *nights*", "taught it *Mondays*"."""
        return self.noun(place) in english.HABITS and self.first(place) in english.HABITS

    def _is_vocative(self, place: int, is_first: bool) -> bool:
        is_name = self.tag(place) in ("NNP", "NNPS") or self.noun(place) in english.ADDRESSEES
        is_thanked = self.verb == "thank" and not is_first
        return is_name and (self.phrase.labels[place - 1] == "," or is_thanked)

    def _two_objects(self, first: int, second: int) -> tuple[str, str]:
        """Return the relations of two objects: "called him a liar", "gave him a book"."""
        if is_form_of(self.verb, english.NAMING):
            return "obj", "xcomp"
        is_apart = self.phrase.labels[second - 1] in (",", ":")
        takes = self.is_time(second) and is_form_of(self.verb, english.TAKING)
        gives = is_form_of(self.verb, english.GIVING)
        # A person by its pronoun: "made me a cake"
        if not is_apart and (takes or gives or self.noun(first) in english.PERSONS):
            return "iobj", "obj"
        return "obj", self._beside_objects(second)

    def _beside_objects(self, place: int) -> str:
        return "parataxis" if self.phrase.labels[place - 1] in (",", ":") else "obl:unmarked"

    def _only_object(self, place: int) -> str:
        if is_form_of(self.verb, english.BECOMING):
            return "xcomp"
        later = self.phrase.labels[place + 1 :]
        has_clause = not CLAUSES.isdisjoint(later)
        is_person = self.noun(place) in english.PERSONS
        if is_form_of(self.verb, english.INFORMING) and self.noun(place) not in english.TOLD:
            return "iobj"
        if is_form_of(self.verb, english.TELLING) and (has_clause or is_person):
            return "iobj"
        if is_form_of(self.verb, english.ALLOWING) and "S" in later:
            return "iobj"
        return "obj"


class Arc(NamedTuple):
    """A dependency, and its place in the tree. Words are in lower case, labels without functions.

    Args:
        head: The head of the word, counted from 1.
        word: The word that depends on the head.
        tag: The tag of the word.
        head_word: The head.
        head_tag: The tag of the head.
        phrase: The phrase whose children are the word's largest phrase and the head's phrase.
        place: The child that the word heads.
        chosen: The head child.
        is_conjunct: Whether the child is joined to the head child by a conjunction.
        noun_relation: The relation of a bare noun phrase of a clause; empty for all else.
        words: The words of the sentence.
    """

    head: int
    word: str
    tag: str
    head_word: str
    head_tag: str
    phrase: HeadedPhrase
    place: int
    chosen: int
    is_conjunct: bool
    noun_relation: str
    words: Sequence[str]

    @property
    def node(self) -> Tree:
        """The largest phrase that the word heads."""
        return self.phrase.node.subtrees[self.place]

    @property
    def child(self) -> str:
        """The label of the largest phrase that the word heads."""
        return self.phrase.labels[self.place]

    @property
    def parent(self) -> str:
        """The label of the phrase above."""
        return self.phrase.label

    @property
    def head_child(self) -> str:
        """The label of the head child of the parent phrase."""
        return self.phrase.labels[self.chosen]

    @property
    def functions(self) -> frozenset[str]:
        """The functions in the label of the word's phrase: TMP of ``NP-TMP``."""
        return functions(self.node.label)

    @property
    def before(self) -> bool:
        """Whether the word's phrase stands before the head child."""
        return self.place < self.chosen

    @property
    def label_before(self) -> str:
        """The label of the child before; empty for the first child."""
        return self.phrase.labels[self.place - 1] if self.place else ""

    @property
    def is_after_comma(self) -> bool:
        """Whether a comma, colon or dash stands before the word's phrase."""
        return self.label_before in (",", ":")

    @property
    def is_before_question(self) -> bool:
        """Whether a question without its question word follows: "why (did he go)", "what (happened)"."""
        return self.phrase.labels[self.place + 1 : self.place + 2] in (["SQ"], ["S"])

    @property
    def start(self) -> int:
        """The first word of the word's phrase, counted from 0."""
        return self.phrase.ends[self.place] - (self.node.end - self.node.start)

    @property
    def first_word(self) -> str:
        """The first word of the word's phrase."""
        return self.words[self.start]

    def has_before(self, words: Container[str]) -> bool:
        """Return whether one of the words stands shortly before the word's phrase."""
        return any(word in words for word in self.words[max(self.start - 4, 0) : self.start])

    @property
    def is_raised(self) -> bool:
        """Whether the head lies above the clause: "him" in "made (him leave)"."""
        if self.noun_relation != "nsubj" or self.parent != "S":
            return False
        head = self.head - 1
        is_here = head == self.phrase.head_words[self.chosen]
        return not is_here and read_clause(self.phrase.node).small_subject is not None

    @property
    def is_apart(self) -> bool:
        """Whether the head is a child of the phrase, and not its head: "order" in "in order to"."""
        head = self.head - 1
        return head != self.phrase.head_words[self.chosen] and head in self.phrase.head_words


def arcs(
    tree: Tree, rules: HeadRules, heads: Sequence[int], words: Sequence[str], tags: Sequence[str]
) -> list[Arc | None]:
    """Return the arc of each word; None for a word that is no dependent in the tree.

    Args:
        tree: The tree.
        rules: The head rules.
        heads: The head of each word, as `dependencies` finds it.
        words: The words of the tree in lower case.
        tags: The tags of the words.
    """
    found: list[Arc | None] = [None] * len(heads)
    for phrase, head_child, asks in headed_phrases(tree, rules):
        chosen = head_child if asks is None else asks
        nouns_of_list = nouns_of_a_list(phrase.labels, phrase.label)
        conjuncts = frozenset(nouns_of_list[1:]) or _conjuncts(phrase.labels, chosen)
        nouns = noun_relations(phrase, chosen, conjuncts, words, tags)
        for place, word in enumerate(phrase.head_words):
            head = heads[word]
            if place != chosen and head:
                found[word] = Arc(
                    head,
                    words[word],
                    tags[word],
                    words[head - 1],
                    tags[head - 1],
                    phrase,
                    place,
                    chosen,
                    place in conjuncts,
                    nouns.get(place, ""),
                    words,
                )
    return found


def _conjuncts(labels: Sequence[str], chosen: int) -> frozenset[int]:
    """Return the children that conjunctions join to the head child: the next one after each, and others of its kind."""
    joins = [place for place, label in enumerate(labels) if label in CONJUNCTIONS]
    joins = [place for place in joins if place >= chosen]
    if not joins:
        return frozenset()
    kinds = ("VP", "VB") if labels[chosen][:2] in ("VP", "VB") else (labels[chosen][:2],)
    # "red" and "white" of "red, white and blue"; not "fishing" of "went fishing and swam"
    start = chosen + (2 if "VP" in kinds else 1)
    found = {place for place in range(start, joins[-1]) if labels[place][:2] in kinds}
    for join, end in zip(joins, [*joins[1:], len(labels)], strict=True):
        places = [
            place
            for place in range(join + 1, end)
            if not is_punctuation(labels[place]) and labels[place] not in CONJUNCTIONS
        ]
        alike = [place for place in places if labels[place][:2] in kinds]
        full = [place for place in places if labels[place] not in ("RB", "ADVP", "PRN", "INTJ")]
        found.update(alike or full[:1] or places[-1:])
    return frozenset(found)
