"""Spans of text that stand for something, found once for all blocks: names, noun phrases, constituents.

Names come from spaCy (SpanBERT, 6.1), phrases from our own parser, whose trees are kept with the blocks. A
span of characters becomes a span of subwords: from the first that lies in it to the last. Text without
blanks between its words is annotated in any case: whole words are those that are found.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bnaparser import models
from bnaparser.errors import MissingExtraError, ModelError
from bnaparser.files.folder import WEIGHTS, deciding_files
from bnaparser.models.about import files_below
from bnaparser.spanbert.blocks import Blocks, TokenisedSentence, generated, tokenise
from bnaparser.spanbert.made_once import key_of, make_once
from bnaparser.spanbert.masking import Candidates
from bnaparser.spanbert.pretrain_settings import MaskingSettings, TextSettings
from bnaparser.text.text_rules import DEFAULT_LANGUAGE

log = logging.getLogger(__name__)

# Numbers and dates are names to spaCy, but not to the paper.
_NUMERICAL = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
# What finds names in a spaCy pipeline.
_FIND_NAMES = ("ner", "entity_ruler")
# Blocks whose sentences are annotated at once.
_AT_ONCE = 64


# The labels of noun phrases in the treebanks of the languages that are read.
_NOUN_PHRASES = frozenset({"NP", "np", "sn"})
_OF_SPANS = frozenset({"entities", "noun_phrases", "constituents"})


class TextSpan(NamedTuple):
    """A span of characters of a sentence, and how many words it has."""

    start: int
    end: int
    words: int


class FoundSpans(NamedTuple):
    """What is found in a sentence: spans, and where its words begin, in characters.

    The latter is empty where the words are those of the tokenizer.
    """

    spans: list[TextSpan]
    begins: tuple[int, ...] = ()


# Called with sentences; gives what is found in each.
Annotate = Callable[[Sequence[str]], list[FoundSpans]]


def is_annotated(settings: MaskingSettings, text: TextSettings) -> bool:
    """Whether masks need more of the text than its subwords: spans, or words that are to be found."""
    return settings.scheme in _OF_SPANS or (text.finds_words and settings.scheme != "subwords")


def annotated(
    blocks: Blocks,
    tokenizer: PreTrainedTokenizerBase,
    settings: MaskingSettings,
    text: TextSettings,
) -> Any:
    """Return the candidates of every block, a memory-mapped table with one row a block.

    A row has ``starts``, ``ends`` and ``words``; where words had to be found ``begins``, the subwords
    at which they begin. It is made once and kept beside the blocks, by the contents of what annotates
    them; an interrupted run begins it again. Raises ModelError or MissingExtraError where parser or
    pipeline is not there, SettingsError where the parser does not know the language.
    """
    import datasets

    def make(new: Path) -> None:
        rows = {"blocks": blocks, "tokenizer": tokenizer, "annotate": annotator(settings, text)}
        numbers = datasets.List(datasets.Value("int32"))
        told = ("starts", "ends", "words", *(("begins",) if text.finds_words else ()))
        columns = dict.fromkeys(told, numbers)
        table = generated(_rows, rows, new / "cache", columns)
        table.save_to_disk(str(new / "table"))
        shutil.rmtree(new / "cache")

    folder = blocks.folder / _key(settings, text)
    make_once(folder, make)
    return datasets.load_from_disk(str(folder / "table"))


def candidates_of(row: dict[str, Any]) -> Candidates:
    """Return the candidates of a block from its row."""
    spans = np.stack([np.asarray(row["starts"]), np.asarray(row["ends"])], axis=1)
    return Candidates(spans.astype(np.int64), np.asarray(row["words"], np.int64))


def word_starts_of(row: dict[str, Any], starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where the words of a block begin: as its row has found them, else as they are given."""
    if "begins" not in row:
        return starts
    found = np.zeros_like(starts)
    found[np.asarray(row["begins"])] = True
    return found


def with_found_words(sentence: TokenisedSentence, found: FoundSpans) -> TokenisedSentence:
    """Return a sentence whose words begin where they were found to, if they had to be.

    A subword that goes on from one word into another begins none. The first one always does.
    """
    if not found.begins:
        return sentence
    ends = np.array([end for _, end in sentence.places])
    starts = [number == 0 for number in range(len(sentence.ids))]
    for place, first in zip(
        found.begins, np.searchsorted(ends, found.begins, "right"), strict=True
    ):
        # Some tokenizers count the blank before a word to its first subword.
        if first < len(starts) and not sentence.text[sentence.places[first][0] : place].strip():
            starts[first] = True
    return replace(sentence, starts=starts)


