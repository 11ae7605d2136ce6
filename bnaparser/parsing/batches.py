"""Parse many sentences in batches; a sentence that cannot be parsed gets the reason in `error`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from bnaparser.network.decoding import Prediction, in_batches
from bnaparser.parsing.named_constraints import tag_against
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.result import Parse
from bnaparser.parsing.validation import Tags, reason_against, rows_of_tags
from bnaparser.text.sentence import Sentence

FAILED = "the parser failed on this sentence"

Ready = TypeVar("Ready")


class SentenceRequest(NamedTuple):
    """One sentence to parse: its words, its tags (or None), and its options."""

    sentence: Sentence
    tags: Tags
    parse_options: ParseOptions

    def refused(self, reason: str) -> SentenceRequest:
        """Return the request with the reason why the sentence cannot be parsed."""
        return self._replace(parse_options=self.parse_options.with_constraints(reason))


class ParsingLimits(NamedTuple):
    """Limits that hold for all sentences of a call: tags, words, batch size and threads."""

    reads_tags: bool
    max_words: int
    batch_tokens: int
    threads: int
    prefer_single_thread: bool = False


def zip_requests(
    sentences: Sequence[Sentence],
    tags: Iterable[Iterable[str]] | None,
    options: ParseOptions | Sequence[ParseOptions],
) -> list[SentenceRequest]:
    """Return a request for each sentence: its words, its tags and its options.

    Raises ValueError unless there is one row of tags and one `ParseOptions` for each sentence.
    """
    rows: Sequence[Tags] = [None] * len(sentences) if tags is None else rows_of_tags(tags)
    if len(rows) != len(sentences):
        raise ValueError(
            f"{len(rows)} lists of tags for {len(sentences)} sentences: give one list for each sentence"
        )
    if isinstance(options, ParseOptions):
        options = [options] * len(sentences)
    if len(options) != len(sentences):
        raise ValueError(f"{len(options)} options for {len(sentences)} sentences")
    return list(map(SentenceRequest, sentences, rows, options))


def parse_each(
    requests: Sequence[SentenceRequest],
    prepare: Callable[[Sequence[SentenceRequest]], Sequence[Ready]],
    size: Callable[[Ready], int],
    predict: Callable[[Sequence[tuple[Ready, ParseOptions]]], Sequence[Prediction | str]],
    limits: ParsingLimits,
) -> list[Parse]:
    """Parse all valid sentences in batches sorted by length; return a `Parse` for each sentence, in order.

    ``prepare`` makes sentences ready, of a ``size`` in subwords; ``predict`` parses a batch of them:
    the options of all request the best tree alone, or those of none do.
    """
    found: dict[int, Prediction | str] = {}
    for index, one in enumerate(requests):
        reason = one.parse_options.problem or reason_against(
            one.sentence, one.tags, limits.reads_tags, limits.max_words
        )
        if reason is None and one.tags is not None:
            reason = tag_against(one.parse_options.constraints, one.tags)
        if reason is not None:
            found[index] = reason
    good = [index for index in range(len(requests)) if index not in found]
    ready: dict[int, tuple[Ready, ParseOptions]] = {}
    of_good = each_or_reason(prepare, [requests[index] for index in good], FAILED)
    for index, made in zip(good, of_good, strict=True):
        if isinstance(made, str):
            found[index] = made
        else:
            one = requests[index]
            ready[index] = made, one.parse_options.for_words(one.sentence.words)
    for plain in (True, False):
        places = [
            index for index, (_, parse_options) in ready.items() if parse_options.plain == plain
        ]
        chosen = [ready[index] for index in places]
        predicted = _in_batches(chosen, size, predict, limits) if chosen else []
        found.update(zip(places, predicted, strict=True))
    return [_parse_of(one, found[index]) for index, one in enumerate(requests)]


def _in_batches(
    ready: Sequence[tuple[Ready, ParseOptions]],
    size: Callable[[Ready], int],
    predict: Callable[[Sequence[tuple[Ready, ParseOptions]]], Sequence[Prediction | str]],
    limits: ParsingLimits,
) -> list[Prediction | str]:
    def of_batch(batch: list[int]) -> list[Prediction | str]:
        return each_or_reason(predict, [ready[place] for place in batch], FAILED)

    sizes = [size(one) for one, _ in ready]
    return in_batches(
        of_batch, sizes, limits.batch_tokens, limits.threads, limits.prefer_single_thread
    )


def _parse_of(request: SentenceRequest, found: Prediction | str) -> Parse:
    """Return the `Parse` of a sentence: its predicted tree, or the reason why it has none."""
    sentence = request.sentence
    if isinstance(found, str):
        return Parse.without_tree(sentence, found)
    # A model without a tag head names every word's part of speech XX.
    tags = request.tags or tuple(found.tags or ["XX"] * len(sentence.words))

    def parse(one: Prediction, others: tuple[Parse, ...] = ()) -> Parse:
        spans, places = tuple(one.spans), sentence.offsets
        known = (one.score, places, None, one.probability, one.entropy, others)
        return Parse(sentence.text, sentence.words, tags, spans, *known, language=sentence.language)

    return parse(found, tuple(map(parse, found.others)))


log = logging.getLogger(__name__)
In = TypeVar("In")
Out = TypeVar("Out")


def each_or_reason(
    function: Callable[[Sequence[In]], Sequence[Out]], items: Sequence[In], failed: str
) -> list[Out | str]:
    """Apply a function to all items; if it fails, apply it to each item separately, so that only
    bad items fail.

    Returns a result for each item, in order, or the reason why it has none: ``failed``, such as
    "the parser failed on this sentence", and the error.
    """
    try:
        return list(function(items))
    except Exception as error:  # whatever it is, it must not take the other items along
        if len(items) == 1:
            log.debug(failed, exc_info=True)
            return [f"{failed}: {type(error).__name__}: {error}"]
    return [result for item in items for result in each_or_reason(function, [item], failed)]


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Let PyTorch, where it is loaded, compute in here with the calling thread only."""
    if "torch" not in sys.modules:
        yield
        return
    import torch

    before = torch.get_num_threads()
    if before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _compute_alone() -> None:
    """Let a forked process compute with one thread: it has none of its parent's helpers.

    OpenMP does not know, and would wait for them for ever.
    """
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_compute_alone)
