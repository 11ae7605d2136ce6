"""From the syntax of texts and their tokens to one batch for an encoder."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bnaparser.errors import DataError
from bnaparser.syntax.masks import PADDING, SPECIAL, SyntaxSettings, TextMasks, TokenText
from bnaparser.syntax.syntax_trees import SyntaxTrees

logger = logging.getLogger(__name__)

SyntaxTreesOrPair = SyntaxTrees | tuple[SyntaxTrees, SyntaxTrees]


@dataclass(frozen=True)
class SyntaxBatch:
    """The syntax of B texts of T tokens, made for one variant: ``encoder(**tokens, syntax=batch)``.

    ``parsed`` (B) is False for the texts that have no syntax: the plain encoder serves them.
    ``mask`` (B, T, T) is True where a query (row) sees a key; ``parents`` (B, T) holds token
    numbers, -1 where there is nothing to supervise; ``subnetworks`` (B, K, T, T) numbers
    of sub-networks, 0 for none, and ``subnetwork_counts`` (B) how many a text has. Fields that the
    variant does not use are None.
    """

    settings: SyntaxSettings
    shape: tuple[int, int]
    parsed: Tensor
    all_parsed: bool
    mask: Tensor | None = None
    parents: Tensor | None = None
    subnetworks: Tensor | None = None
    subnetwork_counts: Tensor | None = None

    def to(self, device: torch.device | str) -> SyntaxBatch:
        """Return the batch with its tensors on a device.

        Args:
            device: a PyTorch device.

        Returns:
            The batch; this batch itself if its tensors are on the device.
        """
        if self.parsed.device == torch.device(device):
            return self
        moved: dict[str, Any] = {
            name: value.to(device, non_blocking=True)
            for name, value in vars(self).items()
            if isinstance(value, Tensor)
        }
        return replace(self, **moved)


def collate(
    structures: Sequence[SyntaxTreesOrPair],
    tokens: Any,
    settings: SyntaxSettings,
    word_ids: Sequence[Sequence[int | None]] | None = None,
) -> SyntaxBatch:
    """Return the masks of a batch of texts, for the keyword ``syntax`` of a guided encoder.

    Args:
        structures: the trees of each text; for a pair of texts a tuple of two SyntaxTrees.
        tokens: the output of a fast tokenizer for the words of the texts, padded, with
            ``is_split_into_words=True``. With ``word_ids`` only ``input_ids`` and
            ``attention_mask`` are read.
        settings: the settings that the encoder was attached with.
        word_ids: for tokenizers that are not fast: for each token the number of its word, counted
            on through a pair, and None for special tokens and padding.

    Returns:
        A batch of masks, each of shape (texts, tokens, tokens), on the CPU.

    Raises:
        DataError: texts, structures and tokens do not fit.
    """
    rows = _token_words(structures, tokens, word_ids)
    texts = [
        TokenText(structure if isinstance(structure, tuple) else (structure,), row)
        for structure, row in zip(structures, rows, strict=True)
    ]
    for number, text in enumerate(texts, 1):
        if len(text.token_words) and text.token_words.max() >= text.words:
            raise DataError(
                f"text {number}: a token belongs to word {text.token_words.max() + 1}, but its "
                f"structure has {text.words} words: tokenize the words of the structure"
            )
    masks = []
    for number, text in enumerate(texts, 1):
        try:
            masks.append(settings.masks(text))
        except DataError as error:
            raise DataError(f"text {number}: {error}") from error
    batch = _stack(settings, masks, rows.shape)
    if not batch.all_parsed:
        unparsed = [number for number, mask in enumerate(masks, 1) if not mask.parsed]
        logger.info(
            "texts %s of the batch have no trees: the encoder reads these texts without syntax",
            unparsed,
        )
    return batch


def _stack(
    settings: SyntaxSettings, masks: Sequence[TextMasks], shape: tuple[int, int]
) -> SyntaxBatch:
    def stacked(name: str) -> Tensor | None:
        arrays = [getattr(mask, name) for mask in masks]
        return None if arrays[0] is None else torch.from_numpy(np.stack(arrays))

    parsed = [mask.parsed for mask in masks]
    return SyntaxBatch(
        settings=settings,
        shape=shape,
        parsed=torch.tensor(parsed),
        all_parsed=all(parsed),
        mask=stacked("mask"),
        parents=stacked("parents"),
        subnetworks=stacked("subnetworks"),
        subnetwork_counts=torch.tensor([mask.subnetwork_count for mask in masks]),
    )


def _token_words(
    structures: Sequence[SyntaxTreesOrPair],
    tokens: Any,
    word_ids: Sequence[Sequence[int | None]] | None,
) -> NDArray[np.int64]:
    """Return of each token (B, T) the number of its word, SPECIAL or PADDING."""
    ids = tokens["input_ids"]
    if not isinstance(ids, Tensor) and len({len(row) for row in ids}) > 1:
        raise DataError("the texts have different numbers of tokens: tokenize with padding=True")
    shape = (len(ids), len(ids[0]) if len(ids) else 0)
    if shape[0] != len(structures) or not shape[0]:
        raise DataError(f"{len(structures)} structures do not fit {shape[0]} texts of tokens")
    if word_ids is None:
        word_ids = [_word_ids(tokens, row, structures[row]) for row in range(shape[0])]
    if {len(row) for row in word_ids} != {shape[1]} or len(word_ids) != shape[0]:
        raise DataError(f"word_ids must have {shape[0]} rows of {shape[1]} tokens")
    words = np.array([[SPECIAL if word is None else word for word in row] for row in word_ids])
    if "attention_mask" in tokens:
        seen = tokens["attention_mask"]
        words[np.asarray(seen.cpu() if isinstance(seen, Tensor) else seen) == 0] = PADDING
    return words.astype(np.int64)


def _word_ids(tokens: Any, row: int, text: SyntaxTreesOrPair) -> list[int | None]:
    """Read the words of one text's tokens off a fast tokenizer's result, counted through a pair."""
    if not getattr(tokens, "is_fast", False):
        raise DataError("this tokenizer does not say which word a token comes from: give word_ids")
    first = len(text[0].words) if isinstance(text, tuple) else 0
    sequences: list[int | None] = tokens.sequence_ids(row)
    if not isinstance(text, tuple) and 1 in sequences:
        raise DataError(
            f"text {row + 1}: its tokens are of a pair of texts, but its trees are of one text"
        )
    return [
        word + first if sequence == 1 and word is not None else word
        for word, sequence in zip(tokens.word_ids(row), sequences, strict=True)
    ]
