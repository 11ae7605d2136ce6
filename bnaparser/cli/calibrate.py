"""``bnaparser calibrate``: a parser whose probabilities of constituents can be believed."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.arguments import add_examples, add_precision, typed_model
from bnaparser.cli.given_tags import HELP, NONE, given_tags, missing_tags
from bnaparser.cli.quiet import quiet_libraries
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import check_new, new_folder

if TYPE_CHECKING:
    from bnaparser.network.parsing_network import ParsingNetwork
    from bnaparser.training.calibration import GoldChart
    from bnaparser.training.data import Example

EXAMPLES = """\
  bnaparser calibrate runs/one/model --data dev.mrg
  bnaparser calibrate runs/one/model --data dev.mrg -o runs/calibrated
  bnaparser calibrate en --data masc/dev.txt.xz --map recipes/label_maps.toml --map-set masc
  bnaparser calibrate seven --data es.mrg fr.mrg --language es fr"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model, the trees, how they are read, and the new folder."""
    parser.add_argument("model", metavar="MODEL", help="folder or name of a parser")
    parser.add_argument(
        "--data", nargs="+", required=True, metavar="TREES",
        help="development trees, which the parser has not learned from; .xz is unpacked",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR",
        help="write the parser here, calibrated (without it the temperature is only shown)",
    )  # fmt: skip
    parser.add_argument("--map", metavar="FILE", help="a TOML file with label maps")
    parser.add_argument("--map-set", metavar="NAME", help="which map of that file to apply")
    parser.add_argument(
        "--language", nargs="+", metavar="CODE",
        help="of a parser of several languages, that of the trees, or of each file of --data",
    )  # fmt: skip
    parser.add_argument("--tags", default=NONE, metavar="FILE|gold", help=HELP)
    parser.add_argument(
        "--sentences", type=int, metavar="N", help="the first N of each treebank (all)"
    )
    parser.add_argument("--device", help="a torch device, such as cpu or cuda:0")
    add_precision(parser)
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Find the temperature, show what it is worth, and write the parser that has it."""
    _check(options)
    quiet_libraries()
    from bnaparser.chart import ScoresError
    from bnaparser.encoders.batching import PARSING_TOKENS, default_tokens
    from bnaparser.models import find
    from bnaparser.network.precision import load_network
    from bnaparser.network.storage import check_folder, copy_at_temperature
    from bnaparser.training.calibration import best_temperature, gold_charts

    folder = find(options.model)
    if options.output is not None:
        check_folder(folder)
    network = load_network(folder, options.device, options.precision, options.backend)
    examples = _examples(options, network)
    tokens = default_tokens(PARSING_TOKENS, str(network.device))
    charts = [one for _, one in gold_charts(network, examples, tokens)]
    try:
        temperature = best_temperature(charts)
    except ScoresError as error:
        raise ModelError(f"{options.model} has scores that are no numbers: {error}") from error
    print(_shown(charts, network.settings.chart.temperature, temperature))
    if options.output is not None:
        found = {"data": options.data, "sentences": len(charts), "temperature": temperature}
        with new_folder(options.output) as new:
            copy_at_temperature(folder, new, temperature, found)
        print(f"{options.output} is written: bnaparse --model {typed_model(options.output)} ...")
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.sentences is not None and options.sentences < 1:
        raise SettingsError(f"--sentences {options.sentences}: it must be at least 1")
    if (options.map is None) != (options.map_set is None):
        raise SettingsError("--map FILE and --map-set NAME belong together: give both or neither")
    if len(options.language or [""]) not in (1, len(options.data)):
        raise SettingsError(
            f"{len(options.language)} languages for {len(options.data)} files of --data: give one of all, or one of each"
        )
    if options.output is not None:
        check_new(options.output)


def _examples(options: argparse.Namespace, network: ParsingNetwork) -> list[Example]:
    """Read the trees, with tags for a network that reads them."""
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings, TrainSettings

    keeps = any("-" in label.lstrip("-") for label in network.labels.names)
    settings = TrainSettings(label_maps=options.map, keep_functions=keeps)
    treebanks: list[list[Example]] = []
    for path, language in zip(options.data, _languages(options, network), strict=True):
        source = DataSettings(path=path, map=options.map_set, language=language)
        found = read_examples(source, settings)
        if not found:
            raise DataError(f"{path}: no tree in it")
        treebanks.append(found)
    tags = given_tags(options.tags, [one.tree for found in treebanks for one in found])
    if tags is None and network.settings.tags.given:
        raise missing_tags(options.model, "--tags FILE, or --tags gold")
    if tags is not None:
        rows = iter(tags)
        treebanks = [[replace(one, given_tags=next(rows)) for one in found] for found in treebanks]
    return [one for found in treebanks for one in found[: options.sentences]]


def _languages(options: argparse.Namespace, network: ParsingNetwork) -> list[str]:
    """Return the language of each file, one that the network knows."""
    from bnaparser.parsing.segmentation import unknown_language
    from bnaparser.text.text_rules import match_language

    known = network.settings.text.languages
    if options.language is None and len(known) > 1:
        raise SettingsError(
            f"{options.model} is for {', '.join(known)}: --language says in which the trees are"
        )
    given = options.language or known[:1]
    unknown = next((code for code in given if match_language(code, known) is None), None)
    if unknown is not None:
        raise SettingsError(unknown_language(unknown, known))
    return list(given) if len(given) == len(options.data) else list(given) * len(options.data)


def _shown(charts: list[GoldChart], before: float, after: float) -> str:
    from bnaparser.training.calibration import (
        calibration_error,
        judge_constituents,
        log_likelihood,
        log_loss,
    )

    judged = [judge_constituents(charts, temperature) for temperature in (before, after)]
    right = 100 * judged[0].right.mean()
    lines = [
        f"{len(charts):,} sentences, {len(judged[0].right):,} constituents, {right:.2f} % right",
        f"{'':32}{'before':>10}{'after':>10}",
    ]
    table = {
        "temperature": (before, after),
        "mean probability, %": [100 * one.probabilities.mean() for one in judged],
        "calibration error, %": map(calibration_error, judged),
        "log loss of a constituent, nats": map(log_loss, judged),
        "log-likelihood of a tree, nats": [log_likelihood(charts, t) for t in (before, after)],
    }
    for name, (one, other) in table.items():
        lines.append(f"{name:32}{one:10.4g}{other:10.4g}")
    impossible = sum(not one.possible for one in charts)
    if impossible:
        lines.append(f"{impossible:,} trees cannot be the model's: the likelihood is of the others")
    return "\n".join(lines)
