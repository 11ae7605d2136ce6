"""The model that ships gives the README's tree and stays within its size."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bnaparser import Parser, models

FOLDER = models.SHIPPED / "en"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "model.safetensors").is_file(), reason="models/en is not checked out"
)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load("en", device="cpu")


def test_it_parses_without_torch() -> None:
    """To import torch takes longer than all of `bnaparse`."""
    code = "import sys; from bnaparser import Parser;"
    code += "print(Parser.load('en', device='cpu')('It rains.')[0].error,"
    code += "[name for name in ('torch', 'transformers') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None []"


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("THE CAT SAT ON THE MAT.", "The cat sat on the mat."),
        ("The Cat Sat On The Mat.", "The cat sat on the mat."),
        ("AT&amp;T doesn&#39;t pay.", "AT&T doesn't pay."),
        ("The co\xadop was to\u200bgether.", "The coop was together."),
    ],
)
def test_the_same_tree_however_it_is_written(parser: Parser, text: str, usual: str) -> None:
    (parse,), (other,) = parser(text), parser(usual)
    assert (parse.tags, parse.spans) == (other.tags, other.spans)
    assert parse.text == text


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("We met at 3 p.m.", "."),
        ("He lives in Washington, D.C.", "."),
        ("I like it :)", "SYM"),
        ("I like it:)", "SYM"),
        ("Great \U0001f600", "SYM"),
    ],
)
def test_the_tag_of_the_last_word(parser: Parser, text: str, tag: str) -> None:
    (parse,) = parser(text)
    assert parse.tags[-1] == tag


def test_at_most_60_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 60e6


def test_alone_and_in_a_batch_the_same(parser: Parser) -> None:
    sentences = [
        ["It", "rained", "."],
        ["Dogs"],
        ["She", "said", "that", "he", "had", "left", "early", "."],
    ]
    together = [str(parse.tree) for parse in parser.parse_many(sentences)]
    assert together == [str(parser.parse_words(words).tree) for words in sentences]
