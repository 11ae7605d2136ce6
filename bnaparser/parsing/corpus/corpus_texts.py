"""Pieces of text files, by lines or paragraphs, and of CoNLL-U, by sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from bnaparser.errors import DataError
from bnaparser.parsing.corpus.corpus_inputs import CorpusFile
from bnaparser.parsing.corpus.pieces import Piece
from bnaparser.text.sentence import Split
from bnaparser.text.splitting import paragraphs

_COLUMNS = 10
_WORD = re.compile(r"[0-9]+")
_NAMED = re.compile(r"#\s*(newdoc id|sent_id)\s*=\s*(.+?)\s*")


def text_pieces(file: CorpusFile, lines: Iterable[str], split: Split) -> Iterator[Piece]:
    """Yield the lines of a text that is one document, or its paragraphs where ``split`` is "text".

    Blank lines are passed over, but counted.
    """
    if split == "text":
        for part, (start, block) in enumerate(paragraphs(lines), 1):
            if not block.isspace():
                yield Piece(file.name, f"{file.path}, paragraph {part}", block, part, start)
        return
    start = 0
    for part, line in enumerate(lines, 1):
        if not line.isspace():
            yield Piece(file.name, f"{file.path}:{part}", line, part, start)
        start += len(line)


def conllu_pieces(file: CorpusFile, lines: Iterable[str]) -> Iterator[Piece]:
    """Yield the sentences of CoNLL-U: words, language-specific tags, ``sent_id`` as a field.

    Where the file names documents (``newdoc id``) these are its documents, else it is one.
    """
    document, part = file.name, 0
    for rows, names in _sentences(file, lines):
        if "newdoc id" in names:
            document, part = names["newdoc id"], 0
        part += 1
        yield _sentence(file, rows, document, part, names)


def _sentences(
    file: CorpusFile, lines: Iterable[str]
) -> Iterator[tuple[list[list[str]], dict[str, str]]]:
    """Yield the lines of each sentence, in columns, and what its comments name."""
    names: dict[str, str] = {}
    rows: list[list[str]] = []
    for number, line in enumerate(chain(lines, [""]), 1):
        text = line.rstrip("\r\n")
        if text.startswith("#"):
            if found := _NAMED.fullmatch(text):
                names[found[1]] = found[2]
        elif text.strip():
            rows.append(_columns(text, file, number))
        elif rows:
            yield rows, names
            names, rows = {}, []


def _columns(text: str, file: CorpusFile, number: int) -> list[str]:
    columns = text.split("\t")
    if len(columns) != _COLUMNS:
        raise DataError(f"{file.path}:{number}: {len(columns)} columns, CoNLL-U has {_COLUMNS}")
    return columns


def _sentence(
    file: CorpusFile, rows: list[list[str]], document: str, part: int, names: dict[str, str]
) -> Piece:
    words = [row for row in rows if _WORD.fullmatch(row[0])]
    tags = tuple(row[4] for row in words)
    fields = {"sent_id": names["sent_id"]} if "sent_id" in names else {}
    return Piece(
        document,
        f"{file.path}, sentence {part}" if not fields else f"{file.path}, {fields['sent_id']}",
        part=part,
        words=tuple(row[1] for row in words),
        tags=() if "_" in tags else tags,
        fields=fields,
        begins="newdoc id" in names,
    )
