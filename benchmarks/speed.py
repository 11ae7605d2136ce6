"""Speed and memory of parsing and training, beside the bare encoder and beside benepar.

    python benchmarks/speed.py --encoder DIR --trees FILE [--train FILE]
        [--benepar-python PYTHON --benepar-bench bench_benepar.py]

DIR is a Hugging Face encoder, FILE holds bracketed trees, one a line; the first ``--sentences`` of
them are parsed. ``--train`` (default: ``train.mrg`` beside FILE, else FILE) gives the labels and the
sentences of the timed training steps, 32 a batch, which also make most spans empty, as in a trained
model. Both programs run the encoder, two layers (BiMSA and NSA; benepar's two partitioned ones), a
span scorer and a tag head, in float32, on ``--threads`` threads, in turns, in processes of their own.

The *bare encoder* is the same Hugging Face module, given exactly the padded batches that our parser
made (in training: forward and backward). Repeats alternate, the fastest of each is taken: other
programs on the machine only ever add time. Peak memory is that of a whole process.

Writes ``speed.md``, ``speed_length.svg`` and ``speed_batch.svg`` beside this file (or ``--output``)
and prints the table; needs matplotlib. bench_benepar.py describes what it measures itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import math
import os
import platform
import random
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

Result = dict[str, Any]

BOTH = "bimsa,nsa"
BATCH, WARM_UPDATES = 32, 2
SENTENCE = "The cat sat on the mat."
PACKAGES = ("bnaparser", "torch", "transformers", "tokenizers", "numpy", "numba")
WORDS_IN_BATCH = 24  # of each sentence, where the batch size varies


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


# Parts: each runs in a process of its own and returns what it measured.


def train_part(options: argparse.Namespace) -> Result:
    """Time training steps, and the encoder's on the same batches; save the model in the folder."""
    import numpy as np
    import torch

    from bnaparser import storage
    from bnaparser.train import Objective

    torch.set_flush_denormal(True)  # as bnaparser.train does
    examples = read(options.train)
    torch.manual_seed(0)
    model = new_model(options, examples)
    objective = Objective(model, model.settings.tags.loss_weight).train()
    encoder = list(model.encoder.model.parameters())
    own = {id(parameter) for parameter in encoder}
    head = [p for p in model.parameters() if id(p) not in own]
    groups = [{"params": encoder, "lr": 5e-5}, {"params": head, "lr": 5e-4}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-9, weight_decay=0, fused=True)
    order = np.random.default_rng(0).permutation(len(examples))
    rows = []
    for number in range(WARM_UPDATES + options.train_batches):
        batch = [examples[i] for i in order[number * BATCH : (number + 1) * BATCH]]
        ours, cpu, parts = clock(lambda b=batch: training_step(objective, optimizer, b))
        bare, bare_cpu, _ = clock(lambda p=parts: encoder_step(model.encoder.model, p))
        optimizer.zero_grad()
        if number >= WARM_UPDATES:
            rows.append((ours, cpu, bare, bare_cpu, len(batch)))
    peak = peak_mb()
    storage.save(model, options.folder, "float32", {})
    wall, cpu, bare, bare_cpu, count = (sum(column) for column in zip(*rows, strict=True))
    result = timing(wall, cpu, bare, bare_cpu, count)
    encoder_class = type(model.encoder.model).__name__
    return result | {"peak_mb": peak, "labels": len(model.labels), "encoder_class": encoder_class}


def training_step(objective: Any, optimizer: Any, examples: Sequence[Any]) -> list[Any]:
    """Do one update as bnaparser.train does, from words and spans; return its parts' piece arrays."""
    import torch

    from bnaparser.batching import TRAINING_TOKENS, batches_by_length
    from bnaparser.encoder import collate
    from bnaparser.loss import gold

    model = objective.model
    prepared = model.prepare([e.words for e in examples], [e.tags for e in examples])
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in examples]
    budget = TRAINING_TOKENS["cpu"]
    parts = batches_by_length([sentence.size for sentence in prepared], budget)
    for part in parts:
        batch = [prepared[i] for i in part]
        loss = objective(batch, [golds[i] for i in part], len(part) / len(examples))
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), math.inf)
    optimizer.step()
    optimizer.zero_grad()
    return [collate([w for i in part for w in prepared[i].windows])[:2] for part in parts]


