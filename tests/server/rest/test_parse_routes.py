"""``/v1/parse`` from a client's side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.server.app import create_app
from bnaparser.server.rest.answer_body import errors_header
from bnaparser.server.service_settings import ServerSettings
from tests.server.answers import parses_of

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "  Ça va 😀. It rained."


def test_text_is_split_and_places_count_in_the_whole_of_it(client: TestClient) -> None:
    parses = parses_of(client, text=TEXT)
    assert [parse["text"] for parse in parses] == ["Ça va 😀.", "It rained."]
    for parse in parses:
        for token in parse["tokens"]:
            assert TEXT[token["start"] : token["end"]] == token["text"]
        assert [part["label"] for part in parse["constituents"]] == ["S", "VP"]
        for part in parse["constituents"]:
            assert TEXT[part["char_start"] : part["char_end"]] == parse["text"]


def test_places_count_in_the_sentence_or_its_words(client: TestClient) -> None:
    sentence = parses_of(client, sentences=["It rained.", " It rained."])[1]
    assert [token["start"] for token in sentence["tokens"]] == [1, 4, 10]
    words = parses_of(client, tokens=[["It", "rained", "."]], tags=[["PRP", "VBD", "."]])[0]
    assert words["text"] == "It rained ."
    assert [(t["start"], t["tag"]) for t in words["tokens"]] == [(0, "PRP"), (3, "VBD"), (10, ".")]


@pytest.mark.parametrize("request_body", [{"text": " "}, {"sentences": []}, {"tokens": []}])
def test_nothing_in_gives_nothing_out(client: TestClient, request_body: dict[str, Any]) -> None:
    assert parses_of(client, **request_body) == []


def test_formats_hold_what_they_say(tiny_client: TestClient) -> None:
    def fields(**options: Any) -> set[str]:
        return set(parses_of(tiny_client, sentences=["The cat sat."], **options)[0])

    assert fields() == {"text", "tree", "score", "tokens", "constituents", "error"}
    assert fields(format="bracket") == {"text", "tree", "score", "error"}
    assert fields(format="bracket", scores=False) == {"text", "tree", "error"}
    assert fields(format="svg", scores=False) == {"text", "tree", "svg", "error"}
    [drawn] = parses_of(tiny_client, sentences=["The cat sat."], format="svg")
    assert drawn["svg"].startswith("<svg")
    [plain] = parses_of(tiny_client, sentences=["The cat sat."], scores=False)
    assert "score" not in plain
    assert all("score" not in part for part in plain["constituents"])


def test_the_answer_is_the_librarys(tiny_client: TestClient, tiny_model_dir: Path) -> None:
    from bnaparser import Parser

    def rounded(parses: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Without the last digits of scores, which depend on a batch's width."""
        for parse in parses:
            parse["score"] = round(parse["score"], 3)
            for part in parse["constituents"]:
                part["score"] = round(part["score"], 3)
        return parses

    library = [parse.to_dict() for parse in Parser.load(tiny_model_dir)(TEXT)]
    assert rounded(parses_of(tiny_client, text=TEXT)) == rounded(library)


def test_a_sentence_that_cannot_be_parsed_has_its_error_in_its_place(
    tiny_client: TestClient, make_client: Callable[..., TestClient]
) -> None:
    parses = parses_of(
        tiny_client, tokens=[["It", "rained"], [], ["two words"], ["It"]], format="svg"
    )
    assert [parse["error"] is None for parse in parses] == [True, False, False, True]
    assert parses[1]["tree"] is parses[1]["svg"] is None
    assert "two words" in parses[2]["error"]
    small = make_client(max_words=3)
    parses = parses_of(small, tokens=[["a"] * 3, ["b"] * 4])
    assert parses[0]["error"] is None
    assert "4 words, more than the 3" in parses[1]["error"]
    assert [token["text"] for token in parses[1]["tokens"]] == []


def test_tags_that_fit_no_sentence_are_told(client: TestClient, tiny_client: TestClient) -> None:
    for tags in ([], [["A"]], [["A"], ["B"], ["C"]]):
        parses = parses_of(client, tokens=[["a"], ["b"]], tags=tags)
        assert len(parses) == max(2, len(tags))
        assert all("lists of tags for 2 sentences" in parse["error"] for parse in parses)
    parses = parses_of(tiny_client, tokens=[["a"], ["b"]], tags=[["A", "B"], ["C"]])
    assert "2 tags for 1 words" in parses[0]["error"]
    assert parses[1]["tokens"][0]["tag"] == "C"


def test_a_sentence_that_the_model_fails_on_fails_alone(
    tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(ServerSettings(model=str(tiny_model_dir)))
    with TestClient(app) as client:
        service = app.state.service
        encode = service.parser.model.encode

        def fail_on_poison(batch: Any) -> Any:
            if any(prepared.words > 8 for prepared in batch):
                raise RuntimeError("poison")
            return encode(batch)

        monkeypatch.setattr(service.parser.model, "encode", fail_on_poison)
        parses = parses_of(client, tokens=[["It", "rained"], ["poison"] * 20, ["The", "cat"]])
    assert [parse["error"] is None for parse in parses] == [True, False, True]
    assert "poison" in parses[1]["error"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_plain_text_in_gives_a_tree_a_line(client: TestClient, kind: str) -> None:
    body = "It rained.\r\n\n  \nThe BAD cat\nso\u2028it".encode()
    answer = client.post("/v1/parse", content=body, headers={"content-type": kind})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    lines = answer.text.split("\n")
    assert lines[0] == "(TOP (S (VP (NN It) (NN rained) (NN .))))"
    assert lines[1:4] == ["", "", ""]
    assert lines[4].startswith("(TOP (S ")
    assert lines[5:] == [""]
    assert answer.headers["x-sentence-errors"] == "4: bad"


def test_no_plain_text_gives_none(client: TestClient) -> None:
    answer = client.post("/v1/parse", content=b"", headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.text) == (200, "")
    assert "x-sentence-errors" not in answer.headers


def test_many_errors_do_not_overflow_the_header(client: TestClient) -> None:
    body = b"BAD\n" * 2000
    answer = client.post("/v1/parse", content=body, headers={"content-type": "text/plain"})
    assert answer.text == "\n" * 2000
    said = answer.headers["x-sentence-errors"]
    assert len(said) < 2100
    told, rest = said.rsplit("; and ", 1)
    assert int(rest.removesuffix(" more")) + told.count(";") + 1 == 2000


def test_an_error_of_several_lines_stays_one_header() -> None:
    assert errors_header([None, "CUDA error\nkernel\x00é"]) == "2: CUDA error kernel \\xe9"


def test_large_texts_are_worked_on_beside_the_event_loop(client: TestClient) -> None:
    lines = [f"Number {number} is here." for number in range(700)]
    parses = parses_of(client, text="\n\n".join(lines))
    assert [parse["text"] for parse in parses] == lines
