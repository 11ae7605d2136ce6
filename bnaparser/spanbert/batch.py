"""From blocks to the tensors of one pass: masks drawn, special subwords put around, targets placed.

Everything random is drawn from the seed, the epoch and the block's number, so a block has the same
mask whoever draws it, and another one each time it is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from bnaparser.spanbert.blocks import Blocks
from bnaparser.spanbert.masking import Ints, Masked, Span, candidates_of, mask, word_starts_of
from bnaparser.spanbert.settings import MaskingSettings, ObjectiveSettings


@dataclass(frozen=True)
class BoundaryPairs:
    """What the span boundary objective reads and predicts in a block, all int64 (targets,).

    ``left`` and ``right`` are the subwords beside the span, ``target`` the predicted one, all
    as indices within the block; ``position`` counts the target within its span from 0.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    target: NDArray[np.int64]
    position: NDArray[np.int64]


def boundary_pairs(spans: Sequence[Span], subwords: int, longest: int) -> BoundaryPairs:
    """Return the targets of merged spans in a block of this number of subwords.

    A span that touches the first or the last subword of the block has none: special subwords are
    no boundaries. Of a span the first ``longest`` subwords are predicted.
    """
    inner = [(start, end) for start, end in spans if start > 0 and end < subwords]
    rows = chain.from_iterable(
        (start - 1, end, place, place - start)
        for start, end in inner
        for place in range(start, min(end, start + longest))
    )
    table = np.fromiter(rows, np.int64).reshape(-1, 4)
    return BoundaryPairs(*table.T)


@dataclass(frozen=True)
class Frame:
    """The special subwords around one segment or two, as the tokenizer writes them."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many special subwords there are."""
        return len(self.before) + len(self.between) + len(self.after)


def frame_of(tokenizer: PreTrainedTokenizerBase, two: bool) -> Frame:
    """Return what the tokenizer puts before, between and after segments."""
    given = tokenizer(*(("a", "a") if two else ("a",)))
    whole, segments = given["input_ids"], given.sequence_ids(0)
    inside = [place for place, segment in enumerate(segments) if segment is not None]
    first, last = inside[0], inside[-1]
    between = [whole[place] for place in range(first, last) if segments[place] is None]
    return Frame(tuple(whole[:first]), tuple(between), tuple(whole[last + 1 :]))


@dataclass(frozen=True)
class MaskedExample:
    """One input: segments with their masks and boundary targets; whether the second is at random.

    ``originals`` are the segments' subwords before they were masked.
    """

    originals: tuple[Ints, ...]
    masked: tuple[Masked, ...]
    boundaries: tuple[BoundaryPairs, ...]
    at_random: bool = False

    @property
    def size(self) -> int:
        """Subwords of the segments, special ones left out."""
        return sum(map(len, self.originals))

    @property
    def masked_subwords(self) -> int:
        """How many subwords are masked."""
        return sum(len(one.places) for one in self.masked)

    @property
    def boundary_targets(self) -> int:
        """How many subwords are predicted from their span's boundaries."""
        return sum(len(one.target) for one in self.boundaries)


@dataclass(frozen=True)
class Masker:
    """Draws the masks of blocks: the text, how it is masked, what is predicted.

    ``annotated`` is the table of `masking.annotated` for the schemes that need one; ``numbers``
    int64 (blocks,) are the blocks that a second segment is drawn from, in the text's order.
    """

    blocks: Blocks
    masking: MaskingSettings
    objectives: ObjectiveSettings
    mask_id: int
    numbers: NDArray[np.int64]
    annotated: Any = None

    def example(self, number: int, seed: Sequence[int]) -> MaskedExample:
        """Return block ``number`` masked, with a second segment where the next is predicted."""
        generator = np.random.default_rng([*seed, number])
        segments, at_random = [number], False
        if self.objectives.next_sentence:
            second, at_random = self._second(number, generator)
            segments.append(second)
        originals, masks, pairs = [], [], []
        for one in segments:
            ids, masked = self._masked(one, generator)
            originals.append(ids)
            masks.append(masked)
            longest = self.objectives.max_boundary_targets if self.objectives.boundary_weight else 0
            pairs.append(boundary_pairs(masked.spans, len(ids), longest))
        return MaskedExample(tuple(originals), tuple(masks), tuple(pairs), at_random)

    def _masked(self, number: int, generator: np.random.Generator) -> tuple[Ints, Masked]:
        row = self.blocks.table[number]
        ids = np.asarray(row["ids"], np.int64)
        starts = np.asarray(row["starts"], np.bool_)
        candidates = None
        if self.annotated is not None:
            found = self.annotated[number]
            candidates, starts = candidates_of(found), word_starts_of(found, starts)
        random_ids = partial(random_subwords, self.blocks.cumulative, generator)
        return ids, mask(ids, starts, self.mask_id, random_ids, self.masking, generator, candidates)

    def _second(self, number: int, generator: np.random.Generator) -> tuple[int, bool]:
        """Return the block after this one, or half of the time one of another document.

        The last block of a document is always followed by another document's, if there is one.
        """
        documents, numbers = self.blocks.documents, self.numbers
        after = int(np.searchsorted(numbers, number + 1))
        follows = after < len(numbers) and numbers[after] == number + 1
        if follows and documents[number + 1] == documents[number] and generator.random() < 0.5:
            return number + 1, False
        several = documents[numbers[0]] != documents[numbers[-1]]
        while True:
            other = int(numbers[generator.integers(len(numbers))])
            if not several or documents[other] != documents[number]:
                return other, True


