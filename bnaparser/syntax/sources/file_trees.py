"""Trees for the texts of a task: from our parser, from a file that the user brings, from spaCy.

A source is called with texts and gives a `Structure` each, in order. A text is running text, split
into sentences here; or the words of one sentence; or several sentences of words.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from bnaparser import models
from bnaparser.errors import DataError, MissingExtraError, ModelError
from bnaparser.syntax.sources.conllu import load_conllu
from bnaparser.syntax.sources.store import TreeStore, Words, model_identity
from bnaparser.syntax.structure import Structure, dependencies_of
from bnaparser.text.sentence import split
from bnaparser.treebanks.reading import StrPath, find_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import UD, HeadRules
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

logger = logging.getLogger(__name__)

Text = str | Sequence[str] | Sequence[Sequence[str]]

NO_WORDS = "the text has no words"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Sentences that are parsed before their trees are stored: what an interruption loses.
_CHUNK = 256


class TreeSource(Protocol):
    """What gives each text its structure, in order; a text without one has ``error`` set."""

    def __call__(self, texts: Sequence[Text], /) -> list[Structure]:
        """Return a Structure for each text."""


class _Sentence(NamedTuple):
    """The words of a sentence, and of each whether a blank follows it."""

    words: Words
    spaces: tuple[bool, ...]


def _sentences(text: Text) -> list[_Sentence]:
    if not isinstance(text, str):
        one = all(isinstance(part, str) for part in text)
        given = [cast("Sequence[str]", text)] if one else text
        return [_Sentence(tuple(words), (True,) * len(words)) for words in given if words]
    found = []
    for sentence in split(text):
        ends = [start for start, _ in sentence.offsets[1:]] + [len(text)]
        pairs = zip(sentence.offsets, ends, strict=True)
        found.append(_Sentence(sentence.words, tuple(end < after for (_, end), after in pairs)))
    return found


class ParserTrees:
    """Constituency trees from our parser, dependency heads from them by head rules.

    Sentences are parsed in batches, each different one once; with ``cache`` their trees are kept in
    that file, under the words and all that makes the model what it is, so that the model is only
    loaded where a sentence is new. Any number of processes may share the file, and what has been
    parsed before an interruption is kept. A text of which a sentence cannot be parsed has neither
    trees nor heads, and says why in ``error``.

    ``model`` is a model that ships, a folder, ``org/name`` of a model hub, or a loaded Parser;
    ``device`` and ``batch_tokens`` are those of ``Parser.load``. Raises ModelError if there is no
    such model, DataError if the cache cannot be used.
    """

    def __init__(
        self,
        model: str | Path | Parser = "en",
        cache: StrPath | None = None,
        rules: HeadRules = UD,
        device: str | None = None,
        batch_tokens: int | None = None,
    ):
        self.rules = rules
        self.device, self.batch_tokens = device, batch_tokens
        self.model = models.find(model) if isinstance(model, str | Path) else model
        self.store = None if cache is None else TreeStore(cache, model_identity(self.model))

    def __call__(self, texts: Sequence[Text], /) -> list[Structure]:
        """Return the structure of each text, in order."""
        split_texts = [[sentence.words for sentence in _sentences(text)] for text in texts]
        trees = self.parse(words for sentences in split_texts for words in sentences)
        return [self._structure(sentences, trees) for sentences in split_texts]

    def parse(self, sentences: Iterable[Words]) -> dict[Words, Tree | str]:
        """Return the tree of each sentence of words, or the reason why it has none."""
        wanted = list(dict.fromkeys(sentences))
        found: dict[Words, Tree | str] = {}
        if self.store is not None:
            found.update(self.store.read(wanted))
        missing = sorted((words for words in wanted if words not in found), key=len)
        for start in range(0, len(missing), _CHUNK):
            fresh: dict[Words, Tree] = {}
            for parse in self.load().parse_many(missing[start : start + _CHUNK]):
                if parse.tree is None:
                    found[parse.words] = parse.error or "the parser gave no tree"
                else:
                    fresh[parse.words] = parse.tree
            if self.store is not None:
                self.store.write(fresh)
            found.update(fresh)
            done = min(start + _CHUNK, len(missing))
            logger.info("parsed %d of %d sentences that had no tree", done, len(missing))
        return found

    def load(self) -> Parser:
        """Return the parser; it is loaded when it is first needed."""
        if isinstance(self.model, Path):
            from bnaparser.parsing.parser import Parser

            self.model = Parser.load(self.model, self.device, self.batch_tokens)
        return self.model

    def _structure(self, sentences: list[Words], trees: Mapping[Words, Tree | str]) -> Structure:
        words = tuple(word for sentence in sentences for word in sentence)
        found: list[Tree] = []
        for sentence in sentences:
            tree = trees[sentence]
            if isinstance(tree, str):
                logger.warning("no tree for %r: %s", " ".join(sentence)[:60], tree)
                return Structure(words, None, error=tree)
            found.append(tree)
        if not words:
            return Structure((), None, error=NO_WORDS)
        return Structure.of_trees(words, found, self.rules)


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
        read = _read_conllu(path) if ".conllu" in self.path.suffixes else _read_trees(path, rules)
        for sentence in read:
            self.by_words.add(sentence)
            self.by_characters.add(sentence)
        if not self.by_words.sentences:
            raise DataError(f"{path}: no sentence in it")

    def __call__(self, texts: Sequence[Text], /) -> list[Structure]:
        """Return the structure of each text, in order."""
        return [self._structure(text, number) for number, text in enumerate(texts, 1)]

    def _structure(self, text: Text, number: int) -> Structure:
        if isinstance(text, str):
            given, index = text.split(), self.by_characters
        else:
            given = [word for sentence in _sentences(text) for word in sentence.words]
            index = self.by_words
        if not given:
            return Structure((), None, error=NO_WORDS)
        found = index.cover(given)
        if isinstance(found, str):
            raise DataError(
                f"{self.path}: no trees for text {number}, {' '.join(given)[:60]!r}: "
                f"no sentence of the file goes on with {found[:30]!r}"
            )
        words = given if index is self.by_words else [w for part in found for w in part.words]
        heads: list[int] = []
        for part in found:
            start = len(heads)
            heads.extend(head and head + start for head in part.heads)
        trees = tuple(part.tree for part in found if part.tree is not None)
        return Structure(tuple(words), tuple(heads), trees)


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


class SpacyTrees:
    """Dependency trees from a spaCy pipeline; there are no constituency trees.

    The words stay ours: spaCy is given them, and does not split them or join them. ``model`` is
    the name or folder of a pipeline, or one that is loaded. Raises MissingExtraError without
    spaCy, ModelError if there is no such pipeline or it has no dependency parser.
    """

    def __init__(self, model: str | Path | Any = "en_core_web_sm", batch_size: int = 256):
        self.batch_size = batch_size
        self.pipeline: Any = _load_spacy(model) if isinstance(model, str | Path) else model
        if "parser" not in self.pipeline.pipe_names:
            raise ModelError(f"the spaCy pipeline {model} has no dependency parser: take another")

    def __call__(self, texts: Sequence[Text], /) -> list[Structure]:
        """Return the structure of each text, in order."""
        split_texts = [_sentences(text) for text in texts]
        reasons = [_why_not(sentences) for sentences in split_texts]
        taken = zip(split_texts, reasons, strict=True)
        documents = (self._document(s) for text, why in taken if why is None for s in text)
        parsed = self.pipeline.pipe(documents, batch_size=self.batch_size)
        structures = []
        for sentences, reason in zip(split_texts, reasons, strict=True):
            words = tuple(word for sentence in sentences for word in sentence.words)
            if reason is not None:
                structures.append(Structure(words, None, error=reason))
                continue
            heads: list[int] = []
            for document in islice(parsed, len(sentences)):
                start = len(heads)
                above = [token.head.i for token in document]
                heads.extend(
                    0 if head == place else head + 1 + start for place, head in enumerate(above)
                )
            structures.append(Structure(words, tuple(heads)))
        return structures

    def _document(self, sentence: _Sentence) -> Any:
        starts = [place == 0 for place in range(len(sentence.words))]
        document: Any = _spacy().tokens.Doc
        return document(
            self.pipeline.vocab, sentence.words, spaces=sentence.spaces, sent_starts=starts
        )


def _why_not(sentences: Sequence[_Sentence]) -> str | None:
    """Return why spaCy cannot be given a text, or None."""
    words = [word for sentence in sentences for word in sentence.words]
    for number, word in enumerate(words, 1):
        if not word or _SURROGATE.search(word):
            return f"word {number} is {word!r}: a word is not empty and has no half characters"
    return None if words else NO_WORDS


def _spacy() -> Any:
    try:
        return import_module("spacy")
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error


def _load_spacy(model: str | Path) -> Any:
    spacy = _spacy()
    try:
        return spacy.load(model, exclude=["ner", "lemmatizer", "attribute_ruler", "textcat"])
    except OSError as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"spaCy has no pipeline {str(model)!r}: {reason}") from error
