"""Which subwords of a block are masked, and with what: spans of whole words (SpanBERT, 3.1, appendix A).

All places are indices of subwords within one block, special ones left out; spans are half-open. What
is random comes from a numpy generator that is handed in, so the same seed gives the same masks
in any process.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bnaparser import models
from bnaparser.encoders.loading import load_tokenizer
from bnaparser.errors import DataError, MissingExtraError, ModelError, SettingsError, import_extra
from bnaparser.files.folder import WEIGHTS, deciding_files
from bnaparser.models.about import files_below
from bnaparser.spanbert.blocks import (
    Blocks,
    TokenisedSentence,
    generated,
    key_of,
    make_once,
    sentence_texts,
    tokenise,
)
from bnaparser.spanbert.settings import MaskingSettings, PretrainRecipe, Scheme, TextSettings
from bnaparser.text.text_rules import DEFAULT_LANGUAGE

log = logging.getLogger(__name__)

Ints = NDArray[np.int64]
Span = tuple[int, int]
# Called with what is masked so far; returns the next span of whole words that may be masked.
Draw = Callable[[NDArray[np.bool_]], Span]


@dataclass(frozen=True)
class Candidates:
    """Spans of a block that stand for something: entities, noun phrases, constituents.

    ``spans`` int64 (spans, 2) are their first subword and the one after their last; ``words``
    int64 (spans,) how many words each has.
    """

    spans: Ints
    words: Ints


@dataclass(frozen=True)
class Masked:
    """A block as the encoder reads it.

    ``ids`` int64 (subwords,) have the masks in them; ``places`` int64 (masked,) are the masked
    subwords in order; ``spans`` are the merged spans, in order, which cover just these places.
    """

    ids: Ints
    places: Ints
    spans: list[Span]


def length_distribution(p: float, longest: int) -> NDArray[np.float64]:
    """Return the probabilities of lengths 1 to ``longest``: geometric, cut off and renormalised.

    For p = 0.2 and 10 words the mean is 3.797, the paper's 3.8.
    """
    weights: NDArray[np.float64] = p * (1 - p) ** np.arange(longest, dtype=np.float64)
    weights /= weights.sum()
    return weights


@cache
def _cumulative(p: float, longest: int) -> NDArray[np.float64]:
    return np.cumsum(length_distribution(p, longest))


def drawn_lengths(drawn: NDArray[np.float64], p: float, longest: int) -> Ints:
    """Return the lengths, int64, that numbers drawn evenly from 0 to 1 stand for."""
    return (
        np.minimum(np.searchsorted(_cumulative(p, longest), drawn, side="right"), longest - 1) + 1
    )


def budget(subwords: int, share: float) -> int:
    """Return how many subwords of a block are masked: a fraction, rounded up."""
    return math.ceil(round(share * subwords, 9))


def mask(
    ids: Ints,
    word_starts: NDArray[np.bool_],
    mask_id: int,
    random_ids: Callable[[int], Ints],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None = None,
) -> Masked:
    """Mask a block: draw spans until the budget is spent, merge them, replace their subwords.

    ``word_starts`` bool (subwords,) says where words begin, the first subword always among them;
    ``random_ids`` draws a number of subwords from the text's own distribution. Entities, noun phrases
    and constituents need ``candidates``.
    """
    budget_left = budget(len(ids), settings.mask_probability)
    if settings.scheme == "subwords":
        places = np.sort(generator.permutation(len(ids))[:budget_left])
        # Each subword is replaced by a draw of its own, as in BERT; spans are what touches.
        drawn = [(int(place), int(place) + 1) for place in places]
        return Masked(replaced(ids, drawn, mask_id, random_ids, generator), places, merged(drawn))
    draw = _DRAWS[settings.scheme](word_starts, settings, generator, candidates)
    spans = merged(_spend(len(ids), budget_left, draw))
    places = (
        np.concatenate([np.arange(*span) for span in spans]) if spans else np.zeros(0, np.int64)
    )
    return Masked(replaced(ids, spans, mask_id, random_ids, generator), places, spans)


def _spend(subwords: int, budget_left: int, draw: Draw) -> Iterator[Span]:
    """Yield spans until the number of masked subwords is reached; the last span is cut there, inside a word too."""
    taken = np.zeros(subwords, np.bool_)
    left = budget_left
    while left > 0:
        start, end = draw(taken)
        new = np.flatnonzero(~taken[start:end])[:left]
        if len(new) == 0:
            continue
        if len(new) == left:
            end = start + int(new[-1]) + 1
        taken[start:end] = True
        left -= len(new)
        yield start, end


def merged(spans: Sequence[Span] | Iterator[Span]) -> list[Span]:
    """Return spans in order; spans that overlap or touch are merged."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


