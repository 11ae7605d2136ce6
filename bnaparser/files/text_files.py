"""Reading text: bytes become lines of text in one encoding; what is not text is refused.

Every command and library function that reads text from bytes reads it by a `LineReader`: text for the
parser, treebanks, task data, text for pre-training. A file that is not text (Word, PDF, gzip, a
program, anything with NUL characters) and bytes that do not fit the encoding are a DataError.
"""

from __future__ import annotations

import codecs
import logging
import os
import re
import select
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, AnyStr, cast

from bnaparser.errors import DataError, SettingsError
from bnaparser.files.compressed import PACKED, damage_as_errors, open_compressed

log = logging.getLogger(__name__)
UTF8 = "utf-8"
"""The encoding of text that has no byte order mark, unless another is named."""

OPTION = "--encoding"
"""The option of the commands by which a user names the encoding."""

_PIECE = 1 << 16  # bytes read at once
_ZIP_START = 1 << 12  # bytes in which a zip names what tells its kind
_START = 16  # number of bytes that show the byte order mark and the kind of a file

# The longest first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings of Python that no text file has.
_NO_TEXT_FILE = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})

_UNPACK = "decompress the data first (%s -dc), or give a file whose name ends in"
_SAVE = "save the document as plain text in UTF-8"
# What no text begins with, what that is, and what to do.
_KINDS = (
    (b"\x1f\x8b", "gzip data", f"{_UNPACK % 'gzip'} .gz"),
    (b"\xfd7zXZ\x00", "xz data", f"{_UNPACK % 'xz'} .xz"),
    *(
        (b"BZh%d1AY&SY" % level, "bzip2 data", f"{_UNPACK % 'bzip2'} .bz2")
        for level in range(1, 10)
    ),
    (b"\x28\xb5\x2f\xfd", "zstd data", f"{_UNPACK % 'zstd'} .zst"),
    (b"PK\x05\x06", "an empty zip archive", ""),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "extract its files first"),
    (b"Rar!\x1a\x07", "a RAR archive", "extract its files first"),
    (b"%PDF-", "a PDF file", "extract its text first, for example with pdftotext"),
    (b"%!PS", "a PostScript file", "extract its text first, for example with ps2txt"),
    (b"{\\rtf", "an RTF file", _SAVE),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Word, Excel or PowerPoint file", _SAVE),
    (b"\x7fELF", "a program", ""),
    (b"\xfe\xed\xfa\xce", "a program", ""),
    (b"\xfe\xed\xfa\xcf", "a program", ""),
    (b"\xce\xfa\xed\xfe", "a program", ""),
    (b"\xcf\xfa\xed\xfe", "a program", ""),
    (b"\xca\xfe\xba\xbe", "a program", ""),
    (b"\x89PNG", "a picture", ""),
    (b"\xff\xd8\xff", "a picture", ""),
)
# Starts that a text may have, too: these kinds are reported only if a NUL character follows.
_KINDS_WITH_NUL = (
    (b"MZ", "a program", ""),
    (b"GIF8", "a picture", ""),
    (b"BM", "a picture", ""),
    (b"II*", "a picture", ""),
    (b"MM", "a picture", ""),
    (b"RIFF", "a picture or sound", ""),
    (b"OggS", "a sound", ""),
    (b"ID3", "a sound", ""),
    (b"PAR1", "a Parquet file", "bnaparser corpus reads Parquet, by the name's ending .parquet"),
    (b"SQLite", "a database", ""),
)
# Readers of PDF pass over what stands before it: blank lines, the head of a mail.
_PDF_WITHIN = re.compile(rb"(?s)(?<![^\r\n])%PDF-\d\.\d.{0,600}?\d \d obj\b")
_PDF_REACH = 1024 + 620
_ZIP = b"PK\x03\x04"
# Names inside a zip that tell what it is.
_ZIPS = (
    (b"word/", "a Word file", _SAVE),
    (b"xl/", "an Excel file", "save the table as CSV in UTF-8"),
    (b"ppt/", "a PowerPoint file", _SAVE),
    (b"[Content_Types].xml", "a Word, Excel or PowerPoint file", _SAVE),
    (b"mimetypeapplication/epub", "an e-book (EPUB)", "extract its text first"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file", _SAVE),
    (b"", "a zip archive", "extract its files first"),
)
_LATIN = (
    "iso8859-1",
    "iso8859-15",
)  # whose control characters are letters and marks in Windows-1252
_CONTROL = re.compile(r"[\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]")
_SHOWN_WORD = 20  # bytes of a word before the first one that is not UTF-8, and from it on
_TOO_MANY = 2  # if more than one byte in this many is beyond ASCII, the text is not Windows-1252


def check_encoding(name: str) -> str:
    """Return Python's name of a text encoding; SettingsError if there is no such encoding."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):  # the second where a name has a NUL in it
        found = None
    is_text = getattr(found, "_is_text_encoding", False)
    if found is None or not is_text or found.name in _NO_TEXT_FILE:
        raise SettingsError(
            f"unknown encoding {name!r}: give an encoding such as utf-8, cp1252, latin-1, utf-16-le,"
            " shift_jis or gb18030"
        )
    return UTF8 if found.name == "utf-8-sig" else found.name


class LineReader:
    """The lines of a binary file or stream as text, with their ends; only a line feed ends a line.

    A byte order mark (UTF-8, UTF-16, UTF-32) says the encoding and is no part of the text. Without a
    mark the text is in ``encoding``, by default UTF-8. Reading raises DataError, with ``name`` and the
    line, where the input is not text or has bytes that do not fit the encoding; the lines before are
    yielded first. Where ``option`` is set, the message tells the user to give that option. With
    ``apart`` a line with such bytes does not end the reading: see `lines_or_errors`.
    """

    def __init__(
        self,
        source: BufferedIOBase | IO[bytes],
        name: str = "standard input",
        encoding: str | None = None,
        option: str = OPTION,
        apart: bool = False,
    ):
        self._apart = apart
        self.number = 0  # of lines that were returned
        self._source = cast(BufferedIOBase, source)
        self._name, self._option = name, option
        self._encoding = UTF8 if encoding is None else check_encoding(encoding)
        self._lines: deque[str | DataError] = deque()  # decoded, not yet returned
        self._noted = False  # that the text is probably in another encoding
        self._marked = False  # a byte order mark says the encoding
        self._has_others = False  # characters beyond ASCII, read without an error
        self._start = b""  # the first bytes, which show whether a file is text
        self._read = self._given = 0  # bytes: read, and those of the lines returned
        self._each = 0.0  # bytes of a line of those in ``_lines``, on average
        self.size = self._bytes_left()  # of the input; None if nobody can know
        self._parts: Iterator[str | DataError] = self._texts()
        if self._is_file():  # a file that is not text is refused at once
            self._parts = chain(list(islice(self._parts, 1)), self._parts)

    def __iter__(self) -> Iterator[str]:
        for line in self.lines_or_errors():
            if isinstance(line, DataError):
                raise line
            yield line

    def lines_or_errors(self) -> Iterator[str | DataError]:
        """Yield each line; in the place of a line that cannot be read its error, and the reading ends there.

        With ``apart`` it continues after the line, and NUL characters are no error.
        """
        for part in self._parts:
            if isinstance(part, DataError):
                self._lines.append(part)
            else:
                lines = part.split("\n")
                last = lines.pop()
                self._lines.extend(f"{line}\n" for line in lines)
                if last:
                    self._lines.append(last)
            if self._lines:
                self._each = (self._read - self._given) / len(self._lines)
            while self._lines:
                self.number += 1
                yield self._lines.popleft()
            self._given = self._read

    @property
    def place(self) -> int:
        """How many bytes of the input the lines that were returned have, about."""
        return self._read - round(len(self._lines) * self._each)

    def waits(self) -> bool:
        """Whether reading on would have to wait for whoever writes to the pipe or terminal."""
        if self._lines:
            return False
        try:
            return not select.select([self._source], [], [], 0)[0]
        except (OSError, ValueError):  # no file, or a system that cannot tell
            return False

    def _is_file(self) -> bool:
        """Return whether this is a file on a disk, which is read without waiting."""
        try:
            return stat.S_ISREG(os.fstat(self._source.fileno()).st_mode)
        except OSError:  # bytes in memory
            return False

    def _bytes_left(self) -> int | None:
        """Return how many bytes there are to read from here on; None if nobody can know."""
        if not self._is_file() or not hasattr(self._source, "raw"):  # decompressed while it is read
            return None
        return os.fstat(self._source.fileno()).st_size - self._source.tell()

    def _texts(self) -> Iterator[str | DataError]:
        """Yield the text in parts, each but the last with a line feed at its end, and what is wrong."""
        pieces = self._pieces()
        first = next(pieces, b"")
        for mark, encoding in _MARKS:
            if first.startswith(mark):
                self._encoding, self._marked, first = encoding, True, first[len(mark) :]
                break
        self._start = first
        refuse_kinds(self._name, first)
        if self._apart and b"\0" in first:
            self._refuse_binary()
        parts = self._by_lines if _ends_lines_alike(self._encoding) else self._by_characters
        for text, broken in parts(first, pieces):
            nul = -1 if self._apart else text.find("\0")
            if nul >= 0:
                yield text[: text.rfind("\n", 0, nul) + 1]
                yield self._nul_error()
                return
            self._note_encoding(text)
            yield text
            self._has_others = self._has_others or not text.isascii()
            if broken is not None:
                yield self._byte_error(broken)
                if not self._apart:
                    return

    def _pieces(self) -> Iterator[bytes]:
        """Yield what is read; the first piece is long enough to tell what it is, if possible."""
        piece = self._read_piece()
        while _is_short(piece) and (more := self._read_piece()):
            piece += more
        while piece:
            self._read += len(piece)
            yield piece
            piece = self._read_piece()

    def _read_piece(self) -> bytes:
        with damage_as_errors(Path(self._name)):
            return self._source.read1(_PIECE)

    def _by_lines(
        self, first: bytes, pieces: Iterator[bytes]
    ) -> Iterator[tuple[str, UnicodeDecodeError | None]]:
        """Decode whole lines: in most encodings a line feed is one byte, and that byte nothing else."""
        for lines in _whole_lines(_first_then(first, pieces), b"\n", b"\0"):
            yield from self._decoded(lines)

    def _decoded(self, data: bytes) -> Iterator[tuple[str, UnicodeDecodeError | None]]:
        while data:
            try:
                yield data.decode(self._encoding), None
                return
            except UnicodeDecodeError as error:
                start = data.rfind(b"\n", 0, error.start) + 1
                end = data.find(b"\n", error.start) + 1 or len(data)
                shown = data[start:end]
                broken = UnicodeDecodeError(
                    self._encoding, shown, error.start - start, error.end - start, error.reason
                )
                yield data[:start].decode(self._encoding), broken
                data = data[end:]

    def _by_characters(
        self, first: bytes, pieces: Iterator[bytes]
    ) -> Iterator[tuple[str, UnicodeDecodeError | None]]:
        """Decode character by character, in UTF-16 and the like, and put lines together."""
        try:
            for lines in _whole_lines(self._characters(first, pieces), "\n", "\0"):
                yield lines, None
        except UnicodeDecodeError as error:
            yield "", error

    def _characters(self, first: bytes, pieces: Iterator[bytes]) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(self._encoding)()
        for piece in _first_then(first, pieces, last=True):
            try:
                yield decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                yield error.object[: error.start].decode(self._encoding)
                raise
            except UnicodeError as error:  # "utf-16" and "utf-32" need a byte order mark
                name = _shown(self._encoding).lower()
                raise DataError(
                    f"{self._name}: the file has no byte order mark: give --encoding {name}-le or {name}-be"
                ) from error

    def _note_encoding(self, text: str) -> None:
        """Warn once where the encoding that was named is probably not that of the text."""
        if self._noted or self._encoding == UTF8 or self._marked or text.isascii():
            return
        if not _ends_lines_alike(self._encoding):
            return
        line = next(one for one in text.split("\n") if not one.isascii())
        if _is_utf8(line.encode(self._encoding, "replace")):
            place, name = self._place_of(text, text.index(line)), _shown(self._encoding)
            log.warning("%s: this is UTF-8, not %s: give no encoding", place, name)
        elif self._encoding in _LATIN and (found := _CONTROL.search(text)) is not None:
            read = found.group().encode("latin-1").decode("cp1252")
            log.warning(
                "%s: byte 0x%02x is a control character in %s, but %r in Windows-1252: the text is"
                " probably Windows-1252, so give the encoding cp1252",
                self._place_of(text, found.start()), ord(found.group()), _shown(self._encoding), read,
            )  # fmt: skip
        else:
            return
        self._noted = True

    def _place_of(self, text: str, character: int) -> str:
        """Return file and line of a character of the text that is about to be yielded."""
        return f"{self._name}, line {self.number + 1 + text.count(chr(10), 0, character)}"

    def _nul_error(self) -> DataError:
        self._refuse_binary()
        return DataError(f"{self._name}, line {self.number + 1}: a NUL character: this is not text")

    def _byte_error(self, error: UnicodeDecodeError) -> DataError:
        if b"\0" in self._start and _ends_lines_alike(self._encoding):
            self._refuse_binary()
            return DataError(f"{self._name}: this is not text: the file has NUL characters")
        place = f"{self._name}, line {self.number + 1}"
        if not _ends_lines_alike(self._encoding):  # bytes are not those of one line
            message = f"this is not {_shown(self._encoding)} ({error.reason})"
        else:
            message = not_in_encoding(error, self._encoding)
        if self._marked or self._has_others:
            remedy = "this byte is damaged: correct it"
        elif self._encoding != UTF8 and _is_utf8(error.object):
            remedy = "the line is UTF-8: give no encoding"
        else:
            hint = cp1252_hint(error)
            remedy = hint + self._remedy("cp1252" if hint else None)
        return DataError(f"{place}: {message}: {remedy}")

    def _refuse_binary(self) -> None:
        """Raise DataError if the kind or the encoding of a file with NUL characters can be recognised."""
        refuse_kinds(self._name, self._start, _KINDS_WITH_NUL)
        utf16 = _utf16_of(self._start)
        if utf16 is not None and _ends_lines_alike(self._encoding):
            raise DataError(
                f"{self._name}: this looks like UTF-16 without a byte order mark: "
                + self._remedy(utf16)
            )

    def _remedy(self, encoding: str | None) -> str:
        """Return what to do about bytes that are probably in ``encoding``."""
        if self._option:
            return f"give {self._option} {encoding or 'NAME, the encoding of the text'}"
        return f"write it in UTF-8, for example by iconv -f {encoding or 'ENCODING'} -t utf-8"


@contextmanager
def open_text(path: Path, encoding: str | None = None, option: str = "") -> Iterator[LineReader]:
    """Open a text file, plain or compressed as its name says, to read its lines.

    Raises DataError if the file is missing, and inside the ``with`` block as `LineReader` does.
    """
    with open_compressed(path) as raw:
        yield LineReader(raw, str(path), encoding, option)


def read_text(path: Path, encoding: str | None = None, option: str = "") -> str:
    """Return the whole text of a file, with its line ends; raises as `open_text` does."""
    with open_text(path, encoding, option) as lines:
        return "".join(lines)


def refuse_binary_file(path: Path) -> None:
    """Raise DataError for a file whose start is not text, unless its name says that it is compressed."""
    if path.is_file() and path.suffix.lower() not in PACKED and os.access(path, os.R_OK):
        with path.open("rb") as file:
            refuse_binary(str(path), file.read(_PIECE))


def refuse_binary(name: str, data: bytes) -> None:
    """Raise DataError for the bytes of a file, or of its start, that are not text."""
    refuse_kinds(name, data)
    if b"\0" in data:
        refuse_kinds(name, data, _KINDS_WITH_NUL)
        raise DataError(f"{name}: this is not text: the file has NUL characters")


def not_in_encoding(error: UnicodeDecodeError, encoding: str = UTF8) -> str:
    """Return which byte of a line does not fit the encoding: ``byte 8 (0xe9) is not UTF-8``."""
    value = error.object[error.start]
    return f"byte {error.start + 1} (0x{value:02x}) is not {_shown(encoding)}"


def cp1252_hint(error: UnicodeDecodeError) -> str:
    """Return ``it may be Windows-1252 ('café'): ``, with the word that is not UTF-8; empty where it cannot be.

    Text that may be Windows-1252 is mostly ASCII, and has little else that is UTF-8.
    """
    data, place = error.object, error.start
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    as_utf8 = data.decode(UTF8, "replace")
    broken = as_utf8.count("\ufffd")
    others = sum(character > "\x7f" for character in as_utf8) - broken
    if others >= broken or _TOO_MANY * sum(byte > 0x7F for byte in data) > len(data):
        return ""
    before = data[max(0, place - _SHOWN_WORD) : place].split()
    after = data[place : place + _SHOWN_WORD].split()
    joined = b"" if data[place - 1 : place].isspace() or not before else before[-1]
    return f"it may be Windows-1252 ({(joined + after[0]).decode('cp1252')!r}): "


def is_utf16(data: bytes) -> bool:
    """Return whether bytes begin with UTF-16's byte order mark, or look like Latin text in UTF-16."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    start = data[:512]
    return start.count(0) * 4 >= len(start) > 3 and _utf16_of(start) is not None


def refuse_kinds(
    name: str,
    start: bytes,
    kinds: tuple[tuple[bytes, str, str], ...] = _KINDS,
    remedy: str | None = None,
) -> None:
    """Raise DataError if a file begins, after blanks, like a file that is not text; ``remedy`` replaces the advice."""
    if start.startswith(_ZIP):
        kinds = tuple((_ZIP, what, do) for inside, what, do in _ZIPS if inside in start)
    pdf = _PDF_WITHIN.search(start, 0, _PDF_REACH)
    start = start[pdf.start() :] if pdf is not None else start.lstrip()
    for begin, what, do in kinds:
        if start.startswith(begin):
            do = do if remedy is None else remedy
            raise DataError(f"{name}: this is {what}, not text" + (f": {do}" if do else ""))


def _is_short(start: bytes) -> bool:
    """Return whether a file's start is too short to tell what it is; a line of text is long enough."""
    if start.startswith(_ZIP):
        return len(start) < _ZIP_START  # names inside tell what the zip is
    return len(start) < _START and b"\n" not in start


def _ends_lines_alike(encoding: str) -> bool:
    """Return whether a line feed is the byte that it is in ASCII."""
    return "\n".encode(encoding) == b"\n"


def _utf16_of(start: bytes) -> str | None:
    """Return the kind of UTF-16 that bytes with NULs look like: every other byte of Latin text is NUL."""
    first, second = start[:512:2].count(0), start[1:512:2].count(0)
    if max(first, second) * 8 < min(len(start), 512) or min(first, second) * 8 > max(first, second):
        return None
    return "utf-16-le" if second > first else "utf-16-be"


def _whole_lines(pieces: Iterator[AnyStr], newline: AnyStr, nul: AnyStr) -> Iterator[AnyStr]:
    """Yield the pieces, cut anew at the ends of lines, up to a NUL at most: a file of NULs may be as long as a disk."""
    unfinished: list[Any] = []
    for piece in pieces:
        whole, end, rest = piece.rpartition(newline)
        if end:
            yield newline[:0].join([*unfinished, whole, end])
            unfinished.clear()
        unfinished.append(rest)
        if nul in rest:
            break
    if last := newline[:0].join(unfinished):
        yield last


def _first_then(first: bytes, pieces: Iterator[bytes], last: bool = False) -> Iterator[bytes]:
    """Yield the first piece, the others and, where ``last`` is set, an empty one."""
    if first:
        yield first
    yield from pieces
    if last:
        yield b""


def _is_utf8(data: bytes) -> bool:
    """Return whether bytes that are not all ASCII are UTF-8: text in other encodings hardly ever is."""
    try:
        data.decode(UTF8)
    except UnicodeDecodeError:
        return False
    return True


def _shown(encoding: str) -> str:
    return "UTF-8" if encoding == UTF8 else encoding.upper() if encoding[:3] == "utf" else encoding
