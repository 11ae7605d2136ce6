"""Markup in a text: what each bracket says, what stays of the text, and what is wrong with one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import SentenceError
from bnaparser.parsing.markup import MarkedLines, marked_sentences, unmark
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.text.sentence import Split
from bnaparser.text.splitting import split_lines


@pytest.mark.parametrize(
    ("marked", "known"),
    [
        ("[NP the cat]", Constraint("must", 0, 7, "NP")),
        ("[NP|QP the cat]", Constraint("must", 0, 7, ("NP", "QP"))),
        ("[S::VP the cat]", Constraint("must", 0, 7, "S::VP")),
        ("[* the cat]", Constraint("must", 0, 7)),
        ("[!NP the cat]", Constraint("not", 0, 7, "NP")),
        ("[!* the cat]", Constraint("not", 0, 7)),
        ("[?NP|QP the cat]", Constraint("only", 0, 7, ("NP", "QP"))),
        ("[~ the cat]", Constraint("uncrossed", 0, 7)),
        ("[+2 the cat]", Constraint("bonus", 0, 7, (), 2.0)),
        ("[-.5:NP the cat]", Constraint("bonus", 0, 7, "NP", -0.5)),
        ("[=NN thecat]", Constraint("tag", 0, 6, tag="NN")),
        ("[=. thecat]", Constraint("tag", 0, 6, tag=".")),
        ("[NP   the cat  ]", Constraint("must", 0, 7, "NP")),
    ],
)
def test_what_a_bracket_says(marked: str, known: Constraint) -> None:
    assert unmark(marked).constraints == [known]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_a_bracket_says_may_end_a_line(end: str) -> None:
    text, known = unmark(f"I saw [NP{end}the man] here.{end}")
    assert text == f"I saw {end}the man here.{end}"
    assert [(one.labels, text[one.start : one.end].strip()) for one in known] == [
        (("NP",), "the man")
    ]


def test_brackets_in_brackets_and_brackets_that_are_text() -> None:
    text, known = unmark(r"I saw [NP [NP the man] [PP with [=NN it]]] \[sic\] c:\dir \\[* x].")
    assert text == r"I saw the man with it [sic] c:\dir \x."
    assert [(one.kind, text[one.start : one.end]) for one in known] == [
        ("must", "the man"),
        ("tag", "it"),
        ("must", "with it"),
        ("must", "the man with it"),
        ("must", "x"),
    ]


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("a ] b", "a ] at 2 has no opening bracket"),
        ("a [NP b", "the bracket [NP at 2 is not closed"),
        ("[ a b]", "[ at 0 is not a constraint"),
        ("[12 a]", "[12 at 0 is not a constraint"),
        ("as he says [1] in", r"[1] at 11 is not a constraint: after [ write a label"),
        ("as he says [1] in", r"\[ is the character itself"),
        ("see [a] and", "[a] at 4 is not a constraint"),
        ("[NP ]", "the bracket [NP at 0 contains no words"),
        ("[? a]", "is not a constraint"),
        ("[= a]", "is not a constraint"),
        ("[! a]", "is not a constraint"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(marked: str, said: str) -> None:
    with pytest.raises(SentenceError) as caught:
        unmark(marked)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("[" * 50_000 + "\u00a0", "text"),
        ("[NP a " * 20_000 + "]" * 20_000, "text"),
        ("[" * 100_000, "paragraph"),
        ("[NP A] b. " * 10_000, "text"),
        ("[NP A] b.\n" * 10_000, "paragraph"),
        ("[NP A.\n\n" * 10_000, "text"),
        ("[NP A.\n\n" * 10_000, "paragraph"),
        ("[NP A. " * 3_000 + "\n] ] ]\n" + "B. \n\n" * 3_000, "paragraph"),
        ("[+" + "1" * 100_000 + "x A]", "paragraph"),
    ],
)
def test_much_markup_is_read_in_time_that_grows_with_it_alone(text: str, split: Split) -> None:
    begin = time.process_time()
    marked_sentences(text, split)
    assert time.process_time() - begin < 30  # they took minutes


def test_what_a_bracket_says_becomes_one_constraint(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Constraint] = []

    def note(one: Constraint) -> None:
        made.append(one)

    monkeypatch.setattr(Constraint, "__post_init__", note)
    assert unmark("[NP a] [+2 b] [=NN c]").constraints == made


def test_brackets_may_stand_side_by_side() -> None:
    assert unmark("[NP[QP a] b]").constraints == [
        Constraint("must", 0, 1, "QP"),
        Constraint("must", 0, 3, "NP"),
    ]
    with pytest.raises(SentenceError, match=r"^\[ at 0 is not a constraint"):
        unmark("[[NP a]")


@given(st.text(max_size=40))
def test_escaped_text_comes_back(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    assert unmark(escaped) == (text, [])


@given(st.text(max_size=40))
def test_any_text_is_read_or_told(text: str) -> None:
    try:
        unmark(text)
    except SentenceError as error:
        assert "\n" not in str(error) or "\n" in text


@pytest.mark.parametrize("split", ["paragraph", "line", "token"])
def test_a_bad_line_is_bad_alone(split: Split) -> None:
    text = "He left [NP now.\n[NP It] rained .\nDogs ] bark .\nThe [NP cat] sat .\n"
    found = marked_sentences(text, split)
    assert [known for _, known in found] == [
        "the bracket [NP at 8 is not closed",
        [Constraint("must", 0, 1, "NP")],
        found[2][1],
        [Constraint("must", 1, 2, "NP")],
    ]
    assert isinstance(found[2][1], str)
    assert "has no opening bracket" in found[2][1]
    assert found[1][0].words == ("It", "rained", ".")


def test_a_bracket_may_reach_over_a_line_end_of_running_text() -> None:
    found = marked_sentences("I saw [NP the man\nwith it] . He [VP left. Dogs] bark.", "text")
    assert found[0][1] == [Constraint("must", 2, 6, "NP")]
    assert found[1][1] == "constraint 1 (must VP at 27 to 37): no word of the sentence ends at 37"
    assert found[2][1] == []


def test_a_bracket_that_stays_open_is_told_of_its_sentence() -> None:
    found = marked_sentences("It rained. He [VP left.\nDogs bark.", "text")
    assert [known for _, known in found] == [
        [],
        "the bracket [VP is not closed in its sentence",
        [],
    ]


def test_a_bracket_at_the_end_is_told_of_the_last_sentence() -> None:
    text = "It rained.\n\n" * 3 + "The end. [NP"
    marked = MarkedLines(text.splitlines(keepends=True), "text")
    sentences = [
        one for group in split_lines(marked, "text") for one in group
    ]  # all are read ahead
    known = [marked.of(one, 1) for one in sentences]
    assert known == [[], [], [], "the bracket [NP is not closed in its sentence"]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize("bad", ["He ] ] ran.", "He [: x] ran.", "The ] man ] ran."])
def test_a_bracket_that_a_later_bad_line_keeps_open_is_told_of_its_sentence(
    between: str, bad: str
) -> None:
    text = f"I saw [NP the man.{between}{bad}\n\n[NP Dogs] bark."
    marked = MarkedLines(text.splitlines(keepends=True), "text")
    sentences = [one for group in split_lines(marked, "text") for one in group]
    first, second, third = (marked.of(one, 1) for one in sentences)
    assert first == "the bracket [NP is not closed in its sentence"
    assert isinstance(second, str)
    assert "has no opening bracket" in second or "is not a constraint" in second
    assert third == [Constraint("must", 0, 1, "NP")]


@pytest.mark.parametrize("split", ["paragraph", "text"])
def test_places_are_those_of_the_text_without_markup(split: Split) -> None:
    (first, known), (second, others) = marked_sentences("[* It] rained. [NP Dogs] bark.", split)
    assert (known, others) == ([Constraint("must", 0, 1)], [Constraint("must", 0, 1, "NP")])
    assert first.text == "It rained."
    assert second.offsets[0] == (11, 15)
