"""Run the first steps of a new user: python -m benchmarks.studies.newcomer.run_newcomer [--output DIR]

The steps run in a fresh clone with a fresh virtual environment, and need only README.md: install, first tree, a file, a script,
the service, its page, a model of one's own, and typical mistakes. Writes ``newcomer.md`` beside this file, or in
``--output``: the time of every step and the last line of its output. The exit code is 1 if a step does not end as it should,
or prints a traceback. Needs git, curl and chromium, and a package index for pip.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import begun, memory, processor
from benchmarks.service.service_process import free_port

CHECKOUT = Path(__file__).parents[3]
README = CHECKOUT / "README.md"
TEXT = """\
Dr. Smith moved to Boston in 1999. She liked it there, didn't she?
"I can't," he said. The price rose 3.5% to $1.2 million.

Nobody knows why :)
"""
# Longer than any line that is worth reading in a table.
SHOWN = 90


class Step(NamedTuple):
    """What is typed, in which words; ``code``: the exit code it should have."""

    what: str
    typed: str
    code: int = 0


class Done(NamedTuple):
    step: Step
    seconds: float
    code: int
    seen: str

    @property
    def is_as_it_should_be(self) -> bool:
        return self.code == self.step.code and "Traceback" not in self.seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    options = parser.parse_args()
    began = begun()
    with tempfile.TemporaryDirectory() as folder:
        done = [*half_hour(Path(folder))]
    page = options.output / "newcomer.md"
    page.write_text(page_of(done, began), encoding="utf-8")
    print(page.read_text(encoding="utf-8"))
    sys.exit(not all(step.is_as_it_should_be for step in done))


def half_hour(folder: Path) -> list[Done]:
    """Do all steps in a folder; return what came of each."""
    home = folder / "bnaparser"
    (folder / "home").mkdir()
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BNAPARSER_", "OMP_", "PYTHON", "VIRTUAL_ENV"))
    } | {"HOME": str(folder / "home")}
    port = free_port()
    done: list[Done] = []

    def type_in(step: Step) -> None:
        done.append(typed(step, home if home.exists() else folder, environment))
        print(f"{done[-1].seconds:7.1f} s  {step.typed.splitlines()[0]}", flush=True)

    for step in (*BEGINNING, *OWN_FILE, *MISTAKES):
        if step.typed.startswith("bnaparse -i text.txt"):
            (home / "text.txt").write_text(TEXT, encoding="utf-8")
        type_in(step)
    (home / "script.py").write_text(readme_script(), encoding="utf-8")
    type_in(Step("the README's script", "python script.py"))
    service = subprocess.Popen(
        ["bash", "-c", f". .venv/bin/activate && exec bnaparser serve --port {port}"],
        cwd=home,
        env=environment,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for step in serving(port):
            type_in(step)
    finally:
        os.killpg(service.pid, signal.SIGTERM)
        service.wait()
    for step in OWN_MODEL:
        type_in(step)
    return done


BEGINNING = (
    Step("get it", f"git clone -q {CHECKOUT} bnaparser"),
    Step("an environment", "python3 -m venv .venv"),
    Step("install", "pip install -q -c constraints.txt ."),
    Step("first tree", 'bnaparse "The cat sat on the mat."'),
    Step("second tree", 'bnaparse "Dogs bark."'),
    Step("how is it used?", "bnaparse --help"),
    Step("which models?", "bnaparser models"),
    Step("is all well?", "bnaparser check"),
)
OWN_FILE = (
    Step("own file", "bnaparse -i text.txt -o trees.mrg && tail -n 1 trees.mrg"),
    Step("own file, JSON", "bnaparse -i text.txt -f json | tail -n 1"),
    Step("drawn", 'bnaparse -f draw "It rained."'),
    Step("a picture", 'bnaparse -f svg "It rained." > tree.svg && tail -c 7 tree.svg'),
)
MISTAKES = (
    Step("the file's name as text", "bnaparse text.txt", 2),
    Step("a file that is not there", "bnaparse -i txet.txt", 2),
    Step("a format that is not there", 'bnaparse -f jsn "It rained."', 2),
    Step("a verb mistyped", "bnaparser modles", 2),
    Step("a model that is not there", 'bnaparse --model english "It rained."', 2),
    Step("nothing at all", 'bnaparse ""'),
    Step("training without its packages", "bnaparser train recipes/tiny.toml", 2),
)
OWN_MODEL = (
    Step("packages to train", "pip install -q -c constraints.txt '.[train]'"),
    Step("own model", "bnaparser train recipes/tiny.toml"),
    Step("parse with it", 'bnaparse --model runs/tiny/model "The cat sat on the mat."'),
    Step("score it", "bnaparser evaluate --model runs/tiny/model tests/data/tiny.mrg"),
)


def serving(port: int) -> tuple[Step, ...]:
    """Return the steps with the service, which listens at a port."""
    at = f"http://127.0.0.1:{port}"
    return (
        Step("service", f"until curl -sf {at}/ready; do sleep 0.1; done"),
        Step(
            "parse through it",
            f"curl -s -H 'Content-Type: text/plain' --data 'The cat sat on the mat.' {at}/v1/parse",
        ),
        Step("a request that is wrong", f"curl -s --json '{{' {at}/v1/parse"),
        Step(
            "its page",
            "chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --dump-dom "
            f"{at}/ 2>/dev/null | grep -o '<title>.*</title>'",
        ),
    )


def typed(step: Step, folder: Path, environment: dict[str, str]) -> Done:
    """Type a step in a folder with its environment active; return what came of it."""
    active = "[ ! -e .venv/bin/activate ] || . .venv/bin/activate; "
    start = time.monotonic()
    ended = subprocess.run(
        ["bash", "-c", active + step.typed],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Done(step, time.monotonic() - start, ended.returncode, ended.stdout)


def readme_script() -> str:
    """Return the Python of README.md."""
    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, "README.md has no Python"
    return found[1]


def page_of(done: list[Done], began: str) -> str:
    """Return the page."""
    minutes = sum(step.seconds for step in done) / 60
    wrong = [step.step.what for step in done if not step.is_as_it_should_be]
    rows = "\n".join(
        f"| {step.step.what} | `{cell(step.step.typed)}` | {step.seconds:.1f} | {step.code} | {last_line(step.seen)} |"
        for step in done
    )
    verdict = "failed steps: " + ", ".join(wrong) if wrong else "every step ended as it should"
    return f"""\
# The first half hour of a new user

{began}; {processor()}, {memory()}; packages from a package index nearby.

    python -m benchmarks.studies.newcomer.run_newcomer

A new user who has only README.md takes these steps, in a fresh clone and a fresh virtual environment. Some steps are typical mistakes.
All steps together took {minutes:.1f} minutes: {verdict}. A step with a traceback counts as failed. The table has the last line of each step's output.

| step | command | seconds | exit code | last line |
|---|---|---|---|---|
{rows}
"""


def cell(text: str) -> str:
    """Return text for a cell of a table."""
    for place in (str(CHECKOUT), str(Path(sys.prefix))):
        text = text.replace(place, Path(place).name)
    return text.replace("|", "\\|")


def last_line(text: str) -> str:
    """Return the last line that is not blank, cut to what fits, as code."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    shown = re.sub(r"\s+", " ", cell(lines[-1])).replace("`", "'")
    return f"`{shown[:SHOWN]}{'…' if len(shown) > SHOWN else ''}`"


if __name__ == "__main__":
    main()
