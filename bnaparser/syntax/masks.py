"""From words to tokens: matrices between words become masks between the tokens of one text.

A token is a subword, or special (``[CLS]``, ``[SEP]``), or padding. Row i of a matrix is
the query, column j the key. Arrays of numpy, one text at a time; ``batch`` stacks them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import DataError
from bnaparser.settings import Settings
from bnaparser.syntax.syntax_trees import SyntaxTrees

SPECIAL = -1
PADDING = -2
UNSUPERVISED = -1


@dataclass(frozen=True)
class TokenText:
    """The tokens of one text, or of a pair of them, and the syntax of their words.

    ``structures`` holds one SyntaxTrees, or two for a pair. ``token_words`` (T) says of each token
    which word it is a subword of, counted on through a pair, or SPECIAL or PADDING.
    """

    structures: tuple[SyntaxTrees, ...]
    token_words: NDArray[np.int64]

    @property
    def words(self) -> int:
        """How many words the text has, both sentences of a pair together."""
        return sum(len(structure.words) for structure in self.structures)

    @property
    def parsed(self) -> bool:
        """Whether each of its sentences has dependencies or constituents."""
        return all(s.heads is not None or s.trees for s in self.structures)


@dataclass(frozen=True)
class TextMasks:
    """The masks of one text of T tokens that a variant needs; None if it does not need them.

    ``mask`` (T, T) of booleans; ``parents`` (T) of token numbers or UNSUPERVISED; ``subnetworks``
    (K, T, T) says for each kind of Syntax-BERT's sub-networks which one a pair of tokens belongs
    to, 0 for none, and ``subnetwork_count`` how many of all kinds the text has. ``parsed`` is False
    where the plain encoder has to serve the text.
    """

    parsed: bool
    mask: NDArray[np.bool_] | None = None
    parents: NDArray[np.int64] | None = None
    subnetworks: NDArray[np.uint8] | None = None
    subnetwork_count: int = 0


class SyntaxSettings(Settings):
    """Base of the settings of all variants: they know which masks their variant needs."""

    def masks(self, text: TokenText) -> TextMasks:
        """Return the masks of one text."""
        raise NotImplementedError


def dependency_heads(structure: SyntaxTrees) -> tuple[int, ...]:
    """Return the heads of a sentence that has syntax; DataError if it has constituents alone."""
    if structure.heads is None:
        raise DataError(
            "there are constituency trees but no dependencies: make dependencies with head rules"
        )
    return structure.heads


def blocks(matrices: Sequence[NDArray[Any]], between: bool | int) -> NDArray[Any]:
    """Put square matrices of words along a diagonal, with ``between`` in all other cells."""
    sizes = [len(matrix) for matrix in matrices]
    joined = np.full((sum(sizes), sum(sizes)), between, matrices[0].dtype)
    start = 0
    for matrix, size in zip(matrices, sizes, strict=True):
        joined[start : start + size, start : start + size] = matrix
        start += size
    return joined


def open_mask(token_words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the mask (T, T) of the plain encoder: all see all but padding."""
    return np.broadcast_to(token_words != PADDING, (len(token_words),) * 2).copy()


def expand_mask(word_mask: NDArray[np.bool_], token_words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the mask of tokens (T, T) in which the subwords of a word share the word's mask.

    Special tokens see and are seen by all; nobody sees padding, and padding sees the rest.
    """
    count = len(word_mask)
    bordered = np.ones((count + 1, count + 1), np.bool_)
    bordered[:count, :count] = word_mask
    index = np.where(token_words >= 0, token_words, count)
    mask: NDArray[np.bool_] = bordered[np.ix_(index, index)] & (token_words != PADDING)
    return mask


def expand_first_pieces(
    word_mask: NDArray[np.bool_], token_words: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return the mask of tokens (T, T) in which a word is seen at its first subword alone.

    All subwords of a word see what the word sees, and themselves. Special tokens and padding are as
    in ``expand_mask``.
    """
    mask = expand_mask(word_mask, token_words)
    later = (token_words >= 0) & ~is_first_piece(token_words)
    mask[:, later] = False
    special = token_words < 0
    mask[np.ix_(special, later)] = True
    mask[later, later] = True
    return mask


def expand_subnetworks(
    word_subnetworks: NDArray[np.uint8], token_words: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Return which sub-network pairs of tokens belong to (T, T): their words', 0 with special ones.

    The diagonal of ``word_subnetworks`` is what subwords of one word have to each other.
    """
    count = len(word_subnetworks)
    bordered = np.zeros((count + 1, count + 1), np.uint8)
    bordered[:count, :count] = word_subnetworks
    index = np.where(token_words >= 0, token_words, count)
    subnetworks: NDArray[np.uint8] = bordered[np.ix_(index, index)]
    return subnetworks


def is_first_piece(token_words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each token (T) whether it is the first subword of a word."""
    first = np.zeros(len(token_words), np.bool_)
    words, positions = np.unique(token_words, return_index=True)
    first[positions[words >= 0]] = True
    return first


def first_pieces(token_words: NDArray[np.int64], words: int) -> NDArray[np.int64]:
    """Return for each word the number of its first subword, UNSUPERVISED if it has none."""
    pieces = np.full(words, UNSUPERVISED)
    positions = np.flatnonzero(is_first_piece(token_words))
    pieces[token_words[positions]] = positions
    return pieces
