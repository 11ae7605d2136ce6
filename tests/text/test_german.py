"""German text: where sentences end, and the words of TIGER."""

from __future__ import annotations

import pytest

from bnaparser.text.text_rules import rules_of
from bnaparser.trees.render import conllu
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
        ("Er fuhr 50 km/h. Es ging.", ["Er fuhr 50 km/h .", "Es ging ."]),
        (
            "Um 17:00. Dann kam er. Es endete 3:2. Hertha verlor.",
            ["Um 17:00 .", "Dann kam er .", "Es endete 3:2 .", "Hertha verlor ."],
        ),
        (
            "Ludwig XIV. war da. Das XX. Jahrhundert. Wilhelm II. Er ging.",
            ["Ludwig XIV. war da .", "Das XX. Jahrhundert .", "Wilhelm II .", "Er ging ."],
        ),
        (
            "Die 10-jährige Tochter, 21-mal im 2:0-Sieg der 90er-Jahre.",
            ["Die 10-jährige Tochter , 21-mal im 2:0-Sieg der 90er-Jahre ."],
        ),
        (
            "Dipl.-Ing. Berg wohnt Hauptstr. 5 (gegr. 1899).",
            ["Dipl.-Ing. Berg wohnt Hauptstr. 5 ( gegr. 1899 ) ."],
        ),
        (
            "Er starb 44 v. Chr. Danach kam Augustus.",
            ["Er starb 44 v. Chr .", "Danach kam Augustus ."],
        ),
        (
            "Eine Tat dieser Art. Dann kam Jan. Er las Art. 5 GG im Jan. 2020.",
            ["Eine Tat dieser Art .", "Dann kam Jan .", "Er las Art. 5 GG im Jan. 2020 ."],
        ),
        ("Maier's Imbiss. Gibt's Leser*innen?", ["Maier's Imbiss .", "Gibt 's Leser*innen ?"]),
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


@pytest.mark.parametrize(
    ("tree", "root"),
    [
        ("(NP (ART der) (NN Erfolg) (NP (ART eines) (NN Produkts)))", "Erfolg"),
        ("(PP (APPRART im) (NN Umfeld) (NP (ART der) (NN Schulen)))", "Umfeld"),
        ("(NP (PN (NE Matthias) (NE Platzeck)) ($, ,) (NP (ART der) (NN Chef)))", "Platzeck"),
        ("(NP (PIS viele) (NP (ART der) (NN Schulen)))", "viele"),
        ("(NP (NE Peters) (NN Haus))", "Haus"),
    ],
)
def test_a_genitive_does_not_head_its_noun(tree: str, root: str) -> None:
    """In 451 of 5,185 noun and prepositional phrases of the Potsdam Commentary Corpus a genitive or an apposition did."""
    rows = conllu(Tree.parse(f"(TOP (S {tree} (VVFIN kam)))")).split("\n")
    of_verb = [row.split("\t") for row in rows if row[:1].isdigit()]
    assert [row[1] for row in of_verb if row[6] == of_verb[-1][0]] == [root]