def subword_spans(
    sentences: Sequence[TokenisedSentence], found: Sequence[FoundSpans]
) -> list[tuple[int, int, int]]:
    """Return the spans of a block's sentences as (first subword, one after the last, words)."""
    result = []
    offset = 0
    for sentence, (spans, _) in zip(sentences, found, strict=True):
        begins = np.array([start for start, _ in sentence.places])
        ends = np.array([end for _, end in sentence.places])
        for span in spans:
            first = int(np.searchsorted(ends, span.start, side="right"))
            last = int(np.searchsorted(begins, span.end, side="left"))
            # A span that begins inside a word is none of whole words.
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
            of_block = list(islice(found, len(block)))
            sentences = list(map(with_found_words, tokenise(tokenizer, block), of_block))
            spans = subword_spans(sentences, of_block)
            columns = np.array(spans, np.int32).reshape(-1, 3)
            row = {"starts": columns[:, 0], "ends": columns[:, 1], "words": columns[:, 2]}
            if any(one.begins for one in of_block):
                starts = [start for sentence in sentences for start in sentence.starts]
                row["begins"] = np.flatnonzero(starts).astype(np.int32)
            yield row
        log.info("annotated %d of %d blocks", min(start + _AT_ONCE, len(blocks)), len(blocks))


def _key(settings: MaskingSettings, text: TextSettings) -> str:
    """Return a name for what is found by the parser or pipeline as it is now: it may be trained on."""
    by = _pipeline if settings.scheme == "entities" else _parser
    language = [] if text.language == DEFAULT_LANGUAGE else [text.language]
    told = json.dumps([settings.scheme, by(settings, text), *language]).encode()
    return f"{settings.scheme}-{hashlib.sha256(told).hexdigest()[:12]}"


def _parser(settings: MaskingSettings, text: TextSettings) -> str:
    """Return a hash of the files that decide what the parser gives."""
    from bnaparser.parsing.default_model import name_in

    return key_of((), _files(models.find(name_in(settings.parser, text.language))))


def _files(model: Path) -> list[Path]:
    if model.is_file():  # a zip
        return [model]
    if not (model / WEIGHTS).is_file():  # benepar's
        return files_below(model)
    return deciding_files(model)


def _pipeline(settings: MaskingSettings, text: TextSettings) -> str:
    """Return the name of the spaCy pipeline, and its version or, of a folder, a hash of its files."""
    name = settings.entities
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} {key_of((), files_below(Path(name)))}"


def annotator(settings: MaskingSettings, text: TextSettings) -> Annotate:
    """Return what finds the spans that a scheme needs, and words where these are to be found.

    Raises ModelError, MissingExtraError or SettingsError.
    """
    if settings.scheme == "entities":
        return names(settings.entities, text.finds_words)
    wanted = _NOUN_PHRASES if settings.scheme == "noun_phrases" else None
    return constituents(settings.parser, wanted, text.language)


def constituents(
    model: str | Path, labels: Collection[str] | None, language: str = DEFAULT_LANGUAGE
) -> Annotate:
    """Return what finds the constituents of our parser: those with one of the labels, or all.

    A noun phrase that holds another one is none of its own: only the innermost are taken where
    ``labels`` are given, as spaCy's noun chunks are. Sentences are read in the ``language``; where it
    has no blanks between words, the parser finds them, too. Raises ModelError where there is no such
    parser, or it finds no words and has to, SettingsError where it does not know the language.
    """
    from bnaparser.parsing.default_model import name_in
    from bnaparser.parsing.parser import Parser
    from bnaparser.parsing.segmentation import check_finds_words

    parser = Parser.load(name_in(str(model), language), language=language)
    rules = parser.text_rules(language)
    check_finds_words(parser.model, rules)

    def annotate(texts: Sequence[str]) -> list[FoundSpans]:
        result = []
        for parse in parser.parse_sentences([rules.sentence(text) for text in texts]):
            spans = [
                span
                for span in parse.spans
                if labels is None or any(label in labels for label in span.label.split("::"))
            ]
            if labels is not None:
                spans = [one for one in spans if not any(_holds(one, other) for other in spans)]
            places = [
                TextSpan(
                    parse.offsets[span.start][0],
                    parse.offsets[span.end - 1][1],
                    span.end - span.start,
                )
                for span in spans
            ]
            begins = [start for start, _ in parse.offsets] if rules.needs_words else []
            result.append(FoundSpans(places, tuple(begins)))
        return result

    return annotate


def _holds(outer: Any, inner: Any) -> bool:
    return inner is not outer and outer.start <= inner.start and inner.end <= outer.end


def names(pipeline: str, words: bool = False) -> Annotate:
    """Return what finds the names of a spaCy pipeline that are no numbers, times or amounts.

    With ``words``, also where the pipeline's own words begin. Raises ModelError where there is no such
    pipeline, or it finds no names.
    """
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error
    try:
        loaded = spacy.load(pipeline, enable=["tok2vec", "transformer", *_FIND_NAMES])
    except OSError as error:
        raise ModelError(f"spaCy has no pipeline {pipeline!r}: {error}") from error
    if not set(_FIND_NAMES) & set(loaded.pipe_names):
        raise ModelError(
            f"the spaCy pipeline {pipeline} finds no names, it has neither ner nor entity_ruler: set"
            " masking.entities to another"
        )

    def annotate(texts: Sequence[str]) -> list[FoundSpans]:
        return [
            FoundSpans(
                [
                    TextSpan(entity.start_char, entity.end_char, len(entity))
                    for entity in document.ents
                    if entity.label_ not in _NUMERICAL
                ],
                tuple([token.idx for token in document]) if words else (),
            )
            for document in loaded.pipe(texts, batch_size=256)
        ]

    return annotate
