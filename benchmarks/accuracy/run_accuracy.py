"""F1 and tag accuracy of a model on the test sets of the English mix, as benchmarks/accuracy/accuracy.md.

    python -m benchmarks.accuracy.run_accuracy TREEBANKS [--model en] [--part test] [--precision auto]
        [--sentences N]

TREEBANKS holds ``NAME/test.txt.xz`` (or ``.mrg``) for each set. The maps of ``recipes/label_maps.toml``
are applied to the gold trees of masc and craft; wsj_sample, gum and genia are scored as stored. Words
are the gold ones, parameters are COLLINS.prm's. Trees are judged with gold tags, as `bnaparser.eval.ptb`
does: where a predicted tag makes a mark of a word, EVALB would leave the sentence out. A sentence that
failed has no constituents. Tags are the model's own, of all words.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import torch

from benchmarks.machine import listed, now, processor, versions
from bnaparser import Parse, Parser, Tree
from bnaparser.eval import Scores, score
from bnaparser.treebanks.label_maps import read_label_map
from bnaparser.treebanks.reading import list_files, load_trees

PACKAGES = ("bnaparser", "torch")
LABEL_MAPS = Path(__file__).parents[2] / "recipes" / "label_maps.toml"
# Whether the labels of each need a map.
SETS = {"wsj_sample": False, "gum": False, "genia": False, "masc": True, "craft": True}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("treebanks", type=Path)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--part", default="test")
    arguments.add_argument("--precision", default="auto")
    arguments.add_argument("--sentences", type=int)
    options = arguments.parse_args()
    parser = Parser.load(options.model, device="cpu", precision=options.precision)
    threads = f"{torch.get_num_threads()} threads"
    print(
        f"{now()} UTC, {processor()}, {threads}, {listed(versions(PACKAGES))}, {options.model}, {parser.precision}\n"
    )
    print("| set | sentences | left out | recall | precision | F1 | tags | sentences/s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in SETS:
        gold = gold_trees(options.treebanks, name, options.part, options.sentences)
        print(row(parser, name, gold), flush=True)


def gold_trees(treebanks: Path, name: str, part: str, sentences: int | None) -> list[Tree]:
    """Return the first trees of a part of one of SETS, with the labels of the Penn Treebank."""
    (file,) = list_files(f"{treebanks}/{name}/{part}.*")
    gold = list(islice(load_trees(file), sentences))
    if not SETS[name]:
        return gold
    label_map = read_label_map(LABEL_MAPS, name)
    return [label_map.apply(tree) for tree in gold]


def bracket_scores(gold: list[Tree], parses: Sequence[Parse]) -> Scores:
    """Score parses of the words of gold trees."""
    trees = [
        Tree.from_spans(tree.words, tree.tags, parse.spans)
        for tree, parse in zip(gold, parses, strict=True)
    ]
    return score(gold, trees)


def row(parser: Parser, name: str, gold: list[Tree]) -> str:
    started = time.perf_counter()
    parses = parser.parse_many([tree.words for tree in gold])
    rate = len(gold) / (time.perf_counter() - started)
    result = bracket_scores(gold, parses)
    left_out = result.error_sentences + result.skipped
    right = [
        mine == tag
        for tree, parse in zip(gold, parses, strict=True)
        for mine, tag in zip(parse.tags or ("",) * len(tree.words), tree.tags, strict=True)
    ]
    tags = f"{100 * sum(right) / len(right):.2f}" if parser.predicts_tags else ""
    return (
        f"| {name} | {len(gold)} | {left_out} | {result.recall:.2f} | {result.precision:.2f} "
        f"| {result.f1:.2f} | {tags} | {rate:.0f} |"
    )


if __name__ == "__main__":
    main()
