"""``bnaparser inspect``: a task's model reads texts; its gates and attention maps come out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.exits import SOME_FAILED, SUCCESS, say
from bnaparser.cli.streams import refuse_file_names
from bnaparser.errors import DataError, SettingsError

if TYPE_CHECKING:
    from bnaparser.inspection.gates import GateCurve
    from bnaparser.inspection.maps import AttentionMaps
    from bnaparser.tasks.examples import PreparedExample
    from bnaparser.tasks.model import TaskModel

GATES, ATTENTION = "gates.svg", "attention.svg"
COLUMNS = ("model", "layer", "mean", "deviation", "minimum", "maximum", "tokens")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the models, the texts, where to write, and which layer and head to show."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="each argument is one text")
    parser.add_argument(
        "-i", "--input", type=Path, metavar="FILE", help="texts of a file (UTF-8), one a line"
    )
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="NAME|DIR",
        help="a task's model; give it again for others to compare",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help=f"gets {GATES} and {ATTENTION}",
    )
    parser.add_argument(
        "--layer", type=int, metavar="N", help="maps of this layer, from 1 (default: mean of all)"
    )
    parser.add_argument(
        "--head", type=int, metavar="N", help="maps of this head, from 1 (default: mean of all)"
    )
    parser.add_argument(
        "--parser", metavar="NAME|DIR", help="default: the one that a model was trained with"
    )
    parser.add_argument("--device", help="a torch device, such as cpu or cuda:0")


def run(options: argparse.Namespace) -> int:
    """Draw both figures and print the gates; 1 when texts had to be left out."""
    if bool(options.text) == bool(options.input):
        raise SettingsError("give texts or --input FILE: one of the two")
    refuse_file_names(options.text, options.command, "read")
    from bnaparser.cli.quiet import quiet_libraries

    quiet_libraries()
    from bnaparser.inspection.gates import gate_curve, gate_values, has_gates
    from bnaparser.inspection.maps import attention_maps
    from bnaparser.inspection.plots import load_matplotlib

    load_matplotlib()
    texts = _texts(options)
    output = _folder(options.output)
    variants: dict[str, str] = {}
    curves: dict[str, GateCurve] = {}
    maps: dict[str, AttentionMaps] = {}
    code = SUCCESS
    for name in dict.fromkeys(options.model):
        model, variants[name] = _load(name, options.device)
        examples = _readable(model, texts, options)
        code = max(code, SOME_FAILED if len(examples) < len(texts) else SUCCESS)
        maps[name] = attention_maps(model, examples[0]).average(options.layer, options.head)
        if has_gates(model):
            curves[name] = gate_curve(gate_values(model, examples))
        else:
            say(f"{name}: {variants[name]} has no gates")
    _draw(options, output, curves, maps, _titles(variants))
    _print(curves)
    return code


def _texts(options: argparse.Namespace) -> list[str]:
    if options.text:
        return list(options.text)
    from bnaparser.tasks.examples import read_lines

    texts = [line for _, line in read_lines(options.input) if line.strip()]
    if not texts:
        raise DataError(f"{options.input}: no text in it")
    return texts


def _folder(path: Path) -> Path:
    """Make the folder for the figures before models are loaded: a wrong name is known at once."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}") from error
    return path


def _load(name: str, device: str | None) -> tuple[TaskModel, str]:
    """Return a model and the name of what guides its attention; SettingsError where nothing does."""
    from bnaparser import models
    from bnaparser.inspection.texts import attention_variant, variant_title
    from bnaparser.tasks import storage

    model = storage.to_device(storage.load(models.find(name)), device)
    try:
        return model, variant_title(attention_variant(model))
    except SettingsError as error:
        raise SettingsError(f"{name}: {error}") from error


def _readable(
    model: TaskModel, texts: list[str], options: argparse.Namespace
) -> list[PreparedExample]:
    """Return the texts that a model can read, with their trees; report the others."""
    from bnaparser.inspection.texts import prepare
    from bnaparser.tasks.trees import tree_source

    table, language = model.settings.syntax, model.settings.task.language
    if options.parser:
        table = table.with_parser(options.parser, language)
    source = tree_source(table, options.device, language)
    examples: list[PreparedExample] = []
    for number, one in enumerate(prepare(model, texts, source), 1):
        if isinstance(one, str):
            say(f"text {number} is left out: {one}")
        else:
            examples.append(one)
    if not examples:
        raise DataError("no text is left to look at")
    return examples


def _titles(variants: dict[str, str]) -> dict[str, str]:
    """Return what the figures call each model: its variant, with its name where that is not all."""
    if len(set(variants.values())) == len(variants):
        return variants
    return {name: f"{variant} ({name})" for name, variant in variants.items()}


def _draw(
    options: argparse.Namespace,
    output: Path,
    curves: dict[str, GateCurve],
    maps: dict[str, AttentionMaps],
    titles: dict[str, str],
) -> None:
    from bnaparser.inspection.plots import draw_gates, draw_maps

    layer = "mean of all layers" if options.layer is None else f"layer {options.layer}"
    head = "mean of all heads" if options.head is None else f"head {options.head}"
    shown = {titles[name]: one for name, one in maps.items()}
    draw_maps(
        shown, output / ATTENTION, f"Attention from a row's word to a column's: {layer}, {head}"
    )
    if curves:
        draw_gates({titles[name]: one for name, one in curves.items()}, output / GATES)


def _print(curves: dict[str, GateCurve]) -> None:
    """Print the gates: a line a model and layer, tabs between."""
    if curves:
        print("\t".join(COLUMNS))
    for name, curve in curves.items():
        rows = zip(curve.mean, curve.deviation, curve.minimum, curve.maximum, strict=True)
        for number, row in enumerate(rows, 1):
            print(name, number, *(f"{value:.4f}" for value in row), curve.tokens, sep="\t")
