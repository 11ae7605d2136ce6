"""Verbs that make a model from other models: ``average``, ``calibrate`` and ``prune``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.arguments import (
    DEVICE_HELP,
    add_examples,
    add_precision,
    quoted_model,
    quoted_path,
)
from bnaparser.cli.console import quiet_libraries, say
from bnaparser.cli.options import NONE, TAGS_HELP, missing_tags, tag_rows, unknown_labels
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import LABELS, check_new, new_folder
from bnaparser.files.temporary import temporary_folder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from bnaparser.network.parsing_network import ParsingNetwork
    from bnaparser.training.calibration import GoldChart
    from bnaparser.training.data import Example
    from bnaparser.trees.tree import Tree


def add_average_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the models, their weights, the output folder and the number format."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="names or folders of two parsers or more"
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder for the new parser"
    )
    parser.add_argument(
        "--weights",
        nargs="+",
        type=float,
        metavar="X",
        help="weight of each model (default: equal weights)",
    )
    parser.add_argument(
        "--store", choices=("float32", "float16", "int8"), default="float32",
        help="number format of the stored weights (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--qat-step", type=float, metavar="X",
        help="with int8: the quantisation step of the recipes, as a fraction of a row's root mean square",
    )  # fmt: skip


def run_average(options: argparse.Namespace) -> int:
    """Write the averaged parser; its metrics.json names the models, and has no scores."""
    quiet_libraries()
    from bnaparser.network import storage
    from bnaparser.network.averaging import average

    step = options.qat_step
    if step is not None and (options.store != "int8" or not 0 < step <= 2):
        raise SettingsError(f"--qat-step {step:g}: give a number from 0 to 2, with --store int8")
    check_new(options.output)
    model = average(options.models, options.weights)
    with new_folder(options.output) as folder:
        storage.save(model, folder, options.store, {"average of": options.models}, step)
    return 0


CALIBRATE_EXAMPLES = """\
  bnaparser calibrate runs/one/model --data dev.mrg
  bnaparser calibrate runs/one/model --data dev.mrg -o runs/calibrated
  bnaparser calibrate en --data masc/dev.txt.xz --map recipes/label_maps.toml --map-set masc
  bnaparser calibrate multi --data es.mrg fr.mrg --language es fr"""


def add_calibrate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model, the trees, how they are read, and the new folder."""
    parser.add_argument("model", metavar="MODEL", help="name or folder of the parser")
    parser.add_argument(
        "--data", nargs="+", required=True, metavar="TREES",
        help="development trees that were not training data (also .xz)",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR",
        help="folder for the calibrated parser (default: only print the temperature)",
    )  # fmt: skip
    parser.add_argument("--map", metavar="FILE", help="TOML file with label maps")
    parser.add_argument("--map-set", metavar="NAME", help="name of the map to apply")
    parser.add_argument(
        "--language", nargs="+", metavar="CODE",
        help="for a parser of several languages: the language of all trees, or of each file of --data; each language"
        " gets its own temperature, and the others keep theirs",
    )  # fmt: skip
    parser.add_argument("--tags", default=NONE, metavar="FILE|gold", help=TAGS_HELP)
    parser.add_argument(
        "--sentences",
        type=int,
        metavar="N",
        help="use only the first N sentences of each file (default: all)",
    )
    parser.add_argument("--device", help=DEVICE_HELP)
    add_precision(parser)
    add_examples(parser, CALIBRATE_EXAMPLES)


def run_calibrate(options: argparse.Namespace) -> int:
    """Fit the temperature of each language of the trees, print the calibration before and after, and write the calibrated parser."""
    _check_calibration(options)
    quiet_libraries()
    from bnaparser.chart import ScoresError
    from bnaparser.encoders.batching import PARSING_TOKENS, default_tokens
    from bnaparser.models import find
    from bnaparser.network.precision import load_network
    from bnaparser.network.storage import check_folder, copy_at_temperature
    from bnaparser.text.text_rules import match_language
    from bnaparser.training.calibration import best_temperature, gold_charts

    folder = find(options.model)
    if options.output is not None:
        check_folder(folder)
    network = load_network(folder, options.device, options.precision, options.backend)
    examples = _calibration_examples(options, network)
    _check_labels(options, network, examples)
    tokens = default_tokens(PARSING_TOKENS, str(network.device))
    known = network.settings.text.languages
    charts: dict[str, list[GoldChart]] = {}
    for example, chart in gold_charts(network, examples, tokens):
        language = match_language(example.language or known[0], known) or known[0]
        charts.setdefault(language, []).append(chart)
    temperatures = {}
    for language, own in charts.items():
        try:
            temperatures[language] = best_temperature(own)
        except ScoresError as error:
            raise ModelError(
                f"{options.model} is damaged, its scores are not finite numbers: {error}"
            ) from error
        except DataError as error:
            raise DataError(f"{language}: {error}" if len(known) > 1 else f"{error}") from error
        if len(known) > 1:
            print(f"{language}:")
        before = network.settings.in_language(language).chart.temperature
        print(_shown(own, before, temperatures[language]))
    if options.output is not None:
        temperature = temperatures if len(known) > 1 else temperatures[known[0]]
        found = {
            "data": options.data,
            "sentences": sum(map(len, charts.values())),
            "temperature": temperature,
        }
        with new_folder(options.output) as new:
            copy_at_temperature(folder, new, temperature, found)
        print(f"{options.output} is written: bnaparse --model {quoted_model(options.output)} ...")
    return 0


