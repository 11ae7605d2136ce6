"""The formats of ``bnaparse``: one table, with what each writes for a parse, and around all of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TextIO

from bnaparser.cli.console import say
from bnaparser.cli.streams import drop_if_empty, empty
from bnaparser.errors import SettingsError

if TYPE_CHECKING:
    from bnaparser.parsing.result import Parse

Write = Callable[["Parse | None"], None]


class TextFormat(NamedTuple):
    """A format of text: what it says of itself, and what is written.

    ``each`` gets a parse that may have failed, and its number from 1. ``blank`` is for an empty line of
    the input that is to stay one. ``document`` has what stands before all and after all. ``all_trees``:
    it writes all trees of a sentence; else each of them is written as if it were a sentence's only one,
    and ``between`` stands after the last, where several are asked for.
    """

    about: str
    each: Callable[[Parse, int], str]
    blank: str = "\n"
    document: Callable[[], tuple[str, str]] = lambda: ("", "")
    all_trees: bool = False
    between: str = ""


class BinaryFormat(NamedTuple):
    """A format that is written whole at the end, as bytes: what it says of itself, and what opens it.

    ``open`` makes of a file a function to write. ``all_trees`` as of a text. ``for_terminals``: it is text.
    """

    about: str
    open: Callable[[BinaryIO], AbstractContextManager[Write]]
    all_trees: bool = False
    for_terminals: bool = False


def _bracket(parse: Parse, number: int) -> str:
    return f"{parse.tree or ''}\n"


def _pretty(parse: Parse, number: int) -> str:
    return "\n" if parse.tree is None else f"{parse.tree.pretty()}\n\n"


def _draw(parse: Parse, number: int) -> str:
    from bnaparser.render import draw_text

    if parse.tree is None:
        return "\n"
    return f"{draw_text(parse.tree, shutil.get_terminal_size().columns, parse.words)}\n\n"


def _json(parse: Parse, number: int) -> str:
    return parse.to_json() + "\n"


_COLUMNS = ("sentence", "tree", "start", "end", "label", "score", "probability", "text")


def _columns(parse: Parse, number: int) -> str:
    lines = []
    for rank, one in enumerate((parse, *parse.alternatives), 1):
        for part in one.to_dict()["constituents"]:
            words = " ".join(one.words[part["start"] : part["end"]])
            chance = part.get("probability")
            shown = (
                *(str(value) for value in (number, rank, part["start"], part["end"])),
                part["label"],
                f"{part['score']:.3f}",
                "" if chance is None else f"{chance:.4f}",
                words,
            )
            lines.append("\t".join(shown) + "\n")
    return "".join(lines)


def _columns_document() -> tuple[str, str]:
    return "\t".join(_COLUMNS) + "\n", ""


def _html(parse: Parse, number: int) -> str:
    return parse.to_html_section()


def _html_page() -> tuple[str, str]:
    from bnaparser.render import HTML_END, HTML_START

    return HTML_START, HTML_END


def _latex(parse: Parse, number: int) -> str:
    reason = f"% no tree: {' '.join(str(parse.error).split())}\n"
    return f"\n{parse.to_latex() or reason}"


def _mrg(parse: Parse, number: int) -> str:
    return parse.to_mrg() or ""


def _conllu(parse: Parse, number: int) -> str:
    return parse.to_conllu(number) or ""


def _export(parse: Parse, number: int) -> str:
    from bnaparser.render import export

    return "" if parse.tree is None else export(parse.tree, number, parse.words)


def _export_document() -> tuple[str, str]:
    from bnaparser.render import EXPORT_START

    return EXPORT_START, ""


def _tiger(parse: Parse, number: int) -> str:
    from bnaparser.render import tiger

    return "" if parse.tree is None else tiger(parse.tree, number, parse.words)


def _tiger_document() -> tuple[str, str]:
    from bnaparser.render import TIGER_END, TIGER_START

    return TIGER_START, TIGER_END


@contextmanager
def _parquet(target: BinaryIO) -> Iterator[Write]:
    from bnaparser.parsing.parquet_rows import parquet_writer
    from bnaparser.parsing.result import Parse
    from bnaparser.parsing.validation import NO_WORDS

    empty_line = Parse("", error=NO_WORDS)

    with parquet_writer(target) as write:
        yield lambda parse: write((empty_line if parse is None else parse).to_dict())


@contextmanager
def _pdf(target: BinaryIO) -> Iterator[Write]:
    from bnaparser.render import pdf_pages

    with pdf_pages(target) as page:

        def write(parse: Parse | None) -> None:
            if parse is not None and parse.tree is not None:
                page(parse.tree, parse.words)

        yield write


@contextmanager
def _picture(
    target: BinaryIO, kind: str, instead: str, draw: Callable[[Parse], bytes | None]
) -> Iterator[Write]:
    """Write one drawing. Raises SettingsError at a second tree, which ``kind`` of file cannot hold."""
    done = False

    def write(parse: Parse | None) -> None:
        nonlocal done
        picture = None if parse is None else draw(parse)
        if picture is None:
            return
        if done:
            raise SettingsError(f"{kind} holds one tree, here is a second one: give {instead}")
        target.write(picture)
        done = True

    yield write


def _png(target: BinaryIO) -> AbstractContextManager[Write]:
    return _picture(target, "a PNG", "--format pdf, a page for each", lambda parse: parse.to_png())


def _svg(target: BinaryIO) -> AbstractContextManager[Write]:
    def draw(parse: Parse) -> bytes | None:
        drawn = parse.to_svg()
        return None if drawn is None else f"{drawn}\n".encode()

    return _picture(
        target, "an SVG", "--format html, a page with all, or pdf, a page for each", draw
    )


_LATEX_START = "% The document's preamble needs \\usepackage{forest}\n"

FORMATS: dict[str, TextFormat | BinaryFormat] = {
    "bracket": TextFormat("one tree a line", _bracket, between="\n"),
    "pretty": TextFormat("brackets, indented", _pretty),
    "draw": TextFormat("drawn with lines", _draw),
    "json": TextFormat("one object a line", _json, all_trees=True),
    "columns": TextFormat(
        "one constituent a line: place, label, score, probability",
        _columns,
        "",
        _columns_document,
        True,
    ),
    "mrg": TextFormat("as the Penn Treebank's files", _mrg, ""),
    "conllu": TextFormat("CoNLL-U, dependencies by head rules", _conllu, ""),
    "export": TextFormat("NEGRA's export format", _export, "", _export_document),
    "tiger": TextFormat("TIGER-XML", _tiger, "", _tiger_document),
    "parquet": BinaryFormat("a table with the fields of json (extra parquet)", _parquet, True),
    "svg": BinaryFormat("a drawing of one tree", _svg, for_terminals=True),
    "html": TextFormat("one page with all trees", _html, "", _html_page),
    "latex": TextFormat("for the forest package", _latex, "", lambda: (_LATEX_START, "")),
    "png": BinaryFormat("a picture of one tree (extra pictures)", _png),
    "pdf": BinaryFormat("a page for each tree (extra pictures)", _pdf),
}
"""All formats by their names."""


def described() -> str:
    """Return what ``--help`` says of the formats."""
    return "; ".join(f"{name}: {form.about}" for name, form in FORMATS.items())


def _write_all(write: Write, parse: Parse | None) -> None:
    write(parse)
    for one in () if parse is None else parse.alternatives:
        write(one)


@contextmanager
def writer(name: str, output: TextIO, trees: int = 1) -> Iterator[Write]:
    """Give a function that writes a parse in the format of that name, or None for an empty line.

    ``trees``: so many are asked for of each sentence. Each has a number of its own, where the
    format has numbers, and a sentence with fewer leaves some out. What a file held before is dropped
    first; where the format is no text, at the end: a part of such a file is none, and a picture of no
    tree is not written.
    Raises SettingsError where what is no text would go to a terminal.
    """
    form = FORMATS[name]
    if isinstance(form, BinaryFormat):
        if output.isatty() and not form.for_terminals:
            raise SettingsError(f"{name} is no text for a terminal: give --output FILE")
        with tempfile.TemporaryFile() as whole:
            with form.open(whole) as write:
                yield write if form.all_trees else lambda parse: _write_all(write, parse)
            if not whole.tell():
                say(f"there is no tree to write: {name} of none is no file, and none is written")
                drop_if_empty(output)
                return
            whole.seek(0)
            empty(output)
            shutil.copyfileobj(whole, output.buffer)
        output.buffer.flush()
        return
    empty(output)
    start, end = form.document()
    output.write(start)
    number = 0

    def write_text(parse: Parse | None) -> None:
        nonlocal number
        number += 1 if form.all_trees else trees
        if parse is None:
            output.write(form.blank)
            return
        first = number if form.all_trees else number - trees + 1
        output.write(form.each(parse, first))
        if form.all_trees or trees == 1:
            return
        output.writelines(
            form.each(one, place) for place, one in enumerate(parse.alternatives, first + 1)
        )
        output.write(form.between)

    yield write_text
    output.write(end)
