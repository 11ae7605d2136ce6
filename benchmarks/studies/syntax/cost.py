"""What each variant costs over the plain encoder: time and memory, by sentence length.

    python -m benchmarks.studies.syntax.cost --encoder DIR --output DIR

Writes ``OUTPUT/cost.json`` and ``syntax_cost.svg`` beside this file (or ``--plot``); the page is
``run_syntax.py --report``. The plain encoder runs with the attention that transformers gives it by
default. All encoders stand in one process and take turns, the fastest of ``--repeats`` counts:
other programs on the machine only ever add time. Peak memory is that of a whole process, one for
each variant. Texts are whole pieces of the vocabulary under random trees; masks are made before
the clock starts, as a data loader makes them beside the training, and are timed by themselves.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.speed.run_speed import say
from benchmarks.studies.syntax.syntax_tables import MAIN, PLAIN

Result = dict[str, Any]
FORWARD, BACKWARD = "forward", "forward and backward"
PACKAGES = ("bnaparser", "torch", "transformers", "numpy")


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--plot", type=Path, default=Path(__file__).with_name("syntax_cost.svg"))
    parser.add_argument("--lengths", type=int, nargs="+", default=[10, 20, 30, 60, 120, 240])
    parser.add_argument("--texts", type=int, default=8, help="in a batch")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--part", choices=("time", "memory"), help=argparse.SUPPRESS)
    parser.add_argument("--system", help=argparse.SUPPRESS)
    parser.add_argument("--mode", default=FORWARD, help=argparse.SUPPRESS)
    return parser.parse_args()


class Encoder:
    """An encoder with a variant, and its next call; nothing is padded."""

    def __init__(self, options: argparse.Namespace, system: str):
        from transformers import AutoModel, AutoTokenizer

        from bnaparser.cli.console import quiet_libraries
        from bnaparser.syntax.attachment import attach
        from bnaparser.tasks.settings import SyntaxTable

        quiet_libraries()
        self.tokenizer = AutoTokenizer.from_pretrained(options.encoder)
        self.model = AutoModel.from_pretrained(options.encoder)
        self.settings = SyntaxTable.model_validate(MAIN[system].variant).variant
        if self.settings is not None:
            attach(self.model, self.settings)

    def take(self, texts: int, words: int) -> float:
        """Make the inputs of texts of so many words; return the seconds that their masks took."""
        from bnaparser.syntax.batch import collate
        from bnaparser.syntax.sources.random_trees import random_structure

        draw = random.Random(words)
        known = sorted(word for word in self.tokenizer.get_vocab() if word.isalpha())
        structures = [random_structure(draw.choices(known, k=words)) for _ in range(texts)]
        given = [list(structure.words) for structure in structures]
        tokens = self.tokenizer(given, is_split_into_words=True, return_tensors="pt")
        self.inputs = {"input_ids": tokens.input_ids, "attention_mask": tokens.attention_mask}
        if self.settings is None:
            return 0.0
        begin = time.perf_counter()
        self.inputs["syntax"] = collate(structures, tokens, self.settings)
        return time.perf_counter() - begin

    def run(self, mode: str) -> None:
        """Call the encoder once, without gradient or with dropout, loss and gradient."""
        import torch

        from bnaparser.syntax.attachment import syntax_of

        if mode == FORWARD:
            self.model.eval()
            with torch.inference_mode():
                self.model(**self.inputs)
            return
        self.model.train()
        loss = self.model(**self.inputs).last_hidden_state.square().mean()
        if self.settings is not None:
            supervision = getattr(syntax_of(self.model), "loss", None)
            loss = loss if supervision is None else loss + supervision
        loss.backward()
        self.model.zero_grad(set_to_none=True)


def times(options: argparse.Namespace) -> list[Result]:
    """Time all systems in turns; one row for each mode, length and system, per text."""
    encoders = {system: Encoder(options, system) for system in MAIN}
    rows = []
    for words in options.lengths:
        masks = {name: encoder.take(options.texts, words) for name, encoder in encoders.items()}
        for mode in (FORWARD, BACKWARD):
            walls: dict[str, list[float]] = {name: [] for name in encoders}
            cpus: dict[str, list[float]] = {name: [] for name in encoders}
            for turn in range(options.repeats + 1):
                for name, encoder in encoders.items():
                    wall, cpu = clock(partial(encoder.run, mode))
                    if turn:  # the first one warms up
                        walls[name].append(wall)
                        cpus[name].append(cpu)
            rows += [
                {
                    "system": name,
                    "mode": mode,
                    "words": words,
                    "wall_ms": 1000 * min(walls[name]) / options.texts,
                    "cpu_ms": 1000 * min(cpus[name]) / options.texts,
                    "masks_ms": 1000 * masks[name] / options.texts,
                }
                for name in encoders
            ]
    return rows


def clock(work: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds on the wall and of this process's processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def memory(options: argparse.Namespace) -> list[Result]:
    """Return the peak memory of a process that runs one system over longer and longer texts."""
    encoder = Encoder(options, options.system)
    rows = []
    for words in sorted(options.lengths):
        encoder.take(options.texts, words)
        for _ in range(2):
            encoder.run(options.mode)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        row = {"system": options.system, "mode": options.mode, "words": words, "peak_mb": peak}
        rows.append(row)
    return rows


# The main process only starts others: the peak memory that the system reports of a process is at
# least that of the one that started it.


def part(options: argparse.Namespace, name: str, *more: str) -> list[Result]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.studies.syntax.cost"]
    command += ["--part", name, *more]
    command += ["--encoder", str(options.encoder), "--output", str(options.output)]
    command += ["--lengths", *map(str, options.lengths), "--texts", str(options.texts)]
    command += ["--repeats", str(options.repeats), "--threads", str(options.threads)]
    environment = os.environ | {
        "OMP_WAIT_POLICY": "passive",
        "OMP_NUM_THREADS": str(options.threads),
    }
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nfailed:\n{done.stderr}")
    rows: list[Result] = json.loads(done.stdout.splitlines()[-1])
    return rows


def measure(options: argparse.Namespace) -> Result:
    begun = machine.begun()
    say("time, all systems in turns")
    found = part(options, "time")
    peaks = []
    for mode in (FORWARD, BACKWARD):
        for system in MAIN:
            say(f"memory, {mode}, {system}")
            peaks += part(options, "memory", "--system", system, "--mode", mode)
    return {
        "begun": begun,
        "machine": machine.processor(),
        "encoder": options.encoder.name,
        "threads": options.threads,
        "texts": options.texts,
        "repeats": options.repeats,
        "versions": machine.versions(PACKAGES),
        "times": found,
        "memory": peaks,
    }


def plot(found: Result, path: Path) -> None:
    """Draw time and memory of the forward pass and of both, by sentence length."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "syntax", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(9, 7), layout="constrained")
    titles = (("times", "wall_ms", "milliseconds a text"), ("memory", "peak_mb", "peak memory, MB"))
    for row, mode in enumerate((FORWARD, BACKWARD)):
        for column, (part_of, key, label) in enumerate(titles):
            axis = axes[row][column]
            for system, (title, *_) in MAIN.items():
                curve = [r for r in found[part_of] if (r["system"], r["mode"]) == (system, mode)]
                across, up = [r["words"] for r in curve], [r[key] for r in curve]
                width = 2 if system == PLAIN else 1
                axis.plot(across, up, marker="o", markersize=3, linewidth=width, label=title)
            axis.set(xscale="log", xlabel="words a text", ylabel=label, title=mode)
            axis.set_yscale("log" if key == "wall_ms" else "linear")
            axis.grid(alpha=0.3, which="both")
            axis.legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    options = options_from_command_line()
    if options.part:
        import torch

        torch.set_num_threads(options.threads)
        print(json.dumps(times(options) if options.part == "time" else memory(options)))
        return
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit("the curves need matplotlib: pip install matplotlib")
    options.output.mkdir(parents=True, exist_ok=True)
    found = measure(options)
    text = json.dumps(found, indent=1) + "\n"
    (options.output / "cost.json").write_text(text, encoding="utf-8")
    plot(found, options.plot)
    say(f"{options.output / 'cost.json'} and {options.plot} are written")


if __name__ == "__main__":
    main()
