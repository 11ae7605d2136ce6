"""Choose the stretches of a treebank whose noun phrases have as many noun phrases at their end as those of another file.

    python recipes/data/choose_stretches.py TREES LIKE OUTPUT [--length N] [--least SHARE]

The annotators of a treebank differ: some bracket "[NP the [NP VDR mRNA]]" where others leave "[NP the VDR mRNA]" flat. A parser that reads
both gives the second where it is in doubt. TREES is cut into stretches of so many sentences in the file's order. Written are those that, with
the stretch before and after them, have at least SHARE of the phrases a word that LIKE has.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bnaparser.treebanks.reading import load_clean_trees
from bnaparser.trees.tree import CHAIN, Span, Tree

JOINING = ("CC", ",", ":")  # tags of what stands between phrases that are joined


@dataclass(frozen=True)
class PhraseCount:
    """Noun phrases at the end of larger ones, and words."""

    phrases: int
    words: int

    @property
    def per_word(self) -> float:
        """How many of these phrases a word has in the mean."""
        return self.phrases / max(1, self.words)


def count(trees: Sequence[Tree]) -> PhraseCount:
    """Count the noun phrases at the end of larger ones, and all words."""
    return PhraseCount(sum(map(_phrases, trees)), sum(len(tree.words) for tree in trees))


def _phrases(tree: Tree) -> int:
    """Count the noun phrases right within a larger one that ends with them, but for the last of several that are joined."""
    spans = list(tree.spans())
    found = 0
    for inner in spans:
        around = [one for one in spans if _holds(one, inner)]
        if not around or inner.label.split(CHAIN)[0] != "NP":
            continue
        outer = min(around, key=lambda one: one.end - one.start)
        joined = inner.start > outer.start and tree.tags[inner.start - 1] in JOINING
        at_end = outer.label.split(CHAIN)[-1] == "NP" and outer.end == inner.end
        found += at_end and not joined
    return found


def _holds(outer: Span, inner: Span) -> bool:
    larger = outer.end - outer.start > inner.end - inner.start
    return larger and outer.start <= inner.start and inner.end <= outer.end


def choose(trees: Sequence[Tree], like: float, length: int, least: float) -> list[Tree]:
    """Return the trees of the stretches of ``length`` that, with those before and after them, have ``least`` of ``like`` phrases a word."""
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
