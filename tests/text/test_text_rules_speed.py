"""Text that is made to be slow to read takes time in proportion to its length."""

from __future__ import annotations

import time

import pytest

from bnaparser.text.text_rules import guessing, rules_of


@pytest.mark.parametrize("language", ["en", "es", "fr", "id", "is", "pt"])
@pytest.mark.parametrize(
    "text", ["www." + "." * 100_000 + "x", "https://" + ")" * 100_000 + " x", "www." * 25_000]
)
def test_addresses(language: str, text: str) -> None:
    """It took minutes: the end of an address was sought from each of its characters."""
    start = time.monotonic()
    sentence = rules_of(language).sentence(text)
    assert time.monotonic() - start < 10
    assert "".join(sentence.words)[:4] == text[:4]


@pytest.mark.parametrize("text", ["a" * 100_000 + "我", "ab" * 50_000 + " 我 c"])
def test_long_words_beside_characters(text: str) -> None:
    start = time.monotonic()
    assert list(guessing(["en", "es", "zh-Hant"]).sentences(text, 0))
    assert time.monotonic() - start < 10