def encoder_step(encoder: Any, batches: Sequence[Any]) -> None:
    import torch

    for ids, mask in batches:
        hidden = encoder(torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
        hidden.last_hidden_state.sum().backward()


def parse_part(options: argparse.Namespace) -> Result:
    """Time ``Parser.parse_many`` and the encoder on the same length-sorted, padded batches."""
    from bnaparser.batching import batches_by_length
    from bnaparser.encoder import collate
    from bnaparser.parser import Parser

    sentences = [example.words for example in read(options.trees)[: options.sentences]]
    parser = Parser.load(options.folder, "cpu")
    prepared = parser.model.prepare(sentences)
    groups = batches_by_length([sentence.size for sentence in prepared], parser.batch_tokens)
    batches = [collate([w for i in group for w in prepared[i].windows])[:2] for group in groups]
    trees = parse(parser, sentences)
    encode(parser.model.encoder.model, batches)
    ours, bare = [], []
    for _ in range(options.repeats):
        ours.append(clock(lambda: parse(parser, sentences))[:2])
        bare.append(clock(lambda: encode(parser.model.encoder.model, batches))[:2])
    fastest = [min(column) for column in zip(*ours, strict=True)]
    fastest += [min(column) for column in zip(*bare, strict=True)]
    result = timing(*fastest, len(sentences))
    nodes = [len(list(tree.nodes())) for tree in trees[:100]]
    return result | {
        "batches": len(batches),
        "nodes_per_tree": sum(nodes) / len(nodes),
        "peak_mb": peak_mb(),
    }


def parse(parser: Any, sentences: Sequence[Sequence[str]]) -> list[Any]:
    """Parse words into trees; a sentence without one would make the time worthless."""
    trees = [parse.tree for parse in parser.parse_many(sentences)]
    assert None not in trees
    return trees


def encode(encoder: Any, batches: Sequence[Any]) -> None:
    import torch

    with torch.inference_mode():
        for ids, mask in batches:
            encoder(torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))


def chart_part(options: argparse.Namespace) -> Result:
    """Time the decoder on 64 sentences of 50 words and 112 labels."""
    import numpy as np

    from bnaparser import chart

    generator = np.random.default_rng(1)
    shape = (64 * chart.span_count(50), 112)
    scores = generator.standard_normal(shape, dtype=np.float32)
    scores[:, 0] = 0
    chart.decode_packed(scores, [50] * 64, options.threads)
    walls = [
        clock(lambda: chart.decode_packed(scores, [50] * 64, options.threads))[0]
        for _ in range(6 * options.repeats)
    ]
    return {"wall_s": min(walls)}


def lengths_part(options: argparse.Namespace) -> Result:
    """Time ``--at-once`` sentences by their length; the peak is that of all lengths so far."""
    from bnaparser.parser import Parser

    parser = Parser.load(options.folder, "cpu")
    rows = []
    for words in integers(options.lengths):
        sentences = invented(parser, read(options.train), words, options.at_once)
        rows.append({"words": words, **curve_point(parser, sentences, options.repeats)})
    return {"rows": rows}


def batches_part(options: argparse.Namespace) -> Result:
    """Time batches of sentences of 24 words by their size, all sentences at once."""
    from bnaparser.parser import Parser

    parser = Parser.load(options.folder, "cpu")
    parser.batch_tokens = sys.maxsize
    rows = []
    for size in integers(options.batch_sizes):
        sentences = invented(parser, read(options.train), WORDS_IN_BATCH, size)
        rows.append({"sentences": size, **curve_point(parser, sentences, options.repeats)})
    return {"rows": rows}


def curve_point(parser: Any, sentences: list[list[str]], repeats: int) -> Result:
    from bnaparser.batching import batches_by_length
    from bnaparser.encoder import collate

    prepared = parser.model.prepare(sentences)
    groups = batches_by_length([sentence.size for sentence in prepared], parser.batch_tokens)
    batches = [collate([w for i in group for w in prepared[i].windows])[:2] for group in groups]
    parse(parser, sentences)
    ours, bare = [], []
    for _ in range(repeats):
        ours.append(clock(lambda: parse(parser, sentences))[0])
        bare.append(clock(lambda: encode(parser.model.encoder.model, batches))[0])
    scale = 1000 / len(sentences)
    return {"ms": scale * min(ours), "bare_ms": scale * min(bare), "peak_mb": peak_mb()}


PARTS: dict[str, Callable[[argparse.Namespace], Result]] = {
    "train": train_part,
    "parse": parse_part,
    "chart": chart_part,
    "lengths": lengths_part,
    "batches": batches_part,
}


