"""A sentence of given words: its text, and where each word stands in it."""

from __future__ import annotations

import pytest

from bnaparser.text.sentence import Sentence, from_spaced_words, from_words
from bnaparser.text.text_rules import LANGUAGE_NAMES, rules_of


def test_given_words_are_joined_by_blanks() -> None:
    words = ("It", "'s", "so")
    assert from_words(iter(words)) == Sentence("It 's so", words, ((0, 2), (3, 5), (6, 8)))


def test_a_string_is_no_list_of_words() -> None:
    with pytest.raises(TypeError, match="give a list of words, not a string: 'It'"):
        from_words("It")


def test_spaced_words_keep_their_places() -> None:
    sentence = from_spaced_words("\t It   's\tso \r\n")
    assert sentence == Sentence("It   's\tso", ("It", "'s", "so"), ((2, 4), (7, 9), (10, 12)))


def test_only_ascii_blanks_separate() -> None:
    assert from_spaced_words("10\xa0km away").words == ("10\xa0km", "away")


@pytest.mark.parametrize("sign", ["\x00", "\ud800"])
def test_what_is_no_character_of_a_text_stands_in_words(sign: str) -> None:
    """The parser refuses words that have it; between words it would be lost without a message."""
    assert from_spaced_words(f"It{sign}rained {sign}").words == (f"It{sign}rained", sign)
    for language in LANGUAGE_NAMES:
        for text in (
            f"It{sign}rained.",
            f"{sign}It rained.",
            f"It rained.{sign}",
            f"It. {sign} So.",
        ):
            words = [word for one in rules_of(language).sentences(text, 0) for word in one.words]
            assert "".join(words).count(sign) == 1


@pytest.mark.parametrize("text", ["", " \n"])
def test_no_words(text: str) -> None:
    assert from_spaced_words(text) == Sentence("", (), ())
