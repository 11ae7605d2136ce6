"""What the layers are worth: kinds of attention, sizes of n-grams, and benepar 0.2, by F1.

    python -m benchmarks.ablation.run_ablation --data FOLDER --encoder DIR --output DIR [--benepar-python PYTHON]
    python -m benchmarks.ablation.run_ablation --data FOLDER --encoder DIR --output DIR --report

FOLDER holds ``train.mrg``, ``dev.mrg`` and ``test.mrg``; PYTHON is that of an environment with
benepar 0.2 (without it, benepar is left out). Every run of RUNS has the same encoder, data, batches
(for one seed), number of updates and learning rate, and a process of its own. Encoder and layers
train in bfloat16 (``--precision no``: float32); weights, scores of spans and losses are float32, and
so is parsing. On a processor with bfloat16 instructions a run takes 0.6 of the time. A finished run
leaves a line in ``OUTPUT/results.jsonl`` and is not run again. ``--report`` writes ``ablation.md``
beside this file (or ``--page``), and keeps the notes at its end.

One learning rate for encoder and head, warm-up of 160 updates, constant from there, Adam with
betas (0.9, 0.98) and no clipping: the schedule of benepar's training script and of the BNA program.
The rate, 1e-4, is the middle of what the authors of the small BERT models tried for theirs (3e-4,
1e-4, 5e-5, 3e-5; Turc and others 2019): no score of ours was looked at. The network after the last
update parses the development and the test trees, once; what was decided by the development score is
in the page's notes.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.speed.run_speed import for_benepar, say
from benchmarks.speed.speed_report import processor

Result = dict[str, Any]


class Setting(NamedTuple):
    """What is trained with which seeds; ``layers`` as in a recipe, None for benepar."""

    title: str
    seeds: tuple[int, ...]
    layers: dict[str, Any] | None


SEEDS = (1, 2, 3)
PARTITIONED = {
    "kinds": ("partitioned", "partitioned"),
    "positions": "concatenate",
    "width": 1024,
    "feed_forward_width": 2048,
    "activation": "relu",
    "feed_forward_dropout": 0.1,
    "input_dropout": 0.2,
}
RUNS = {
    "bimsa+nsa": Setting("BiMSA + NSA", SEEDS, {"kinds": ("bimsa", "nsa")}),
    "benepar": Setting("benepar 0.2, 2 partitioned layers", SEEDS, None),
    "bimsa": Setting("2 BiMSA", SEEDS, {"kinds": ("bimsa", "bimsa")}),
    "nsa": Setting("2 NSA", SEEDS, {"kinds": ("nsa", "nsa")}),
    "self": Setting("2 self-attention", SEEDS, {"kinds": ("self_attention", "self_attention")}),
    "self+nsa": Setting("self-attention + NSA", SEEDS, {"kinds": ("self_attention", "nsa")}),
    "partitioned": Setting("2 partitioned, width 1024", SEEDS, PARTITIONED),
    "n=2": Setting("BiMSA + NSA, n = 2", (1,), {"kinds": ("bimsa", "nsa"), "ngrams": 2}),
    "n=3": Setting("BiMSA + NSA, n = 3", (1,), {"kinds": ("bimsa", "nsa"), "ngrams": 3}),
    "n=5": Setting("BiMSA + NSA, n = 5", (1,), {"kinds": ("bimsa", "nsa"), "ngrams": 5}),
    "none": Setting("no layers", (1,), {"kinds": ()}),
}
# What the smaller tables show, all with the first seed; n is 4 where not named.
BY_NGRAMS = {"2": "n=2", "3": "n=3", "4": "bimsa+nsa", "5": "n=5"}
BY_NSA_LAYERS = {"0 of 2": "bimsa", "1 of 2": "bimsa+nsa", "2 of 2": "nsa"}

MAIN, PEER, MARGIN = "bimsa+nsa", "benepar", 0.3
PARTS = ("dev", "test")
PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "numpy", "numba")
# Options that a run's own process is given.
PASSED_ON = ("data", "encoder", "output", "benepar_python", "updates", "threads", "precision")
BATCH_SIZE, BATCH_TOKENS, LEARNING_RATE, WARM_UP = 32, 500, 1e-4, 160


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--encoder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--benepar-python", metavar="PYTHON")
    parser.add_argument("--updates", type=int, default=600)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=("bf16", "no"), default="bf16")
    parser.add_argument("--only", choices=RUNS)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--report", action="store_true", help="write the page; run nothing")
    parser.add_argument("--page", type=Path, default=Path(__file__).with_name("ablation.md"))
    options = parser.parse_args()
    if options.only == PEER and not (options.benepar_python or options.report):
        parser.error("benepar needs --benepar-python")
    return options


def pending(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Return the runs that were asked for and are not done.

    Those that the target compares come first, then one seed of all others before the next.
    """
    done = {(row["name"], row["seed"]) for row in results(options)}
    wanted = [
        (name, seed)
        for seed in ([options.seed] if options.seed is not None else SEEDS)
        for name, setting in RUNS.items()
        if seed in setting.seeds or options.seed is not None
        if options.only in (None, name)
        if setting.layers is not None or options.benepar_python
    ]
    wanted.sort(key=lambda run: run[0] not in (MAIN, PEER))
    return [run for run in wanted if run not in done]


