"""CoreNLP's protocol as wget, curl and whoever else may speak it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.server.corenlp.conftest import WatchedParser


def test_wget_posts_its_text_as_a_form(url: str) -> None:
    query = '?properties={"annotators":"tokenize,ssplit,pos","outputFormat":"json"}'
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = requests.post(url + "/" + query, data=b"100% sure: a+b", headers=form, timeout=60)
    assert answer.headers["Content-Type"] == "application/json;charset=utf-8"
    (sentence,) = answer.json()["sentences"]
    words = [token["word"] for token in sentence["tokens"]]
    assert words == ["100", "%", "sure", ":", "a+b"]
    assert "parse" not in sentence


def test_properties_may_stand_in_the_query(url: str) -> None:
    query = {"annotators": "tokenize", "tokenize.whitespace": "true", "prettyPrint": "true"}
    answer = requests.post(url, params=query, data=b"a.b c", timeout=60)
    assert [token["word"] for token in answer.json()["sentences"][0]["tokens"]] == ["a.b", "c"]
    assert answer.text.startswith('{\n  "sentences"')


def test_words_are_found_without_the_model(url: str, parser: WatchedParser) -> None:
    calls = parser.calls
    query = {"annotators": "tokenize,ssplit"}
    answer = requests.post(url, params=query, data=b"The cat slept.", timeout=60)
    assert answer.json()["sentences"][0]["tokens"][1]["word"] == "cat"
    assert parser.calls == calls


def test_a_client_waits_as_long_as_it_says(url: str, parser: WatchedParser) -> None:
    parser.may_go_on.clear()
    try:
        answer = requests.post(url, params={"timeout": "50"}, data=b"Go.", timeout=60)
    finally:
        parser.may_go_on.set()
    assert answer.status_code == 504
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "0.05 s" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "body", "content_type", "status"),
    [
        ({"properties": "[1]"}, b"Go.", "text/plain", 400),
        ({"properties": '{"a": {"b": 1}}'}, b"Go.", "text/plain", 400),
        ({"properties": "{" * 5000}, b"Go.", "text/plain", 400),
        ({"timeout": "9" * 5000}, b"Go.", "text/plain", 400),
        ({"timeout": "0"}, b"Go.", "text/plain", 400),
        ({}, b"\xff\xfe", "text/plain", 400),
        ({}, b"\xed\xa0\x80", "text/plain", 400),
        ({}, b"Go.", "text/plain; charset=rot13", 415),
        ({}, b"x" * 100_001, "text/plain", 413),
        ({}, b"x " * 11_000, "text/plain", 413),
    ],
)
def test_a_request_that_cannot_be_met_gets_a_documented_problem(
    url: str, query: dict[str, str], body: bytes, content_type: str, status: int
) -> None:
    headers = {"Content-Type": content_type}
    answer = requests.post(url, params=query, data=body, headers=headers, timeout=60)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert answer.json()["detail"]
    assert str(status) in described(url)["responses"]


def described(url: str) -> dict[str, Any]:
    document = requests.get(url + "/openapi.json", timeout=60).json()
    operation: dict[str, Any] = document["paths"]["/"]["post"]
    return operation


def test_the_protocol_is_described(url: str) -> None:
    operation = described(url)
    names = [parameter["name"] for parameter in operation["parameters"]]
    assert names == ["properties", "annotators", "outputFormat"]
    assert "text/plain" in operation["requestBody"]["content"]
    answers = operation["responses"]["200"]["content"]
    assert set(answers) == {"application/json", "text/plain", "application/x-protobuf"}
    assert {"400", "413", "415", "503", "504"} <= set(operation["responses"])


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
VALUES = st.recursive(SCALARS, lambda below: st.lists(below) | st.dictionaries(st.text(), below))
NAMES = st.sampled_from(
    ["annotators", "outputFormat", "timeout", "tokenize.whitespace", "ssplit.eolonly", "x"]
)
PROPERTIES = (
    st.text(max_size=30)
    | st.dictionaries(NAMES, VALUES | st.sampled_from(["conll", "text", "parse"])).map(json.dumps)
    | st.dictionaries(NAMES, VALUES).map(str)
    | VALUES.map(json.dumps)
)
TYPES = st.sampled_from(
    ["text/plain", "text/plain; charset=utf-16", "application/x-www-form-urlencoded", "a;charset=q"]
)


class Seen(NamedTuple):
    """A server, a session to ask it in, and the statuses that its document names."""

    url: str
    session: requests.Session
    documented: set[str]


@settings(max_examples=30)
@given(
    st.dictionaries(NAMES, st.text(max_size=9), max_size=2),
    PROPERTIES | st.none(),
    st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")),
    TYPES | st.none(),
)
def test_whatever_is_sent_gets_a_documented_answer(
    server_seen: Seen, query: dict[str, str], properties: str | None, body: bytes, kind: str | None
) -> None:
    url, session, documented = server_seen
    if properties is not None:
        query = {**query, "properties": properties}
    sent = {name: value.encode("utf-8", "replace") for name, value in query.items()}
    headers = {} if kind is None else {"Content-Type": kind}
    answer = session.post(url, params=sent, data=body, headers=headers, timeout=60)
    assert str(answer.status_code) in documented
    assert answer.status_code < 500


@pytest.fixture(scope="module")
def server_seen(url: str) -> Iterator[Seen]:
    documented = set(described(url)["responses"])
    with requests.Session() as session:
        yield Seen(url, session, documented)
