"""Options that several verbs share: which trees, probabilities, constraints, and part-of-speech tags."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.errors import DataError, SentenceError, SettingsError
from bnaparser.files.text_files import LineReader
from bnaparser.treebanks.lines import read_lines
from bnaparser.treebanks.tag_files import Tags, read_tags, tags_of
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.options import Dependencies, ParseOptions
    from bnaparser.treebanks.conllu import ConlluSentence


Options = argparse.ArgumentParser | argparse._ArgumentGroup


def add_trees(parser: Options) -> None:
    """Add the options of which trees are wanted, and what of them."""
    parser.add_argument(
        "--n-best", type=int, default=1, metavar="N", help="the N best trees of each sentence"
    )
    parser.add_argument(
        "--probabilities",
        action="store_true",
        help="how sure it is of each constituent and each tree: as numbers in json, jsonl, columns and"
        " parquet, in drawings (svg, html) what it is unsure of is faint",
    )
    parser.add_argument(
        "--decoder",
        choices=("best", "expected", "sample"),
        default="best",
        help="the tree of the highest score (default), of the most constituents that are expected to"
        " be right, or drawn at random by its probability",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of --decoder sample (default: 0)")
    parser.add_argument(
        "--temperature",
        type=float,
        metavar="X",
        help="what scores are divided by to become probabilities (default: the model's)",
    )


def add_questions(parser: argparse.ArgumentParser) -> None:
    """Add these, and the options of what is known of the sentences."""
    add_trees(parser)
    parser.add_argument(
        "--markup",
        action="store_true",
        help="the text holds brackets that say what is known, such as [NP the old man] or"
        " [~ words kept together] (docs/chart.md)",
    )
    parser.add_argument(
        "--dependencies",
        type=Path,
        metavar="FILE",
        help="parse the sentences of this file (CoNLL-U) so that trees fit their heads; -: standard input",
    )
    parser.add_argument(
        "--penalty",
        type=float,
        metavar="X",
        help="with --dependencies: what each word that speaks against a constituent takes off its score (default: 2)",
    )


def parse_options_of(options: argparse.Namespace) -> ParseOptions:
    """Return what the options ask of every sentence; SettingsError where one is out of range."""
    from bnaparser.parsing.options import ParseOptions

    try:
        asked = ParseOptions(
            options.n_best,
            options.probabilities,
            options.decoder,
            options.temperature,
            options.seed or 0,
        )
    except ValueError as error:
        name, _, rest = str(error).partition(" ")
        raise SettingsError(f"--{name.replace('_', '-')} {rest}") from None
    if options.seed is not None and options.decoder != "sample":
        raise SettingsError("--seed is of trees that are drawn: give --decoder sample as well")
    return asked


def malus_of(options: argparse.Namespace) -> float:
    """Return what the options say of the penalty, or the default; SettingsError where it is out of range."""
    from bnaparser.parsing.named_constraints import check_amount
    from bnaparser.parsing.options import PENALTY

    penalty: float = PENALTY if options.penalty is None else options.penalty
    try:
        check_amount(penalty)
    except SentenceError as error:
        raise SettingsError(f"--penalty {error}") from None
    return penalty


class DependencyFile:
    """The sentences of a file in CoNLL-U, each with its heads. Raises DataError where it cannot be read.

    ``input`` is the file, or standard input for ``-``.
    """

    def __init__(self, path: Path, penalty: float, encoding: str | None = None):
        # Imported here: they bring NumPy, which scoring two files does not need.
        from bnaparser.cli.streams import standard_input
        from bnaparser.treebanks.conllu import read_conllu

        self.penalty = penalty
        self.input: BufferedIOBase | Path = path
        lines = read_lines(path, encoding)
        if str(path) == "-":
            self.input = standard_input("name the file: --dependencies FILE")
            lines = iter(LineReader(self.input, encoding=encoding))
        self._sentences = read_conllu(lines, str(path))
        self._first = next(self._sentences, None)  # a wrong name is known at once
        if self._first is None:
            raise DataError(f"{path} holds no sentence")

    def __iter__(self) -> Iterator[ConlluSentence]:
        if self._first is not None:
            yield self._first
        yield from self._sentences

    def heads_of(self, sentence: ConlluSentence) -> Dependencies:
        """Return a sentence's heads as its trees are to fit them."""
        from bnaparser.parsing.options import Dependencies

        return Dependencies(sentence.heads, _punctuation(sentence), self.penalty)


def _punctuation(sentence: ConlluSentence) -> tuple[bool, ...]:
    """Tell which words are punctuation: by their tags, or else because they have no letter or digit."""
    from bnaparser.trees.heads.dependencies import is_punctuation

    if sentence.universal:
        return tuple(tag == "PUNCT" for tag in sentence.universal)
    if sentence.tags:
        return tuple(map(is_punctuation, sentence.tags))
    return tuple(not any(map(str.isalnum, word)) for word in sentence.words)


NONE, GOLD = "none", "gold"
TAGS_HELP = (
    "part-of-speech tags for the model: a file with a line of tags for each sentence, or with trees"
    " that have them; gold: those of the gold trees; say which beside the figures"
)


def given_tags(option: str, gold: Sequence[Tree]) -> list[Tags] | None:
    """Return the tags that ``--tags`` asks for, a row for each gold tree, or None without any.

    Raises DataError or TreeError where a file of tags cannot be read or does not fit.
    """
    if option == NONE:
        return None
    if option == GOLD:
        return [tree.tags for tree in gold]
    return tags_of(option, [tree.words for tree in gold])


def missing_tags(model: str, advice: str) -> SettingsError:
    """Return what is raised where a model that reads tags is given none."""
    return SettingsError(f"the model {model} reads part-of-speech tags: give them with {advice}")


class TagStream:
    """The rows of a file of tags, taken as sentences come, in constant memory.

    Raises DataError where the file cannot be read, or holds more or fewer rows than there are
    sentences.
    """

    def __init__(self, path: Path):
        self.path, self._rows, self._taken = path, read_tags(path), 0
        self._first = list(islice(self._rows, 1))  # a wrong name is known at once

    def take(self, count: int) -> list[Tags]:
        """Return the tags of the next sentences."""
        rows = [*self._first[:count], *islice(self._rows, max(0, count - len(self._first)))]
        self._first = self._first[count:]
        if len(rows) < count:
            ends = f"{self.path} ends after {self._taken + len(rows):,} lines of tags"
            raise DataError(f"{ends}, but the sentences go on")
        self._taken += count
        return [row.tags for row in rows]

    def check_end(self) -> None:
        """Raise DataError where rows are left that no sentence took."""
        for row in (*self._first, *islice(self._rows, 1)):
            raise DataError(f"{self.path}:{row.line}: tags after those of the last sentence")
