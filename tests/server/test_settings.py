from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import SettingsError
from bnaparser.server.settings import ServerSettings, read_settings


def test_what_is_given_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_PORT", "9001")
    monkeypatch.setenv("BNAPARSER_HOST", "0.0.0.0")
    monkeypatch.setenv("BNAPARSER_DATA", "of the tests, not of the service")
    settings = read_settings({"port": 9002})
    assert (settings.host, settings.port) == ("0.0.0.0", 9002)


def test_origins_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_CORS_ORIGINS", "https://a.example, http://localhost:3000")
    assert read_settings().cors_origins == ("https://a.example", "http://localhost:3000")


def test_the_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_KEY", "opensesame")
    settings = read_settings()
    assert settings.key is not None
    assert settings.key.get_secret_value() == "opensesame"
    assert "opensesame" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("port", "70000", "port (environment BNAPARSER_PORT)"),
        ("threads", "many", "threads"),
        ("key", "", "printable"),
        ("key", "two words", "printable"),
        ("device", "", "device"),
        ("deadline_seconds", "nan", "deadline_seconds"),
        ("stall_seconds", "inf", "stall_seconds"),
        ("batch_tokens", "0", "batch_tokens"),
        ("classifier", "", "classifier"),
        ("max_words", "100001", "max_words"),
        ("max_n_best", "100001", "max_n_best"),
        ("cors_origins", "example.org", "not a web origin"),
        ("queue_words", "10", "would never fit into the queue"),
        ("log_level", "loud", "log_level"),
        ("log_format", "xml", "log_format"),
    ],
)
def test_a_wrong_setting_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"BNAPARSER_{name.upper()}", value)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_setting_is_told_with_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_WORKERS", "0")
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert str(caught.value) == (
        "workers (environment BNAPARSER_WORKERS) must be a whole number, at least 1 and at most 256,"
        ' such as 1; it is "0"'
    )


def test_a_wrong_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_KEY", "open sesame")
    with pytest.raises(SettingsError, match="key") as caught:
        read_settings()
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("WORKRS", "WORKERS"), ("KEYS", "KEY"), ("API_KEY", "KEY"), ("QUEUE_WORD", "QUEUE_WORDS")],
)
def test_a_misspelt_variable_ends_the_start(
    monkeypatch: pytest.MonkeyPatch, wrong: str, right: str
) -> None:
    monkeypatch.setenv(f"BNAPARSER_{wrong}", "2")
    with pytest.raises(SettingsError, match=rf"BNAPARSER_{wrong}:.*did you mean BNAPARSER_{right}"):
        read_settings()


@pytest.mark.parametrize(
    "wrong", ["BNAPARSE_KEY", "BNAPARSERKEY", "BNA_PARSER_KEY", "bnparser_key", "BNAPARSERS_KEY"]
)
def test_a_misspelt_prefix_ends_the_start(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv(wrong, "2")
    with pytest.raises(SettingsError, match=f"{wrong}:.*did you mean BNAPARSER_KEY"):
        read_settings()


@pytest.mark.parametrize("other", ["PARSER_KEY", "MODEL", "SPARSER_PORT", "NAPA_HOST"])
def test_variables_of_other_programs_are_let_through(
    monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    monkeypatch.setenv(other, "2")
    assert read_settings() == ServerSettings()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SERVICE_HOST", "10.0.0.7"),
        ("SERVICE_PORT_HTTP", "8000"),
        ("PORT_8000_TCP_ADDR", "10.0.0.7"),
        ("PAGE_SERVICE_PORT", "80"),
        ("PORT", "tcp://10.0.0.7:8000"),
    ],
)
def test_what_kubernetes_sets_for_a_service_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(f"BNAPARSER_{variable}", value)
    with pytest.raises(SettingsError, match=rf"BNAPARSER_{variable}, .*enableServiceLinks: false"):
        read_settings()


def test_a_variable_like_no_setting_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_FROBNICATE", "2")
    with pytest.raises(SettingsError, match=r"BNAPARSER_FROBNICATE: there is no such setting \("):
        read_settings()


@pytest.mark.parametrize(
    ("given", "device", "threads", "words"),
    [(None, "cpu", 1, 200), (None, "cpu", 16, 3200), (None, "cuda:0", 2, 1000), (70, "cpu", 2, 70)],
)
def test_a_batch_takes_as_long_whatever_the_number_of_cores(
    given: int | None, device: str, threads: int, words: int
) -> None:
    assert ServerSettings(batch_tokens=given).batch_words(device, threads) == words


def test_an_unknown_setting_is_an_error() -> None:
    given: dict[str, Any] = {"prot": 8000}
    with pytest.raises(SettingsError, match="prot"):
        read_settings(given)


def test_the_variables_of_the_deployment_pages_are_settings() -> None:
    docs = Path(__file__).parents[2] / "docs"
    pages = [docs / "deploy.md", *(docs / "deploy").iterdir()]
    named = {
        name
        for page in pages
        for name in re.findall(r"BNAPARSER_([A-Z]+(?:_[A-Z]+)*)", page.read_text(encoding="utf-8"))
    }
    named -= {"SERVICE_HOST", "SERVICE_PORT"}  # of Kubernetes
    assert {"KEY", "MODEL"} <= named <= {name.upper() for name in ServerSettings.model_fields}


def test_every_setting_is_described() -> None:
    assert all(field.description for field in ServerSettings.model_fields.values())


def test_a_wrong_model_ends_the_start_with_one_sentence(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    from bnaparser.errors import ModelError
    from bnaparser.server.app import create_app

    app = create_app(ServerSettings(model=str(tmp_path / "nowhere")))
    with pytest.raises(ModelError, match="nowhere") as caught, TestClient(app):
        pass
    assert "\n" not in str(caught.value)
