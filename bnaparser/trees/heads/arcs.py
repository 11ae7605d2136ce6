"""What a tree says of each dependency: the phrases on both sides of it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from bnaparser.trees.heads.clauses import functions, read_clause
from bnaparser.trees.heads.dependencies import (
    CONJUNCTIONS,
    HeadedPhrase,
    dependencies,
    headed_phrases,
    is_punctuation,
)
from bnaparser.trees.heads.nouns import noun_relations
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.tree import Tree


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
        """The label of the head child of the phrase above."""
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
        """Tell whether one of the words stands shortly before the word's phrase."""
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
    tree: Tree, rules: HeadRules, words: Sequence[str], tags: Sequence[str]
) -> list[Arc | None]:
    """Return the arc of each word, with heads as `dependencies` finds them; None for the root.

    Args:
        tree: The tree.
        rules: The head rules.
        words: The words of the tree in lower case.
        tags: The tags of the words.
    """
    heads = dependencies(tree, rules)
    found: list[Arc | None] = [None] * len(heads)
    for phrase, head_child, asks in headed_phrases(tree, rules):
        chosen = head_child if asks is None else asks
        conjuncts = _conjuncts(phrase.labels, chosen)
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
