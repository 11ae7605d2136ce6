"""How long `bnaparser search` takes over a million trees, pattern by pattern.

    python -m benchmarks.search.run_search TREES... [--trees 1000000]

TREES are files of trees, one a line (also .xz); their lines are repeated until there are so many. Each
pattern is searched for by the command itself, counting only. Writes ``search.md`` beside this file. That
the matches are the right ones, tests/trees/search holds against a brute-force matcher.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from bnaparser.treebanks.reading import find_trees

PATTERNS = [
    "NP < (PP << of)",
    "NP < (NP $+ (PP <: IN))",
    "VP < (/^VB/ $+ NP=object)",
    "SBAR !< IN",
    "S < (NP $++ (VP < (SBAR < S)))",
    "@NP <# (NN < dog)",
    "NP >> (PP > (VP > S))",
    "/^NN/ < /^[A-Z]+$/",
    "WHNP",
    "__ <: (__ <: (__ <: __))",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="TREES")
    parser.add_argument("--trees", type=int, default=1_000_000)
    options = parser.parse_args()
    where = f"{begun()}; {processor()}; {listed(versions(('bnaparser',)))}"
    again = command("benchmarks.search.run_search", without_folders(sys.argv[1:]))
    lines = [
        "# Searching trees",
        "",
        f"{options.trees:,} trees, one process, counting only.",
        "",
        "| pattern | matches | in trees | seconds | trees/s |",
        "|---|---|---|---|---|",
    ]
    with TemporaryDirectory() as folder:
        trees = Path(folder) / "trees.mrg"
        write_trees(options.files, trees, options.trees)
        for pattern in PATTERNS:
            lines.append(row(pattern, trees, options.trees))
            print(lines[-1], flush=True)
    lines += ["", f"{where}; `{again}`", ""]
    Path(__file__).with_name("search.md").write_text("\n".join(lines), encoding="utf-8")


def write_trees(files: list[Path], target: Path, number: int) -> None:
    known = [str(found.tree) for file in files for found in find_trees(file)]
    with target.open("w", encoding="utf-8") as file:
        file.writelines(f"{tree}\n" for tree in islice(cycle(known), number))


def row(pattern: str, trees: Path, number: int) -> str:
    arguments = [
        sys.executable,
        "-m",
        "bnaparser",
        "search",
        pattern,
        str(trees),
        "--count",
        "-q",
    ]
    began = time.perf_counter()
    out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    seconds = time.perf_counter() - began
    matches, hits = (word for word in out.split() if word[0].isdigit())
    shown = pattern.replace("|", "\\|")
    return f"| `{shown}` | {matches} | {hits} | {seconds:.0f} | {number / seconds:,.0f} |"


if __name__ == "__main__":
    main()
