"""How many trees of constructions that treebanks have few of a model draws exactly right.

    python -m benchmarks.accuracy.run_constructions [--model en] [--show]

The trees are those that `write_constructions` keeps for tests. A tree is right when all of its constituents
are, tags aside; ``--show`` prints those that are not.
"""

from __future__ import annotations

import argparse

import torch

from benchmarks.machine import listed, now, processor, versions
from bnaparser import Parser, Tree
from bnaparser.eval import score
from recipes.data.write_constructions import constructions


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--show", action="store_true")
    options = arguments.parse_args()
    parser = Parser.load(options.model, device="cpu")
    named = list(constructions("test"))
    gold = [tree for _, tree in named]
    trees = [
        Tree.from_spans(tree.words, tree.tags, parse.spans)
        for tree, parse in zip(gold, parser.parse_many([tree.words for tree in gold]), strict=True)
    ]
    threads = f"{torch.get_num_threads()} threads"
    machine = f"{processor()}, {threads}, {listed(versions(('bnaparser', 'torch')))}"
    print(f"{now()} UTC, {machine}, {options.model}\n")
    print("| construction | trees | exactly right | F1 |\n|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in named):
        print(row(name, [(g, t) for (n, g), t in zip(named, trees, strict=True) if n == name]))
    print(row("all", list(zip(gold, trees, strict=True))))
    for wanted, found in zip(gold, trees, strict=True) if options.show else ():
        if wanted != found:
            print(f"\n{wanted}\n{found}")


def row(name: str, pairs: list[tuple[Tree, Tree]]) -> str:
    right = sum(wanted == found for wanted, found in pairs)
    f1 = score([wanted for wanted, _ in pairs], [found for _, found in pairs]).f1
    return f"| {name} | {len(pairs)} | {right} ({100 * right / len(pairs):.0f} %) | {f1:.2f} |"


if __name__ == "__main__":
    main()