def read(path: Path) -> list[Any]:
    from bnaparser.config import DataSettings, TrainSettings
    from bnaparser.data import read_examples

    return read_examples(DataSettings(path=str(path)), TrainSettings())


def new_model(options: argparse.Namespace, examples: Sequence[Any]) -> Any:
    from bnaparser import storage
    from bnaparser.config import ModelSettings
    from bnaparser.labels import Inventory

    settings = ModelSettings.model_validate(
        {
            "encoder": {"name": str(options.encoder)},
            "layers": {"kinds": tuple(filter(None, options.layers.split(",")))},
            "tags": {"predict": True},
        }
    )
    labels = Inventory.of_labels(span.label for example in examples for span in example.spans)
    tags = Inventory.of_tags(tag for example in examples for tag in example.tags)
    empty_root = any(not example.has_root for example in examples)
    return storage.create(settings, labels, tags, allow_empty_root=empty_root)


def invented(parser: Any, examples: Sequence[Any], words: int, count: int) -> list[list[str]]:
    """Make sentences of treebank words that are one piece each, so that lengths are exact."""
    tokenizer = parser.model.pieces.tokenizer
    seen = sorted({word.lower() for e in examples[:500] for word in e.words if word.isalpha()})
    whole = [word for word in seen if len(tokenizer.tokenize(word)) == 1]
    generator = random.Random(0)
    return [generator.choices(whole, k=words) for _ in range(count)]