def replaced(
    ids: Ints,
    spans: Sequence[Span],
    mask_id: int,
    random_ids: Callable[[int], Ints],
    generator: np.random.Generator,
) -> Ints:
    """Return the subwords with each span masked (80 %), replaced by random subwords (10 %), or kept
    (10 %).

    There is one draw a span: all its subwords are treated alike.
    """
    result = ids.copy()
    draws = generator.random(len(spans))
    for (start, end), drawn in zip(spans, draws, strict=True):
        if drawn < 0.8:
            result[start:end] = mask_id
        elif drawn < 0.9:
            result[start:end] = random_ids(end - start)
    return result


def _words_from(
    first: Ints, generator: np.random.Generator, lengths: Callable[[], int], subwords: int
) -> Draw:
    """Return a function that draws spans with a random first word and a length in words from ``lengths``.

    The anchor is drawn from the subwords, so a word of p subwords is p times as likely to begin a
    span (as in the authors' program).
    """
    ends = np.append(first[1:], subwords)

    def draw(taken: NDArray[np.bool_]) -> Span:
        while True:
            length, anchor = lengths(), int(generator.integers(subwords))
            if not taken[anchor]:
                break
        word = int(np.searchsorted(first, anchor, side="right")) - 1
        return int(first[word]), int(ends[min(word + length, len(ends)) - 1])

    return draw


def _geometric_lengths(
    settings: MaskingSettings, generator: np.random.Generator
) -> Callable[[], int]:
    return lambda: int(
        drawn_lengths(generator.random(1), settings.geometric_p, settings.max_span_length)[0]
    )


