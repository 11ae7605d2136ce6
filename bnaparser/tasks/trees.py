"""Where a task's texts get their structures from, as its ``[syntax]`` table says."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.errors import DataError
from bnaparser.syntax.sources.file_trees import FileTrees
from bnaparser.syntax.sources.parser_trees import ParserTrees
from bnaparser.syntax.sources.random_trees import random_trees
from bnaparser.syntax.sources.spacy_trees import SpacyTrees
from bnaparser.syntax.sources.tree_source import Text, TreeSource, words_of
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.task_settings import SyntaxTable


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


def words_only(texts: Sequence[Text], /) -> list[Structure]:
    """Return each text's words without any syntax."""
    return [Structure(words_of(text), None, error="no trees were asked for") for text in texts]


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
