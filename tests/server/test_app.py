"""The REST interface from a client's side."""

from __future__ import annotations

import gzip
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.server.logs import JsonLines
from bnaparser.server.rest import request_body
from bnaparser.server.rest.answer_body import errors_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.conftest import HeldParser

TEXT = "  Ça va 😀. It rained."


def ask(client: TestClient, **request: Any) -> list[dict[str, Any]]:
    answer = client.post("/v1/parse", json=request)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"model", "parses"}
    parses: list[dict[str, Any]] = answer.json()["parses"]
    return parses


def problem(answer: Any, status: int) -> str:
    """Check that an answer is a problem; return its detail."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert set(body) == {"type", "title", "status", "detail", "request_id"}
    assert body["status"] == status
    assert body["request_id"] == answer.headers["x-request-id"]
    detail: str = body["detail"]
    return detail


def test_text_is_split_and_places_count_in_the_whole_of_it(client: TestClient) -> None:
    parses = ask(client, text=TEXT)
    assert [parse["text"] for parse in parses] == ["Ça va 😀.", "It rained."]
    for parse in parses:
        for token in parse["tokens"]:
            assert TEXT[token["start"] : token["end"]] == token["text"]
        assert [part["label"] for part in parse["constituents"]] == ["S", "VP"]
        for part in parse["constituents"]:
            assert TEXT[part["char_start"] : part["char_end"]] == parse["text"]


def test_places_count_in_the_sentence_or_its_words(client: TestClient) -> None:
    sentence = ask(client, sentences=["It rained.", " It rained."])[1]
    assert [token["start"] for token in sentence["tokens"]] == [1, 4, 10]
    words = ask(client, tokens=[["It", "rained", "."]], tags=[["PRP", "VBD", "."]])[0]
    assert words["text"] == "It rained ."
    assert [(t["start"], t["tag"]) for t in words["tokens"]] == [(0, "PRP"), (3, "VBD"), (10, ".")]


@pytest.mark.parametrize("request_body", [{"text": " "}, {"sentences": []}, {"tokens": []}])
def test_nothing_in_gives_nothing_out(client: TestClient, request_body: dict[str, Any]) -> None:
    assert ask(client, **request_body) == []


def test_formats_hold_what_they_say(tiny_client: TestClient) -> None:
    def fields(**options: Any) -> set[str]:
        return set(ask(tiny_client, sentences=["The cat sat."], **options)[0])

    assert fields() == {"text", "tree", "score", "tokens", "constituents", "error"}
    assert fields(format="bracket") == {"text", "tree", "score", "error"}
    assert fields(format="bracket", scores=False) == {"text", "tree", "error"}
    assert fields(format="svg", scores=False) == {"text", "tree", "svg", "error"}
    [drawn] = ask(tiny_client, sentences=["The cat sat."], format="svg")
    assert drawn["svg"].startswith("<svg")
    [plain] = ask(tiny_client, sentences=["The cat sat."], scores=False)
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
    assert rounded(ask(tiny_client, text=TEXT)) == rounded(library)


def test_a_sentence_that_cannot_be_parsed_has_its_error_in_its_place(
    tiny_client: TestClient, make_client: Callable[..., TestClient]
) -> None:
    parses = ask(tiny_client, tokens=[["It", "rained"], [], ["two words"], ["It"]], format="svg")
    assert [parse["error"] is None for parse in parses] == [True, False, False, True]
    assert parses[1]["tree"] is parses[1]["svg"] is None
    assert "two words" in parses[2]["error"]
    small = make_client(max_words=3)
    parses = ask(small, tokens=[["a"] * 3, ["b"] * 4])
    assert parses[0]["error"] is None
    assert "4 words, more than the 3" in parses[1]["error"]
    assert [token["text"] for token in parses[1]["tokens"]] == []


def test_tags_that_fit_no_sentence_are_told(client: TestClient, tiny_client: TestClient) -> None:
    for tags in ([], [["A"]], [["A"], ["B"], ["C"]]):
        parses = ask(client, tokens=[["a"], ["b"]], tags=tags)
        assert len(parses) == max(2, len(tags))
        assert all("lists of tags for 2 sentences" in parse["error"] for parse in parses)
    parses = ask(tiny_client, tokens=[["a"], ["b"]], tags=[["A", "B"], ["C"]])
    assert "2 tags for 1 words" in parses[0]["error"]
    assert parses[1]["tokens"][0]["tag"] == "C"


def test_a_sentence_that_the_model_fails_on_fails_alone(
    tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bnaparser.server.app import create_app
    from bnaparser.server.service_settings import ServerSettings

    app = create_app(ServerSettings(model=str(tiny_model_dir)))
    with TestClient(app) as client:
        service = app.state.service
        encode = service.parser.model.encode

        def fail_on_poison(batch: Any) -> Any:
            if any(prepared.words > 8 for prepared in batch):
                raise RuntimeError("poison")
            return encode(batch)

        monkeypatch.setattr(service.parser.model, "encode", fail_on_poison)
        parses = ask(client, tokens=[["It", "rained"], ["poison"] * 20, ["The", "cat"]])
    assert [parse["error"] is None for parse in parses] == [True, False, True]
    assert "poison" in parses[1]["error"]


BAD_BODIES = [
    (b"{", 400, "line 1 column 2"),
    (b'{"text": "\xff"}', 400, "byte 11"),
    (b'{"text": NaN}', 400, "NaN"),
    (b'{"text": "a", "text": "b"}', 400, "twice"),
    (b'{"text": ' + b"9" * 5000 + b"}", 400, "number"),
    (b"[" * 100_000, 400, "deeper than 32"),
    (b'{"text": ' + b"[" * 40 + b"]" * 40 + b"}", 400, "deeper than 32"),
    (b"", 400, "not JSON"),
    (b"[]", 422, "no object"),
    (b"null", 422, "no object"),
    (b"{}", 422, "has none"),
    (b'{"text": "a", "sentences": []}', 422, "text and sentences"),
    (b'{"text": null}', 422, "text"),
    (b'{"text": 5}', 422, "text"),
    (b'{"sentences": ["a", 7]}', 422, "sentences[1]"),
    (b'{"tokens": [["a"], [null]]}', 422, "tokens[1][0]"),
    (b'{"sentences": [], "tags": []}', 422, "tags"),
    (b'{"text": "a", "format": "xml"}', 422, "format"),
    (b'{"text": "a", "scores": 1}', 422, "scores"),
    (b'{"text": "a", "modell": "en"}', 422, "modell"),
    (b'{"tokens": [["a", "b\\u0000"]]}', 422, "tokens[0][1]: character 2 is NUL"),
    (b'{"tokens": [["a"]], "tags": [["\\u0000"]]}', 422, "tags[0][0]: character 1 is NUL"),
    (b'{"text": "a", "b\\u0000": 1}', 422, "a name: character 2 is NUL"),
    (b'{"sentences": ["a", "\\ud800 b"]}', 422, "sentences[1]: character 1 is half"),
    (b'{"text": "a", "\\ud800": 1}', 422, "a name: character 1"),
]


@pytest.mark.parametrize(("body", "status", "said"), BAD_BODIES)
def test_a_wrong_body_is_told_with_its_place(
    client: TestClient, body: bytes, status: int, said: str
) -> None:
    answer = client.post(
        "/v1/parse", content=body, headers={"content-type": "application/json; charset=utf-8"}
    )
    assert said in problem(answer, status)


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "application/xml"},
        {"content-type": ""},
        {"content-type": "text/plain; charset=latin-1"},
        {"content-type": "application/json", "content-encoding": "gzip"},
        {"content-type": "multipart/form-data; boundary=x"},
    ],
)
def test_other_types_of_body_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    problem(client.post("/v1/parse", content=b"The cat", headers=headers), 415)


@pytest.mark.parametrize("path", ["/v1/parse", "/"])
def test_a_compressed_body_is_refused_by_its_name(client: TestClient, path: str) -> None:
    headers = {"content-type": "text/plain", "content-encoding": "gzip"}
    answer = client.post(path, content=gzip.compress(b"It rained."), headers=headers)
    assert "coded as 'gzip'" in problem(answer, 415)
    assert answer.headers["accept-encoding"] == "identity"


def test_a_byte_order_mark_is_no_text(client: TestClient) -> None:
    body = "\ufeffIt rained.".encode()
    answer = client.post("/v1/parse", content=body, headers={"content-type": "text/plain"})
    assert answer.text == "(TOP (S (VP (NN It) (NN rained) (NN .))))\n"


def test_brackets_in_a_string_are_no_depth(client: TestClient) -> None:
    [parse] = ask(client, sentences=['[[\\"{' * 40])
    assert parse["error"] is None


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


def test_wrong_plain_text_is_told(client: TestClient) -> None:
    answer = client.post("/v1/parse", content=b"\xff", headers={"content-type": "text/plain"})
    assert "byte 1" in problem(answer, 400)


def test_nul_is_a_blank_in_text_as_in_the_library_and_for_corenlps_clients(
    client: TestClient,
) -> None:
    text = "It\x00rained."
    words = [token["text"] for token in ask(client, text=text)[0]["tokens"]]
    assert words == ["It", "rained", "."]
    assert [token["text"] for token in ask(client, sentences=[text])[0]["tokens"]] == words
    plain = client.post("/v1/parse", content=text, headers={"content-type": "text/plain"})
    assert plain.text == "(TOP (S (VP (NN It) (NN rained) (NN .))))\n"
    for given in ("false", "true"):
        query = {"annotators": "tokenize", "tokenize.whitespace": given}
        corenlp = client.post("/", params=query, content=text).json()
        tokens = [token["originalText"] for token in corenlp["sentences"][0]["tokens"]]
        assert tokens == (words if given == "false" else ["It", "rained."])


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


def test_requests_beyond_the_limits_are_refused(make_client: Callable[..., TestClient]) -> None:
    client = make_client(max_characters=20, max_sentences=2, max_words=5, queue_words=5)
    assert "21 characters" in problem(client.post("/v1/parse", json={"text": "x" * 21}), 413)
    three = client.post("/v1/parse", json={"sentences": ["a", "b", "c"]})
    assert "3 sentences" in problem(three, 413)
    tags = client.post("/v1/parse", json={"tokens": [], "tags": [[]] * 3})
    assert "3 sentences" in problem(tags, 413)
    six = client.post("/v1/parse", json={"tokens": [["a"] * 3, ["b"] * 3]})
    assert "6 words" in problem(six, 413)


def test_large_texts_are_worked_on_beside_the_event_loop(client: TestClient) -> None:
    lines = [f"Number {number} is here." for number in range(700)]
    parses = ask(client, text="\n\n".join(lines))
    assert [parse["text"] for parse in parses] == lines


def test_models_tells_the_limits(tiny_client: TestClient, tiny_model_dir: Path) -> None:
    [model] = tiny_client.get("/v1/models").json()["models"]
    assert model["name"] == tiny_model_dir.name
    assert model["device"] == "cpu"
    assert {"S", "NP", "VP"} <= set(model["labels"])
    assert model["limits"]["words_a_sentence"] == 500


def test_live_and_ready_before_the_model_is_loaded() -> None:
    from bnaparser.server.app import create_app
    from bnaparser.server.service_settings import ServerSettings

    client = TestClient(create_app(ServerSettings()))  # not entered: it has not started
    assert client.get("/live").json() == {"status": "live"}
    assert "starting" in problem(client.get("/ready"), 503)
    answer = client.post("/v1/parse", json={"text": "It rained."})
    assert "starting" in problem(answer, 503)
    assert int(answer.headers["retry-after"]) > 0


def test_ready_after_a_warm_up_parse(client: TestClient, parser: HeldParser) -> None:
    assert len(parser.batches) == 1
    assert client.get("/ready").json() == {"status": "ready"}


def test_wrong_paths_and_methods_are_problems(client: TestClient) -> None:
    problem(client.get("/nowhere"), 404)
    answer = client.get("/v1/parse")
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"
    answer = client.delete("/")
    problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"
    assert client.head("/live").status_code == 200


def test_a_crash_is_a_problem_and_its_log_holds_no_text(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:

    def crash(body: bytes, settings: object) -> None:
        raise ValueError(f"cannot read {body!r}")

    monkeypatch.setattr(request_body, "read_json", crash)
    with caplog.at_level(logging.INFO):
        answer = client.post("/v1/parse", json={"text": "my secret"})
    assert "secret" not in problem(answer, 500)
    lines = [JsonLines().format(record) for record in caplog.records]
    assert any("ValueError" in line and answer.headers["x-request-id"] in line for line in lines)
    assert not any("secret" in line for line in lines)


def test_the_access_log_tells_numbers_and_no_text(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        client.post(
            "/v1/parse?text=secret",
            json={"sentences": ["A secret is BAD.", "It rained."]},
            headers={"X-Request-ID": "mine-7"},
        )
    [record] = [
        record for record in caplog.records if record.name == "bnaparser.server.middleware.observe"
    ]
    line = json.loads(JsonLines().format(record))
    seconds = line.pop("seconds")
    assert 0 <= seconds < 20
    del line["time"]
    assert line == {
        "level": "info",
        "logger": "bnaparser.server.middleware.observe",
        "message": "request",
        "method": "POST",
        "path": "/v1/parse",
        "status": 200,
        "sentences": 2,
        "words": 8,
        "errors": 1,
        "request_id": "mine-7",
    }


def test_docs_come_from_this_host_alone(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert "://" not in page.text
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "start.js"):
        assert f"docs/{name}" in page.text
        assert client.get(f"/docs/{name}").status_code == 200
    assert client.get("/openapi.json").json()["openapi"].startswith("3.")


def test_the_application_is_made_when_it_is_asked_for() -> None:
    """A worker that makes its own application must not have made another one before."""
    done = subprocess.run(
        [sys.executable, "-c", _ASKED], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "True"]


_ASKED = """
import bnaparser.server.app as module
from uvicorn.importer import import_from_string
print("app" in vars(module))
made = import_from_string("bnaparser.server.app:app")
print(made is module.app)
try:
    module.other
except AttributeError as error:
    print("'other'" in str(error))
"""
