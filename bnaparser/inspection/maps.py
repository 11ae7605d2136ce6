"""Who attends to whom, with syntax and without, word by word (figure 3 of the SLA paper)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bnaparser.errors import SettingsError
from bnaparser.inspection.texts import attention_variant
from bnaparser.syntax.attention import Attention, AttentionVariant
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import TaskModel

Maps = NDArray[np.float32]
Seen = Callable[[Attention, SyntaxBatch, Tensor], None]


@dataclass(frozen=True)
class AttentionMaps:
    """The attention of one text in L layers and A heads, between its U words and special tokens.

    Rows are queries, (L, A, U, U), and sum to 1: the subwords of a word are one, as a key by their
    sum, as a query by their mean. ``plain`` are the probabilities without syntax, in the layer as
    it stands; ``local`` those within the mask (SLA, WLA), None if the variant has no
    local attention; ``guided`` what values are weighted with. ``special`` (U) marks the tokens that
    are no words.
    """

    words: tuple[str, ...]
    special: NDArray[np.bool_]
    plain: Maps
    local: Maps | None
    guided: Maps

    def average(self, layer: int | None = None, head: int | None = None) -> AttentionMaps:
        """Return the mean over layers and heads, or the maps of one layer or head, numbered from 1,
        with L = A = 1.

        Raises SettingsError if there is no such layer or head.
        """
        layers = _chosen("layer", layer, self.plain.shape[0])
        heads = _chosen("head", head, self.plain.shape[1])

        def mean(maps: Maps) -> Maps:
            averaged: Maps = maps[layers][:, heads].mean(axis=(0, 1), keepdims=True)
            return averaged

        local = None if self.local is None else mean(self.local)
        return AttentionMaps(self.words, self.special, mean(self.plain), local, mean(self.guided))


def _chosen(kind: str, number: int | None, count: int) -> slice:
    if number is None:
        return slice(None)
    if not 1 <= number <= count:
        raise SettingsError(
            f"there is no {kind} {number}: this encoder has the numbers 1 to {count}"
        )
    return slice(number - 1, number)


@torch.inference_mode()
def attention_maps(model: TaskModel, example: PreparedExample) -> AttentionMaps:
    """Return how a model's attention reads one text; SettingsError if no syntax guides it."""
    plain: list[Tensor] = []
    local: list[Tensor] = []
    guided: list[Tensor] = []

    def keep(attention: Attention, batch: SyntaxBatch, probabilities: Tensor) -> None:
        plain.append(attention.softmax()[0])
        if batch.mask is not None:
            local.append(attention.softmax(batch.mask[:, None])[0])
        guided.append(probabilities[0])

    tokens = model.tokenize([example])
    inputs = model.inputs([example], tokens)
    with watching(attention_variant(model), keep):
        model.network(**{name: value.to(model.device) for name, value in inputs.items()})
    words, special, units = _units(model, example, tokens)

    def folded(layers: list[Tensor]) -> Maps:
        return fold(torch.stack(layers).float().cpu().numpy(), units)

    return AttentionMaps(
        words, special, folded(plain), folded(local) if local else None, folded(guided)
    )


@contextmanager
def watching(variant: AttentionVariant, seen: Seen) -> Iterator[None]:
    """Call ``seen`` with what each layer's softmax was made of, and what came of it."""
    attend = variant.attend

    def watched(layer: int, attention: Attention, batch: SyntaxBatch | None) -> Tensor:
        probabilities = attend(layer, attention, batch)
        if batch is not None:
            seen(attention, batch, probabilities)
        return probabilities

    # Of this instance alone; torch's own attention would have nothing to show.
    variant.attend = watched  # type: ignore[method-assign]
    variant.fused = lambda *_: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        del variant.attend, variant.fused


def fold(attention: Maps, units: NDArray[np.int64]) -> Maps:
    """Return attention between units, (..., U, U), from that between tokens, (..., T, T).

    ``units`` (T) says which unit a token is part of. Keys of a unit are added up, its queries
    averaged, so rows sum to what they did.
    """
    belongs = np.eye(units.max() + 1, dtype=np.float32)[units]  # (T, U)
    folded: Maps = (belongs / belongs.sum(axis=0)).T @ (attention @ belongs)
    return folded


def _units(
    model: TaskModel, example: PreparedExample, tokens: Any
) -> tuple[tuple[str, ...], NDArray[np.bool_], NDArray[np.int64]]:
    """Return the words and special tokens of a text, which are special, and the unit of each token."""
    names: list[str] = []
    special: list[bool] = []
    units: list[int] = []
    shown = model.tokenizer.convert_ids_to_tokens(tokens["input_ids"][0])
    before = None
    places = zip(tokens.sequence_ids(0), tokens.word_ids(0), shown, strict=True)
    for sequence, word, token in places:
        here = None if word is None else (sequence, word)
        if here is None or here != before:
            names.append(token if here is None else example.structures[sequence].words[word])
            special.append(here is None)
        units.append(len(names) - 1)
        before = here
    return tuple(names), np.array(special), np.array(units)
