"""What an encoder reads instead of some words: as many words, and only what misleads it changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.text.english.stand_ins import as_read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("We met at 3 p.m .", "We met at 3 p.m. ."),
        ("It is in `` D.C . ''", "It is in `` D.C. . ''"),
        ("He left Foo Inc .", "He left Foo Inc ."),
        ("The G.m.b . H. plant", "The G.m.b . H. plant"),
        ("I like it :)", "I like it ;"),
        ("Good :-) I see :--LRB- now", "Good ; I see ; now"),
        ("Great \U0001f600 !", "Great ; !"),
        ("I \u2764 you \U0001f600 \U0001f600", "I \u2764 you ; ;"),
        ("I <3 you <3", "I <3 you ;"),
        ("( see 3 : 1 )", "( see 3 : 1 )"),
    ],
)
def test_what_is_read(written: str, read: str) -> None:
    assert as_read(written.split(), cased=True) == read.split()


def test_capitals_are_left_to_an_encoder_that_knows_no_others() -> None:
    words = ["THE", "CAT", "SAT", "."]
    assert as_read(words, cased=False) == words
    assert as_read(words, cased=True) == ["The", "cat", "sat", "."]


WORDS = st.text(st.characters(exclude_characters=" \t\n\r\f\v"), min_size=1, max_size=5)
KNOWN = st.sampled_from(
    ["THE", "A", "p.m", ".", ":)", "&amp;", "-LRB-", "\xad", "\xdf", "\u01c6", "-"]
)


@given(st.lists(WORDS | KNOWN, max_size=8), st.booleans())
def test_every_word_is_read_as_one(words: list[str], cased: bool) -> None:
    read = as_read(words, cased)
    assert len(read) == len(words)
    assert all(read)
