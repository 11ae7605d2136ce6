"""A question and its passage as an encoder reads them: windows of subwords, which overlap.

A passage that does not fit goes through the encoder in several windows, each beside the whole
question; one begins ``stride`` subwords after the one before. An answer lies in one window, and is
taught in all that hold the whole of it; the others are taught that there is none (Devlin and others
2019, and their program for SQuAD).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, model_validator
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import SettingsError
from bnaparser.settings import Settings
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import SPECIAL, SyntaxSettings
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.examples import PreparedExample, Span

Ints = NDArray[np.int64]

# How SentencePiece and byte-level BPE write a blank.
_BLANKS = {"\u2581", "\u0120"}


class AnswerSettings(Settings):
    """How a question answering model reads passages, in windows of subwords.

    The defaults are from BERT's program for SQuAD.
    """

    max_seq_length: int = Field(384, gt=0)
    """Subwords of a window: the question, special tokens and a part of the passage."""
    doc_stride: int = Field(128, gt=0)
    """Subwords of the passage from the start of a window to the start of the next window."""
    max_query_length: int = Field(64, gt=0)
    """The question is cut to this many subwords."""
    max_answer_length: int = Field(30, gt=0)
    """Subwords of the longest answer."""
    n_best_size: int = Field(5, gt=0)
    """Number of answers that are returned."""

    @model_validator(mode="after")
    def _capacity(self) -> AnswerSettings:
        if self.max_query_length * 2 > self.max_seq_length:
            raise ValueError(
                "max_query_length is at most half of max_seq_length: the rest is for the passage"
            )
        return self


@dataclass(frozen=True)
class Pieces:
    """The subwords of the words of a text, P of them.

    ``words`` (P) are the numbers of their words; ``starts`` and ``ends`` (P) say where in the text
    each stands, in characters: the first subword of a word begins with it, the last one ends with it.
    A subword without characters, such as a "▁" alone before its word, begins where the next characters
    begin, and ends where those before it end.
    """

    ids: Ints
    words: Ints
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, begin: int, end: int) -> Pieces:
        """Return the subwords from ``begin`` to ``end``."""
        here = slice(begin, end)
        return Pieces(self.ids[here], self.words[here], self.starts[here], self.ends[here])

    def inside(self, answer: Span) -> tuple[int, int] | None:
        """Return the first and the last subword of a part of the text; None if it has none."""
        found = np.flatnonzero((self.ends > answer[0]) & (self.starts < answer[1]))
        return (int(found[0]), int(found[-1])) if len(found) else None


@panics_as_errors()
def pieces_of(tokenizer: PreTrainedTokenizerBase, words: Words, places: Sequence[Span]) -> Pieces:
    """Return the subwords of the words at ``places`` of a text."""
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    encoding = backend.encode(list(words), is_pretokenized=True, add_special_tokens=False)
    owners = np.array(encoding.word_ids, np.int64)
    begins, ends = np.array(places, np.int64).reshape(-1, 2).T
    within = np.array(encoding.offsets, np.int64).reshape(-1, 2)
    new = np.diff(owners, prepend=-1) != 0
    last = np.diff(owners, append=len(words)) != 0
    # A blank alone that a tokenizer puts before a word may have the place of the word's first character.
    blank = np.array([token in _BLANKS for token in encoding.tokens], np.bool_) & new & ~last
    within[blank & (np.roll(within[:, 0], -1) == 0), 1] = 0
    starts = np.minimum(begins[owners] + within[:, 0], ends[owners])
    stops = np.minimum(begins[owners] + within[:, 1], ends[owners])
    starts[new], stops[last] = begins[owners[new]], ends[owners[last]]
    written = stops > starts
    stops = np.where(written, stops, np.maximum.accumulate(np.where(written, stops, 0)))
    return Pieces(np.array(encoding.ids, np.int64), owners, starts, stops)


@dataclass(frozen=True)
class AnswerWindow:
    """One window: T tokens, of which those from ``first`` on are P subwords of the passage.

    ``types`` (T) says whether a token is the question's or the passage's, as the encoder does.
    ``words`` (T) has the word of each token, the passage's counted on from the question's, or
    SPECIAL. ``starts`` and ``ends`` (P) are the places of its subwords in the passage, in characters.
    ``null`` is the token that stands for no answer, ``target`` are those where the right answer
    begins and ends: twice ``null`` where the window does not hold the whole of it.
    """

    ids: Ints
    types: Ints
    words: Ints
    first: int
    starts: Ints
    ends: Ints
    null: int
    target: tuple[int, int]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def passage(self) -> slice:
        """The tokens that are the passage's."""
        return slice(self.first, self.first + len(self.starts))


