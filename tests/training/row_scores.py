"""A network whose span scores stand in a table: what the tests of losses over trees look at."""

from __future__ import annotations

import torch
from torch import nn

from bnaparser import chart
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel, Encoded
from bnaparser.network.model_settings import ModelSettings

LABELS = Inventory(["", "A", "B"])
LENGTHS = [3, 1, 4]


class RowScores(BnaModel):
    """A model whose span scores stand in a table, a row a span, whatever it reads."""

    def __init__(self, scores: torch.Tensor, temperature: float, allow_empty_root: bool):
        nn.Module.__init__(self)  # without the layers of a network
        self.settings = ModelSettings().at_temperature(temperature)
        self.allow_empty_root = allow_empty_root
        self.scores = nn.Parameter(scores)
        self.labels = LABELS

    @property
    def device(self) -> torch.device:
        return self.scores.device

    def span_scores(
        self, encoded: Encoded, starts: torch.Tensor, ends: torch.Tensor
    ) -> torch.Tensor:
        return self.scores


ENCODED = Encoded(torch.zeros(0), torch.zeros(0), LENGTHS)


def table(seed: int, temperature: float, allow_empty_root: bool) -> RowScores:
    count = sum(map(chart.span_count, LENGTHS))
    scores = 2 * torch.randn(count, 2, generator=torch.Generator().manual_seed(seed))
    return RowScores(scores, temperature, allow_empty_root)