def results(options: argparse.Namespace) -> list[Result]:
    """Return what is done with this number of updates in this precision."""
    path = options.output / "results.jsonl"
    if not path.is_file():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = (options.updates, options.precision)
    return [row for row in rows if (row["updates"], row["precision"]) == wanted]


def run_all(options: argparse.Namespace, runs: list[tuple[str, int]]) -> None:
    """Do the runs one after the other, each in a process of its own."""
    for number, (name, seed) in enumerate(runs):
        say(
            f"run {number + 1} of {len(runs)}, {name} seed {seed}; {time_left(options, runs[number:])}"
        )
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "benchmarks.ablation.run_ablation",
            "--only",
            name,
            "--seed",
            str(seed),
        ]
        for key in PASSED_ON:
            if getattr(options, key) is not None:
                command.append(f"--{key.replace('_', '-')}={getattr(options, key)}")
        subprocess.run(command, check=True)


def time_left(options: argparse.Namespace, runs: list[tuple[str, int]]) -> str:
    """Say how long runs will take, going by those that are done: the same ones where there are any."""
    done = results(options)
    if not done:
        return "time left unknown"
    total = 0.0
    for name, _ in runs:
        total += statistics.mean(row["total_seconds"] for row in of(done, name) or done)
    return f"about {total / 60:.0f} min left"


def run_one(options: argparse.Namespace, name: str, seed: int) -> None:
    """Train, parse, score, and add the line to the results."""
    begin = time.monotonic()
    data = options.output / "data"
    write_data(options, data)
    folder = options.output / f"{name}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    train = train_benepar if RUNS[name].layers is None else train_ours
    row = {"name": name, "seed": seed, "updates": options.updates, "precision": options.precision}
    row |= train(options, name, seed, folder)
    from bnaparser.eval import score

    for part in PARTS:
        scores = score(data / f"{part}.mrg", folder / f"{part}.mrg")
        row[part], row[f"{part} errors"] = scores.f1, scores.error_sentences + scores.skipped
    row["total_seconds"] = time.monotonic() - begin
    row["date"] = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    with (options.output / "results.jsonl").open("a", encoding="utf-8") as file:
        print(json.dumps(row), file=file)
    say(f"{name} seed {seed}: dev {row['dev']:.2f}, test {row['test']:.2f}")
    # The networks with their optimizers' states would fill a disk; the parsed trees stay.
    for large in ("model", "checkpoint", "logs"):
        shutil.rmtree(folder / large, ignore_errors=True)


def write_data(options: argparse.Namespace, data: Path) -> None:
    """Write the trees as our reader gives them, so that both programs see the same ones."""
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings, TrainSettings

    data.mkdir(parents=True, exist_ok=True)
    for part in ("train", *PARTS):
        source = DataSettings(path=str(options.data / f"{part}.mrg"))
        trees = [str(example.tree) for example in read_examples(source, TrainSettings())]
        (data / f"{part}.mrg").write_text("\n".join(trees) + "\n", encoding="utf-8")


