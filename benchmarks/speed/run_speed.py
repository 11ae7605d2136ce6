"""Speed and memory of parsing and training, beside the bare encoder and beside benepar.

    python -m benchmarks.speed.run_speed --encoder DIR --trees FILE [--train FILE]
        [--benepar-python PYTHON --benepar-bench bench_benepar.py]

DIR is a Hugging Face encoder, FILE holds bracketed trees, one a line; the first ``--sentences`` of
them are parsed. ``--train`` (default: ``train.mrg`` beside FILE, else FILE) gives the labels and the
sentences of the timed updates in training, 32 a batch, which also make most spans empty, as in a trained
model. Both programs run the encoder, two layers (BiMSA and NSA; benepar's two partitioned ones), a
span scorer and a tag head, on ``--threads`` threads, in turns, in processes of their own: in float32, but
we parse as a stored model does by itself, in int8.

The *bare encoder* is ours alone in the same precision, given the batches that our parser made; in
training the Hugging Face module, forward and backward. Repeats alternate, the fastest of each is taken: other
programs on the machine only ever add time. Peak memory is that of a whole process.

Writes ``speed.md``, ``speed_length.svg`` and ``speed_batch.svg`` beside this file (or ``--output``)
and prints the table; needs matplotlib. bench_benepar.py describes what it measures itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import os
import shlex
import subprocess
import sys
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import machine
from benchmarks.pages import notes
from benchmarks.speed.parts import PARTS, Result, clock
from benchmarks.speed.speed_report import plot, report

BOTH = "bimsa,nsa"
# The same tokenizer as transformers 4 and 5 call it (`bnaparser prune` writes with 5).
PLAIN_TOKENIZERS = ("PreTrainedTokenizerFast", "TokenizersBackend")
# What benepar tells the special pieces of, by the kind of encoder: the pieces are the same.
TOKENIZERS_WITH_ENDS = {"bert": "BertTokenizerFast", "distilbert": "DistilBertTokenizerFast"}
SENTENCE = "The cat sat on the mat."


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--model", help="for the cold start; default: the model just made")
    parser.add_argument("--benepar-python", metavar="PYTHON")
    parser.add_argument("--benepar-bench", type=Path, metavar="bench_benepar.py")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--turns", type=int, default=2, help="of both programs, one after the other"
    )
    parser.add_argument("--train-batches", type=int, default=8)
    parser.add_argument("--lengths", default="10,20,40,80,160,320,640,1000")
    parser.add_argument("--benepar-lengths", default="10,20,40,80,160,320", help="320: 9 GB")
    parser.add_argument("--batch-sizes", default="1,2,4,8,16,32,64,128,256")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--layers", default=BOTH, help=argparse.SUPPRESS)
    parser.add_argument("--at-once", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train is None:
        beside = options.trees.with_name("train.mrg")
        options.train = beside if beside.is_file() else options.trees
    if (options.benepar_python is None) != (options.benepar_bench is None):
        parser.error("give --benepar-python and --benepar-bench together")
    return options


# The main process only starts others and writes. It imports neither torch nor bnaparser: the peak
# memory that the system reports of a process is at least that of the one that started it.


def measure(options: argparse.Namespace, work: Path) -> Result:
    """Run everything in turns; a list of results, one a turn, under each name."""
    found: Result = {name: [] for name in ("train", "train none", "parse", "parse none", "benepar")}
    for turn in range(options.turns):
        say(f"turn {turn + 1} of {options.turns}")
        for suffix, layers in (("", BOTH), (" none", "")):
            folder = work / f"model{suffix}"
            found[f"train{suffix}"].append(part(options, "train", folder, layers=layers))
            found[f"parse{suffix}"].append(part(options, "parse", folder))
        if options.benepar_python:
            found["benepar"].append(benepar(options, "abcd", options.train, work))
    folder = work / "model"
    say("chart, cold start, lengths, batch sizes")
    found["chart"] = part(options, "chart", folder)
    found["cold"] = cold_start(options, folder, found["train"][0]["encoder_class"], work)
    found["lengths 1"] = part(options, "lengths", folder, at_once=1)["rows"]
    found["lengths 8"] = part(options, "lengths", folder, at_once=8)["rows"]
    found["batches"] = part(options, "batches", folder)["rows"]
    if options.benepar_python:
        say("benepar's memory and lengths")
        few = work / "few.mrg"
        few.write_text("".join(first_lines(options.trees, options.sentences)), encoding="utf-8")
        found["benepar parse mb"] = benepar(options, "a", few, work)["a_parsing"]["peak_mb"]
        found["benepar lengths"] = benepar(options, "e", options.train, work)["e_length"]
    return found


def part(options: argparse.Namespace, name: str, folder: Path, **more: Any) -> Result:
    names = ("encoder", "trees", "train", "sentences", "threads", "repeats", "train_batches")
    given = {name: getattr(options, name) for name in (*names, "lengths", "batch_sizes")}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.run_speed"]
    command += ["--part", name, "--folder", str(folder)]
    for key, value in (given | more).items():
        command.append(f"--{key.replace('_', '-')}={value}")
    return as_result(output_of(command).splitlines()[-1])


def benepar(options: argparse.Namespace, parts: str, train: Path, work: Path) -> Result:
    command = [options.benepar_python, "-W", "ignore", options.benepar_bench]
    command += [for_benepar(options.encoder, work), options.trees]
    command += ["--train", train, "--parts", parts]
    command += ["--sentences", options.sentences, "--threads", options.threads]
    command += ["--repeat", options.repeats, "--train-batches", options.train_batches]
    command += ["--lengths", options.benepar_lengths]
    text = output_of([str(word) for word in command])
    return as_result(text[text.index("{") :])


def as_result(text: str) -> Result:
    found: Result = json.loads(text)
    return found


def for_benepar(encoder: Path, work: Path) -> Path:
    """Return the encoder's folder, or one in ``work`` with a tokenizer that benepar can use.

    Of one of PLAIN_TOKENIZERS it cannot tell the special pieces; one of TOKENIZERS_WITH_ENDS stands for it.
    """
    settings = json.loads((encoder / "tokenizer_config.json").read_text(encoding="utf-8"))
    kind = json.loads((encoder / "config.json").read_text(encoding="utf-8"))["model_type"]
    with_ends = TOKENIZERS_WITH_ENDS.get(kind)
    if with_ends is None or settings.get("tokenizer_class") not in PLAIN_TOKENIZERS:
        return encoder
    folder = work / "encoder"
    folder.mkdir(parents=True, exist_ok=True)
    for file in encoder.iterdir():
        if file.name != "tokenizer_config.json" and not (folder / file.name).exists():
            (folder / file.name).symlink_to(file.resolve())
    normalizer = json.loads((encoder / "tokenizer.json").read_text(encoding="utf-8"))["normalizer"]
    settings["tokenizer_class"] = with_ends
    settings["do_lower_case"] = bool(normalizer.get("lowercase"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def cold_start(options: argparse.Namespace, folder: Path, encoder: str, work: Path) -> Result:
    """Time ``bnaparse`` from start to end, its first time on a machine and later, and the imports."""
    program = Path(sys.executable).with_name("bnaparse")
    parse = [str(program), "--model", str(options.model or folder), "--device", "cpu", SENTENCE]
    imports = [sys.executable, "-W", "ignore", "-c"]
    imports.append(f"import torch; from transformers import {encoder}")
    output_of(imports)  # from the disk
    cache = {"NUMBA_CACHE_DIR": str(work / "numba")}
    first = clock(lambda: output_of(parse, cache))[0]
    starts, imported = [], []
    for _ in range(options.repeats):
        starts.append(clock(lambda: output_of(parse, cache))[0])
        imported.append(clock(lambda: output_of(imports, cache))[0])
    return {"first_s": first, "start_s": min(starts), "imports_s": min(imported)}


def output_of(command: list[str], more: dict[str, str] | None = None) -> str:
    """Run a command to its end; threads that wait sleep, so that CPU seconds are work."""
    variables = {"OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}
    environment = os.environ | variables | (more or {})
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\nfailed:\n{done.stderr}")
    return done.stdout


def first_lines(path: Path, count: int) -> list[str]:
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return list(islice(file, count))


def say(text: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def main() -> None:
    options = options_from_command_line()
    if options.part:
        # Before PyTorch is imported, which not every part does.
        os.environ["OMP_NUM_THREADS"] = str(options.threads)
        print(json.dumps(PARTS[options.part](options)))
        return
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit("the curves need matplotlib: pip install matplotlib")
    options.output.mkdir(parents=True, exist_ok=True)
    begun = f"{machine.begun()}."
    with TemporaryDirectory() as work:
        found = measure(options, Path(work))
    say(f"all that was measured: {json.dumps(found)}")
    path = options.output / "speed.md"
    page = report(options, found, begun) + notes(path)
    path.write_text(page, encoding="utf-8")
    plot(found, options.output)
    print(page)


if __name__ == "__main__":
    main()
