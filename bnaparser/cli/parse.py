"""``bnaparse``: parse text into constituency trees."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bnaparser import __version__
from bnaparser.cli.arguments import (
    BATCH_HELP,
    DEVICE_HELP,
    LANGUAGE_HELP,
    OUTPUT_HELP,
    QUIET_HELP,
    SPLIT_HELP,
    CommandParser,
    add_encoding,
    add_examples,
    add_precision,
    read_arguments,
)
from bnaparser.cli.console import SOME_FAILED, SUCCESS, guarded, leaving_on_signals, say
from bnaparser.cli.formats import FORMATS, SHOW_PROBABILITIES, described, format_by_name, writer
from bnaparser.cli.options import (
    DependencyFile,
    TagStream,
    add_parse_options,
    load_parser,
    missing_tags,
    parse_options_of,
    penalty_of,
)
from bnaparser.cli.streams import (
    answered,
    note_wrapped,
    numbered,
    open_input,
    open_output,
    open_words,
    place_name,
    read_input,
    refuse_file_names,
)
from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import SettingsError
from bnaparser.files.ahead import read_ahead
from bnaparser.files.text_files import LineReader
from bnaparser.text.sentence import SPLITS, Split

if TYPE_CHECKING:
    from bnaparser.parsing.options import ParseOptions
    from bnaparser.parsing.parser import Parse, Parser
    from bnaparser.text.sentence import Sentence

EXAMPLES = """\
  bnaparse "The cat sat on the mat."
  bnaparse --format draw "It rained."
  bnaparse -i book.txt -o book.mrg --split text
  echo "It rained." | bnaparse -f json
  bnaparse -i tokenized.txt --split token -o trees.mrg
  bnaparse --n-best 3 --probabilities -f columns "I saw the man with the telescope."
  bnaparse --markup "I saw [NP the man with the telescope]."
  bnaparse --dependencies heads.conllu
  bnaparse --model en,runs/es/model -i letters.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``bnaparse``."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="text to parse (default: read --input, or standard input)",
    )
    parser.add_argument(
        "-i",
        "--input",
        type=Path,
        metavar="FILE",
        help="input file (also .gz, .xz, .bz2, .zst); - is standard input",
    )
    add_encoding(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    parser.add_argument(
        "--split",
        choices=SPLITS,
        help=f"{SPLIT_HELP}; with line and token, an empty line gives an empty line",
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        metavar="NAME",
        help=f"output format. {described()} (default: by the ending of --output, else bracket)",
    )
    parser.add_argument(
        "--tags",
        type=Path,
        metavar="FILE",
        help="with --split token: file of part-of-speech tags, a line for each sentence, or of trees with"
        " tags",
    )
    _add_model(parser)
    add_parse_options(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help=QUIET_HELP)
    add_examples(parser, EXAMPLES)


def _add_model(parser: argparse.ArgumentParser) -> None:
    """Add the options of the model, and its limits."""
    parser.add_argument(
        "-m",
        "--model",
        metavar="NAME|DIR",
        help="name or folder of the parser, or several separated by commas, one for each language"
        " (default: en, or an installed model for --language)",
    )
    parser.add_argument(
        "--language",
        metavar="CODE",
        help=LANGUAGE_HELP,
    )
    parser.add_argument("--device", help=DEVICE_HELP)
    add_precision(parser)
    parser.add_argument(
        "--batch-tokens",
        type=int,
        metavar="N",
        help=BATCH_HELP,
    )
    parser.add_argument(
        "--max-words",
        type=int,
        default=2000,
        metavar="N",
        help="maximum number of words in a sentence; a longer sentence gets an error, not a tree (default:"
        " 2000)",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``bnaparse`` and return its exit code."""
    with leaving_on_signals():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    parser = CommandParser(
        prog="bnaparse",
        description="Parse text into constituency trees.",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"bnaparser {__version__}")
    add_arguments(parser)
    typed = sys.argv[1:] if arguments is None else arguments
    return guarded(run, read_arguments(parser, typed, parser))


def run(options: argparse.Namespace) -> int:
    """Parse what the options say; 0 when every sentence has its tree, 1 when some have none."""
    options.format = _format(options)
    if options.text and options.input:
        raise SettingsError("give either text or --input, not both")
    if options.text and options.encoding:
        raise SettingsError(
            "--encoding is for files and standard input: leave it out if you give TEXT"
        )
    if options.batch_tokens is not None and options.batch_tokens < 1:
        raise SettingsError(f"--batch-tokens {options.batch_tokens}: it must be at least 1")
    if options.max_words < 1:
        raise SettingsError(f"--max-words {options.max_words}: it must be at least 1")
    if options.dependencies is not None:
        return _run_dependencies(options)
    if options.penalty is not None:
        raise SettingsError("--penalty needs --dependencies FILE")
    if options.tags is not None and options.split != "token":
        raise SettingsError(
            "--tags needs --split token: tags are for sentences whose words are separated by blanks"
        )
    refuse_file_names(options.text, options.command, "parse")
    if options.probabilities and options.format not in SHOW_PROBABILITIES and not options.quiet:
        say(
            f"--probabilities has no effect in the format {options.format}, which does not show probabilities: use"
            f" --format {', '.join(SHOW_PROBABILITIES[:-1])} or {SHOW_PROBABILITIES[-1]}"
        )
    parse_options = parse_options_of(options)
    with ExitStack() as stack:
        # Files are opened before the model is loaded: a wrong name is known at once.
        words = open_words(options.text) if options.text else open_input(options.input)
        source = stack.enter_context(words)
        reader = read_input(source, options.input, options.encoding)
        tags = None if options.tags is None else TagStream(options.tags)
        output = stack.enter_context(
            open_output(options.output, options.input, source, options.tags)
        )
        parser = _load(options)
        if parser.reads_tags and tags is None:
            raise missing_tags(options.model, "--split token --tags FILE")
        progress = not (options.quiet or output.isatty())
        parses = _parses(parser, reader, tags, options, parse_options, progress)
        code = _write(parses, output, options)
        if tags is not None:
            tags.check_end()
        return code


def _parses(
    parser: Parser,
    reader: LineReader,
    tags: TagStream | None,
    options: argparse.Namespace,
    parse_options: ParseOptions,
    progress: bool,
) -> Iterator[tuple[str, Parse | None]]:
    """Yield each sentence's place and parse; None for an empty line, which is written as one."""
    from bnaparser.parsing.markup import MarkedLines
    from bnaparser.text.splitting import split_lines

    split: Split = options.split or "paragraph"
    lines = reader if options.split or options.quiet else note_wrapped(reader)
    marked = MarkedLines(lines, split) if options.markup else None
    sentences = split_lines(marked or lines, split, parser.text)

    def answer(chunk: list[tuple[Sentence, int]]) -> Iterator[tuple[str, Parse | None]]:
        good = [one for one in chunk if one[0].words]
        rows = None if tags is None else tags.take(len(good))
        options = [
            parse_options if marked is None else parse_options.with_constraints(marked.of(*one))
            for one in good
        ]
        found = iter(parser.parse_sentences([one for one, _ in good], rows, options=options))
        for one, number in chunk:
            yield place_name(number, split), next(found) if one.words else None

    return answered(numbered(sentences, split), reader, answer, progress)


def _run_dependencies(options: argparse.Namespace) -> int:
    """Parse the sentences of ``--dependencies``, and prefer trees that fit its heads."""
    if options.text or options.input or options.split or options.markup:
        raise SettingsError(
            "--dependencies FILE holds the sentences to parse: leave out TEXT, --input, --split and --markup"
        )
    parse_options = parse_options_of(options)
    dependency_file = DependencyFile(options.dependencies, penalty_of(options), options.encoding)
    tags = None if options.tags is None else TagStream(options.tags)
    with ExitStack() as stack:
        output = stack.enter_context(
            open_output(options.output, dependency_file.input, options.tags)
        )
        parser = _load(options)
        if parser.reads_tags and tags is None:
            raise missing_tags(options.model, "--tags FILE")
        code = _write(_fitting(parser, dependency_file, tags, parse_options), output, options)
        if tags is not None:
            tags.check_end()
        return code


def _fitting(
    parser: Parser,
    dependency_file: DependencyFile,
    tags: TagStream | None,
    parse_options: ParseOptions,
) -> Iterator[tuple[str, Parse | None]]:
    from bnaparser.text.sentence import from_words

    number = 0
    for ahead in read_ahead(dependency_file, READ_AHEAD):
        rows = None if tags is None else tags.take(len(ahead))
        sentences = [parser.text.of_words(from_words(one.words)) for one in ahead]
        options = [
            replace(parse_options, dependencies=dependency_file.heads_of(one)) for one in ahead
        ]
        for parse in parser.parse_sentences(sentences, rows, options=options):
            number += 1
            yield f"sentence {number}", parse


def _write(
    parses: Iterable[tuple[str, Parse | None]], output: TextIO, options: argparse.Namespace
) -> int:
    """Write each parse (None: an empty line), report failed sentences, and return the exit code."""
    code = SUCCESS
    with writer(options.format, output, options.n_best) as write:
        for place, parse in parses:
            if parse is not None and parse.error is not None:
                say(f"{place}: {parse.error}")
                code = SOME_FAILED
            write(parse)
    return code


def _format(options: argparse.Namespace) -> str:
    """Return the format: that of ``--format``, else by the name of the output; ``.mrg`` and ``.txt`` are brackets."""
    named = format_by_name(options.output)
    return options.format or (named if named not in (None, "mrg", "draw") else "bracket")


def _load(options: argparse.Namespace) -> Parser:
    parser = load_parser(options)
    parser.text = parser.text_rules(options.language)
    return parser