def recipe_of(options: argparse.Namespace, name: str, seed: int) -> Any:
    from bnaparser.training.recipe import Recipe

    return Recipe.model_validate(
        {
            "encoder": {"name": str(options.encoder)},
            "layers": RUNS[name].layers or {},
            "tags": {"predict": True},
            "train": {
                "data": [{"path": str(options.output / "data" / "train.mrg")}],
                "max_words": 10_000,
                "batch_size": BATCH_SIZE,
                "batch_tokens": BATCH_TOKENS,
                "max_updates": options.updates,
                "learning_rate": LEARNING_RATE,
                "warmup_updates": WARM_UP,
                "schedule": "constant",
                "stop_after_epochs": None,
                "checks_per_epoch": 1e-6,
                "seed": seed,
                "threads": options.threads,
                "precision": options.precision,
            },
        }
    )


def train_ours(options: argparse.Namespace, name: str, seed: int, folder: Path) -> Result:
    """Train with the library, then parse with gold tags in the trees, as for benepar."""
    from bnaparser.cli.quiet import quiet_libraries
    from bnaparser.network import storage
    from bnaparser.network.decoding import predict
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings
    from bnaparser.training.run import train
    from bnaparser.trees.tree import Tree

    quiet_libraries()
    recipe = recipe_of(options, name, seed)
    seconds = train(recipe, folder, fresh=True).seconds
    model = storage.load(folder / "model")
    for part in PARTS:
        source = DataSettings(path=str(options.output / "data" / f"{part}.mrg"))
        examples = read_examples(source, recipe.train)
        found = predict(model, model.prepare([e.words for e in examples]), BATCH_TOKENS)
        trees = [
            str(Tree.from_spans(e.words, e.tags, prediction.spans))
            for e, prediction in zip(examples, found, strict=True)
        ]
        (folder / f"{part}.mrg").write_text("\n".join(trees) + "\n", encoding="utf-8")
    parameters = sum(p.numel() for n, p in model.named_parameters() if "encoder.model" not in n)
    return {
        "seconds": seconds,
        "head_parameters": parameters,
        "versions": {package: version(package) for package in PACKAGES},
    }


