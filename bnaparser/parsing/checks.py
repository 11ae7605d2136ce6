"""What is wrong with a sentence before the network sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnaparser.errors import SentenceError, quoted
from bnaparser.text.sentence import MAX_WORDS, Sentence

Tags = tuple[str, ...] | None
NO_WORDS = "the sentence has no words"

_BLANK = re.compile(r"\s", re.ASCII)
# NUL, which no text has, and half of a surrogate pair, which no encoding has.
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")


def reason_against(
    sentence: Sentence, tags: Tags = None, reads_tags: bool = False, max_words: int = MAX_WORDS
) -> str | None:
    """Return why the network cannot take a sentence with its tags; None where it can."""
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
            f"the sentence has {count:,} words, more than {max_words:,}: split it into sentences"
        )
    # As in trees: a no-break space may stand inside a word.
    if not all(sentence.words) or _BLANK.search("".join(sentence.words)):
        number, word = next(
            (number, word)
            for number, word in enumerate(sentence.words, 1)
            if not word or _BLANK.search(word)
        )
        raise SentenceError(
            f"word {number} is {quoted(word)}: a word has no blanks and is not empty"
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
                f"tag {number} is {quoted(tag)}: a tag has no blanks, no brackets and is not empty"
            )


def not_text(text: str) -> str | None:
    """Return which character a text has that no text has; None where it has none."""
    found = _NO_CHARACTER.search(text)
    if found is None:
        return None
    return "a NUL character" if found[0] == "\0" else "half of a surrogate pair"


def _check_characters(what: str, strings: Sequence[str]) -> None:
    """Raise SentenceError where a string has a character that no text has."""
    if not_text("".join(strings)) is None:
        return
    for number, string in enumerate(strings, 1):
        if (found := not_text(string)) is not None:
            raise SentenceError(
                f"{what} {number} is {string!a:.40}: it has {found}: this is not text"
            )
