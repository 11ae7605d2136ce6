"""What callers pass in: an argument of another type is one TypeError, a sentence that cannot be parsed has a reason."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from bnaparser.errors import SentenceError, quoted, type_name
from bnaparser.text.sentence import MAX_WORDS, Sentence, from_words, not_one_string

Context = TypeVar("Context")


def check_text(text: object, otherwise: str) -> None:
    """Raise TypeError unless the value is a string; ``otherwise`` names the call for other values."""
    if isinstance(text, bytes):
        raise TypeError("give text, not bytes: text.decode('utf-8') converts bytes to text")
    if not isinstance(text, str):
        raise TypeError(f"give text, not {type_name(text)}: {otherwise}")


def check_name(model: object, call: str) -> None:
    """Raise TypeError unless the value can be a model's name or folder; ``call`` shows the right
    call.
    """
    if not isinstance(model, str | Path):
        raise TypeError(f"give a model's name or folder, as in {call}, not {type_name(model)}")


def each_text(texts: Iterable[Any], what: str) -> Iterator[str]:
    """Yield the texts; TypeError for one string, and at the first that is none. ``what``: plural."""
    for number, text in enumerate(not_one_string(texts, what), 1):
        place = f"number {number} of the {what}"
        if isinstance(text, float) and math.isnan(text):  # as pandas has what is missing
            raise TypeError(f"give text, not NaN: {place} is missing: leave this value out")
        check_text(text, place)
        yield text


def each_labelled_text(texts: Iterable[str]) -> Iterator[tuple[str | None, Hashable]]:
    """Yield texts with their index labels in a Series of pandas; any other text has the label None.

    A missing text of a Series, of pandas or Polars, is None. Raises TypeError as `each_text` does.
    """
    if _is_series(texts, "pandas"):
        for label, is_missing, text in zip(texts.index, texts.isna(), texts, strict=True):
            if not is_missing:
                check_text(text, f"the text with the index label {label!r}")
            # A missing label is one object, which equals itself in a set.
            no_label = label is None or (isinstance(label, float) and math.isnan(label))
            yield None if is_missing else text, math.nan if no_label else label
    elif _is_series(texts, "polars"):
        for number, text in enumerate(texts):
            if text is not None:
                check_text(text, f"row {number} of the Series")
            yield text, None
    else:
        for text in each_text(texts, "texts"):
            yield text, None


def _is_series(texts: Any, library: str) -> TypeGuard[Any]:
    """Return whether this is a Series of a library, which is loaded then."""
    loaded = sys.modules.get(library)
    return loaded is not None and isinstance(texts, getattr(loaded, "Series", ()))


def each_pair(pairs: Iterable[tuple[str, Context]]) -> Iterator[tuple[str, Context]]:
    """Yield pairs of a text and anything; TypeError at the first that is none."""
    for number, pair in enumerate(not_one_string(pairs, "pairs"), 1):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(
                f"number {number} is {type_name(pair)}: give pairs of a text and anything, or texts"
                " without as_tuples"
            )
        check_text(pair[0], f"the first of pair {number}")
        yield pair[0], pair[1]


def each_sentence(sentences: Iterable[Iterable[str]]) -> Iterator[Sentence]:
    """Yield sentences made of tokens; TypeError if something is not a list of words."""
    for words in not_one_string(sentences, "sentences, each a list of words"):
        yield sentence_of(words)


def sentence_of(words: Iterable[str]) -> Sentence:
    """Make a sentence of tokens; TypeError for text, and for a word that is not a string."""
    if isinstance(words, str | bytes):
        shown = f"a string: {words[:40]!r}"
        raise TypeError(f"give a list of words, not {shown}; parser.parse_sentence takes text")
    if not isinstance(words, Iterable):
        raise TypeError(f"give a list of words, not {type_name(words)}")
    strings = tuple(not_one_string(words, "words"))
    if set(map(type, strings)) != {str}:
        for number, word in enumerate(strings, 1):
            if not isinstance(word, str):
                raise TypeError(f"word {number} is {type_name(word)}, not a string: {word!r:.40}")
    return from_words(strings)


def rows_of_tags(tags: Iterable[Iterable[str]]) -> list[tuple[str, ...]]:
    """Return the tags of each sentence; TypeError for a string, whose letters would be the tags, and other kinds."""
    if not isinstance(tags, Iterable):
        raise TypeError(f"give a list of tags for each sentence, not {type_name(tags)}")
    rows = enumerate(not_one_string(tags, "lists of tags"), 1)
    return [_row_of_tags(row, number) for number, row in rows]


def _row_of_tags(row: object, number: int) -> tuple[str, ...]:
    if isinstance(row, bytes) or not isinstance(row, Iterable):
        raise TypeError(f"give a list of tags for sentence {number}, not {type_name(row)}")
    strings = tuple(not_one_string(row, "tags"))
    if set(map(type, strings)) != {str}:
        for place, tag in enumerate(strings, 1):
            if not isinstance(tag, str):
                raise TypeError(
                    f"tag {place} of sentence {number} is {type_name(tag)}, not a string: {tag!r:.40}"
                )
    return strings


def check_sentences(sentences: Iterable[object]) -> None:
    """Raise TypeError unless all are sentences with their words."""
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise TypeError(
                f"give a list of Sentence, not of {type_name(sentence)}: parser(text) takes text,"
                " parser.parse_many lists of words"
            )


def check_language(language: object) -> None:
    """Raise TypeError unless it can be a language's code."""
    if not isinstance(language, str):
        raise TypeError(f'give a language by its code, as in "es", not {type_name(language)}')


