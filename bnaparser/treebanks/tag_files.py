"""Part-of-speech tags from a file: a line of tags for each sentence, or trees, whose tags are taken."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.treebanks.conllu import read_conllu
from bnaparser.treebanks.formats import beginning, holds_trees, trees_in
from bnaparser.treebanks.lines import StrPath, numbered_lines, read_lines
from bnaparser.trees.cleaning import clean

Tags = tuple[str, ...]


class TagRow(NamedTuple):
    """The tags of one sentence, and the line of the file, from 1, where they stand."""

    tags: Tags
    line: int


def read_tags(path: StrPath) -> Iterator[TagRow]:
    """Yield the tags of each sentence of a file, which may be packed (``.gz``, ``.xz``).

    A file whose name has ``.conllu`` has them in its fifth column. Else a line holds the tags of a sentence with blanks between; blank lines are passed over. A file
    that begins as one of trees holds trees: their tags are taken, traces left out. Raises DataError
    and TreeError as `bnaparser.treebanks.reading.find_trees` does.
    """
    if ending(Path(path)) == ".conllu":
        for one in read_conllu(read_lines(path), str(path)):
            if not one.tags:
                raise DataError(f"{path}:{one.line}: the fifth column lacks the tag of a word")
            yield TagRow(one.tags, one.line)
        return
    lines = numbered_lines(Path(path))  # once: it may be a pipe
    start = beginning(lines)
    together = itertools.chain(start, lines)
    if holds_trees([line.text for line in start]):
        for found in trees_in(together, str(path)):
            tree = clean(found.tree)
            if tree is not None:
                yield TagRow(tree.tags, found.line)
        return
    for line in together:
        if tags := tuple(line.text.split()):
            yield TagRow(tags, line.number)


def tags_of(path: StrPath, sentences: Sequence[Sequence[str]]) -> list[Tags]:
    """Return the tags that a file has for sentences of words; DataError if they do not fit."""
    rows = list(read_tags(path))
    for number, ((tags, line), words) in enumerate(zip(rows, sentences, strict=False), 1):
        if len(tags) != len(words):
            raise DataError(
                f"{path}:{line}: {len(tags)} tags for the {len(words)} words of sentence {number}"
                f" ({' '.join(words[:6])} ...): give one tag a word"
            )
    if len(rows) != len(sentences):
        raise DataError(
            f"{path} has tags for {len(rows):,} sentences, but there are {len(sentences):,} sentences"
        )
    return [row.tags for row in rows]
