"""Text from bytes: what is not text is refused with one sentence, and an encoding is what was named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from bnaparser.errors import DataError, SettingsError
from bnaparser.files.text_files import OPTION, LineReader, check_encoding, open_text, read_text

TEXT = "It rained.\nThe café isn\u2019t open.\n\nDogs bark."
LINES = ["It rained.\n", "The café isn\u2019t open.\n", "\n", "Dogs bark."]


class Pipe(io.BytesIO):
    """Bytes that come one by one, as a slow program writes them."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(1)


def zipped(*names: str, first: bytes = b"") -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        if first:
            file.writestr("mimetype", first)
        for name in names:
            file.writestr(name, "x")
    return data.getvalue()


def refused(
    data: bytes, source: type[io.BytesIO] = io.BytesIO, option: str = OPTION
) -> tuple[int, str]:
    """How many lines come before the error, and its message."""
    reader = LineReader(source(data), "a.txt", option=option)
    lines: list[str] = []
    with pytest.raises(DataError) as error:
        lines += reader
    assert "\n" not in str(error.value)
    return len(lines), str(error.value)


OFFICE = "application/vnd.oasis.opendocument.text"
NOT_TEXT = {
    "docx": (zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "a Word file"),
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel file"),
    "odt": (zipped("content.xml", first=OFFICE.encode()), "an OpenDocument file"),
    "zip": (zipped("a.txt"), "a zip archive, not text: extract its files first"),
    "gzip": (gzip.compress(b"It rained."), "gzip data.*name ends in .gz"),
    "xz": (lzma.compress(b"It rained."), "xz data"),
    "bzip2": (bz2.compress(b"It rained."), "bzip2 data"),
    "pdf": (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "a PDF file.*pdftotext"),
    "pdf after blank lines": (b"\n\n%PDF-1.7\nIt rained.\n", "a PDF file.*pdftotext"),
    "pdf after the head of a mail": (
        b"Content-Type: application/pdf\r\n\r\n%PDF-1.7\r%\xe2\xe3\xcf\xd3\r12 0 obj\r<<>>\r",
        "a PDF file.*pdftotext",
    ),
    "rtf after a blank": (rb" {\rtf1\ansi It rained.}", "an RTF file"),
    "png after a line": (b"\r\n\x89PNG\r\n\x1a\n\x00\x00", "a picture"),
    "rtf": (rb"{\rtf1\ansi It rained.}", "an RTF file"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a Word, Excel or PowerPoint file"),
    "elf": (b"\x7fELF\x02\x01\x01" + bytes(9), "a program"),
    "exe": (b"MZ\x90\x00\x03\x00\x00\x00", "a program"),
    "mach-o": (b"\xcf\xfa\xed\xfe\x07\x00\x00\x01", "a program"),
    "png": (b"\x89PNG\r\n\x1a\n\x00\x00", "a picture"),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "a picture"),
    "parquet": (b"PAR1\x15\x04\x15\x00", "a Parquet file"),
    "tar": (b"a.txt" + bytes(95) + b"0000644\x00", "a NUL character"),
    "weights": (b"\xb0\x02\x00\x00\x00{}\xff\n", "the file has NUL characters"),
}


@pytest.mark.parametrize("kind", NOT_TEXT)
@pytest.mark.parametrize("encoding", [None, "cp1252"])
def test_a_file_that_is_not_text_is_refused_whatever_its_name(
    kind: str, encoding: str | None
) -> None:
    data, said = NOT_TEXT[kind]
    with pytest.raises(DataError, match=f"^a.txt.*{'' if kind == 'weights' else said}") as error:
        list(LineReader(io.BytesIO(data), "a.txt", encoding))
    assert "not text" in str(error.value)


def test_a_slow_pipe_and_a_line_feed_in_the_start_hide_nothing() -> None:
    data = NOT_TEXT["docx"][0].replace(b"\x14", b"\n", 1)
    for source in (io.BytesIO, Pipe):
        assert refused(data, source)[1].startswith("a.txt: this is a Word file, not text")