def train_benepar(options: argparse.Namespace, name: str, seed: int, folder: Path) -> Result:
    """Let benepar's own environment train on the batches that our training has with this seed."""
    recipe = recipe_of(options, name, seed)
    data = options.output / "data"
    job = {
        "encoder": str(for_benepar(options.encoder, folder)),
        "threads": options.threads,
        "seed": seed,
        "train": str(data / "train.mrg"),
        "batches": batches(recipe),
        "learning_rate": LEARNING_RATE,
        "warmup_updates": WARM_UP,
        "betas": recipe.train.betas,
        "epsilon": recipe.train.epsilon,
        "batch_tokens": BATCH_TOKENS,
        "tag_weight": recipe.tags.loss_weight,
        "precision": options.precision,
        "parse": [[str(data / f"{part}.mrg"), str(folder / f"{part}.mrg")] for part in PARTS],
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    script = Path(__file__).with_name("benepar_training.py")
    command = [options.benepar_python, "-W", "ignore", str(script), str(folder / "job.json")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def batches(recipe: Any) -> list[list[int]]:
    """Return the batches of all updates as bnaparser.training.run draws them: by seed and epoch."""
    import numpy as np

    from bnaparser.training.data import read_mix
    from bnaparser.training.run import pooled_batches

    settings, mix = recipe.train, read_mix(recipe.train)
    of_epoch = max(1, round(mix.epoch_size / settings.batch_size))
    drawn: list[list[int]] = []
    while len(drawn) < settings.max_updates:
        generator = np.random.default_rng((settings.seed, len(drawn) // of_epoch))
        order = mix.draw(generator)
        drawn += pooled_batches(order, [0] * len(mix.train), settings, generator)[:of_epoch]
    return drawn[: settings.max_updates]


def report(options: argparse.Namespace) -> str:
    """Return the page of what is done so far."""
    rows = results(options)
    if not rows:
        sys.exit(f"{options.output} holds no results with {options.updates} updates")
    dates = sorted(row["date"] for row in rows)
    lines = ["# Ablation", "", f"{dates[0]} to {dates[-1]} UTC.", "", *machine(options, rows), ""]
    lines += [
        "F1 (EVALB with COLLINS.prm, gold tags in all trees): mean and standard deviation over seeds.",
        "Head: weights of all but the encoder, in millions. Minutes: of training.",
        "",
        "| layers | seeds | development | test | head, M | minutes |",
        "|---|---|---|---|---|---|",
    ]
    lines += [table_line(name, of(rows, name)) for name in RUNS if of(rows, name)]
    lines += ["", *targets(rows)]
    for title, runs in (("n of NSA", BY_NGRAMS), ("NSA layers", BY_NSA_LAYERS)):
        lines += ["", f"| {title} (seed {SEEDS[0]}) | development | test |", "|---|---|---|"]
        lines += [small_line(label, of(rows, name, SEEDS[0])) for label, name in runs.items()]
    return "\n".join(lines) + "\n"


def notes(page: Path) -> str:
    """Return what was written by hand below the tables of the page that there is."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return "".join(text.partition("\n## Notes\n")[1:])


def of(rows: list[Result], name: str, seed: int | None = None) -> list[Result]:
    return [row for row in rows if row["name"] == name and seed in (None, row["seed"])]


def table_line(name: str, rows: list[Result]) -> str:
    seeds = " ".join(str(seed) for seed in sorted(row["seed"] for row in rows))
    scores = " | ".join(spread([row[part] for row in rows]) for part in PARTS)
    head = rows[0].get("head_parameters")
    weights = f"{head / 1e6:.1f}" if head else ""
    minutes = statistics.mean(row["seconds"] for row in rows) / 60
    return f"| {RUNS[name].title} | {seeds} | {scores} | {weights} | {minutes:.1f} |"


def small_line(label: str, rows: list[Result]) -> str:
    cells = [f"{rows[0][part]:.2f}" if rows else "" for part in PARTS]
    return f"| {label} | {' | '.join(cells)} |"


def spread(values: list[float]) -> str:
    mean = f"{statistics.mean(values):.2f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.2f}"


def targets(rows: list[Result]) -> list[str]:
    """Return, for each part, whether the mean of BiMSA + NSA is far enough above benepar's."""
    ours, theirs = of(rows, MAIN), of(rows, PEER)
    if not ours or not theirs:
        return ["Without benepar's runs there is no target to compare with."]
    lines = [f"Target: {RUNS[MAIN].title} at least {MARGIN} F1 above benepar.", ""]
    for part in PARTS:
        mine, its = ([row[part] for row in of_one] for of_one in (ours, theirs))
        difference = statistics.mean(mine) - statistics.mean(its)
        verdict = "met" if difference >= MARGIN else "**missed**"
        lines.append(f"- {part}: {difference:+.2f}, {verdict}")
    return lines


def machine(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what was measured where, and how to measure it again."""
    precision = "bfloat16 in encoder and layers" if options.precision == "bf16" else "float32"
    threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
    lines = [f"- {processor()}; {threads} a run, {precision}"]
    for program in ("bnaparser", "benepar"):
        versions = [row["versions"] for row in rows if program in row["versions"]]
        if versions:
            lines.append("- " + ", ".join(f"{name} {text}" for name, text in versions[-1].items()))
    lines.append(
        f"- {options.encoder.name}, {options.data.name}; {options.updates} updates of {BATCH_SIZE} "
        f"sentences, learning rate {LEARNING_RATE:g}, warm-up {WARM_UP}, tags predicted beside"
    )
    given = f"--data {options.data.name} --encoder {options.encoder.name}"
    given += f" --output {options.output.name} --updates {options.updates}"
    given += f" --threads {options.threads} --precision {options.precision}"
    if any(row["name"] == PEER for row in rows):
        given += " --benepar-python python"
    return [
        *lines,
        f"- `python -m benchmarks.ablation.run_ablation {given}`, then the same with `--report`",
    ]


def main() -> None:
    options = options_from_command_line()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.report:
        page = report(options) + notes(options.page)
        options.page.write_text(page, encoding="utf-8")
        print(options.page.read_text(encoding="utf-8"))
        return
    os.environ |= {"OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}
    runs = pending(options)
    if options.only is not None and options.seed is not None:
        for name, seed in runs:
            run_one(options, name, seed)
        return
    run_all(options, runs)
    say(f"all done; {shlex.join([*sys.argv, '--report'])} writes the page")


if __name__ == "__main__":
    main()
