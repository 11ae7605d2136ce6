"""Requests that ask for more than the best tree: the answers are the library's, a bad sentence fails alone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from bnaparser import Parser
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.options import Dependencies, ParseOptions
from bnaparser.text.sentence import from_words
from tests.server.answers import parses_of, problem

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = [["It", "rained", "."], ["Dogs", "bark"]]


@pytest.fixture(scope="module")
def tiny_parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


def same(found: Any, wanted: Any) -> None:
    """Equal but for the last digits of numbers."""
    if isinstance(wanted, float):
        assert math.isclose(found, wanted, rel_tol=1e-3, abs_tol=1e-3)
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            same(found[name], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    else:
        assert found == wanted


def test_several_trees_with_probabilities_are_the_librarys(
    tiny_client: TestClient, tiny_parser: Parser
) -> None:
    asked: dict[str, Any] = {"n_best": 4, "probabilities": True, "temperature": 0.5}
    same(
        parses_of(tiny_client, tokens=WORDS, **asked),
        [one.to_dict() for one in tiny_parser.parse_many(WORDS, **asked)],
    )


def test_every_form_has_all_trees(tiny_client: TestClient) -> None:
    for form, name in (
        ("json", "constituents"),
        ("bracket", "tree"),
        ("svg", "svg"),
        ("clauses", "clauses"),
    ):
        for scores in (True, False):
            asked = {"n_best": 3, "format": form, "scores": scores}
            [entry] = parses_of(tiny_client, sentences=["It rained."], **asked)
            assert len(entry["alternatives"]) == 2
            for one in (entry, *entry["alternatives"]):
                assert name in one
                assert ("score" in one) == scores
                assert ("constituents" in one) == (form == "json")


def test_constraints_and_dependencies_are_the_librarys(
    tiny_client: TestClient, tiny_parser: Parser
) -> None:
    known = [{"kind": "must", "start": 0, "end": 2, "labels": ["NP"]}]
    heads = {"heads": [2, 0, 2], "punctuation": [False, False, True], "penalty": 9.5}
    found = parses_of(
        tiny_client, tokens=WORDS, constraints=[known, []], dependencies=[heads, None]
    )
    options = [
        ParseOptions(
            constraints=(Constraint("must", 0, 2, "NP"),),
            dependencies=Dependencies((2, 0, 2), (False, False, True), 9.5),
        ),
        ParseOptions(),
    ]
    wanted = tiny_parser.parse_sentences([from_words(one) for one in WORDS], options=options)
    same(found, [one.to_dict() for one in wanted])


def test_places_in_text_and_markup_say_the_same(tiny_client: TestClient) -> None:
    known = [{"kind": "must", "start": 14, "end": 23}, {"kind": "not", "start": 0, "end": 2}]
    text = parses_of(tiny_client, text="It rained. He Dogs bark.", constraints=known)
    marked = parses_of(tiny_client, text="[!* It] rained. He [* Dogs bark].", markup=True)
    same(marked, text)
    assert (1, 3) in {(one["start"], one["end"]) for one in text[1]["constituents"]}
    rows = [[{"kind": "must", "start": 3, "end": 12}]]
    [one] = parses_of(tiny_client, sentences=["He Dogs bark."], constraints=rows)
    assert one["tree"] == text[1]["tree"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"constraints": [[{"kind": "must", "start": 0, "end": 9}], []]},
            "lies outside the sentence",
        ),
        ({"constraints": [[{"kind": "must", "start": 1, "end": 1}], []]}, "the span has no words"),
        (
            {"constraints": [[{"kind": "must", "start": 0, "end": 2, "labels": ["NPP"]}], []]},
            "the model knows no label 'NPP'",
        ),
        (
            {
                "constraints": [
                    [
                        {"kind": "must", "start": 0, "end": 2},
                        {"kind": "must", "start": 1, "end": 3},
                    ],
                    [],
                ]
            },
            "constraint 1 (must at 0 to 2) and constraint 2 (must at 1 to 3) cannot hold together",
        ),
        (
            {"constraints": [[{"kind": "must", "start": 0, "end": 2, "amount": 2}], []]},
            "kind bonus needs an amount",
        ),
        (
            {"constraints": [[{"kind": "not", "start": 0, "end": 2}] * 161, []]},
            "161 constraints and labels, more than the 160",
        ),
        (
            {"constraints": [[{"kind": "must", "start": 0, "end": 2, "labels": ["NP"] * 160}], []]},
            "161 constraints and labels, more than the 160",
        ),
        ({"dependencies": [{"heads": [0]}, None]}, "1 heads for 3 words"),
        ({"dependencies": [{"heads": [0, 1, 7]}, None]}, "a head is not a number from 0 to 3"),
    ],
)
def test_a_bad_question_is_the_error_of_its_sentence_alone(
    tiny_client: TestClient, asked: dict[str, Any], said: str
) -> None:
    bad, good = parses_of(tiny_client, tokens=WORDS, **asked)
    assert said in bad["error"]
    assert bad["tree"] is None
    assert good["error"] is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"tokens": WORDS, "n_best": 101}, "n_best is 101: this service returns at most 100 trees"),
        ({"tokens": WORDS, "constraints": [[]]}, "1 lists of constraints for 2 sentences"),
        ({"tokens": WORDS, "dependencies": []}, "0 dependencies for 2 sentences"),
        (
            {"text": "It [rained.\nDogs ] bark.", "markup": True},
            "the bracket|has no opening bracket",
        ),
        (
            {
                "text": "It rained.\nDogs bark.",
                "split": "line",
                "constraints": [{"kind": "must", "start": 0, "end": 2}],
            },
            "offsets count within a line",
        ),
    ],
)
def test_what_is_wrong_with_all_is_the_error_of_all(
    tiny_client: TestClient, asked: dict[str, Any], said: str
) -> None:
    found = parses_of(tiny_client, **asked)
    assert len(found) == 2
    for one in found:
        assert any(part in one["error"] for part in said.split("|"))


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"n_best": 0}, "n_best"),
        ({"n_best": -1}, "n_best"),
        ({"n_best": 1.5}, "n_best"),
        ({"decoder": "worst"}, "decoder"),
        ({"temperature": 0}, "temperature"),
        ({"seed": -1}, "seed"),
        ({"constraints": [[{"kind": "may", "start": 0, "end": 1}], []]}, "constraints[0][0].kind"),
        ({"constraints": [[{"kind": "must", "start": 0}], []]}, "constraints[0][0].end"),
    ],
)
def test_what_no_request_may_hold_is_refused_with_its_place(
    tiny_client: TestClient, asked: dict[str, Any], place: str
) -> None:
    answer = tiny_client.post("/v1/parse", json={"tokens": WORDS, **asked})
    assert place in problem(answer, 422)


def test_more_trees_than_sentences_are_allowed_are_refused(
    make_client: Callable[..., TestClient],
) -> None:
    client = make_client(max_sentences=10)
    answer = client.post("/v1/parse", json={"sentences": ["It rained."] * 6, "n_best": 2})
    assert "12 trees" in problem(answer, 413)


def test_trees_that_would_make_too_long_an_answer_are_refused(
    make_client: Callable[..., TestClient],
) -> None:
    client = make_client(queue_words=10, max_words=10)
    for form, most in (("json", 8), ("svg", 2)):
        asked = {"tokens": [["a"] * 5], "format": form}
        assert client.post("/v1/parse", json={**asked, "n_best": most}).status_code == 200
        answer = client.post("/v1/parse", json={**asked, "n_best": most + 1})
        assert f"an answer with {most + 1} trees" in problem(answer, 413)
    drawn = {"tokens": [["a"] * 10], "format": "svg"}
    assert client.post("/v1/parse", json=drawn).status_code == 200


def test_questions_of_many_requests_share_batches(serving: Any, tiny_parser: Parser) -> None:
    import asyncio

    import httpx

    async def all_at_once(url: str) -> list[httpx.Response]:
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            requests = [
                client.post("/v1/parse", json={"tokens": WORDS, "n_best": 1 + number % 4})
                for number in range(24)
            ]
            return await asyncio.gather(*requests)

    with serving(tiny_parser) as url:
        answers = asyncio.run(all_at_once(url))
    for number, answer in enumerate(answers):
        for one in answer.json()["parses"]:
            assert len(one.get("alternatives", [])) == number % 4
