"""``parser.pipe``: many texts, each as ``parser(text)`` has it, in batches and in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bnaparser import Parse, Parser
from bnaparser.parsing.ensemble import Ensemble
from bnaparser.parsing.options import DEFAULT_OPTIONS, ParseOptions
from bnaparser.parsing.result import Parses
from bnaparser.text.sentence import Sentence, from_words

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

    def count(
        sentences: Sequence[Sentence], options: ParseOptions = DEFAULT_OPTIONS
    ) -> list[Parse]:
        at_once.append(len(sentences))
        return parse(sentences, options=options)

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


@pytest.mark.parametrize("name", ["stream", "pipe"])
def test_what_was_read_before_an_error_is_not_lost(parser: Parser, name: str) -> None:
    """An error in the user's iterable lost up to 1,024 lines that were read before."""

    def texts() -> Iterator[str]:
        yield "It rained."
        yield "Dogs bark."
        raise OSError("the disk is gone")

    def with_a_wrong_one() -> Iterator[Any]:
        yield from ["It rained.", "Dogs bark.", 5]

    for given, kind in ((texts, OSError), (with_a_wrong_one, TypeError)):
        found = []
        with pytest.raises(kind, match=r"the disk is gone|number 3"):
            for parses in getattr(parser, name)(given()):
                found.append(parses)  # noqa: PERF402 (what came before the error)
        assert len(found) == 2


NOT_TEXT = {"\x00": "a NUL character", "\ud800": "half of a surrogate pair"}


@pytest.mark.parametrize("sign", NOT_TEXT)
@pytest.mark.parametrize("text", ["It rai{}ned.", "{}It rained.", "It rained.{}", "It {} rained."])
def test_what_is_no_character_is_an_error_of_its_sentence(
    parser: Parser, sign: str, text: str
) -> None:
    """A NUL inside a word split it without a message; half of a pair gave a tree that cannot be printed."""
    bad, good, said = text.format(sign), "Dogs bark.", f"it has {NOT_TEXT[sign]}: this is not text"

    def check(parses: Sequence[Parse]) -> None:
        errors = [parse.error or "" for parse in parses]
        assert sum(error.endswith(said) for error in errors) == 1
        assert errors[-1] == "" and parses[-1].tree is not None
        for parse in parses:
            parse.to_json().encode()
            (parse.error or "").encode()

    check(parser(f"{bad}\n{good}"))
    check([parser.parse_sentence(bad), parser.parse_sentence(good)])
    check(list(parser.stream([bad, good])))
    check([parse for parses in parser.pipe([bad, good]) for parse in parses])
    check([parse for parses, _ in parser.pipe([(bad, 1), (good, 2)], True) for parse in parses])
    check(parser.parse_many([bad.split(" "), good.split(" ")]))
    check([parser.parse_words(bad.split(" ")), parser.parse_words(["Dogs"])])
    check([parser.parse_words(["a", "b"], tags=["NN", f"N{sign}"]), parser.parse_words(["a"])])
    several = Parser({"en": parser.model, "es": parser.model})
    check(several(f"{bad}\n{good}"))
    check(
        Ensemble([parser, parser]).parse_sentences(
            [from_words([bad[:2] + sign]), from_words(["ab"])]
        )
    )


@pytest.mark.parametrize("frame", [{"a": "It rained."}, SimpleNamespace(columns=["text"])])
def test_names_of_columns_are_no_texts(parser: Parser, frame: Any) -> None:
    with pytest.raises(TypeError, match=r"a column of a data frame, such as frame\['text'\]"):
        list(parser.pipe(frame))


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_has_no_order(parser: Parser, kind: type) -> None:
    with pytest.raises(TypeError, match="not a set: a set has no order"):
        list(parser.pipe(kind(["It rained.", "Dogs bark."])))
    with pytest.raises(TypeError, match="a list of words, not a set"):
        parser.parse_words(kind(["dogs", "bark"]))


def test_names_of_columns_are_no_words(parser: Parser) -> None:
    with pytest.raises(TypeError, match="a list of words, not a dict"):
        parser.parse_words({"dogs": 1, "bark": 2})
