"""Commands and Python blocks of README and docs/ are run as printed; those that are not have a reason here."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvicorn

from bnaparser import cli
from bnaparser.cli import parse
from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS: dict[str, Callable[[list[str]], int]] = {"bnaparse": parse.main, "bnaparser": cli.main}

# Why a command that contains these words is not run. Its options are checked all the same.
NOT_RUN = {
    r"\bserve\b|\bannotate\b": "serves until it is stopped; tests/server and tests/annotation start it",
    r"\bruns/|\bENCODER\b|\bTREEBANKS\b": "needs a model that a recipe trains",
    r"\bLDC\w+": "needs a release of the LDC",
    r"\bRECIPE\b|\bDIR\b|\bmine\b|\bNAME\b": "stands for a file of the reader's",
    r"\borg/name\b|benepar_en3": "needs a model of a hub",
    r"--engine ray": "starts a cluster; tests/parsing/corpus starts one",
    r"recipes/": "trains; tests/spanbert and tests/tasks train small ones",
    r"--model \S*(multi)": "tests/models parses with it",
    r"combined/|\.psd|tiger\.xml": "needs a treebank; tests/treebanks reads these formats",
    r"pip install": "installs; .ci/run does it in a new environment",
    r"^cat |^echo ": "reads standard input; tests/cli/test_parse.py does",
    r"check &&": "stands for a script; `bnaparser check` is run",
}
SENTENCES = "It rained. I think that the man who came yesterday left early.\nThe cat of my aunt sat on the mat.\n"
TREE = "(TOP (S (NP (NP (DT The) (NN cat)) (PP (IN of) (NP (NN mine)))) (VP (VBD sat)) (. .)))"
SIMPLE = "(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))"


class Command(NamedTuple):
    """A line of a page, and the page."""

    page: str
    line: str


def code_lines(text: str) -> list[str]:
    """Return the lines of indented blocks and of fences without a language or of a shell."""
    lines, fence = [], None
    for line in text.splitlines():
        if mark := re.match(r"\s*```(\w*)", line):
            fence = mark[1] if fence is None else None
        elif fence is None and line.startswith("    "):
            lines.append(line.strip())
        elif fence in ("sh", "bash", ""):
            lines.append(line)
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def commands() -> list[Command]:
    """Return each line that calls one of our two programs."""
    found = []
    for page in PAGES:
        for line in code_lines(page.read_text(encoding="utf-8")):
            if re.search(r"(^|[|;&] ?)(\$ )?bnaparser? (?!\w+: )", line) and not re.match(
                r"bnaparser? (\w+): ", line
            ):
                found.append(Command(page.name, re.sub(r"\s+#.*", "", line.removeprefix("$ "))))
    return found


COMMANDS = commands()


def reason(line: str) -> str | None:
    """Return why a command is not run; None for one that is."""
    return next((why for pattern, why in NOT_RUN.items() if re.search(pattern, line)), None)


def calls(line: str) -> list[list[str]]:
    """Return the calls of our programs in a line of the shell."""
    synopsis = re.sub(r"\[(--?\w[^]]*|TEXT)\]", r"\1", line).replace(" ...", "")
    synopsis = re.sub(r"(\w+)\|\w+", r"\1", synopsis)
    parts = [shlex.split(part) for part in re.split(r"\s+(?:\||&&|;)\s+", synopsis)]
    return [part for part in parts if part and part[0] in PROGRAMS]


def test_every_printed_command_has_options_that_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Accepted(Exception):
        pass

    def accept(*_: object) -> int:
        raise Accepted

    monkeypatch.setattr(cli, "guarded", accept)
    monkeypatch.setattr(parse, "guarded", accept)
    assert len(COMMANDS) > 80
    for page, line in COMMANDS:
        for program, *arguments in calls(line):
            try:
                PROGRAMS[program](arguments)
            except Accepted:
                continue
            except SystemExit:
                pytest.fail(f"{page}: {line}\n{capsys.readouterr().err}")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages name."""
    folder = tmp_path_factory.mktemp("desk")
    for name in ("story", "text", "book", "letters", "essay", "texts/a", "essays/a", "essays/b"):
        path = folder / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SENTENCES, encoding="utf-8")
    (folder / "book.txt.gz").write_bytes(gzip.compress(SENTENCES.encode()))
    (folder / "news").mkdir()
    row = json.dumps({"body": SENTENCES, "url": "http://example.org"}) + "\n"
    (folder / "news" / "a.jsonl.gz").write_bytes(gzip.compress(row.encode()))
    for name in ("gold", "predicted", "other", "dev", "raw"):
        (folder / f"{name}.mrg").write_text(f"{TREE}\n{SIMPLE}\n")
    (folder / "trees.mrg").write_text(f"{TREE}\n" * 9)
    (folder / "constructions.txt").write_text("passive = VP < VBN\n")
    (folder / "heads.conllu").write_text(
        "1\tIt\t_\t_\t_\t_\t2\t_\t_\t_\n2\trained\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    )
    old = Path.cwd()
    os.chdir(folder)
    assert parse.main(["-i", "story.txt", "-o", "parses.jsonl", "-f", "json"]) == 0
    os.chdir(old)
    return folder


@pytest.mark.usefixtures("one_thread")
def test_printed_commands_run(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk)
    ran, failed = 0, []
    for line, page in {line: page for page, line in COMMANDS}.items():
        if "[-" in line or reason(line):
            continue
        ran += 1
        shutil.rmtree("parsed", ignore_errors=True)
        found = calls(line)
        if len(found) == 1 and line.split()[0] in PROGRAMS:
            (program, *arguments), text = found[0], ""
            arguments = [
                one
                for argument in arguments
                for one in (
                    map(str, sorted(desk.glob(argument))) if "*.t" in argument else [argument]
                )
            ]
            code = PROGRAMS[program](arguments)
        else:  # a pipe
            environment = os.environ | {
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            }
            code = subprocess.run(["bash", "-c", line], env=environment, check=False).returncode
        text = capfd.readouterr().err
        if code:
            failed.append(f"{page}: {line}\n{text}")
    assert not failed, "\n\n".join(failed)
    assert ran > 40


@pytest.mark.usefixtures("one_thread")
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_printed_requests_are_answered() -> None:
    """The requests of docs/http.md, and its function in Python, against a service with the model `en`."""
    page = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    requests = [line for line in code_lines(page) if line.startswith("curl ")]
    assert len(requests) == 5
    app = create_app(ServerSettings(model="en"))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}"
            while json.loads(fetched(f"{address}/ready")).get("status") != "ready":
                time.sleep(0.1)
            for line in requests:
                told = fetched(line.replace("http://127.0.0.1:8000", address))
                trees = (
                    [told]
                    if "application/json" not in line
                    else [one["tree"] for one in json.loads(told)["parses"]]
                )
                assert trees, line
                assert all(tree.startswith("(TOP ") for tree in trees), line
            names: dict[str, Any] = {}
            (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
            exec(compile(block, "http.md", "exec"), names)  # noqa: S102
            (parse,) = names["parse"]("It rained.", f"{address}/v1/parse")
            assert parse.words == ("It", "rained", ".")
        finally:
            server.should_exit = True
            thread.join()


def fetched(line: str) -> str:
    """Return what a command with curl prints, or what curl prints of an address."""
    words = shlex.split(line if line.startswith("curl ") else f"curl {line}")
    return subprocess.run([*words, "-s"], capture_output=True, text=True, check=True).stdout


# Why a Python block that contains these words is not run here.
BLOCKS_NOT_RUN = {
    ">>>": "tests/docs/test_integration_examples.py runs it",
    "NAME|my-encoder": "needs an encoder; tests/syntax attaches to tiny ones",
    "runs/squad": "needs a model that a recipe trains",
    "CoreNLP": "needs a running service; tests/server/corenlp/test_clients.py runs both clients",
}


@pytest.mark.usefixtures("one_thread")
def test_python_blocks_run(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(desk)
    ran = 0
    for page in PAGES:
        frame = pandas.DataFrame({"text": ["It rained.", "Dogs bark."], "grade": [1, 2]})
        names: dict[str, object] = {"frame": frame, "texts": ["A gripping, funny film."]}
        names["lines"] = names["texts"]
        for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if any(re.search(pattern, block) for pattern in BLOCKS_NOT_RUN):
                continue
            ran += 1
            shutil.rmtree("parsed", ignore_errors=True)
            try:
                exec(compile(block, page.name, "exec"), names)  # noqa: S102
            except Exception as error:
                raise AssertionError(f"{page.name}: {block}") from error
    assert ran >= 12
