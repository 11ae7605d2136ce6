"""Mean scores of networks that know other labels, and that bar some."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from bnaparser.network.ensemble_network import EncodedByEach, EnsembleNetwork
from bnaparser.network.labels import MASKED_SCORE, Inventory
from bnaparser.network.model_settings import ModelSettings

NO_TAGS = Inventory.of_tags([])


def network(scores: dict[str, list[float]]) -> Any:
    """A network with these scores of labels, a list over spans each; None is barred."""
    labels = Inventory.of_labels(scores)
    columns = [[0.0] * 2, *(scores[name] for name in labels.names[1:])]
    table = np.array(columns, np.float32).T
    return SimpleNamespace(
        labels=labels, tags=NO_TAGS, settings=ModelSettings(), allow_empty_root=False,
        backend="torch", precision="float32",
        allowed_tags=np.ones((1, 0), np.bool_),
        all_scores=lambda _: table.copy(),
    )  # fmt: skip


def test_a_label_that_one_bars_counts_there_as_the_worst_and_one_that_all_bar_is_barred() -> None:
    bars = float(MASKED_SCORE) + 3.0
    first = network({"NP": [4.0, -2.0], "sn": [bars, bars], "x": [bars, bars], "z": [bars, bars]})
    second = network({"NP": [2.0, 2.0], "sn": [6.0, 6.0], "x": [bars, bars], "y": [-8.0, 0.0]})
    ensemble = EnsembleNetwork([first, second], [0.5, 0.5])
    assert ensemble.labels.names == ("", "NP", "sn", "x", "y", "z")
    found = ensemble.all_scores(EncodedByEach((None, None), [2]))
    expected = [
        [0, 3, 5, MASKED_SCORE, -2, MASKED_SCORE],
        [0, 0, 2, MASKED_SCORE, -1, MASKED_SCORE],
    ]
    np.testing.assert_array_equal(found, np.array(expected, np.float32))


def test_scores_that_are_no_numbers_stay_so_that_they_are_told() -> None:
    bad = network({"NP": [float("nan")] * 2})
    found = EnsembleNetwork([bad, bad], [0.5, 0.5]).all_scores(EncodedByEach((None, None), [2]))
    assert np.isnan(found[:, 1]).all()
