"""The output formats of all commands that write trees: how each writes a tree, and the start and end of its file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol, TextIO, TypeAlias

from bnaparser.cli.console import finishing, say, uninterrupted
from bnaparser.cli.streams import drop_if_empty, empty, is_file
from bnaparser.errors import SettingsError
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.result import Parse


class OfFile:
    """A tree that was read from a file, as a sentence to write: what is not here is the tree's own."""

    error: str | None = None
    alternatives: Sequence[Parsed] = ()

    def __init__(self, tree: Tree):
        self.tree = tree
        self.words = [unescape(word) for word in tree.words]
        self.text = " ".join(self.words)

    @property
    def stored_words(self) -> list[str]:
        """The words as the tree has them, but ``(`` and ``)``, which readers of trees escape again."""
        return [word.replace("-LRB-", "(").replace("-RRB-", ")") for word in self.tree.words]

    def __getattr__(self, name: str) -> Any:
        """Return the tree's own way to write itself."""
        return getattr(self.tree, name)


Parsed: TypeAlias = "Parse | OfFile"


class Write(Protocol):
    """Writes a sentence, or None for an empty line; ``number`` is the sentence's, by default the next."""

    def __call__(self, parse: Parsed | None, number: int | None = None) -> None:
        """Write it."""


class TextFormat(NamedTuple):
    """A text format: its description, and the functions that write it.

    ``each`` gets a parse that may have failed, and its number from 1. ``blank`` is for an empty line of
    the input that is to stay one. ``document`` has what stands before all and after all. ``all_trees``:
    it writes all trees of a sentence; else each of them is written as if it were a sentence's only one,
    and ``between`` stands after the last, where several are requested.
    """

    about: str
    each: Callable[[Parsed, int], str]
    blank: str = "\n"
    document: Callable[[], tuple[str, str]] = lambda: ("", "")
    all_trees: bool = False
    between: str = ""


class BinaryFormat(NamedTuple):
    """A binary format, whose file is written as a whole at the end.

    ``open`` makes of a file a function to write. ``all_trees`` as of a text.
    """

    about: str
    open: Callable[[BinaryIO], AbstractContextManager[Callable[[Parsed | None], None]]]
    all_trees: bool = False


class PictureFormat(NamedTuple):
    """A picture format, whose file holds one tree: several trees become several files.

    ``instead`` names the formats that hold several trees. ``is_text``: a terminal can show the format.
    """

    about: str
    name: str
    draw: Callable[[Parsed], bytes | None]
    instead: str
    is_text: bool = False


def _pretty(parse: Parsed, number: int) -> str:
    return "\n" if parse.tree is None else f"{parse.tree.pretty()}\n\n"


def _draw(parse: Parsed, number: int) -> str:
    from bnaparser.trees.render import draw_text

    if parse.tree is None:
        return "\n"
    return f"{draw_text(parse.tree, shutil.get_terminal_size().columns, parse.words)}\n\n"


def _clauses(parse: Parsed, number: int) -> str:
    from bnaparser.files.tables import json_line

    return json_line(parse.clauses_to_dict()) + "\n"


_COLUMNS = ("sentence", "tree", "start", "end", "label", "score", "probability", "text")


def _columns(parse: Parsed, number: int) -> str:
    lines = []
    for rank, one in enumerate((parse, *parse.alternatives), 1):
        for part in one.to_dict()["constituents"]:
            words = " ".join(one.words[part["start"] : part["end"]])
            chance = part.get("probability")
            shown = (
                *(str(value) for value in (number, rank, part["start"], part["end"])),
                part["label"],
                "" if part["score"] is None else f"{part['score']:.3f}",
                "" if chance is None else f"{chance:.4f}",
                words,
            )
            lines.append("\t".join(shown) + "\n")
    return "".join(lines)


def _html_page() -> tuple[str, str]:
    from bnaparser.trees.render import HTML_END, HTML_START

    return HTML_START, HTML_END


def _latex(parse: Parsed, number: int) -> str:
    reason = f"% no tree: {' '.join(str(parse.error).split())}\n"
    return f"\n{parse.to_latex() or reason}"


def _stored_words(parse: Parsed) -> Sequence[str]:
    """Return the words that a treebank format stores: those of the text, or those of the tree that was read."""
    return parse.stored_words if isinstance(parse, OfFile) else parse.words


def _export(parse: Parsed, number: int) -> str:
    from bnaparser.trees.render import export

    return "" if parse.tree is None else export(parse.tree, number, _stored_words(parse))


def _export_document() -> tuple[str, str]:
    from bnaparser.trees.render import EXPORT_START

    return EXPORT_START, ""


