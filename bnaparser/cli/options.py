"""Options that several verbs share: trees, probabilities, constraints and part-of-speech tags."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.console import quiet_libraries
from bnaparser.errors import DataError, SentenceError, SettingsError
from bnaparser.files.text_files import LineReader
from bnaparser.parsing.startup import loading
from bnaparser.text.sentence import MAX_WORDS
from bnaparser.treebanks.lines import read_lines
from bnaparser.treebanks.tag_files import Tags, read_tags, tags_of
from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.tree import CHAIN, Tree

if TYPE_CHECKING:
    from bnaparser.parsing.options import Dependencies, ParseOptions
    from bnaparser.parsing.parser import Parser
    from bnaparser.treebanks.conllu import ConlluSentence


Options = argparse.ArgumentParser | argparse._ArgumentGroup


def add_tree_options(parser: Options) -> None:
    """Add ``--n-best``, ``--probabilities``, ``--decoder``, ``--seed`` and ``--temperature``."""
    parser.add_argument(
        "--n-best",
        type=int,
        default=1,
        metavar="N",
        help="number of trees for each sentence, the best ones (default: 1)",
    )
    parser.add_argument(
        "--probabilities",
        action="store_true",
        help="compute the probability of each constituent and of each tree: numbers in json,"
        " columns and parquet; in svg and html, uncertain constituents are drawn paler; other formats of bnaparse do"
        " not show it",
    )
    parser.add_argument(
        "--decoder",
        choices=("best", "expected", "sample"),
        default="best",
        help="which tree is chosen. best: the tree with the highest score; expected: the tree that"
        " maximises the expected number of correct minus wrong constituents (minimum Bayes risk);"
        " sample: a random tree, drawn with its probability (default: best)",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="random seed of --decoder sample (default: 0)"
    )
    parser.add_argument(
        "--temperature",
        type=float,
        metavar="X",
        help="temperature of the probabilities, of --decoder expected and of --decoder sample: scores are"
        " divided by X (default: the model's temperature)",
    )


def add_parse_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `add_tree_options`, ``--markup``, ``--dependencies`` and ``--penalty``."""
    add_tree_options(parser)
    parser.add_argument(
        "--markup",
        action="store_true",
        help="read constraints from brackets in the text, such as [NP the old man] or [~ words kept"
        " together]; docs/chart.md lists them",
    )
    parser.add_argument(
        "--dependencies",
        type=Path,
        metavar="FILE",
        help="CoNLL-U file: parse its sentences, and prefer trees that fit its dependency heads; - is"
        " standard input",
    )
    parser.add_argument(
        "--penalty",
        type=float,
        metavar="X",
        help="with --dependencies: score that a constituent loses for each head that contradicts it (default: 2)",
    )


def load_parser(options: argparse.Namespace, language: str | None = None) -> Parser:
    """Load the parser that the options name, by default a parser for ``--language``. With
    ``language`` it parses this language only.
    """
    quiet_libraries()
    with loading():
        from bnaparser.parsing.default_model import name_for
        from bnaparser.parsing.parser import Parser

        if options.model is None:
            options.model = name_for(options.language)
        return Parser.load(
            options.model,
            options.device,
            batch_tokens=getattr(options, "batch_tokens", None),
            precision=options.precision,
            max_words=getattr(options, "max_words", MAX_WORDS),
            language=language,
            backend=options.backend,
        )


def unknown_labels(trees: Sequence[Tree], labels: Iterable[str], model: str) -> str:
    """Return a sentence if most gold trees have labels of constituents that the model does not know, else "".

    Args:
        trees: Gold trees, clean.
        labels: The labels of the model, including chains.
        model: Its name and its languages, for the sentence.
    """
    known = {part for label in labels for part in label.split(CHAIN)} | ROOT_LABELS
    counts: Counter[str] = Counter()
    unknown = 0
    for tree in trees:
        own = {node.label for node in tree.nodes() if node.word is None} - known
        unknown += bool(own)
        counts.update(own)
    if 2 * unknown <= len(trees):
        return ""
    names = ", ".join(label for label, _ in counts.most_common(3))
    return (
        f"{unknown:,} of {len(trees):,} gold trees have labels that the model {model} does not know, such as {names}:"
        " give trees of its language, with the labels that it was trained on"
    )


