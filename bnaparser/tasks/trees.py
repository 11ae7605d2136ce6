"""Where a task's texts get their structures from, as its ``[syntax]`` table says."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.errors import DataError
from bnaparser.parsing.default_model import name_in
from bnaparser.syntax.sources.file_trees import FileTrees
from bnaparser.syntax.sources.parser_trees import ParserTrees
from bnaparser.syntax.sources.random_trees import random_trees
from bnaparser.syntax.sources.spacy_trees import SpacyTrees
from bnaparser.syntax.sources.tree_source import Text, TreeSource, words_of
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.settings import SyntaxTable
from bnaparser.text.sentence import not_one_string
from bnaparser.text.text_rules import DEFAULT_LANGUAGE


def tree_source(
    table: SyntaxTable, device: str | None = None, language: str = DEFAULT_LANGUAGE
) -> TreeSource:
    """Return the source that a ``[syntax]`` table names; words alone where no variant needs trees.

    Running text in another language than English has the words that the table's parser finds, whatever
    the source; but files have the words that are written there. Raises ModelError, DataError or
    MissingExtraError if there is no such source.
    """
    trees = table.trees if table.needs_trees else None
    if language == DEFAULT_LANGUAGE or trees == "files":
        return _source(table, device)
    name = name_in(table.parser, language)
    parser = ParserTrees(name, table.cache, table.rules, device, language=language)
    return InLanguage(parser if trees == "parser" else _source(table, device), parser)


class InLanguage:
    """A source of structures, and the parser that finds the words of running text for it."""

    def __init__(self, source: TreeSource, parser: ParserTrees):
        self.source, self.parser = source, parser

    def __call__(self, texts: Sequence[Text], /) -> list[SyntaxTrees]:
        """Return the structure of each text, in order."""
        return self.source(self.parser.read(not_one_string(texts, "texts")))


def read_by(source: TreeSource, texts: Sequence[Text]) -> list[Text]:
    """Return texts as a source reads them: running text as sentences, where their words are to be found."""
    return source.parser.read(texts) if isinstance(source, InLanguage) else list(texts)


def _source(table: SyntaxTable, device: str | None) -> TreeSource:
    if not table.needs_trees:
        return words_only
    if table.trees == "parser":
        return ParserTrees(table.parser, table.cache, table.rules, device)
    if table.trees == "spacy":
        return SpacyTrees(table.spacy)
    if table.trees == "random":
        return random_trees
    return _SeveralFiles([FileTrees(path, table.rules) for path in table.files])


def words_only(texts: Sequence[Text], /) -> list[SyntaxTrees]:
    """Return each text's words without any syntax."""
    given = not_one_string(texts, "texts")
    return [SyntaxTrees(words_of(text), None, error="this model takes no trees") for text in given]


class _SeveralFiles:
    """Trees from the first of several files that has a text's."""

    def __init__(self, sources: Sequence[FileTrees]):
        self.sources = sources

    def __call__(self, texts: Sequence[Text], /) -> list[SyntaxTrees]:
        """Return the structure of each text, in order; DataError if no file has a text."""
        return [self._structure(text) for text in not_one_string(texts, "texts")]

    def _structure(self, text: Text) -> SyntaxTrees:
        for source in self.sources[:-1]:
            try:
                return source([text])[0]
            except DataError:
                continue
        return self.sources[-1]([text])[0]