def check_at_least_1(name: str, value: object) -> None:
    """Raise ValueError if a given number is below 1, TypeError if it is not a whole number."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} is {value!r}: it must be a whole number")
    if value < 1:
        raise ValueError(f"{name} is {value}: it must be at least 1")


def device_name(device: object) -> str | None:
    """Return the name of a torch device, which may be given as such; TypeError for anything else but None."""
    if device is None or isinstance(device, str):
        return device
    torch = sys.modules.get("torch")  # who has a device has loaded it
    if torch is not None and isinstance(device, torch.device):
        return str(device)
    raise TypeError(f'give a device as in "cuda:1", not {type_name(device)}: {device!r:.40}')


Tags = tuple[str, ...] | None
NO_WORDS = "the sentence has no words"

_BLANK = re.compile(r"\s", re.ASCII)
# NUL, which no text has, and half of a surrogate pair, which no encoding has.
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")


def reason_against(
    sentence: Sentence, tags: Tags = None, reads_tags: bool = False, max_words: int = MAX_WORDS
) -> str | None:
    """Return why the network cannot take a sentence with its tags; None if it can."""
    try:
        _check(sentence, tags, reads_tags, max_words)
    except SentenceError as error:
        return str(error)
    return None


def _check(sentence: Sentence, tags: Tags, reads_tags: bool, max_words: int) -> None:
    """Raise SentenceError for a sentence that the network cannot take, saying why."""
    count = len(sentence.words)
    if count == 0:
        raise SentenceError(NO_WORDS)
    if count > max_words:
        raise SentenceError(
            f"the sentence has {count:,} words, and the limit is {max_words:,} words: split the text into sentences"
        )
    # As in trees: a no-break space may stand inside a word.
    if not all(sentence.words) or _BLANK.search("".join(sentence.words)):
        number, word = next(
            (number, word)
            for number, word in enumerate(sentence.words, 1)
            if not word or _BLANK.search(word)
        )
        raise SentenceError(
            f"word {number} is {quoted(word)}: a word must not be empty, and must not contain blanks"
        )
    _check_characters("word", sentence.words)
    if tags is None:
        if reads_tags:
            raise SentenceError(
                "this model reads part-of-speech tags: give the words, and with tags=... a tag for each"
            )
        return
    if len(tags) != count:
        raise SentenceError(f"{len(tags)} tags for {count} words: give one tag a word")
    _check_characters("tag", tags)
    for number, tag in enumerate(tags, 1):
        if not tag or any(char.isspace() or char in "()" for char in tag):
            raise SentenceError(
                f"tag {number} is {quoted(tag)}: a tag must not be empty, and must not contain blanks or brackets"
            )


def not_text(text: str) -> str | None:
    """Return which character a text has that no text has; None if it has none."""
    found = _NO_CHARACTER.search(text)
    if found is None:
        return None
    return "a NUL character" if found[0] == "\0" else "half of a surrogate pair"


def _check_characters(what: str, strings: Sequence[str]) -> None:
    """Raise SentenceError if a string has a character that no text has."""
    if not_text("".join(strings)) is None:
        return
    for number, string in enumerate(strings, 1):
        if (found := not_text(string)) is not None:
            raise SentenceError(
                f"{what} {number} is {string!a:.40}: it has {found}: this is not text"
            )
