"""The clauses that gold dependencies have, of sentences whose clauses are plain to see."""

from __future__ import annotations

import pytest

from benchmarks.measures.gold_clauses import Word, gold_clauses
from benchmarks.measures.run_clauses import pairs


def sentence(text: str) -> list[Word]:
    """Return words that are given as ``form/UPOS/TAG/head/relation``."""
    rows = [one.split("/") for one in text.split()]
    return [Word(form, universal, tag, int(head), rel) for form, universal, tag, head, rel in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I/PRON/PRP/2/nsubj know/VERB/VBP/0/root that/SCONJ/IN/5/mark she/PRON/PRP/5/nsubj sings/VERB/VBZ/2/ccomp",
            ["main I know", "complement that she sings"],
        ),
        (
            "I/PRON/PRP/2/nsubj want/VERB/VBP/0/root to/PART/TO/4/mark go/VERB/VB/2/xcomp and/CCONJ/CC/6/cc eat/VERB/VB/4/conj",
            ["main I want", "non-finite to go", "coordinate and eat"],
        ),
        (
            "What/PRON/WP/5/nsubj he/PRON/PRP/3/nsubj said/VERB/VBD/1/acl:relcl is/AUX/VBZ/5/cop true/ADJ/JJ/0/root",
            ["main What is true", "complement he said"],
        ),
        (
            "cats/NOUN/NNS/0/root that/PRON/WDT/3/nsubj sleep/VERB/VBP/1/acl:relcl and/CCONJ/CC/5/cc dogs/NOUN/NNS/1/conj",
            ["main cats and dogs", "relative that sleep"],
        ),
        (
            "If/SCONJ/IN/2/mark possible/ADJ/JJ/3/advcl call/VERB/VB/0/root",
            ["main call", "adverbial If possible"],
        ),
        (
            "made/VERB/VBD/0/root him/PRON/PRP/1/obj happy/ADJ/JJ/1/xcomp",
            ["main made him happy"],
        ),
    ],
)
def test_kinds_and_words(text: str, expected: list[str]) -> None:
    words = sentence(text)
    found = [
        " ".join([one.kind, *(words[place].form for place in sorted(one.words))])
        for one in gold_clauses(words)
    ]
    assert found == expected


def test_clauses_are_the_same_that_share_a_verb() -> None:
    text = "He/PRON/PRP/3/nsubj was/AUX/VBD/3/cop ill/ADJ/JJ/0/root"
    [gold] = gold_clauses(sentence(text))
    assert gold.verbs == {1}
    assert pairs([gold], [gold]) == [(gold, gold)]
    other = gold._replace(verbs=frozenset({2}))
    assert pairs([other], [gold]) == []
    without = gold._replace(verbs=frozenset())
    assert pairs([without], [gold]) == [(without, gold)]
