"""What is handed in by mistake is one TypeError that says what to call; nothing is parsed instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser import Parser
from bnaparser.parsing.ensemble import Ensemble


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


# Calls as people make them, so the types are wrong.
CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda p: p(["a."]), "give text, not a list: parser.pipe takes many texts"),
    (lambda p: p(None), "give text, not None"),
    (lambda p: p(b"a."), r"not bytes: text.decode\('utf-8'\)"),
    (lambda p: p.parse_sentence(["a"]), "not a list: .* parser.parse_words the words"),
    (lambda p: p.parse_words("a b"), "not a string: 'a b'; parser.parse_sentence takes text"),
    (lambda p: p.parse_words(None), "give a list of words, not None"),
    (lambda p: p.parse_words(["a", 1]), "word 2 is an int, not a string: 1"),
    (lambda p: p.parse_words([["a"]]), "word 1 is a list"),
    (lambda p: p.parse_words(["a", "b"], "NN"), "give a list of tags, not a string: 'NN'"),
    (lambda p: p.parse_many([["a"]], "N"), "give a list of lists of tags, not a string"),
    (lambda p: p.parse_many([["a"]], ["N"]), "give a list of tags, not a string"),
    (lambda p: p.parse_many([["a"]], [[1]]), "tag 1 of sentence 1 is an int, not a string: 1"),
    (lambda p: p.parse_many([["a"]] * 2, [["N"], [b"N"]]), "tag 1 of sentence 2 is bytes"),
    (lambda p: p.parse_many([["a"]], [None]), "a list of tags for sentence 1, not None"),
    (lambda p: p.parse_many([["a"]], [b"N"]), "a list of tags for sentence 1, not bytes"),
    (lambda p: p.parse_many([["a"]], 5), "give a list of tags for each sentence, not an int"),
    (lambda p: p.parse_sentences(["a."]), "a list of Sentence, not of a str"),
    (lambda p: Ensemble([p, p]).parse_sentences("a."), "a list of Sentence, not of a str"),  # type: ignore[arg-type]
    (lambda _: Ensemble.load("en"), "names must be a list of names of models"),
    (lambda p: p.in_language(5), 'a language by its code, as in "es", not an int'),
    (lambda p: p("a.", language=5), "a language by its code"),
    (lambda p: Parser(p.model, batch_tokens="5"), "batch_tokens is '5': it must be a whole number"),  # type: ignore[arg-type]
    (lambda _: Parser.load("en", 0), 'give a device as in "cuda:1", not an int: 0'),  # type: ignore[arg-type]
    (lambda p: p.parse_many([None]), "give a list of words, not None"),
    (lambda p: p.parse_sentences(["a."]), "give a list of Sentence, not of a str: parser"),
    (lambda p: p.parse_sentences("a."), "give a list of Sentence, not of a str: parser"),
    (lambda p: list(p.stream(["a.", None])), "number 2 of the lines"),
    (lambda p: list(p.pipe("a.")), "give a list of texts, not a string: 'a.'"),
    (lambda p: list(p.pipe(["a.", 3])), "number 2 of the texts"),
    (lambda p: list(p.pipe(["a."], as_tuples=True)), "number 1 is a str: give pairs"),
    (lambda p: Parser({"en": p}), "give a loaded model, not a Parser"),
    (lambda _: Parser("en"), r'not a str: Parser.load takes .* Parser.load\("en"\)'),  # type: ignore[arg-type]
    (lambda _: Parser.load(None), r'name or folder, as in Parser.load\("en"\), not None'),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_a_wrong_argument_is_one_clear_type_error(
    parser: Parser, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        call(parser)


def test_threads_are_a_whole_number(tiny_model_dir: Path) -> None:
    parser = Parser.load(tiny_model_dir, device="cpu")
    parser.threads = "2"  # type: ignore[assignment]
    with pytest.raises(TypeError, match="threads is '2': it must be a whole number"):
        parser.parse_words(["a"])
