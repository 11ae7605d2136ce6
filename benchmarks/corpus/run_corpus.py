"""`bnaparser corpus` on many sentences: equal bytes from every engine and after kills, throughput, memory.

    python -m benchmarks.corpus.run_corpus TEXT --model MODEL --output DIR [--sentences 100000]

TEXT is running text in UTF-8, plain or packed, repeated with numbered lines where it is too short.
Parts, in order; ``--parts`` runs some of them:

- ``engines``: the same input by one process, by two, and by two actors of Ray: seconds, sentences a
  second, digests of all files; beside them the library's own speed in this process with two threads.
- ``kills``: runs that are killed at ten random moments each: the driver, which is started again, or a
  worker, an actor of Ray, without which the run goes on (``killing.py``).
- ``memory``: the peak of a run's processes on a tenth of the input and on all of it, and on ``--large``
  megabytes for a minute.

Each result goes to ``DIR/results.json`` when it is there; the page ``corpus.md`` beside this file is made of
that. A fast model shows the machinery's own cost best: the faster the model, the more it weighs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from itertools import count, islice
from pathlib import Path
from typing import Any

from benchmarks.corpus.killing import (
    Moment,
    driver_moments,
    kill_drivers,
    kill_workers,
    processes_of,
    wait_for,
    worker_moments,
)
from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from bnaparser import Parser
from bnaparser.treebanks.lines import read_lines

Result = dict[str, Any]
PARTS = ("engines", "kills", "memory")
RUNS = {
    "one process": ["--workers", "1"],
    "two processes": ["--workers", "2"],
    "Ray, two actors": ["--engine", "ray", "--workers", "2"],
}
# Whose death the part `kills` is about.
KILLED = (
    ("two processes", "driver"),
    ("two processes", "worker"),
    ("Ray, two actors", "driver"),
    ("Ray, two actors", "actor"),
)
SHARD = 200_000


def main() -> None:
    options = options_from_command_line()
    options.output.mkdir(parents=True, exist_ok=True)
    kept = options.output / "results.json"
    found: Result = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    text = options.output / f"in-{options.sentences}.txt"
    if not text.exists():
        write_text(options.text, text, options.sentences)
    work = {"engines": engines, "kills": kills, "memory": memory}
    for part in options.parts:
        found[part] = work[part](options, text)
        found[part]["where"] = f"{begun()}; {processor()}; {listed(versions(('bnaparser', 'ray')))}"
        found[part]["command"] = command(
            "benchmarks.corpus.run_corpus", without_folders(sys.argv[1:])
        )
        kept.write_text(json.dumps(found, indent=1), encoding="utf-8")
        print(json.dumps(found[part], indent=1), flush=True)
    page = Path(__file__).with_name("corpus.md")
    page.write_text(report(found), encoding="utf-8")


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=300, metavar="MB")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    return parser.parse_args()


def write_text(source: Path, target: Path, sentences: int) -> None:
    """Write lines of about so many sentences; each round over the text has its number in each line."""
    from bnaparser.text.splitting import read_sentences

    written = 0
    with target.open("w", encoding="utf-8") as file:
        for turn in count():
            for line in read_lines(source):
                text = line.strip() if turn == 0 else f"{line.strip()} It was round {turn}."
                written += len(read_sentences(text))
                file.write(f"{text}\n")
                if written >= sentences:
                    return


def engines(options: argparse.Namespace, text: Path) -> Result:
    found: Result = {"runs": {}}
    for name, arguments in RUNS.items():
        output = fresh(options, name)
        began = time.perf_counter()
        subprocess.run(corpus_command(options, text, output, arguments), check=True)
        seconds = time.perf_counter() - began
        totals = json.loads((output / "manifest.json").read_text("utf-8"))["totals"]
        rate = totals["sentences"] / seconds
        found["runs"][name] = {
            "seconds": round(seconds, 1),
            "sentences": totals["sentences"],
            "rate": round(rate, 1),
            "digest": digest(output),
        }
        found["library"] = found.get("library") or library(options, text)
        print(name, found["runs"][name], flush=True)
    return found


def library(options: argparse.Namespace, text: Path) -> Result:
    """The library's speed in one process with all threads: texts in, JSON lines out."""
    parser = Parser.load(options.model, "cpu")
    next(parser.pipe(["It rained."]))
    lines = islice(read_lines(text), 20_000)
    began, sentences, size = time.perf_counter(), 0, 0
    for parses in parser.pipe(lines):
        sentences += len(parses)
        size += sum(len(parse.to_json()) for parse in parses)
    seconds = time.perf_counter() - began
    return {"sentences": sentences, "rate": round(sentences / seconds, 1)}


