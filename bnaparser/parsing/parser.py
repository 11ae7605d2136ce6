"""The parser that users hold: text or words in, trees out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from bnaparser import models
from bnaparser.encoders.batching import PARSING_TOKENS, READ_AHEAD, default_tokens
from bnaparser.encoders.device import move
from bnaparser.errors import SentenceError
from bnaparser.network import storage
from bnaparser.network.decoding import Prediction, predict_batch
from bnaparser.network.model import BnaModel, PreparedSentence
from bnaparser.parsing.failures import each_or_reason
from bnaparser.parsing.parallel import in_batches
from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import MAX_WORDS, Sentence, from_words, not_one_string
from bnaparser.text.splitting import split, tokenize

Tags = tuple[str, ...] | None

_FAILED = "the parser failed on this sentence"
_BLANK = re.compile(r"\s", re.ASCII)

__all__ = ["MAX_WORDS", "Parse", "Parser"]


class Parser:
    """A loaded model. ``Parser.load("en")("It rained.")`` gives one Parse a sentence.

    A sentence that cannot be parsed gives a Parse with ``error`` set, in its place; the others are
    parsed all the same. A Parser may be used from one thread at a time.
    """

    def __init__(self, model: BnaModel, batch_tokens: int | None = None):
        _check_batch_tokens(batch_tokens)
        self.model = model.eval()
        self.batch_tokens = batch_tokens or default_tokens(PARSING_TOKENS, str(model.device))

    @property
    def predicts_tags(self) -> bool:
        """Whether the model tags words itself; if not, it names every tag XX unless tags are given."""
        return self.model.settings.tags.predict

    @classmethod
    def load(
        cls,
        model: str | Path = "en",
        device: str | None = None,
        batch_tokens: int | None = None,
    ) -> Parser:
        """Load a model that ships, a model folder, or ``org/name`` of a model hub.

        ``device`` is a torch device; by default the first GPU, or the CPU where there is none.
        ``batch_tokens`` bounds the word pieces of a batch, by default to what suits the device.
        Raises ModelError when there is no such model, or it is damaged, or the device is not there.
        """
        loaded = storage.load(models.find(model))
        move(loaded, device)
        return cls(loaded, batch_tokens)

    def __call__(self, text: str) -> list[Parse]:
        """Parse running text: it is split into sentences; offsets count in the whole text."""
        return self.parse_sentences(split(text))

    def parse_sentence(self, text: str) -> Parse:
        """Parse a text that is one sentence."""
        return self.parse_sentences([tokenize(text)])[0]

    def parse_words(self, words: Iterable[str], tags: Sequence[str] | None = None) -> Parse:
        """Parse a sentence of given words; ``tags`` stand in the tree, and guide a model that takes them.

        Raises TypeError for a string: ``parse_sentence`` takes text.
        """
        return self.parse_many([words], None if tags is None else [tags])[0]

    def parse_many(
        self, sentences: Iterable[Iterable[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> list[Parse]:
        """Parse sentences of given words, in batches; a Parse each, in order.

        Offsets count in the words joined by blanks. ``tags`` gives one tag a word.
        """
        each = not_one_string(sentences, "sentences, each a list of words")
        return self.parse_sentences([from_words(words) for words in each], tags)

    def stream(self, lines: Iterable[str], batch_tokens: int | None = None) -> Iterator[Parse]:
        """Parse lines, a sentence each, in constant memory; a Parse each, in order.

        ``batch_tokens`` takes the place of the parser's own.
        """
        source = iter(not_one_string(lines, "lines"))
        while ahead := list(islice(source, READ_AHEAD)):
            yield from self.parse_sentences([tokenize(line) for line in ahead], None, batch_tokens)

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
    ) -> list[Parse]:
        """Parse tokenized sentences, in length-sorted batches; a Parse each, in order."""
        _check_batch_tokens(batch_tokens)
        rows = [None] * len(sentences) if tags is None else [tuple(row) for row in tags]
        if len(rows) != len(sentences):
            raise ValueError(f"{len(rows)} lists of tags for {len(sentences)} sentences")
        given = list(zip(sentences, rows, strict=True))
        found: dict[int, Prediction | str] = {}
        prepared: dict[int, PreparedSentence] = {}
        good: list[int] = []
        for index, (sentence, row) in enumerate(given):
            try:
                _check(sentence, row)
                good.append(index)
            except SentenceError as error:
                found[index] = str(error)
        of_good = each_or_reason(self._prepare, [given[index] for index in good], _FAILED)
        for index, one in zip(good, of_good, strict=True):
            if isinstance(one, str):
                found[index] = one
            else:
                prepared[index] = one
        ready = list(prepared.values())
        predictions = in_batches(
            lambda batch: each_or_reason(self._predict, [ready[place] for place in batch], _FAILED),
            [one.size for one in ready],
            batch_tokens or self.batch_tokens,
            on_cpu=self.model.device.type == "cpu",
        )
        found.update(zip(prepared, predictions, strict=True))
        return [_parse(sentence, found[index], row) for index, (sentence, row) in enumerate(given)]

    def _prepare(self, given: Sequence[tuple[Sentence, Tags]]) -> list[PreparedSentence]:
        tags = [row for _, row in given if row is not None]
        return self.model.prepare([sentence.words for sentence, _ in given], tags or None)

    def _predict(self, batch: Sequence[PreparedSentence]) -> list[Prediction]:
        return predict_batch(self.model, batch)


def _check_batch_tokens(batch_tokens: int | None) -> None:
    if batch_tokens is not None and batch_tokens < 1:
        raise ValueError(f"batch_tokens is {batch_tokens}: it must be at least 1")


def _check(sentence: Sentence, tags: Tags) -> None:
    """Raise SentenceError for a sentence that the network cannot take, saying why."""
    count = len(sentence.words)
    if count == 0:
        raise SentenceError("the sentence has no words")
    if count > MAX_WORDS:
        raise SentenceError(
            f"the sentence has {count:,} words, more than {MAX_WORDS:,}: split it into sentences"
        )
    for number, word in enumerate(sentence.words, 1):
        # As in trees: a no-break space may stand inside a word.
        if not word or _BLANK.search(word):
            raise SentenceError(f"word {number} is {word!r}: a word has no blanks and is not empty")
    if tags is None:
        return
    if len(tags) != count:
        raise SentenceError(f"{len(tags)} tags for {count} words: give one tag a word")
    for number, tag in enumerate(tags, 1):
        if not tag or any(char.isspace() or char in "()" for char in tag):
            raise SentenceError(
                f"tag {number} is {tag!r}: a tag has no blanks, no brackets and is not empty"
            )


def _failed(sentence: Sentence, reason: str) -> Parse:
    return Parse(sentence.text, sentence.words, offsets=sentence.offsets, error=reason)


def _parse(sentence: Sentence, found: Prediction | str, tags: Tags) -> Parse:
    if isinstance(found, str):
        return _failed(sentence, found)
    # A model without a tag head names every word's part of speech XX.
    row = tags or tuple(found.tags or ["XX"] * len(sentence.words))
    return Parse(
        sentence.text, sentence.words, row, tuple(found.spans), found.score, sentence.offsets
    )
