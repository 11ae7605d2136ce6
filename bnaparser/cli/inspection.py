"""The verbs that inspect models: ``inspect`` (gates, attention maps) and ``probe`` (the tree in word vectors)."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.arguments import DEVICE_HELP
from bnaparser.cli.console import SOME_FAILED, SUCCESS, quiet_libraries, say
from bnaparser.cli.streams import refuse_file_names
from bnaparser.errors import DataError, SettingsError

if TYPE_CHECKING:
    from bnaparser.inspection.gates import GateCurve
    from bnaparser.inspection.maps import AttentionMaps
    from bnaparser.inspection.probe_data import GoldSentence, Reader
    from bnaparser.inspection.structural_probe import ProbeScores, ProbeSentence
    from bnaparser.tasks.examples import PreparedExample
    from bnaparser.tasks.model import TaskModel


GATES, ATTENTION = "gates.svg", "attention.svg"
GATE_COLUMNS = ("model", "layer", "mean", "deviation", "minimum", "maximum", "tokens")


def add_inspect_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the models, the texts, where to write, and which layer and head to show."""
    parser.add_argument(
        "text", nargs="*", metavar="TEXT", help="text; give several arguments for several texts"
    )
    parser.add_argument(
        "-i", "--input", type=Path, metavar="FILE", help="file with one text per line (UTF-8)"
    )
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="NAME|DIR",
        help="name or folder of a task model with syntax-guided attention; repeat to compare models",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help=f"output folder for {GATES} and {ATTENTION}",
    )
    parser.add_argument(
        "--layer",
        type=int,
        metavar="N",
        help="show the attention of layer N, from 1 (default: mean of all layers)",
    )
    parser.add_argument(
        "--head",
        type=int,
        metavar="N",
        help="show the attention of head N, from 1 (default: mean of all heads)",
    )
    parser.add_argument(
        "--parser",
        metavar="NAME|DIR",
        help="name or folder of the parser (default: the parser that the model was trained with)",
    )
    parser.add_argument("--device", help=DEVICE_HELP)


def run_inspect(options: argparse.Namespace) -> int:
    """Draw both figures and print the gates; 1 when texts had to be left out."""
    if bool(options.text) == bool(options.input):
        raise SettingsError("give either TEXT or --input FILE")
    refuse_file_names(options.text, options.command, "read")
    from bnaparser.cli.console import quiet_libraries

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
        raise DataError(f"{options.input} holds no text")
    return texts


def _folder(path: Path) -> Path:
    """Make the folder for the figures, before models are loaded."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}") from error
    return path


def _load(name: str, device: str | None) -> tuple[TaskModel, str]:
    """Return a model and the name of its attention variant; SettingsError if its attention is unguided."""
    from bnaparser import models
    from bnaparser.inspection.texts import attention_variant, variant_title
    from bnaparser.tasks.model import load_model, to_device

    model = to_device(load_model(models.find(name)), device)
    try:
        return model, variant_title(attention_variant(model))
    except SettingsError as error:
        raise SettingsError(f"{name}: {error}") from error


def _readable(
    model: TaskModel, texts: list[str], options: argparse.Namespace
) -> list[PreparedExample]:
    """Return the examples of the texts that a model can read; report the texts that it cannot read."""
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
        raise DataError("none of the texts can be inspected: see the reasons above")
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
        print("\t".join(GATE_COLUMNS))
    for name, curve in curves.items():
        rows = zip(curve.mean, curve.deviation, curve.minimum, curve.maximum, strict=True)
        for number, row in enumerate(rows, 1):
            print(name, number, *(f"{value:.4f}" for value in row), curve.tokens, sep="\t")


PARTS = ("train", "dev", "test")
PROBE_COLUMNS = ("encoder", "layer", "UUAS", "distance Spearman", "root", "depth Spearman")


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the encoders, the treebank's three parts, and the probe's settings."""
    parser.add_argument(
        "--encoder",
        action="append",
        required=True,
        metavar="NAME|DIR",
        help="encoder (folder or name on the Hugging Face hub), or task model (name or folder); repeat to compare"
        " several",
    )
    for part in PARTS:
        parser.add_argument(
            f"--{part}",
            required=True,
            metavar="TREES",
            help=f"{part} part of the treebank: bracketed trees, or CoNLL-U in a file .conllu (also .gz, .xz)",
        )
    parser.add_argument(
        "--limit",
        type=_positive,
        metavar="N",
        help="use only the first N sentences of each file (default: all)",
    )
    parser.add_argument(
        "--layer",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="probe layer N, 0 for the embeddings; may be repeated (default: all layers)",
    )
    parser.add_argument(
        "--rank", type=_positive, default=64, metavar="N", help="rank of the probe (default: 64)"
    )
    parser.add_argument(
        "--seed", type=_seed, default=1, metavar="N", help="random seed (default: 1)"
    )
    parser.add_argument(
        "--heads",
        choices=("ud", "collins"),
        default="ud",
        help="head rules that convert bracketed trees to dependencies (default: ud)",
    )
    parser.add_argument(
        "--syntax",
        choices=("parsed", "gold", "none"),
        default="parsed",
        help="input trees of a syntax-guided task model: parsed: from the source that its training used; gold:"
        " from the treebank; none: no trees (default: parsed)",
    )
    parser.add_argument(
        "--parser",
        metavar="NAME|DIR",
        help="name or folder of the parser for --syntax parsed (default: the model's parser)",
    )
    parser.add_argument("--device", help=DEVICE_HELP)


