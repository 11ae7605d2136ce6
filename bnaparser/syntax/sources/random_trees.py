"""Random trees over a task's texts: the control, which shows what the trees of a parser are worth."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bnaparser.syntax.sources.tree_source import NO_WORDS, SpacedSentence, Text, sentences_of
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.text.sentence import not_one_string
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree

# A seed and words give the same random tree in every process: nothing here hangs on hash().
_SEED = "random trees 1"


def random_trees(texts: Sequence[Text], /) -> list[SyntaxTrees]:
    """Return a random tree of each sentence of each text: the same words, the same trees.

    A binary tree that is split at random places, and dependencies that each of its nodes gives by
    picking the head of one of its halves at random. As with other trees, no head is in another
    sentence.
    """
    return [_of_sentences(sentences_of(text)) for text in not_one_string(texts, "texts")]


def _of_sentences(sentences: Sequence[SpacedSentence]) -> SyntaxTrees:
    words: list[str] = []
    heads: list[int] = []
    trees: list[Tree] = []
    for sentence in sentences:
        one = random_structure(sentence.words)
        heads += [head and head + len(words) for head in one.heads or ()]
        words += one.words
        trees += one.trees
    if not words:
        return SyntaxTrees((), None, error=NO_WORDS)
    return SyntaxTrees(tuple(words), tuple(heads), tuple(trees))


def random_structure(words: Sequence[str]) -> SyntaxTrees:
    """Return one random structure over words; without words there is none."""
    if not words:
        return SyntaxTrees((), None, error=NO_WORDS)
    generator = random.Random("\n".join([_SEED, *words]).encode("utf-8", "surrogatepass"))
    heads = [0] * len(words)
    # Halves are joined bottom up, so that long texts need no deep recursion.
    parts = [(Tree("X", [escape_brackets(word)]), place) for place, word in enumerate(words)]
    while len(parts) > 1:
        place = generator.randrange(len(parts) - 1)
        (left, first), (right, second) = parts[place : place + 2]
        head, other = (first, second) if generator.random() < 0.5 else (second, first)
        heads[other] = head + 1
        parts[place : place + 2] = [(Tree("X", [left, right]), head)]
    return SyntaxTrees(tuple(words), tuple(heads), (parts[0][0],))
