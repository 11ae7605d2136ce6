"""Trees kept on disk: under their words, and under all that decides which trees a model gives."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.errors import DataError, ModelError, TreeError
from bnaparser.files.folder import WEIGHTS, deciding_files
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.treebanks.reading import StrPath
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

# Keys that one question names; SQLite takes 999 at least.
_KEYS = 500


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
    """Trees of one model on disk, by their words: one SQLite file, which many models may share.

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
        by_key = {self._key(words): words for words in sentences}
        keys = list(by_key)
        found: dict[Words, Tree] = {}
        with self._open() as connection:
            for start in range(0, len(keys), _KEYS):
                asked = keys[start : start + _KEYS]
                marks = ",".join("?" * len(asked))
                rows = connection.execute(f"SELECT * FROM trees WHERE key IN ({marks})", asked)
                for key, stored in rows:
                    tree = _read_tree(stored, by_key[key])
                    if tree is not None:
                        found[by_key[key]] = tree
        return found

    def write(self, trees: Mapping[Words, Tree]) -> None:
        """Keep trees, each in place of an earlier one of the same words."""
        rows = [
            (self._key(words), str(tree).encode("utf-8", "surrogatepass"))
            for words, tree in trees.items()
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO trees VALUES (?, ?)", rows)

    def _key(self, words: Words) -> bytes:
        return hashlib.sha256(json.dumps([self.identity, words]).encode()).digest()

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