def _check_calibration(options: argparse.Namespace) -> None:
    if options.sentences is not None and options.sentences < 1:
        raise SettingsError(f"--sentences {options.sentences}: it must be at least 1")
    if (options.map is None) != (options.map_set is None):
        raise SettingsError("--map FILE and --map-set NAME need each other: give both, or neither")
    if len(options.language or [""]) not in (1, len(options.data)):
        raise SettingsError(
            f"--language has {len(options.language)} codes for {len(options.data)} files of --data: give one code,"
            " or one code for each file"
        )
    if options.output is not None:
        check_new(options.output)


def _calibration_examples(options: argparse.Namespace, network: ParsingNetwork) -> list[Example]:
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
            raise DataError(f"{path} holds no tree")
        treebanks.append(found)
    tags = tag_rows(options.tags, [one.tree for found in treebanks for one in found])
    if tags is None and network.settings.tags.given:
        raise missing_tags(options.model, "--tags FILE, or --tags gold")
    if tags is not None:
        rows = iter(tags)
        treebanks = [[replace(one, given_tags=next(rows)) for one in found] for found in treebanks]
    return [one for found in treebanks for one in found[: options.sentences]]


def _check_labels(
    options: argparse.Namespace, network: ParsingNetwork, examples: Sequence[Example]
) -> None:
    """Say if most trees of a language have labels that the network does not know: then no parser is written."""
    from bnaparser.parsing.parser import labels_of
    from bnaparser.text.text_rules import match_language

    known = network.settings.text.languages
    trees: dict[str, list[Tree]] = {}
    for one in examples:
        language = match_language(one.language or known[0], known) or known[0]
        trees.setdefault(language, []).append(one.tree)
    for language, own in trees.items():
        labels = labels_of(language, network.in_language(language))
        note = unknown_labels(own, labels, f"{options.model} ({language})")
        if note and options.output is not None:
            raise DataError(f"no parser is written: {note}")
        if note:
            say(note)


def _languages(options: argparse.Namespace, network: ParsingNetwork) -> list[str]:
    """Return the language of each file, one that the network knows."""
    from bnaparser.parsing.segmentation import unknown_language
    from bnaparser.text.text_rules import match_language

    known = network.settings.text.languages
    if options.language is None and len(known) > 1:
        raise SettingsError(
            f"{options.model} knows several languages ({', '.join(known)}): give the language of the trees with"
            " --language CODE"
        )
    codes = options.language or known[:1]
    unknown = next((code for code in codes if match_language(code, known) is None), None)
    if unknown is not None:
        raise SettingsError(unknown_language(unknown, known))
    return list(codes) if len(codes) == len(options.data) else list(codes) * len(options.data)


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
        f"{len(charts):,} sentences, {len(judged[0].right):,} constituents, {right:.2f} % correct",
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
        lines.append(
            f"{impossible:,} trees are impossible under the model; the log-likelihood leaves these trees out"
        )
    return "\n".join(lines)


