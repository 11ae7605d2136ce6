"""Noise for training: subwords hidden behind the tokenizer's mask, sentences in lower case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnaparser.encoders.subwords import Subwords, Window
from bnaparser.network.model import BnaModel
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.data import Example
from bnaparser.training.recipe import TrainSettings
from bnaparser.trees.escapes import unescape


def disturbed(
    model: BnaModel,
    examples: list[Example],
    prepared: list[PreparedSentence],
    settings: TrainSettings,
    generator: np.random.Generator,
) -> list[PreparedSentence]:
    """Return sentences as one update reads them; their trees stay what they are."""
    batch = list(prepared)
    if settings.lower_case:
        for place in np.flatnonzero(generator.random(len(batch)) < settings.lower_case):
            words = [unescape(word).lower() for word in examples[place].words]
            batch[place] = model.prepare([words], [examples[place].given_tags])[0]
    if settings.mask_pieces:
        assert model.subwords is not None
        share, subwords = settings.mask_pieces, model.subwords
        batch = [_masked(sentence, subwords, share, generator) for sentence in batch]
    return batch


def _masked(
    sentence: PreparedSentence, subwords: Subwords, share: float, generator: np.random.Generator
) -> PreparedSentence:
    """Hide a random share of a sentence's subwords; the tokenizer's own marks are never hidden."""
    assert subwords.mask is not None
    windows = []
    for window in sentence.windows:
        assert isinstance(window, Window)
        hidden = generator.random(len(window.ids)) < share
        hidden[: len(subwords.prefix)] = False
        hidden[len(window.ids) - len(subwords.suffix) :] = False
        windows.append(replace(window, ids=np.where(hidden, subwords.mask, window.ids)))
    return replace(sentence, windows=tuple(windows))
