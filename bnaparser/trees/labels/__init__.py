"""What the labels and tags of treebanks mean, and the class of each: noun phrase, clause, verb, ...

A table for each language has the labels of its treebank, from the treebank's manual. Labels that are made of others
(``NP-SBJ``, ``S::VP``, ``Q+N``, ``ADV21``, ``NP‧的``, ``vmip3s0``) are explained by their parts. Tables are loaded
when a label of their language is requested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import NamedTuple

from bnaparser.trees.brackets import ROOT_LABELS

__all__ = [
    "CLASSES",
    "LANGUAGES",
    "Table",
    "explain",
    "family",
    "label_class",
    "table",
    "table_of_labels",
]

LANGUAGES = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "id": "indonesian",
    "is": "icelandic",
    "ja": "japanese",
    "pt": "portuguese",
    "zh-Hant": "chinese",
}
"""The languages whose labels are explained, each with the module of its table."""

PHRASES = {
    "adjective-phrase": "modifier",
    "adverb-phrase": "modifier",
    "clause": "clause",
    "conjunction-phrase": "other",
    "coordination": "other",
    "determiner-phrase": "nominal",
    "fragment": "other",
    "interjection": "other",
    "noun-phrase": "nominal",
    "other": "other",
    "parenthetical": "other",
    "particle-phrase": "prepositional",
    "prepositional-phrase": "prepositional",
    "quantifier-phrase": "nominal",
    "relative-clause": "clause",
    "root": "other",
    "verb-phrase": "verbal",
}
TAGS = {
    "adjective": "modifier",
    "adposition": "prepositional",
    "adverb": "modifier",
    "conjunction": "other",
    "determiner": "nominal",
    "interjection": "other",
    "noun": "nominal",
    "number": "nominal",
    "other": "other",
    "particle": "other",
    "pronoun": "nominal",
    "proper-noun": "nominal",
    "punctuation": "other",
    "symbol": "other",
    "verb": "verbal",
}
CLASSES = frozenset({*PHRASES, *TAGS})
"""The classes of labels and of tags. Each belongs to a family, whose members are drawn in one colour."""

OF_WORDS = {
    "adjective": "adjective-phrase",
    "adposition": "prepositional-phrase",
    "adverb": "adverb-phrase",
    "conjunction": "conjunction-phrase",
    "determiner": "determiner-phrase",
    "interjection": "interjection",
    "noun": "noun-phrase",
    "number": "quantifier-phrase",
    "particle": "particle-phrase",
    "pronoun": "noun-phrase",
    "proper-noun": "noun-phrase",
    "verb": "verb-phrase",
}
PREFIXED = {
    "es": r"F[a-z]+|[a-z]{2}[a-z0-9]+",
    "zh-Hant": r"(N[a-hv]|V[A-L_]|D[a-k]|C[ab]|T[a-d]|P[0-9])[a-z0-9]*",
}
"""Longer tags of languages that begin with a tag of the table, as ``vmip3s0`` with ``vm``."""

_FUNCTION = re.compile(r"[-=|]|\.(?=co\b)")
_PART = re.compile(
    r"(.+?)([2-9])([1-9])"
)  # a word that is written apart: ADV21 is the first part of two
_DE = "‧"


class Meaning(NamedTuple):
    """The class of a label, and its explanation."""

    label_class: str
    words: str


_ROOT = Meaning("root", "root of the tree")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The labels of one language's treebank. ``source`` names the treebank's manuals."""

    language: str
    source: str
    phrases: dict[str, Meaning]
    tags: dict[str, Meaning]
    functions: dict[str, str]

    def meaning(self, label: str, is_tag: bool = False) -> Meaning | None:
        """Return the meaning of a label, by its parts if the table lacks it; None if that is unknown."""
        known = self.tags if is_tag else self.phrases
        if label in known:
            return known[label]
        if not is_tag and label in ROOT_LABELS:
            return _ROOT
        return self._composed(label, is_tag) or self._other(label, is_tag)

    def label_class(self, label: str, is_tag: bool = False) -> str:
        """Return the class of a label or tag; "" if it is unknown."""
        return label_class(label, is_tag, self.language)

    def _composed(self, label: str, is_tag: bool) -> Meaning | None:
        """The meaning of a chain, a compound, a part of a word or a label with functions."""
        if "::" in label:
            return self._joined(label.split("::"), " over ", is_tag, 0)
        if _DE in label:
            first, _, last = label.partition(_DE)
            if first == "得":
                inner = self.meaning(last, is_tag)
                return inner and Meaning(inner.label_class, f"complement after 得: {inner.words}")
            inner = self.meaning(first, is_tag)
            return inner and Meaning(inner.label_class, f"{inner.words}, with {last}")
        stem, *functions = _FUNCTION.split(label)
        if stem and functions:
            inner = self.meaning(stem, is_tag)
            named = (self.functions[one] for one in functions if one in self.functions)
            return inner and Meaning(inner.label_class, ", ".join([inner.words, *named]))
        if "+" in label:
            return self._joined(label.split("+"), " + ", is_tag, -1)
        if (part := _PART.fullmatch(label)) and part[1] in (self.tags if is_tag else self.phrases):
            inner = self.meaning(part[1], is_tag)
            return inner and Meaning(
                inner.label_class, f"{inner.words} (part {part[3]} of {part[2]})"
            )
        return None

    def _joined(self, parts: list[str], joint: str, is_tag: bool, head: int) -> Meaning | None:
        meanings = [self.meaning(part, is_tag) for part in parts]
        found = [one for one in meanings if one is not None]
        if len(found) < len(meanings):
            return None
        return Meaning(found[head].label_class, joint.join(one.words for one in found))

    def _other(self, label: str, is_tag: bool) -> Meaning | None:
        """The meaning of a tag over coordinated words, of a label over a word, or of the beginning of a tag."""
        if not is_tag:
            word = self.tags.get(label)
            return word and Meaning(
                OF_WORDS.get(word.label_class, "other"), f"coordinated words: {word.words}"
            )
        if label in self.phrases:
            return Meaning("other", f"a label of phrases on a word: {self.phrases[label].words}")
        pattern = PREFIXED.get(self.language)
        if pattern and re.fullmatch(pattern, label):
            for length in range(len(label) - 1, 0, -1):
                if label[:length] in self.tags:
                    return self.tags[label[:length]]
        return None


