"""Our compiled network beside PyTorch's int8, ONNX Runtime and CTranslate2.

    python -m benchmarks.speed.run_engines --encoder DIR --model en --trees FILE

Compares three networks: the encoder DIR (a Hugging Face folder), the encoder of a model of bnaparser's, and that model's
whole parsing network (encoder, BNA layers, span scores with the best label of each span, tags). Each is exported to every
engine; then each engine computes the first ``--sentences`` of FILE's trees in batches sorted by length, and one sentence of
20 words, on one thread, in a process of its own. The processes take turns, so that what slows the machine slows them all;
each engine's least CPU time counts. An engine that is not installed (onnxruntime with onnx and onnxscript, ctranslate2) has
a row that says so.

Then each engine's answers are compared: with PyTorch's in float32, alone and in a batch, and with those of a processor
without AVX-512, emulated (``qemu-x86_64``; ours by NUMBA_CPU_NAME). Writes ``engines.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from benchmarks.encoders import described
from benchmarks.machine import begun, command, memory, processor, without_folders
from benchmarks.pages import notes
from benchmarks.speed import engines
from benchmarks.speed.engines import BATCH_SIZES, ENGINES, NEEDS, OURS, REFERENCE

Pair = tuple[str, str]
# A processor with AVX2 and without AVX-512: for Numba, and for the emulator.
OLDER = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+sse4.2,+f16c,+bmi,+bmi2,+64bit"}  # fmt: skip
EMULATOR = ("qemu-x86_64", "-cpu", "Haswell")
SPEED = """
| engine | precision | sentences/s | time relative to bnaparser in int8 | one sentence, ms | relative to bnaparser | CPU s to load | peak, MB |
|---|---|---|---|---|---|---|---|"""
ANSWERS = """
| engine | precision | difference from float32: mean, largest | equal alone and in a batch | largest difference | equal on a processor with AVX2 | largest difference |{trees}
|---|---|---|---|---|---|---|{rule}"""


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--model", default="en")
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--emulated", type=int, default=10, help="sentences on the older processor")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument(
        "--folder",
        type=Path,
        help="keep files and answers here; those that are there are not made again",
    )
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--whole", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--precision", help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=sys.maxsize, help=argparse.SUPPRESS)
    parser.add_argument("--to", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = options_from_command_line()
    if options.part:
        PARTS[options.part](options)
        return
    lines = [head(options, begun())]
    with TemporaryDirectory() as work:
        for number, (title, source, whole) in enumerate(networks(options)):
            folder = options.folder / str(number) if options.folder else Path(work, str(number))
            lines += section(options, title, source, whole, folder)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "engines.md"
    page = "\n".join(lines) + "\n" + notes(path)
    path.write_text(page, encoding="utf-8")
    print(page)


def networks(options: argparse.Namespace) -> list[tuple[str, str, bool]]:
    """Return the networks to compare: heading, source, whether it is the whole network."""
    model = options.model
    return [
        (f"Encoder {described(options.encoder.name)}", str(options.encoder), False),
        (f"Encoder of `{model}`", model, False),
        (f"Whole parsing network of `{model}`", model, True),
    ]


def head(options: argparse.Namespace, when: str) -> str:
    packages = [
        "bnaparser",
        "numba",
        "numpy",
        "torch",
        "transformers",
        "onnxruntime",
        "onnx",
        "ctranslate2",
    ]
    found = [f"{name} {version(name)}" for name in packages if is_installed(name)]
    sizes = ", ".join(
        f"{engine} {installed_mb(needs):.0f}"
        for engine, needs in NEEDS.items()
        if is_installed(needs[0])
    )
    return f"""\
# Compared with other inference engines

{when}; {processor()}, {memory()}.

    {command("benchmarks.speed.run_engines", without_folders(sys.argv[1:]))}

- {", ".join(found)}
- The first {options.sentences} sentences of `{options.trees.name}` that have at least {engines.SHORTEST} words, in batches
  sorted by length, of {" or ".join(map(str, BATCH_SIZES))} subwords (the faster batch size counts), and one sentence of 20 words; one thread, CPU time, the
  fastest of {options.turns} turns. Processes of all engines take turns.
