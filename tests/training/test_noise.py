"""Noise in training: which subwords it may hide, what it never touches, and that a seed fixes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnaparser.network.model import BnaModel
from bnaparser.training.data import Example
from bnaparser.training.noise import disturbed
from bnaparser.training.recipe import TrainSettings
from bnaparser.trees.escapes import unescape


def read(model: BnaModel, examples: list[Example], seed: int = 0, **settings: Any):
    prepared = model.prepare([example.words for example in examples])
    generator = np.random.default_rng(seed)
    noisy = disturbed(model, examples, prepared, TrainSettings(**settings), generator)
    return prepared, noisy


def test_the_share_of_subwords_that_was_asked_for_is_masked_and_nothing_else(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    prepared, noisy = read(model, examples, mask_pieces=0.25)
    masked = inside = 0
    for before, after in zip(prepared, noisy, strict=True):
        (old,), (new,) = before.windows, after.windows
        changed = old.ids != new.ids
        assert (new.ids[changed] == model.subwords.tokenizer.mask_token_id).all()
        assert not changed[0] and not changed[-1]
        assert (new.last == old.last).all()
        masked += changed.sum()
        inside += len(old.ids) - 2
    assert abs(masked / inside - 0.25) < 0.06


def test_lower_case_is_what_the_tokenizer_gives_for_lower_case_words(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    prepared, noisy = read(model, examples, lower_case=1.0)
    expected = model.prepare(
        [[unescape(word).lower() for word in example.words] for example in examples]
    )
    ids = [sentence.windows[0].ids.tolist() for sentence in noisy]
    assert ids == [sentence.windows[0].ids.tolist() for sentence in expected]
    assert ids != [sentence.windows[0].ids.tolist() for sentence in prepared]


def test_the_same_draw_gives_the_same_noise_and_none_is_none(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    first, second = (read(model, examples, 5, mask_pieces=0.2, lower_case=0.3)[1] for _ in "ab")
    for one, other in zip(first, second, strict=True):
        assert (one.windows[0].ids == other.windows[0].ids).all()
    prepared, same = read(model, examples)
    assert same == prepared
