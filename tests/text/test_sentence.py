"""A sentence of given words: its text, and where each word stands in it."""

from __future__ import annotations

import pytest

from bnaparser.text.sentence import Sentence, from_spaced_words, from_words


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


def test_nul_separates_as_a_blank_does() -> None:
    assert from_spaced_words("It\x00rained \x00").words == ("It", "rained")


@pytest.mark.parametrize("text", ["", " \n", "\x00"])
def test_no_words(text: str) -> None:
    assert from_spaced_words(text) == Sentence("", (), ())
