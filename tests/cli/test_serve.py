"""``bnaparser serve``: its options, its errors, and once with a model from start to end."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from bnaparser.cli import main
from bnaparser.server.settings import ServerSettings


def serve(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bnaparser", "serve", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def refusal(*arguments: str) -> str:
    """What is said on standard error, the log left out, by a service that cannot start."""
    with serve(*arguments) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 2, errors
    said = [line for line in errors.splitlines() if not line.startswith("{")]
    assert len(said) == 1, errors
    return said[0]


def test_help_tells_of_every_setting_and_its_variable(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for name, field in ServerSettings.model_fields.items():
        assert f"BNAPARSER_{name.upper()}" in shown
        assert " ".join((field.description or "").split()) in shown
        # A key on the command line could be read by every user of the machine.
        assert (f"--{name.replace('_', '-')} " in shown) == (name != "key")
    assert "(default: 8000); variable BNAPARSER_PORT" in shown


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--port", "99999"], {}, "port (environment BNAPARSER_PORT) must be a whole number, "),
        (
            [],
            {"BNAPARSER_WORKERS": "many"},
            "workers (environment BNAPARSER_WORKERS) must be a whole number, ",
        ),
    ],
)
def test_wrong_settings(
    arguments: list[str],
    variables: dict[str, str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["serve", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"bnaparser serve: {said}")
    assert err.count("\n") == 1


def test_a_classifier_that_is_none() -> None:
    assert refusal("--classifier", "no-such").startswith("bnaparser serve: no model 'no-such': ")


def test_on_windows_it_says_where_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Windows")
    assert main(["serve"]) == 2
    assert "on Windows, run the service in WSL" in capsys.readouterr().err


def test_options_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNAPARSER_MODEL", "/nowhere")
    monkeypatch.setenv("BNAPARSER_PORT", "1")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = refusal("--model", "en", "--port", port, "--workers", "2")
    assert message.startswith(
        f"bnaparser serve: cannot listen on 127.0.0.1 port {port}: Address already"
    )


def test_a_parser_for_a_classifier(tiny_model_dir: Path) -> None:
    folder = str(tiny_model_dir)
    message = refusal("--model", folder, "--classifier", folder, "--port", "0")
    assert message.startswith(f"bnaparser serve: {folder} is a parser, not a task model")


def test_it_serves_several_models_until_it_is_told_to_stop(
    tiny_model_dir: Path, two_languages_dir: Path
) -> None:
    """It looked for a folder of both names."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    names = f"{tiny_model_dir},{two_languages_dir}"
    with serve("--model", names, "--port", str(port), "--threads", "1") as process:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_ready(process, address)
            parse = parsed(address, "The cat sat.")
            assert parse["tree"].startswith("(TOP ")
            assert [token["text"] for token in parse["tokens"]] == ["The", "cat", "sat", "."]
            parse = parsed(address, "我吃魚。")
            assert (parse["language"], parse["error"]) == ("zh-Hant", None)
            with urllib.request.urlopen(f"{address}/v1/models", timeout=60) as answer:
                told = answer.read().decode()
            assert str(tiny_model_dir.parent) not in told  # paths are nobody else's business
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    assert all(json.loads(line) for line in errors.splitlines())


def parsed(address: str, text: str) -> dict[str, Any]:
    """Return the answer about a text of one sentence."""
    body = json.dumps({"text": text}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/v1/parse", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        (parse,) = json.load(answer)["parses"]
    return dict(parse)


def wait_until_ready(process: subprocess.Popen[str], address: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(f"{address}/ready", timeout=60):
                return
        except (urllib.error.URLError, ConnectionError):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.05)
