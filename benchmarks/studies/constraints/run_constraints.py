"""Measure the F1 of a parser under constraints that are a part of the gold tree.

    python -m benchmarks.studies.constraints.run_constraints TREEBANKS [--model en] [--sentences N]

TREEBANKS holds ``NAME/dev.txt.xz`` (or ``.mrg``) for each of five sets; the maps of
``recipes/label_maps.toml`` are applied to the gold trees of masc and craft. Each kind of constraint is compared
with the same number of random constraints: a gain must come from correct constraints.
Writes ``constraints.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.accuracy.run_accuracy import LABEL_MAPS, SETS
from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from bnaparser import Parser, Tree
from bnaparser.eval import score
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.options import DEFAULT_OPTIONS, Dependencies, ParseOptions
from bnaparser.text.sentence import from_words
from bnaparser.treebanks.label_maps import read_label_map
from bnaparser.treebanks.reading import list_files, load_trees
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import dependencies, is_punctuation
from bnaparser.trees.heads.rules import COLLINS, UD, HeadRules
from bnaparser.trees.tree import CHAIN

ConstraintMaker = Callable[[Tree, random.Random], ParseOptions]
_OPENING = {"``": "''", "-LRB-": "-RRB-"}


def main() -> None:
    options = options_from_command_line()
    where = f"{begun()}; {processor()}; {listed(versions(('bnaparser', 'numba')))}"
    again = command("benchmarks.studies.constraints.run_constraints", without_folders(sys.argv[1:]))
    parser = Parser.load(options.model, device="cpu", precision=options.precision)
    sets = {name: list(gold_trees(options, name)) for name in SETS}
    lines = [
        "| constraints | " + " | ".join(sets) + " |",
        "|---|" + "---|" * len(sets),
        "| sentences | " + " | ".join(str(len(trees)) for trees in sets.values()) + " |",
    ]
    for name, make in KINDS.items():
        cells = [cell(parser, trees, make) for trees in sets.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    text = PAGE.format(
        table="\n".join(lines),
        where=where,
        model=options.model,
        precision=parser.precision,
        again=again,
    )
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "constraints.md").write_text(text, encoding="utf-8")


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebanks", type=Path)
    parser.add_argument("--model", default="en")
    parser.add_argument("--part", default="dev")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--sentences", type=int, metavar="N", help="the first N of each set")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    return parser.parse_args()


def gold_trees(options: argparse.Namespace, name: str) -> Iterator[Tree]:
    (file,) = list_files(f"{options.treebanks}/{name}/{options.part}.*")
    label_map = read_label_map(LABEL_MAPS, name) if SETS[name] else None
    for tree in islice(load_trees(file), options.sentences):
        yield tree if label_map is None else label_map.apply(tree)


def cell(parser: Parser, gold: Sequence[Tree], make: ConstraintMaker) -> str:
    """Return F1 in percent, and in brackets the number of sentences without a tree."""
    draw = random.Random(1)
    sentences = [from_words(map(unescape, tree.words)) for tree in gold]
    options = [make(tree, draw) for tree in gold]
    parses = parser.parse_sentences(sentences, options=options)
    trees = [
        Tree.from_spans(tree.words, tree.tags, parse.spans)
        for tree, parse in zip(gold, parses, strict=True)
    ]
    failed = sum(parse.error is not None for parse in parses)
    return f"{score(gold, trees).f1:.2f}" + (f" ({failed})" if failed else "")


def noun_phrases(tree: Tree, label: str | None) -> list[Constraint]:
    return [
        Constraint("must", span.start, span.end, () if label is None else (label,))
        for span in tree.spans()
        if "NP" in span.label.split(CHAIN) and span.end - span.start > 1
    ]


def random_brackets(tree: Tree, draw: random.Random) -> list[Constraint]:
    """Return the same number of constituents as there are noun phrases, with their lengths, that do not cross."""
    found: list[Constraint] = []
    n = len(tree.words)
    for known in noun_phrases(tree, None):
        length = known.end - known.start
        start = draw.randrange(n - length + 1)
        new = Constraint("must", start, start + length)
        if not any(_crosses(new, one) for one in found):
            found.append(new)
    return found


def _crosses(one: Constraint, other: Constraint) -> bool:
    return (
        one.start < other.start < one.end < other.end
        or other.start < one.start < other.end < one.end
    )


def names(tree: Tree) -> list[Constraint]:
    """Return a constraint for each sequence of proper nouns: no constituent may cross it."""
    found, start = [], 0
    for place, tag in enumerate([*tree.tags, ""]):
        if not tag.startswith("NNP"):
            if place - start > 1:
                found.append(Constraint("uncrossed", start, place))
            start = place + 1
    return found


def random_rows(tree: Tree, draw: random.Random) -> list[Constraint]:
    found = []
    for known in names(tree):
        length = known.end - known.start
        start = draw.randrange(len(tree.words) - length + 1)
        found.append(Constraint("uncrossed", start, start + length))
    return found


def quoted(tree: Tree) -> list[Constraint]:
    """Return a constraint for each text between quotation marks or brackets: no constituent may cross it."""
    found: list[Constraint] = []
    open_marks: list[tuple[str, int]] = []
    for place, tag in enumerate(tree.tags):
        if open_marks and tag == open_marks[-1][0]:
            start = open_marks.pop()[1]
            if place - start > 1:
                found.append(Constraint("uncrossed", start, place))
        elif tag in _OPENING:
            open_marks.append((_OPENING[tag], place + 1))
    return found


def fitting(rules: HeadRules, penalty: float) -> ConstraintMaker:
    def options(tree: Tree, draw: random.Random) -> ParseOptions:
        return ParseOptions(
            dependencies=Dependencies(dependencies(tree, rules), _marks(tree), penalty)
        )

    return options


def random_heads(tree: Tree, draw: random.Random) -> ParseOptions:
    """Return the heads of the tree, moved to other words at random."""
    heads = dependencies(tree, COLLINS)
    order = list(range(len(heads)))
    draw.shuffle(order)
    moved = [0] * len(heads)
    for word, head in enumerate(heads):
        moved[order[word]] = order[head - 1] + 1 if head else 0
    return ParseOptions(dependencies=Dependencies(tuple(moved), _marks(tree)))


def _marks(tree: Tree) -> tuple[bool, ...]:
    return tuple(map(is_punctuation, tree.tags))


def constrained(constraints: Callable[[Tree, random.Random], list[Constraint]]) -> ConstraintMaker:
    return lambda tree, draw: DEFAULT_OPTIONS.with_constraints(constraints(tree, draw))


KINDS: dict[str, ConstraintMaker] = {
    "no constraints": lambda tree, draw: DEFAULT_OPTIONS,
    "noun phrases of several words": constrained(lambda tree, draw: noun_phrases(tree, "NP")),
    "noun phrases of several words, without their label": constrained(
        lambda tree, draw: noun_phrases(tree, None)
    ),
    "the same number of random brackets": constrained(random_brackets),
    "names that no constituent crosses (sequences of proper nouns)": constrained(
        lambda tree, draw: names(tree)
    ),
    "the same number of random sequences": constrained(random_rows),
    "quotations and brackets that no constituent crosses": constrained(
        lambda tree, draw: quoted(tree)
    ),
    "heads by Collins' rules, penalty 1": fitting(COLLINS, 1.0),
    "heads by Collins' rules, penalty 2": fitting(COLLINS, 2.0),
    "heads by Collins' rules, penalty 4": fitting(COLLINS, 4.0),
    "heads by UD's rules, penalty 2": fitting(UD, 2.0),
    "heads by Collins' rules, words shuffled, penalty 2": random_heads,
}

PAGE = """# F1 under gold constraints

F1 of `{model}` ({precision}) on development sentences, parsed under constraints. The constraints are a part of the gold tree, or the same number of random constraints.
A number in brackets is the number of sentences that have no tree under the constraints. These sentences count as trees without constituents.

{table}

Noun phrases and heads come from the gold trees. So these rows show the effect of correct constraints, not of the constraints that an annotator or
a tagger would make. Sequences of proper nouns and quotations come from the gold tags alone; some gold constituents do cross them.

{where}

`{again}`
"""

if __name__ == "__main__":
    main()