@dataclass(frozen=True)
class TrainingWindow:
    """One window of a question and its passage to train on; ``size`` is the number of its tokens."""

    example: PreparedExample
    number: int
    size: int


class AnswerReader:
    """Makes windows of questions with their passages, for a tokenizer, and batches of windows.

    ``max_pieces`` is what the encoder takes at most. Raises SettingsError if that leaves the
    passage no space.
    """

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, settings: AnswerSettings, max_pieces: int
    ):
        self.tokenizer, self.settings = tokenizer, settings
        tokenizer.backend_tokenizer.no_truncation()
        # How the tokenizer puts two texts together is seen from two of them.
        pair = tokenizer(["a"], ["a"], is_split_into_words=True, return_token_type_ids=True)
        ids, types = (np.array(pair[name], np.int64) for name in ("input_ids", "token_type_ids"))
        of_text = pair.sequence_ids(0)
        question_words = [place for place, text in enumerate(of_text) if text == 0]
        read = [place for place, text in enumerate(of_text) if text == 1]
        gaps = [
            slice(0, question_words[0]),
            slice(question_words[-1] + 1, read[0]),
            slice(read[-1] + 1, len(ids)),
        ]
        self._special = [ids[gap] for gap in gaps]
        self._types = [types[gap] for gap in gaps]
        self._text_types = types[question_words[0]], types[read[0]]
        self._capacity = min(settings.max_seq_length, max_pieces) - sum(map(len, self._special))
        if self._capacity <= settings.max_query_length:
            own = settings.max_seq_length <= max_pieces
            limit = "answers.max_seq_length is" if own else "the encoder takes"
            raise SettingsError(
                f"{limit} {min(settings.max_seq_length, max_pieces)} subwords, which leaves none for the passage after a"
                f" question of {settings.max_query_length} subwords: set answers.max_query_length to less"
            )

    def windows(self, example: PreparedExample) -> list[AnswerWindow]:
        """Return the windows of a question and its passage, in order; there is at least one window."""
        assert example.written is not None
        question_words, read = example.structures[0].words, example.structures[1].words
        question = pieces_of(self.tokenizer, question_words, [(0, 0)] * len(question_words))
        question = question.part(0, self.settings.max_query_length)
        passage = pieces_of(self.tokenizer, read, example.written.places)
        answer = None if example.answer is None else passage.inside(example.answer)
        capacity = self._capacity - len(question)
        step = min(self.settings.doc_stride, capacity)
        begins = [0]
        while begins[-1] + capacity < len(passage):
            begins.append(begins[-1] + step)
        return [
            self._window(
                question,
                passage.part(begin, begin + capacity),
                len(question_words),
                _moved(answer, begin),
            )
            for begin in begins
        ]

    def _window(
        self, question: Pieces, passage: Pieces, question_words: int, answer: tuple[int, int] | None
    ) -> AnswerWindow:
        """Put question and subwords of the passage together; ``answer`` counts in these subwords."""
        before, between, after = self._special
        ids = np.concatenate([before, question.ids, between, passage.ids, after])
        types = np.concatenate(
            [
                self._types[0],
                np.full(len(question), self._text_types[0]),
                self._types[1],
                np.full(len(passage), self._text_types[1]),
                self._types[2],
            ]
        )
        words = np.full(len(ids), SPECIAL)
        words[len(before) : len(before) + len(question)] = question.words
        first = len(before) + len(question) + len(between)
        words[first : first + len(passage)] = passage.words + question_words
        null = self._null(ids, words)
        inside = answer is not None and answer[0] >= 0 and answer[1] < len(passage)
        target = (first + answer[0], first + answer[1]) if answer and inside else (null, null)
        return AnswerWindow(ids, types, words, first, passage.starts, passage.ends, null, target)

    def _null(self, ids: Ints, words: Ints) -> int:
        """Return the token for no answer: the one that stands for the text, else the last special one."""
        special = np.flatnonzero(words == SPECIAL)
        first = [place for place in special if ids[place] == self.tokenizer.cls_token_id]
        return int(first[0] if first else special[-1] if len(special) else 0)

    def inputs(
        self,
        windows: Sequence[AnswerWindow],
        structures: Sequence[tuple[SyntaxTrees, ...]],
        variant: SyntaxSettings | None,
    ) -> tuple[dict[str, Any], Ints]:
        """Return what the network is called with, and where each window begins in its padded row.

        ``structures`` are those of each window's question and passage. ``allowed`` (B, T) says where
        an answer may begin or end: in the passage, or at the token for none.
        """
        length = max(map(len, windows))
        left = self.tokenizer.padding_side == "left"
        offsets = np.array([length - len(window) if left else 0 for window in windows])
        shape = len(windows), length
        ids = np.full(shape, self.tokenizer.pad_token_id or 0)
        types = np.full(shape, self.tokenizer.pad_token_type_id)
        seen, allowed = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        words = np.full(shape, SPECIAL)
        near = []
        for row, (window, pair) in enumerate(zip(windows, structures, strict=True)):
            here = slice(offsets[row], offsets[row] + len(window))
            ids[row, here], types[row, here], seen[row, here] = window.ids, window.types, 1
            allowed[row, here][window.passage] = True
            allowed[row, here][window.null] = True
            near.append(_near(window, pair))
            words[row, here] = near[-1][1]
        batch: dict[str, Any] = {
            "input_ids": torch.from_numpy(ids),
            "attention_mask": torch.from_numpy(seen),
        }
        if variant is not None:
            numbers = [
                [None if word == SPECIAL else word for word in row] for row in words.tolist()
            ]
            batch["syntax"] = collate([pair for pair, _ in near], batch, variant, numbers)
        if "token_type_ids" in self.tokenizer.model_input_names:
            batch["token_type_ids"] = torch.from_numpy(types)
        return {**batch, "allowed": torch.from_numpy(allowed)}, offsets

    def training_batch(
        self, items: Sequence[TrainingWindow], variant: SyntaxSettings | None
    ) -> dict[str, Any]:
        """Return the inputs of windows, and as labels (B, 2) where their answers begin and end."""
        windows = [self.windows(item.example)[item.number] for item in items]
        structures = [item.example.structures for item in items]
        batch, offsets = self.inputs(windows, structures, variant)
        targets = np.array([window.target for window in windows]) + offsets[:, None]
        return {**batch, "labels": torch.from_numpy(targets)}


def _near(
    window: AnswerWindow, structures: tuple[SyntaxTrees, ...]
) -> tuple[tuple[SyntaxTrees, SyntaxTrees], Ints]:
    """Return the syntax of the question and of those sentences of the passage that a window has.

    And its words by their numbers in these: masks of a book's words would fill the memory.
    """
    question, passage = structures
    question_words = len(question.words)
    words = window.words.copy()
    here = words[window.passage]
    if not len(here):
        return (question, passage), words
    begin, part = passage.sentences(
        int(here[0]) - question_words, int(here[-1]) + 1 - question_words
    )
    words[window.passage] -= begin
    return (question, part), words


def _moved(pieces: tuple[int, int] | None, begin: int) -> tuple[int, int] | None:
    return None if pieces is None else (pieces[0] - begin, pieces[1] - begin)
