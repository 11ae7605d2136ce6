"""F1 where case is lost: CAPITALS, Title Case and lower case against the parse of the text as it was.

    python -m benchmarks.text.run_case TREEBANKS [--model en] [--part dev] [--sentences 100]

From each of wsj_sample, masc and gum (``TREEBANKS/NAME/PART.*``) so many sentences of 5 to 40 words are
drawn. A second table counts, on all sentences of five sets as they were written, those that are
read in another case, and has their F1 against the gold trees if they are not and if they are.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.machine import listed, now, processor, versions
from bnaparser import Parse, Parser, Tree
from bnaparser.eval import score
from bnaparser.text.english.normalization import recased
from bnaparser.treebanks.label_maps import read_label_map
from bnaparser.treebanks.reading import list_files, load_trees
from bnaparser.trees.escapes import unescape

LABEL_MAPS = Path(__file__).parents[2] / "recipes" / "label_maps.toml"
MAPPED = ("masc", "craft")
DRAWN = ("wsj_sample", "masc", "gum")
ALL = (*DRAWN, "craft", "genia")
VARIANTS: dict[str, Callable[[str], str]] = {
    "as it was": str,
    "CAPITALS": str.upper,
    "Title Case": str.capitalize,
    "lower case": str.lower,
}


def read(treebanks: Path, name: str, part: str) -> list[Tree]:
    (file,) = list_files(f"{treebanks}/{name}/{part}.*")
    trees = list(load_trees(file))
    if name in MAPPED:
        label_map = read_label_map(LABEL_MAPS, name)
        trees = [label_map.apply(tree) for tree in trees]
    return trees


def parsed(parser: Parser, trees: Sequence[Tree], change: Callable[[str], str]) -> list[Tree]:
    """Return the parses of changed words, over the words as they were."""
    parses = parser.parse_many([[change(unescape(word)) for word in tree.words] for tree in trees])
    return [over(tree, parse) for tree, parse in zip(trees, parses, strict=True)]


def over(tree: Tree, parse: Parse) -> Tree:
    return Tree.from_spans(tree.words, parse.tags, parse.spans)


def same_tags(some: Sequence[Tree], others: Sequence[Tree]) -> float:
    pairs = [
        one == other
        for first, second in zip(some, others, strict=True)
        for one, other in zip(first.tags, second.tags, strict=True)
    ]
    return 100 * sum(pairs) / len(pairs)


def print_variants(parser: Parser, drawn: list[Tree]) -> None:
    print("| case | read | F1 against the text as it was | same tags | F1 against gold |")
    print("|---|---|---|---|---|")
    usual: list[Tree] = []
    for name, change in VARIANTS.items():
        for parser.cased in (True, False) if usual else (True,):
            trees = parsed(parser, drawn, change)
            usual = usual or trees
            read = "in lower case where it is called for" if parser.cased else "as it stands"
            print(
                f"| {name} | {read} | {score(usual, trees).f1:.2f} "
                f"| {same_tags(usual, trees):.2f} | {score(drawn, trees).f1:.2f} |",
                flush=True,
            )


def print_changed(parser: Parser, sets: dict[str, list[Tree]]) -> None:
    print("\n| set | sentences | read in another case | F1 if not | F1 if so |")
    print("|---|---|---|---|---|")
    for name, trees in sets.items():
        changed = [tree for tree in trees if recased(tree.words) is not None]
        figures = "| | |"
        if changed:
            parser.cased = False
            before = score(changed, parsed(parser, changed, str)).f1
            parser.cased = True
            figures = f"| {before:.2f} | {score(changed, parsed(parser, changed, str)).f1:.2f} |"
        print(f"| {name} | {len(trees)} | {len(changed)} {figures}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("treebanks", type=Path)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--part", default="dev")
    arguments.add_argument("--sentences", type=int, default=100)
    options = arguments.parse_args()
    parser = Parser.load(options.model, device="cpu")
    sets = {name: read(options.treebanks, name, options.part) for name in ALL}
    drawn: list[Tree] = []
    for name in DRAWN:
        fitting = [tree for tree in sets[name] if 5 <= len(tree.words) <= 40]
        drawn += random.Random(0).sample(fitting, options.sentences)
    packages = listed(versions(("bnaparser", "torch")))
    print(f"{now()} UTC, {processor()}, {packages}, {options.model}; {len(drawn)} sentences\n")
    print_variants(parser, drawn)
    print_changed(parser, sets)


if __name__ == "__main__":
    main()