def _tiger(parse: Parsed, number: int) -> str:
    from bnaparser.trees.render import tiger

    return "" if parse.tree is None else tiger(parse.tree, number, _stored_words(parse))


def _tiger_document() -> tuple[str, str]:
    from bnaparser.trees.render import TIGER_END, TIGER_START

    return TIGER_START, TIGER_END


@contextmanager
def _parquet(target: BinaryIO) -> Iterator[Callable[[Parsed | None], None]]:
    from bnaparser.parsing.parquet_rows import parquet_writer
    from bnaparser.parsing.result import Parse
    from bnaparser.parsing.validation import NO_WORDS

    empty_line = Parse("", error=NO_WORDS)

    with parquet_writer(target) as write:
        yield lambda parse: write((empty_line if parse is None else parse).to_dict())


@contextmanager
def _pdf(target: BinaryIO) -> Iterator[Callable[[Parsed | None], None]]:
    from bnaparser.trees.render import pdf_pages

    with pdf_pages(target) as page:

        def write(parse: Parsed | None) -> None:
            if parse is not None and parse.tree is not None:
                page(parse.tree, parse.words)

        yield write


def _svg(parse: Parsed) -> bytes | None:
    drawn = parse.to_svg()
    return None if drawn is None else f"{drawn}\n".encode()


_LATEX_START = (
    "% The document's preamble needs \\usepackage{forest} and, for triangles,"
    " \\useforestlibrary{linguistics}\n"
)

FORMATS: dict[str, TextFormat | BinaryFormat | PictureFormat] = {
    "bracket": TextFormat(
        "one tree per line, in brackets",
        lambda parse, number: f"{parse.tree or ''}\n",
        between="\n",
    ),
    "pretty": TextFormat("indented brackets", _pretty),
    "draw": TextFormat("text drawing", _draw),
    "json": TextFormat(
        "one JSON object per line", lambda parse, number: f"{parse.to_json()}\n", all_trees=True
    ),
    "clauses": TextFormat("clauses of a sentence, one JSON object per line", _clauses),
    "columns": TextFormat(
        "tab-separated, one constituent per line",
        _columns,
        "",
        lambda: ("\t".join(_COLUMNS) + "\n", ""),
        True,
    ),
    "mrg": TextFormat(
        "layout of the Penn Treebank's files", lambda parse, number: parse.to_mrg() or "", ""
    ),
    "conllu": TextFormat(
        "CoNLL-U with dependencies derived by head rules",
        lambda parse, number: parse.to_conllu(number) or "",
        "",
    ),
    "export": TextFormat("NEGRA's export format", _export, "", _export_document),
    "tiger": TextFormat("TIGER-XML", _tiger, "", _tiger_document),
    "parquet": BinaryFormat(
        "Parquet table with the fields of json (extra parquet)", _parquet, True
    ),
    "svg": PictureFormat(
        "drawing, one file per tree",
        "an SVG",
        _svg,
        "html, one page with all trees, or pdf, one page per tree",
        is_text=True,
    ),
    "html": TextFormat(
        "page with all trees", lambda parse, number: parse.to_html_section(), "", _html_page
    ),
    "latex": TextFormat("LaTeX, for the package forest", _latex, "", lambda: (_LATEX_START, "")),
    "png": PictureFormat(
        "picture, one file per tree (extra pictures)",
        "a PNG",
        lambda parse: parse.to_png(),
        "pdf, with one page per tree",
    ),
    "pdf": BinaryFormat("one page per tree (extra pictures)", _pdf),
}
"""All formats by their names."""

PICTURES = ("draw", "svg", "png", "pdf", "latex", "html")
"""The formats that people look at."""

SHOW_PROBABILITIES = ("json", "columns", "parquet", "svg", "html")
"""The formats that show probabilities."""

SUFFIXES = {
    ".svg": "svg", ".png": "png", ".pdf": "pdf", ".tex": "latex", ".html": "html", ".txt": "draw",
    ".mrg": "mrg", ".conllu": "conllu", ".export": "export", ".xml": "tiger", ".jsonl": "json",
    ".json": "json", ".tsv": "columns", ".parquet": "parquet",
}  # fmt: skip
"""The format that a file's name tells."""


def format_by_name(output: Path | None) -> str | None:
    """Return the format that the name of the output tells, None if it tells none."""
    return None if output is None else SUFFIXES.get(output.suffix.lower())


def described(names: Sequence[str] = tuple(FORMATS)) -> str:
    """Return the list of formats for ``--help``."""
    return "; ".join(f"{name}: {FORMATS[name].about}" for name in names)


def _write_all(write: Callable[[Parsed | None], None], parse: Parsed | None) -> None:
    write(parse)
    for one in () if parse is None else parse.alternatives:
        write(one)