@pytest.mark.parametrize(
    "text",
    [
        "MZ is a format.\n",
        "BM, GIF89a and PAR1.\n",
        "%PDF is one.\n",
        "A file begins with %PDF-1.7 or 1 0 obj.\n",
    ],
)
def test_a_text_may_begin_as_some_of_them_do(text: str) -> None:
    assert list(LineReader(io.BytesIO(text.encode()))) == [text]


@pytest.mark.parametrize("source", [io.BytesIO, Pipe])
def test_a_nul_inside_a_word_has_its_line_and_the_lines_before_are_given(
    source: type[io.BytesIO],
) -> None:
    found = refused(b"It rained.\nDogs b\0ark.\n", source)
    assert found == (
        1,
        "a.txt, line 2: a NUL character: this is not text",
    )


@pytest.mark.parametrize(("kind", "said"), [("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be")])
def test_utf_16_without_a_mark_is_refused_and_named(kind: str, said: str) -> None:
    _, message = refused(TEXT.encode(kind))
    assert message == (
        "a.txt: this looks like UTF-16 without a byte order mark: give --encoding " + said
    )
    assert list(LineReader(io.BytesIO(TEXT.encode(kind)), encoding=said)) == LINES


@pytest.mark.parametrize("source", [io.BytesIO, Pipe])
def test_windows_1252_is_suggested_where_it_fits(source: type[io.BytesIO]) -> None:
    assert refused(TEXT.encode("cp1252"), source) == (
        1,
        "a.txt, line 2: byte 8 (0xe9) is not UTF-8: it may be Windows-1252 ('café'):"
        + " give --encoding cp1252",
    )
    _, message = refused(TEXT.encode("cp1252"), source, option="")
    assert message.endswith("write it in UTF-8, for example by iconv -f cp1252 -t utf-8")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (
            b"caf\x8e",
            "'caf\u017d'",
        ),  # as an old Mac writes it: a reader sees that it is not Windows-1252
        (b"\x93Yes\x94, he said.", "'\u201cYes\u201d,'"),
        (b"He said \x93Yes\x94.", "'\u201cYes\u201d.'"),
        (b"a\x1b[2Jb\xe9", r"'a\x1b[2Jb\xe9'".replace(r"\xe9", "\xe9")),
        (b"o" * 99 + b"\xe9" + b"o" * 99, repr("o" * 20 + "\xe9" + "o" * 19)),
    ],
)
def test_the_word_is_shown_as_windows_1252_reads_it(data: bytes, shown: str) -> None:
    _, message = refused(data)
    assert f"it may be Windows-1252 ({shown}): give --encoding cp1252" in message


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac_roman", "shift_jis", "gb18030"])
def test_utf_8_that_is_read_in_another_encoding_is_noted_once(
    encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    """`café` became `cafÃ©`, without a word."""
    data = "It rained.\nThe caf\u00e9s.\nA caf\u00e9 is.\n".encode()
    with suppress(DataError):
        list(LineReader(io.BytesIO(data), "a.txt", encoding))
    (record,) = caplog.records
    assert "a.txt, line 2: this is UTF-8, not " in record.getMessage()
    caplog.clear()
    list(LineReader(io.BytesIO(b"\xef\xbb\xbf" + data), "a.txt", encoding))
    list(LineReader(io.BytesIO(data), "a.txt", "utf-8"))
    list(LineReader(io.BytesIO("Wetter: gr\u00fc\u00dfe\n".encode("cp1252")), "a.txt", "cp1252"))
    assert not caplog.records


def test_bytes_of_utf_8_that_another_encoding_lacks() -> None:
    reader = LineReader(io.BytesIO("He said \u201cno\u201d.\n".encode()), "a.txt", "cp1252", OPTION)
    with pytest.raises(
        DataError, match=r"line 1: byte 16 \(0x9d\) is not cp1252: the line is UTF-8: give no"
    ):
        list(reader)


@pytest.mark.parametrize("source", [io.BytesIO, Pipe])
def test_windows_1252_that_is_read_as_latin_1_is_noted_once(
    source: type[io.BytesIO], caplog: pytest.LogCaptureFixture
) -> None:
    """Quotation marks became control characters inside words, without a note."""
    data = "It rained.\nIt isn\u2019t open.\nIt isn\u2019t.\n".encode("cp1252")
    for encoding in ("latin-1", "iso-8859-15"):
        caplog.clear()
        assert len(list(LineReader(source(data), "a.txt", encoding))) == 3
        (record,) = caplog.records
        assert "a.txt, line 2: byte 0x92 is a control character" in record.getMessage()
        assert "give the encoding cp1252" in record.getMessage()
    caplog.clear()
    list(LineReader(source("café\n".encode("latin-1") + data), "a.txt", "latin-1"))
    assert "a.txt, line 3: byte 0x92" in caplog.text
    caplog.clear()
    for encoding in ("cp1252", "mac_roman"):
        list(LineReader(source(data), "a.txt", encoding))
    list(LineReader(source("caf\u00e9 \u0081\n".encode("latin-1")), "a.txt", "latin-1"))
    assert not caplog.records


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("日本語を読む。\n", "shift_jis"), ("Он читает.\n", "cp1251"), ("他读书。\n", "gb18030")],
)
def test_windows_1252_is_not_suggested_where_it_does_not_fit(text: str, encoding: str) -> None:
    count, message = refused(text.encode(encoding))
    assert count == 0 and "1252" not in message and "--encoding NAME" in message
    assert list(LineReader(io.BytesIO(text.encode(encoding)), encoding=encoding)) == [text]


