"""Write the trees of constructions.toml, those to train on and those to test, beside it.

    python recipes/data/write_constructions.py [FOLDER]

The same trees are written every time. A gap of a shape is filled with words of one half of its list
in training and of the other half in tests; no word stands in two gaps of one sentence.
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from bnaparser import Tree

HERE = Path(__file__).parent
SHAPES = HERE / "constructions.toml"
# Trees of each shape.
TRAINED, TESTED, TESTED_ONLY = 6, 3, 5
Part = Literal["train", "test"]
_GAP = re.compile(r"\{(\w+)\}")
_TRIES = 100


def main() -> None:
    """Write both parts into the folder that the command line names."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, nargs="?", default=HERE)
    folder = arguments.parse_args().folder
    parts: tuple[Part, ...] = ("train", "test")
    for part in parts:
        trees = [tree for _, tree in constructions(part)]
        text = "".join(f"{tree}\n" for tree in trees)
        (folder / f"constructions_{part}.mrg").write_text(text, encoding="utf-8")
        print(f"{part}: {len(trees)} trees")


def constructions(part: Part) -> Iterator[tuple[str, Tree]]:
    """Yield the trees of a part with the names of their constructions, none twice."""
    table = tomllib.loads(SHAPES.read_text(encoding="utf-8"))
    gaps = {name: _half(words, part) for name, words in table["gaps"].items()}
    seen: set[Tree] = set()
    for construction in table["construction"]:
        name = construction["name"]
        shapes = [
            (shape, TRAINED if part == "train" else TESTED) for shape in construction["trees"]
        ]
        if part == "test":
            shapes += [(shape, TESTED_ONLY) for shape in construction.get("tested_only", ())]
        for shape, count in shapes:
            generator = random.Random(f"{name} {shape}")
            for tree in _filled(shape, gaps, count, generator, seen):
                yield name, _in_capitals(tree) if construction.get("capitals") else tree


def _half(words: list[str], part: Part) -> list[str]:
    middle = (len(words) + 1) // 2
    return words[:middle] if part == "train" else words[middle:]


def _filled(
    shape: str,
    gaps: dict[str, list[str]],
    count: int,
    generator: random.Random,
    seen: set[Tree],
) -> Iterator[Tree]:
    """Yield so many trees of a shape that were not seen yet; fewer where its gaps give no more."""
    for _ in range(_TRIES):
        used: set[str] = set()

        def word(gap: re.Match[str], used: set[str] = used) -> str:
            chosen = generator.choice([word for word in gaps[gap[1]] if word not in used])
            used.add(chosen)
            return chosen

        tree = _beginning_with_a_capital(Tree.parse(f"(TOP {_GAP.sub(word, shape)})"))
        if tree not in seen:
            seen.add(tree)
            yield tree
            count -= 1
        if count == 0:
            return


def _beginning_with_a_capital(tree: Tree) -> Tree:
    words = list(tree.words)
    first = next(place for place, word in enumerate(words) if word[0].isalnum())
    words[first] = words[first][0].upper() + words[first][1:]
    return Tree.from_spans(words, tree.tags, tree.spans())


def _in_capitals(tree: Tree) -> Tree:
    return Tree.from_spans([word.upper() for word in tree.words], tree.tags, tree.spans())


if __name__ == "__main__":
    main()
