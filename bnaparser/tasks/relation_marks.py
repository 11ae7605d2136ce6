"""Texts with two marked parts, whose relation is asked for, and their marks among an encoder's tokens.

The marks are four tokens of their own around the parts, and a text is represented by the encoder's
last states at the two opening ones, one after the other: "entity markers" with "entity start" of
Baldini Soares and others (Matching the Blanks, 2019, section 3.2).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.tokenizer_panics import panics_told
from bnaparser.errors import DataError
from bnaparser.tasks.examples import PreparedExample, Span, Written

MARKS = ("[E1]", "[/E1]", "[E2]", "[/E2]")
NOT_MARKED = (
    "mark the two parts whose relation is asked for, each once: [E1]...[/E1] and [E2]...[/E2]"
)
_MARK = re.compile("|".join(map(re.escape, MARKS)))


def read_marks(text: str) -> tuple[str, tuple[Span, Span]]:
    """Return a text without its marks, and where the two parts stand in it.

    Raises DataError where a mark is missing, stands twice, or closes before it opens, and where a
    part is blank.
    """
    plain, places, end = "", {}, 0
    found = list(_MARK.finditer(text))
    for mark in found:
        plain += text[end : mark.start()]
        places[mark.group()] = len(plain)
        end = mark.end()
    plain += text[end:]
    if len(found) != len(MARKS) or len(places) != len(MARKS):
        raise DataError(NOT_MARKED)
    first = places["[E1]"], places["[/E1]"]
    second = places["[E2]"], places["[/E2]"]
    if not plain[slice(*first)].strip() or not plain[slice(*second)].strip():
        raise DataError(f"a marked part is empty: {NOT_MARKED}")
    return plain, (first, second)


@dataclass(frozen=True)
class MarkedWords:
    """The words of a text with its marks among them; ``words`` says which word each is, None: a mark.

    A word within which a part begins or ends stands in two pieces.
    """

    units: tuple[str, ...]
    words: tuple[int | None, ...]


def mark_words(written: Written, marks: tuple[Span, Span]) -> MarkedWords:
    """Put the marks of two parts before, between and into the words of a text."""
    events = []
    for number, (start, end) in enumerate(marks):
        # At one place what closes comes before what opens, and the part that is longer opens first.
        events.append((start, 1, -end, MARKS[2 * number]))
        events.append((end, 0, -start, MARKS[2 * number + 1]))
    events.sort()
    units: list[str] = []
    words: list[int | None] = []

    def put(unit: str, word: int | None) -> None:
        units.append(unit)
        words.append(word)

    for number, (begin, end) in enumerate(written.places):
        start = begin
        while events and events[0][0] <= begin:
            put(events.pop(0)[3], None)
        while events and events[0][0] < end:
            if events[0][0] > begin:
                put(written.text[begin : events[0][0]], number)
                begin = events[0][0]
            put(events.pop(0)[3], None)
        whole = begin == start
        put(written.words[number] if whole else written.text[begin:end], number)
    for event in events:
        put(event[3], None)
    return MarkedWords(tuple(units), tuple(words))


@dataclass(frozen=True)
class MarkedBatch:
    """Tokens of texts with marks (B, T), the word of each token, and the places of the two marks.

    ``starts`` (B, 2) has the numbers of the tokens ``[E1]`` and ``[E2]``.
    """

    tokens: Any
    words: list[list[int | None]]
    starts: Tensor


@panics_told()
def tokenize_marked(
    tokenizer: PreTrainedTokenizerBase, examples: Sequence[PreparedExample], limit: int
) -> MarkedBatch:
    """Return the tokens of texts with their marks, padded, at most ``limit`` of each.

    Of a longer text that part is read in the middle of which the marked parts stand. Raises
    DataError where they are too far apart for that.
    """
    marked = [shortened(tokenizer, example, limit) for example in examples]
    tokens = tokenizer(
        [list(one.units) for one in marked],
        is_split_into_words=True,
        padding=True,
        return_tensors="pt",
    )
    words = [
        [None if unit is None else one.words[unit] for unit in tokens.word_ids(row)]
        for row, one in enumerate(marked)
    ]
    opening = tokenizer.convert_tokens_to_ids([MARKS[0], MARKS[2]])
    starts = [(tokens["input_ids"] == mark).long().argmax(dim=1) for mark in opening]
    return MarkedBatch(tokens, words, torch.stack(starts, dim=1))


@panics_told()
def shortened(
    tokenizer: PreTrainedTokenizerBase, example: PreparedExample, limit: int
) -> MarkedWords:
    """Return an example's words with marks, cut to ``limit`` tokens around the marks.

    Raises DataError where the marked parts are too far apart.
    """
    assert example.written is not None and example.marks is not None
    marked = mark_words(example.written, example.marks)
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    encoding = backend.encode(list(marked.units), is_pretokenized=True, add_special_tokens=False)
    room = limit - tokenizer.num_special_tokens_to_add()
    if len(encoding.ids) <= room:
        return marked
    owners = [unit for unit in encoding.word_ids if unit is not None]
    is_mark = [marked.words[unit] is None for unit in owners]
    first = is_mark.index(True)
    end = len(is_mark) - is_mark[::-1].index(True)
    slack = room - (end - first)
    if slack < 0:
        where = f"{example.place}: " if example.place else ""
        raise DataError(
            f"{where}the two marked parts are {end - first} pieces apart, and {room} are read at once"
        )
    start = max(0, min(first - slack // 2, len(owners) - room))
    kept, all_pieces = Counter(owners[start : start + room]), Counter(owners)
    # A word that would be cut in two is left out.
    whole = [unit for unit, pieces in kept.items() if pieces == all_pieces[unit]]
    return MarkedWords(
        tuple(marked.units[unit] for unit in whole), tuple(marked.words[unit] for unit in whole)
    )
