"""What a request's body may be, and what is said of one that is wrong."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

from bnaparser.server.problems import BadBody
from bnaparser.server.rest.requests import check_json_depth, read_lines, read_plain
from bnaparser.server.settings import ServerSettings
from bnaparser.text.sentence import SPLITS, Split
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import ENGLISH
from tests.server.answers import parses_of, problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.testclient import TestClient


JSON = {"content-type": "application/json"}
BAD_BODIES = [
    (b"{", 400, "line 1, column 2"),
    (b'{"text": "\xff"}', 400, "byte 11"),
    (b'{"text": NaN}', 400, "NaN"),
    (b'{"text": "a", "text": "b"}', 400, "twice"),
    (b'{"text": ' + b"9" * 5000 + b"}", 400, "number"),
    (b"[" * 100_000, 400, "deeper than 32"),
    (b'{"text": ' + b"[" * 40 + b"]" * 40 + b"}", 400, "deeper than 32"),
    (b"", 400, "not JSON"),
    (b"[]", 422, "must be an object"),
    (b"null", 422, "must be an object"),
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
    assert "content encoding 'gzip'" in problem(answer, 415)
    assert answer.headers["accept-encoding"] == "identity"


def test_a_second_coding_is_seen_as_well(client: TestClient) -> None:
    headers = [
        ("content-type", "text/plain"),
        ("content-encoding", "identity"),
        ("content-encoding", "gzip"),
    ]
    answer = client.post("/v1/parse", content=b"It rained.", headers=headers)
    assert "content encoding 'gzip'" in problem(answer, 415)


def test_wrong_plain_text_is_told(client: TestClient) -> None:
    answer = client.post("/v1/parse", content=b"\xff", headers={"content-type": "text/plain"})
    assert "byte 1" in problem(answer, 400)


FORM = "application/x-www-form-urlencoded"  # what curl -d sends


@pytest.mark.parametrize("path", ["/v1/parse", "/v1/classify"])
@pytest.mark.parametrize("kind", [FORM, "text/plain"])
def test_json_without_its_content_type_is_no_text(
    make_client: Callable[..., TestClient], path: str, kind: str
) -> None:
    client = make_client(classifier="held")
    for body in (b'{"text": "The cat sat."}', b' {"texts": [\n"a"]}\n', b'["The cat sat."]'):
        answer = client.post(path, content=body, headers={"content-type": kind})
        assert (
            "the body is JSON: send it with the header Content-Type: application/json"
            in problem(answer, 415)
        )


def test_text_with_braces_is_text(client: TestClient) -> None:
    for text in ("{The cat} sat.", "[sic] It rained.", '{"a', '"It rained."'):
        answer = client.post("/v1/parse", content=text, headers={"content-type": FORM})
        assert (answer.status_code, answer.text[:4]) == (200, "(TOP")


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_a_body_in_utf_16_or_compressed_is_named(client: TestClient, kind: str) -> None:
    for body, said in (
        ('{"text": "Café."}'.encode("utf-16"), "the body looks like UTF-16: send UTF-8"),
        ('{"text": "Café."}'.encode("utf-16-le"), "the body looks like UTF-16: send UTF-8"),
        (
            gzip.compress(b'{"text": "It rained."}'),
            "the body: this is gzip data, not text: send the text itself, in UTF-8",
        ),
    ):
        answer = client.post("/v1/parse", content=body, headers={"content-type": kind})
        told = problem(answer, 400)
        assert said in told
        assert "Windows" not in told
        assert ".gz" not in told


def test_a_byte_order_mark_is_no_text(client: TestClient) -> None:
    body = "\ufeffIt rained.".encode()
    answer = client.post("/v1/parse", content=body, headers={"content-type": "text/plain"})
    assert answer.text == "(TOP (S (VP (NN It) (NN rained) (NN .))))\n"


@pytest.mark.parametrize("text", ["It\x00rained.", "It rained.\x00", "\x00"])
def test_nul_is_refused_in_text_and_words(client: TestClient, text: str) -> None:
    """A NUL inside a word split it without a message."""
    said = f"character {text.index(chr(0)) + 1} is NUL"
    for request in ({"text": text}, {"sentences": ["a", text]}, {"tokens": [["a", text]]}):
        assert said in problem(client.post("/v1/parse", json=request), 422)
    plain = client.post("/v1/parse", content=text, headers={"content-type": "text/plain"})
    assert f"the body: {said}" in problem(plain, 422)
    for given in ("false", "true"):
        query = {"annotators": "tokenize", "tokenize.whitespace": given}
        answer = client.post("/", params=query, content=text)
        assert answer.status_code == 400
        assert "of the body is NUL" in answer.text


def test_a_body_in_another_encoding_is_told_so(client: TestClient) -> None:
    for kind in ("text/plain", "application/json"):
        answer = client.post("/v1/parse", content=b"The caf\xe9.", headers={"content-type": kind})
        told = problem(answer, 400)
        assert "byte 8 (0xe9) is not UTF-8: it may be Windows-1252 ('café.'): send UTF-8" in told
    answer = client.post("/v1/parse", content=b"\xff", headers={"content-type": "text/plain"})
    assert "byte 1 (0xff) is not UTF-8: " in problem(answer, 400)


def test_brackets_in_a_string_are_no_depth(client: TestClient) -> None:
    [parse] = parses_of(client, sentences=['[[\\"{' * 40])
    assert parse["error"] is None


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ('{"a": [[1], [[2]], {"b": []}]}', 4),
        ('["[[[[", "\\"[[[[", "\\\\", ["a"]]', 2),
        ('"[[[["', 0),
        ('["é[", "\\u005b[["]', 1),
        ("[" * 100_000, 100_000),
        ("[]" * 1000, 1),
    ],
)
def test_the_depth_of_json_is_counted_without_recursion(text: str, depth: int) -> None:
    check_json_depth(text.encode(), depth)
    if depth:
        with pytest.raises(BadBody, match="deeper"):
            check_json_depth(text.encode(), depth - 1)


def test_requests_beyond_the_limits_are_refused(make_client: Callable[..., TestClient]) -> None:
    client = make_client(max_characters=20, max_sentences=2, max_words=5, queue_words=5)
    assert "21 characters" in problem(client.post("/v1/parse", json={"text": "x" * 21}), 413)
    three = client.post("/v1/parse", json={"sentences": ["a", "b", "c"]})
    assert "3 sentences" in problem(three, 413)
    tags = client.post("/v1/parse", json={"tokens": [], "tags": [[]] * 3})
    assert "3 lists of tags" in problem(tags, 413)
    six = client.post("/v1/parse", json={"tokens": [["a"] * 3, ["b"] * 3]})
    assert "6 words" in problem(six, 413)


COSTLY: dict[str, tuple[Any, ...]] = {
    "constraints of nothing": (
        "constraints[0].kind is missing",
        '{"text": "It rained.", "constraints": [%s]}',
        "{}",
    ),
    "constraints of a sentence": (
        "constraints[0][0].kind is missing",
        '{"tokens": [["a"]], "constraints": [[%s]]}',
        "{}",
    ),
    "constraints of many sentences": (
        "1,200 lists of constraints",
        '{"tokens": [["a"]], "constraints": [%s]}',
        "[]",
        1200,
    ),
    "numbers as words": ("tokens[0][0] must be a string; it is 1", '{"tokens": [[%s]]}', "1"),
    "numbers as sentences": ("sentences[0] must be a string", '{"sentences": [%s]}', "1"),
    "numbers as tags": ("tags[0][0] must be a string", '{"tokens": [["a"]], "tags": [[%s]]}', "1"),
    "too many numbers": ("1,200 words", '{"tokens": [[%s]]}', "1", 1200),
    "no words": ("1,200 sentences", '{"tokens": [%s]}', "[]", 1200),
    "empty words": ("1,200 words", '{"tokens": [[%s]]}', '""', 1200),
    "dependencies": (
        "1,200 dependency trees",
        '{"tokens": [["a"]], "dependencies": [%s]}',
        "null",
        1200,
    ),
    "heads": (
        "dependencies[0].heads[0] must be a whole number",
        '{"tokens": [["a"]], "dependencies": [{"heads": [%s]}]}',
        '"a"',
    ),
    "labels": (
        "constraints[0][0].labels[1] must be a string; it is 1",
        '{"tokens": [["a"]], "constraints": [[{"kind": "not", "start": 0, "end": 1, "labels": ["NP", %s]}]]}',
        "1",
    ),
}


@pytest.mark.parametrize(
    ("said", "body", "item", "count"),
    [(*case, 900)[:4] for case in COSTLY.values()],
    ids=COSTLY,
)
def test_of_many_wrong_items_the_first_is_told(
    make_client: Callable[..., TestClient], said: str, body: str, item: str, count: int
) -> None:
    client = make_client(max_characters=1000, max_sentences=1000)
    answer = client.post("/v1/parse", content=body % ",".join([item] * count), headers=JSON)
    assert answer.status_code in (413, 422)
    detail = problem(answer, answer.status_code)
    assert said in detail
    assert len(detail) < 500


@pytest.mark.parametrize("place", ["%s", '"constraints": [[{%s}]]'])
def test_an_object_of_many_names_is_refused_as_such(client: TestClient, place: str) -> None:
    names = ",".join(f'"n{number}": 1' for number in range(1000))
    body = '{"tokens": [["a"]], %s}' % (place % names)
    answer = client.post("/v1/parse", content=body, headers=JSON)
    assert "an object with 1,00" in problem(answer, 422)


def test_a_few_mistakes_in_several_fields_are_all_told(client: TestClient) -> None:
    wrong = {"text": "a", "n_best": 0, "format": "xml", "modell": "en"}
    said = problem(client.post("/v1/parse", json=wrong), 422)
    assert said == (
        'format must be one of "json", "bracket", "svg", "clauses"; it is "xml"; '
        "n_best must be a whole number, at least 1, such as 1; it is 0; "
        "modell: there is no such field"
    )


def test_empty_lines_are_text_and_lines(make_client: Callable[..., TestClient]) -> None:
    plain = {"content-type": "text/plain"}
    for most, sentences in ((1_000, 2), (1_200, 300)):
        client = make_client(max_characters=2_000, max_sentences=sentences)
        for path in ("/v1/parse", "/v1/parse?split=line"):
            for lines, said in ((2_001, "2,001 characters"), (most + 1, f"{most + 1:,} lines")):
                answer = client.post(path, content="\n" * lines, headers=plain)
                assert said in problem(answer, 413)
            assert client.post(path, content="\n" * most, headers=plain).status_code == 200
            answer = client.post(path, json={"text": "\n" * (most + 1)})
            assert f"{most + 1:,} lines" in problem(answer, 413)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    "text", ["The cat\r\r\nsat.", "It rained.\r\n\r", "It rained.\r\n\r\n", "a\n\nb", "\n", ""]
)
def test_a_plain_text_has_the_sentences_that_it_has_as_json(text: str, split: Split) -> None:
    found = read_plain(text.encode(), ServerSettings(), split, ENGLISH)
    assert found == [one if one.words else None for one in read_sentences(text, split)]


def test_a_last_line_of_a_carriage_return_alone_is_a_line() -> None:
    assert read_lines(b"a\r\n\r", ServerSettings()) == ["a", ""]
