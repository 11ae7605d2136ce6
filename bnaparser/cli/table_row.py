"""``bnaparser evaluate --release``: from a treebank release and a model to a paper's table row: LR, LP, F1."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.options import load_parser, missing_tags, tag_rows
from bnaparser.errors import DataError, SettingsError
from bnaparser.eval.api import Scores, score
from bnaparser.treebanks.releases import CTB, PTB
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

RELEASES = {"ptb": PTB, "ctb": CTB}


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
                f" this release has {self.sentences:,}"
            )
        return "\n".join(text)


def predict(
    parser: Parser, gold: Sequence[Tree], tags: Sequence[Sequence[str]] | None = None
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


def run(args: argparse.Namespace) -> int:
    """Parse, score and print the row; 1 if a sentence failed, else 0. Raises BnaparserError."""
    release, split = RELEASES[args.release], args.split or "test"
    gold = list(release.read(args.gold, split))
    if not gold:
        raise DataError(f"{args.gold}: the folder holds no tree of {release.describe(split)}")
    # Before the model is loaded: a wrong file or folder is known at once.
    tags = tag_rows(args.tags, gold)
    if args.save:
        _save(Path(args.save), {})
    parser = load_parser(args, args.language)
    if parser.reads_tags and tags is None:
        raise missing_tags(args.model, "--tags FILE, or --tags gold")
    if tags is not None and not parser.reads_tags:
        raise SettingsError(
            f"the model {args.model} reads no part-of-speech tags: leave --tags out"
        )
    predicted, failed = predict(parser, gold, tags)
    row = TableRow(
        model=args.model,
        part=release.describe(split),
        tags=args.tags,
        sentences=len(gold),
        expected=release.sentences[split],
        failed=failed,
        scores=score(gold, predicted),
    )
    print(row)
    if args.save:  # last: where the disk is full the row is there all the same
        _save(Path(args.save), {"gold.mrg": gold, "predicted.mrg": predicted})
    return 1 if failed else 0


def _save(folder: Path, files: dict[str, Sequence[Tree]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, trees in files.items():
            text = "".join(f"{tree}\n" for tree in trees)
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror or error}") from error
