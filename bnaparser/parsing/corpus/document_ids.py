"""Ids of documents that were seen, on disk: memory does not grow with the corpus."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from bnaparser.parsing.corpus.pieces import Piece, Pieces


def refuse_repeated(pieces: Pieces, store: Path) -> Pieces:
    """Yield the pieces, with an error in the place of a document whose id an earlier one has.

    For documents of a piece each with an id of its own, the rows of tables: pieces of a text or of
    CoNLL-U, several a document, are passed on as they are. ``store`` is a file that is written anew.
    """
    store.unlink(missing_ok=True)
    with closing(sqlite3.connect(store, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute("CREATE TABLE seen (id BLOB PRIMARY KEY, place TEXT) WITHOUT ROWID")
        base.execute("BEGIN")
        for piece in pieces:
            if piece.error is not None or not piece.is_row:
                yield piece
                continue
            key = hashlib.blake2b(piece.document.encode("utf-8", "surrogatepass"), digest_size=16)
            known = base.execute("SELECT place FROM seen WHERE id = ?", (key.digest(),)).fetchone()
            if known is None:
                base.execute("INSERT INTO seen VALUES (?, ?)", (key.digest(), piece.place))
                yield piece
            else:
                reason = f"the id {piece.document!r} is that of an earlier document: {known[0]}"
                yield Piece(piece.document, piece.place, fields=piece.fields, error=reason)
    store.unlink(missing_ok=True)