def _draw_geometric(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    first = np.flatnonzero(word_starts)
    lengths = _geometric_lengths(settings, generator)
    return _words_from(first, generator, lengths, len(word_starts))


def _draw_words(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    return _words_from(np.flatnonzero(word_starts), generator, lambda: 1, len(word_starts))


def _draw_named(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    """Return a draw of one of the candidates half of the time, else of a whole word (6.1)."""
    word = _draw_words(word_starts, settings, generator, None)
    spans = np.zeros((0, 2), np.int64) if candidates is None else candidates.spans

    def draw(taken: NDArray[np.bool_]) -> Span:
        if len(spans) and generator.random() < 0.5:
            free = spans[~taken[spans[:, 0]]]
            if len(free):
                start, end = free[generator.integers(len(free))]
                return int(start), int(end)
        return word(taken)

    return draw


def _draw_constituents(
    word_starts: NDArray[np.bool_],
    settings: MaskingSettings,
    generator: np.random.Generator,
    candidates: Candidates | None,
) -> Draw:
    """Return a draw of constituents whose lengths are drawn as those of geometric spans.

    So the two schemes differ in where spans begin and end, not in how long they are. A single word
    is a constituent; where none of a length is left, another length is drawn.
    """
    lengths = _geometric_lengths(settings, generator)
    word = _draw_words(word_starts, settings, generator, None)
    of_length: dict[int, Ints] = {}
    if candidates is not None:
        for length in range(2, settings.max_span_length + 1):
            of_length[length] = candidates.spans[candidates.words == length]

    def draw(taken: NDArray[np.bool_]) -> Span:
        while True:
            length = lengths()
            if length == 1:
                return word(taken)
            spans = of_length.get(length, np.zeros((0, 2), np.int64))
            free = spans[~taken[spans[:, 0]]]
            if len(free):
                start, end = free[generator.integers(len(free))]
                return int(start), int(end)

    return draw


_DRAWS = {
    "geometric": _draw_geometric,
    "words": _draw_words,
    "entities": _draw_named,
    "noun_phrases": _draw_named,
    "constituents": _draw_constituents,
}


SCHEMES: tuple[Scheme, ...] = (
    "subwords", "words", "entities", "noun_phrases", "constituents", "geometric",
)  # fmt: skip


def picture(text: str, recipe: PretrainRecipe) -> str:
    """Return one line a scheme: its name, and the text with each masked span in brackets.

    The seed and the fraction are the recipe's. A scheme whose parser or pipeline is not there says so.
    Raises DataError if the text has no words, SettingsError for a recipe without an encoder.
    """
    if recipe.encoder.name is None:
        raise SettingsError(
            "--show-masks needs encoder.name in the recipe: the masks are masks of its subwords"
        )
    tokenizer = load_tokenizer(recipe.encoder.name)
    sentences = tokenise(tokenizer, sentence_texts(text, recipe.text.language))
    if not any(one.ids for one in sentences):
        raise DataError("the text of --show-masks has no words")
    width = max(map(len, SCHEMES))
    return "\n".join(f"{name:<{width}}  {_line(name, sentences, recipe)}" for name in SCHEMES)


def _line(scheme: Scheme, sentences: list[TokenisedSentence], recipe: PretrainRecipe) -> str:
    settings = recipe.masking.model_copy(update={"scheme": scheme})
    candidates = None
    if is_annotated(settings, recipe.text):
        try:
            annotate = annotator(settings, recipe.text)
            found = annotate([sentence.text for sentence in sentences])
        except (ModelError, MissingExtraError, SettingsError) as error:
            return f"({error})"
        sentences = list(map(with_word_starts, sentences, found))
        table = np.array(subword_spans(sentences, found), np.int64).reshape(-1, 3)
        candidates = Candidates(table[:, :2], table[:, 2])
    ids = np.array([number for one in sentences for number in one.ids])
    starts = np.array([start for one in sentences for start in one.starts])
    generator = np.random.default_rng(recipe.pretrain.seed)
    masked = mask(ids, starts, 0, lambda n: np.ones(n, np.int64), settings, generator, candidates)
    return written(sentences, masked.spans)


def written(sentences: list[TokenisedSentence], spans: list[Span]) -> str:
    """Return the sentences' text with spans of subwords in brackets."""
    opens, closes = {start for start, _ in spans}, {end - 1 for _, end in spans}
    lines = []
    number = 0
    for sentence in sentences:
        parts, place = [], 0
        for first, end in sentence.places:
            start = max(first, place)  # of one character there may be several subwords
            parts.append(sentence.text[place:start])
            parts.append(
                "[" * (number in opens) + sentence.text[start:end] + "]" * (number in closes)
            )
            place = end
            number += 1
        lines.append("".join(parts) + sentence.text[place:])
    return " ".join(lines)


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

    The latter is empty if the words are those of the tokenizer.
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
    them; an interrupted run begins it again. Raises ModelError or MissingExtraError if parser or
    pipeline is not there, SettingsError if the parser does not know the language.
    """
    import datasets

    def make(new: Path) -> None:
        rows = {"blocks": blocks, "tokenizer": tokenizer, "annotate": annotator(settings, text)}
        numbers = datasets.List(datasets.Value("int32"))
        names = ("starts", "ends", "words", *(("begins",) if text.finds_words else ()))
        columns = dict.fromkeys(names, numbers)
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


def with_word_starts(sentence: TokenisedSentence, found: FoundSpans) -> TokenisedSentence:
    """Return a sentence whose words begin where they were found to, if they had to be.

    A subword that continues from one word into another begins none. The first one always does.
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
            sentences = list(map(with_word_starts, tokenise(tokenizer, block), of_block))
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
    key_text = json.dumps([settings.scheme, by(settings, text), *language]).encode()
    return f"{settings.scheme}-{hashlib.sha256(key_text).hexdigest()[:12]}"


def _parser(settings: MaskingSettings, text: TextSettings) -> str:
    """Return a hash of the files that determine the parser's trees."""
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
    """Return the functions that find the spans of a scheme, and the words of text without blanks.

    Raises ModelError, MissingExtraError or SettingsError.
    """
    if settings.scheme == "entities":
        return names(settings.entities, text.finds_words)
    labels = _NOUN_PHRASES if settings.scheme == "noun_phrases" else None
    return constituents(settings.parser, labels, text.language)


def constituents(
    model: str | Path, labels: Collection[str] | None, language: str = DEFAULT_LANGUAGE
) -> Annotate:
    """Return what finds the constituents of our parser: those with one of the labels, or all.

    A noun phrase that holds another one is none of its own: only the innermost are taken where
    ``labels`` are given, as spaCy's noun chunks are. Sentences are read in the ``language``; where it
    has no blanks between words, the parser finds them, too. Raises ModelError if there is no such
    parser, or it finds no words and has to, SettingsError if it does not know the language.
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

    With ``words``, also where the pipeline's own words begin. Raises ModelError if there is no such
    pipeline, or it finds no names.
    """
    spacy = import_extra("spacy", "spacy")
    try:
        loaded = spacy.load(pipeline, enable=["tok2vec", "transformer", *_FIND_NAMES])
    except OSError as error:
        raise ModelError(f"spaCy has no pipeline {pipeline!r}: {error}") from error
    if not set(_FIND_NAMES) & set(loaded.pipe_names):
        raise ModelError(
            f"the spaCy pipeline {pipeline} finds no named entities, because it has neither ner nor"
            " entity_ruler: set masking.entities to another pipeline"
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
