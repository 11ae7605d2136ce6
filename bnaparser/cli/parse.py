"""``bnaparse``: text in, trees out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bnaparser.cli.exits import SOME_FAILED, SUCCESS, guarded
from bnaparser.cli.streams import (
    LineReader,
    answer_lines,
    empty,
    in_chunks,
    open_input,
    open_output,
)
from bnaparser.errors import SettingsError
from bnaparser.parsing.startup import loading

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parse, Parser

FORMATS = ("bracket", "pretty", "json", "svg", "html", "latex")
LATEX_START = "% The document's preamble needs \\usepackage{forest}\n"
SPLITS = ("line", "sentence", "token")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``bnaparse``."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="running text; none: read input")
    parser.add_argument("--input", type=Path, metavar="FILE", help="read this file (UTF-8)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write here")
    parser.add_argument(
        "--split",
        choices=SPLITS,
        help="of a file or standard input: a line is a sentence (default), running text, "
        "or a line is a sentence whose words are separated by blanks",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="bracket",
        help="default: bracket. bracket, json, svg: one a line (a viewer opens an SVG file that "
        "holds one tree); html: one page with all trees; latex: for the forest package",
    )
    parser.add_argument("--model", default="en", metavar="NAME|DIR", help="default: en")
    parser.add_argument("--device", help="a torch device, such as cpu or cuda:0")
    parser.add_argument(
        "--batch-tokens",
        type=int,
        metavar="N",
        help="word pieces a batch at most (default: 1000, on a GPU 16384)",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``bnaparse`` and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="bnaparse",
        description="Parse text into constituency trees.",
        allow_abbrev=False,
    )
    add_arguments(parser)
    return guarded(run, parser.parse_args(arguments))


def run(options: argparse.Namespace) -> int:
    """Parse what the options say; 0 when every sentence has its tree, 1 when some have none."""
    if options.text and (options.input or options.split):
        raise SettingsError("give either text or --input and --split, not both")
    if options.batch_tokens is not None and options.batch_tokens < 1:
        raise SettingsError(f"--batch-tokens {options.batch_tokens}: it must be at least 1")
    with ExitStack() as stack:
        # Files are opened before the model is loaded: a wrong name is known at once.
        source = None if options.text else stack.enter_context(open_input(options.input))
        output = stack.enter_context(open_output(options.output, source))
        parser = _load(options)
        empty(output)
        from bnaparser.text.sentence import from_spaced_words
        from bnaparser.text.splitting import split_stream, tokenize

        if source is None:
            parses: Iterable[tuple[int, Parse | None]] = enumerate(
                parser(" ".join(options.text)), 1
            )
            unit = "sentence"
        elif options.split == "sentence":
            reader = LineReader(source)
            chunks = in_chunks(split_stream(text for _, text in reader), reader.waits)
            found = (parse for chunk in chunks for parse in parser.parse_sentences(chunk))
            parses, unit = enumerate(found, 1), "sentence"
        else:
            sentence = from_spaced_words if options.split == "token" else tokenize
            parses = answer_lines(
                source, lambda lines: parser.parse_sentences([sentence(line) for line in lines])
            )
            unit = "line"
        return _write(parses, output, options.format, unit)


def _write(parses: Iterable[tuple[int, Parse | None]], output: TextIO, form: str, unit: str) -> int:
    """Write one answer for each parse, an empty line for None; report the failed ones."""
    from bnaparser.render import HTML_END, HTML_START

    code = SUCCESS
    output.write({"html": HTML_START, "latex": LATEX_START}.get(form, ""))
    for number, parse in parses:
        if parse is not None and parse.error is not None:
            print(f"bnaparser: {unit} {number}: {parse.error}", file=sys.stderr)
            code = SOME_FAILED
        output.write(_formatted(parse, form))
    output.write(HTML_END if form == "html" else "")
    return code


def _formatted(parse: Parse | None, form: str) -> str:
    """One parse as the format has it; None, which a blank line gives, is no part of a document."""
    if parse is None:
        return "" if form in ("html", "latex") else "\n"
    if form == "json":
        return parse.to_json() + "\n"
    if form == "html":
        return parse.to_html_section()
    if form == "latex":
        return f"\n{parse.to_latex() or _comment(parse)}"
    if form == "svg":
        return f"{parse.to_svg() or ''}\n"
    if parse.tree is None:
        return "\n"
    return f"{parse.tree.pretty()}\n\n" if form == "pretty" else f"{parse.tree}\n"


def _comment(parse: Parse) -> str:
    return f"% no tree: {' '.join(str(parse.error).split())}\n"


def _load(options: argparse.Namespace) -> Parser:
    from bnaparser.cli.quiet import quiet_libraries

    quiet_libraries()
    with loading():
        from bnaparser.parsing.parser import Parser

        return Parser.load(options.model, options.device, options.batch_tokens)
