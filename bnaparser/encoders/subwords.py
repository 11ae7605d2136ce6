"""From words to an encoder's subwords, and from long sentences to overlapping windows.

Words are given one by one, never joined to a text first: a word's vector is that of its last
subword, as in the BNA program. Words that the tokenizer drops (zero-width, control, lone accents)
have no subword; the encoder gives them a vector of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from bnaparser.encoders.tokenizer_panics import panics_told
from bnaparser.trees.escapes import unescape

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from bnaparser.encoders.tokenizer_file import TokenizerFile

# What stands for "no subword": a word that the tokenizer drops, a START or STOP that it lacks.
MISSING = -1
# Subwords of a word that count, from its end. No word that people write has as many; but a stretch
# of signs without blanks may have thousands, and would cost seconds.
LONGEST_WORD = 64
# Words whose subwords are kept, some 10 MB; above that all are forgotten.
KNOWN_WORDS = 32768
# How SentencePiece writes a blank.
_BLANK_SUBWORD = "\u2581"


@dataclass(frozen=True)
class Window:
    """A run of words that goes through the encoder at once, with START and STOP around it.

    ``ids`` are the subword numbers; ``last`` holds, for START, each word and STOP, the index into
    ``ids`` of the last subword, or MISSING. ``first_word`` counts within the sentence.
    """

    ids: NDArray[np.int64]
    last: NDArray[np.int64]
    first_word: int

    @property
    def words(self) -> int:
        """Number of words, START and STOP not counted."""
        return len(self.last) - 2

    @property
    def size(self) -> int:
        """Number of subwords."""
        return len(self.ids)


class Subwords:
    """A tokenizer seen as a map from words to windows of subwords.

    ``max_subwords`` bounds the subwords of a window, special tokens included; ``max_words`` its
    words. ``decoder``: they are for a decoder, which starts with the subword for padding.
    ``unspaced``: words have no blanks between them in the language, so a subword that is a blank and
    nothing else is left out before one.
    """

    @panics_told()
    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase | TokenizerFile,
        max_subwords: int,
        max_words: int,
        decoder: bool = False,
        unspaced: bool = False,
    ):
        self.tokenizer: Any = tokenizer
        self.max_words = max_words
        self._blank = ""
        self._known: dict[str, list[int]] = {}  # the subwords of words that were split before
        self._alone: list[int] = []
        if tokenizer.is_fast:
            # A tokenizer's files may ask for a fixed length; windows bound sentences here.
            tokenizer.backend_tokenizer.no_truncation()
            tokenizer.backend_tokenizer.no_padding()
            self._blank = " " if reads_blanks(tokenizer) else ""
        self.prefix, self.suffix = _special_tokens(tokenizer)
        if unspaced and tokenizer.is_fast:
            blank = tokenizer.backend_tokenizer.token_to_id(_BLANK_SUBWORD)
            self._alone = [] if blank is None else [blank]
        if decoder:  # a T5's, which is never read from its file alone
            self.prefix = [cast(Any, tokenizer).pad_token_id, *self.prefix]
        self.mask: int | None = tokenizer.mask_token_id
        self.max_subwords = max_subwords - len(self.prefix) - len(self.suffix)
        self.reads_case: bool = tokenizer.encode("A") != tokenizer.encode("a")
        self._start = _place(
            self.prefix + self.suffix, tokenizer.cls_token_id, 0 if self.prefix else MISSING
        )
        stop = tokenizer.sep_token_id
        if stop is None:
            stop = tokenizer.eos_token_id
        # Some tokenizers have one token for both ends, so STOP is looked for at the end only.
        self._stop = len(self.prefix) + _place(self.suffix, stop, 0) if self.suffix else MISSING

    def windows(self, sentences: Sequence[Sequence[str]]) -> list[list[Window]]:
        """Return the windows of each sentence (words as a treebank or a text writes them)."""
        surface = [[unescape(word) for word in words] for words in sentences]
        return [self._windows_of(subwords) for subwords in self._without_blanks(surface)]

    @panics_told()
    def _word_subwords(self, sentences: list[list[str]]) -> list[list[list[int]]]:
        """Return the subwords of every word of every sentence, special tokens left out.

        A fast tokenizer splits each word by itself. A text has few words that are not there again and again, so
        what it made of them is kept.
        """
        if not sentences:
            return []
        if not self.tokenizer.is_fast:
            encode = self.tokenizer.encode
            return [
                [list(encode(word, add_special_tokens=False)) for word in words]
                for words in sentences
            ]
        if len(self._known) > KNOWN_WORDS:
            self._known = {}
        known = self._known  # another thread may begin a new one
        new = [word for word in dict.fromkeys(chain.from_iterable(sentences)) if word not in known]
        encoding = self.tokenizer.backend_tokenizer.encode(
            [self._blank + word for word in new], is_pretokenized=True, add_special_tokens=False
        )
        subwords: list[list[int]] = [[] for _ in new]
        for subword, place in zip(encoding.ids, encoding.word_ids, strict=True):
            if place is not None:
                subwords[place].append(subword)
        known |= zip(new, subwords, strict=True)
        return [[known[word] for word in words] for words in sentences]

    def _without_blanks(self, sentences: list[list[str]]) -> list[list[list[int]]]:
        """Return the subwords of every word, without a blank that stands alone before them."""
        found = self._word_subwords(sentences)
        if not self._alone:
            return found
        return [
            [word[1:] if word[:1] == self._alone != word else word for word in words]
            for words in found
        ]

    def _windows_of(self, subwords: list[list[int]]) -> list[Window]:
        # A word that is too long keeps its end, where its vector is read.
        longest = min(LONGEST_WORD, self.max_subwords)
        subwords = [word[-longest:] for word in subwords]
        runs = self.runs([len(word) for word in subwords])
        return [self._window(subwords[first:end], first) for first, end in runs]

    def runs(self, counts: Sequence[int]) -> list[tuple[int, int]]:
        """Return the words of each window, half-open; ``counts`` are the subwords of each word.

        No word has more than a window may have.
        """
        if len(counts) <= self.max_words and sum(counts) <= self.max_subwords:
            return [(0, len(counts))]
        found, first = [], 0
        while True:
            end, room = first, self.max_subwords
            last = min(len(counts), first + self.max_words)
            while end < last and counts[end] <= room:
                room -= counts[end]
                end += 1
            found.append((first, end))
            if end == len(counts):
                return found
            # The next window starts at the middle of this one.
            first = max(first + 1, (first + end) // 2)

    def _window(self, subwords: list[list[int]], first_word: int) -> Window:
        ids = list(self.prefix)
        last = [MISSING]
        for word in subwords:
            ids.extend(word)
            last.append(len(ids) - 1 if word else MISSING)
        return self._between_marks(ids, last, first_word)

    def _between_marks(self, ids: list[int], last: list[int], first_word: int) -> Window:
        """Make a window of its subwords up to the last word's; ``last`` has START and the words."""
        inside = len(ids) - len(self.prefix)
        ids.extend(self.suffix)
        if not ids:  # an encoder takes no empty text; nobody reads the vector of this subword
            ids.append(0)
        last.append(MISSING)
        for index, special in ((0, self._start), (-1, self._stop)):
            if special != MISSING:
                last[index] = special if special < len(self.prefix) else special + inside
        return Window(np.array(ids, np.int64), np.array(last, np.int64), first_word)


def reads_blanks(tokenizer: PreTrainedTokenizerBase | TokenizerFile) -> bool:
    """Tell whether the tokenizer takes a blank as part of the word after it.

    Byte-level tokenizers do: without a blank a word would be read as the end of another one. (Their
    option ``add_prefix_space`` works with some tokenizer classes only.)
    """
    split = tokenizer.backend_tokenizer.pre_tokenizer
    if split is None:
        return False
    alone, after_blank = (split.pre_tokenize_str(text) for text in ("a", " a"))
    return [subword for subword, _ in alone] != [subword for subword, _ in after_blank]


def _special_tokens(
    tokenizer: PreTrainedTokenizerBase | TokenizerFile,
) -> tuple[list[int], list[int]]:
    """Return the subwords that the tokenizer puts before and after a sentence."""
    inside = list(tokenizer.encode("a", add_special_tokens=False))
    whole = list(tokenizer.encode("a"))
    for start in range(len(whole) - len(inside) + 1):
        if whole[start : start + len(inside)] == inside:
            return whole[:start], whole[start + len(inside) :]
    return [], []


def _place(specials: list[int], token: int | None, default: int) -> int:
    return specials.index(token) if token in specials else default
