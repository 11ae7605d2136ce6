"""Trees and words kept on disk, under what they were found in and all of a model that decides what it finds."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bnaparser.errors import DataError, ModelError, TreeError
from bnaparser.files.folder import WEIGHTS, deciding_files
from bnaparser.files.tables import parse_json
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.text.sentence import Sentence
from bnaparser.treebanks.lines import StrPath
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

# Keys that one question names; SQLite takes 999 at least.
_KEYS = 500

Asked = TypeVar("Asked", Words, str)


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
            raise DataError(f"{self.path.parent}: no such folder can be made: {error}") from error
        with self._open() as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS trees (key BLOB PRIMARY KEY, tree BLOB NOT NULL)"
            )

    def read(self, sentences: Sequence[Words]) -> dict[Words, Tree]:
        """Return the trees that there are of these sentences of words."""
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

    def _read(self, asked: Sequence[Asked]) -> dict[Asked, bytes]:
        """Return what is kept under words or texts, of those that have something."""
        by_key = {self._key(one): one for one in asked}
        keys = list(by_key)
        found: dict[Asked, bytes] = {}
        with self._open() as connection:
            for start in range(0, len(keys), _KEYS):
                some = keys[start : start + _KEYS]
                marks = ",".join("?" * len(some))
                rows = connection.execute(f"SELECT * FROM trees WHERE key IN ({marks})", some)
                found.update((by_key[key], value) for key, value in rows)
        return found

    def _write(self, values: Mapping[Asked, str]) -> None:
        rows = [
            (self._key(one), value.encode("utf-8", "surrogatepass"))
            for one, value in values.items()
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO trees VALUES (?, ?)", rows)

    def _key(self, asked: Words | str) -> bytes:
        return hashlib.sha256(json.dumps([self.identity, asked]).encode()).digest()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            # Another process may be writing: wait for it.
            with closing(sqlite3.connect(self.path, timeout=120)) as connection, connection:
                yield connection
        except sqlite3.Error as error:
            raise DataError(f"{self.path}: cannot be used as a store of trees: {error}") from error


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
