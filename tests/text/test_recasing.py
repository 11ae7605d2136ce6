"""Sentences in capitals and in title case, as an encoder reads them; others stay as they are."""

from __future__ import annotations

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
