"""``/v1/parse`` from a client's side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.server.app import create_app
from bnaparser.server.rest.answers import errors_header
from bnaparser.server.settings import ServerSettings
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
    assert fields(format="clauses", scores=False) == {"text", "tree", "clauses", "error"}
    [entry] = parses_of(tiny_client, sentences=["The cat sat."], format="clauses")
    words = [segment for clause in entry["clauses"] for segment in clause["segments"]]
    assert sum(segment["end"] - segment["start"] for segment in words) == 4
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
    parses = parses_of(tiny_client, tokens=[["It", "rained"], ["two words"]], format="clauses")
    assert parses[1]["clauses"] is None
    assert "two words" in parses[1]["error"]
    small = make_client(max_words=3)
    parses = parses_of(small, tokens=[["a"] * 3, ["b"] * 4])
    assert parses[0]["error"] is None
    assert "4 words, and the limit of this service is 3 words" in parses[1]["error"]
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
    answer = client.post("/v1/parse?split=line", content=body, headers={"content-type": kind})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    lines = answer.text.split("\n")
    assert lines[0] == "(TOP (S (VP (NN It) (NN rained) (NN .))))"
    assert lines[1:4] == ["", "", ""]
    assert lines[4].startswith("(TOP (S ")
    assert lines[5:] == [""]
    assert answer.headers["x-sentence-errors"] == "4: bad"


def test_a_line_of_plain_text_may_give_several_trees(client: TestClient) -> None:
    """The header counts the lines of the answer, where the user finds the empty one."""
    body = b"It rained. The BAD cat.\n\nDogs bark. It rained."
    answer = client.post("/v1/parse", content=body, headers={"content-type": "text/plain"})
    assert [bool(line) for line in answer.text.split("\n")] == [True, False, True, True, False]
    assert answer.headers["x-sentence-errors"] == "2: bad"


ONE_TEXT = "It rained. Dogs\nbark.\n\nThe cat slept.\n"


@pytest.mark.parametrize(
    ("split", "sentences"),
    [
        (None, ["It rained.", "Dogs", "bark.", "The cat slept."]),
        ("paragraph", ["It rained.", "Dogs", "bark.", "The cat slept."]),
        ("text", ["It rained.", "Dogs\nbark.", "The cat slept."]),
        ("line", ["It rained. Dogs", "bark.", "", "The cat slept."]),
        ("token", ["It rained. Dogs", "bark.", "", "The cat slept."]),
    ],
)
def test_one_text_has_one_answer_in_json_and_plain(
    tiny_client: TestClient, split: str | None, sentences: list[str]
) -> None:
    said = {} if split is None else {"split": split}
    parses = parses_of(tiny_client, text=ONE_TEXT, **said)
    assert [parse["text"] for parse in parses] == sentences
    assert [parse["error"] is None for parse in parses] == [bool(text) for text in sentences]
    plain = tiny_client.post(
        "/v1/parse", params=said, content=ONE_TEXT, headers={"content-type": "text/plain"}
    )
    assert plain.text.split("\n") == [parse["tree"] or "" for parse in parses] + [""]
    assert "x-sentence-errors" not in plain.headers


def test_a_split_that_there_is_not_is_told(client: TestClient) -> None:
    plain = {"content-type": "text/plain"}
    answer = client.post("/v1/parse?split=words", content=b"It rained.", headers=plain)
    assert answer.status_code == 422
    assert answer.json()["detail"] == "split is 'words': use one of paragraph, text, line, token"
    answer = client.post("/v1/parse", json={"text": "It rained.", "split": "words"})
    assert answer.status_code == 422
    assert "split" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("splt=line", "the query has 'splt': there is no such field; did you mean split?"),
        ("lang=zh&split=line", "there is no such field; did you mean language?"),
        (
            "split=line&foo=1",
            "'foo': there is no such field; the query may have split and language",
        ),
        ("n_best=3", "n_best cannot be a query parameter: send this field in a JSON body"),
        ("split=line&split=text", "the query has split twice: give it once"),
    ],
)
def test_a_query_is_read_as_strictly_as_a_body(client: TestClient, query: str, said: str) -> None:
    """``?splt=line`` was ignored, and the text was split by paragraph."""
    answer = client.post(
        f"/v1/parse?{query}", content=b"It rained.", headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/models", "/v1/search"])
def test_a_query_where_there_is_none_is_told(client: TestClient, path: str) -> None:
    body = {"pattern": "NP", "trees": []} if path == "/v1/search" else None
    answer = client.request("GET" if body is None else "POST", f"{path}?split=line", json=body)
    assert answer.status_code == 422
    assert "split" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/parse", "/"])
def test_a_file_that_is_not_text_is_refused(client: TestClient, path: str) -> None:
    plain = {"content-type": "text/plain"}
    answer = client.post(path, content=b"\n\n%PDF-1.7\nIt rained.", headers=plain)
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("the body: this is a PDF file, not text")


def test_the_body_goes_before_the_query(client: TestClient) -> None:
    def texts(query: str, **body: Any) -> list[str]:
        answer = client.post(f"/v1/parse{query}", json=body)
        return [parse["text"] for parse in answer.json()["parses"]]

    text = "It rained. Dogs bark."
    assert texts("?split=line", text=text) == [text]
    assert texts("?split=line", text=text, split="text") == ["It rained.", "Dogs bark."]
    assert texts("?split=text", sentences=[text]) == [text]


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


LONG = "X" * 100_000


@pytest.mark.parametrize(
    "request_body",
    [
        {"text": f"[{LONG} a]", "markup": True},
        {"text": f"a [{LONG} b", "markup": True},
        {"text": f"[1{LONG} a]", "markup": True},
        {"text": f"[={LONG} [=Y a]]", "markup": True},
        {"tokens": [["a"]], "constraints": [[{"kind": "not", "start": 0, "end": 1, "labels": [LONG]}]]},
        {"tokens": [["a"]], "constraints": [[{"kind": "tag", "start": 0, "end": 1, "labels": [LONG]}]]},
        {"tokens": [["a"]], "constraints": [[{"kind": LONG, "start": 0, "end": 1}]]},
        {"tokens": [["a"]], "constraints": [[{"kind": "not", "start": 1e300, "end": 1}]]},
        {"tokens": [["a"]], "constraints": [[{"kind": "not", "start": 0, "end": 10**300}]]},
        {"text": "a", "constraints": [{"kind": "not", "start": 10**18, "end": 10**18 + 1}]},
        {"tokens": [["a"]], "tags": [[LONG + " "]]},
        {"tokens": [[f"{LONG} {LONG}"]]},
        {"text": "a", "n_best": 10**4000},
        {"text": "a", "seed": 1e300},
        {"text": "a", LONG: 1},
        {"text": "a", "format": LONG},
        {"text": "a", "language": LONG},
    ],
    ids=range(17),
)  # fmt: skip
def test_an_error_does_not_repeat_what_is_long(
    tiny_client: TestClient, request_body: dict[str, Any]
) -> None:
    answer = tiny_client.post("/v1/parse", json=request_body)
    if answer.status_code == 200:
        said = [parse["error"] for parse in answer.json()["parses"]]
    else:
        said = [answer.json()["detail"]]
    assert all(said)
    assert max(map(len, said)) < 1_000