- int8: bnaparser rounds weights and vectors row by row. PyTorch: `quantize_dynamic` by output channel, oneDNN. ONNX Runtime: `quantize_dynamic` by
  output channel. CTranslate2: `int8_float32`.
- Package sizes in MB, with all packages that each engine requires: {sizes}. bnaparser needs Numba, which compiles once on each machine.
- Loading: CPU seconds of a process from its start to its first sentence, with machine code and files on disk. Peak memory is the peak of this process."""


def section(
    options: argparse.Namespace, title: str, source: str, whole: bool, folder: Path
) -> list[str]:
    """Return a network's part of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    say(title)
    given = ["--encoder", source, "--folder", str(folder)] + ["--whole"] * whole
    facts = run(options, "prepare", *given)
    cannot = {engine: reason for engine, reason in facts["made"].items() if reason}
    pairs = [pair for pair in ENGINES if pair[0] not in cannot]
    answers = compared(options, source, folder, pairs, whole)
    # All machine code is there by now.
    turns = timed(options, folder, pairs)
    text = [f"\n## {title}\n"]
    text.append(
        f"{facts['parameters'] / 1e6:.1f} million parameters; {facts['subwords']} subwords in all sentences."
    )
    text.append(SPEED)
    text += [speed_row(pair, cannot.get(pair[0], ""), turns) for pair in ENGINES]
    text.append(ANSWERS.format(trees=" trees as in float32 |" * whole, rule="---|" * whole))
    text += [answers_row(pair, answers[pair]) for pair in pairs]
    return text


def timed(
    options: argparse.Namespace, folder: Path, pairs: list[Pair]
) -> dict[Pair, dict[str, float]]:
    """Return the least seconds of each engine; their processes compute in turns."""
    workers = {}
    found: dict[Pair, dict[str, float]] = {}
    for pair in pairs:
        say(f"load {' '.join(pair)}")
        workers[pair] = subprocess.Popen(
            part(options, "work", "--folder", str(folder), *of_pair(pair)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=on_one_thread(),
        )  # fmt: skip
        found[pair] = json.loads(pipe(workers[pair].stdout).readline())
    for turn in range(options.turns):
        say(f"turn {turn + 1}")
        for pair, worker in workers.items():
            print("turn", file=pipe(worker.stdin), flush=True)
            row = json.loads(pipe(worker.stdout).readline())
            found[pair] |= {
                key: min(value, found[pair].get(key, value)) for key, value in row.items()
            }
    for worker in workers.values():
        pipe(worker.stdin).close()
        worker.wait()
    return found


def compared(
    options: argparse.Namespace, source: str, folder: Path, pairs: list[Pair], whole: bool
) -> dict[Pair, dict[str, Any]]:
    """Return how an engine's answers differ from others."""
    # It is slow: of one network, and of what is rounded.
    emulates = source == str(options.encoder) and shutil.which(EMULATOR[0])
    for pair in pairs:
        to = folder / f"{' '.join(pair)}.answers"
        process = part(options, "answer", "--folder", str(folder), *of_pair(pair), "--to", str(to))
        if not to.is_file():
            say(f"answers of {' '.join(pair)}")
            subprocess.run(process, check=True, env=on_one_thread(), stdout=subprocess.DEVNULL)
        older = Path(f"{to}.older")
        wanted = options.emulated and (pair[0] == OURS or (emulates and pair[1] == "int8"))
        if wanted and not older.is_file():
            say(f"answers of {' '.join(pair)} on an older processor")
            process += ["--count", str(options.emulated), "--to", str(older)]
            more = OLDER if pair[0] == OURS else {}
            started = process if pair[0] == OURS else [*EMULATOR, *process]
            # Of one that the emulator cannot run there are no answers, and the page says so.
            subprocess.run(started, check=False, env=on_one_thread() | more, capture_output=True)
    found: dict[str, Any] = run(options, "judge", "--folder", str(folder), *["--whole"] * whole)
    return {pair: found[" ".join(pair)] for pair in pairs}


def judge(options: argparse.Namespace) -> None:
    """Compare the answers that are in the folder, and print how they differ."""
    wanted = read(options.folder / f"{' '.join(REFERENCE)}.answers")
    found = {}
    for path in options.folder.glob("*.answers"):
        own = read(path)
        row: dict[str, Any] = {"float32": engines.differences(own["batched"], wanted["batched"])}
        row["batch"] = engines.differences(own["alone"], own["batched"])
        older = Path(f"{path}.older")
        if older.is_file():
            row["older"] = engines.differences(read(older)["alone"], own["alone"])
        if options.whole:
            ours, theirs = (list(engines.trees(one["batched"])) for one in (own, wanted))
            row["trees"] = sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours)
        found[path.stem] = row
    print(json.dumps(found))


