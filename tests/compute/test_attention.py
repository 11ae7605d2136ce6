"""Attention in compiled loops against the equations, written out with numpy, sentence by sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bnaparser.compute.attention import attend, attend_both_ways, attend_to_spans, scratch_for

Array = np.ndarray[Any, Any]
LENGTHS = [3, 1, 7, 40, 2, 33]
STARTS = np.cumsum([0, *LENGTHS[:-1]])
HEADS, SIZE = 2, 10
WIDTH = HEADS * SIZE
SCALE = np.float32(0.3)
SCRATCH = scratch_for(np.array(LENGTHS), SIZE)


def softmax(scores: Array) -> Array:
    exponents = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Array = exponents / exponents.sum(axis=-1, keepdims=True)
    return weights


def numbers(width: int) -> Array:
    generator = np.random.default_rng(5)
    return generator.standard_normal((sum(LENGTHS), width)).astype(np.float32) * 2


def parts(projected: Array, *widths: int) -> list[list[Array]]:
    """For each sentence and head the head's features of each part of the projection."""
    ends = np.cumsum(widths)
    found = []
    for start, length in zip(STARTS, LENGTHS, strict=True):
        rows = projected[start : start + length].astype(np.float64)
        split = np.split(rows, ends[:-1], axis=1)
        found += [
            list(head) for head in zip(*(np.split(p, HEADS, axis=1) for p in split), strict=True)
        ]
    return found


def joined(contexts: list[Array]) -> Array:
    """Put heads side by side, sentences one after another."""
    return np.concatenate(
        [np.concatenate(contexts[i : i + HEADS], axis=1) for i in range(0, len(contexts), HEADS)]
    )


@pytest.mark.parametrize("longest", [0, 64])
def test_every_word_attends_to_every_word(longest: int) -> None:
    projected = numbers(3 * WIDTH)
    distances = np.zeros((1, 1), np.float32)
    if longest:
        generator = np.random.default_rng(1)
        distances = generator.standard_normal((HEADS, 2 * longest - 1)).astype(np.float32)
    out = np.empty((sum(LENGTHS), WIDTH), np.float32)
    attend(projected, STARTS, np.array(LENGTHS), HEADS, SCALE, distances, out, SCRATCH)
    expected = []
    for place, (query, key, value) in enumerate(parts(projected, WIDTH, WIDTH, WIDTH)):
        scores = query @ key.T * SCALE
        if longest:
            for i, j in np.ndindex(scores.shape):
                scores[i, j] += distances[place % HEADS, longest - 1 + j - i]
        expected.append(softmax(scores) @ value)
    assert out == pytest.approx(joined(expected), abs=1e-5)


def test_both_ways_see_the_words_up_to_and_from_their_own() -> None:
    projected = numbers(2 * WIDTH + WIDTH // 2)
    out = np.empty((sum(LENGTHS), WIDTH), np.float32)
    attend_both_ways(projected, STARTS, np.array(LENGTHS), HEADS, SCALE, out, SCRATCH)
    forward, backward = [], []
    for query, key, value in parts(projected, WIDTH, WIDTH, WIDTH // 2):
        scores = query @ key.T * SCALE
        seen = np.tri(len(scores), dtype=bool)
        forward.append(softmax(np.where(seen, scores, -np.inf)) @ value)
        backward.append(softmax(np.where(seen.T, scores, -np.inf)) @ value)
    expected = np.concatenate([joined(forward), joined(backward)], axis=1)
    assert out == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("ngrams", [1, 4])
def test_words_attend_to_all_short_spans(ngrams: int) -> None:
    lengths = [length for length in LENGTHS if length > 1]
    starts = np.cumsum([0, *lengths[:-1]])
    projected = numbers(3 * WIDTH)[: sum(lengths)]
    bias = np.linspace(-1, 1, WIDTH, dtype=np.float32)
    out = np.empty((sum(lengths), WIDTH), np.float32)
    scratch = scratch_for(np.array(lengths), SIZE)
    attend_to_spans(projected, bias, starts, np.array(lengths), HEADS, ngrams, SCALE, out, scratch)
    for start, length in zip(starts, lengths, strict=True):
        rows = projected[start : start + length].astype(np.float64)
        for head in range(HEADS):
            left = head * SIZE
            query, key, value = (rows[:, p * WIDTH + left :][:, :SIZE] for p in range(3))
            spans = [(a, a + n) for n in range(1, ngrams + 1) for a in range(length - n)]
            keys = np.array([key[b] - key[a] + 7 for a, b in spans])  # a bias: the same for all
            values = np.array([value[b] - value[a] + bias[left : left + SIZE] for a, b in spans])
            expected = softmax(query @ keys.T * SCALE) @ values
            found = out[start : start + length, left : left + SIZE]
            assert found == pytest.approx(expected, abs=1e-4)


def test_what_is_not_a_number_stays_within_its_sentence() -> None:
    projected = numbers(3 * WIDTH)
    projected[STARTS[2] + 1] = np.nan
    out = np.empty((sum(LENGTHS), WIDTH), np.float32)
    nothing = np.zeros((1, 1), np.float32)
    attend(projected, STARTS, np.array(LENGTHS), HEADS, SCALE, nothing, out, SCRATCH)
    of_sentence = slice(STARTS[2], STARTS[3])
    assert np.isnan(out[of_sentence]).all()
    assert not np.isnan(np.delete(out, np.r_[of_sentence], axis=0)).any()
