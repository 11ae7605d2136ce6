"""``parser.pipe``: many texts, each as ``parser(text)`` has it, in batches and in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bnaparser import Parse, Parser
from bnaparser.parsing.question import PLAIN, Question
from bnaparser.parsing.result import Parses
from bnaparser.text.sentence import Sentence

TEXTS = ["It rained. Mira sang.", "", "The old cat sat.", "\n", "Dogs bark. It fell. Karo ran."]


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


def shown(parses: Sequence[Parse]) -> list[tuple[str, object]]:
    return [(str(parse.tree), parse.offsets) for parse in parses]


def test_each_text_is_as_alone_and_keeps_what_came_with_it(parser: Parser) -> None:
    alone = [shown(parser(text)) for text in TEXTS]
    assert [len(of_text) for of_text in alone] == [2, 0, 1, 0, 3]
    found = list(parser.pipe(TEXTS))
    assert [shown(parses) for parses in found] == alone
    assert all(isinstance(parses, Parses) for parses in found)
    pairs = list(parser.pipe(zip(TEXTS, "abcde", strict=True), as_tuples=True))
    assert [shown(parses) for parses, _ in pairs] == alone
    assert [context for _, context in pairs] == list("abcde")
    assert list(parser.pipe([])) == []


def test_texts_share_batches_and_few_are_read_ahead(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnaparser.parsing.parser.READ_AHEAD", 4)
    at_once: list[int] = []
    read: list[int] = []
    parse = parser.parse_sentences

    def count(sentences: Sequence[Sentence], questions: Question = PLAIN) -> list[Parse]:
        at_once.append(len(sentences))
        return parse(sentences, questions=questions)

    def texts() -> Iterator[str]:
        for number in range(6):
            read.append(number)
            yield "It rained. Mira sang."

    monkeypatch.setattr(parser, "parse_sentences", count)
    stream = parser.pipe(texts())
    next(stream)
    assert read == [0, 1]
    assert len(list(stream)) == 5
    assert at_once == [4, 4, 4]
