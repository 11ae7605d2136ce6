"""What a corpus is cut into before it is parsed: pieces of documents, each with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A document, or one line or paragraph of it.

    ``part`` is the number of its first line (paragraph) in the document, from 1, and ``start`` the place
    of its text there, in code points. A sentence of given words has ``words``, maybe ``tags``, and no
    ``text``. ``place`` says where it stands, for people. ``begins``: it is the first, or the
    only, one of a document with an id of its own. With ``error`` it is no text, and that is why.
    """

    document: str
    place: str
    text: str = ""
    part: int = 1
    start: int = 0
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    fields: Fields = field(default_factory=dict)
    begins: bool = False
    error: str | None = None

    @property
    def size(self) -> int:
        """How much of a shard it takes: its characters, and one, as there may be any number of empty ones."""
        return 1 + (len(self.text) if self.text else sum(map(len, self.words)) + len(self.words))

    def identity(self) -> bytes:
        """Return bytes that are others for another piece."""
        told = (self.document, self.part, self.start, self.text, self.words, self.tags)
        return json.dumps([*told, self.fields, self.error], default=str).encode()


Pieces = Iterator[Piece]
