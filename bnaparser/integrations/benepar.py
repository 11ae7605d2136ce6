"""benepar 0.2's own names on our parsers, so that one line of a program changes.

    from bnaparser.integrations import benepar
    parser = benepar.Parser("benepar_en3")
    parser.parse(benepar.InputSentence(words=["Fly", "safely", "."]))

A model is one of benepar's (a folder, its zip, or one that ``download`` has put among NLTK's data),
with the same trees, or a model of bnaparser. ``nlp.add_pipe("benepar")`` works, too, where spaCy is installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import nltk

from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import ConstituentError, MissingExtraError, SentenceError
from bnaparser.integrations.benepar_models import download, locate
from bnaparser.integrations.spaced_words import spaced_sentence
from bnaparser.parsing.parser import Parser as LoadedParser
from bnaparser.parsing.result import Parse
from bnaparser.text.detokenize import detokenize_words, language_of_labels, spaces_after, spacing
from bnaparser.text.splitting import read_sentences
from bnaparser.trees.escapes import BRACKET_ESCAPES
from bnaparser.trees.tree import assemble_nltk, preorder

with suppress(MissingExtraError):  # spaCy is needed for that name alone
    from bnaparser.integrations.benepar_spacy import BeneparComponent

__all__ = ["BeneparComponent", "InputSentence", "NonConstituentException", "Parser", "download"]

_TOKENIZERS = {"en": "english", "de": "german", "fr": "french", "pl": "polish", "sv": "swedish"}
_BRACKETS = str.maketrans(BRACKET_ESCAPES)

NonConstituentException = ConstituentError


@dataclass
class InputSentence:
    """A sentence: its ``words`` as typed, or ``escaped_words`` as a treebank writes them, or both.

    ``space_after`` says whether a blank follows each word, ``tags`` stand in the tree. What is None
    is filled in from the rest. The tree has the ``escaped_words``.
    """

    words: list[str] | None = None
    space_after: list[bool] | None = None
    tags: list[str] | None = None
    escaped_words: list[str] | None = None

    @property
    def tree(self) -> None:
        """Nothing: in benepar a tree to train on."""
        return None

    def leaves(self) -> list[str] | None:
        """Return the words that the tree has."""
        return self.escaped_words

    def pos(self) -> list[tuple[str, str]]:
        """Return the words of the tree with their tags; UNK for a word without a tag."""
        words = self.escaped_words or []
        return list(zip(words, self.tags or ["UNK"] * len(words), strict=True))


class BeneparParser:
    """``benepar.Parser``: NLTK's trees of sentences of words.

    ``name`` is a model; ``batch_size`` sentences are read before the first tree is given, and as many
    again before the next ones; of a list more and more.
    ``language_code`` (by default detected from the labels; required for a model of several languages) is the
    language: it says where blanks stand between words and whether a text can be split. A sentence that cannot be parsed is a SentenceError.
    """

    def __init__(self, name: str, batch_size: int = 64, language_code: str | None = None):
        if batch_size < 1:
            raise ValueError(f"batch_size {batch_size}: it must be at least 1")
        self._parser = LoadedParser.load(locate(name))
        known = self._parser.languages
        if len(known) > 1:
            if language_code is None:
                raise ValueError(f"{name} is for {', '.join(known)}: choose one with language_code")
            self._parser = self._parser.in_language(language_code)
            language_code = language_code[:2].lower()
        self._language_code = language_code or language_of_labels(self._parser.model.labels.names)
        self.batch_size = batch_size

    def parse(self, sentence: InputSentence | Sequence[str] | str) -> Any:
        """Return the ``nltk.Tree`` of a sentence: an InputSentence, a list of words, or a text."""
        return next(self.parse_sents([sentence]))

    def parse_sents(
        self, sents: Iterable[InputSentence | Sequence[str] | str] | str
    ) -> Iterator[Any]:
        """Yield the ``nltk.Tree`` of each sentence, in order; a text is split into sentences first."""
        source = iter(self._sentences(sents) if isinstance(sents, str) else sents)
        for batch in self._batches(source, grow=isinstance(sents, str | list | tuple)):
            found = self._parser.parse_sentences(
                [
                    spaced_sentence(zip(one.words or [], one.space_after or [], strict=True))
                    for one in batch
                ]
            )
            for given, parse in zip(batch, found, strict=True):
                yield _tree(given, parse, self._parser.predicts_tags)

    def _batches(
        self, sents: Iterable[InputSentence | Sequence[str] | str], grow: bool
    ) -> Iterator[list[InputSentence]]:
        """Yield the filled sentences in lists, larger and larger ones where they are all there: ``grow``."""
        size = self.batch_size
        batch: list[InputSentence] = []
        try:
            for sent in sents:
                batch.append(self._filled(sent))
                if len(batch) >= size:
                    yield batch
                    batch = []
                    size = max(size, min(2 * size, READ_AHEAD)) if grow else size
        except Exception:
            if batch:
                yield batch
            raise
        if batch:
            yield batch

    def _sentences(self, text: str) -> list[str]:
        if self._language_code == "en":  # NLTK's splitter would have to be downloaded
            return [sentence.text for sentence in read_sentences(text)]
        split: list[str] = nltk.sent_tokenize(text, self._tokenizer("sentences"))
        return split

    def _filled(self, sent: InputSentence | Sequence[str] | str) -> InputSentence:
        """Return a sentence with all that was None but its tags."""
        if isinstance(sent, str):
            language = self._tokenizer("words")
            words = nltk.word_tokenize(sent, language, preserve_line=True)
            sent = InputSentence(escaped_words=words)
        elif isinstance(sent, list | tuple):
            sent = InputSentence(words=list(sent))
        elif not isinstance(sent, InputSentence):
            raise ValueError(  # noqa: TRY004  # as benepar does
                "Sentences must be one of: InputSentence, list, tuple, or str"
            )
        if sent.words is None:
            if sent.escaped_words is None:
                raise ValueError("At least one of words or escaped_words is required")
            sent = replace(sent, words=detokenize_words(sent.escaped_words))
        words = sent.words or []
        if sent.escaped_words is None:
            sent = replace(sent, escaped_words=[word.translate(_BRACKETS) for word in words])
        if sent.space_after is None:
            spaces = spaces_after(words, spacing(self._language_code))
            sent = replace(sent, space_after=spaces)
        for name in ("escaped_words", "space_after", "tags"):
            row = getattr(sent, name)
            if row is not None and len(row) != len(words):
                raise ValueError(
                    f"Length of words ({len(words)}) does not match {name} ({len(row)})"
                )
        return sent

    def _tokenizer(self, parts: str) -> str:
        """Return NLTK's name of the language."""
        language = _TOKENIZERS.get(self._language_code or "")
        if language is None:
            raise ValueError(
                f"No tokenizer available for this language. Please split into {parts} before"
                " calling the parser."
            )
        return language


Parser = BeneparParser


def _tree(given: InputSentence, parse: Parse, tagged: bool) -> Any:
    """Return the tree with the words and tags that were given."""
    if parse.error is not None:
        raise SentenceError(f"{parse.error}: {parse.text!r:.80}")
    labels, arities = preorder(parse.tags, parse.spans, "TOP")
    tags = iter(given.tags or (parse.tags if tagged else ["UNK"] * len(parse.words)))
    known = [label if below else next(tags) for label, below in zip(labels, arities, strict=True)]
    return assemble_nltk(known, arities, given.escaped_words or [])


def __getattr__(name: str) -> Any:
    if name == "BeneparComponent":
        raise MissingExtraError("spacy", "spacy")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
