"""The Penn-Helsinki notation in brackets (``.psd``: PPCME2, YCOE, IcePaHC), written as the Penn Treebank writes it.

Empty elements have no tag of their own there, ``(NP-SBJ *con*)``, ``(C 0)``; a word may have its lemma,
``spurningar$-spurning``; and trees hold nodes that are no syntax: ID, CODE, METADATA. See B. Santorini 2010,
*Annotation manual for the Penn Historical Corpora*, and J. Wallenberg and others 2011, *Icelandic Parsed
Historical Corpus*.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from bnaparser.treebanks.lines import Line
from bnaparser.trees.cleaning import EMPTY_TAG, core_label
from bnaparser.trees.tree import Tree, assemble

COMMENTS = ("/*", "/~*")
"""What comments begin with."""

_NO_SYNTAX = {
    "ID": "ID nodes",
    "CODE": "CODE nodes",
    "METADATA": "metadata",
    "META": "metadata",
    "VERSION": "metadata",
    "COMMENT": "comments",
    "LB": "line breaks",
}
_TRACE = re.compile(r"\*(?:T|ICH|exp|con|pro|arb|CL|PRO|EXP|RNR)\*(?:[-=]\d+)*")
_NAMED = re.compile(r"\*[A-Za-z]+(?:\+[A-Za-z]+)*\*(?:[-=]\d+)*")  # (NP-SBJ *speaker*)
_MOVED = re.compile(r"\*(?:[-=]\d+)?")  # a passive's subject, a verb left out: (NP-SBJ *-1), (VB *)
_NO_WORDS_LEFT_OUT = ("NUM", "CD", "LS", "FW", "SYM", "CARD", "X")
_LEAF = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)", re.ASCII)
_SIGNS = re.compile(
    r"\(\s*(?:ID\s+[^\s()]+|CODE\s+[^\s()]|METADATA\s*\(|VERSION\s*\()"
    rf"|\(\s*(?!{EMPTY_TAG})[^\s()]+\s+{_TRACE.pattern}\s*\)"
    r"|\(\s*(?:C|W[A-Z]+(?:-\d+)?)\s+0\s*\)",
    re.ASCII,
)
_FEW_WORDS = 5
_MOST_WITH_LEMMA = 0.9


def is_penn_helsinki(text: str) -> bool:
    """Return whether the beginning of a file is in the Penn-Helsinki notation."""
    return _SIGNS.search(text) is not None or has_lemmas(text)


def has_lemmas(text: str) -> bool:
    """Return whether the beginning of a file has words with lemmas: ``word-lemma``, ``.-.``."""
    words = [
        word
        for tag, word in _LEAF.findall(text)
        if core_label(tag) not in _NO_SYNTAX and not _is_empty(tag, word) and tag != EMPTY_TAG
    ]
    with_lemma = sum("-" in word[1:-1] for word in words)
    return len(words) >= _FEW_WORDS and with_lemma >= _MOST_WITH_LEMMA * len(words)


def without_comments(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines, those of comments between ``/*`` and ``*/`` (``/~*`` and ``*~/``) blank."""
    end = ""
    for line in lines:
        text = line.text.strip()
        if not end and text.startswith(COMMENTS):
            end = "*~/" if text.startswith("/~*") else "*/"
            text = text[2:]
            yield line._replace(text="")
        else:
            yield line._replace(text="") if end else line
        if end and text.endswith(end):
            end = ""


def as_penn(tree: Tree, lemmas: bool) -> tuple[Tree | None, Counter[str]]:
    """Return a tree with ``(-NONE- *T*-1)`` for ``*T*-1``, and how much of each kind was found and taken out.

    The tree is None if no word is left. With ``lemmas`` those of words are cut off.
    """
    removed: Counter[str] = Counter()
    kept = _syntax(tree, removed)
    if not any(kept):
        return None, removed
    total = [0]
    for keep in kept:
        total.append(total[-1] + keep)
    labels: list[str] = []
    arities: list[int] = []
    words: list[str] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        below = [
            child
            for child in node.subtrees
            if total[child.end - tree.start] > total[child.start - tree.start]
        ]
        # In files of the "deep" kind a word is (N (ORTHO word) (META (LEMMA lemma))).
        deep = len(below) == 1 and below[0].label == "ORTHO" and below[0].word is not None
        word = below[0].word if deep else node.word
        if word is None:
            labels.append(node.label)
            arities.append(len(below))
            stack += below[::-1]
            continue
        if kind := _is_empty(node.label, word):
            removed[kind] += 1
            labels += [node.label, EMPTY_TAG]
            arities += [1, 0]
        else:
            labels.append(node.label)
            arities.append(0)
            if lemmas and node.label != EMPTY_TAG and (form := _form(word)) != word:
                removed["lemmas"] += 1
                word = form
        words.append(word)
    has_words = any(
        arity == 0 and label != EMPTY_TAG for label, arity in zip(labels, arities, strict=True)
    )
    return (assemble(labels, arities, words) if has_words else None), removed


def _syntax(tree: Tree, removed: Counter[str]) -> Sequence[bool]:
    """Return which words are none of a node such as CODE; these nodes are counted."""
    kept = [True] * (tree.end - tree.start)
    beside_word = {
        child.start
        for node in tree.nodes()
        if any(child.label == "ORTHO" for child in node.subtrees)
        for child in node.subtrees
        if child.label == "META"
    }
    for node in tree.nodes():
        kind = _NO_SYNTAX.get(core_label(node.label))
        if kind == "line breaks" and node.word != "|":
            continue
        # META is of a word in files of the "deep" kind; elsewhere headings and stage directions.
        if core_label(node.label) == "META" and node.start not in beside_word:
            continue
        if kind and kept[node.start - tree.start]:
            removed[kind] += 1
            for place in range(node.start, node.end):
                kept[place - tree.start] = False
    return kept


def _is_empty(tag: str, word: str) -> str:
    """Return the kind of an empty element, "" for a word."""
    if tag == EMPTY_TAG:
        return ""
    if word == "0":
        return "" if tag.startswith(("NUM", "CD", "LS", "FW", "CARD")) else "zeros"
    if _TRACE.fullmatch(word):
        return "traces"
    name = core_label(tag)
    if _NAMED.fullmatch(word) and name.endswith("P"):
        return "traces"
    left_out = name[:1].isalpha() and not name.startswith(_NO_WORDS_LEFT_OUT)
    return "traces" if left_out and _MOVED.fullmatch(word) else ""


def _form(word: str) -> str:
    """Return a word without its lemma; of several hyphens that one parts them whose sides begin most alike."""
    places = [place for place in range(1, len(word) - 1) if word[place] == "-"]
    if not places:
        return word
    return word[: max(places, key=lambda place: (_alike(word, place), place))]


def _alike(word: str, place: int) -> tuple[int, int]:
    """Return how many letters both sides of a hyphen begin with in common, and how near their lengths are."""
    form, lemma = word[:place].lower(), word[place + 1 :].lower()
    common = 0
    for one, other in zip(form, lemma, strict=False):
        if one != other:
            break
        common += 1
    return common, -abs(len(form) - len(lemma))
