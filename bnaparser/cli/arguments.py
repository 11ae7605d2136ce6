"""How both commands read what was typed: suggestions for slips, examples, completion in the shell."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from bnaparser.files.text_files import OPTION


def add_examples(parser: argparse.ArgumentParser, examples: str) -> None:
    """Show these lines at the end of ``--help``, as they are."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"examples:\n{examples}"


def read_arguments(
    parser: argparse.ArgumentParser, given: Sequence[str], verb: argparse.ArgumentParser
) -> argparse.Namespace:
    """Return what was given, with ``command`` as it was typed; ``verb`` is whose options they are.

    Ends the process with exit code 2 where something does not fit.
    """
    if completing():
        import argcomplete

        argcomplete.autocomplete(parser)
    found, unknown = parser.parse_known_args(given)
    if hasattr(found, "files"):  # they may stand behind options, which argparse does not see
        found.files += [word for word in unknown if word == "-" or not word.startswith("-")]
        unknown = [word for word in unknown if word not in found.files]
    if unknown:
        verb.error(f"unrecognized arguments: {' '.join(unknown)}{_meant(unknown, verb)}")
    for name in ("model", "parser"):
        if getattr(found, name, None) == "":
            verb.error(f"argument --{name}: the name is empty")
    found.command = verb.prog
    return found


def completing() -> bool:
    """Whether the shell asks, by way of argcomplete, what may stand on the command line."""
    return "_ARGCOMPLETE" in os.environ


def given_verb(given: Sequence[str]) -> str:
    """Return the first argument, of the line that is to be completed if there is one."""
    words = os.environ.get("COMP_LINE", "").split()[1:] if completing() else given
    return words[0] if words else ""


def suggestion(name: str, known: Sequence[str]) -> str:
    """Return what to say of a name that is none of those known: the closest one, if one is close."""
    close = get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def typed_path(path: Path) -> str:
    """Return a path as it can be typed in a command: in quotes where it holds blanks."""
    return f'"{path}"' if any(map(str.isspace, str(path))) else str(path)


def typed_model(folder: Path) -> str:
    """Return what stands for a model's folder in a command, where a name that ships would go before."""
    from bnaparser.models import shipped

    return f"./{folder}" if str(folder) in shipped() else typed_path(folder)


def _meant(unknown: Sequence[str], parser: argparse.ArgumentParser) -> str:
    options = list(parser._option_string_actions)  # argparse tells them in no other way
    names = [word.partition("=")[0] for word in unknown if word.startswith("--")]
    if not names and unknown[0].startswith("-"):
        return (
            f"; what begins with - and is no option comes after --: {parser.prog} -- {unknown[0]}"
        )
    return next(filter(None, (suggestion(name, options) for name in names)), "")


def add_precision(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the choices of the numbers that a parser computes in, and of what computes."""
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16", "int8"),
        default="auto",
        help="numbers to compute in (default: auto, the fastest that keeps the accuracy)",
    )
    parser.add_argument(
        "--backend",
        choices=("auto", "compiled", "torch"),
        default="auto",
        help="what computes: compiled loops, or PyTorch (default: auto, the faster that is installed)",
    )


def add_recipe(parser: argparse.ArgumentParser, written: str) -> None:
    """Add a recipe, settings that override it, and where is ``written`` what it makes."""
    parser.add_argument("recipe", type=Path, metavar="RECIPE.toml")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help=f"{written} (default: runs/NAME)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="TABLE.KEY=VALUE", help="override a setting"
    )
    parser.add_argument("--fresh", action="store_true", help="start over instead of resuming")


def add_encoding(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the encoding of the input."""
    parser.add_argument(
        OPTION,
        metavar="NAME",
        help="encoding of the input, such as cp1252 or utf-16-le (default: what its byte order mark"
        " says, else UTF-8)",
    )
