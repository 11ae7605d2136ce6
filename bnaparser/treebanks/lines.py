"""The lines of treebank files with their numbers: decompressed, decoded, without the mark-up of the LDC.

Files may be compressed (``.gz``, ``.xz``, ``.bz2``, ``.zst``). They are in UTF-8 or an encoding that is named;
XML in the one that it declares; the files of the Chinese Treebank with their mark-up (``<S ID=1>``) in UTF-8 or
GB18030.
"""

from __future__ import annotations

import codecs
import itertools
import logging
import re
from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from os import PathLike
from pathlib import Path
from typing import IO, NamedTuple, cast

from bnaparser.errors import DataError
from bnaparser.files.compressed import open_compressed
from bnaparser.files.text_files import LineReader, refuse_binary

logger = logging.getLogger(__name__)

StrPath = str | PathLike[str]

XML_START = re.compile(r"<(?:\?xml|!--|!DOCTYPE\b|(?:\w+:)?(?:sub)?corpus\b)")
"""What the text of an XML file begins with; that of the Chinese Treebank begins with other tags."""
_MARKUP = re.compile(r"^(?:[^\S\n]*<[/!?]?[A-Za-z][^<>\n]*>)+", re.MULTILINE)
_SENTENCE_TAG = re.compile(r"<(?P<end>/?)S(?:\s[^<>]*)?>", re.IGNORECASE)
_REPLACEMENT = "\ufffd"
_XML_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")


class Line(NamedTuple):
    """A line's number in its file, its text, and whether a marked sentence starts with it."""

    number: int
    text: str
    starts: bool = False


def numbered(lines: Iterable[str]) -> Iterator[Line]:
    """Yield lines with their numbers, from 1."""
    return (Line(number, line) for number, line in enumerate(lines, 1))


def read_lines(file: StrPath, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of one treebank file, decompressed and decoded; of marked-up files the sentences.

    Raises DataError as `find_trees` does.
    """
    return (line.text for line in numbered_lines(Path(file), encoding))


DAMAGED = "(\0\n"
"""The text of a line that could not be read; it begins like a tree, and is none."""


def numbered_lines(
    path: Path, encoding: str | None = None, option: str = "", skip_broken: bool = False
) -> Iterator[Line]:
    """Yield the lines of one treebank file as `read_lines` does, with their numbers.

    Mark-up is blanked out, so that columns stay those of the file. With ``skip_broken`` a line that is not in the
    encoding becomes DAMAGED, and a warning is logged.
    """
    with open_compressed(path) as raw:
        start = b"".join(_up_to_first_text(raw)).removeprefix(codecs.BOM_UTF8)
        xml = XML_START.match(start.lstrip().decode("latin-1"))
        marked_up = path.name.startswith("chtb_") or (start.lstrip()[:1] == b"<" and not xml)
        if xml and encoding is None:
            encoding = _declared_encoding(start, path)
        if marked_up and encoding is None:
            text = _decode_marked_up(start + raw.read(), path)
        else:
            apart = skip_broken and not marked_up
            lines = LineReader(_Rejoined(start, raw), str(path), encoding, option, apart)
            if not marked_up:
                yield from numbered(_without_damaged(lines, path) if apart else lines)
                return
            text = "".join(lines)
        yield from _marked_sentences(text) or numbered(_without_markup(text).split("\n"))


def _without_damaged(lines: LineReader, path: Path) -> Iterator[str]:
    """Yield the lines, and DAMAGED for each line that cannot be read."""
    for line in lines.lines_or_errors():
        if isinstance(line, str) and "\0" not in line:
            yield line
            continue
        what = f"{path}, line {lines.number}: a NUL character" if isinstance(line, str) else line
        logger.warning("left out: %s", what)
        yield DAMAGED


def _declared_encoding(start: bytes, path: Path) -> str | None:
    """Return the encoding that the first line of an XML file names, None if it names none."""
    named = _XML_ENCODING.search(start)
    if named is None:
        return None
    name = named[1].decode("ascii")
    try:
        codecs.lookup(name)
    except LookupError:
        raise DataError(
            f"{path}:1: the file declares an encoding {name!r} that is unknown: correct the name of the encoding"
        ) from None
    return name


class _Rejoined(BufferedIOBase):
    """A binary file whose start has been read, as if it had not been."""

    def __init__(self, start: bytes, rest: IO[bytes]):
        self._start, self._rest = start, rest

    def read1(self, size: int = -1, /) -> bytes:
        start, self._start = self._start, b""
        return start or cast(BufferedIOBase, self._rest).read1(size)


def _up_to_first_text(raw: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines up to the first that is not blank."""
    for line in raw:
        yield line
        if line.strip():
            return


def _decode_marked_up(data: bytes, path: Path) -> str:
    """Decode a file of the Chinese Treebank by whichever of its two encodings fits it better.

    Bytes that are in neither become U+FFFD, with a warning that names the line.
    """
    refuse_binary(str(path), data)
    text = min(
        (data.decode(encoding, "replace") for encoding in ("utf-8", "gb18030")),
        key=lambda decoded: decoded.count(_REPLACEMENT),
    )
    for number, line in enumerate(text.split("\n"), 1):
        if _REPLACEMENT in line:
            logger.warning(
                "%s:%d: this line is not UTF-8; wrong bytes are replaced by U+FFFD: convert the file to UTF-8",
                path,
                number,
            )
    return text


def _marked_sentences(text: str) -> list[Line]:
    """Return the lines of the marked sentences, each from ``<S ID=1>`` to the next such tag."""
    found: list[Line] = []
    tags = list(_SENTENCE_TAG.finditer(text))
    number, counted = 1, 0
    for tag, following in itertools.zip_longest(tags, tags[1:]):
        if tag["end"]:
            continue
        number, counted = number + text.count("\n", counted, tag.end()), tag.end()
        column = tag.end() - (text.rfind("\n", 0, tag.end()) + 1)
        inside = text[tag.end() : following.start() if following else None]
        lines = (" " * column + _without_markup(inside)).split("\n")
        found += [Line(number + i, line, starts=i == 0) for i, line in enumerate(lines)]
    return found


def _without_markup(text: str) -> str:
    """Blank out the tags at the beginnings of lines."""
    return _MARKUP.sub(lambda match: " " * len(match.group()), text)
