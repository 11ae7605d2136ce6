"""What pre-training costs over the bare forward and backward of the same encoder with its masked-word head.

    python -m benchmarks.speed.run_pretrain_speed --text FILE --encoder DIR [--encoder DIR ...]

For each encoder, in one process: ``--updates`` updates of `bnaparser.spanbert.pretraining`, as a recipe does them
(spans drawn, rows laid out, forward, backward, gradients clipped, a step of AdamW), in turns with
forward and backward only, on the same rows. Two of those are bare: Hugging Face's own
masked-word model with its ``labels``, which scores every subword, and the leanest that there is, the
encoder and its head on the masked subwords alone. Masks, rows and optimizer are not in their time. Our updates are
measured with the span-boundary objective and without it. The fastest quarter of the turns counts: other
programs on the machine only add time. Peak memory is that of a process of its own for each.

What is measured leaves a file in ``--output`` and is not measured again. Writes
``pretrain_speed.md`` beside this file (or ``--page``).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.encoders import described
from benchmarks.machine import (
    NUMBERS,
    begun,
    check_precision,
    command,
    listed,
    memory,
    processor,
    versions,
    without_folders,
)
from benchmarks.pages import notes

if TYPE_CHECKING:
    from bnaparser.spanbert.batch import PretrainBatch
    from bnaparser.spanbert.pretraining import PretrainRun

Result = dict[str, Any]
PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "datasets", "numpy")
WARM_UPDATES = 1
AIM, MASKING_AIM = 0.85, 3.0
SYSTEMS = {
    "both": "bnaparser, masked words and span boundaries",
    "words": "bnaparser, masked words",
    "library": "bare pass of the library (Hugging Face's masked-word model)",
    "leanest": "leanest bare pass (the head on masked subwords only)",
}


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, required=True, metavar="FILE")
    parser.add_argument("--encoder", type=Path, action="append", required=True, metavar="DIR")
    parser.add_argument("--output", type=Path, default=Path("runs/pretrain_speed"), metavar="DIR")
    parser.add_argument("--updates", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--block", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=("bf16", "no"), default="bf16")
    parser.add_argument("--page", type=Path, default=Path(__file__).with_name("pretrain_speed.md"))
    parser.add_argument("--only", choices=("time", *SYSTEMS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    check_precision(parser, options.precision)
    return options


def run_of(options: argparse.Namespace, boundaries: bool) -> PretrainRun:
    """Return a run that has not begun, of the first encoder."""
    from bnaparser.spanbert.pretraining import PretrainRun
    from bnaparser.spanbert.settings import PretrainRecipe
    from bnaparser.training.setup import build_accelerator

    recipe = PretrainRecipe.model_validate(
        {
            "encoder": {"name": str(options.encoder[0]), "dropout": 0.0},
            "text": {
                "files": [str(options.text)],
                "block_size": options.block,
                "cache": str(options.output / "text"),
            },
            "objectives": {"boundary_weight": float(boundaries)},
            "pretrain": {
                "max_steps": 1000,
                "batch_size": options.batch_size,
                "batch_tokens": 2048,
                "mixed_precision": options.precision,
            },
        }
    )
    accelerator = build_accelerator(options.precision, options.output)
    return PretrainRun(recipe, options.output / "none", accelerator)


def update(run: PretrainRun, numbers: Any) -> float:
    """Draw the masks of an update, then do it: one after the other, as a training does not."""
    return run.update(run.masked(numbers))


def batches_of(run: PretrainRun, numbers: Any) -> list[PretrainBatch]:
    """Return the rows of an update, as its parts that fit the token budget."""
    from bnaparser.encoders.batching import batches_by_length
    from bnaparser.spanbert.batch import collate_examples

    parts, examples = run.parts, run.masked(numbers).examples
    groups = batches_by_length([one.size for one in examples], run.settings.batch_tokens)
    return [
        collate_examples([examples[i] for i in group], parts.frame, parts.padding, parts.segments)
        for group in groups
    ]


def library_pass(run: PretrainRun, batches: list[PretrainBatch]) -> None:
    """Forward and backward of Hugging Face's model, which scores every subword."""
    import torch

    model = run.parts.model.language_model.model
    for batch in batches:
        labels = torch.full_like(batch.input["input_ids"], -100)
        labels.view(-1)[batch.masked] = batch.words
        with run.accelerator.autocast():
            loss = model(**batch.input, labels=labels).loss
        run.accelerator.backward(loss)
    model.zero_grad()


def leanest_pass(run: PretrainRun, batches: list[PretrainBatch]) -> None:
    """Forward and backward of the encoder, and of its head on the masked subwords."""
    from bnaparser.spanbert.model import word_loss

    model = run.parts.model.language_model
    for batch in batches:
        with run.accelerator.autocast():
            rows = model(**batch.input).flatten(0, 1)
            scores = model.word_scores(rows[batch.masked])
        run.accelerator.backward(word_loss(scores, batch.words))
    model.zero_grad()


