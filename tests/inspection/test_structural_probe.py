"""The probe finds trees that are in the vectors, and says how many of their edges it found."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
import torch

from bnaparser.errors import DataError
from bnaparser.inspection.structural_probe import (
    ProbeExample,
    ProbeSentence,
    ProbeSettings,
    depths,
    distances,
    fit,
    loss,
    predict,
    probe,
    score,
    squared_distances,
    squared_norms,
)

WIDTH = 8
QUICK = ProbeSettings(rank=WIDTH, learning_rate=0.02)


def random_heads(generator: random.Random) -> tuple[int, ...]:
    """Heads of a random tree: each word's is one that was placed before it."""
    order = list(range(1, generator.randint(5, WIDTH) + 1))
    generator.shuffle(order)
    heads = [0] * len(order)
    for place in range(1, len(order)):
        heads[order[place] - 1] = generator.choice(order[:place])
    return tuple(heads)


def tree_vectors(heads: tuple[int, ...]) -> np.ndarray:
    """Vectors whose squared distances and norms are the tree's: a dimension for each edge."""
    vectors = np.zeros((len(heads), WIDTH), np.float32)
    for word in range(len(heads)):
        above = word
        while heads[above]:
            vectors[word, above] = 1
            above = heads[above] - 1
    return vectors


def sentences(count: int, seed: int) -> list[ProbeSentence]:
    generator = random.Random(seed)
    rotation = np.linalg.qr(np.random.default_rng(7).normal(size=(WIDTH, WIDTH)))[0]
    found = []
    for _ in range(count):
        heads = random_heads(generator)
        vectors = (tree_vectors(heads) @ rotation * 3).astype(np.float32)
        found.append(ProbeSentence(vectors, heads, (False,) * len(heads)))
    return found


def test_trees_that_are_in_the_vectors_are_all_found() -> None:
    scores = probe(sentences(150, 1), sentences(30, 2), sentences(30, 3), QUICK)
    assert (scores.uuas, scores.root_accuracy) == (100, 100)
    # Not 1: words that are equally far in the tree are not exactly so in the vectors.
    assert scores.distance_spearman > 0.9 and scores.depth_spearman > 0.9


def test_vectors_without_trees_do_worse() -> None:
    generator = np.random.default_rng(4)
    parts = [
        [
            dataclasses.replace(one, vectors=generator.normal(size=one.vectors.shape).astype("f4"))
            for one in sentences(40, seed)
        ]
        for seed in (1, 2, 3)
    ]
    scores = probe(parts[0], parts[1], parts[2], QUICK)
    assert scores.uuas < 60 and scores.distance_spearman < 0.5


def test_the_measures_and_the_loss_by_loops() -> None:
    generator = torch.Generator().manual_seed(1)
    matrix = torch.randn(4, 3, generator=generator)
    batch, expected = [], {squared_distances: 0.0, squared_norms: 0.0}
    for heads in ((2, 0), (2, 3, 0, 3), (0,)):
        vectors = torch.randn(len(heads), 4, generator=generator)
        batch.append((vectors, heads))
        mapped, gold, depth = vectors @ matrix, distances(heads), depths(heads)
        for i in range(len(heads)):
            expected[squared_norms] += abs(float(mapped[i] @ mapped[i]) - depth[i]) / len(heads)
            for j in range(len(heads)):
                far = float(((mapped[i] - mapped[j]) ** 2).sum())
                expected[squared_distances] += abs(far - gold[i, j]) / len(heads) ** 2
    for measure, target in ((squared_distances, distances), (squared_norms, depths)):
        examples = [ProbeExample(v, torch.from_numpy(target(heads))) for v, heads in batch]
        found = float(loss(measure, matrix, examples))
        assert found == pytest.approx(expected[measure] / 3, rel=1e-4)


def test_distances_and_depths_of_a_sentence_with_two_roots() -> None:
    heads = (2, 0, 0, 3)
    assert depths(heads).tolist() == [1, 0, 0, 1]
    assert distances(heads)[0].tolist() == [0, 1, 3, 4]


def test_scores_of_a_drawn_prediction() -> None:
    # The cat sat on the mat .   Predicted: "on" hangs from "cat", the rest is right.
    heads = (2, 3, 0, 3, 6, 4, 3)
    wrong = (2, 3, 0, 2, 6, 4, 3)
    sentence = ProbeSentence(np.zeros((7, 1), np.float32), heads, (*[False] * 6, True))
    # The mark lies in the middle of all words, and highest: it must not matter.
    far, deep = distances(wrong).copy(), depths(wrong).copy()
    far[6, :], far[:, 6], deep[6] = 0, 0, -1
    scores = score([sentence], [far], [deep])
    assert scores.uuas == pytest.approx(100 * 4 / 5)
    assert scores.root_accuracy == 100
    deep[3] = -0.5
    assert score([sentence], [far], [deep]).root_accuracy == 0


def test_the_same_seed_gives_the_same_probe() -> None:
    examples = [
        ProbeExample(torch.from_numpy(one.vectors), torch.from_numpy(distances(one.heads)))
        for one in sentences(25, 1)
    ]
    settings = ProbeSettings(rank=4, epochs=3)

    def trained(seed: int) -> torch.Tensor:
        torch.rand(1)  # whatever else draws numbers
        chosen = dataclasses.replace(settings, seed=seed)
        return fit(squared_distances, examples, examples, chosen)

    assert torch.equal(trained(1), trained(1))
    assert not torch.equal(trained(1), trained(2))
    assert trained(1).shape == (WIDTH, 4)
    assert predict(squared_norms, trained(1), examples[0].vectors.numpy()).shape == (
        len(examples[0].vectors),
    )


def test_vectors_that_are_no_numbers_are_told() -> None:
    examples = [ProbeExample(torch.full((3, WIDTH), float("nan")), torch.ones(3))]
    with pytest.raises(
        DataError, match="squared_norms: the development loss is not a finite number"
    ):
        fit(squared_norms, examples, examples, QUICK)


def test_a_part_without_sentences_is_named() -> None:
    with pytest.raises(DataError, match="no development sentence"):
        probe(sentences(2, 1), [], sentences(2, 1))
    short = [ProbeSentence(np.zeros((2, WIDTH), np.float32), (2, 0), (False, False))]
    with pytest.raises(DataError, match="5 to 50 words"):
        probe(sentences(2, 1), sentences(2, 1), short)
