"""How long `bnaparser measure` takes over a million trees, its memory, and a long text from raw text to table.

    python -m benchmarks.measures.run_measures TREES... [--trees 1000000] [--text FILE --words 100000]

TREES are files of trees, one a line (also .xz); their lines are repeated until there are so many. A tenth of them is
measured in other ways, too. The text is repeated, or cut, to so many words. Writes ``measures.md`` beside this file.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from bnaparser.treebanks.reading import find_trees

RUNS = [
    ("by text", ["--by", "text"]),
    ("by sentence", ["--by", "sentence"]),
    ("by text, one process", ["--by", "text", "--workers", "1"]),
]
_LOOKS = 0.2  # seconds between two looks at the memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="TREES")
    parser.add_argument("--trees", type=int, default=1_000_000)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--words", type=int, default=100_000)
    options = parser.parse_args()
    where = f"{begun()}; {processor()}; {listed(versions(('bnaparser',)))}"
    again = command("benchmarks.measures.run_measures", without_folders(sys.argv[1:]))
    lines = [
        "# Measuring syntactic complexity",
        "",
        "Memory is the largest of all processes of a run together (proportional set size).",
        "",
        "| run | sentences | seconds | sentences/s | memory, MB |",
        "|---|---|---|---|---|",
    ]
    with TemporaryDirectory() as folder:
        for number in (options.trees // 10, options.trees):
            trees = Path(folder) / f"{number}.mrg"
            known = [str(found.tree) for file in options.files for found in find_trees(file)]
            with trees.open("w", encoding="utf-8") as file:
                file.writelines(f"{tree}\n" for tree in islice(cycle(known), number))
            for name, chosen in RUNS[:1] if number == options.trees else RUNS:
                lines.append(row(f"trees {name}", number, [str(trees), *chosen]))
                print(lines[-1], flush=True)
        if options.text is not None:
            text = Path(folder) / "text.txt"
            words = options.text.read_text(encoding="utf-8").split(" ")
            text.write_text(" ".join(islice(cycle(words), options.words)), encoding="utf-8")
            out = measured([str(text), "--by", "sentence", "-f", "tsv"])
            sentences = len(Path(out[2]).read_text(encoding="utf-8").splitlines()) - 1
            lines.append(
                f"| text of {options.words:,} words, by sentence | {sentences:,} | {out[0]:.0f} |"
                f" {sentences / out[0]:,.0f} | {out[1]:.0f} |"
            )
            print(lines[-1], flush=True)
    lines += ["", f"{where}; `{again}`", ""]
    Path(__file__).with_name("measures.md").write_text("\n".join(lines), encoding="utf-8")


def row(name: str, number: int, arguments: list[str]) -> str:
    seconds, memory, _ = measured(arguments)
    return f"| {name} | {number:,} | {seconds:.0f} | {number / seconds:,.0f} | {memory:.0f} |"


def measured(arguments: list[str]) -> tuple[float, float, str]:
    """Return the seconds, the largest memory in MB, and the table of one run."""
    out = str(Path(arguments[0]).with_suffix(".out"))
    typed = [sys.executable, "-m", "bnaparser", "measure", *arguments, "-q", "-o", out]
    began, most = time.perf_counter(), 0.0
    process = subprocess.Popen(typed)
    while process.poll() is None:
        most = max(most, sum(map(_memory, _family(process.pid))))
        time.sleep(_LOOKS)
    if process.returncode:
        raise SystemExit(f"{typed} ended with {process.returncode}")
    return time.perf_counter() - began, most, out


def _family(parent: int) -> list[int]:
    try:
        below = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:
        return []
    return [parent, *(int(child) for child in below)]


def _memory(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