def test_a_damaged_byte_in_utf_8_is_not_taken_for_another_encoding() -> None:
    count, message = refused("Ça va.\nThe café closed, ".encode() + b"\xc3")
    assert (count, message) == (
        1,
        "a.txt, line 2: byte 19 (0xc3) is not UTF-8: this byte is damaged: correct it",
    )
    assert refused("It rained.\nDogs.".encode("utf-16")[:-1])[0] == 1


@pytest.mark.parametrize("source", [io.BytesIO, Pipe])
@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-32", "utf-16-be", "utf-8-sig", "cp037", "iso2022_jp", "Latin1"]
)
def test_an_encoding_that_is_named(source: type[io.BytesIO], encoding: str) -> None:
    text = TEXT.replace("\u2019", "'").replace("é", "e")
    found = list(LineReader(source(text.encode(encoding)), encoding=encoding))
    assert "".join(found) == text and len(found) == 4


def test_a_byte_order_mark_wins_over_the_encoding_that_is_named() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert list(LineReader(io.BytesIO(TEXT.encode(encoding)), encoding="cp1252")) == LINES


@pytest.mark.parametrize("name", ["utf-9", "", "hex", "rot13", "idna", "unicode_escape", "a\0b"])
def test_an_encoding_that_there_is_not(name: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown encoding .*: give an encoding such as utf-8"):
        check_encoding(name)


def test_compressed_files_are_read_where_their_names_say_so(tmp_path: Path) -> None:
    for name, pack in {"a.txt.gz": gzip, "a.txt.xz": lzma, "a.txt.bz2": bz2}.items():
        path = tmp_path / name
        path.write_bytes(pack.compress(TEXT.encode()))
        with open_text(path) as lines:
            assert list(lines) == LINES
        path.write_bytes(pack.compress(TEXT.encode())[:-10])
        with pytest.raises(DataError, match=f"{name}: not a whole"):
            read_text(path)
        path.write_bytes(pack.compress(gzip.compress(b"It rained.")))
        with pytest.raises(DataError, match=f"{name}: this is gzip data, not text"):
            read_text(path)


def test_the_place_is_that_of_the_lines_given_out() -> None:
    data = b"It rained.\n" * 20
    reader = LineReader(io.BytesIO(data))
    assert reader.place == 0
    for number, _ in enumerate(reader, 1):
        assert reader.place == 11 * number


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_an_encoding_that_wants_a_mark_says_which_does_not(encoding: str) -> None:
    data = TEXT.encode(f"{encoding}-le")
    with pytest.raises(DataError, match=f"no byte order mark: give --encoding {encoding}-le"):
        list(LineReader(io.BytesIO(data), "a.txt", encoding=encoding))
