"""benepar's models here and in benepar 0.2: the same trees, and how fast, in one run.

    python -m benchmarks.integrations.run_benepar --benepar-python PYTHON --train TREES --parse TREES
        [--encoder DIR]

benepar makes the models of `MODELS` in its own environment (``making.py``), random or
trained a little on the first 1,500 of ``--train``, and parses the first ``--sentences`` of ``--parse``; then
we parse the same with the same weights. Both have ``--threads`` threads, and the fastest of
``--repeats`` counts. ``--encoder`` adds a model on a real encoder of BERT's kind, with the two
layers of 1,024 features that benepar's documentation puts on BERT.

Writes ``benepar_models.md`` beside this file (or ``--output``) and prints it. A tree that differs is
listed with both scores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from benchmarks import machine
from bnaparser.integrations.benepar import InputSentence
from bnaparser.integrations.benepar import Parser as BeneparNames
from bnaparser.integrations.spaced_words import spaced_sentence
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.trees.tree import Tree

Row = dict[str, Any]
SIDE = Path(__file__).with_name("making.py")
TEXTS = ["The time for action is now. It's never too late to do something."]
# name, encoder, layers of benepar's own, tag head, updates
MODELS = [
    ("bert-random-tags", "bert", 2, True, 0),
    ("bert-trained-tags", "bert", 2, True, 100),
    ("bert-plain", "bert", 0, False, 100),
    ("electra-plain", "electra", 0, False, 100),
    ("xlmr-tags", "xlmr", 2, True, 100),
    ("t5-random-tags", "t5", 2, True, 0),
    ("t5-trained", "t5", 2, False, 100),
    ("t5-plain-tags", "t5", 0, True, 100),
]


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benepar-python", required=True, metavar="PYTHON")
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--parse", type=Path, required=True)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--models", help="names, by commas; default: all")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--work", type=Path, help="a folder to keep models in, used again if there")
    return parser.parse_args()


def models(options: argparse.Namespace) -> list[Row]:
    keys = ("name", "encoder", "layers", "tags", "updates")
    found = [{**dict(zip(keys, row, strict=True)), "width": 32, "head": 64} for row in MODELS]
    if options.encoder is not None:
        real = {"layers": 2, "tags": True, "updates": 30, "width": 0, "head": 1024}
        found.append({"name": options.encoder.name, "encoder": str(options.encoder), **real})
    if options.models is None:
        return found
    return [row for row in found if row["name"] in options.models.split(",")]


def run_benepar(options: argparse.Namespace, work: Path) -> None:
    """Let benepar make the models and parse."""
    train = work / "train.txt"
    with options.train.open(encoding="utf-8") as file:
        train.write_text("".join(islice(file, 1500)), encoding="utf-8")
    job = {
        "train": str(train),
        "parse": str(options.parse),
        "sentences": options.sentences,
        "texts": TEXTS,
        "output": str(work),
        "threads": options.threads,
        "repeats": options.repeats,
        "models": models(options),
    }
    (work / "job.json").write_text(json.dumps(job), encoding="utf-8")
    command = [options.benepar_python, "-W", "ignore", str(SIDE), str(work / "job.json")]
    threads = {"OMP_NUM_THREADS": str(options.threads), "PYTHONPATH": ""}
    subprocess.run(command, env=os.environ | threads, check=True)


def fastest(repeats: int, parse: Callable[[], Any]) -> float:
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        parse()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def compare(name: str, work: Path, trees: Sequence[Tree], repeats: int) -> Row:
    """Return how many trees are equal, in every form, and the seconds of both programs."""
    theirs = json.loads((work / f"{name}.json").read_text(encoding="utf-8"))
    parser = Parser.load(work / name)
    words = [tree.words for tree in trees]
    found = parser.parse_many(words)
    row: Row = {"name": name, "sentences": len(words)}
    row["equal"], row["other"] = equal(found, theirs["trees"], parser.predicts_tags)
    typed = theirs["typed"]
    spaced = [
        spaced_sentence(zip(*one, strict=True)) for one in zip(typed, theirs["blanks"], strict=True)
    ]
    for form, given in (
        ("listed", parser.parse_many(typed)),
        ("spaced", parser.parse_sentences(spaced)),
    ):
        row[form], more = equal(given, theirs[form], parser.predicts_tags)
        row["other"] += more
    row["few"] = len(typed)
    names = BeneparNames(str(work / name))
    inputs = [InputSentence(escaped_words=list(one)) for one in words]
    row["ours"] = fastest(repeats, lambda: parser.parse_many(words))
    row["ours_names"] = fastest(repeats, lambda: list(names.parse_sents(inputs)))
    row["benepar"], row["sorted"] = theirs["seconds"]["parse_sents"], theirs["seconds"]["sorted"]
    return row


def equal(found: Sequence[Parse], expected: Sequence[str], tagged: bool) -> tuple[int, list[str]]:
    """Return how many trees are equal, tags too where the model has some, and the others."""
    other = []
    for one, brackets in zip(found, expected, strict=True):
        tree = Tree.parse(brackets)
        spans = [span._replace(score=None) for span in one.spans]
        if spans != tree.spans() or (tagged and one.tags != tree.tags):
            other.append(f"{one.score:.6f} {one.tree}\n    {brackets}")
    return len(found) - len(other), other


def page(rows: Sequence[Row], options: argparse.Namespace, begun: str) -> str:
    lines = [
        "# benepar's models here and in benepar 0.2",
        "",
        (
            f"`python -m benchmarks.integrations.run_benepar`, {begun}; {machine.processor()},"
            f" {options.threads} threads. The same weights and sentences, float32; the fastest of"
            f" {options.repeats}. The encoders are small and random where no name of a real one stands."
        ),
        "",
        (
            "| model | equal trees | plain words, drawn blanks | benepar, s | bnaparser, s | times | with its names, s"
            " | times | benepar sorted, s | times |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        few = f"{row['listed']} and {row['spaced']} of {row['few']}"
        cells = [row["name"], f"{row['equal']} of {row['sentences']}", few, f"{row['benepar']:.2f}"]
        cells += [f"{row['ours']:.2f}", f"{row['benepar'] / row['ours']:.1f}"]
        cells += [f"{row['ours_names']:.2f}", f"{row['benepar'] / row['ours_names']:.1f}"]
        cells += [f"{row['sorted']:.2f}", f"{row['sorted'] / row['ours']:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        (
            "*benepar* is `parse_sents` of benepar (64 sentences a batch, in their order). *benepar sorted* has"
            " batches of 500 subwords, sorted by length. *bnaparser* is `Parser.parse_many`; *with its names* is"
            " `bnaparser.integrations.benepar.Parser.parse_sents`."
        ),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    options = options_from_command_line()
    begun = machine.begun()
    torch.set_num_threads(options.threads)
    with TemporaryDirectory() as temporary, options.parse.open(encoding="utf-8") as file:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        if not (work / "job.json").is_file():
            run_benepar(options, work)
        trees = [Tree.parse(line) for line in islice(file, options.sentences)]
        rows = [compare(row["name"], work, trees, options.repeats) for row in models(options)]
    for row in rows:
        for one in row["other"]:
            print(f"{row['name']}: {one}", file=sys.stderr)
    text = page(rows, options, begun)
    (options.output / "benepar_models.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
