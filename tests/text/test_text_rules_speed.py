"""Text that is made to be slow to read: where its time is not in proportion to its length, these tests take minutes."""

from __future__ import annotations

import pytest

from bnaparser.text.english.normalization import as_read
from bnaparser.text.text_rules import multilingual_rules, rules_of


@pytest.mark.parametrize("language", ["en", "es", "fr", "id", "is", "pt"])
@pytest.mark.parametrize(
    "text", ["www." + "." * 100_000 + "x", "https://" + ")" * 100_000 + " x", "www." * 25_000]
)
def test_addresses(language: str, text: str) -> None:
    """It took minutes: the end of an address was sought from each of its characters."""
    sentence = rules_of(language).sentence(text)
    assert "".join(sentence.words)[:4] == text[:4]


@pytest.mark.parametrize("text", ["a" * 100_000 + "我", "ab" * 50_000 + " 我 c"])
def test_long_words_beside_characters(text: str) -> None:
    assert list(multilingual_rules(["en", "es", "zh-Hant"]).sentences(text, 0))


def test_accents_without_end() -> None:
    """It took half a minute: Unicode's way to compose sorts them by comparing each with each."""
    assert list(multilingual_rules(["en", "es"]).sentences("a" + "\u0301\u0323" * 100_000, 0))
    assert len(as_read(["\ufb01" + "\u0301\u0323" * 100_000], cased=True)) == 1


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "a" + "!" * 100_000 + "x"),
        ("ja", "\u3042" + "\uff01" * 100_000 + "\u3068"),
        ("zh-Hans", "\u597d" + "\uff01" * 100_000 + "\uff0c\u597d"),
        ("zh-Hant", "\u597d" + "\u2026" * 100_000 + "\uff0c"),
    ],
)
def test_marks_without_end(language: str, text: str) -> None:
    assert list(rules_of(language).sentences(text, 0))
