"""``bnaparser classify``: predict labels, tags, relations, scores or answers for texts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bnaparser.cli.arguments import (
    DEVICE_HELP,
    OUTPUT_HELP,
    QUIET_HELP,
    add_encoding,
    add_examples,
)
from bnaparser.cli.console import SOME_FAILED, SUCCESS, say
from bnaparser.cli.streams import (
    answered,
    empty,
    open_input,
    open_output,
    read_input,
    refuse_file_names,
)
from bnaparser.errors import SettingsError
from bnaparser.files.text_files import OPTION, LineReader, read_text
from bnaparser.parsing.startup import loading

if TYPE_CHECKING:
    from bnaparser.tasks.classifier import Classification, Classifier

FORMATS = ("text", "json")
EXAMPLES = """\
  bnaparser classify "A gripping, funny film."
  bnaparser classify -i reviews.txt -o labels.jsonl -f json
  bnaparser classify "Who built it?" --passage warsaw.txt --model runs/squad/model"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the text, where to read and write, the format and the models."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="one text to classify (default: read --input, or standard input)",
    )
    parser.add_argument(
        "-i",
        "--input",
        type=Path,
        metavar="FILE",
        help="input file with one text per line (also .gz, .xz, .bz2, .zst); - is standard input",
    )
    add_encoding(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="text",
        help="output format, one line per text. text: label, probabilities and trees, separated by tabs; json:"
        " an object with label, probabilities and trees, or with the best answers and their character"
        " offsets (default: text)",
    )
    parser.add_argument(
        "--passage",
        type=Path,
        metavar="FILE",
        help="for question answering: the file with the passage; each text is a question about the passage",
    )
    parser.add_argument(
        "--model",
        default="sst2",
        metavar="NAME|DIR",
        help="name or folder of the task model (default: sst2)",
    )
    parser.add_argument(
        "--parser",
        metavar="NAME|DIR",
        help="name or folder of the parser (default: the parser that the model was trained with)",
    )
    parser.add_argument("--device", help=DEVICE_HELP)
    parser.add_argument("-q", "--quiet", action="store_true", help=QUIET_HELP)
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Classify what the options say; 0 when every text and sentence went well, 1 when some failed."""
    if options.text and options.input:
        raise SettingsError("give either text or --input, not both")
    if options.text and options.encoding and options.passage is None:
        raise SettingsError(
            "--encoding is for files and standard input: leave it out if you give TEXT"
        )
    passage = None
    if options.passage is not None:  # line ends as they are: answers have places
        passage = read_text(options.passage, options.encoding, OPTION)
    refuse_file_names(options.text, options.command, "classify")
    with ExitStack() as stack:
        # Files are opened before the models are loaded: a wrong name is known at once.
        source = reader = None
        if not options.text:
            source = stack.enter_context(open_input(options.input))
            reader = read_input(source, options.input, options.encoding)
        output = stack.enter_context(
            open_output(options.output, options.input, source, options.passage)
        )
        classifier = _load(options)
        if passage is not None and not classifier.model.kind.passages:
            raise SettingsError(
                f"{options.model} is not a model for question answering: leave --passage out"
            )
        empty(output)
        if reader is None:
            answers: Iterable[tuple[int, Classification | None]] = [
                (1, classifier(_with_passage(" ".join(options.text), passage)))
            ]
        else:
            progress = not (options.quiet or output.isatty())
            answers = _answers(classifier, reader, passage, progress)
        return _write(answers, output, options.format)


def _with_passage(text: str, passage: str | None) -> str | tuple[str, str]:
    return text if passage is None else (text, passage)


def _answers(
    classifier: Classifier, reader: LineReader, passage: str | None, progress: bool
) -> Iterator[tuple[int, Classification | None]]:
    """Yield every line's number and answer, None for a blank one."""

    def answer(chunk: list[tuple[int, str]]) -> Iterator[tuple[int, Classification | None]]:
        lines = [_with_passage(line, passage) for _, line in chunk if line.strip()]
        found = iter(classifier.classify_many(lines))
        for number, line in chunk:
            yield number, next(found) if line.strip() else None

    return answered(([pair] for pair in enumerate(reader, 1)), reader, answer, progress)


def _write(answers: Iterable[tuple[int, Classification | None]], output: TextIO, form: str) -> int:
    """Write one line for each answer, an empty one for None; report the failed ones."""
    code = SUCCESS
    for number, answer in answers:
        if answer is None:
            output.write("\n")
            continue
        if answer.error is not None:
            say(f"text {number}: {answer.error}")
            code = SOME_FAILED
        output.write(f"{answer.to_json() if form == 'json' else answer.to_text()}\n")
    return code


def _load(options: argparse.Namespace) -> Classifier:
    from bnaparser.cli.console import quiet_libraries

    quiet_libraries()
    with loading():
        from bnaparser.tasks.classifier import Classifier

        return Classifier.load(options.model, options.parser, options.device)