def time_part(options: argparse.Namespace) -> Result:
    """Time all systems in turns on the same blocks; seconds for each update."""
    from bnaparser.training.loop import training_arithmetic

    begin = begun()
    runs = {"both": run_of(options, True), "words": run_of(options, False)}
    seconds: dict[str, list[float]] = {name: [] for name in SYSTEMS}
    tokens, masking = [], []
    with training_arithmetic(runs["both"].accelerator.device):
        drawn = zip(runs["both"]._batches_left(), runs["words"]._batches_left(), strict=True)
        for number, (numbers, _) in enumerate(drawn):
            if number == WARM_UPDATES + options.updates:
                break
            batches = batches_of(runs["both"], numbers)
            works: dict[str, Callable[[], Any]] = {
                "both": partial(update, runs["both"], numbers),
                "words": partial(update, runs["words"], numbers),
                "library": partial(library_pass, runs["words"], batches),
                "leanest": partial(leanest_pass, runs["words"], batches),
            }
            found = {name: clock(work) for name, work in works.items()}
            if number >= WARM_UPDATES:
                for name, value in found.items():
                    seconds[name].append(value)
                tokens.append(sum(int(batch.input["attention_mask"].sum()) for batch in batches))
                masking.append(clock(partial(runs["both"].masked, numbers)))
    return {"begun": begin, "seconds": seconds, "tokens": tokens, "masking": masking}


def memory_part(options: argparse.Namespace) -> Result:
    """Return the peak memory of a process that does three updates of one system."""
    from bnaparser.training.loop import training_arithmetic

    name = options.only
    run = run_of(options, name == "both")
    with training_arithmetic(run.accelerator.device):
        for number, numbers in enumerate(run._batches_left()):
            if number == 3:
                break
            if name in ("both", "words"):
                update(run, numbers)
            elif name == "library":
                library_pass(run, batches_of(run, numbers))
            else:
                leanest_pass(run, batches_of(run, numbers))
    return {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def clock(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def speeds(found: Result) -> dict[str, float]:
    """Return subwords a second of each system: the mean of its fastest quarter of updates."""
    result = {}
    for name, seconds in found["seconds"].items():
        rates = sorted(
            (count / one for count, one in zip(found["tokens"], seconds, strict=True)), reverse=True
        )
        result[name] = statistics.mean(rates[: max(1, len(rates) // 4)])
    return result


def in_own_process(options: argparse.Namespace, encoder: Path, part: str) -> Result:
    """Do one part for one encoder in a process of its own; return what it prints last."""
    started = [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.run_pretrain_speed"]
    started += ["--only", part, "--encoder", str(encoder)]
    for key in ("text", "output", "updates", "batch_size", "block", "threads", "precision"):
        started.append(f"--{key.replace('_', '-')}={getattr(options, key)}")
    done = subprocess.run(started, check=True, stdout=subprocess.PIPE, text=True)
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def measured(options: argparse.Namespace, encoder: Path) -> Result:
    """Measure all of one encoder, but for what was measured before."""
    found: dict[str, Result] = {}
    for part in ("time", *SYSTEMS):
        file: Path = options.output / f"{encoder.name}-{part}.json"
        if not file.is_file():
            told = json.dumps(in_own_process(options, encoder, part))
            file.write_text(told + "\n", encoding="utf-8")
        found[part] = json.loads(file.read_text(encoding="utf-8"))
    return found["time"] | found


def report(options: argparse.Namespace, found: dict[str, Result]) -> str:
    """Return the page."""
    lines = ["# Cost of pre-training", ""]
    lines += [f"{encoder}: {one['begun']}." for encoder, one in found.items()]
    lines.append("")
    threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
    what = (
        f"- timed updates of {options.batch_size} blocks of {options.block} "
        f"subwords of {options.text.name}; the fastest quarter of the updates counts. A bare pass is a forward and backward pass of the encoder and its heads, without bnaparser"
    )
    lines += [
        f"- {processor()}, {memory()}; {threads}, {NUMBERS[options.precision]}",
        f"- {listed(versions(PACKAGES))}",
        *(f"- Encoder {described(encoder)}" for encoder in found),
        what,
        f"- `{command('benchmarks.speed.run_pretrain_speed', without_folders(sys.argv[1:]))}`",
        "",
        "| encoder, timed updates | system | subwords a second | relative to the library's pass | relative to the leanest pass | peak MB |",
        "|---|---|---|---|---|---|",
    ]
    for encoder, one in found.items():
        rates = speeds(one)
        for name, title in SYSTEMS.items():
            lines.append(
                f"| {encoder}, {len(one['tokens'])} | {title} | {rates[name]:.0f} | {rates[name] / rates['library']:.2f} "
                f"| {rates[name] / rates['leanest']:.2f} | {one[name]['peak_mb']:.0f} |"
            )
    lines += ["", "| encoder | measured | result | aim | |", "|---|---|---|---|---|"]
    for encoder, one in found.items():
        rates = speeds(one)
        share = 100 * sum(one["masking"]) / sum(one["seconds"]["both"])
        for told, value, wanted, met in (
            (
                "speed relative to the library's bare pass",
                rates["both"] / rates["library"],
                AIM,
                None,
            ),
            (
                "speed relative to the leanest bare pass",
                rates["both"] / rates["leanest"],
                AIM,
                None,
            ),
            ("masking, fraction of time, %", share, MASKING_AIM, share < MASKING_AIM),
        ):
            good = value >= wanted if met is None else met
            sign = "at least" if met is None else "under"
            verdict = "met" if good else "**missed**"
            lines.append(f"| {encoder} | {told} | {value:.2f} | {sign} {wanted:g} | {verdict} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    options = options_from_command_line()
    if options.only is not None:
        import torch

        from bnaparser.cli.console import quiet_libraries

        quiet_libraries()
        torch.set_num_threads(options.threads)
        print(json.dumps((time_part if options.only == "time" else memory_part)(options)))
        return
    os.environ |= {"OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}
    found = {encoder.name: measured(options, encoder) for encoder in options.encoder}
    options.page.write_text(report(options, found) + notes(options.page), encoding="utf-8")
    print(options.page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
