"""Write benepar's answers on random scores to fixtures/benepar.npz, beside this file.

Run in an environment with benepar 0.2.0 (and the transformers 4 it needs), not in this project's:

    python tests/chart/make_benepar_reference.py

Of benepar only ``decode_chart`` (and ``parse_base``, which it imports) is used, with torch-struct
0.5; a package of these two files alone does as well, with any torch.

The file holds, for sentences of several lengths, scores and gold labels packed as bnaparser packs
them, benepar's best trees as one label a span (0 for none), and its margin loss per sentence.
"""

from __future__ import annotations

import os

import numpy as np
import torch
from benepar.decode_chart import ChartDecoder, SpanClassificationMarginLoss
from numpy.typing import NDArray

LENGTHS = [2, 3, 4, 5, 7, 9, 12, 16]
LABELS = 6
OUTPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "benepar.npz")


def spans(n: int) -> list[tuple[int, int]]:
    return [(start, end) for start in range(n) for end in range(start + 1, n + 1)]


def random_tree(
    generator: np.random.Generator, start: int, end: int, gold: NDArray[np.int64]
) -> None:
    """Fill gold[start, end - 1] for all nodes of a random binary tree; some nodes stay empty."""
    whole = start == 0 and end == len(gold)
    if whole or generator.random() < 0.6:
        gold[start, end - 1] = generator.integers(1, LABELS)
    if end - start > 1:
        split = int(generator.integers(start + 1, end))
        random_tree(generator, start, split, gold)
        random_tree(generator, split, end, gold)


def main() -> None:
    generator = np.random.default_rng(20)
    longest = max(LENGTHS)
    scores = np.zeros((len(LENGTHS), longest, longest, LABELS), np.float32)
    gold = np.full((len(LENGTHS), longest, longest), -100, np.int64)
    for sentence, n in enumerate(LENGTHS):
        chart = np.zeros((n, n), np.int64)
        random_tree(generator, 0, n, chart)
        for start, end in spans(n):
            row = generator.normal(-0.5, 1.5, LABELS)
            # Odd sentences like their gold trees so much that their loss is small or nothing.
            row[chart[start, end - 1]] += 6 if sentence % 2 else 1
            scores[sentence, start, end - 1] = row - row[0]
            gold[sentence, start, end - 1] = chart[start, end - 1]

    lengths = torch.tensor(LENGTHS)
    decoder = ChartDecoder({str(label): label for label in range(LABELS)})
    charts = decoder.charts_from_pytorch_scores_batched(torch.from_numpy(scores), lengths)
    criterion = SpanClassificationMarginLoss(reduction="none")
    losses = criterion(torch.from_numpy(scores), torch.from_numpy(gold)).detach().numpy()

    def pack(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.concatenate(
            [
                np.array([values[sentence][start, end - 1] for start, end in spans(n)])
                for sentence, n in enumerate(LENGTHS)
            ]
        )

    os.makedirs(os.path.dirname(OUTPUT), exist_ok=True)
    np.savez_compressed(
        OUTPUT,
        lengths=np.array(LENGTHS),
        scores=pack(scores),
        gold=pack(gold).astype(np.int32),
        labels=pack(charts).astype(np.int32),
        losses=losses,
    )


if __name__ == "__main__":
    main()
