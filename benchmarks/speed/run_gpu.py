"""Speed and memory of a model on a GPU: python -m benchmarks.speed.run_gpu --trees FILE [--device cuda]

Parses the first ``--sentences`` of FILE's trees, words given, in float32 and in bfloat16, with batches of
several numbers of subwords, and a sentence of 20 words by itself; compares the trees with those of
float32. Repeats count by the fastest. Writes ``gpu.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Literal

import torch

from benchmarks.machine import begun, command, computed_on, processor, versions, without_folders
from benchmarks.speed.run_precision import SENTENCE, fastest
from bnaparser import Parser
from bnaparser.treebanks.reading import load_clean_trees

PRECISIONS: tuple[Literal["float32", "bfloat16"], ...] = ("float32", "bfloat16")
NOTES = """\
# Speed on a GPU

{where}.

    {command}

The model `{model}` parses the words of the first {sentences} sentences of `{trees}`. The other columns are the time of one sentence of 20 words (from text to tree), the peak
memory of torch on the device, and the number of trees that are equal to the trees in float32.

| precision | subwords a batch | sentences/s | one sentence, ms | MB | trees as in float32 |
|---|---|---|---|---|---|"""


def main() -> None:
    options = options_from_command_line()
    words = [tree.words for tree in load_clean_trees(options.trees)[: options.sentences]]
    torch_version = versions(["torch"])["torch"]
    machines = ", ".join(dict.fromkeys((computed_on(options.device), processor())))
    where = f"{begun()}; {machines}; torch {torch_version}"
    shown = command("benchmarks.speed.run_gpu", without_folders(sys.argv[1:]))
    lines = [
        NOTES.format(
            where=where, command=shown, model=options.model, sentences=len(words),
            trees=options.trees.name,
        )
    ]  # fmt: skip
    exact: list[str] = []
    for precision in PRECISIONS:
        for tokens in map(int, options.batch_tokens.split(",")):
            parser = Parser.load(options.model, options.device, tokens, precision=precision)
            found = [str(parse.tree) for parse in parser.parse_many(words)]
            exact = exact or found
            lines.append(row(parser, precision, tokens, words, options, exact, found))
            print(lines[-1], flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "gpu.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--model", default="en")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--batch-tokens", default="2000,8000,32000", metavar="PIECES,...")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    return parser.parse_args()


def row(
    parser: Parser,
    precision: str,
    tokens: int,
    words: list[tuple[str, ...]],
    options: argparse.Namespace,
    exact: list[str],
    found: list[str],
) -> str:
    on_gpu = options.device.startswith("cuda")
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(options.device)
    given = fastest(lambda: parser.parse_many(words), options.repeats)
    one = fastest(lambda: parser.parse_sentence(SENTENCE), 10 * options.repeats)
    held = f"{torch.cuda.max_memory_allocated(options.device) / 2**20:.0f}" if on_gpu else "-"
    same = sum(map(str.__eq__, exact, found))
    rate = len(words) / given
    return f"| {precision} | {tokens:,} | {rate:.0f} | {1000 * one:.1f} | {held} | {same:,} of {len(found):,} |"


if __name__ == "__main__":
    main()
