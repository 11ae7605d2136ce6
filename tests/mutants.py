"""Mutation test by hand: break the product in one place at a time and see which tests notice.

    python tests/mutants.py --list
    python tests/mutants.py --results results.jsonl [--only NAME ...]

The faults stand in ``tests/mutants.toml``. Each is put into a copy of the checkout, its tests run with
``-x``, and one line says "killed" (a test failed) or "survived", with the seconds. A run that is
interrupted resumes: mutants that stand in the results file are skipped. CI does not run this.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("bnaparser/", "chart/", "eval/", "models/", "server/")
SECONDS = 900
"""After which a run counts as killed: a fault may make a loop endless."""


class Mutant(NamedTuple):
    """A fault: its name, the text that it replaces, the text in its place, and the tests that should fail."""

    name: str
    old: str
    new: str
    tests: tuple[str, ...]


class Result(NamedTuple):
    """What became of a mutant: "killed", "survived" or an error, the first test that failed, the seconds."""

    name: str
    outcome: str
    test: str
    seconds: float


def read_mutants(path: Path) -> list[Mutant]:
    """Return the mutants of a TOML file."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(one["name"], one["old"], one["new"], tuple(one["tests"])) for one in tables]


def tracked_files(root: Path) -> list[str]:
    """Return the files that git knows, and new ones that it does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [name for name in listed.stdout.splitlines() if os.path.lexists(root / name)]


def copy_checkout(files: Sequence[str], root: Path, target: Path) -> None:
    """Copy the files, links as links."""
    for name in files:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, place, follow_symlinks=False)


def find_file(root: Path, files: Sequence[str], old: str) -> Path:
    """Return the one product file that has the text once; LookupError where none or several have it."""
    sources = [name for name in files if name.startswith(PRODUCT) and name.endswith(".py")]
    found = [
        (name, count)
        for name in sources
        if not (root / name).is_symlink()
        and (count := (root / name).read_text(encoding="utf-8").count(old))
    ]
    if len(found) != 1 or found[0][1] != 1:
        where = ", ".join(f"{name} ({count} times)" for name, count in found) or "no file"
        raise LookupError(f"the text must stand in one product file, once; it stands in {where}")
    return root / found[0][0]


def run_mutant(mutant: Mutant, root: Path, files: Sequence[str]) -> Result:
    """Run a mutant's tests on the copy at ``root``, which is whole again afterwards."""
    start = time.monotonic()
    try:
        path = find_file(root, files, mutant.old)
        if missing := [test for test in mutant.tests if not (root / test.split("::")[0]).exists()]:
            raise LookupError(f"there is no {', '.join(missing)}")
    except LookupError as error:
        return Result(mutant.name, f"error: {error}", "", 0.0)
    text, times = path.read_text(encoding="utf-8"), path.stat()
    try:
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        outcome, test = run_tests(root, mutant.tests)
    finally:
        path.write_text(text, encoding="utf-8")
        # What Python and Numba have compiled of the file is still good.
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return Result(mutant.name, outcome, test, round(time.monotonic() - start, 1))


def run_tests(root: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Return the outcome of tests on a copy with a fault, and the first test that failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(
            [*command, *tests], check=False, cwd=root, env=environment, capture_output=True,
            text=True, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "killed", f"nothing within {SECONDS} s"
    lines = done.stdout.splitlines()
    first = next((line for line in lines if line.startswith(("FAILED ", "ERROR "))), "")
    if done.returncode == 0:
        return "survived", ""
    if done.returncode == 1:
        return "killed", first.partition(" ")[2].partition(" - ")[0]
    return f"error: pytest ended with {done.returncode}: {first or done.stderr[-300:]}", ""


def read_results(path: Path | None) -> dict[str, Result]:
    """Return what an earlier run has written, by name; the last of a name, and no errors."""
    if path is None or not path.exists():
        return {}
    rows = (Result(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
    return {row.name: row for row in rows if not row.outcome.startswith("error")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; 0 where every mutant was killed."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="list the mutants and their files")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="mutants whose names hold NAME")
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="write here, and skip what is there"
    )
    parser.add_argument(
        "--mutants", type=Path, default=ROOT / "tests" / "mutants.toml", metavar="FILE"
    )
    parser.add_argument(
        "--checkout",
        type=Path,
        default=ROOT,
        metavar="FOLDER",
        help="what to break (default: this one)",
    )
    options = parser.parse_args(arguments)
    mutants = [
        one
        for one in read_mutants(options.mutants)
        if options.only is None or any(name in one.name for name in options.only)
    ]
    root = options.checkout.resolve()
    files = tracked_files(root)
    if options.list:
        for one in mutants:
            try:
                print(f"{one.name}\t{find_file(root, files, one.old).relative_to(root)}")
            except LookupError as error:
                print(f"{one.name}\terror: {error}")
        return 0
    results = read_results(options.results)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "checkout"
        copy_checkout(files, root, copy)
        for one in mutants:
            if one.name not in results:
                results[one.name] = row = run_mutant(one, copy, files)
                print(f"{row.outcome:8}  {row.seconds:6.1f} s  {row.name}  {row.test}", flush=True)
                if options.results is not None:
                    with options.results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row._asdict()) + "\n")
    outcomes = [results[one.name].outcome for one in mutants]
    killed, survived = outcomes.count("killed"), outcomes.count("survived")
    print(f"{killed} killed, {survived} survived, {len(outcomes) - killed - survived} errors")
    return 0 if killed == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
