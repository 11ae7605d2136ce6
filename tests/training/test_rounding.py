"""Training with rounded weights: what is judged is what is stored, what is changed is exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from bnaparser.errors import SettingsError
from bnaparser.files.tensors import round_rows
from bnaparser.network import storage
from bnaparser.network.model_settings import LayerSettings
from bnaparser.training.checkpoints import BEST
from bnaparser.training.data import read_mix
from bnaparser.training.recipe import Recipe, load_recipe
from bnaparser.training.run import development_scores, train
from bnaparser.training.update import rounded

WIDE = LayerSettings(hidden_size=128, num_attention_heads=2, head_dim=64, intermediate_size=256)


def test_weights_are_rounded_within_and_exact_again_afterwards() -> None:
    torch.manual_seed(0)
    large = nn.Linear(128, 128)
    network = nn.Sequential(large, nn.Linear(128, 2))
    before = [parameter.detach().clone() for parameter in network.parameters()]
    numbers, scales = round_rows(before[0], 0.9)
    with pytest.raises(KeyError), rounded(network, 0.9):
        torch.testing.assert_close(large.weight.detach(), numbers * scales, rtol=0, atol=0)
        for now, then in zip(list(network.parameters())[1:], before[1:], strict=True):
            assert torch.equal(now, then)  # too small for a scale a row
        raise KeyError
    assert all(torch.equal(*two) for two in zip(network.parameters(), before, strict=True))
    with rounded(network, None):
        assert torch.equal(large.weight, before[0])


def test_the_gradient_is_that_of_the_rounded_weights() -> None:
    """Of a square it tells the two apart: twice the weight that was used."""
    torch.manual_seed(0)
    network = nn.Linear(128, 128, bias=False)
    numbers, scales = round_rows(network.weight.detach(), 0.9)
    with rounded(network, 0.9):
        (gradient,) = torch.autograd.grad(network.weight.square().sum(), network.weight)
    torch.testing.assert_close(gradient, 2 * numbers * scales)


def test_the_stored_model_has_the_f1_that_was_judged(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    given = recipe(max_steps=6, store="int8", qat_step=0.9, layers=WIDE)
    progress = train(given, tmp_path)
    stored = storage.load(tmp_path / BEST)
    large = [m for m in stored.state_dict().values() if m.dim() == 2 and m.numel() >= 16384]
    assert large and all(len(row.unique()) < 14 for matrix in large for row in matrix)
    scores = development_scores(stored, read_mix(given.train).dev, 1000)
    assert scores["f1"] == pytest.approx(progress.best_f1)


def test_a_step_needs_int8(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("[train]\nqat_step = 0.9\n", encoding="utf-8")
    with pytest.raises(SettingsError, match='qat_step needs store = "int8"'):
        load_recipe(path)
