"""What people do to text: how words are written otherwise, and what stands where no treebank has it.

Functions on the words of a sentence change how they are read and nothing else; functions on trees
change words and tree together. What they draw, they draw from a generator of numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import CHAIN, Span, Tree

Item = TypeVar("Item")

_TYPED_WRONG = 0.15  # of the words that are long enough
_SHORTEST = 4  # letters of a word that is typed wrong
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "nor",
        "but",
        "of",
        "in",
        "on",
        "to",
        "for",
        "by",
        "with",
        "at",
        "from",
        "as",
    ]
)
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_QUOTES = (
    "\u201c\u201d",
    "\u201e\u201c",
    "\xab\xbb",
    "\u2018\u2019",
    "\u300c\u300d",
    "\u201d\u201d",
)
_ROUND = ("[]", "{}", "\u3010\u3011", "\uff08\uff09", "<>")
_DASHES = ("\u2014", "\u2013", "-", "\u2015")
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_NAMES = frozenset(["NNP", "NNPS"])
_HOSTS = ["example", "news", "shop", "blog", "forum", "travel", "music", "photo", "city", "data"]
_ENDS = ["com", "org", "net", "co.uk", "de", "io", "info"]
_PAGES = ["", "/", "/index.html", "/about", "/2021/05/12", "/watch?v=3xK9", "/p/17#top"]
# Round brackets as trees have them.
_PICTURES = [
    "\U0001f600", "\U0001f602", "\U0001f60d", "\U0001f62d", "\U0001f44d", "\U0001f64f", "\U0001f389",
    "\u2764\ufe0f", "\u2728", ":-RRB-", ":--RRB-", ":-LRB-", ";--RRB-", ":D", "<3", "xD",
]  # fmt: skip


def in_capitals(words: Sequence[str]) -> list[str]:
    """Return the words in capitals."""
    return [unescape(word).upper() for word in words]


def in_title_case(words: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Return the words as in a title; in one of two, small words stay small inside it."""
    spare = generator.random() < 0.5
    read = []
    for place, word in enumerate(map(unescape, words)):
        small = spare and 0 < place < len(words) - 1 and word.lower() in _SMALL_WORDS
        clitic = word[:1] in "'\u2019" or word.lower() == "n't"
        read.append(word if small or clitic else word[:1].upper() + word[1:])
    return read


def typed_wrong(words: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Return the words with a slip of the finger in some; in one at least, if one is long enough."""
    read = list(words)
    long = [place for place, word in enumerate(read) if len(word) >= _SHORTEST and word.isalpha()]
    if not long:
        return read
    wrong = [place for place in long if generator.random() < _TYPED_WRONG]
    for place in wrong or [_one_of(long, generator)]:
        read[place] = _slip(read[place], generator)
    return read


def _slip(word: str, generator: np.random.Generator) -> str:
    """Return a word with one letter wrong; the first one stays."""
    at = int(generator.integers(1, len(word) - 1))
    before, letter, following, after = word[:at], word[at], word[at + 1], word[at + 2 :]
    kind = generator.integers(4)
    if kind == 0:
        return before + following + letter + after
    if kind == 1:
        return before + following + after
    if kind == 2:
        return before + letter + letter + following + after
    row = next((row for row in _KEYBOARD if letter.lower() in row), letter)
    beside = row.find(letter.lower()) + (1 if generator.random() < 0.5 else -1)
    return before + row[min(max(beside, 0), len(row) - 1)] + following + after


def with_other_marks(words: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Return the words with the quotes, brackets, dashes and apostrophes of somebody else."""
    quotes, brackets = _one_of(_QUOTES, generator), _one_of(_ROUND, generator)
    dash = _one_of(_DASHES, generator)
    marks = {
        "``": quotes[0], "`": quotes[0], "''": quotes[1], "-LRB-": brackets[0],
        "-RRB-": brackets[1], "--": dash, "...": "\u2026",
    }  # fmt: skip
    return [marks.get(word, word.replace("'", "\u2019")) for word in words]


def with_hashtags(
    words: Sequence[str], tags: Sequence[str], generator: np.random.Generator
) -> list[str]:
    """Return the words with a ``#`` before one noun or more, if there are any."""
    nouns = [p for p, word in enumerate(words) if tags[p] in _NOUNS and word.isalpha()]
    marked = {place for place in nouns if generator.random() < 0.2}
    if nouns and not marked:
        marked.add(_one_of(nouns, generator))
    return [f"#{word}" if place in marked else word for place, word in enumerate(words)]


def with_emoji(tree: Tree, generator: np.random.Generator) -> Tree:
    """Return a tree with a picture or a smiley behind its last word, tagged as other marks are.

    It stands in the constituent of the whole sentence, as its period does.
    """
    picture = _one_of(_PICTURES, generator)
    words, tags = (*tree.words, picture), (*tree.tags, ":")
    last = len(tree.words)
    spans: list[Span] = []
    for span in tree.spans():
        if span.end - span.start < last:
            spans.append(span)
            continue
        # Of a chain over the sentence the topmost label takes the picture in, the others stay.
        top, _, below = span.label.partition(CHAIN)
        spans.append(Span(0, last + 1, top))
        if below:
            spans.append(Span(0, last, below))
    return Tree.from_spans(words, tags, spans)


def with_link(tree: Tree, generator: np.random.Generator) -> Tree:
    """Return a tree in which a noun phrase of names alone is a link; it itself, if there is none.

    A link is tagged NN, as the label maps of ``recipes/`` have it, an account NNP.
    """
    phrases = [
        node
        for node in tree.nodes()
        if node.label == "NP" and all(below.label in _NAMES for below in node.subtrees)
    ]
    if not phrases:
        return tree
    start, end = _one_of(phrases, generator).span
    word, tag = _link(generator)
    words = (*tree.words[:start], word, *tree.words[end:])
    tags = (*tree.tags[:start], tag, *tree.tags[end:])
    shorter = end - start - 1
    spans = [
        Span(s.start - shorter * (s.start >= end), s.end - shorter * (s.end >= end), s.label)
        for s in tree.spans()
    ]
    return Tree.from_spans(words, tags, spans)


def _link(generator: np.random.Generator) -> tuple[str, str]:
    """Return a link, an address of mail or an account, and its tag."""
    name, end = _one_of(_HOSTS, generator), _one_of(_ENDS, generator)
    page = _one_of(_PAGES, generator)
    forms = [
        (f"http://www.{name}.{end}{page}", "NN"), (f"https://{name}.{end}{page}", "NN"),
        (f"www.{name}.{end}{page}", "NN"), (f"{name}@mail.{end}", "NN"),
        (f"@{name}{generator.integers(100)}", "NNP"),
    ]  # fmt: skip
    return _one_of(forms, generator)


def without_last_word(tree: Tree) -> Tree:
    """Return a tree of two words or more without its last one and what is empty without it."""
    words, tags = tree.words[:-1], tree.tags[:-1]
    labels: dict[tuple[int, int], list[str]] = {}
    for span in tree.spans():  # what is outside comes first
        place = span.start, min(span.end, len(words))
        if place[0] < place[1]:
            labels.setdefault(place, []).append(span.label)
    spans = [Span(*place, CHAIN.join(chain)) for place, chain in labels.items()]
    return Tree.from_spans(words, tags, spans)


def _one_of(items: Sequence[Item], generator: np.random.Generator) -> Item:
    return items[int(generator.integers(len(items)))]