def kills(options: argparse.Namespace, text: Path) -> Result:
    """Kill runs of each engine at random moments; what they end in, and what it ought to be."""
    wanted = fresh(options, "undisturbed")
    seconds = timed_run(corpus_command(options, text, wanted, RUNS["two processes"]), wanted)
    shards = len(list(wanted.glob("part-*")))
    found: Result = {"undisturbed": digest(wanted), "shards": shards, "runs": {}}
    draw = random.Random(1)
    for name, whom in KILLED:
        output = fresh(options, f"{name} {whom}")
        arguments = corpus_command(options, text, output, RUNS[name])
        if whom == "driver":
            moments = driver_moments(draw, options.kills, shards, seconds)
            hits = kill_drivers(arguments, output, moments)
        else:
            moments = worker_moments(draw, options.kills, shards, seconds[1])
            hits = kill_workers(arguments, output, moments, draw, whom == "actor")
        key = f"{name}, {whom} killed"
        found["runs"][key] = {"kills": list(map(asdict, hits)), "digest": digest(output)}
        print(key, found["runs"][key], flush=True)
    return found


def timed_run(arguments: list[str], output: Path) -> tuple[float, float]:
    """Run to the end; the seconds until the first shard is there, and of each shard after it."""
    began = time.perf_counter()
    process = subprocess.Popen(arguments)
    if not wait_for(process, output, Moment(1, "anything", 0)) and process.wait():
        raise RuntimeError(f"the run ended with code {process.returncode}")
    start = time.perf_counter() - began
    process.wait()
    shards = len(list(output.glob("part-*")))
    return start, (time.perf_counter() - began - start) / shards


def memory(options: argparse.Namespace, text: Path) -> Result:
    """Peak memory of all processes of a run, in megabytes: proportional shares (PSS), looked at often."""
    tenth = options.output / "tenth.txt"
    write_text(options.text, tenth, options.sentences // 10)
    large = options.output / "large.txt"
    with large.open("wb") as file:
        while file.tell() < options.large * 1_000_000:
            with text.open("rb") as source:
                shutil.copyfileobj(source, file)
    found = {}
    for name, file, most in (("tenth", tenth, 1e9), ("all", text, 1e9), ("large", large, 60.0)):
        output = fresh(options, f"memory {name}")
        arguments = corpus_command(options, file, output, RUNS["two processes"])
        process = subprocess.Popen(arguments, start_new_session=True)
        peak, began = 0.0, time.perf_counter()
        while process.poll() is None and time.perf_counter() - began < most:
            peak = max(peak, sum(map(proportional, processes_of(process.pid))))
            time.sleep(0.3)
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
        process.wait()
        found[name] = {"input_mb": round(file.stat().st_size / 1e6, 1), "peak_mb": round(peak, 1)}
        print(name, found[name], flush=True)
    large.unlink()
    return {"runs": found}


def proportional(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def fresh(options: argparse.Namespace, name: str) -> Path:
    folder: Path = options.output / name.replace(" ", "-").replace(",", "")
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def corpus_command(
    options: argparse.Namespace, text: Path, output: Path, arguments: list[str]
) -> list[str]:
    begin = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "bnaparser",
        "corpus",
        str(text),
        str(output),
    ]
    return [*begin, "--model", options.model, "-q", "--shard-size", str(SHARD), *arguments]


def digest(output: Path) -> str:
    """One digest over the names and bytes of all files, hidden ones too."""
    found = hashlib.sha256()
    for file in sorted(path for path in output.rglob("*") if path.is_file()):
        found.update(str(file.relative_to(output)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def report(found: Result) -> str:
    lines = ["# Corpora", ""]
    if part := found.get("engines"):
        best = part["library"]["rate"]
        lines += [
            "## Engines",
            "",
            "| by | sentences | seconds | sentences/s | relative to the library | hash of the output |",
            "|---|---|---|---|---|---|",
            f"| the library, one process, all threads | {part['library']['sentences']:,} | | {best} | 1 | |",
        ]
        for name, run in part["runs"].items():
            lines.append(
                f"| {name} | {run['sentences']:,} | {run['seconds']} | {run['rate']} |"
                f" {run['rate'] / best:.2f} | `{run['digest']}` |"
            )
        lines += ["", "Seconds are for the whole command, including its start.", *where(part)]
    if part := found.get("kills"):
        lines += [
            "## Killed and resumed",
            "",
            f"| run | kills | finished shards at each kill, of {part['shards']} | kills while a file was written | kills while temporary files were removed | hash of the output |",
            "|---|---|---|---|---|---|",
            f"| undisturbed | 0 | | | | `{part['undisturbed']}` |",
        ]
        for name, run in part["runs"].items():
            hits = run["kills"]
            there = ", ".join(str(one["shards"]) for one in hits)
            writing, tidying = (sum(one[what] for one in hits) for what in ("writing", "tidying"))
            lines.append(
                f"| {name} | {len(hits)} | {there} | {writing} | {tidying} | `{run['digest']}` |"
            )
        lines += where(part)
    if part := found.get("memory"):
        lines += ["## Memory", "", "| input, MB | peak of all processes, MB |", "|---|---|"]
        lines += [f"| {run['input_mb']} | {run['peak_mb']} |" for run in part["runs"].values()]
        lines += where(part)
    return "\n".join(lines) + "\n"


def where(part: Result) -> list[str]:
    return ["", f"{part['where']}; `{part['command']}`", ""]


if __name__ == "__main__":
    main()
