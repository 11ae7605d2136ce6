"""Trees that the user brings in a file, found by the words of a task's texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.syntax.sources.tree_source import NO_WORDS, Text, Words, words_of
from bnaparser.syntax.syntax_trees import SyntaxTrees, dependencies_of
from bnaparser.text.sentence import not_one_string
from bnaparser.treebanks.conllu import load_conllu
from bnaparser.treebanks.lines import StrPath
from bnaparser.treebanks.reading import find_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.rules import UD, HeadRules
from bnaparser.trees.tree import Tree


class _Brought(NamedTuple):
    """A sentence of a file: its words as running text has them, its heads and, if any, its tree."""

    words: Words
    heads: tuple[int, ...]
    tree: Tree | None = None


class FileTrees:
    """Trees that the user brings, found by the texts' words, in whatever order they stand.

    ``path`` is a file in CoNLL-U (its name has ``.conllu``, and maybe ``.gz`` or ``.xz``), or
    anything that `bnaparser.treebanks.reading.find_trees` reads, traces and functions taken out and heads
    found by ``rules``. A text may be several sentences of the file. Running text matches by its
    characters, blanks aside, and gets the file's words; given words match one for one; either way
    Penn Treebank escapes and the kinds of quotes, dashes and dots do not matter, and a multiword
    token of CoNLL-U may be one word or its several. Of sentences with the same words the first is
    taken.

    Raises DataError or TreeError if the file is not of its kind, and when called DataError, naming
    the first text that it has no trees for.
    """

    def __init__(self, path: StrPath, rules: HeadRules = UD):
        self.path = Path(path)
        self.by_words, self.by_characters = _Index("\n"), _Index("")
        read = _read_conllu(path) if ending(self.path) == ".conllu" else _read_trees(path, rules)
        for sentence in read:
            self.by_words.add(sentence)
            self.by_characters.add(sentence)
        if not self.by_words.sentences:
            raise DataError(f"{path}: the file holds no sentence")

    def __call__(self, texts: Sequence[Text], /) -> list[SyntaxTrees]:
        """Return the trees of each text.

        Args:
            texts: running texts, or lists of sentences of words.

        Returns:
            One SyntaxTrees for each text, in order.

        Example:
            >>> from pathlib import Path
            >>> from tempfile import TemporaryDirectory
            >>> from bnaparser.syntax import FileTrees
            >>> with TemporaryDirectory() as folder:
            ...     file = Path(folder, "trees.mrg")
            ...     _ = file.write_text("(S (NP (PRP It)) (VP (VBD rained)))")
            ...     print(FileTrees(file)(["It rained"])[0].words)
            ('It', 'rained')
        """
        given = not_one_string(texts, "texts")
        return [self._structure(text, number) for number, text in enumerate(given, 1)]

    def _structure(self, text: Text, number: int) -> SyntaxTrees:
        if isinstance(text, str):
            given, index = text.split(), self.by_characters
        else:
            given, index = list(words_of(text)), self.by_words
        if not given:
            return SyntaxTrees((), None, error=NO_WORDS)
        found = index.cover(given)
        if isinstance(found, str):
            raise DataError(
                f"{self.path}: no trees for text {number}, {' '.join(given)[:60]!r}: "
                f"no sentence of the file continues with {found[:30]!r}"
            )
        words = given if index is self.by_words else [w for part in found for w in part.words]
        heads: list[int] = []
        for part in found:
            start = len(heads)
            heads.extend(head and head + start for head in part.heads)
        trees = tuple(part.tree for part in found if part.tree is not None)
        return SyntaxTrees(tuple(words), tuple(heads), trees)


def _read_trees(path: StrPath, rules: HeadRules) -> Iterator[_Brought]:
    for found in find_trees(path):
        tree = clean(found.tree)
        if tree is not None:
            words = tuple(map(unescape, tree.words))
            yield _Brought(words, dependencies_of([tree], rules), tree)


def _read_conllu(path: StrPath) -> Iterator[_Brought]:
    sentences = load_conllu(path)
    yield from (_Brought(one.words, one.heads) for one in sentences)
    written = (one.as_written() for one in sentences if one.multiword)
    yield from (_Brought(one.words, one.heads) for one in written)


# What different writers put for the same mark; double quotes become two single ones, so that the
# Penn Treebank's ``, '' and " agree.
_SAME_MARK = str.maketrans(
    {
        **dict.fromkeys("`\u2018\u2019\u201a\u201b\u2039\u203a", "'"),
        **dict.fromkeys('"\u201c\u201d\u201e\u201f\xab\xbb', "''"),
        **dict.fromkeys("\u2013\u2014\u2015", "--"),
        "\u2026": "...",
    }
)
_OPENING = 12  # characters by which sentences are looked up


class _Index:
    """Sentences by their normalised words, each followed by ``end_of_word``."""

    def __init__(self, end_of_word: str):
        self.end_of_word = end_of_word
        self.sentences: dict[str, _Brought] = {}
        self.lengths: dict[str, set[int]] = {}  # by opening, of keys at least as long as that

    def key(self, words: Sequence[str]) -> str:
        marks = (unescape(word).translate(_SAME_MARK) for word in words)
        return "".join("".join(mark.split()) + self.end_of_word for mark in marks)

    def add(self, sentence: _Brought) -> None:
        key = self.key(sentence.words)
        self.sentences.setdefault(key, sentence)
        if len(key) >= _OPENING:
            self.lengths.setdefault(key[:_OPENING], set()).add(len(key))

    def cover(self, words: Sequence[str]) -> list[_Brought] | str:
        """Return the sentences that follow one another in the words, else the words that stay."""
        key = self.key(words)
        places = [0]
        choices = [iter(self.ends(key, 0))]
        dead: set[int] = set()
        while places:
            end = next(choices[-1], None)
            if end is None:
                choices.pop()
                dead.add(places.pop())
            elif end == len(key):
                bounds = pairwise([*places, end])
                return [self.sentences[key[start:stop]] for start, stop in bounds]
            elif end not in dead:
                places.append(end)
                choices.append(iter(self.ends(key, end)))
        return key[max(dead) :].replace(self.end_of_word or " ", " ").strip()

    def ends(self, key: str, start: int) -> list[int]:
        """Return where sentences that begin at a place of the key end, the longest first."""
        opening = key[start : start + _OPENING]
        lengths = [*self.lengths.get(opening, ()), *range(1, _OPENING)]
        ends = {start + length for length in lengths if start + length <= len(key)}
        return sorted((end for end in ends if key[start:end] in self.sentences), reverse=True)
