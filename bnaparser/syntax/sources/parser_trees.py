"""Trees for a task's texts from our own parser, kept in a cache."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bnaparser import models
from bnaparser.errors import DataError, ModelError, TreeError
from bnaparser.files.folder import WEIGHTS, deciding_files
from bnaparser.files.tables import parse_json
from bnaparser.syntax.sources.tree_source import NO_WORDS, Text, Words, sentences_of
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.text.sentence import Sentence, from_words, not_one_string
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, match_language
from bnaparser.treebanks.lines import StrPath
from bnaparser.trees.escapes import escape_brackets
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

    def __call__(self, texts: Sequence[Text], /) -> list[SyntaxTrees]:
        """Return the trees of each text.

        Args:
            texts: running texts, or lists of sentences of words.

        Returns:
            One SyntaxTrees for each text, in order.

        Example:
            >>> from bnaparser.syntax import ParserTrees
            >>> ParserTrees("en")(["It rained."])[0].words
            ('It', 'rained', '.')
        """
        split_texts = [
            [sentence.words for sentence in sentences_of(text)]
            for text in self.read(not_one_string(texts, "texts"))
        ]
        trees = self.parse(words for sentences in split_texts for words in sentences)
        return [self._structure(sentences, trees) for sentences in split_texts]

    def read(self, texts: Iterable[Text]) -> list[Text]:
        """Return texts in which running text of another language than English is sentences of words.

        All else stays as it is. Raises as ``load`` does, and ModelError if words are for the parser
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
        unique = list(dict.fromkeys(not_one_string(sentences, "sentences of words")))
        found: dict[Words, Tree | str] = {}
        if self.store is not None:
            found.update(self.store.read(unique))
        missing = sorted((words for words in unique if words not in found), key=len)
        for start in range(0, len(missing), _CHUNK):
            fresh: dict[Words, Tree] = {}
            for parse in self._parses(missing[start : start + _CHUNK]):
                if parse.tree is None:
                    found[parse.words] = parse.error or "the parser returned no tree"
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

        Raises:
            ModelError: the parser reads part-of-speech tags, which texts do not have.
            SettingsError: the parser does not know the language.
        """
        if isinstance(self.model, Path):
            from bnaparser.parsing.parser import Parser

            loaded = Parser.load(self.model, self.device, self.batch_tokens)
            if loaded.reads_tags:
                raise ModelError(
                    f"{self.model} needs part-of-speech tags as input, which texts"
                    " do not have: choose a parser without tag input"
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

    def _structure(self, sentences: list[Words], trees: Mapping[Words, Tree | str]) -> SyntaxTrees:
        words = tuple(word for sentence in sentences for word in sentence)
        found: list[Tree] = []
        for sentence in sentences:
            tree = trees[sentence]
            if isinstance(tree, str):
                logger.warning("no tree for %r: %s", " ".join(sentence)[:60], tree)
                return SyntaxTrees(words, None, error=tree)
            found.append(tree)
        if not words:
            return SyntaxTrees((), None, error=NO_WORDS)
        return SyntaxTrees.of_trees(words, found, self.rules)


if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

# Keys that one question names; SQLite takes 999 at least.
_KEYS = 500

Read = TypeVar("Read", Words, str)


def model_identity(model: Path | Parser) -> str:
    """Return a hash of all that decides a model's trees: weights, settings, labels, tokenizer.

    A Parser's does not count its tokenizer, and is another than that of the folder which it was
    loaded from. Raises ModelError if a folder is not a model's.
    """
    digest = hashlib.sha256()
    if isinstance(model, Path):
        files = deciding_files(model)
        if model / WEIGHTS not in files:
            raise ModelError(f"{model / WEIGHTS} is missing; {model} is not a model folder")
        for file in files:
            digest.update(f"{file.relative_to(model)} {file.stat().st_size}\n".encode())
            with file.open("rb") as opened:
                while block := opened.read(1 << 20):
                    digest.update(block)
        return digest.hexdigest()
    network = model.model
    labels = [*network.labels.names, "", *network.tags.names]
    digest.update(json.dumps([network.settings.model_dump(mode="json"), labels]).encode())
    digest.update(network.fingerprint().encode())
    return digest.hexdigest()


class TreeStore:
    """Trees of one model on disk, by their words, and words by their text: one SQLite file, which many models may share.

    Processes and threads may use it at the same time; each `write` is kept whole or not at all.
    Raises DataError if the file cannot be made, read or written, or is not such a store.
    """

    def __init__(self, path: StrPath, identity: str):
        self.path, self.identity = Path(path), identity
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.path.parent}: the folder cannot be made: {error}") from error
        with self._open() as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS trees (key BLOB PRIMARY KEY, tree BLOB NOT NULL)"
            )

    def read(self, sentences: Sequence[Words]) -> dict[Words, Tree]:
        """Return the stored trees of these sentences of words."""
        stored = self._read(sentences)
        trees = {words: _read_tree(value, words) for words, value in stored.items()}
        return {words: tree for words, tree in trees.items() if tree is not None}

    def write(self, trees: Mapping[Words, Tree]) -> None:
        """Keep trees, each in place of an earlier one of the same words."""
        self._write({words: str(tree) for words, tree in trees.items()})

    def read_words(self, texts: Sequence[str]) -> dict[str, list[Sentence]]:
        """Return the sentences that were found in these texts."""
        stored = self._read(texts)
        sentences = {text: _read_sentences(value, text) for text, value in stored.items()}
        return {text: found for text, found in sentences.items() if found is not None}

    def write_words(self, found: Mapping[str, Sequence[Sentence]]) -> None:
        """Keep the sentences of texts."""
        self._write({text: _written(sentences) for text, sentences in found.items()})

    def _read(self, texts: Sequence[Read]) -> dict[Read, bytes]:
        """Return the stored values of words or texts; an entry without a value is left out."""
        by_key = {self._key(one): one for one in texts}
        keys = list(by_key)
        found: dict[Read, bytes] = {}
        with self._open() as connection:
            for start in range(0, len(keys), _KEYS):
                some = keys[start : start + _KEYS]
                marks = ",".join("?" * len(some))
                rows = connection.execute(f"SELECT * FROM trees WHERE key IN ({marks})", some)
                found.update((by_key[key], value) for key, value in rows)
        return found

    def _write(self, values: Mapping[Read, str]) -> None:
        rows = [
            (self._key(one), value.encode("utf-8", "surrogatepass"))
            for one, value in values.items()
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO trees VALUES (?, ?)", rows)

    def _key(self, text: Words | str) -> bytes:
        return hashlib.sha256(json.dumps([self.identity, text]).encode()).digest()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            # Another process may be writing: wait for it.
            with closing(sqlite3.connect(self.path, timeout=120)) as connection, connection:
                yield connection
        except sqlite3.Error as error:
            raise DataError(f"{self.path}: cannot be used as a cache of trees: {error}") from error


def _read_tree(stored: bytes, words: Words) -> Tree | None:
    """Return a stored tree; None if it is damaged or another sentence's."""
    try:
        tree = Tree.parse(stored.decode("utf-8", "surrogatepass"))
    except (TreeError, UnicodeDecodeError):
        return None
    return tree if tree.words == tuple(map(escape_brackets, words)) else None


def _written(sentences: Sequence[Sentence]) -> str:
    return json.dumps([[one.words, one.offsets, one.language] for one in sentences])


def _read_sentences(stored: bytes, text: str) -> list[Sentence] | None:
    """Return stored sentences of a text; None if they are damaged."""
    try:
        found = [
            Sentence(
                text[offsets[0][0] : offsets[-1][1]],
                tuple(words),
                tuple((start, end) for start, end in offsets),
                language=language,
            )
            for words, offsets, language in parse_json(stored)
        ]
    except (ValueError, TypeError, IndexError):
        return None
    fits = all(
        len(one.words) == len(one.offsets) and one.offsets[-1][1] <= len(text) for one in found
    )
    return found if fits else None
