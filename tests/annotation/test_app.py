"""What the page's program answers: steps, refusals, other sites, files to take along."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.annotation.app import create_app
from bnaparser.annotation.project import STEPS, read_project
from bnaparser.trees.tree import Tree
from tests.annotation.conftest import TREES, Maker
from tests.annotation.test_project import files_up_to

HOST = "http://127.0.0.1:8001"


@pytest.fixture
def client(make: Maker) -> TestClient:
    return TestClient(create_app(make(), "Anna"), base_url=HOST)


def step(client: TestClient, number: int, steps: int, do: str, **more: Any) -> Any:
    return client.post(
        f"/sentences/{number}", json={"by": "Anna", "steps": steps, "do": do, **more}
    )


def test_a_step_is_answered_with_the_tree_that_is_saved(client: TestClient, make: Maker) -> None:
    answer = step(client, 0, 0, "relabel", node=2, label=" NX ")
    assert answer.status_code == 200
    shown = answer.json()
    expected = TREES[0][0].replace("(NP (PRP I))", "(NX (PRP I))")
    assert shown["tree"]["tree"] == expected == read_project(make.folder).tree("Anna", 0)
    assert (shown["steps"], shown["undo"], shown["redo"], shown["state"]) == (
        1,
        True,
        False,
        "begun",
    )
    tree = Tree.parse(expected)
    assert [one["label"] for one in shown["tree"]["constituents"]] == [
        node.label for node in tree.nodes() if node.word is None
    ][1:]
    chances = {one["label"]: one["probability"] for one in shown["tree"]["constituents"]}
    assert (chances["NP"], chances["NX"]) == (0.75, None)
    assert [one["probability"] for one in shown["candidates"]] == [0.5, 0.25]
    assert client.get("/project?by=Anna").json()["sentences"][0]["state"] == "begun"
    assert step(client, 0, 1, "accept").json()["state"] == "accepted"


def test_words_stand_as_in_text_and_brackets_as_in_trees(client: TestClient) -> None:
    shown = client.get("/sentences/2?by=Anna").json()
    assert [one["text"] for one in shown["tree"]["tokens"]] == ["(", "x", ")"]
    assert shown["tree"]["tree"] == TREES[2][0]


def test_what_cannot_be_done_is_said_and_changes_nothing(client: TestClient) -> None:
    for number, steps, do, more, status, said in (
        (0, 0, "undo", {}, 422, "there is nothing to undo"),
        (0, 0, "redo", {}, 422, "there is nothing to redo"),
        (
            0,
            0,
            "relabel",
            {"node": 2, "label": "N P"},
            422,
            "the label 'N P' cannot stand in a tree",
        ),
        (0, 0, "remove", {"node": 99}, 422, "there is no node 99"),
        (0, 0, "choose", {"node": 5}, 422, "there is no tree 6: there are 2"),
        (0, 3, "accept", {}, 409, "This sentence was changed in another window."),
        (9, 0, "accept", {}, 404, "there is no sentence 9"),
        (0, 0, "burn", {}, 422, "the field 'do' must be 'choose', 'relabel'"),
        (0, 0, "remove", {"node": "2"}, 422, "the field 'node' must be a valid integer"),
        (0, 0, "remove", {"more": 2}, 422, "there is no field 'more'"),
    ):
        answer = step(client, number, steps, do, **more)
        assert (answer.status_code, said in answer.text) == (status, True), answer.text
    assert client.get("/sentences/0?by=Anna").json()["steps"] == 0
    assert step(client, 0, 0, "accept", by=" ").status_code == 422


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"comment": r'"x\ud800y"'}, "the field 'comment' must be a valid string"),
        ({"by": r'"\ud800"'}, "the field 'by' must be a valid string"),
        ({"label": r'"\ud800"'}, "the field 'label' must be a valid string"),
        ({r"\ud800": "1"}, "the field 'body' must be a valid string"),
        ({"more": "1"}, "there is no field 'more'"),
        ({"steps": "NaN"}, "the field 'steps' must be a"),
        ({"node": "-Infinity"}, "the field 'node' must be a"),
        ({"steps": "1e999"}, "the field 'steps' must be a"),
        ({"by": r'"A\u0000B"'}, "the field 'by' must be a name of 1 to 60 characters, without control characters"),
        ({"by": r'"A\u2028B"'}, "the field 'by' must be a name of 1 to 60 characters, without control characters"),
        ({"by": '"' + 61 * "A" + '"'}, "the field 'by' must have at most 60 characters"),
        ({"steps": "x"}, "the request is not JSON"),
    ],
)  # fmt: skip
def test_what_is_no_step_is_one_sentence(change: dict[str, str], said: str, make: Maker) -> None:
    """Half a character and NaN were repeated in the answer, which was a traceback."""
    client = TestClient(create_app(make()), base_url=HOST)
    fields = {"by": '"Anna"', "steps": "0", "do": '"comment"'} | change
    body = "{" + ",".join(f'"{name}":{value}' for name, value in fields.items()) + "}"
    answer = client.post("/sentences/0", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, list(answer.json())) == (422, ["detail"])
    assert answer.json()["detail"].startswith(said)
    assert make().annotators == []


def test_a_body_that_no_step_needs_is_refused(client: TestClient) -> None:
    """A body of 9 MB took 708 MB of memory."""
    headers = {"Content-Type": "application/json"}
    body = b"[" + b"{}," * 100_000 + b"{}]"
    for content in (body, iter([body[:150_000], body[150_000:]])):
        answer = client.post("/sentences/0", content=content, headers=headers)
        assert answer.status_code == 413
        assert answer.json()["detail"].startswith("the request has more than 200,000 bytes")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.get("/project").json()["annotators"] == []
    longest = "\U0001f600" * 10_000
    assert step(client, 0, 0, "comment", comment=longest).json()["comment"] == longest


def test_a_full_disk_is_said_and_nothing_is_lost(client: TestClient, make: Maker) -> None:
    step(client, 0, 0, "accept")
    with files_up_to((make.folder / STEPS).stat().st_size + 9):
        answer = step(client, 0, 1, "remove", node=2)
    assert answer.status_code == 507
    assert answer.json()["detail"] == f"{make.folder / STEPS} cannot be written: File too large"
    assert client.get("/sentences/0?by=Anna").json()["tree"]["tree"] == TREES[0][0]
    assert step(client, 0, 1, "remove", node=2).status_code == 200
    assert read_project(make.folder).accepted() == [TREES[0][0]]


def test_labels_are_offered_as_they_are_used(client: TestClient, make: Maker) -> None:
    shown = client.get("/sentences/1?by=Anna").json()
    assert shown["labels"]["constituents"] == ["NP", "S", "VP", "PP"]
    time, flies = shown["labels"]["tags"]
    assert (time[0], flies[:2]) == ("NN", ["VBZ", "NN"])
    step(client, 1, 0, "relabel", node=5, label="NNS")
    shown = step(client, 1, 1, "relabel", node=2, label="NX").json()
    assert shown["labels"]["constituents"] == ["NP", "S", "VP", "PP", "NX"]
    assert shown["labels"]["tags"][1][:2] == ["NNS", "NN"]
    other = client.get("/sentences/1?by=Ben").json()  # who sees nothing of what Anna does
    assert other["labels"]["tags"] == [time, flies]
    step(client, 1, 2, "undo")
    assert step(client, 1, 3, "undo").json()["labels"]["tags"][1] == flies
    again = TestClient(create_app(make(), "Anna"), base_url=HOST).get("/sentences/1?by=Anna").json()
    assert again["labels"]["constituents"] == ["NP", "S", "VP", "PP"]


def test_pages_of_other_sites_are_refused(make: Maker) -> None:
    app = create_app(make())
    body = {"by": "Anna", "steps": 0, "do": "accept"}
    for base, origin, status in (
        (HOST, None, 200),
        (HOST, HOST, 409),  # since the step was done
        ("http://localhost:9999", "http://localhost:9999", 409),
        (HOST, "http://evil.example", 403),
        (HOST, "null", 403),
        (HOST, "http://127.0.0.1:8002", 403),
        ("http://evil.example:8001", None, 400),
        ("http://evil.example:8001", "http://evil.example:8001", 400),
    ):
        client = TestClient(app, base_url=base)
        headers = {} if origin is None else {"Origin": origin}
        answer = client.post("/sentences/0", json=body, headers=headers)
        assert answer.status_code == status, (base, origin)
        assert client.get("/project", headers=headers).status_code in (200, status)
    assert (
        "default-src 'self'"
        in TestClient(app, base_url=HOST).get("/").headers["content-security-policy"]
    )


def test_the_trees_to_take_along_are_those_accepted(client: TestClient) -> None:
    assert client.get("/accepted.mrg?by=Anna").status_code == 404
    step(client, 1, 0, "accept")
    step(client, 0, 0, "choose", node=1)
    step(client, 0, 1, "accept")
    step(client, 0, 2, "remove", node=2)
    answer = client.get("/accepted.mrg?by=Anna")
    assert answer.text == f"{TREES[0][1]}\n{TREES[1][0]}\n"
    assert answer.headers["content-disposition"] == 'attachment; filename="Anna.mrg"'


def test_files_of_the_page_are_sent(client: TestClient) -> None:
    for path in ("/", "/static/annotate.js", "/static/drawing.js", "/static/labels.json"):
        assert client.get(path).status_code == 200
    assert client.get("/static/nothing.js").status_code == 404
