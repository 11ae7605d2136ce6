"""From a treebank release and a model to the row of a paper's result table: LR, LP, F1.

Shared by ``bnaparser.eval.ptb`` and ``bnaparser.eval.ctb``, which say what release it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bnaparser.cli.options import NONE, TAGS_HELP, given_tags, missing_tags
from bnaparser.errors import DataError, SettingsError
from bnaparser.eval.api import Scores, score
from bnaparser.treebanks.releases import Release
from bnaparser.trees.tree import Tree


class WordParse(Protocol):
    """What is asked of a parse: its tree, or None where the sentence could not be parsed."""

    @property
    def tree(self) -> Tree | None: ...  # noqa: D102


class WordParser(Protocol):
    """What is asked of a parser; `bnaparser.parsing.parser.Parser` is one."""

    @property
    def reads_tags(self) -> bool: ...  # noqa: D102

    def parse_many(  # noqa: D102
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> Sequence[WordParse]: ...


LoadParser = Callable[[str, str | None], WordParser]
"""Called with the model's name or folder and the device, or None for the best there is."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: what was parsed with which model, and EVALB's percentages under COLLINS.prm."""

    model: str
    part: str
    tags: str
    sentences: int
    expected: int
    failed: int
    scores: Scores

    def __str__(self) -> str:
        cells = {
            "model": self.model,
            "test set": self.part,
            "tags": self.tags,
            "sentences": f"{self.sentences:,}",
            "failed": f"{self.failed:,}",
            "LR": f"{self.scores.recall:.2f}",
            "LP": f"{self.scores.precision:.2f}",
            "F1": f"{self.scores.f1:.2f}",
            "complete": f"{self.scores.complete_match:.2f}",
        }
        columns = [
            (name.ljust(width), cell.ljust(width))
            for name, cell in cells.items()
            for width in [max(len(name), len(cell))]
        ]
        text = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
        if self.sentences != self.expected:
            text.append(
                f"note: the papers count {self.expected:,} sentences in this part;"
                f" this release gave {self.sentences:,}"
            )
        return "\n".join(text)


def predict(
    parser: WordParser, gold: Sequence[Tree], tags: Sequence[Sequence[str]] | None = None
) -> tuple[list[Tree], int]:
    """Parse the words of gold trees; return a tree for each, and how many sentences failed.

    ``tags`` are those that the parser reads, a row for each sentence. Each tree has the gold words and tags, so that the parser's tags do not decide which words
    EVALB leaves out as punctuation. A sentence that failed has a tree without constituents: its
    gold brackets count as missed.
    """
    parses = parser.parse_many([tree.words for tree in gold], tags=tags)
    trees, failed = [], 0
    for tree, parse in zip(gold, parses, strict=True):
        spans = parse.tree.spans() if parse.tree is not None else []
        failed += parse.tree is None
        trees.append(Tree.from_spans(tree.words, tree.tags, spans))
    return trees, failed


def add_arguments(arguments: argparse.ArgumentParser, release: Release) -> None:
    """Add the script's arguments."""
    add = arguments.add_argument
    add("release", metavar="LDC_DIR", help="the folder of the release")
    add("--model", required=True, help="a model that ships, a model folder, or org/name of a hub")
    add("--split", choices=list(release.parts), default="test", help="default: test")
    add("--device", help="a torch device; default: the GPU if there is one")
    add("--tags", default=NONE, metavar="FILE|gold", help=TAGS_HELP)
    add("--save", metavar="FOLDER", help="write gold.mrg and predicted.mrg there, for EVALB")


def run(args: argparse.Namespace, release: Release, load_parser: LoadParser) -> int:
    """Parse, score and print the row; 1 if a sentence failed, else 0. Raises BnaparserError."""
    gold = list(release.read(args.release, args.split))
    if not gold:
        raise DataError(f"{args.release}: no tree in {release.describe(args.split)}")
    # Before the model is loaded: a wrong file or folder is known at once.
    tags = given_tags(args.tags, gold)
    if args.save:
        _save(Path(args.save), {})
    parser = load_parser(args.model, args.device)
    if parser.reads_tags and tags is None:
        raise missing_tags(args.model, "--tags FILE, or --tags gold")
    if tags is not None and not parser.reads_tags:
        raise SettingsError(f"the model {args.model} reads no part-of-speech tags: no --tags")
    predicted, failed = predict(parser, gold, tags)
    row = TableRow(
        model=args.model,
        part=release.describe(args.split),
        tags=args.tags,
        sentences=len(gold),
        expected=release.sentences[args.split],
        failed=failed,
        scores=score(gold, predicted),
    )
    print(row)
    if args.save:  # last: where the disk is full the row is there all the same
        _save(Path(args.save), {"gold.mrg": gold, "predicted.mrg": predicted})
    return 1 if failed else 0


def main(
    release: Release,
    module: str,
    description: str,
    arguments: Sequence[str] | None = None,
    load_parser: LoadParser | None = None,
) -> int:
    """Run a script; ``load_parser`` is by default the one that loads a real model."""
    from bnaparser.cli.console import guarded

    parser = argparse.ArgumentParser(f"python -m {module}", description=description)
    add_arguments(parser, release)
    return guarded(
        lambda args: run(args, release, load_parser or _load_parser), parser.parse_args(arguments)
    )


def _load_parser(model: str, device: str | None) -> WordParser:
    from bnaparser.cli.console import quiet_libraries

    quiet_libraries()
    from bnaparser.parsing.parser import Parser

    return Parser.load(model, device=device)


def _save(folder: Path, files: dict[str, Sequence[Tree]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, trees in files.items():
            text = "".join(f"{tree}\n" for tree in trees)
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror or error}") from error
