"""Fixed expressions of English: several words that are one function word, such as "because of".

The first word is the head, and the others depend on it as ``fixed``. The list is that of the English Web Treebank of
Universal Dependencies. An expression counts only where the tree has it as one: "of course", but not "of course work".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal["case", "mark", "cc", "advmod", "noun"]

_TABLE: dict[Kind, str] = {
    "case": (
        "because_of:ADP_ADP due_to:ADJ_ADP according_to:VERB_ADP such_as:ADJ_ADP instead_of:ADV_ADP prior_to:ADJ_ADP "
        "as_to:ADP_ADP as_for:ADP_ADP as_of:ADP_ADP in_between:ADP_ADP as_opposed_to:ADP_VERB_ADP "
        "in_case_of:ADP_NOUN_ADP"
    ),
    "mark": (
        "in_order:ADP_NOUN so_that:SCONJ_SCONJ in_case:SCONJ_NOUN in_that:SCONJ_SCONJ "
        "whether_or_not:SCONJ_CCONJ_PART so_as_to:SCONJ_SCONJ_PART"
    ),
    "cc": (
        "as_well_as:ADV_ADV_ADP rather_than:ADV_ADP let_alone:VERB_ADJ not_to_mention:PART_PART_VERB"
    ),
    "advmod": (
        "as_well:ADV_ADV of_course:ADP_NOUN kind_of:NOUN_ADP sort_of:NOUN_ADP that_is:PRON_AUX more_than:ADJ_ADP "
        "less_than:ADJ_ADP up_to:ADP_ADP as_many_as:ADV_ADJ_ADP as_much_as:ADV_ADJ_ADP"
    ),
    "noun": "each_other:DET_ADJ one_another:PRON_DET",
}
_EXPRESSIONS: dict[tuple[str, ...], tuple[Kind, tuple[str, ...]]] = {
    tuple(words.split("_")): (kind, tuple(parts.split("_")))
    for kind, entries in _TABLE.items()
    for words, _, parts in (entry.partition(":") for entry in entries.split())
}
_LONGEST = max(map(len, _EXPRESSIONS))
_FIRST_WORDS = frozenset(words[0] for words in _EXPRESSIONS)
_OF_NUMBERS = frozenset({"more", "less", "up", "as"})


class FixedExpression(NamedTuple):
    """A fixed expression of a sentence.

    Args:
        start: Its first word, counted from 0.
        end: The word after its last one.
        kind: What it is: "because of" is a ``case``; the relation of a ``noun`` is that of its last word.
        parts: The universal part of speech of each word.
        root: The word of the expression that was its head in the tree.
        moved: The word that was below the expression and is its head now: "May" in "prior to May"; None if there is none.
    """

    start: int
    end: int
    kind: Kind
    parts: tuple[str, ...]
    root: int
    moved: int | None


def join_fixed_expressions(
    heads: list[int], words: Sequence[str], tags: Sequence[str]
) -> list[FixedExpression]:
    """Return the fixed expressions of a sentence, and change the heads for them.

    Args:
        heads: The head of each word, counted from 1; 0 for the root. Content words are heads.
        words: The words in lower case.
        tags: Their part-of-speech tags.
    """
    starts = [place for place, word in enumerate(words[:-1]) if word in _FIRST_WORDS]
    if not starts:
        return []
    below: list[list[int]] = [[] for _ in heads]
    for place, head in enumerate(heads):
        if head:
            below[head - 1].append(place)
    found: list[FixedExpression] = []
    for start in starts:
        if found and start < found[-1].end:
            continue
        for end in range(min(start + _LONGEST, len(words)), start + 1, -1):
            if tuple(words[start:end]) in _EXPRESSIONS:
                expression = _Candidate(start, end, heads, below, words, tags).read()
                if expression is not None:
                    found.append(expression)
                    break
    return found


class _Candidate:
    """Words that can be a fixed expression, and what is around them."""

    def __init__(
        self,
        start: int,
        end: int,
        heads: list[int],
        below: list[list[int]],
        words: Sequence[str],
        tags: Sequence[str],
    ) -> None:
        self.start, self.end = start, end
        self.heads, self.below, self.words, self.tags = heads, below, words, tags
        self.kind, self.parts = _EXPRESSIONS[tuple(words[start:end])]
        self.members = range(start, end)
        # The words outside whose head is a word of the expression; the words of the expression with a head elsewhere.
        self.outside = [
            one
            for member in self.members
            for one in below[member]
            if one not in self.members and tags[one][:1].isalpha()
        ]
        self.roots = [
            one
            for one in self.members
            if heads[one] - 1 not in self.members and heads[one] - 1 not in self.outside
        ]

    def read(self) -> FixedExpression | None:
        if not self.roots or not self._is_plausible():
            return None
        root, moved = self.roots[-1], None
        governor = self.heads[root] - 1
        if any(self.heads[one] - 1 != governor for one in self.roots):
            return None
        if self.kind == "noun":
            if len(self.roots) > 1:
                return None
        elif self.kind == "advmod":
            if self.outside:
                return None
        else:
            after = [one for one in self.outside if one >= self.end]
            if len(after) > 1 or (not after and (self.outside or governor < self.end)):
                return None
            moved = after[0] if after else None  # "May" depends on "prior" of "prior to"
        self._join(root, moved)
        return FixedExpression(self.start, self.end, self.kind, self.parts, root, moved)

    def _is_plausible(self) -> bool:
        """Whether the words around leave the expression its meaning: "so that" with a conjunction, "in order to"."""
        first, second = self.words[self.start], self.words[self.start + 1]
        next_word = self.words[self.end] if self.end < len(self.words) else ""
        next_tag = self.tags[self.end] if self.end < len(self.tags) else ""
        last_tag = self.tags[self.end - 1]
        governor = self.heads[self.roots[0]] - 1
        if self.kind == "advmod" and first in _OF_NUMBERS and second != "well":
            return governor >= self.end and (
                first in ("more", "less") or self.tags[governor] == "CD"
            )
        if self.kind == "cc":  # not "he sings (as well) (as Bob)"
            return first != "as" or not self.outside
        if second == "that":
            return last_tag == "IN"
        if second == "order":
            return next_word in ("to", "that", "for")
        if second == "case":
            return self.tags[self.start + 1] == "NN" and next_tag != "CD"
        if second == "course":
            return len(self.roots) == 1  # not "of course work"
        if second == "well":
            return next_word != "as" and len(self.roots) == 1
        if second == "is":
            return self.roots == [self.start + 1] and governor >= 0
        if first in ("kind", "sort"):
            return self.start == 0 or self.tags[self.start - 1] not in ("DT", "JJ", "WDT", "PRP$")
        if (first, last_tag) in (("due", "TO"), ("prior", "TO")):
            return next_tag != "VB"
        return first != "such" or (governor >= self.end and not self.outside)

    def _join(self, root: int, moved: int | None) -> None:
        """Make the first word the head of the expression, and a word that depended on it its head."""
        first = self.start
        if moved is None:
            self._hang(first, self.heads[root] - 1)
            new_head = first
        else:
            self._hang(moved, self.heads[root] - 1)
            self._hang(first, moved)
            new_head = moved
        for member in self.members:
            for one in list(self.below[member]):
                if one not in self.members:
                    self._hang(one, new_head)
            if member != first:
                self._hang(member, first)

    def _hang(self, word: int, head: int) -> None:
        """Make a word depend on another one; on none if the head is -1."""
        if self.heads[word]:
            self.below[self.heads[word] - 1].remove(word)
        self.heads[word] = head + 1
        if head >= 0:
            self.below[head].append(word)
