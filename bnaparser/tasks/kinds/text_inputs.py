"""What a network is called with: texts as tokens, with their syntax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.tokenizer_file import panics_told
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import SPECIAL, UNSUPERVISED, SyntaxSettings, first_pieces
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.kinds.answer_windows import AnswerReader, AnswerSettings

INPUTS = ("input_ids", "attention_mask", "token_type_ids")

Logits = Callable[[dict[str, Any]], NDArray[np.float32]]
"""A network: what it is called with in, logits out."""


@dataclass
class TextInputs:
    """Makes a network's inputs of texts, or pairs of texts, for an encoder of ``max_pieces``."""

    tokenizer: PreTrainedTokenizerBase
    max_pieces: int
    pair: bool
    variant: SyntaxSettings | None
    answers: AnswerSettings

    @cached_property
    def reader(self) -> AnswerReader:
        """What makes windows of questions and passages."""
        return AnswerReader(self.tokenizer, self.answers, self.max_pieces)

    @panics_told()
    def tokenize(self, examples: Sequence[PreparedExample], max_pieces: int | None = None) -> Any:
        """Return the tokens of the examples' words, padded, as tensors."""
        return self.tokenizer(
            [list(example.structures[0].words) for example in examples],
            [list(e.structures[1].words) for e in examples] if self.pair else None,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=min(max_pieces or self.max_pieces, self.max_pieces),
            return_tensors="pt",
        )

    def of(self, examples: Sequence[PreparedExample], tokens: Any) -> dict[str, Any]:
        """Return what the network is called with for examples and their tokens, on the CPU."""
        batch: dict[str, Any] = {name: tokens[name] for name in INPUTS if name in tokens}
        if self.variant is not None:
            batch["syntax"] = collate([_text(e.structures) for e in examples], tokens, self.variant)
        return batch

    def first_unread(self, words: Words) -> int | None:
        """Return the first word of a text that is beyond the encoder's length; None where all are read."""
        tokens = self.tokenize([PreparedExample((Structure(words, None),))])
        if not tokens.encodings[0].overflowing:
            return None
        read = np.flatnonzero(places_of_words(tokens, 0, len(words)) != UNSUPERVISED)
        first = int(read.max(initial=-1)) + 1
        return first if first < len(words) else None  # of the last word the beginning may do


def places_of_words(tokens: Any, row: int, words: int) -> NDArray[np.int64]:
    """Return the place of each word's first piece, UNSUPERVISED where it has none."""
    token_words = [SPECIAL if word is None else word for word in tokens.word_ids(row)]
    return first_pieces(np.array(token_words, np.int64), words)


def estimated_tokens(words: int) -> int:
    """Return about how many tokens a text of so many words has.

    A word is about 1.3 subwords, and special tokens come with every text.
    """
    return 4 * words // 3 + 3


def _text(structures: tuple[Structure, ...]) -> Structure | tuple[Structure, Structure]:
    return structures[0] if len(structures) == 1 else (structures[0], structures[1])
