"""Where a task's texts get their structures from, as its ``[syntax]`` table says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import cast

from bnaparser.errors import DataError
from bnaparser.syntax.sources.file_trees import FileTrees
from bnaparser.syntax.sources.parser_trees import ParserTrees
from bnaparser.syntax.sources.spacy_trees import SpacyTrees
from bnaparser.syntax.sources.tree_source import Text, TreeSource
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.task_settings import SyntaxTable
from bnaparser.text.splitting import split
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree

# A seed and words give the same random tree in every process: nothing here hangs on hash().
_SEED = "random trees 1"


def tree_source(table: SyntaxTable, device: str | None = None) -> TreeSource:
    """Return the source that a ``[syntax]`` table names; words alone where no variant needs trees.

    Raises ModelError, DataError or MissingExtraError where there is no such source.
    """
    if not table.needs_trees:
        return words_only
    if table.trees == "parser":
        return ParserTrees(table.parser, table.cache, table.rules, device)
    if table.trees == "spacy":
        return SpacyTrees(table.spacy)
    if table.trees == "random":
        return random_trees
    return _SeveralFiles([FileTrees(path, table.rules) for path in table.files])


def words_of(text: Text) -> tuple[str, ...]:
    """Return the words of a text: as given, or those of the sentences of running text."""
    if isinstance(text, str):
        return tuple(word for sentence in split(text) for word in sentence.words)
    if all(isinstance(part, str) for part in text):
        return tuple(cast("Sequence[str]", text))
    return tuple(word for sentence in text for word in sentence)


def words_only(texts: Sequence[Text], /) -> list[Structure]:
    """Return each text's words without any syntax."""
    return [Structure(words_of(text), None, error="no trees were asked for") for text in texts]


def random_trees(texts: Sequence[Text], /) -> list[Structure]:
    """Return random trees of each text's words, as a control: the same words, the same trees.

    A binary tree that is split at random places, and dependencies that each of its nodes gives by
    picking the head of one of its halves at random.
    """
    return [random_structure(words_of(text)) for text in texts]


def random_structure(words: Sequence[str]) -> Structure:
    """Return one random structure over words; without words there is none."""
    if not words:
        return Structure((), None, error="the text has no words")
    generator = random.Random("\n".join([_SEED, *words]))
    heads = [0] * len(words)
    # Halves are joined bottom up, so that long texts need no deep recursion.
    parts = [(Tree("X", [escape_brackets(word)]), place) for place, word in enumerate(words)]
    while len(parts) > 1:
        place = generator.randrange(len(parts) - 1)
        (left, first), (right, second) = parts[place : place + 2]
        head, other = (first, second) if generator.random() < 0.5 else (second, first)
        heads[other] = head + 1
        parts[place : place + 2] = [(Tree("X", [left, right]), head)]
    return Structure(tuple(words), tuple(heads), (parts[0][0],))


class _SeveralFiles:
    """Trees from the first of several files that has a text's."""

    def __init__(self, sources: Sequence[FileTrees]):
        self.sources = sources

    def __call__(self, texts: Sequence[Text], /) -> list[Structure]:
        """Return the structure of each text, in order; DataError where no file has a text."""
        return [self._structure(text) for text in texts]

    def _structure(self, text: Text) -> Structure:
        for source in self.sources[:-1]:
            try:
                return source([text])[0]
            except DataError:
                continue
        return self.sources[-1]([text])[0]
