"""Ids of documents that were seen, on disk: memory does not grow with the corpus."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.parsing.corpus.pieces import Piece, Pieces


def refuse_repeated(pieces: Pieces, store: Path) -> Pieces:
    """Yield the pieces, with errors in the place of a document whose id an earlier one has.

    Of documents with an id of their own, the rows of tables and what CoNLL-U names; others are passed
    on as they are. ``store`` is a file that is written anew; DataError where the disk is full.
    """
    try:
        yield from _once(pieces, store)
    except sqlite3.Error as error:
        raise DataError(
            f"{store}: {error}: free some space, and run the same command again: it goes on where it stopped"
        ) from error


def _once(pieces: Pieces, store: Path) -> Pieces:
    store.unlink(missing_ok=True)
    with closing(sqlite3.connect(store, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute("CREATE TABLE seen (id BLOB PRIMARY KEY, place BLOB) WITHOUT ROWID")
        base.execute("BEGIN")
        refused: Piece | None = None  # what began the document that is left out now
        earlier: str | None = None
        for piece in pieces:
            if piece.begins and piece.error is None:
                earlier = _seen(base, piece)
                refused = piece if earlier else None
            elif refused is not None and piece.document != refused.document:
                refused = None
            if refused is None:
                yield piece
            else:
                reason = f"the id {piece.document!r} is that of an earlier document: {earlier}"
                yield replace(piece, text="", words=(), tags=(), error=reason)
    store.unlink(missing_ok=True)


def _seen(base: sqlite3.Connection, piece: Piece) -> str | None:
    """Return where a document of the same id stood; None, and keep its place, where there was none."""
    key = hashlib.blake2b(piece.document.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    row = base.execute("SELECT place FROM seen WHERE id = ?", (key,)).fetchone()
    if row is None:
        place = piece.place.encode("utf-8", "surrogatepass")  # a file's name may be no UTF-8
        base.execute("INSERT INTO seen VALUES (?, ?)", (key, place))
        return None
    return bytes(row[0]).decode("utf-8", "surrogatepass")
