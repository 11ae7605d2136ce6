"""Compare the nine counts of `bnaparser measure` with those of NeoSCA's own program, text by text.

    python -m benchmarks.measures.run_l2sca TREES... --neosca PYTHON --jar JAR [--texts 1000] [--invented 3000] [--seed 1]

PYTHON is that of an environment with ``neosca==0.0.55`` and ``jpype1`` (Java is needed). JAR is Stanford's, with
Tregex in it: ``stanford-tregex.jar`` or ``stanford-parser.jar`` (the package pntl 0.2.4 of PyPI has one). Of the
files texts of 1 to 30 adjacent trees are drawn. ``--invented`` adds texts of trees whose labels are drawn by
chance, among them constructions that no treebank has. Each text is measured by the command, with ROOT, TOP, S1 and
an empty label as top; NeoSCA reads it with ROOT. Writes ``l2sca.md`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from bnaparser.measures.l2sca import COUNTS
from bnaparser.treebanks.reading import find_trees
from bnaparser.trees.tree import Tree

Texts = list[list[str]]
"""Texts, each a list of trees in brackets."""

TOPS = ("ROOT", "TOP", "S1", "")
LONGEST = 30  # trees of a text
# What NeoSCA does with a file of trees, in its own environment: texts in JSON lines in, counts out.
ORACLE = """\
import json, sys
from neosca.querier import StanfordTregex
from neosca.structure_counter import StructureCounter
querier = StanfordTregex(classpaths=[sys.argv[1]])
for line in sys.stdin:
    counter = StructureCounter("text")
    querier.set_all_values(counter, json.loads(line))
    print(json.dumps({name: counter.get_value(name, 9) for name in counter.selected_measures}))
"""
PHRASES = (
    "S S S SBAR SBAR SBARQ SINV SQ SQ FRAG FRAG VP VP VP NP NP NP PP ADJP ADVP WHNP WHPP WHADVP"
    " UCP X PRN INTJ LST QP NX NAC CONJP PRT RRC"
)
TAGS = (
    "MD VB VBD VBG VBN VBP VBZ VBZ TO CC CC IN IN DT NN NN NNP NNS JJ POS PRP PRP$ WDT WP WRB RB RP CD UH"
    " LS EX PDT FW . , : `` '' -LRB- -RRB- $ # SYM HYPH"
)
WORDS = "that That for For house well-known its 's - -- – — ... \\/ * 3.14 É 喂 a.b -LRB- -RRB-"  # noqa: RUF001


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="TREES")
    parser.add_argument("--neosca", required=True, metavar="PYTHON")
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=1000, help="texts of each file")
    parser.add_argument("--invented", type=int, default=3000, help="texts of invented trees")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    where = f"{begun()}; {processor()}; {listed(versions(('bnaparser',)))}"
    again = command("benchmarks.measures.run_l2sca", without_folders(sys.argv[1:]))
    draw = random.Random(options.seed)
    lines = []
    for name, texts in _drawn(options, draw):
        theirs = neosca(texts, options.neosca, options.jar)
        differing = {top: _differing(measured(texts, top), theirs) for top in TOPS}
        total: Counter[str] = Counter()
        for counts in theirs:
            total.update({name: counts[name] for name in COUNTS})
        cells = [
            name,
            f"{len(texts):,}",
            f"{sum(map(len, texts)):,}",
            *(f"{total[count]:,}" for count in COUNTS),
            sum(differing.values()),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
        print(lines[-1], flush=True)
    head = f"| trees of | texts | trees | {' | '.join(COUNTS)} | differences |\n{'|---' * (len(COUNTS) + 4)}|\n"
    page = START + head + "\n".join([*lines, "", f"{where}; `{again}`", ""])
    Path(__file__).with_name("l2sca.md").write_text(page, encoding="utf-8")


START = """# Counts of L2SCA compared with NeoSCA's program

`bnaparser measure` and NeoSCA 0.0.55 compute the nine counts and the fourteen ratios of the same trees, for each text. NeoSCA's program is unchanged
and uses Stanford's Tregex (Java). The columns W to CN are the sums of NeoSCA's counts. The last column is the number of counts and ratios of single texts that differ. bnaparser reads
the trees with ROOT, TOP, S1 or no label at the top; NeoSCA always reads ROOT. The row `invented` has trees with random labels.

"""


def _drawn(options: argparse.Namespace, draw: random.Random) -> list[tuple[str, Texts]]:
    found = []
    for file in options.files:
        trees = [str(one.tree) for one in find_trees(file)]
        texts = []
        for _ in range(options.texts):
            first = draw.randrange(len(trees))
            texts.append(trees[first : first + draw.randint(1, LONGEST)])
        found.append((f"{file.parent.name}/{file.name}", texts))
    invented = [[invented_tree(draw)] for _ in range(options.invented)]
    return [*found, ("invented", invented)] if invented else found


def invented_tree(draw: random.Random) -> str:
    """Return a tree of up to eight levels with labels, tags and words that are drawn by chance."""

    def node(depth: int) -> str:
        if depth == 0 or draw.random() < 0.25:
            word = draw.choice(WORDS.split()) if draw.random() < 0.5 else "word"
            return f"({draw.choice(TAGS.split())} {word})"
        below = " ".join(node(depth - 1) for _ in range(draw.choice((1, 1, 2, 2, 2, 3, 4))))
        return f"({draw.choice(PHRASES.split())} {below})"

    several = 2 if draw.random() < 0.1 else 1
    return f"(TOP {' '.join(node(draw.randint(1, 8)) for _ in range(several))})"


def _under(tree: str, top: str) -> str:
    first = str(Tree.parse(tree))
    assert first.startswith("(TOP "), first
    return f"({top} {first[5:]}"


def neosca(texts: Texts, python: str, jar: Path) -> list[dict[str, Any]]:
    """Return what NeoSCA's program counts in each text."""
    lines = (json.dumps("\n".join(_under(tree, "ROOT") for tree in text)) + "\n" for text in texts)
    answer = subprocess.run(
        [python, "-c", ORACLE, str(jar)],
        input="".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        raise SystemExit(answer.stderr)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def measured(texts: Texts, top: str) -> list[dict[str, Any]]:
    """Return the table of `bnaparser measure` of the texts, a file each."""
    with TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            lines = "".join(f"{_under(tree, top)}\n" for tree in text)
            (Path(folder) / f"{number:06}.mrg").write_text(lines, encoding="utf-8")
        table = Path(folder) / "table.jsonl"
        typed = [sys.executable, "-m", "bnaparser", "measure", folder, "-f", "json", "-q"]
        subprocess.run([*typed, "-o", str(table)], check=True)
        return [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]


def _differing(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> int:
    count = 0
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        for name, value in other.items():
            # Six significant digits stand in the table.
            if abs(mine[name] - value) > 1e-5 * abs(value):
                print(f"text {number}: {name} is {mine[name]}, NeoSCA's {value}", file=sys.stderr)
                count += 1
    return count


if __name__ == "__main__":
    main()
