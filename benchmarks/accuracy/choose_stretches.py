"""Choose the stretches of a treebank whose noun phrases have as many noun phrases before their noun as those of another file.

    python -m benchmarks.accuracy.choose_stretches TREES LIKE OUTPUT [--length N] [--least SHARE]

The annotators of a treebank differ: some bracket "[NP [NP T cell] activation]" where others leave "[NP T cell activation]" flat. A parser
that reads both gives the second where it is in doubt. TREES is cut into stretches of so many sentences in the file's order. Written are those
that, with the stretch before and after them, have at least SHARE of the phrases a word that LIKE has.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bnaparser.treebanks.reading import load_clean_trees
from bnaparser.trees.tree import Tree


@dataclass(frozen=True)
class PhraseCount:
    """Noun phrases before the noun of another one, and words."""

    phrases: int
    words: int

    @property
    def per_word(self) -> float:
        return self.phrases / max(1, self.words)


def count(trees: Sequence[Tree]) -> PhraseCount:
    """Count the noun phrases that a noun follows within a larger noun phrase, and all words."""
    return PhraseCount(sum(map(_phrases, trees)), sum(len(tree.words) for tree in trees))


def _phrases(tree: Tree) -> int:
    phrases = [span for span in tree.spans() if "NP" in span.label.split("::")]
    return sum(
        any(outer.start <= inner.start and inner.end < outer.end for outer in phrases)
        for inner in phrases
        if inner.end < len(tree.words) and tree.tags[inner.end].startswith("NN")
    )


def choose(trees: Sequence[Tree], like: float, length: int, least: float) -> list[Tree]:
    """Return the trees of the stretches of ``length`` that have ``least`` of ``like`` phrases a word or more."""
    stretches = [trees[first : first + length] for first in range(0, len(trees), length)]
    counts = [count(stretch) for stretch in stretches]
    chosen: list[Tree] = []
    for place, stretch in enumerate(stretches):
        near = counts[max(0, place - 1) : place + 2]
        found = PhraseCount(sum(one.phrases for one in near), sum(one.words for one in near))
        if found.per_word >= least * like:
            chosen += stretch
    return chosen


def main() -> None:
    """Write the trees that the command line asks for, and say how many."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("trees", "like", "output"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    parser.add_argument(
        "--length", type=int, default=75, help="sentences of a stretch (%(default)s)"
    )
    parser.add_argument("--least", type=float, default=0.65, help="share (%(default)s)")
    options = parser.parse_args()
    trees = load_clean_trees(options.trees)
    like = count(load_clean_trees(options.like))
    chosen = choose(trees, like.per_word, options.length, options.least)
    options.output.write_text("".join(f"{tree}\n" for tree in chosen), encoding="utf-8")
    for name, those in (("trees", trees), ("chosen", chosen)):
        print(f"{name}: {len(those)} with {1000 * count(those).per_word:.1f} a thousand words")
    print(f"like: {1000 * like.per_word:.1f}")


if __name__ == "__main__":
    main()
