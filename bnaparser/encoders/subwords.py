"""From words to an encoder's subwords, and from long sentences to overlapping windows.

The tokenizer splits each word alone, without the words around it. The vector of a word is that of its last
subword, as in the BNA program. Words that the tokenizer drops (zero-width, control, lone accents)
have no subword; the encoder has a learned vector for them.

`JoinedSubwords` reads a sentence as one text, as benepar does. A tokenizer splits ``don't`` otherwise
than ``do`` and ``n't``, so a subword may begin in one word and end in the next. A word's vector is that of
the last subword that ends in it; if there is none, that of the next subword.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import ModelError
from bnaparser.trees.escapes import replace_surrogates, unescape

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
    """Consecutive words that the encoder reads at once, with START and STOP around them.

    ``ids`` are the subword numbers. ``last`` holds, for START, each word and STOP, the index into
    ``ids`` of the last subword, or MISSING. ``first_word`` counts within the sentence. An example::

        words            I   saw  unthinkable           cats
        ids      [CLS]   i   saw  un   ##think  ##able  cats  [SEP]
        index      0     1    2   3       4       5      6      7
        last       0     1    2                   5      6      7

    A sentence that is too long has several windows, each of which starts in the middle of the one before::

        words       0 1 2 3 4 5 6 7 8 9
        window 1    0 1 2 3 4 5
        window 2          3 4 5 6 7 8
        window 3                6 7 8 9
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

    @panics_as_errors()
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

    @panics_as_errors()
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
            end, free = first, self.max_subwords
            last = min(len(counts), first + self.max_words)
            while end < last and counts[end] <= free:
                free -= counts[end]
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
    """Return whether the tokenizer takes a blank as part of the word after it.

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


Words = Sequence[str]
Blanks = Sequence[bool]


class JoinedSubwords(Subwords):
    """A tokenizer that reads a sentence as one text. The arguments are the same as for `Subwords`.

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
                "this model reads sentences as one text, but its tokenizer gives no character offsets:"
                " the file tokenizer.json is missing"
            )
        super().__init__(tokenizer, max_subwords, max_words, decoder)
        self._read = read
        marks = len(self.prefix) + len(self.suffix)
        if marks == 0:
            raise ModelError(
                "the tokenizer adds no special tokens around a sentence, but the model needs them: use another tokenizer"
            )
        self._start = len(self.prefix) - 1 if self.prefix else marks - 1
        self._stop = len(self.prefix) if self.suffix else 0

    def windows(self, sentences: Sequence[Words]) -> list[list[Window]]:
        """Return the windows of each sentence, as ``read`` types it."""
        typed = [self._read(words) for words in sentences]
        return self.joined_windows([words for words, _ in typed], [blanks for _, blanks in typed])

    def joined_windows(
        self, sentences: Sequence[Words], blanks: Sequence[Blanks]
    ) -> list[list[Window]]:
        """Return the windows of each sentence of words. ``blanks`` says for each word whether a
        blank follows it.
        """
        given = list(zip(sentences, blanks, strict=True))
        found = []
        for (words, after), (ids, last) in zip(given, self._subwords(given), strict=True):
            runs = [(0, len(words))]
            # A word has at least one subword: a window has no more words than subwords.
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

    @panics_as_errors()
    def _subwords(
        self, sentences: Sequence[tuple[Words, Blanks]]
    ) -> list[tuple[list[int], list[int]]]:
        """Return the subwords of each sentence, and the place among them of each word's vector."""
        if not sentences:
            return []
        texts = [
            replace_surrogates(
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
