"""Dropout of whole features: one mask for all positions of a sentence."""

from __future__ import annotations

import torch

from bnaparser.network.layers.block import FeatureDropout


def test_a_feature_is_dropped_at_every_position_of_a_sentence_or_at_none() -> None:
    torch.manual_seed(1)
    outputs = FeatureDropout(0.5).train()(torch.ones(4, 6, 32))
    assert set(outputs.flatten().tolist()) == {0.0, 2.0}
    assert torch.equal(outputs, outputs[:, :1].expand_as(outputs))
    assert not torch.equal(outputs[0], outputs[1])  # each sentence has a mask of its own


def test_nothing_is_dropped_outside_training_or_with_probability_0() -> None:
    inputs = torch.randn(2, 3, 4)
    assert FeatureDropout(0.5).eval()(inputs) is inputs
    assert FeatureDropout(0.0).train()(inputs) is inputs