def clock(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall seconds, CPU seconds and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def timing(wall: float, cpu: float, bare: float, bare_cpu: float, count: int) -> Result:
    return {"wall_s": wall, "cpu_s": cpu, "bare_s": bare, "bare_cpu_s": bare_cpu, "count": count}


def least(results: Sequence[Result], key: str) -> float:
    return min(result[key] for result in results)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def integers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


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
    command = [sys.executable, "-W", "ignore", __file__, "--part", name, "--folder", str(folder)]
    for key, value in (given | more).items():
        command.append(f"--{key.replace('_', '-')}={value}")
    return json.loads(output_of(command).splitlines()[-1])


def benepar(options: argparse.Namespace, parts: str, train: Path, work: Path) -> Result:
    command = [options.benepar_python, "-W", "ignore", options.benepar_bench]
    command += [
        for_benepar(options.encoder, work),
        options.trees,
        "--train",
        train,
        "--parts",
        parts,
    ]
    command += ["--sentences", options.sentences, "--threads", options.threads]
    command += ["--repeat", options.repeats, "--train-batches", options.train_batches]
    command += ["--lengths", options.benepar_lengths]
    text = output_of([str(word) for word in command])
    return json.loads(text[text.index("{") :])


def for_benepar(encoder: Path, work: Path) -> Path:
    """Return the encoder's folder, or one in ``work`` with a tokenizer that benepar can use.

    Of ``PreTrainedTokenizerFast`` it cannot tell the special pieces; a BERT's tokenizer may be
    called BertTokenizerFast as well: the pieces are the same.
    """
    settings = json.loads((encoder / "tokenizer_config.json").read_text(encoding="utf-8"))
    kind = json.loads((encoder / "config.json").read_text(encoding="utf-8"))["model_type"]
    if kind != "bert" or settings.get("tokenizer_class") != "PreTrainedTokenizerFast":
        return encoder
    folder = work / "encoder"
    folder.mkdir(parents=True, exist_ok=True)
    for file in encoder.iterdir():
        if file.name != "tokenizer_config.json" and not (folder / file.name).exists():
            (folder / file.name).symlink_to(file.resolve())
    normalizer = json.loads((encoder / "tokenizer.json").read_text(encoding="utf-8"))["normalizer"]
    settings["tokenizer_class"] = "BertTokenizerFast"
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


class Row(NamedTuple):
    """A line of the table with targets."""

    name: str
    value: float
    unit: str
    relation: str
    target: float

    def __str__(self) -> str:
        met = {
            "at most": self.value <= self.target,
            "at least": self.value >= self.target,
            "under": self.value < self.target,
        }[self.relation]
        wanted = f"{self.relation} {self.target:g}{self.unit}"
        verdict = "met" if met else "**missed**"
        return f"| {self.name} | {self.value:.2f}{self.unit} | {wanted} | {verdict} |"


def ours(found: Result, suffix: str) -> dict[str, float]:
    """Return the numbers of one of our models, from the fastest turns."""
    numbers = {}
    for kind, what, count in (
        ("parse", "parsing", "sentences/s"),
        ("train", "training", "examples/s"),
    ):
        turns = found[f"{kind}{suffix}"]
        wall = least(turns, "wall_s")
        numbers[f"{what}, {count}"] = turns[0]["count"] / wall
        numbers[f"{what}, wall over bare encoder"] = wall / least(turns, "bare_s")
        numbers[f"{what}, CPU over bare encoder"] = least(turns, "cpu_s") / least(
            turns, "bare_cpu_s"
        )
        numbers[f"{what}, peak MB"] = least(turns, "peak_mb")
    return numbers | {"nodes a tree": found[f"parse{suffix}"][0]["nodes_per_tree"]}


def theirs(found: Result, way: str) -> dict[str, float]:
    """Return the same numbers of benepar; ``way`` is how it forms batches in parsing."""
    parsing = [turn["a_parsing"][way] for turn in found["benepar"]]
    training = [turn["b_training"] for turn in found["benepar"]]
    numbers = {
        "parsing, sentences/s": max(turn["sentences_per_s"] for turn in parsing),
        "training, examples/s": max(turn["examples_per_s"] for turn in training),
        "parsing, peak MB": found["benepar parse mb"],
        "training, peak MB": least(training, "peak_mb"),
        "nodes a tree": found["benepar"][0]["a_parsing"]["nodes_per_tree"],
    }
    for what, turns in (("parsing", parsing), ("training", training)):
        numbers[f"{what}, wall over bare encoder"] = least(turns, "ratio_to_bare_encoder")
        numbers[f"{what}, CPU over bare encoder"] = least(turns, "cpu_ratio_to_bare_encoder")
    return numbers


def systems(found: Result) -> dict[str, dict[str, float]]:
    result = {"BiMSA + NSA": ours(found, ""), "no layers": ours(found, " none")}
    if found["benepar"]:
        result["benepar, public API"] = theirs(found, "batch64")
        result["benepar, sorted"] = theirs(found, "subbatch500")
    return result


def rows(found: Result) -> list[Row]:
    """Return the table with targets."""
    both, none, *peers = systems(found).values()
    table = []
    for name, numbers, what, target in (
        ("BiMSA + NSA", both, "parsing", 1.6),
        ("no layers", none, "parsing", 1.25),
        ("BiMSA + NSA", both, "training", 1.75),
    ):
        for key in (f"{what}, wall over bare encoder", f"{what}, CPU over bare encoder"):
            table.append(Row(f"{name}: {key}", numbers[key], " x", "at most", target))
    if peers:
        public, by_length = peers
        for name, peer, key, relation, target in (
            ("benepar's public API", public, "parsing, sentences/s", "at least", 5),
            ("benepar sorted", by_length, "parsing, sentences/s", "at least", 1.7),
            ("benepar", public, "training, examples/s", "at least", 2.2),
            ("benepar", public, "parsing, peak MB", "under", 0.5),
            ("benepar", public, "training, peak MB", "under", 0.5),
        ):
            title = f"BiMSA + NSA: {key}, over those of {name}"
            table.append(Row(title, both[key] / peer[key], " x", relation, target))
    chart, cold = found["chart"]["wall_s"], found["cold"]
    extra = cold["start_s"] - cold["imports_s"]
    title = "chart, 64 sentences of 50 words, 112 labels"
    table.append(Row(title, 1000 * chart, " ms", "under", 6))
    table.append(Row("cold start, more than importing", extra, " s", "at most", 1.0))
    return table


def details(found: Result) -> list[str]:
    """Return the table of the numbers behind it."""
    numbers = systems(found)
    lines = ["| | " + " | ".join(numbers) + " |", "|---" * (len(numbers) + 1) + "|"]
    for key in numbers["BiMSA + NSA"]:
        cells = " | ".join(f"{system[key]:.2f}" for system in numbers.values())
        lines.append(f"| {key} | {cells} |")
    return lines


def report(options: argparse.Namespace, found: Result, begun: str) -> str:
    """Return the whole page."""
    cold = found["cold"]
    lines = ["# Speed", "", begun, "", *machine(options, found), ""]
    lines += ["| what | measured | target | |", "|---|---|---|---|", *map(str, rows(found)), ""]
    lines += ["The numbers behind it, the fastest of all turns:", "", *details(found), ""]
    lines.append(
        f"Cold start: `bnaparse` from start to end {cold['start_s']:.2f} s; the very first time, with "
        f"nothing compiled yet, {cold['first_s']:.2f} s; a process that imports torch and the "
        f"encoder's class {cold['imports_s']:.2f} s."
    )
    if found["benepar"]:
        theirs = min(t["c_cold_start"]["import_to_first_tree_s"] for t in found["benepar"])
        lines[-1] += f" benepar, from import to its first tree: {theirs:.2f} s."
    lines += ["", "![By length](speed_length.svg)", "", "![By batch size](speed_batch.svg)", ""]
    lines.append("Of sentences of random words; memory is the process's peak up to that size.")
    return "\n".join(lines) + "\n"


def machine(options: argparse.Namespace, found: Result) -> list[str]:
    """Return what was measured where, and how to measure it again."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    lines = [
        f"- {processor()}, {memory:.0f} GB; {options.threads} threads, float32",
        f"- Python {platform.python_version()}, {versions}",
    ]
    if found["benepar"]:
        first = found["benepar"][0]
        packages = ", ".join(f"{name} {number}" for name, number in first["packages"].items())
        lines.append(f"- benepar {first['version']} with {packages}")
    words = [word if "=" in word else Path(word).name for word in sys.argv[1:]]
    count = found["parse"][0]["count"]
    lines.append(f"- {options.encoder.name}, first {count} sentences of {options.trees.name}")
    lines.append(f"- `python benchmarks/speed.py {shlex.join(words)}`")
    return lines


def processor() -> str:
    """Return the processor's name and its number of cores."""
    names = [
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    name = names[0].partition(":")[2].strip() if names else platform.processor()
    return f"{name}, {os.cpu_count()} cores"


def plot(found: Result, output: Path) -> None:
    """Draw time and memory by sentence length and by batch size."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "speed", "font.size": 9})
    theirs = found.get("benepar lengths", [])
    times, memories = [], []
    for size in (1, 8):
        ours = found[f"lengths {size}"]
        lengths = [row["words"] for row in ours]
        times.append((f"bnaparser, {size} at once", lengths, [row["ms"] for row in ours]))
        times.append((f"bare encoder, {size}", lengths, [row["bare_ms"] for row in ours]))
        memories.append((f"bnaparser, {size} at once", lengths, [row["peak_mb"] for row in ours]))
        done = [row for row in theirs if "ms_per_sentence" in row[f"batch{size}"]]
        milliseconds = [row[f"batch{size}"]["ms_per_sentence"] for row in done]
        times.append((f"benepar, {size} at once", [row["words"] for row in done], milliseconds))
    peaks = [row["peak_mb"] for row in theirs]
    memories.append(("benepar, 8 at once", [row["words"] for row in theirs], peaks))
    draw(output / "speed_length.svg", "words a sentence", times, memories)
    ours = found["batches"]
    sizes = [row["sentences"] for row in ours]
    times = [("bnaparser", sizes, [row["ms"] for row in ours])]
    times.append(("bare encoder", sizes, [row["bare_ms"] for row in ours]))
    memories = [("bnaparser", sizes, [row["peak_mb"] for row in ours])]
    draw(
        output / "speed_batch.svg", f"sentences of {WORDS_IN_BATCH} words at once", times, memories
    )


def draw(path: Path, label: str, times: list[Any], memories: list[Any]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    panels = (("milliseconds a sentence", times), ("peak memory, MB", memories))
    for axis, (title, curves) in zip(axes, panels, strict=True):
        for name, across, up in curves:
            if across:
                axis.plot(across, up, marker="o", markersize=3, label=name)
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel=title)
        axis.grid(alpha=0.3, which="both")
        axis.legend()
    figure.savefig(path, metadata={"Date": None})


def say(text: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def main() -> None:
    options = options_from_command_line()
    if options.part:
        import torch

        torch.set_num_threads(options.threads)
        print(json.dumps(PARTS[options.part](options)))
        return
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit("the curves need matplotlib: pip install matplotlib")
    options.output.mkdir(parents=True, exist_ok=True)
    begun = (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load before the start {os.getloadavg()[0]:.2f}."
    )
    with TemporaryDirectory() as work:
        found = measure(options, Path(work))
    say(f"all that was measured: {json.dumps(found)}")
    page = report(options, found, begun)
    (options.output / "speed.md").write_text(page, encoding="utf-8")
    plot(found, options.output)
    print(page)


if __name__ == "__main__":
    main()
