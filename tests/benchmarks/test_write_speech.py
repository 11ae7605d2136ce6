"""Trees of speech put together of trees of its parts, which a stand-in for a parser looks up."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from benchmarks.accuracy import write_speech
from benchmarks.accuracy.write_speech import Interrupted, QuotedQuestion, speech
from bnaparser import Parse, Parser, Tree

SAID_HE = "(TOP (S (NP (DT The) (NN plan)) (PRN (, ,) (S (NP (PRP he)) (VP (VBD said))) (, ,)) (VP (VBZ is) (ADJP (JJ good))) (. .)))"
PLAIN = "(TOP (S (`` \") (S (NP (DT The) (NN plan)) (VP (VBZ is) (ADJP (JJ good)))) (, ,) ('' \") (NP (PRP he)) (VP (VBD said)) (. .)))"
MARKED = "(, ,) ('' \")", '(, ,) (`` ")'
HE_SAID = "(S (NP (PRP he)) (VP (VBD said)))"


def parse(text: str, sure: float = 1.0) -> Parse:
    tree = Tree.parse(text)
    spans = tuple(span._replace(probability=sure) for span in tree.spans())
    return Parse(" ".join(tree.words), tree.words, tree.tags, spans)


class Looked:
    """Gives words the tree of the list that has them; others have no tree."""

    def __init__(self, parses: Iterable[Parse]) -> None:
        self.parses = {one.words: one for one in parses}

    def parse_many(self, sentences: Iterable[tuple[str, ...]], probabilities: bool) -> list[Parse]:
        assert probabilities
        return [self.parses.get(words, Parse("", words, error="none")) for words in sentences]


def made(text: str, *trees: Parse) -> Tree | None:
    cut = speech(tuple(text.split()))
    assert cut is not None
    return cut.tree(Looked(trees).parse_many(cut.parts(), probabilities=True))


def test_an_interruption_stands_below_the_lowest_constituent_around_it() -> None:
    whole = "(TOP (S (`` \") (NP (PRP I)) (VP (VBP want) (NP (NP (NNP Rome)) (CC and) (NP (NNP Oslo)))) (. .) ('' \")))"
    found = made('" I want Rome , " he said , " and Oslo . "', parse(whole), parse(SAID_HE))
    prn = f"(PRN {MARKED[0]} {HE_SAID} {MARKED[1]})"
    assert str(found) == whole.replace("(CC and)", f"{prn} (CC and)")


def test_between_clauses_the_marks_are_outside() -> None:
    clause = "(S (NP (PRP It)) (VP (VBD rained)))"
    whole = f'(TOP (S (`` ") {clause} (, ,) (CC and) {clause} (. .)))'
    found = made('" It rained , " he said , " and It rained .', parse(whole), parse(SAID_HE))
    between = f"{MARKED[0]} (PRN {HE_SAID}) {MARKED[1]}"
    assert str(found) == whole.replace("(, ,)", between)


def test_the_surer_of_two_trees_counts_with_a_comma_and_without() -> None:
    without = '(TOP (S (`` ") (NP (PRP It)) (VP (VBZ is)) (. .)))'
    with_comma = '(TOP (S (`` ") (NP (PRP It)) (, ,) (VP (VBZ is)) (. .)))'
    prn = f"(PRN {MARKED[0]} {HE_SAID} {MARKED[1]})"
    for sure in (0.95, 0.99):
        found = made(
            '" It , " he said , " is .',
            parse(without, sure),
            parse(with_comma, 0.97),
            parse(SAID_HE),
        )
        assert str(found) == without.replace("(VP", f"{prn} (VP")


@pytest.mark.parametrize(
    "trees",
    [
        [parse(SAID_HE)],  # the speech has no tree
        [parse('(TOP (S (`` ") (NP (PRP It)) (VP (VBZ is)) (. .)))', 0.9), parse(SAID_HE)],
        [parse('(TOP (S (`` ") (NP (PRP It)) (VP (VBZ is)) (. .)))'), parse(SAID_HE, 0.9)],
        [
            parse('(TOP (S (`` ") (NP (PRP It)) (VP (VBZ is)) (. .)))'),
            parse(SAID_HE.replace("PRN", "NP")),
        ],
        [  # the comma ends an apposition
            parse('(TOP (S (`` ") (NP (PRP It) (, ,)) (VP (VBZ is)) (. .)))'),
            parse(SAID_HE),
        ],
    ],
)
def test_what_the_parser_is_not_sure_of_is_left_out(trees: list[Parse]) -> None:
    assert made('" It , " he said , " is .', *trees) is None


def test_a_question_takes_the_place_of_a_plain_sentence() -> None:
    question = "(TOP (SBARQ (WHNP (WP Who)) (SQ (VBP are) (NP (PRP you))) (. ?)))"
    found = made('" Who are you ? " he said .', parse(question), parse(PLAIN), parse(SAID_HE))
    assert str(found) == PLAIN.replace(
        "(S (NP (DT The) (NN plan)) (VP (VBZ is) (ADJP (JJ good)))) (, ,)", question[5:-1]
    )
    assert made('" Who are you ? " he said .', parse(question), parse(SAID_HE)) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('" It , " he said , " is . "', Interrupted),
        ("\u201c Go ! \u201d cried the old king .", QuotedQuestion),
        ('" It , " he said .', None),
        ('" It , " he said , and " is . "', None),  # the speaker goes on
        ('" It . It , " he said , " is . "', None),  # two sentences
        ('" It , " he said to 2 of them , " is . "', None),
        ('" It , " he said to all of us there , " is . "', None),  # a long clause
        ("It , he said , is .", None),
        ("", None),
    ],
)
def test_what_is_speech(text: str, kind: type | None) -> None:
    cut = speech(tuple(text.split()))
    assert cut is None if kind is None else type(cut) is kind


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without = parse('(TOP (S (`` ") (NP (PRP It)) (VP (VBZ is)) (. .)))')
    stand_in = Looked([without, parse(SAID_HE)])
    monkeypatch.setattr(Parser, "load", lambda name: stand_in)
    text, output = tmp_path / "text", tmp_path / "out.mrg"
    text.write_text('"It," he said, "is.\n\n"It," he said, "is.\n\n"No," he said, "no."\n')
    monkeypatch.setattr(sys, "argv", ["write_speech", "en", str(text), str(output)])
    write_speech.main()
    assert output.read_text().count("(PRN") == output.read_text().count("\n") == 1
    assert capsys.readouterr().out == "1 trees of 2 sentences of speech\n"
