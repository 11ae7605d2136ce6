"""Read the command line: shared options, suggestions for misspelt names, examples, shell completion."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from bnaparser.files.text_files import OPTION

DEVICE_HELP = "device to compute on, such as cpu or cuda:0 (default: the first GPU, else the CPU)"
OUTPUT_HELP = "output file; - is standard output (default: standard output)"
QUIET_HELP = "print no notes and no progress on standard error"
LANGUAGE_HELP = (
    "language of the text, such as en or zh (default: the model's language; detected if the model"
    " knows several)"
)
SPLIT_HELP = (
    "how the input is divided into sentences: paragraph: a line is a paragraph, and sentences are"
    " detected in it; text: running text with line breaks anywhere; line: a line is a sentence; token:"
    " a line is a sentence, with blanks between its words (default: paragraph)"
)
BATCH_HELP = "maximum number of subwords in a batch (default: 500; on a GPU 16384)"
MODEL_HELP = "name or folder of the parser (default: en, or an installed model for --language)"


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors are in plain words."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and what is wrong, and end the process with exit code 2."""
        for pattern, plain in _PLAIN_ERRORS:
            message = re.sub(pattern, plain, message)
        super().error(message)


# Patterns in argparse's messages, and the plain words for them.
_PLAIN_ERRORS = (
    (r"^argument ([^:]+): invalid int value: (.*)$", r"argument \1: \2 is not a whole number"),
    (r"^argument ([^:]+): invalid float value: (.*)$", r"argument \1: \2 is not a number"),
    (
        r"^argument ([^:]+): invalid choice: (.*) \(choose from (.*)\)$",
        r"argument \1: \2 is none of \3",
    ),
    (r"^argument ([^:]+): expected one argument$", r"argument \1: the value is missing"),
    (r"^argument ([^:]+): expected at least one argument$", r"argument \1: the values are missing"),
    (
        r"^argument ([^:]+): ignored explicit argument (.*)$",
        r"argument \1: this option takes no value, but has \2",
    ),
    (r"^the following arguments are required: (.*)$", r"missing argument: \1"),
)


def add_examples(parser: argparse.ArgumentParser, examples: str) -> None:
    """Show examples at the end of ``--help``, with their line breaks."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"examples:\n{examples}"


def read_arguments(
    parser: argparse.ArgumentParser, arguments: Sequence[str], verb: argparse.ArgumentParser
) -> argparse.Namespace:
    """Parse the command line; ``command`` of the result is the command as the user typed it.

    Ends the process with exit code 2 if the arguments are wrong.

    Args:
        parser: the parser of the whole command line.
        arguments: the command line without the name of the program.
        verb: the parser of the verb, whose usage is printed with an error.
    """
    if completing():
        import argcomplete

        argcomplete.autocomplete(parser)
    found, unknown = parser.parse_known_args(arguments)
    if hasattr(found, "files"):  # argparse does not find files after options
        found.files += [word for word in unknown if word == "-" or not word.startswith("-")]
        unknown = [word for word in unknown if word not in found.files]
    if unknown:
        verb.error(f"unknown argument: {' '.join(unknown)}{_meant(unknown, verb)}")
    for name in ("model", "parser"):
        if getattr(found, name, None) == "":
            verb.error(
                f"argument --{name}: the name is empty: give the name or the folder of a model"
            )
    found.command = verb.prog
    return found


def completing() -> bool:
    """Return whether this process completes a command line for the shell (argcomplete)."""
    return "_ARGCOMPLETE" in os.environ


def first_argument(arguments: Sequence[str]) -> str:
    """Return the first argument, or "" without arguments; during shell completion, that of the line to complete."""
    words = os.environ.get("COMP_LINE", "").split()[1:] if completing() else arguments
    return words[0] if words else ""


def suggestion(name: str, known: Sequence[str]) -> str:
    """Return "; did you mean NAME?" with the known name most similar to ``name``, or "" if none is similar."""
    close = get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def quoted_path(path: Path) -> str:
    """Return a path as a user types it in a shell: in quotes if it holds blanks."""
    return f'"{path}"' if any(map(str.isspace, str(path))) else str(path)


def quoted_model(folder: Path) -> str:
    """Return a model folder as a user types it: with ``./`` if a model that ships has this name."""
    from bnaparser.models import shipped

    return f"./{folder}" if str(folder) in shipped() else quoted_path(folder)


def _meant(unknown: Sequence[str], parser: argparse.ArgumentParser) -> str:
    options = list(parser._option_string_actions)  # argparse has no public list of its options
    names = [word.partition("=")[0] for word in unknown if word.startswith("--")]
    if not names and unknown[0].startswith("-"):
        return f"; for text that begins with -, write -- before the text: {parser.prog} -- {unknown[0]}"
    return next(filter(None, (suggestion(name, options) for name in names)), "")


def add_precision(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add ``--precision`` and ``--backend``."""
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16", "int8"),
        default="auto",
        help="number format of the network; auto takes the fastest one that keeps the accuracy (default: auto)",
    )
    parser.add_argument(
        "--backend",
        choices=("auto", "compiled", "torch"),
        default="auto",
        help="implementation of the network: compiled (on the CPU) or torch (PyTorch); auto takes the faster one"
        " that is installed (default: auto)",
    )


def add_recipe(parser: argparse.ArgumentParser, written: str) -> None:
    """Add the recipe, ``--output``, ``--set`` and ``--fresh``; ``written`` names the files in the output folder."""
    parser.add_argument(
        "recipe",
        type=Path,
        metavar="RECIPE.toml",
        help="recipe: the settings of the training, in TOML",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help=f"output folder for {written} (default: runs/NAME, after the name of the recipe)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="TABLE.KEY=VALUE",
        help="replace a setting of the recipe, such as train.seed=2; may be repeated",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="start from scratch: delete the checkpoint and the logs of an earlier run, and rename its model to model.1",
    )


def add_encoding(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add ``--encoding``."""
    parser.add_argument(
        OPTION,
        metavar="NAME",
        help="encoding of the input, such as cp1252 or utf-16-le (default: by the byte order mark, else"
        " UTF-8)",
    )
