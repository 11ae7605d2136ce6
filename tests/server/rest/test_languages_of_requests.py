"""The service with models of several languages: guessed, given by the request or by its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings


@pytest.fixture(scope="module")
def client(tiny_model_dir: Path, two_languages_dir: Path) -> Iterator[TestClient]:
    settings = ServerSettings(model=f"{tiny_model_dir},{two_languages_dir}", device="cpu")
    with TestClient(create_app(settings)) as found:
        yield found


def parses(client: TestClient, body: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    answer = client.post(f"/v1/parse{query}", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["parses"]
    return found


def test_words_and_places_of_each_language(client: TestClient) -> None:
    text = "The cat sat on the mat. 我吃魚。 Ana vive a pesar de Madrid."
    found = parses(client, {"text": text})
    words = [[token["text"] for token in one["tokens"]] for one in found]
    assert words[1:] == [["我", "吃", "魚", "。"], ["Ana", "vive", "a_pesar_de", "Madrid", "."]]
    for one in found:
        for token in one["tokens"]:
            written = text[token["start"] : token["end"]]
            assert written.replace(" ", "_") == token["text"]


def test_a_language_may_be_given(client: TestClient) -> None:
    for body, query in (
        ({"text": "我吃魚。", "language": "zh"}, ""),
        ({"text": "我吃魚。"}, "?language=zh"),
        ({"sentences": ["我吃魚。"], "language": "zh-Hant"}, ""),
        ({"tokens": [["我", "吃", "魚", "。"]], "language": "zh-Hant"}, ""),
        ({"tokens": [["我", "吃", "魚", "。"]]}, "?language=zh"),
        ({"text": "我 吃 魚 。", "split": "token"}, "?language=zh_TW"),
    ):
        assert parses(client, body, query)[0]["tree"].startswith("(TOP (S (NP (N 我))")
    plain = client.post("/v1/parse?language=zh", content="我吃魚。".encode())
    assert plain.status_code in (200, 415)


def test_a_language_that_no_model_knows_is_the_sentences_error(client: TestClient) -> None:
    (one,) = parses(client, {"text": "Oui.", "language": "fr"})
    assert one["tree"] is None
    assert "no model here knows the language 'fr': there is en (English), zh-Hant" in one["error"]
    (one,) = parses(client, {"tokens": [["Oui", "."]]}, "?language=fr")
    assert one["tree"] is None
    answer = client.post(f"/v1/parse?language={'x' * 41}", json={"text": "It rained."})
    assert answer.status_code == 422


def test_constraints_count_in_the_text(client: TestClient) -> None:
    known = [{"kind": "must", "start": 3, "end": 5, "labels": ["NP"]}]
    (one,) = parses(client, {"text": "他們看見台灣。", "constraints": known})
    assert one["error"] is None
    assert (3, 5) in {(span["char_start"], span["char_end"]) for span in one["constituents"]}


def test_the_models_say_their_languages(client: TestClient) -> None:
    (model,) = client.get("/v1/models").json()["models"]
    assert model["languages"] == ["en", "zh-Hant", "es"]
    assert {"oracion", "VP"} <= set(model["labels"])


def test_corenlps_protocol_gives_the_words_that_were_found(client: TestClient) -> None:
    answer = client.post("/", content="我吃魚。".encode(), headers={"content-type": "text/plain"})
    (sentence,) = answer.json()["sentences"]
    assert [token["word"] for token in sentence["tokens"]] == ["我", "吃", "魚", "。"]


def test_the_settings_say_a_language(two_languages_dir: Path) -> None:
    settings = ServerSettings(model=str(two_languages_dir), language="es", device="cpu")
    with TestClient(create_app(settings)) as client:
        (one,) = parses(client, {"text": "Ana vive en Madrid."})
    assert [token["text"] for token in one["tokens"]] == ["Ana", "vive", "en", "Madrid", "."]


def test_a_model_of_another_language_is_served_by_the_parser_of_that_language(
    encoder_folder: Callable[[str], Path],
    tiny_model_dir: Path,
    two_languages_dir: Path,
    tmp_path: Path,
) -> None:
    from bnaparser.settings import validate
    from bnaparser.tasks.model import create, save_model
    from bnaparser.tasks.settings import TaskModelSettings

    table = {
        "encoder": {"name": str(encoder_folder("bert"))},
        "task": {"language": "zh-Hant"},
        "syntax": {"parser": str(two_languages_dir), "sla": {}},
    }
    model = create(validate(TaskModelSettings, table, "test"), ("no", "yes"))
    save_model(model, tmp_path, "float32", {})
    trees = ["(TOP (S (NP (N 我)) (VP (V 吃) (NP (N 魚))) (PU 。)))"]
    for named in (f"{tiny_model_dir},{two_languages_dir}", str(tiny_model_dir)):
        settings = ServerSettings(model=named, classifier=str(tmp_path), device="cpu")
        with TestClient(create_app(settings)) as client:
            said = client.post("/v1/classify", json={"text": "我吃魚。"}).json()
            [answer] = said["answers"]
            assert (answer["trees"], answer["error"]) == (trees, None)
            [described] = client.get("/v1/models").json()["classifiers"]
            assert described["language"] == "zh-Hant"
            app: Any = client.app
            classifying = app.state.service.classifying
            assert (classifying.parsing is app.state.service._queue) == ("," in named)
