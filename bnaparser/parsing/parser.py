"""The parser that users hold: text or words in, trees out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from bnaparser import models
from bnaparser.encoders.batching import PARSING_TOKENS, READ_AHEAD, default_tokens
from bnaparser.errors import SentenceError
from bnaparser.network.decoding import Prediction, predict_batch
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import Precision, load_network
from bnaparser.network.prepared import PreparedSentence
from bnaparser.parsing.failures import each_or_reason
from bnaparser.parsing.given import (
    check_name,
    check_sentences,
    check_text,
    each_pair,
    each_sentence,
    each_text,
    kind,
    rows_of_tags,
    sentence_of,
)
from bnaparser.parsing.parallel import in_batches
from bnaparser.parsing.result import Parse, Parses
from bnaparser.parsing.threads import on_one_thread, usable_threads
from bnaparser.text.english.stand_ins import as_read
from bnaparser.text.sentence import MAX_WORDS, Sentence
from bnaparser.text.split_names import Split
from bnaparser.text.splitting import read_sentences, tokenize
from bnaparser.text.typed import Spacing, as_typed

Tags = tuple[str, ...] | None
Context = TypeVar("Context")

FAILED = "the parser failed on this sentence"
_BLANK = re.compile(r"\s", re.ASCII)

_MANY = "parser.pipe takes many texts, parser.parse_words the words of a sentence"

__all__ = ["FAILED", "MAX_WORDS", "Parse", "Parser", "Parses", "Tags", "parse_of", "reason_against"]


class Parser:
    """A loaded model. ``Parser.load("en")("It rained.")`` gives one Parse a sentence.

    A sentence that cannot be parsed gives a Parse with ``error`` set, in its place; the others are
    parsed all the same. A Parser may be used from one thread at a time. A process that is forked
    may use it, too, and computes with one thread. Pickled, it is the name and the device that it
    was loaded by, and is loaded anew.
    """

    def __init__(self, model: ParsingNetwork, batch_tokens: int | None = None):
        if not hasattr(model, "best_labels"):
            raise TypeError(
                f"give a loaded model, not {kind(model)}: Parser.load takes a name or a folder, as"
                ' in Parser.load("en")'
            )
        _check_batch_tokens(batch_tokens)
        model.eval()
        self.model = model
        self.cased = model.reads_case
        self.batch_tokens = batch_tokens or default_tokens(PARSING_TOKENS, str(model.device))
        self.threads: int | None = None  # that compute at most; by default what PyTorch would take
        self.name: str | None = None  # what it was loaded by
        self._asked: Precision = "auto"  # the precision, when it was loaded

    @property
    def predicts_tags(self) -> bool:
        """Whether the model tags words itself; if not, it names every tag XX unless tags are given."""
        return self.model.settings.tags.predict

    @property
    def precision(self) -> str:
        """The numbers that it computes in: "float32", "bfloat16" or "int8"."""
        return self.model.precision

    @property
    def reads_tags(self) -> bool:
        """Whether the model reads part-of-speech tags: a sentence without them gets an ``error``."""
        return self.model.settings.tags.given

    @classmethod
    def load(
        cls,
        model: str | Path = "en",
        device: str | None = None,
        batch_tokens: int | None = None,
        precision: Precision = "auto",
    ) -> Parser:
        """Load a model that ships, a model folder or its zip, or ``org/name`` of a model hub.

        A folder may be one of benepar's.
        ``device`` is a torch device; by default the first GPU, or the CPU where there is none.
        ``batch_tokens`` bounds the word pieces of a batch, by default to what suits the device.
        ``precision`` is "float32", "bfloat16", "int8" (on a CPU), or "auto": on a CPU int8 where the
        model's weights are stored so and the machine multiplies bytes faster, else float32; on a GPU
        bfloat16 where it has that. Raises ModelError when there is no such model, or it is damaged, or
        the device is not there or cannot compute so.
        """
        check_name(model, 'Parser.load("en")')
        folder = models.find(model)
        parser = cls(load_network(folder, device, precision), batch_tokens)
        parser._asked = precision
        parser.name = models.lasting_name(model, folder)
        return parser

    def __call__(self, text: str, split: Split = "paragraph") -> Parses:
        """Parse a text, a Parse each sentence; ``split`` says what a line of it is.

        ``"paragraph"``: a line ends a sentence, and sentences are found within it. ``"text"``:
        hard-wrapped running text. ``"line"``: one sentence a line. ``"token"``: that, with words
        separated by blanks. Offsets count in the whole text, with ``line`` and ``token`` in the
        line; an empty line there gives a Parse with ``error`` set. Raises ValueError for another
        ``split``.
        """
        check_text(text, _MANY)
        return Parses(self.parse_sentences(read_sentences(text, split)))

    def parse_sentence(self, text: str) -> Parse:
        """Parse a text that is one sentence."""
        check_text(text, _MANY)
        return self.parse_sentences([tokenize(text)])[0]

    def parse_words(self, words: Iterable[str], tags: Sequence[str] | None = None) -> Parse:
        """Parse a sentence of given words; ``tags`` stand in the tree, and guide a model that reads them.

        Raises TypeError for a string: ``parse_sentence`` takes text.
        """
        return self.parse_sentences([sentence_of(words)], None if tags is None else [tags])[0]

    def parse_many(
        self, sentences: Iterable[Iterable[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> Parses:
        """Parse sentences of given words, in batches; a Parse each, in order.

        Offsets count in the words joined by blanks. ``tags`` gives one tag a word.
        """
        return Parses(self.parse_sentences(list(each_sentence(sentences)), tags))

    def stream(self, lines: Iterable[str], batch_tokens: int | None = None) -> Iterator[Parse]:
        """Parse lines, a sentence each, in constant memory; a Parse each, in order.

        A line is one sentence whatever is in it, as with ``split="line"``, and offsets count in it.
        ``batch_tokens`` takes the place of the parser's own.
        """
        source = each_text(lines, "lines")
        while ahead := list(islice(source, READ_AHEAD)):
            yield from self.parse_sentences([tokenize(line) for line in ahead], None, batch_tokens)

    @overload
    def pipe(self, texts: Iterable[str], as_tuples: Literal[False] = False) -> Iterator[Parses]: ...
    @overload
    def pipe(
        self, texts: Iterable[tuple[str, Context]], as_tuples: Literal[True]
    ) -> Iterator[tuple[Parses, Context]]: ...
    def pipe(self, texts: Iterable[Any], as_tuples: bool = False) -> Iterator[Any]:
        """Parse running texts, in constant memory; what ``parser(text)`` gives for each, in order.

        Batches are filled across texts. ``as_tuples``: pairs of a text and anything at all come
        in, pairs of its parses and the same thing go out.
        """
        source = each_pair(texts) if as_tuples else ((t, None) for t in each_text(texts, "texts"))
        for ahead in _read_ahead((read_sentences(text), context) for text, context in source):
            parses = iter(self.parse_sentences([s for sentences, _ in ahead for s in sentences]))
            for sentences, context in ahead:
                of_text = Parses(islice(parses, len(sentences)))
                yield (of_text, context) if as_tuples else of_text

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
    ) -> list[Parse]:
        """Parse tokenized sentences, in length-sorted batches; a Parse each, in order."""
        check_sentences(sentences)
        _check_batch_tokens(batch_tokens)
        rows: Sequence[Tags] = [None] * len(sentences) if tags is None else rows_of_tags(tags)
        if len(rows) != len(sentences):
            raise ValueError(f"{len(rows)} lists of tags for {len(sentences)} sentences")
        given = list(zip(sentences, rows, strict=True))
        found: dict[int, Prediction | str] = {}
        prepared: dict[int, PreparedSentence] = {}
        good: list[int] = []
        for index, (sentence, row) in enumerate(given):
            reason = reason_against(sentence, row, self.reads_tags)
            if reason is None:
                good.append(index)
            else:
                found[index] = reason
        of_good = each_or_reason(self.prepare, [given[index] for index in good], FAILED)
        for index, one in zip(good, of_good, strict=True):
            if isinstance(one, str):
                found[index] = one
            else:
                prepared[index] = one
        ready = list(prepared.values())
        predictions = in_batches(
            lambda batch: each_or_reason(self._predict, [ready[place] for place in batch], FAILED),
            [one.size for one in ready],
            batch_tokens or self.batch_tokens,
            self.usable_threads(),
        )
        found.update(zip(prepared, predictions, strict=True))
        return [
            parse_of(sentence, found[index], row) for index, (sentence, row) in enumerate(given)
        ]

    def __repr__(self) -> str:
        name = "a model in memory" if self.name is None else repr(self.name)
        known = f"{len(self.model.labels) - 1} labels"
        if self.predicts_tags:
            known += f", {len(self.model.tags)} tags"
        batch = f"batches of {self.batch_tokens:,} word pieces"
        return f"<Parser of {name} on {self.model.device}: {known}, {batch}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.name is None:
            raise TypeError(
                "a Parser of a model in memory cannot be pickled: save the model"
                " (bnaparser.network.storage.save) and load it with Parser.load(folder)"
            )
        given = (self.name, str(self.model.device), self.batch_tokens, self._asked)
        return type(self).load, given, {"cased": self.cased}

    def prepare(self, given: Sequence[tuple[Sentence, Tags]]) -> list[PreparedSentence]:
        """Return good sentences, with their tags where the model reads them, as it takes them."""
        tags = [row for _, row in given if row is not None]
        rows = None if len(tags) < len(given) else tags
        joined = self.model.settings.encoder.joined
        read = [_read(sentence, joined, self.cased) for sentence, _ in given]
        return self.model.prepare(read, rows)

    def _predict(self, batch: Sequence[PreparedSentence]) -> list[Prediction]:
        with on_one_thread():
            return predict_batch(self.model, batch)

    def usable_threads(self) -> int:
        """Return how many batches may be computed at once."""
        if not str(self.model.device).startswith("cpu"):
            return 1
        return self.threads or usable_threads()


def _read_ahead(
    texts: Iterable[tuple[list[Sentence], Context]],
) -> Iterator[list[tuple[list[Sentence], Context]]]:
    """Yield texts together that have READ_AHEAD sentences or more; the last ones may have fewer."""
    ahead, count = [], 0
    for sentences, context in texts:
        ahead.append((sentences, context))
        # An empty text counts, too: there may be any number of them.
        count += max(1, len(sentences))
        if count >= READ_AHEAD:
            yield ahead
            ahead, count = [], 0
    if ahead:
        yield ahead


def _read(sentence: Sentence, joined: Spacing | None, cased: bool) -> Sequence[str]:
    """Return what a model reads of a sentence: word by word, or joined to one text."""
    return as_read(sentence.words, cased) if joined is None else as_typed(sentence, joined)


def _check_batch_tokens(batch_tokens: int | None) -> None:
    if batch_tokens is not None and batch_tokens < 1:
        raise ValueError(f"batch_tokens is {batch_tokens}: it must be at least 1")


def reason_against(sentence: Sentence, tags: Tags = None, reads_tags: bool = False) -> str | None:
    """Return why the network cannot take a sentence with its tags; None where it can."""
    try:
        _check(sentence, tags, reads_tags)
    except SentenceError as error:
        return str(error)
    return None


def _check(sentence: Sentence, tags: Tags, reads_tags: bool) -> None:
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
        if reads_tags:
            raise SentenceError(
                "this model reads part-of-speech tags: give the words, and with tags=... a tag for each"
            )
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


def parse_of(sentence: Sentence, found: Prediction | str, tags: Tags = None) -> Parse:
    """Return what users get of a sentence: what was found, or the reason why there is nothing."""
    if isinstance(found, str):
        return _failed(sentence, found)
    # A model without a tag head names every word's part of speech XX.
    row = tags or tuple(found.tags or ["XX"] * len(sentence.words))
    return Parse(
        sentence.text, sentence.words, row, tuple(found.spans), found.score, sentence.offsets
    )
