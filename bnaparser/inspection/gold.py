"""The gold trees that a probe is trained on and scored with: brackets by head rules, or CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.syntax.structure import Structure
from bnaparser.syntax.variants import sla
from bnaparser.treebanks.conllu import load_conllu
from bnaparser.treebanks.lines import StrPath
from bnaparser.treebanks.reading import find_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import is_punctuation
from bnaparser.trees.heads.rules import HeadRules


@dataclass(frozen=True)
class GoldSentence:
    """A sentence's words and trees, and which of its words are punctuation.

    In trees the tag decides, as in Hewitt and Manning's program; CoNLL-U's words decide themselves.
    """

    structure: Structure
    punctuation: tuple[bool, ...]


def read_gold(path: StrPath, rules: HeadRules, limit: int | None = None) -> list[GoldSentence]:
    """Return the sentences of a file, the first ``limit`` of them.

    A file with ``.conllu`` in its name is CoNLL-U; any other, a folder or a pattern is read as
    `bnaparser.treebanks.reading.find_trees` does, cleaned, its heads found by ``rules``. Raises DataError or
    TreeError where it cannot be read or holds no sentence.
    """
    conllu = ending(Path(path)) == ".conllu"
    read = _dependencies(path) if conllu else _trees(path, rules)
    found = list(islice(read, limit))
    if not found:
        raise DataError(f"{path}: no sentence in it")
    return found


def _trees(path: StrPath, rules: HeadRules) -> Iterator[GoldSentence]:
    for found in find_trees(path):
        tree = clean(found.tree)
        if tree is not None:
            words = [unescape(word) for word in tree.words]
            marks = tuple(map(is_punctuation, tree.tags))
            yield GoldSentence(Structure.of_trees(words, [tree], rules), marks)


def _dependencies(path: StrPath) -> Iterator[GoldSentence]:
    for sentence in load_conllu(path):
        marks = tuple(map(sla.is_punctuation, sentence.words))
        yield GoldSentence(Structure(sentence.words, sentence.heads), marks)
