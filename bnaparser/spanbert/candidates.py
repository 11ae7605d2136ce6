"""Spans of text that stand for something, found once for all blocks: names, noun phrases, constituents.

Names come from spaCy (SpanBERT, 6.1), phrases from our own parser, whose trees are kept with the blocks. A
span of characters becomes a span of subwords: from the first that lies in it to the last.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from transformers import PreTrainedTokenizerBase

from bnaparser.errors import MissingExtraError, ModelError
from bnaparser.spanbert.blocks import Blocks, TokenisedSentence, generated, tokenise
from bnaparser.spanbert.made_once import make_once
from bnaparser.spanbert.masking import Candidates
from bnaparser.spanbert.pretrain_settings import MaskingSettings

log = logging.getLogger(__name__)

# Numbers and dates are names to spaCy, but not to the paper.
_NUMERICAL = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
# Blocks whose sentences are annotated at once.
_AT_ONCE = 64


class TextSpan(NamedTuple):
    """A span of characters of a sentence, and how many words it has."""

    start: int
    end: int
    words: int


# Called with sentences; gives the spans of each.
Annotate = Callable[[Sequence[str]], list[list[TextSpan]]]


def annotated(blocks: Blocks, tokenizer: PreTrainedTokenizerBase, settings: MaskingSettings) -> Any:
    """Return the candidates of every block, a memory-mapped table with one row a block.

    A row has ``starts``, ``ends`` and ``words``. It is made once and kept beside the blocks, by
    what annotates them; an interrupted run begins it again. Raises ModelError or
    MissingExtraError where parser or pipeline is not there.
    """
    import datasets

    def make(new: Path) -> None:
        rows = {"blocks": blocks, "tokenizer": tokenizer, "annotate": annotator(settings)}
        numbers = datasets.List(datasets.Value("int32"))
        columns = dict.fromkeys(("starts", "ends", "words"), numbers)
        table = generated(_rows, rows, new / "cache", columns)
        table.save_to_disk(str(new / "table"))
        shutil.rmtree(new / "cache")

    folder = blocks.folder / _key(settings)
    make_once(folder, make)
    return datasets.load_from_disk(str(folder / "table"))


def candidates_of(row: dict[str, Any]) -> Candidates:
    """Return the candidates of a block from its row."""
    spans = np.stack([np.asarray(row["starts"]), np.asarray(row["ends"])], axis=1)
    return Candidates(spans.astype(np.int64), np.asarray(row["words"], np.int64))


def subword_spans(
    sentences: Sequence[TokenisedSentence], found: Sequence[Sequence[TextSpan]]
) -> list[tuple[int, int, int]]:
    """Return the spans of a block's sentences as (first subword, one after the last, words)."""
    result = []
    offset = 0
    for sentence, spans in zip(sentences, found, strict=True):
        begins = np.array([start for start, _ in sentence.places])
        ends = np.array([end for _, end in sentence.places])
        for span in spans:
            first = int(np.searchsorted(ends, span.start, side="right"))
            last = int(np.searchsorted(begins, span.end, side="left"))
            # A span that begins inside a word of the tokenizer is none of whole words.
            if first < last and sentence.starts[first]:
                result.append((offset + first, offset + last, span.words))
        offset += len(sentence.ids)
    return result


def _rows(
    blocks: Blocks, tokenizer: PreTrainedTokenizerBase, annotate: Annotate
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(blocks), _AT_ONCE):
        texts = blocks.table[start : start + _AT_ONCE]["sentences"]
        found = iter(annotate([text for block in texts for text in block]))
        for block in texts:
            spans = subword_spans(tokenise(tokenizer, block), list(islice(found, len(block))))
            columns = np.array(spans, np.int32).reshape(-1, 3)
            yield {"starts": columns[:, 0], "ends": columns[:, 1], "words": columns[:, 2]}
        log.info("annotated %d of %d blocks", min(start + _AT_ONCE, len(blocks)), len(blocks))


def _key(settings: MaskingSettings) -> str:
    by = settings.entities if settings.scheme == "entities" else settings.parser
    told = json.dumps([settings.scheme, by]).encode()
    return f"{settings.scheme}-{hashlib.sha256(told).hexdigest()[:12]}"


def annotator(settings: MaskingSettings) -> Annotate:
    """Return what finds the spans that a scheme needs. Raises ModelError or MissingExtraError."""
    if settings.scheme == "entities":
        return names(settings.entities)
    wanted = {"NP"} if settings.scheme == "noun_phrases" else None
    return constituents(settings.parser, wanted)


def constituents(model: str | Path, labels: set[str] | None) -> Annotate:
    """Return what finds the constituents of our parser: those with one of the labels, or all.

    A noun phrase that holds another one is none of its own: only the innermost are taken where
    ``labels`` are given, as spaCy's noun chunks are.
    """
    from bnaparser.parsing.parser import Parser
    from bnaparser.text.splitting import tokenize

    parser = Parser.load(model)

    def annotate(texts: Sequence[str]) -> list[list[TextSpan]]:
        result = []
        for parse in parser.parse_sentences([tokenize(text) for text in texts]):
            spans = [
                span
                for span in parse.spans
                if labels is None or not labels.isdisjoint(span.label.split("::"))
            ]
            if labels is not None:
                spans = [one for one in spans if not any(_holds(one, other) for other in spans)]
            result.append(
                [
                    TextSpan(
                        parse.offsets[span.start][0],
                        parse.offsets[span.end - 1][1],
                        span.end - span.start,
                    )
                    for span in spans
                ]
            )
        return result

    return annotate


def _holds(outer: Any, inner: Any) -> bool:
    return inner is not outer and outer.start <= inner.start and inner.end <= outer.end


def names(pipeline: str) -> Annotate:
    """Return what finds the names of a spaCy pipeline that are no numbers, times or amounts."""
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error
    try:
        loaded = spacy.load(pipeline, enable=["tok2vec", "transformer", "ner"])
    except OSError as error:
        raise ModelError(f"spaCy has no pipeline {pipeline!r}: {error}") from error

    def annotate(texts: Sequence[str]) -> list[list[TextSpan]]:
        return [
            [
                TextSpan(entity.start_char, entity.end_char, len(entity))
                for entity in document.ents
                if entity.label_ not in _NUMERICAL
            ]
            for document in loaded.pipe(texts, batch_size=256)
        ]

    return annotate