def read(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


def speed_row(pair: Pair, cannot: str, turns: dict[Pair, dict[str, float]]) -> str:
    """Return an engine's row: how fast it is, beside the first engine."""
    name = f"| {pair[0]} | {pair[1]} |"
    if cannot:
        return f"{name} {cannot} | | | | | |"
    first, own = turns[ENGINES[0]], turns[pair]
    batched, ours = (min(one[str(size)] for size in BATCH_SIZES) for one in (own, first))
    return (
        f"{name} {own['sentences'] / batched:.0f} | {batched / ours:.2f} | {1000 * own['one']:.1f}"
        f" | {own['one'] / first['one']:.2f} | {own['load']:.2f} | {own['mb']:.0f} |"
    )


def answers_row(pair: Pair, found: dict[str, Any]) -> str:
    """Return an engine's row: how its answers differ from others."""
    apart, batch, older = found["float32"], found["batch"], found.get("older")
    cells = [*pair, f"{apart['mean']:.2g}, {apart['most']:.2g}"]
    for one in (batch, older):
        cells += ["not tried", ""] if one is None else [f"{one['same']:.0%}", f"{one['most']:.2g}"]
    if "trees" in found:
        cells.append(f"{found['trees']:.1%}")
    return f"| {' | '.join(cells)} |"


def prepare(options: argparse.Namespace) -> None:
    """Write all engines' files of one network into the folder, and print the facts of it."""
    from benchmarks.speed import engine_files
    from bnaparser.treebanks.reading import load_clean_trees

    words = [list(tree.words) for tree in load_clean_trees(options.trees)]
    words = [row for row in words if len(row) >= engines.SHORTEST][: options.sentences]
    facts = engine_files.prepare(str(options.encoder), options.folder, words, options.whole)
    print(json.dumps(facts))


def work(options: argparse.Namespace) -> None:
    engines.worker(options.folder, options.engine, options.precision)


def answer(options: argparse.Namespace) -> None:
    engines.write_outputs(
        options.folder, options.engine, options.precision, options.count, options.to
    )
    print("null")


PARTS = {"prepare": prepare, "work": work, "answer": answer, "judge": judge}


def of_pair(pair: Pair) -> list[str]:
    return ["--engine", pair[0], "--precision", pair[1]]


def part(options: argparse.Namespace, name: str, *more: str) -> list[str]:
    """Return the command of a process; of an option that is given twice the last one counts."""
    given = [
        "--encoder",
        str(options.encoder),
        "--trees",
        str(options.trees),
        "--sentences",
        str(options.sentences),
    ]
    return [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "benchmarks.speed.run_engines",
        "--part",
        name,
        *given,
        *more,
    ]


def run(options: argparse.Namespace, name: str, *more: str) -> Any:
    done = subprocess.run(
        part(options, name, *more),
        stdout=subprocess.PIPE,
        text=True,
        env=on_one_thread(),
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def on_one_thread() -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return os.environ | dict.fromkeys(names, "1") | {"TOKENIZERS_PARALLELISM": "false"}


def pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def installed_mb(packages: tuple[str, ...]) -> float:
    """Return what packages and all that they require take on disk."""
    from packaging.requirements import Requirement

    found: dict[str, int] = {}
    waiting = list(packages)
    while waiting:
        name = waiting.pop()
        if name in found or not is_installed(name):
            continue
        own = distribution(name)
        places = [Path(str(own.locate_file(file))) for file in own.files or []]
        found[name] = sum(place.stat().st_size for place in places if place.is_file())
        for line in own.requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return sum(found.values()) / 1e6


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
