"""Trees for a task's texts from our own parser, kept in a cache."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser import models
from bnaparser.errors import ModelError
from bnaparser.syntax.sources.parser_trees import TreeStore, model_identity
from bnaparser.syntax.sources.tree_source import NO_WORDS, Text, Words, sentences_of
from bnaparser.syntax.structure import Structure
from bnaparser.text.sentence import Sentence, from_words, not_one_string
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, match_language
from bnaparser.treebanks.lines import StrPath
from bnaparser.trees.heads.rules import UD, HeadRules
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from bnaparser.parsing.result import Parse

logger = logging.getLogger(__name__)

# Sentences that are parsed before their trees are stored: what an interruption loses.
_CHUNK = 256


class ParserTrees:
    """Constituency trees from our parser, dependency heads from them by head rules.

    Sentences are parsed in batches, each different one once; with ``cache`` their trees are kept in
    that file, under the words and all that makes the model what it is, so that the model is only
    loaded where a sentence is new. Any number of processes may share the file, and what has been
    parsed before an interruption is kept. A text of which a sentence cannot be parsed has neither
    trees nor heads, and says why in ``error``.

    ``language`` is that of the texts. Of running text in another one than English the words are those
    that the parser finds, or its language's rules; ``cache`` keeps them, too. These rules
    may change with bnaparser's version, which the cache does not know: begin another file then.

    ``model`` is a model that ships, a folder, ``org/name`` of a model hub, or a loaded Parser;
    ``device`` and ``batch_tokens`` are those of ``Parser.load``. Raises ModelError if there is no
    such model, DataError if the cache cannot be used; when the model is loaded, SettingsError if it
    does not know the language.
    """

    def __init__(
        self,
        model: str | Path | Parser = "en",
        cache: StrPath | None = None,
        rules: HeadRules = UD,
        device: str | None = None,
        batch_tokens: int | None = None,
        language: str = DEFAULT_LANGUAGE,
    ):
        self.rules, self.language = rules, language
        self.device, self.batch_tokens = device, batch_tokens
        self.model = models.find(model) if isinstance(model, str | Path) else model
        self.store = None if cache is None else TreeStore(cache, self._identity())

    def __call__(self, texts: Sequence[Text], /) -> list[Structure]:
        """Return the structure of each text, in order."""
        split_texts = [
            [sentence.words for sentence in sentences_of(text)]
            for text in self.read(not_one_string(texts, "texts"))
        ]
        trees = self.parse(words for sentences in split_texts for words in sentences)
        return [self._structure(sentences, trees) for sentences in split_texts]

    def read(self, texts: Iterable[Text]) -> list[Text]:
        """Return texts in which running text of another language than English is sentences of words.

        All else stays as it is. Raises as ``load`` does, and ModelError where words are for the parser
        to find, and it finds none.
        """
        given = list(texts)
        if self.language == DEFAULT_LANGUAGE:
            return given
        found = self._words_of(list(dict.fromkeys(one for one in given if isinstance(one, str))))
        return [found[text] if isinstance(text, str) else text for text in given]

    def _words_of(self, texts: list[str]) -> dict[str, list[Sentence]]:
        """Return the sentences of running texts, from the store where they are there."""
        found = {} if self.store is None else self.store.read_words(texts)
        missing = [text for text in texts if text not in found]
        for start in range(0, len(missing), _CHUNK):
            some = missing[start : start + _CHUNK]
            fresh = dict(zip(some, self.load().read_texts(some, self.language), strict=True))
            if self.store is not None:
                # Where finding words failed, pieces stand for them: another time it may not.
                whole = {
                    text: read
                    for text, read in fresh.items()
                    if all(not one.pieces for one in read)
                }
                self.store.write_words(whole)
            found.update(fresh)
        return found

    def parse(self, sentences: Iterable[Words]) -> dict[Words, Tree | str]:
        """Return the tree of each sentence of words, or the reason why it has none."""
        wanted = list(dict.fromkeys(not_one_string(sentences, "sentences of words")))
        found: dict[Words, Tree | str] = {}
        if self.store is not None:
            found.update(self.store.read(wanted))
        missing = sorted((words for words in wanted if words not in found), key=len)
        for start in range(0, len(missing), _CHUNK):
            fresh: dict[Words, Tree] = {}
            for parse in self._parses(missing[start : start + _CHUNK]):
                if parse.tree is None:
                    found[parse.words] = parse.error or "the parser gave no tree"
                else:
                    fresh[parse.words] = parse.tree
            if self.store is not None:
                self.store.write(fresh)
            found.update(fresh)
            done = min(start + _CHUNK, len(missing))
            logger.info("parsed %d of %d sentences that had no tree", done, len(missing))
        return found

    def load(self) -> Parser:
        """Return the parser of the texts' language; it is loaded when it is first needed.

        Raises ModelError where it reads part-of-speech tags, which texts do not have, SettingsError
        where it does not know the language.
        """
        if isinstance(self.model, Path):
            from bnaparser.parsing.parser import Parser

            loaded = Parser.load(self.model, self.device, self.batch_tokens)
            if loaded.reads_tags:
                raise ModelError(
                    f"{self.model} reads part-of-speech tags, which texts do not have: name a parser"
                    " that reads words alone"
                )
            self.model = loaded
        self.model = self.model.in_language(self.language)
        return self.model

    def _parses(self, sentences: Sequence[Words]) -> list[Parse]:
        parser = self.load()
        if self.language == DEFAULT_LANGUAGE:
            return parser.parse_many(sentences)
        language = match_language(self.language, parser.languages)
        return parser.parse_sentences(
            [replace(from_words(words), language=language) for words in sentences]
        )

    def _identity(self) -> str:
        """Return what decides the trees besides the words: a model may know several languages."""
        model = model_identity(self.model)
        return model if self.language == DEFAULT_LANGUAGE else f"{model} {self.language}"

    def _structure(self, sentences: list[Words], trees: Mapping[Words, Tree | str]) -> Structure:
        words = tuple(word for sentence in sentences for word in sentence)
        found: list[Tree] = []
        for sentence in sentences:
            tree = trees[sentence]
            if isinstance(tree, str):
                logger.warning("no tree for %r: %s", " ".join(sentence)[:60], tree)
                return Structure(words, None, error=tree)
            found.append(tree)
        if not words:
            return Structure((), None, error=NO_WORDS)
        return Structure.of_trees(words, found, self.rules)