def random_subwords(
    cumulative: NDArray[np.float64], generator: np.random.Generator, count: int
) -> Ints:
    """Return subwords as often as the text has them; ``cumulative`` float64 (vocabulary,) ends at 1."""
    return np.searchsorted(cumulative, generator.random(count), side="right").astype(np.int64)


@dataclass(frozen=True)
class PretrainBatch:
    """A batch for the network; ``input`` is what a Hugging Face encoder takes, (rows, subwords).

    The rest is int64, one entry a target: ``masked`` and the boundaries ``left`` and ``right``
    are places in the flattened input, ``words`` and ``boundary_words`` the subwords to predict,
    ``positions`` the place within the span; ``at_random`` (rows,) is 1 where the second
    segment was taken at random, ``whole`` (rows,) the place of the special subword that stands for
    the whole row; both are empty without a second segment.
    """

    input: dict[str, Tensor]
    masked: Tensor
    words: Tensor
    left: Tensor
    right: Tensor
    positions: Tensor
    boundary_words: Tensor
    whole: Tensor
    at_random: Tensor

    def to(self, device: torch.device) -> PretrainBatch:
        """Return the batch on a device."""
        rest = {name: value for name, value in vars(self).items() if name != "input"}
        moved = {name: value.to(device, non_blocking=True) for name, value in rest.items()}
        given = {name: value.to(device, non_blocking=True) for name, value in self.input.items()}
        return PretrainBatch(given, **moved)


def collate_examples(
    examples: Sequence[MaskedExample], frame: Frame, padding: int, segments: bool
) -> PretrainBatch:
    """Lay examples out in rows; ``segments`` says that the encoder distinguishes two segments."""
    longest = max(one.size for one in examples) + frame.size
    shape = (len(examples), longest)
    ids, attend, kinds = (
        np.full(shape, padding),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
    )
    parts: dict[str, list[Ints]] = {name: [] for name in _TARGETS}
    wholes: list[int] = []
    pairs_given: list[int] = []
    for row, one in enumerate(examples):
        place = 0
        for number, (original, masked, pairs) in enumerate(
            zip(one.originals, one.masked, one.boundaries, strict=True)
        ):
            special = frame.between if number else frame.before
            ids[row, place : place + len(special)] = special
            place += len(special)
            ids[row, place : place + len(original)] = masked.ids
            kinds[row, place : place + len(original) + len(frame.after)] = number
            base = row * longest + place
            parts["masked"].append(base + masked.places)
            parts["words"].append(original[masked.places])
            parts["left"].append(base + pairs.left)
            parts["right"].append(base + pairs.right)
            parts["positions"].append(pairs.position)
            parts["boundary_words"].append(original[pairs.target])
            place += len(original)
        ids[row, place : place + len(frame.after)] = frame.after
        attend[row, : place + len(frame.after)] = 1
        if len(one.originals) == 2:
            pairs_given.append(int(one.at_random))
            at_end = frame.after and not frame.before  # XLNet's stands there
            wholes.append(row * longest + (place + len(frame.after) - 1 if at_end else 0))
    given = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(attend)}
    if segments:
        given["token_type_ids"] = torch.from_numpy(kinds)
    targets = {name: torch.from_numpy(np.concatenate(found)) for name, found in parts.items()}
    whole, at_random = (torch.tensor(found, dtype=torch.int64) for found in (wholes, pairs_given))
    return PretrainBatch(given, whole=whole, at_random=at_random, **targets)


_TARGETS = ("masked", "words", "left", "right", "positions", "boundary_words")
