"""Word vectors without pre-training: a bidirectional LSTM over the characters of each word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.trees.escapes import unescape

# Special characters: unknown, word begin, word end, START, STOP (the last two are whole words).
UNKNOWN, BEGIN, END, START, STOP = range(5)
SPECIALS = 5
# Characters of a word that count, half of them from each end. No word that people write has as many;
# but a stretch of signs without blanks may have millions, and each word of its batch would take as much.
LONGEST_WORD = 512


def alphabet(words: Iterable[str]) -> str:
    """Return the characters of words, sorted, as `CharacterEncoder` looks them up: unescaped."""
    return "".join(sorted({character for word in words for character in unescape(word)}))


@dataclass(frozen=True)
class CharacterWindow:
    """A run of words of one sentence; ``first_word`` counts within the sentence."""

    text: tuple[str, ...]
    first_word: int

    @property
    def words(self) -> int:
        """Number of words."""
        return len(self.text)

    @property
    def size(self) -> int:
        """Number of positions: the words, START and STOP."""
        return self.words + 2


class CharacterEncoder(nn.Module):
    """A word is the last state of a forward and of a backward LSTM over its characters.

    ``width`` is the size of a word vector, half of it for each direction. START and STOP are
    words of three special characters. Dropout acts on the character embeddings.
    """

    def __init__(self, characters: str, width: int, settings: EncoderSettings):
        super().__init__()
        self.width = width
        self.characters = characters
        self._numbers = {char: number for number, char in enumerate(characters, SPECIALS)}
        # Drawn with deviation 1, as in the authors' program: it feeds an LSTM and is added to nothing.
        self.embedding = nn.Embedding(SPECIALS + len(characters), settings.character_width)
        self.dropout = nn.Dropout(settings.character_dropout)
        self.lstm = nn.LSTM(
            settings.character_width, width // 2, batch_first=True, bidirectional=True
        )

    def windows(
        self, sentences: Sequence[Sequence[str]], max_words: int
    ) -> list[list[CharacterWindow]]:
        """Return the windows of each sentence: half-overlapping runs of at most ``max_words``."""
        step = max(1, max_words // 2)
        return [
            [
                CharacterWindow(tuple(words[first : first + max_words]), first)
                for first in range(0, max(1, len(words) - max_words + step), step)
            ]
            for words in sentences
        ]

    def forward(self, windows: Sequence[CharacterWindow]) -> Tensor:
        """Return (windows, positions, width): START, words, STOP, then padding (START's vector).

        A word that occurs several times in a batch is computed once.
        """
        rows: dict[str, int] = {}
        codes = [[BEGIN, START, END], [BEGIN, STOP, END]]
        longest = max(window.words for window in windows) + 2
        gather = torch.zeros(len(windows), longest, dtype=torch.long)
        for number, window in enumerate(windows):
            for position, word in enumerate(window.text, 1):
                if word not in rows:
                    rows[word] = len(codes)
                    codes.append([BEGIN, *self._codes(unescape(word)), END])
                gather[number, position] = rows[word]
            gather[number, window.words + 1] = 1
        device = self.embedding.weight.device
        return self._words(codes)[gather.to(device)]

    def _codes(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            word = word[: LONGEST_WORD // 2] + word[-LONGEST_WORD // 2 :]
        return [self._numbers.get(char, UNKNOWN) for char in word]

    def _words(self, codes: list[list[int]]) -> Tensor:
        """Return (words, width) for lists of character codes."""
        device = self.embedding.weight.device
        lengths = torch.tensor([len(word) for word in codes])
        padded = torch.zeros(len(codes), int(lengths.max()), dtype=torch.long)
        for row, word in enumerate(codes):
            padded[row, : len(word)] = torch.tensor(word)
        embedded = self.dropout(self.embedding(padded.to(device)))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        # A GPU's autocast would always compute this in float16, and lose small gradients.
        half = device.type != "cuda" and torch.is_autocast_enabled(device.type)
        with torch.autocast(device.type, enabled=half):
            _, (last, _) = self.lstm(packed)
        return torch.cat([last[0], last[1]], dim=-1)
