"""What the service says of itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from bnaparser import models
from bnaparser.models.about import About, about
from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings
from tests.server.answers import problem

if TYPE_CHECKING:
    from tests.server.conftest import HeldParser


def test_models_tells_the_limits(tiny_client: TestClient, tiny_model_dir: Path) -> None:
    [model] = tiny_client.get("/v1/models").json()["models"]
    assert model["name"] == tiny_model_dir.name
    assert model["device"] == "cpu"
    assert {"S", "NP", "VP"} <= set(model["labels"])
    assert "" not in model["labels"]
    assert model["limits"]["words_a_sentence"] == 500


def test_models_tells_their_licences(
    make_client: Callable[..., TestClient], tiny_client: TestClient
) -> None:
    told = make_client(model="en", classifier="sst2").get("/v1/models").json()
    for [one], name in ((told["models"], "en"), (told["classifiers"], "sst2")):
        known = about(models.find(name))
        assert (one["name"], one["license"]) == (name, known.license)
        assert one["license_note"] == known.license_note != ""
    [tiny] = tiny_client.get("/v1/models").json()["models"]
    assert tiny["license"] == tiny["license_note"] == ""  # its folder does not tell


def test_live_and_ready_before_the_model_is_loaded() -> None:
    client = TestClient(create_app(ServerSettings()))  # not entered: it has not started
    assert client.get("/live").json() == {"status": "live"}
    assert "starting" in problem(client.get("/ready"), 503)
    answer = client.post("/v1/parse", json={"text": "It rained."})
    assert "starting" in problem(answer, 503)
    assert int(answer.headers["retry-after"]) > 0


def test_ready_after_a_warm_up_parse(client: TestClient, parser: HeldParser) -> None:
    assert parser.batches
    assert client.get("/ready").json() == {"status": "ready"}


def test_without_a_classifier_no_folder_is_looked_through(
    parser: HeldParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A classifier of no name was once the folder that the service was started in, with all below it.
    (tmp_path / "somebody's.txt").write_text("text")
    monkeypatch.chdir(tmp_path)
    app = create_app(ServerSettings(), lambda _: parser)  # type: ignore[arg-type, return-value]
    with TestClient(app):
        assert app.state.service.about_classifier == About("")
