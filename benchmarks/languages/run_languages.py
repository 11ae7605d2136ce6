"""How well raw text of a language is parsed: its words, its trees, beside the treebank's own words.

``python -m benchmarks.languages.run_languages TREEBANKS zh-Hant=runs/zh/model es=runs/es/model`` prints a
row for each model. ``--part test`` takes the test part, once, at the end; by default it is the
development part. Columns: EVALB's F1 for given words; of raw text, a sentence at a time, the F1 of words,
the F1 of constituents by their label and place in the text (blanks do not count), and the share of
sentences with all words right; sentences a second, given words and raw.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks.languages.detokenised import Detokenised, detokenised
from benchmarks.languages.round_trip import TREEBANKS
from benchmarks.machine import now, processor
from bnaparser.eval import score
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.tree import CHAIN, Span, Tree

Places = Sequence[tuple[int, int]]
Item = TypeVar("Item")


class F1(NamedTuple):
    right: int
    found: int
    wanted: int

    def __float__(self) -> float:
        return 200 * self.right / max(1, self.found + self.wanted)


class RawScores(NamedTuple):
    """What a model makes of text, its sentences given: see the module's columns."""

    words: F1
    constituents: F1
    whole: int


def raw_scores(
    gold: Sequence[Tree], texts: Sequence[Detokenised], found: Sequence[Parse]
) -> RawScores:
    """Compare parses of texts with the trees whose words the texts were made of."""
    words, constituents, whole = F1(0, 0, 0), F1(0, 0, 0), 0
    for tree, text, parse in zip(gold, texts, found, strict=True):
        visible = _visible(text.text)
        # A parse counts in the text; a constituent, in the characters that are no blanks.
        mine = [(visible[start], visible[end]) for start, end in parse.offsets]
        wanted = [(visible[start], visible[end]) for start, end in text.places]
        words = _more(words, Counter(mine), Counter(wanted))
        constituents = _more(
            constituents, _placed(parse.spans, mine), _placed(tree.spans(), wanted)
        )
        whole += list(parse.words) == text.words
    return RawScores(words, constituents, whole)


def _visible(text: str) -> list[int]:
    """Return of each place of a text how many characters before it are no blanks."""
    return [0, *accumulate(not character.isspace() for character in text)]


def _placed(spans: Iterable[Span], places: Places) -> Counter[tuple[str, int, int]]:
    return Counter(
        (label, places[span.start][0], places[span.end - 1][1])
        for span in spans
        for label in span.label.split(CHAIN)
    )


def _more(counted: F1, found: Counter[Item], wanted: Counter[Item]) -> F1:
    right = (found & wanted).total()
    return F1(counted.right + right, counted.found + found.total(), counted.wanted + wanted.total())


def gold_trees(treebanks: Path, language: str, part: str) -> list[Tree]:
    """Return a treebank's trees with the labels that a parser learns: IP of IP-MAT."""
    file = treebanks / TREEBANKS[language] / f"{part}.txt.xz"
    return [tree for tree in map(clean, load_trees(file)) if tree is not None]


def row(language: str, model: str, trees: Sequence[Tree]) -> str:
    """Return the row of a model for one of its languages."""
    parser = Parser.load(model, language=language)
    parser.parse_words(trees[0].words)  # compiles what is compiled on first use
    given = [tree.words for tree in trees]
    clock = time.perf_counter()
    parses = parser.parse_many(given)
    words_seconds = time.perf_counter() - clock
    known = [
        Tree.from_spans(tree.words, tree.tags, parse.spans)
        for tree, parse in zip(trees, parses, strict=True)
    ]
    texts = [detokenised(words, language) for words in given]
    clock = time.perf_counter()
    raw = parser.parse_sentences([parser.text.sentence(text.text) for text in texts])
    raw_seconds = time.perf_counter() - clock
    scores = raw_scores(trees, texts, raw)
    cells = [
        f"{score(trees, known).f1:.2f}",
        f"{float(scores.words):.2f}",
        f"{float(scores.constituents):.2f}",
        f"{100 * scores.whole / len(trees):.1f}",
        f"{len(trees) / words_seconds:.0f}",
        f"{len(trees) / raw_seconds:.0f}",
    ]
    return f"| {language} | {model} | {len(trees):,} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("treebanks", type=Path, metavar="TREEBANKS")
    parser.add_argument("models", nargs="+", metavar="LANGUAGE=MODEL")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    options = parser.parse_args()
    print(f"{now()} UTC, {processor()}; {options.part}\n")
    print("| | model | sentences | given words F1 | words F1 | raw F1 | whole | a second | raw |")
    print("|---|---|---|---|---|---|---|---|---|")
    for named in options.models:
        language, _, model = named.partition("=")
        print(
            row(language, model, gold_trees(options.treebanks, language, options.part)), flush=True
        )


if __name__ == "__main__":
    main()
