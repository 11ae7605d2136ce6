"""From a sentence read as one text to subwords, as benepar does it: words with their blanks joined.

A tokenizer splits ``don't`` otherwise than ``do`` and ``n't``, so a subword may begin in one word and
end in the next. A word's vector is that of the last subword that ends in it; where none does, that
of the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.subwords import MISSING, Subwords, Window
from bnaparser.errors import ModelError

Words = Sequence[str]
Blanks = Sequence[bool]


class JoinedSubwords(Subwords):
    """A tokenizer that reads a sentence as one text; arguments as those of `Subwords`.

    ``read`` says of a sentence of words how they are typed, and whether a blank follows each.
    START is the last mark before the text, STOP the first one after it; where a tokenizer has marks
    at one end only, START is the last of them and STOP the first. Raises ModelError for a tokenizer
    without offsets.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        max_subwords: int,
        max_words: int,
        decoder: bool,
        read: Callable[[Words], tuple[Words, Blanks]],
    ):
        if not tokenizer.is_fast:
            raise ModelError(
                "this model reads sentences as one text, and its tokenizer does not say where a"
                " subword stands there: its tokenizer.json is missing"
            )
        super().__init__(tokenizer, max_subwords, max_words, decoder)
        self._read = read
        marks = len(self.prefix) + len(self.suffix)
        if marks == 0:
            raise ModelError("the tokenizer puts no marks around a sentence: there is no START")
        self._start = len(self.prefix) - 1 if self.prefix else marks - 1
        self._stop = len(self.prefix) if self.suffix else 0

    def windows(self, sentences: Sequence[Words]) -> list[list[Window]]:
        """Return the windows of each sentence, as ``read`` types it."""
        typed = [self._read(words) for words in sentences]
        return self.joined_windows([words for words, _ in typed], [blanks for _, blanks in typed])

    def joined_windows(
        self, sentences: Sequence[Words], blanks: Sequence[Blanks]
    ) -> list[list[Window]]:
        """Return the windows of each sentence of words; ``blanks``: whether one follows each word."""
        given = list(zip(sentences, blanks, strict=True))
        found = []
        for (words, after), (ids, last) in zip(given, self._subwords(given), strict=True):
            counts = np.clip(np.diff(last, prepend=-1), 1, self.max_subwords)
            runs = self.runs(counts.tolist())
            if runs == [(0, len(words))] and len(ids) <= self.max_subwords:
                found.append([self._joined_window(ids, last, 0)])
                continue
            parts = self._subwords([(words[a:b], after[a:b]) for a, b in runs])
            pairs = zip(runs, parts, strict=True)
            found.append([self._joined_window(*part, run[0]) for run, part in pairs])
        return found

    def _subwords(
        self, sentences: Sequence[tuple[Words, Blanks]]
    ) -> list[tuple[list[int], NDArray[np.int64]]]:
        """Return the subwords of each sentence, and the place among them of each word's vector."""
        texts = [
            "".join(word + " " if blank else word for word, blank in zip(*one, strict=True))
            for one in sentences
        ]
        encodings = self.tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
        return [
            (list(encoding.ids), _last(encoding.offsets, words, blanks))
            for encoding, (words, blanks) in zip(encodings, sentences, strict=True)
        ]

    def _joined_window(self, ids: list[int], last: NDArray[np.int64], first_word: int) -> Window:
        # Of a text that is still too long the end counts, as of a word that is.
        over = max(0, len(ids) - self.max_subwords)
        places = np.where(last < 0, MISSING, np.maximum(last - over, 0) + len(self.prefix))
        return self._between_marks(
            [*self.prefix, *ids[over:]], [MISSING, *places.tolist()], first_word
        )


def _last(offsets: Sequence[tuple[int, int]], words: Words, blanks: Blanks) -> NDArray[np.int64]:
    """Return the subword of each word; ``offsets`` are the subwords' places in the text."""
    sizes = [len(word) + blank for word, blank in zip(words, blanks, strict=True)]
    starts = np.array([0, *accumulate(sizes)][:-1])
    stops = starts + [len(word) for word in words]
    places = np.array(offsets, np.int64).reshape(-1, 2)
    seen = np.flatnonzero(places[:, 0] != places[:, 1])
    if not len(seen):
        return np.full(len(words), MISSING)
    ends = places[seen, 1]
    first = np.searchsorted(ends, starts, "right")  # the first that ends within the word, or later
    within = np.searchsorted(ends, stops, "right") - 1
    found: NDArray[np.int64] = seen[np.minimum(np.maximum(first, within), len(seen) - 1)]
    return found
