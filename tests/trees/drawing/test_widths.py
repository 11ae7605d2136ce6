"""How wide words are drawn, and how characters are shown that a document cannot hold."""

from __future__ import annotations

from bnaparser.trees.drawing.layout import WORD_SIZE, text_width, visible


def test_widths_follow_the_script() -> None:
    assert text_width("", WORD_SIZE) == 0
    assert text_width("m", 100) > 2 * text_width("i", 100)
    assert text_width("猫猫", 100) >= 200
    assert text_width("😀", 100) >= 125
    assert text_width("e\u0301", 100) == text_width("e", 100) == text_width("é", 100)
    assert text_width("a\u200d", 100) == text_width("a", 100)
    assert text_width("Щ", 100) > text_width("щ", 100)


def test_characters_that_xml_forbids_are_shown() -> None:
    assert visible("a\x00\x07\x7f\x9f\ud83d\uffffb") == "a\u2400\u2407\u2421\ufffd\ufffd\ufffdb"
    assert visible("é猫👩‍👧\u202e") == "é猫👩‍👧\u202e"
