"""Which subwords are masked: lengths, budgets, merging, whole words, replacement, on blocks of every shape."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnaparser.spanbert.masking import (
    Candidates,
    budget,
    drawn_lengths,
    length_distribution,
    mask,
    merged,
    replaced,
)
from bnaparser.spanbert.settings import MaskingSettings, Scheme

MASK = 4
SCHEMES = get_args(Scheme)


def random_ids(count: int) -> NDArray[np.int64]:
    return np.full(count, 9, np.int64)


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def a_block(subwords: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], Candidates]:
    """A block with words of one to four subwords, and candidates from word to word."""
    generator = np.random.default_rng(seed)
    starts = generator.random(subwords) < 0.6
    starts[0] = True
    first = np.append(np.flatnonzero(starts), subwords)
    begins = generator.integers(0, len(first) - 1, 30)
    words = np.minimum(generator.integers(1, 8, 30), len(first) - 1 - begins)
    spans = np.stack([first[begins], first[begins + words]], axis=1)
    return generator.integers(10, 99, subwords), starts, Candidates(spans, words)


def test_lengths_are_the_papers() -> None:
    found = length_distribution(0.2, 10)
    told = [0.2241, 0.1792, 0.1434, 0.1147, 0.0918, 0.0734, 0.0587, 0.0470, 0.0376, 0.0301]
    assert found == pytest.approx(told, abs=5e-5)
    assert found @ np.arange(1, 11) == pytest.approx(3.7971, abs=5e-5)


def test_drawn_lengths_follow_them_over_a_million_draws() -> None:
    drawn = np.random.default_rng(1).random(1_000_000)
    counts = np.bincount(drawn_lengths(drawn, 0.2, 10), minlength=11)[1:]
    told = length_distribution(0.2, 10) * 1e6
    deviation = np.sqrt(told * (1 - told / 1e6))
    assert np.all(np.abs(counts - told) < 4.5 * deviation)


def test_budgets_round_up() -> None:
    assert [budget(n, 0.15) for n in (1, 10, 20, 100, 510)] == [1, 2, 3, 15, 77]


def test_spans_that_overlap_or_touch_become_one() -> None:
    assert merged([(4, 6), (2, 4), (8, 10), (9, 13)]) == [(2, 6), (8, 13)]


@given(st.sampled_from(SCHEMES), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_the_budget_is_met_to_the_subword(scheme: Scheme, subwords: int, seed: int) -> None:
    ids, starts, candidates = a_block(subwords, seed)
    settings = MaskingSettings(scheme=scheme)
    found = mask(ids, starts, MASK, random_ids, settings, np.random.default_rng(seed), candidates)
    assert len(found.places) == budget(subwords, 0.15)
    assert found.places.tolist() == sorted(set(found.places.tolist()))
    assert found.places.tolist() == [p for start, end in found.spans for p in range(start, end)]
    assert all(one[1] < other[0] for one, other in zip(found.spans, found.spans[1:], strict=False))
    assert all(0 <= start < end <= subwords for start, end in found.spans)
    untouched = np.setdiff1d(np.arange(subwords), found.places)
    assert np.array_equal(found.ids[untouched], ids[untouched])
    if scheme != "subwords":
        assert all(starts[start] for start, _ in found.spans)


@given(st.sampled_from(SCHEMES), st.integers(0, 2**32 - 1))
def test_all_spans_but_the_one_that_was_cut_end_where_a_word_does(
    scheme: Scheme, seed: int
) -> None:
    if scheme == "subwords":
        return
    ids, starts, candidates = a_block(200, seed)
    settings = MaskingSettings(scheme=scheme)
    found = mask(ids, starts, MASK, random_ids, settings, np.random.default_rng(seed), candidates)
    ends = [end for _, end in found.spans if end < 200 and not starts[end]]
    assert len(ends) <= 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_same_seed_gives_the_same_mask_and_another_one_another(scheme: Scheme) -> None:
    ids, starts, candidates = a_block(200, 7)
    settings = MaskingSettings(scheme=scheme)

    def drawn(seed: int) -> list[int]:
        generator = np.random.default_rng(seed)
        found = mask(ids, starts, MASK, random_ids, settings, generator, candidates)
        return [int(place) for place in found.places]

    assert drawn(1) == drawn(1) != drawn(2)


def test_a_span_is_treated_as_one() -> None:
    """80 % masked, 10 % of random subwords, 10 % as they were: one draw a span."""
    ids = np.arange(20, 620, dtype=np.int64)
    spans = [(start, start + 3) for start in range(0, 600, 4)]
    kinds = {"masked": 0, "random": 0, "kept": 0}
    for seed in range(40):
        found = replaced(ids, spans, MASK, random_ids, np.random.default_rng(seed))
        for start, end in spans:
            inside = found[start:end]
            if np.all(inside == MASK):
                kinds["masked"] += 1
            elif np.all(inside == 9):
                kinds["random"] += 1
            else:
                assert np.array_equal(inside, ids[start:end])
                kinds["kept"] += 1
    total = sum(kinds.values())
    assert kinds["masked"] / total == pytest.approx(0.8, abs=0.02)
    assert kinds["random"] / total == pytest.approx(0.1, abs=0.02)


def test_single_subwords_are_replaced_each_for_itself() -> None:
    """As in BERT: of subwords that touch some are masked and others are not, in the same shares."""
    ids = np.arange(20, 420, dtype=np.int64)
    settings = MaskingSettings(scheme="subwords", mask_probability=0.5)
    kinds, mixed = np.zeros(3), 0
    for seed in range(60):
        found = mask(ids, np.ones(400, np.bool_), MASK, random_ids, settings, rng(seed))
        kind = np.where(found.ids == MASK, 0, np.where(found.ids == 9, 1, 2))
        kinds += np.bincount(kind[found.places], minlength=3)
        mixed += sum(len(set(kind[start:end])) > 1 for start, end in found.spans)
    assert kinds / kinds.sum() == pytest.approx([0.8, 0.1, 0.1], abs=0.02)
    assert mixed > 100


def test_merged_spans_are_as_long_as_in_the_authors_program() -> None:
    """FACTS of the program at 510 one-piece words: 3.92 subwords a span, 19.6 spans a block."""
    ids, starts = np.arange(510), np.ones(510, np.bool_)
    settings = MaskingSettings()
    found = [
        mask(ids, starts, MASK, random_ids, settings, np.random.default_rng(seed)).spans
        for seed in range(400)
    ]
    lengths = [end - start for spans in found for start, end in spans]
    assert np.mean(lengths) == pytest.approx(3.92, abs=0.05)
    assert len(lengths) / len(found) == pytest.approx(19.6, abs=0.25)
    assert np.mean([length > 10 for length in lengths]) == pytest.approx(0.016, abs=0.006)


def test_a_word_of_many_subwords_begins_a_span_as_much_oftener() -> None:
    starts = np.ones(100, np.bool_)
    starts[51:60] = False  # one word of ten subwords among ninety of one
    settings = MaskingSettings(scheme="words", mask_probability=0.01)
    found = [
        mask(np.arange(100), starts, MASK, random_ids, settings, np.random.default_rng(s)).spans
        for s in range(4000)
    ]
    began = np.mean([spans[0][0] == 50 for spans in found])
    assert began == pytest.approx(0.1, abs=0.02)


def test_half_of_the_spans_are_names_where_there_are_enough() -> None:
    starts = np.ones(400, np.bool_)
    spans = np.array([(start, start + 3) for start in range(0, 400, 8)])
    candidates = Candidates(spans, np.full(len(spans), 3))
    settings = MaskingSettings(scheme="entities", mask_probability=0.02)
    named = total = 0
    for seed in range(600):
        generator = np.random.default_rng(seed)
        found = mask(np.arange(400), starts, MASK, random_ids, settings, generator, candidates)
        named += any((start, end) == (found.spans[0]) for start, end in spans.tolist())
        total += 1
    # The first span of a block in place, name or word: half of the draws are names.
    assert 0.35 < named / total < 0.75


def test_constituents_are_masked_whole_and_as_long_as_geometric_spans() -> None:
    starts = np.ones(300, np.bool_)
    spans = np.array([(s, s + n) for n in range(2, 11) for s in range(0, 300 - n, 11)])
    candidates = Candidates(spans, spans[:, 1] - spans[:, 0])
    settings = MaskingSettings(scheme="constituents", mask_probability=0.1)
    whole = {tuple(span) for span in spans.tolist()} | {(n, n + 1) for n in range(300)}
    single = matching = 0
    for seed in range(100):
        generator = np.random.default_rng(seed)
        found = mask(np.arange(300), starts, MASK, random_ids, settings, generator, candidates)
        for span in found.spans:
            single += 1
            matching += span in whole
    # What does not match is what touched and was merged, or the last one, cut.
    assert matching / single > 0.6