def _positive(text: str) -> int:
    return _number(text, 1, 2**31 - 1)


def _seed(text: str) -> int:
    return _number(text, 0, 2**32 - 1)


def _number(text: str, least: int, most: int) -> int:
    """Return a whole number within the limits; argparse would name this function in its own message."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}")
    return number


def run_probe(options: argparse.Namespace) -> int:
    """Probe the layers of all encoders and print a line for each, tabs between."""
    quiet_libraries()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    logging.getLogger("bnaparser").setLevel(logging.INFO)
    from bnaparser.inspection.probe_data import load_reader, read_gold
    from bnaparser.trees.heads.dependencies import head_rules

    if options.parser and options.syntax != "parsed":
        raise SettingsError(f"--parser needs --syntax parsed, and --syntax is {options.syntax}")
    rules = head_rules(options.heads)
    gold = {part: read_gold(getattr(options, part), rules, options.limit) for part in PARTS}
    print("\t".join(PROBE_COLUMNS), flush=True)
    names = dict.fromkeys(options.encoder)
    for name in names:
        reader = load_reader(name, options.device)
        if options.parser and len(names) == 1 and reader.syntax.variant is None:
            raise SettingsError(
                f"{name} is a plain encoder, which reads no trees: leave out --parser"
            )
        for layer, scores in _probe(options, reader, gold):
            shown = (
                f"{scores.uuas:.2f}",
                f"{scores.distance_spearman:.4f}",
                f"{scores.root_accuracy:.2f}",
                f"{scores.depth_spearman:.4f}",
            )
            print(name, layer, *shown, sep="\t", flush=True)
    return 0


def _probe(
    options: argparse.Namespace, reader: Reader, gold: Mapping[str, Sequence[GoldSentence]]
) -> Iterator[tuple[int, ProbeScores]]:
    """Yield the number and the scores of each layer to probe."""
    from bnaparser.inspection.structural_probe import ProbeSettings, probe

    layers = reader.chosen(options.layer)
    settings = ProbeSettings(rank=options.rank, seed=options.seed)
    parts = {part: _read(options, reader, gold[part], part, layers) for part in PARTS}
    for number, layer in enumerate(layers):
        train, dev, test = ([one[number] for one in parts[part]] for part in PARTS)
        yield layer, probe(train, dev, test, settings, reader.device)


def _read(
    options: argparse.Namespace,
    reader: Reader,
    gold: Sequence[GoldSentence],
    part: str,
    layers: Sequence[int],
) -> list[list[ProbeSentence]]:
    """Return of each sentence that the encoder can take its layers, ready for the probe."""
    from bnaparser.inspection.probe_data import word_vectors
    from bnaparser.inspection.structural_probe import ProbeSentence
    from bnaparser.tasks.trees import tree_source

    structures = [sentence.structure for sentence in gold]
    guided = options.syntax != "none"
    if options.syntax == "parsed" and reader.syntax.variant is not None:
        table = reader.syntax
        if options.parser:
            table = table.with_parser(options.parser, reader.language)
        source = tree_source(table, options.device, reader.language)
        structures = source([one.words for one in structures])
    vectors = word_vectors(reader, structures, layers, guided)
    found = []
    for sentence, layered in zip(gold, vectors, strict=True):
        heads = sentence.structure.heads
        if layered is not None and heads is not None:
            found.append([ProbeSentence(one, heads, sentence.punctuation) for one in layered])
    if len(found) < len(gold):
        left_out = len(gold) - len(found)
        say(
            f"{left_out} sentences of --{part} are left out: they are too long for the encoder,"
            " or have words that its tokenizer drops"
        )
    return found


COMMANDS = {
    "inspect": (add_inspect_arguments, run_inspect),
    "probe": (add_probe_arguments, run_probe),
}
