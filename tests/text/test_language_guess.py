"""Which language a text is in, told by script, commonest words and letters."""

# ruff: noqa: RUF001
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.text.language_guess import detect_language
from bnaparser.text.rules.chinese_characters import (
    SIMPLIFIED,
    TRADITIONAL,
    to_simplified,
    to_traditional,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sat on the mat and it was happy.", "en"),
        ("El gato está en la casa y no quiere salir.", "es"),
        ("Le chat est dans la maison et il ne veut pas sortir.", "fr"),
        ("O gato está na casa e não quer sair.", "pt"),
        ("Kucing itu ada di rumah dan tidak akan keluar.", "id"),
        ("Kötturinn er í húsinu og það er kalt.", "is"),
        ("Die Katze ist im Haus und will nicht hinaus.", "de"),
        ("Il gatto è nella casa e non vuole uscire.", "it"),
        ("猫は家にいる。", "ja"),
        ("我們都在家裡。", "zh-Hant"),
        ("我们都在家里。", "zh-Hans"),
        ("大人好", "zh"),
        ("고양이가 집에 있다.", "ko"),
        ("Кошка дома.", "ru"),
        ("القط في البيت", "ar"),
        ("IBM 的問題", "zh-Hant"),
        ("12:30", None),
        ("", None),
        ("Xyzzy", None),
        ("Na\u0303o ha\u0301 pa\u0303o a\u0300 mesa.", "pt"),
        ("Bom dia, senhor.", "pt"),
        ("Please visit www.example.com, not example.org.", "en"),
        ("請看https://example.com/a?b=1 謝謝大家", "zh-Hant"),
        ("在 eBay 买 iPad 给 John", "zh-Hans"),
        ("WhatsApp, Facebook, Instagram都很好用", "zh"),
        ("I love 寿司 and ラーメン very much.", "en"),
        ("私はWindowsとLinuxを使っています。", "ja"),
        ("我喜歡Node.js,React,Vue.", "zh-Hant"),
        # A single word of another language does not speak against those that are known.
        ("Il a dit non.", "fr"),
        ("Te quiero.", None),
        ("Ja.", None),
        ("Menteri Suswono tak mau kalah.", "id"),
        ("Guten Morgen, das ist nicht gut.", "de"),
        # Signs of another script in a text of Latin letters.
        ("Interferon-γ levels increased significantly.", None),
        ("Replace 10 kΩ resistors.", None),
        ("π ≈ 3.14159", None),
        ("I love Москва so much!", None),
        ("I like 寿司 very much.", "en"),
        ("I ate ラーメン yesterday.", None),
        ("Καλημέρα", "el"),
        ("Apple Watchの発売日", "ja"),
        # Names of one letter and acronyms are no words.
        ("Vitamin D deficiency.", None),
        ("TNF-α inhibits IL-6.", None),
        ("Hepatitis E vaccines work.", None),
        ("E, embryonic day.", None),
        ("E2f3a and e.g. Bmp2 at 17.5 d postpartum.", "en"),
        ("Original magnification: (A, B) × 20; (C, D) × 16.", None),
        ("Get em down.", "en"),
        ("E agora?", "pt"),
        ("D’où vient-il ?", "fr"),
        ("JE T'AIME.", "fr"),
        # Scripts and languages that no model knows.
        ("நான் உன்னை காதலிக்கிறேன்.", "ta"),
        ("আমি তোমাকে ভালোবাসি।", "bn"),
        ("მე მიყვარხარ.", "ka"),
        ("Tôi không biết gì.", "vi"),
        ("Řekl, že už to není možné.", "cs"),
        ("Nem tudom, hogy mit csináljak.", "hu"),
        ("Nguyễn Phú Trọng visitó Madrid.", None),
        # A title, a quotation.
        ("曲は Let It Be Naked です。", "ja"),
        ("He ordered おにぎり and たこやき and paid with a card 現金", "en"),
        ("Me gusta el すし y el おでん", "es"),
        ("Em breve.", "pt"),
        ("J’ai dit « das ist nicht gut und nicht schön » hier.", "fr"),
    ],
)
def test_languages_are_told_apart(text: str, language: str | None) -> None:
    assert detect_language(text, ["en", "es", "fr", "pt", "id", "is", "ja", "zh"]) == language


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    found = detect_language(text)
    assert found is None or found.partition("-")[0].isalpha()


def test_characters_of_the_other_writing() -> None:
    assert to_traditional("这个问题很简单") == "這個問題很簡單"
    assert to_simplified("這個問題很簡單") == "这个问题很简单"
    # What traditional text has itself stays: an empress, an inner side, a dry well.
    assert to_traditional("皇后里干台") == "皇后里干台"
    assert to_simplified("裡") == "里"
    assert not set(SIMPLIFIED) & set(TRADITIONAL)
    assert len(SIMPLIFIED) == len(TRADITIONAL) == len(set(SIMPLIFIED))


@given(st.text(st.sampled_from(TRADITIONAL + "人a1，")))
def test_there_and_back(text: str) -> None:
    assert to_traditional(to_simplified(text)) == text


@pytest.mark.parametrize(
    ("text", "languages"), [("la casa", ("es", "it", "fr", "ca")), ("como", ("es", "pt"))]
)
def test_a_close_choice_is_made_among_the_languages_that_a_model_knows(
    text: str, languages: tuple[str, ...]
) -> None:
    assert detect_language(text) is None
    for language in languages:
        assert detect_language(text, ("en", language)) == language
