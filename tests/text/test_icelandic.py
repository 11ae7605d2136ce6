"""Icelandic text of today: where sentences end, and the words of the treebank's newer parts."""

from __future__ import annotations

import pytest

from bnaparser.text.sentence import join_pieces
from bnaparser.text.text_rules import rules_of


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Hv. þm. Pétur talaði um 3. gr. laganna.", ["Hv. þm. Pétur talaði um 3. gr. laganna ."]),
        ("Það kostar 100 þús. kr. Ég veit það.", ["Það kostar 100 þús. kr .", "Ég veit það ."]),
        ("Hann kastaði 71,39 m. Jón keppti.", ["Hann kastaði 71,39 m .", "Jón keppti ."]),
        ("Hún spurði til mín. Mér fannst það.", ["Hún spurði til mín .", "Mér fannst það ."]),
        (
            "Leikurinn hefst kl. 17:00. Hann fer fram 5. júlí.",
            ["Leikurinn hefst kl. 17$ $:$ $00 .", "Hann fer fram 5. júlí ."],
        ),
        ("Þeir unnu 20. Hann kom í St. Louis.", ["Þeir unnu 20 .", "Hann kom í St. Louis ."]),
        ("Kristján IX. konungur kom 300 f.Kr.", ["Kristján IX. konungur kom 300 f.$ $Kr."]),
        ("Hann er t.d. í efnahags- og skattanefnd.", ["Hann er t.$ $d. í efnahags- og skattanefnd ."]),
        ("Það er 10% hækkun, og/eða 5 %.", ["Það er 10$ $% hækkun , og / eða 5 % ."]),
    ],
)  # fmt: skip
def test_sentences_and_words(text: str, sentences: list[str]) -> None:
    """Abbreviations ended sentences, times did not, and ordinal numbers were two words."""
    found = []
    for one in rules_of("is").sentences(text, 0):
        # Where rules are not sure an article may be cut off: here none is.
        begins = [piece.sure and piece.begins for piece in one.pieces]
        found.append(" ".join(word.form for word in join_pieces(one.text, one.pieces, begins)))
    assert found == sentences