def parse_options_of(options: argparse.Namespace) -> ParseOptions:
    """Return the `ParseOptions` of the command line. Raises SettingsError if a value is out of range."""
    from bnaparser.parsing.options import ParseOptions

    try:
        parse_options = ParseOptions(
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
        raise SettingsError(
            "--seed needs --decoder sample: the other decoders use no random numbers"
        )
    return parse_options


def penalty_of(options: argparse.Namespace) -> float:
    """Return ``--penalty`` or its default. Raises SettingsError if the value is out of range."""
    from bnaparser.parsing.named_constraints import check_amount
    from bnaparser.parsing.options import PENALTY

    penalty: float = PENALTY if options.penalty is None else options.penalty
    try:
        check_amount(penalty)
    except SentenceError as error:
        raise SettingsError(f"--penalty {error}") from None
    return penalty


class DependencyFile:
    """The sentences and heads of a CoNLL-U file. Raises DataError if the file cannot be read.

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
            self.input = standard_input("name a file: --dependencies FILE")
            lines = iter(LineReader(self.input, encoding=encoding))
        self._sentences = read_conllu(lines, str(path))
        self._first = next(self._sentences, None)  # reports a wrong file name at once
        if self._first is None:
            raise DataError(f"{path} holds no sentence: --dependencies needs a CoNLL-U file")

    def __iter__(self) -> Iterator[ConlluSentence]:
        if self._first is not None:
            yield self._first
        yield from self._sentences

    def heads_of(self, sentence: ConlluSentence) -> Dependencies:
        """Return the heads of a sentence as the `Dependencies` that its tree should fit."""
        from bnaparser.parsing.options import Dependencies

        return Dependencies(sentence.heads, _punctuation(sentence), self.penalty)


def _punctuation(sentence: ConlluSentence) -> tuple[bool, ...]:
    """Return for each word whether it is punctuation: by its tag, or without tags if it has no letter and no digit."""
    from bnaparser.trees.heads.dependencies import is_punctuation

    if sentence.universal:
        return tuple(tag == "PUNCT" for tag in sentence.universal)
    if sentence.tags:
        return tuple(map(is_punctuation, sentence.tags))
    return tuple(not any(map(str.isalnum, word)) for word in sentence.words)


NONE, GOLD = "none", "gold"
TAGS_HELP = (
    "part-of-speech tags that the model reads: a file with a line of tags for each sentence, or a file"
    " of trees with tags; gold: the tags of the gold trees. Report the choice with the scores"
)


def tag_rows(option: str, gold: Sequence[Tree]) -> list[Tags] | None:
    """Return the tags that ``--tags`` names, a row for each gold tree, or None for ``none``.

    Raises DataError or TreeError if the file cannot be read, or does not fit the gold trees.
    """
    if option == NONE:
        return None
    if option == GOLD:
        return [tree.tags for tree in gold]
    return tags_of(option, [tree.words for tree in gold])


def missing_tags(model: str, advice: str) -> SettingsError:
    """Return the error for a model that needs part-of-speech tags as input and gets none."""
    return SettingsError(f"the model {model} needs part-of-speech tags as input: give {advice}")


class TagStream:
    """The rows of a file of tags, read sentence by sentence in constant memory.

    Raises DataError if the file cannot be read, or if it has more or fewer rows than the input has
    sentences.
    """

    def __init__(self, path: Path):
        self.path, self._rows, self._taken = path, read_tags(path), 0
        self._first = list(islice(self._rows, 1))  # reports a wrong file name at once

    def take(self, count: int) -> list[Tags]:
        """Return the tags of the next sentences."""
        rows = [*self._first[:count], *islice(self._rows, max(0, count - len(self._first)))]
        self._first = self._first[count:]
        if len(rows) < count:
            ends = f"{self.path} ends after {self._taken + len(rows):,} lines of tags"
            raise DataError(
                f"{ends}, but the input has more sentences: give one line of tags for each"
            )
        self._taken += count
        return [row.tags for row in rows]

    def check_end(self) -> None:
        """Raise DataError if rows are left that no sentence took."""
        for row in (*self._first, *islice(self._rows, 1)):
            raise DataError(
                f"{self.path}:{row.line}: the file has more lines of tags than the input has sentences: give one"
                " line of tags for each sentence"
            )
