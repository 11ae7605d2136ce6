"""Sentences as the network takes them: in windows, with the numbers of their tags where it reads tags."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.encoders.subwords import Window
from bnaparser.network.labels import Inventory
from bnaparser.network.word_forms import word_forms, word_shapes

if TYPE_CHECKING:
    from bnaparser.encoders.characters import CharacterWindow

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PreparedSentence:
    """A sentence ready for the network: its windows and, where the model takes them, tags and shapes.

    ``tags`` and ``shapes`` (`word_shapes`) are int64 (words,). ``forms`` (`word_forms`), int8 (words,), decide
    which tags the words can have.
    """

    words: int
    windows: tuple[Window, ...] | tuple[CharacterWindow, ...]
    tags: NDArray[np.int64] | None = None
    shapes: NDArray[np.int64] | None = None
    forms: NDArray[np.int8] | None = None

    @property
    def size(self) -> int:
        """Subwords (or words) that the sentence takes in a batch."""
        return sum(window.size for window in self.windows)


def prepare_sentences(
    network: Any,
    windows: Sequence[Sequence[Window]] | Sequence[Sequence[CharacterWindow]],
    sentences: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]] | None,
    written: Sequence[Sequence[str]] | None,
) -> list[PreparedSentence]:
    """Return sentences as a network takes them, given their ``windows``; see `ParsingNetwork.prepare`."""
    numbers: Sequence[NDArray[np.int64] | None] = [None] * len(sentences)
    if network.settings.tags.given:
        if tags is None:
            raise ValueError(
                "this model needs part-of-speech tags as input: give a list of tags for each sentence"
            )
        numbers = number_tags(tags, network.tags)
    reads_shapes = network.settings.layers.word_shapes
    return [
        PreparedSentence(
            len(words),
            tuple(of),  # type: ignore[arg-type]  # windows of one kind, which the types do not say
            row,
            word_shapes(words) if reads_shapes else None,
            word_forms(own),
        )
        for words, of, row, own in zip(
            sentences, windows, numbers, written or sentences, strict=True
        )
    ]


def number_tags(tags: Sequence[Sequence[str]], known: Inventory) -> list[NDArray[np.int64]]:
    """Return the numbers of the tags, from 1 on; 0 for a tag that did not occur in training.

    Where all are such, a warning is logged.
    """
    given = {tag for row in tags for tag in row}
    if given and not any(tag in known for tag in given):
        theirs, ours = (", ".join(sorted(names)[:5]) for names in (given, known.names))
        log.warning(
            "the model knows none of these part-of-speech tags: %s; the model's tags are %s",
            theirs,
            ours,
        )
    return [np.array([known.number(tag, -1) + 1 for tag in row], np.int64) for row in tags]


def window_numbers(
    batch: Sequence[PreparedSentence], numbers: Sequence[NDArray[np.int64] | None]
) -> list[NDArray[np.int64]]:
    """Return words' numbers (tags, shapes) window by window, with 0 for START and STOP."""
    rows = []
    for sentence, own in zip(batch, numbers, strict=True):
        assert own is not None  # else it was not prepared by this model
        for window in sentence.windows:
            row = np.zeros(window.words + 2, np.int64)
            row[1:-1] = own[window.first_word : window.first_word + window.words]
            rows.append(row)
    return rows


def forms_of(batch: Sequence[PreparedSentence]) -> NDArray[np.int8]:
    """Return the `WordForm` of all words of a batch, int8 (words,)."""
    forms = [one.forms for one in batch if one.forms is not None]
    assert len(forms) == len(batch)  # else they were not prepared by a model
    return np.concatenate(forms)


def position_rows(
    batch: Sequence[PreparedSentence], positions: int | None = None
) -> NDArray[np.int64]:
    """Return, for START, words and STOP of every sentence, the row in its best window.

    A window has this number of ``positions``, padding counted, or its own number.

    Where windows overlap, a word is read where it stands farthest from the window's ends.
    """
    rows: list[NDArray[np.int64]] = []
    base = 0
    for sentence in batch:
        if len(sentence.windows) == 1:
            rows.append(np.arange(base, base + sentence.words + 2))
            base += positions or sentence.words + 2
            continue
        best = np.full(sentence.words + 2, -1)
        row = np.zeros(sentence.words + 2, np.int64)
        for window in sentence.windows:
            inside = np.arange(window.words + 2)
            margin = np.minimum(inside, inside[::-1])
            place = slice(window.first_word, window.first_word + window.words + 2)
            # A window's START and STOP stand in only at the ends of the sentence.
            better = margin > best[place]
            better[0] &= window.first_word == 0
            better[-1] &= window.first_word + window.words == sentence.words
            best[place] = np.where(better, margin, best[place])
            row[place] = np.where(better, base + inside, row[place])
            base += positions or window.words + 2
        rows.append(row)
    return np.concatenate(rows)


def words_and_sides(lengths: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows of `position_rows` are words, and which stand to the left of a fencepost.

    To the right of a fencepost is always the next row.
    """
    sizes = np.array(lengths) + 2
    ends = sizes.cumsum()
    is_word, has_right = (np.ones(ends[-1], np.bool_) for _ in range(2))
    is_word[ends - sizes] = is_word[ends - 1] = has_right[ends - 1] = False
    return np.flatnonzero(is_word), np.flatnonzero(has_right)
