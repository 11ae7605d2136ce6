"""``bnaparser probe``: how much of a sentence's tree is in an encoder's word vectors."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from bnaparser.cli.exits import say
from bnaparser.cli.quiet import quiet_libraries
from bnaparser.errors import SettingsError

if TYPE_CHECKING:
    from bnaparser.inspection.gold import GoldSentence
    from bnaparser.inspection.structural_probe import ProbeScores, ProbeSentence
    from bnaparser.inspection.vectors import Reader

PARTS = ("train", "dev", "test")
COLUMNS = ("encoder", "layer", "UUAS", "distance Spearman", "root", "depth Spearman")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the encoders, the treebank's three parts, and the probe's settings."""
    parser.add_argument(
        "--encoder",
        action="append",
        required=True,
        metavar="NAME|DIR",
        help="an encoder of transformers, or a task's model; give it again for others to compare",
    )
    for part in PARTS:
        parser.add_argument(
            f"--{part}",
            required=True,
            metavar="TREES",
            help="bracketed trees, or CoNLL-U by its name in .conllu; .gz and .xz are unpacked",
        )
    parser.add_argument(
        "--limit", type=_positive, metavar="N", help="the first N sentences of each file"
    )
    parser.add_argument(
        "--layer",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="0 is the embeddings (default: all layers); may be given again",
    )
    parser.add_argument("--rank", type=_positive, default=64, help="of the probe (default: 64)")
    parser.add_argument("--seed", type=_seed, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--heads",
        choices=("ud", "collins"),
        default="ud",
        help="head rules that turn brackets to dependencies (default: ud)",
    )
    parser.add_argument(
        "--syntax",
        choices=("parsed", "gold", "none"),
        default="parsed",
        help="what a model with syntax is shown: trees from where its training had them "
        "(default), the treebank's own, or none",
    )
    parser.add_argument(
        "--parser", metavar="NAME|DIR", help="of parsed trees (default: the model's own)"
    )
    parser.add_argument("--device", help="a torch device, such as cpu or cuda:0")


def _positive(text: str) -> int:
    return _number(text, 1, 2**31 - 1)


def _seed(text: str) -> int:
    return _number(text, 0, 2**32 - 1)


def _number(text: str, least: int, most: int) -> int:
    """Return a number of these; argparse would name the function where it is none at all."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}")
    return number


def run(options: argparse.Namespace) -> int:
    """Probe the layers of all encoders and print a line for each, tabs between."""
    quiet_libraries()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    logging.getLogger("bnaparser").setLevel(logging.INFO)
    from bnaparser.inspection.gold import read_gold
    from bnaparser.inspection.vectors import load_reader
    from bnaparser.trees.heads.dependencies import head_rules

    if options.parser and options.syntax != "parsed":
        raise SettingsError(f"--parser gives parsed trees, and --syntax is {options.syntax}")
    rules = head_rules(options.heads)
    gold = {part: read_gold(getattr(options, part), rules, options.limit) for part in PARTS}
    print("\t".join(COLUMNS), flush=True)
    names = dict.fromkeys(options.encoder)
    for name in names:
        reader = load_reader(name, options.device)
        if options.parser and len(names) == 1 and reader.syntax.variant is None:
            raise SettingsError(
                f"{name} is a plain encoder, which sees no trees: leave out --parser"
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
    """Yield the scores of each layer that is asked for."""
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
    from bnaparser.inspection.structural_probe import ProbeSentence
    from bnaparser.inspection.vectors import word_vectors
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
            f"{left_out} sentences of --{part} are left out: too long for the encoder, "
            "or with words that its tokenizer drops"
        )
    return found
