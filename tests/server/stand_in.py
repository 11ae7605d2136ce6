"""A service on a parser that is a stand-in: a text tells it how long to take.

    python tests/server/stand_in.py KIND [the options of bnaparser serve]

KIND ``load`` serves; "SLEEP 1.5 ..." takes 1.5 seconds. ``refuse`` cannot load its model, ``dawdle``
never ends loading it, nor does ``third_dawdles`` in its third worker. Real processes start quickly so, and are where a test wants them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

from bnaparser.cli import serve as verb
from bnaparser.errors import BnaparserError, ModelError
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.result import Parse
from bnaparser.server.process.lifecycle import serve
from bnaparser.server.settings import ServerSettings
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import ENGLISH
from bnaparser.trees.tree import Span


class StandInParser:
    """Gives each sentence a flat tree of its own words."""

    predicts_tags = True
    reads_tags = False
    text = ENGLISH
    languages = ("en",)
    labels = ("S",)
    model = SimpleNamespace(
        device="cpu", prefer_single_thread=False, labels=SimpleNamespace(names=("", "S"))
    )
    networks: ClassVar[dict[str, Any]] = {"en": model}

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        options: Sequence[ParseOptions] = (),
    ) -> list[Parse]:
        """Take the longest time that a sentence asks for, for all of them."""
        time.sleep(max(seconds(sentence) for sentence in sentences))
        return [flat(sentence) for sentence in sentences]


def seconds(sentence: Sentence) -> float:
    """How long a sentence that begins with SLEEP wants to take."""
    return float(sentence.words[1]) if sentence.words[:1] == ("SLEEP",) else 0.0


def flat(sentence: Sentence) -> Parse:
    """A tree of one constituent, or an error for a sentence without words."""
    words = sentence.words
    if not words:
        return Parse(sentence.text, error="the sentence has no words")
    spans = (Span(0, len(words), "S", 1.0),)
    return Parse(sentence.text, words, ("XX",) * len(words), spans, 1.0, sentence.offsets)


def load(settings: ServerSettings) -> Any:
    """Load at once."""
    return StandInParser()


def refuse(settings: ServerSettings) -> Any:
    """Find the model damaged."""
    raise ModelError("model.safetensors is cut short")


def dawdle(settings: ServerSettings) -> Any:
    """Never be ready."""
    time.sleep(600)


def third_dawdles(settings: ServerSettings) -> Any:
    """Load at once in the first two workers only."""
    if multiprocessing.current_process().name == "worker-3":
        dawdle(settings)
    return load(settings)


def main() -> None:
    """Serve until a signal comes; exit with 2 and one sentence when that cannot be."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("kind", choices=("load", "refuse", "dawdle", "third_dawdles"))
    verb.add_arguments(arguments)
    options = arguments.parse_args()
    try:
        serve(verb.settings_of(options), globals()[options.kind])
    except BnaparserError as error:
        print(f"bnaparser: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
