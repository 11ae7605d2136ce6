"""``/v1/search``: what a pattern finds, as the library finds it; and no pattern hangs the service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.server.problems import SlowSearch
from bnaparser.server.queue import search_process
from bnaparser.server.queue.search import MOST_SLOW_OF_ONE, MOST_WAITING, Searching
from bnaparser.server.rest.requests import MOST_PATTERN_CHARACTERS
from bnaparser.trees.search import Pattern
from bnaparser.trees.tree import Tree
from tests.server.answers import parses_of, problem

MakeClient = Callable[..., TestClient]

TREES = Path(__file__).parents[2] / "data" / "tiny.mrg"
TREE = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
ENDLESS = {"pattern": "/^(a+)+$/", "trees": [f"(NN {'a' * 60}b)"]}


def search(client: TestClient, pattern: str, *trees: str) -> dict[str, Any]:
    answer = client.post("/v1/search", json={"pattern": pattern, "trees": trees})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(
    "pattern", ["NP", "NP=whole > (VP=above < /^VB(.)$/#1%form)", "/^[aeiou]/ > __=tag", "X|ADJP"]
)
def test_what_is_found_is_what_the_library_finds(client: TestClient, pattern: str) -> None:
    trees = [line for line in TREES.read_text(encoding="utf-8").splitlines() if line][:30]
    answer = search(client, pattern, *trees)
    assert (answer["error"], answer["column"]) == (None, None)
    expected = [list(Pattern(pattern).matches(Tree.parse(tree), once=True)) for tree in trees]
    assert [entry["count"] for entry in answer["trees"]] == [len(found) for found in expected]
    assert answer["count"] == sum(map(len, expected))
    assert answer["hits"] == sum(bool(found) for found in expected)
    for entry, matches in zip(answer["trees"], expected, strict=True):
        for told, match in zip(entry["matches"], matches, strict=True):
            assert (told["number"], (told["start"], told["end"])) == (match.number, match.span)
            assert told["label"] == getattr(match.node, "label", match.node)
            assert told["strings"] == match.strings
            assert {name: (part["start"], part["end"]) for name, part in told["names"].items()} == (
                match.spans
            )


def test_the_trees_of_a_parse_can_be_searched(tiny_client: TestClient) -> None:
    trees = [parse["tree"] for parse in parses_of(tiny_client, text="Mira sang. The dog fell.")]
    answer = search(tiny_client, "dog", *trees)
    assert [entry["count"] for entry in answer["trees"]] == [0, 1]


def test_a_label_that_no_tree_has_is_noted(client: TestClient) -> None:
    assert search(client, "NP > S|ROOT", TREE, "(S")["notes"] == []
    answer = search(client, "NP|WHNP > !ROOT", TREE, TREE)
    assert (answer["count"], answer["notes"]) == (4, ["no tree has a label or word WHNP"])


def test_a_wrong_pattern_is_told_with_its_place(client: TestClient) -> None:
    answer = search(client, "NP < (PP", TREE)
    assert (answer["error"], answer["column"]) == (") is expected here, to close (", 9)
    assert (answer["trees"], answer["count"]) == ([], 0)


def test_a_tree_that_cannot_be_read_has_its_error_in_its_place(client: TestClient) -> None:
    answer = search(client, "NP", TREE, "(S\n (NP", "", f"{TREE} {TREE}")
    good, *bad = answer["trees"]
    assert (good["count"], good["error"]) == (2, None)
    assert [entry["count"] for entry in bad] == [0, 0, 0]
    assert [entry["error"].partition(":")[0] for entry in bad] == [
        "line 1, column 1",
        "line 1, column 1",
        f"line 1, column {len(TREE) + 2}",
    ]


def test_very_many_matches_are_counted_and_some_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_process, "MOST_SHOWN", 3)
    answer = search_process.search("NP", [TREE, TREE, TREE])
    assert (answer["count"], answer["hits"]) == (6, 3)
    assert [(entry["count"], len(entry["matches"])) for entry in answer["trees"]] == [
        (2, 2),
        (2, 1),
        (2, 0),
    ]


def test_a_pattern_without_end_is_ended_and_holds_up_nobody(make_client: MakeClient) -> None:
    client = make_client(search_seconds=1.0)
    with ThreadPoolExecutor(2) as threads:
        started = time.monotonic()
        endless = threads.submit(client.post, "/v1/search", json=ENDLESS)
        assert client.post("/v1/parse", json={"text": "It rained."}).status_code == 200
        assert not endless.done() or time.monotonic() - started > 1
        said = problem(endless.result(), 504)
    assert "exceeded 1 s" in said and "narrower pattern" in said
    assert search(client, "NP", TREE)["count"] == 2


def test_an_answer_of_very_many_bytes_is_refused(make_client: MakeClient) -> None:
    client = make_client(search_seconds=20.0)
    long = f"({'A' * 60_000} {'(B b) ' * 400})"
    asked = {"pattern": "B=lower > __=upper", "trees": [long]}
    said = problem(client.post("/v1/search", json=asked), 504)
    assert "memory" in said and "narrower pattern" in said


def test_searches_that_wait_are_few(make_client: MakeClient) -> None:
    client = make_client(search_seconds=0.3)
    count = MOST_WAITING + 4
    with ThreadPoolExecutor(count) as threads:
        asked = [threads.submit(client.post, "/v1/search", json=ENDLESS) for _ in range(count)]
        statuses = [one.result().status_code for one in asked]
    assert sorted(set(statuses)) == [503, 504]
    assert statuses.count(504) >= MOST_SLOW_OF_ONE


def test_slow_searches_do_not_hold_up_quick_ones_nor_those_of_others() -> None:
    """Four of one caller are slow: what another asks is answered before the second of them is given up."""

    async def check() -> None:
        searching = Searching(4.0)
        ended: list[str] = []

        async def ask(name: str, pattern: str, trees: list[str], caller: str) -> None:
            try:
                await searching.find(pattern, trees, caller)
            except SlowSearch:
                name += " is given up"
            ended.append(name)

        slow = [
            asyncio.ensure_future(ask("slow", "/^(a+)+$/", [f"(NN {'a' * 60}b)"], "one"))
            for _ in range(4)
        ]
        await asyncio.sleep(0)
        # The trees of the second take longer to read than a quick search may take.
        await asyncio.gather(
            ask("quick", "NP", [TREE], "one"), ask("long", "NP", [TREE] * 1000, "another")
        )
        assert {"quick", "long"} <= {*ended}
        assert ended.count("slow is given up") <= 1
        for one in slow:
            one.cancel()
        await asyncio.wait(slow)
        searching.end()

    asyncio.run(check())


def test_searches_that_are_given_up_at_once_disturb_none() -> None:
    async def check() -> None:
        searching = Searching(4.0)
        asked = [
            asyncio.ensure_future(searching.find("NP", [TREE], caller))
            for caller in ("one", "another", "a third")
        ]
        await asyncio.sleep(0)
        for one in asked[:2]:
            one.cancel()
        *given_up, answer = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(one) for one in given_up] == [asyncio.CancelledError] * 2
        assert isinstance(answer, bytes)
        searching.end()

    asyncio.run(check())


def test_a_search_that_breaks_down_is_a_failure(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    answer = client.post("/v1/search", json={"pattern": "NP", "trees": [TREE]})
    assert problem(answer, 500).startswith("the search failed")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[]", "the JSON must be an object with trees"),
        ('{"pattern": "NP"}', "give trees: the request has none"),
        ('{"trees": []}', "pattern is missing: give a string of at most 1,000"),
        ('{"pattern": "NP", "trees": [5]}', "trees[0] must be a string; it is 5"),
        ('{"pattern": "NP", "trees": [], "once": true}', "once"),
        ('{"pattern": "\\ud800", "trees": []}', "pattern: character 1 is half"),
        (f'{{"pattern": "{"N" * (MOST_PATTERN_CHARACTERS + 1)}", "trees": []}}', "at most 1,000"),
    ],
)
def test_a_wrong_request_is_told_with_its_place(client: TestClient, body: str, said: str) -> None:
    headers = {"content-type": "application/json"}
    assert said in problem(client.post("/v1/search", content=body, headers=headers), 422)


def test_other_bodies_and_too_many_trees(make_client: MakeClient) -> None:
    client = make_client(max_sentences=2)
    plain = {"content-type": "text/plain"}
    assert "application/json" in problem(
        client.post("/v1/search", content=b"NP", headers=plain), 415
    )
    many = {"pattern": "NP", "trees": [TREE] * 3}
    assert "3 trees" in problem(client.post("/v1/search", json=many), 413)
