"""What an encoder reads instead of some words: as many words, and only what misleads it changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.text.english.normalization import as_read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("We met at 3 p.m .", "We met at 3 p.m. ."),
        ("It is in `` D.C . ''", "It is in `` D.C. . ''"),
        ("He left Foo Inc .", "He left Foo Inc ."),
        ("The G.m.b . H. plant", "The G.m.b . H. plant"),
        ("I like it :)", "I like it ;"),
        ("'T is Rock 'n' roll , \u2019t was", "It is Rock and roll , it was"),
        ("She 's walkin' , Nothin\u2019 TALKIN'", "She 's walking , Nothing TALKING"),
        ("An' the ol' lil' dog o' th' king", "And the old little dog of the king"),
        ("The student(s) and child-LRB-ren-RRB- f(s)", "The students and child-LRB-ren-RRB- f(s)"),
        ("<bob@x.org> </b> <br/> < 3", "bob@x.org b br < 3"),
        ("Good :-) I see :--LRB- now", "Good ; I see ; now"),
        ("Great \U0001f600 !", "Great ; !"),
        ("I \u2764 you \U0001f600 \U0001f600", "I \u2764 you ; ;"),
        ("I <3 you <3", "I <3 you ;"),
        ("( see 3 : 1 )", "( see 3 : 1 )"),
        ("The \ufb01rst o\ufb03ce is \ufb01ne", "The first office is fine"),
        ("THE \uff23\uff21\uff34 \uff33\uff21\uff34 THERE", "The cat sat there"),
        ("The \U0001d5ef\U0001d5fc\U0001d5f9\U0001d5f1 word", "The bold word"),
        ("He likes \u5bff\u53f8 in \u6771\u4eac .", "He likes Tokyo in Tokyo ."),
        ("Her name is \u0395\u03bb\u03ad\u03bd\u03b7 .", "Her name is Tokyo ."),
        (
            "\u03b1\u03b2 \u0394 \u03b3-ray \u0665 \u3002",
            "\u03b1\u03b2 \u0394 \u03b3-ray \u0665 \u3002",
        ),
    ],
)
def test_what_is_read(written: str, read: str) -> None:
    assert as_read(written.split(), cased=True) == read.split()


def test_capitals_are_left_to_an_encoder_that_knows_no_others() -> None:
    words = ["THE", "CAT", "SAT", "."]
    assert as_read(words, cased=False) == words
    assert as_read(words, cased=True) == ["The", "cat", "sat", "."]


WORDS = st.text(st.characters(exclude_characters=" \t\n\r\f\v"), min_size=1, max_size=5)
KNOWN = st.sampled_from(
    [
        "THE",
        "A",
        "p.m",
        ".",
        ":)",
        "&amp;",
        "-LRB-",
        "\xad",
        "\xdf",
        "\u01c6",
        "-",
        "\ufb01",
        "\uff09",
        "\u4eac",
    ]
)


@given(st.lists(WORDS | KNOWN, max_size=8), st.booleans())
def test_every_word_is_read_as_one(words: list[str], cased: bool) -> None:
    read = as_read(words, cased)
    assert len(read) == len(words)
    assert all(read)


import pytest

from bnaparser.text.english.normalization import recased


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("THE CAT SAT ON THE MAT .", "The cat sat on the mat ."),
        ("I SAID I WAS OK .", "I said I was ok ."),
        ("`` WE LEFT ON MONDAY , JUNE 5 . ''", '" We left on Monday , June 5 . "'),
        ("HE DID N'T SEE THE DOG 'S TAIL", "He did n't see the dog 's tail"),
        ("MR. LEE OF THE U.S. CAME AT 5 P.M .", "Mr. lee of the U.S. came at 5 p.m ."),
        ("VITAMIN C AND THE IL-2 OF HENRY IV", "Vitamin C and the IL-2 of henry IV"),
        ("A WELL-KNOWN 80-YEAR-OLD OF THE 1990S", "A well-known 80-year-old of the 1990s"),
        ("-LRB- BREAKING NEWS -RRB-", "( Breaking news )"),
        ("The Quick Brown Fox Jumps Over The Dog", "The quick brown fox jumps over the dog"),
        ("How to Tell a Joke", "How to tell a joke"),
        (
            "NASA Says That It Saw the New iPod in Ten Shops",
            "NASA says that it saw the new iPod in ten shops",
        ),
        ("He Did N't Go To A Zoo , I Say", "He did n't go to a zoo , I say"),
    ],
)
def test_read_in_lower_case(written: str, read: str) -> None:
    assert recased(written.split()) == read.split()


@pytest.mark.parametrize(
    "written",
    [
        "The cat sat on the mat .",
        "the cat sat .",
        "John Smith Met Ann Lee",
        "I",
        "USA",
        "IBM CEO",
        "BRCA1 , KRAS : p < .5",
        "DM5S3 : 5 - AGAGTGGATTGAATCGGATAGCTC - 3",
        "1990s 5 !",
        "",
        "\u6211 \u7231 \u4f60",
        "Bank of America and Bank of England",
        "NATO said : NO",
    ],
)
def test_left_as_it_is(written: str) -> None:
    assert recased(written.split()) is None
