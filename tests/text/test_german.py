"""German text: where sentences end, and the words of TIGER."""

from __future__ import annotations

import pytest

from bnaparser.render import conllu
from bnaparser.text.text_rules import rules_of
from bnaparser.trees.tree import Tree


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Er kam am 3. Oktober an. Wir auch.", ["Er kam am 3. Oktober an .", "Wir auch ."]),
        ("Das war Platz 3. Die Leute gingen.", ["Das war Platz 3 .", "Die Leute gingen ."]),
        ("Im Ein- und Ausgang.", ["Im Ein- und Ausgang ."]),
        ("Besitzer und -freunde kamen.", ["Besitzer und -freunde kamen ."]),
        (
            "Das gilt z. B. für Dr. Berg, d. h. alle.",
            ["Das gilt z. B. für Dr. Berg , d. h. alle ."],
        ),
        ("Äpfel usw. Die Preise.", ["Äpfel usw .", "Die Preise ."]),
        (
            "„Kommst du?“, fragte sie. »Ja.« Er ging.",
            ["„ Kommst du ? “ , fragte sie .", "» Ja . «", "Er ging ."],
        ),
        ("Er sagte: „Gut.“ Dann ging er.", ["Er sagte : „ Gut . “", "Dann ging er ."]),
        ("Geht's dir gut?", ["Geht 's dir gut ?"]),
        ("Die SPD/FDP-Gruppe fährt 50 km/h.", ["Die SPD/FDP-Gruppe fährt 50 km/h ."]),
    ],
)
def test_sentences_and_words(text: str, sentences: list[str]) -> None:
    found = rules_of("de").sentences(text, 0)
    assert [" ".join(one.words) for one in found] == sentences


def test_heads_of_german_trees_are_those_of_tiger() -> None:
    tree = Tree.parse(
        "(TOP (S (PP (APPRART Am) (ADJA 3.) (NN Oktober)) (VVFIN kam) (NP (ART das) (NN Haus))"
        " (VP (VVINF stehen)) ($. .)))"
    )
    rows = [line.split("\t") for line in conllu(tree).split("\n") if line[:1].isdigit()]
    assert [int(row[6]) for row in rows] == [3, 3, 4, 0, 6, 4, 4, 4]
    assert [row[3] for row in rows] == [
        "ADP",
        "ADJ",
        "NOUN",
        "VERB",
        "DET",
        "NOUN",
        "VERB",
        "PUNCT",
    ]
    assert [row[7] for row in rows][:5] == ["case", "amod", "dep", "root", "det"]
