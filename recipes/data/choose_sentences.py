"""Choose sentences of running text that a teacher is to parse, for models/*/make.

    python recipes/data/choose_sentences.py OUTPUT TEXT=SHARE...

TEXT: a file of English, plain or .xz, a paragraph a line; SHARE: how many of its sentences are taken, from 0 to 1. Sentences have 4 to 50
words, at least half of them begin with a letter, and none is taken twice. OUTPUT has one a line, in an order that is drawn, always the same.
"""

from __future__ import annotations

import argparse
import io
import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from bnaparser.files.compressed import open_compressed
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import split_lines

FEWEST, MOST = 4, 50
SEED = 1


def sentences(path: Path) -> Iterator[str]:
    """Yield the sentences of a file that are taken for one, each once."""
    with open_compressed(path) as raw:
        lines = io.TextIOWrapper(raw, encoding="utf-8")
        found = chain.from_iterable(split_lines(lines, "paragraph"))
        yield from dict.fromkeys(" ".join(one.text.split()) for one in found if fits(one))


def fits(sentence: Sentence) -> bool:
    """Tell whether it is of the right length and of words rather than numbers and marks."""
    words = sentence.words
    with_letters = sum(word[0].isalpha() for word in words)
    return FEWEST <= len(words) <= MOST and 2 * with_letters >= len(words)


def text_and_share(given: str) -> tuple[Path, float]:
    """Read what the command line says of a text."""
    path, _, share = given.rpartition("=")
    try:
        number = float(share)
    except ValueError:
        number = -1.0
    if not path or not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{given!r}: write TEXT=SHARE, a share from 0 to 1")
    return Path(path), number


def main() -> None:
    """Write the sentences that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("output", type=Path, metavar="OUTPUT")
    parser.add_argument("texts", nargs="+", type=text_and_share, metavar="TEXT=SHARE")
    options = parser.parse_args()
    draw = random.Random(SEED)
    chosen: list[str] = []
    for path, share in options.texts:
        found = list(sentences(path))
        chosen += draw.sample(found, round(share * len(found)))
    chosen = list(dict.fromkeys(chosen))
    draw.shuffle(chosen)
    options.output.write_text("\n".join(chosen) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