def add_prune_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model, the output folder, and the new sizes."""
    parser.add_argument(
        "encoder",
        metavar="ENCODER",
        help="encoder (folder or name on the Hugging Face hub), or parser (name or folder)",
    )
    parser.add_argument("output", type=Path, metavar="DIR", help="folder for the smaller model")
    parser.add_argument(
        "--text",
        nargs="+",
        metavar="FILE",
        help="text files or files of trees (.mrg, or lines that begin with '(TOP ('; also .xz), whose subwords"
        " are counted",
    )
    parser.add_argument(
        "--size",
        type=int,
        metavar="N",
        help="size of the new vocabulary: the N most frequent subwords of --text are kept",
    )
    parser.add_argument(
        "--layers", type=int, metavar="N", help="number of layers to keep, from the lowest"
    )


def run_prune(options: argparse.Namespace) -> int:
    """Write the smaller encoder or parser."""
    if options.size is None and options.layers is None:
        raise SettingsError(
            "prune needs --size N with --text FILE (a smaller vocabulary), or --layers N (fewer layers), or both"
        )
    if (options.size is None) != (options.text is None):
        raise SettingsError(
            "--size and --text need each other: --size N keeps the N most frequent subwords of --text FILE"
        )
    for name in ("size", "layers"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            raise SettingsError(f"--{name} {getattr(options, name)}: it must be at least 1")
    check_new(options.output)
    quiet_libraries()
    from bnaparser import models
    from bnaparser.models.packages import find_installed

    name = options.encoder
    if name in models.shipped() or find_installed(name) is not None:
        options.encoder = str(models.find(name))
    if Path(options.encoder).is_file():
        path = quoted_path(Path(options.encoder))
        raise SettingsError(
            f"{name} is a file, but prune needs a folder: 'bnaparser models import {path} FOLDER' unpacks a zipped model"
        )
    kind = _prune_parser if (Path(options.encoder) / LABELS).is_file() else _prune_encoder
    kept = kind(options)
    if kept is not None:
        print(f"{kept:.2%} of the subwords of the text are in the new vocabulary")
    return 0


def _prune_encoder(options: argparse.Namespace) -> float | None:
    from bnaparser.encoders.loading import load_pretrained, load_tokenizer, save_tokenizer
    from bnaparser.encoders.vocabulary import prune_vocabulary
    from bnaparser.files.tensors import writing

    tokenizer = load_tokenizer(options.encoder)
    counts = None if options.size is None else _count(tokenizer, options.text)
    model = load_pretrained(options.encoder, layers=options.layers)
    with new_folder(options.output) as folder:
        if counts is not None:
            return prune_vocabulary(model, tokenizer, counts, options.size, folder)
        with writing(folder):
            model.save_pretrained(folder)
        save_tokenizer(tokenizer, folder)
    return None


def _prune_parser(options: argparse.Namespace) -> float | None:
    from bnaparser.encoders.loading import load_tokenizer
    from bnaparser.encoders.pretrained import PretrainedEncoder
    from bnaparser.encoders.vocabulary import prune_vocabulary
    from bnaparser.network import storage
    from bnaparser.network.model import build_subwords

    model = storage.load(options.encoder)
    if not isinstance(model.encoder, PretrainedEncoder) or model.subwords is None:
        raise ModelError(
            f"{options.encoder} has a character encoder, without a vocabulary or layers to prune"
        )
    kept = None
    if options.layers is not None:
        model.encoder.keep_lowest(options.layers)
        model.settings = model.settings.with_layers(options.layers)
    if options.size is not None:
        tokenizer = model.subwords.tokenizer
        counts = _count(tokenizer, options.text)
        with temporary_folder() as encoder:
            kept = prune_vocabulary(model.encoder.model, tokenizer, counts, options.size, encoder)
            model.subwords = build_subwords(model.encoder, load_tokenizer(encoder), model.settings)
    with new_folder(options.output) as folder:
        storage.save(model, folder, "float32", {"pruned from": options.encoder})
    return kept


def _count(tokenizer: PreTrainedTokenizerBase, paths: list[str]) -> Counter[int]:
    from bnaparser.encoders.vocabulary import count_subwords

    counts = count_subwords(tokenizer, _lines(paths))
    if not counts:
        raise DataError(
            f"{', '.join(paths)}: no text in it: --text needs text whose subwords can be counted"
        )
    return counts


def _lines(paths: list[str]) -> Iterator[str]:
    """Yield lines of text; a tree becomes its words, joined by blanks.

    Trees are the content of files with the ending of a treebank, and lines that begin with "(TOP (".
    """
    from bnaparser.files.compressed import ending
    from bnaparser.treebanks.lines import read_lines
    from bnaparser.treebanks.reading import TREE_FILES, read_trees
    from bnaparser.trees.tree import parse_trees_with_places

    for path in paths:
        if ending(Path(path)) in TREE_FILES:
            yield from map(_text, read_trees(path))
            continue
        for number, line in enumerate(read_lines(path), 1):
            if line.startswith("(TOP ("):
                for tree, _ in parse_trees_with_places([line], path, number):
                    yield _text(tree)
            else:
                yield line


def _text(tree: Tree) -> str:
    """Return the words of a tree joined by blanks, without traces; "" if the tree has no words."""
    from bnaparser.trees.cleaning import clean
    from bnaparser.trees.escapes import unescape

    cleaned = clean(tree)
    return "" if cleaned is None else " ".join(map(unescape, cleaned.words))


COMMANDS = {
    "average": (add_average_arguments, run_average),
    "calibrate": (add_calibrate_arguments, run_calibrate),
    "prune": (add_prune_arguments, run_prune),
}
