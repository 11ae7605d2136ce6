"""The decoder and the loss against benepar 0.2.0's; see make_benepar_reference.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bnaparser import chart

STORED = Path(__file__).parent / "fixtures" / "benepar.npz"
pytestmark = pytest.mark.skipif(not STORED.exists(), reason="run make_benepar_reference.py first")


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(STORED) as arrays:
        return dict(arrays)


def test_trees_are_benepars(stored: dict[str, np.ndarray]) -> None:
    first = 0
    decoded = chart.decode_packed(stored["scores"], stored["lengths"])
    for n, (_, spans) in zip(stored["lengths"].tolist(), decoded, strict=True):
        starts, ends = chart.span_indices(n)
        labels = {(start, end): label for start, end, label in spans.tolist()}
        packed = [labels.get(span, 0) for span in zip(starts.tolist(), ends.tolist(), strict=True)]
        assert packed == stored["labels"][first : first + len(starts)].tolist()
        first += len(starts)


def test_losses_are_benepars(stored: dict[str, np.ndarray]) -> None:
    found = chart.cost_augment_packed(stored["scores"], stored["gold"], stored["lengths"])
    counts = [chart.span_count(n) for n in stored["lengths"].tolist()]
    gold_scores = np.take_along_axis(stored["scores"], stored["gold"][:, None], 1)[:, 0]
    golds = [part.sum() for part in np.split(gold_scores, np.cumsum(counts)[:-1])]
    losses = np.maximum(0, found.value - golds)
    np.testing.assert_allclose(losses, stored["losses"], rtol=0, atol=1e-4)
