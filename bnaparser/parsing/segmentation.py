"""Word segmentation: from the pieces of a text to its words, which the network finds before the words are parsed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import ModelError, quoted
from bnaparser.network.decoding import in_batches
from bnaparser.network.ensemble_network import prepare_parts
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.prepared import PreparedSentence
from bnaparser.parsing.batches import SentenceRequest, each_or_reason, on_one_thread
from bnaparser.parsing.options import ParseOptions
from bnaparser.text.sentence import MAX_WORDS, Sentence, join_pieces
from bnaparser.text.text_rules import LANGUAGE_NAMES, TextRules, match_language, rules_of

NO_WORDS_FOUND = "the network segments no words in this sentence"

# A sentence with more pieces for each of its words there is not: Japanese has two.
_PIECES_OF_A_WORD = 3
_FEW_PIECES = 500  # a short sentence may have longer words, and costs little

Begins = NDArray[np.bool_]
Scores = NDArray[np.float32]


def with_words(
    network: ParsingNetwork,
    requests: Sequence[SentenceRequest],
    batch_tokens: int,
    threads: int,
    max_words: int = MAX_WORDS,
) -> Sequence[SentenceRequest]:
    """Return requests whose sentences have their words, which the options count.

    A sentence of tokens stays as it is. One in a language that the network does not know, or
    without words, has the reason in its options; so has one that surely has more than ``max_words``,
    which need no network. Where a constraint begins or ends, a word does.
    """
    languages = network.settings.text.languages
    sentences = [one.sentence for one in requests]
    most = max(_PIECES_OF_A_WORD * max_words, _FEW_PIECES)
    places = [index for index, one in enumerate(sentences) if 0 < len(one.pieces) <= most]
    long = [index for index, one in enumerate(sentences) if len(one.pieces) > most]
    foreign = [index for index, one in enumerate(sentences) if _is_foreign(one, languages)]
    if not (places or long or foreign):
        return requests
    changed = list(requests)
    found = _begins(network, [sentences[index] for index in places], batch_tokens, threads)
    for index, begins in zip(places, found, strict=True):
        one = changed[index]
        if isinstance(begins, str):
            changed[index] = one.refused(begins)
        else:
            sentence, parse_options = _joined(one.sentence, one.parse_options, begins)
            changed[index] = one._replace(sentence=sentence, parse_options=parse_options)
    for index in long:
        changed[index] = changed[index].refused(
            f"the sentence has {len(sentences[index].pieces):,} parts of words, which are more than"
            f" {max_words:,} words: split it into sentences"
        )
    for index in foreign:
        unknown = unknown_language(str(sentences[index].language), languages)
        changed[index] = changed[index].refused(unknown)
    return changed


def _is_foreign(sentence: Sentence, languages: Sequence[str]) -> bool:
    return sentence.language is not None and match_language(sentence.language, languages) is None


def check_finds_words(network: ParsingNetwork, rules: TextRules) -> None:
    """Raise ModelError if words of running text are for the network to find, and it finds none."""
    if rules.needs_words and not network.settings.text.segment_words:
        raise ModelError(
            f"this model cannot divide text into words in {LANGUAGE_NAMES[rules.language]} text: give words, or take"
            " a parser that was trained with text.segment_words"
        )


def unknown_language(language: str, sentences_with_words: Sequence[str]) -> str:
    """Return a message that no model knows a language, with the languages that the models know."""
    names = ", ".join(f"{one} ({LANGUAGE_NAMES[one]})" for one in sentences_with_words)
    return f"no model here knows the language {quoted(language)}: there is {names}"


def _begins(
    network: ParsingNetwork, sentences: Sequence[Sentence], batch_tokens: int, threads: int
) -> list[Begins | str | None]:
    """Say of each sentence's pieces whether they begin a word; None if rules are to say it."""
    if not sentences:
        return []
    if not network.settings.text.segment_words:
        return [_without_finder(sentence) for sentence in sentences]
    scores = _word_scores(network, sentences, batch_tokens, threads)
    return [one if isinstance(one, str) else one > 0 for one in scores]


def _word_scores(
    network: ParsingNetwork, sentences: Sequence[Sentence], batch_tokens: int, threads: int
) -> list[Scores | str]:
    """Return the score of each sentence's pieces, above 0 where one begins a word, or why there are none."""

    def prepare(batch: Sequence[Sentence]) -> list[PreparedSentence]:
        return prepare_parts(
            network,
            lambda part: part.prepare(
                [rules_of(str(one.language)).as_read(one.words, part.reads_case) for one in batch]
            ),
        )

    prepared = each_or_reason(prepare, sentences, NO_WORDS_FOUND)
    good = {index: one for index, one in enumerate(prepared) if not isinstance(one, str)}
    places = list(good)

    def work(batch: Sequence[int]) -> list[Scores]:
        with network.inference(), on_one_thread():
            scores = network.all_word_scores(network.encode([good[index] for index in batch]))
        ends = np.cumsum([len(sentences[index].words) for index in batch])
        return np.split(scores, ends[:-1])

    found = in_batches(
        lambda batch: each_or_reason(work, [places[number] for number in batch], NO_WORDS_FOUND),
        [one.size for one in good.values()],
        batch_tokens,
        threads,
    )
    scores = iter(found)
    return [one if isinstance(one, str) else next(scores) for one in prepared]


def _without_finder(sentence: Sentence) -> str | None:
    rules = rules_of(str(sentence.language))
    if not rules.needs_words:
        return None
    return (
        f"this model cannot divide text into words in {LANGUAGE_NAMES[rules.language]} text: give words with blanks"
        " between them, with split token"
    )


def _joined(
    sentence: Sentence, parse_options: ParseOptions, begins: Begins | None
) -> tuple[Sentence, ParseOptions]:
    """Return a sentence of the words that its pieces make, and its options, which count these words."""
    pieces = sentence.pieces
    chosen = [piece.begins for piece in pieces] if begins is None else begins.tolist()
    cuts = {place for one in parse_options.constraints for place in (one.start, one.end)}
    for place in cuts:
        if 0 < place < len(pieces):
            chosen[place] = True
    words = join_pieces(sentence.text, pieces, chosen)
    first = sentence.offsets[0][0] - pieces[0].start
    joined = Sentence(
        sentence.text,
        tuple([word.form for word in words]),
        tuple([(first + word.start, first + word.end) for word in words]),
        language=sentence.language,
    )
    if not parse_options.constraints:
        return joined, parse_options
    firsts = [word.piece for word in words]
    counted = [
        replace(one, start=bisect_left(firsts, one.start), end=bisect_left(firsts, one.end))
        for one in parse_options.constraints
    ]
    return joined, replace(parse_options, constraints=tuple(counted))