@cache
def table(language: str) -> Table:
    """Return the table of a language. Raises KeyError if ``LANGUAGES`` lacks it."""
    module = import_module(f"{__name__}.{LANGUAGES[language]}")
    return Table(
        language,
        (module.__doc__ or "").partition("\n")[0],
        _meanings(module.PHRASES),
        _meanings(module.TAGS),
        dict(line.split(" ", 1) for line in module.FUNCTIONS.splitlines()),
    )


def _meanings(lines: str) -> dict[str, Meaning]:
    rows = (line.split(" ", 2) for line in lines.splitlines())
    return {label: Meaning(kind, words) for label, kind, words in rows}


@lru_cache(1 << 14)
def _meaning(label: str, is_tag: bool, language: str | None) -> Meaning | None:
    """The meaning of a label in a language; without one, in the first language whose table has it."""
    if language in LANGUAGES:
        return table(language).meaning(label, is_tag)
    for one in map(table, LANGUAGES):
        if label in (one.tags if is_tag else one.phrases):
            return one.meaning(label, is_tag)
    return next(
        (found for one in map(table, LANGUAGES) if (found := one.meaning(label, is_tag))), None
    )


def label_class(label: str, is_tag: bool = False, language: str | None = None) -> str:
    """Return the class of a label or tag, such as ``noun-phrase``, one of ``CLASSES``.

    Args:
        label: The label, with or without functions (``NP-SBJ``); also a chain, ``S::VP``, which has the class of S.
        is_tag: Whether it is a part-of-speech tag.
        language: The language whose treebank has the label. Default: the first of ``LANGUAGES`` that has it.

    Returns:
        The class; "" for an unknown label.

    Example:
        >>> from bnaparser.trees.labels import label_class
        >>> label_class("sn", language="es"), label_class("vmip3s0", is_tag=True, language="es")
        ('noun-phrase', 'verb')
    """
    found = _meaning(label, is_tag, language)
    return found.label_class if found else ""


def explain(label: str, is_tag: bool = False, language: str | None = None) -> str:
    """Return what a label or tag means, in English; "" for an unknown label. Arguments: see `label_class`.

    Example:
        >>> from bnaparser.trees.labels import explain
        >>> explain("NP-SBJ-1")
        'noun phrase, subject'
        >>> explain("Q+N", is_tag=True, language="is")
        'quantifier + noun, singular'
    """
    found = _meaning(label, is_tag, language)
    return found.words if found else ""


def family(label: str, is_tag: bool = False, language: str | None = None) -> str:
    """Return the family that a label or tag is coloured as: clause, nominal, verbal, prepositional, modifier, other."""
    return (TAGS if is_tag else PHRASES).get(label_class(label, is_tag, language), "other")


def table_of_labels(labels: Iterable[tuple[str, bool]]) -> Table:
    """Return the table that has most of the labels of a tree, each with whether it is a tag; of equal ones the first."""
    names = {(_FUNCTION.split(label)[0] or label, is_tag) for label, is_tag in labels}
    tables = [table(code) for code in LANGUAGES]
    return max(
        tables,
        key=lambda one: sum(
            name in (one.tags if is_tag else one.phrases) for name, is_tag in names
        ),
    )