@contextmanager
def writer(name: str, output: TextIO, trees: int = 1) -> Iterator[Write]:
    """Give a function that writes a parse in the format of that name, or None for an empty line.

    ``trees``: the number of trees of each sentence. Each has a number of its own, where the
    format has numbers, and a sentence with fewer leaves some out. What a file held before is dropped
    with the first sentence; where the format is no text, at the end: a part of such a file is none, and a
    picture of no tree is not written. Of several pictures each gets a file with its number in its name.
    After an error, and before a signal ends the command, what was written gets its end, too; a file whose
    first sentence was not reached stays as it was.
    Raises SettingsError if what is no text would go to a terminal, or several pictures to standard output.
    """
    form = FORMATS[name]
    if output.isatty() and not (isinstance(form, TextFormat) or getattr(form, "is_text", False)):
        raise SettingsError(
            f"{name} is a binary format, which a terminal cannot show: give --output FILE"
        )
    if isinstance(form, TextFormat):
        yield from _text(form, output, trees)
    elif isinstance(form, PictureFormat):
        yield from _pictures(form, name, output, trees)
    else:
        yield from _binary(form, name, output)


def _text(form: TextFormat, output: TextIO, trees: int) -> Iterator[Write]:
    start, end = form.document()
    last = 0
    is_begun = False

    def begin() -> None:
        nonlocal is_begun
        if not is_begun:
            empty(output)
            output.write(start)
            is_begun = True

    def write(parse: Parsed | None, number: int | None = None) -> None:
        nonlocal last
        last = number or last + (1 if form.all_trees else trees)
        first = last if form.all_trees else last - trees + 1
        text = form.blank if parse is None else form.each(parse, first)
        begin()
        output.write(text)
        if parse is None or form.all_trees or trees == 1:
            return
        output.writelines(
            form.each(one, place) for place, one in enumerate(parse.alternatives, first + 1)
        )
        output.write(form.between)

    def finish(complete: bool) -> None:
        if complete:
            begin()
        if is_begun:
            output.write(end)
            output.flush()

    with finishing(finish):
        yield write


def _binary(form: BinaryFormat, name: str, output: TextIO) -> Iterator[Write]:
    is_begun = False
    with tempfile.TemporaryFile() as whole:
        opened = form.open(whole)
        write = opened.__enter__()

        def write_all(parse: Parsed | None, number: int | None = None) -> None:
            nonlocal is_begun
            with uninterrupted():
                is_begun = True
                if form.all_trees:
                    write(parse)
                else:
                    _write_all(write, parse)

        def finish(complete: bool) -> None:
            opened.__exit__(None, None, None)  # also after an error: a file without its end is none
            if whole.tell() and (complete or is_begun):
                whole.seek(0)
                empty(output)
                shutil.copyfileobj(whole, output.buffer)
                output.buffer.flush()
            elif complete:
                _note_missing(name, output)

        with finishing(finish):
            yield write_all


def _pictures(form: PictureFormat, name: str, output: TextIO, trees: int) -> Iterator[Write]:
    first: tuple[int, bytes] | None = None
    last = 0
    files: list[Path] = []

    def add(parse: Parsed, number: int) -> None:
        nonlocal first
        picture = form.draw(parse)
        if picture is None:
            return
        if first is None:
            first = number, picture
            return
        if not is_file(output):
            first = None  # is not written
            raise SettingsError(
                f"{form.name} file holds one tree, but the input has more: use the format {form.instead},"
                " or --output FILE for one file per tree"
            )
        for place, data in [(number, picture)] if files else [first, (number, picture)]:
            path = Path(output.name)
            files.append(path.with_name(f"{path.stem}-{place}{path.suffix}"))
            files[-1].write_bytes(data)

    def write(parse: Parsed | None, number: int | None = None) -> None:
        nonlocal last
        last = number or last + trees
        if parse is not None:
            with uninterrupted():
                for place, one in enumerate((parse, *parse.alternatives), last - trees + 1):
                    add(one, place)

    def finish(complete: bool) -> None:
        if files:
            drop_if_empty(output)
            shown = [str(file) for file in files]
            if len(shown) > 3:
                shown[2:-1] = ["..."]
            say(f"{len(files)} pictures: {', '.join(shown)}")
        elif first is not None:
            empty(output)
            output.buffer.write(first[1])
            output.buffer.flush()
        elif complete:
            _note_missing(name, output)

    with finishing(finish):
        yield write


def _note_missing(name: str, output: TextIO) -> None:
    say(f"no sentence has a tree: no {name} file is written")
    drop_if_empty(output)
