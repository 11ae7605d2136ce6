"""From a sentence read as one text to subwords, as benepar does it: words with their blanks joined.

A tokenizer splits ``don't`` otherwise than ``do`` and ``n't``, so a subword may begin in one word and
end in the next. A word's vector is that of the last subword that ends in it; where none does, that
of the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice

import numpy as np
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.subwords import MISSING, Subwords, Window
from bnaparser.encoders.tokenizer_panics import panics_told
from bnaparser.errors import ModelError
from bnaparser.trees.escapes import whole

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
            runs = [(0, len(words))]
            # A word counts as one subword at least: so many of them fit one window, whatever is in which.
            if len(words) > self.max_words or len(words) + len(ids) > self.max_subwords:
                counts = np.clip(np.diff(last, prepend=-1), 1, self.max_subwords)
                runs = self.runs(counts.tolist())
            if len(runs) == 1 and len(ids) <= self.max_subwords:
                found.append([self._joined_window(ids, last, 0)])
                continue
            parts = self._subwords([(words[a:b], after[a:b]) for a, b in runs])
            pairs = zip(runs, parts, strict=True)
            found.append([self._joined_window(*part, run[0]) for run, part in pairs])
        return found

    @panics_told()
    def _subwords(
        self, sentences: Sequence[tuple[Words, Blanks]]
    ) -> list[tuple[list[int], list[int]]]:
        """Return the subwords of each sentence, and the place among them of each word's vector."""
        if not sentences:
            return []
        texts = [
            whole(
                "".join([word + " " if blank else word for word, blank in zip(*one, strict=True)])
            )
            for one in sentences
        ]
        encodings = self.tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        last = _last([encoding.offsets for encoding in encodings], sentences)
        return list(zip(ids, last, strict=True))

    def _joined_window(self, ids: list[int], last: list[int], first_word: int) -> Window:
        # Of a text that is still too long the end counts, as of a word that is.
        over = max(0, len(ids) - self.max_subwords)
        before = len(self.prefix)
        places = [MISSING if one < 0 else max(one - over, 0) + before for one in last]
        return self._between_marks([*self.prefix, *ids[over:]], [MISSING, *places], first_word)


def _last(
    offsets: Sequence[Sequence[tuple[int, int]]], sentences: Sequence[tuple[Words, Blanks]]
) -> list[list[int]]:
    """Return the subword of each word of each sentence; ``offsets`` are the subwords' places in its text.

    All at once: places are counted in all the texts one after another, with a gap between two. What
    ends beyond its text ends there.
    """
    numbers = np.arange(len(sentences))
    counts = np.array([len(words) for words, _ in sentences], np.int64)
    of_word = np.repeat(numbers, counts)
    lengths = np.array([len(word) for words, _ in sentences for word in words], np.int64)
    blanks = np.array([blank for _, after in sentences for blank in after], np.int64)
    sizes = lengths + blanks
    starts = np.cumsum(sizes) - sizes + 2 * of_word
    stops = starts + lengths
    bases = starts[np.cumsum(counts) - counts]
    beyond = np.append(bases[1:], [starts[-1] + sizes[-1] + 2]) - 1
    pieces = np.array(list(map(len, offsets)), np.int64)
    of_piece = np.repeat(numbers, pieces)
    places = np.array(list(chain.from_iterable(offsets)), np.int64).reshape(-1, 2)
    seen = np.flatnonzero(places[:, 0] != places[:, 1])
    if not len(seen):
        return [[MISSING] * count for count in counts.tolist()]
    of_seen = np.bincount(of_piece[seen], minlength=len(sentences))
    ends = np.minimum(places[seen, 1] + bases[of_piece[seen]], beyond[of_piece[seen]])
    first = np.searchsorted(ends, starts, "right")  # the first that ends within the word, or later
    within = np.searchsorted(ends, stops, "right") - 1
    chosen = np.minimum(np.maximum(first, within), (np.cumsum(of_seen) - 1)[of_word])
    found = seen[chosen] - (np.cumsum(pieces) - pieces)[of_word]
    found[of_seen[of_word] == 0] = MISSING
    flat = iter(found.tolist())
    return [list(islice(flat, count)) for count in counts.tolist()]
