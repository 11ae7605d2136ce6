"""Gates are those that the layers used, of real tokens alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser.errors import SettingsError
from bnaparser.inspection.gates import gate_curve, gate_values, has_gates
from bnaparser.syntax.attachment import syntax_of
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.syntax_bert import SyntaxBert
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import TaskModel


@pytest.mark.parametrize(
    ("variant", "family"), [("sla", "bert"), ("wla", "bert"), ("sla", "convbert")]
)
def test_gates_are_what_a_hook_in_front_of_each_layer_sees(
    build: Callable[..., TaskModel],
    the_cat: SyntaxTrees,
    it_rained: SyntaxTrees,
    variant: str,
    family: str,
) -> None:
    model = build(family, syntax={variant: {}})
    encoder = model.network.encoder
    examples = [PreparedExample((the_cat,)), PreparedExample((it_rained,))]
    gates: Any = syntax_of(encoder).gates
    expected: list[list[float]] = [[], []]
    for example in examples:  # one by one: there is no padding
        seen: list[torch.Tensor] = []
        hooks = [
            layer.attention.self.register_forward_pre_hook(
                lambda module, args, seen=seen: seen.append(args[0])
            )
            for layer in encoder.encoder.layer
        ]
        model.scores([example])
        for hook in hooks:
            hook.remove()
        for layer, hidden in enumerate(seen):
            weight, bias = (p.detach().numpy() for p in (gates[layer].weight[0], gates[layer].bias))
            for state in hidden[0].numpy():
                expected[layer].append(1 / (1 + np.exp(-(state @ weight + bias[0]))))
    found = gate_values(model, examples)
    assert [len(layer) for layer in found] == [len(layer) for layer in expected]
    for values, wanted in zip(found, expected, strict=True):
        assert np.allclose(np.sort(values), np.sort(wanted), atol=1e-5)


def test_what_a_figure_shows_of_gates() -> None:
    curve = gate_curve([np.array([0.25, 0.75], np.float32), np.array([0.5, 0.5], np.float32)])
    assert curve.mean.tolist() == [0.5, 0.5]
    assert curve.deviation.tolist() == [0.25, 0.0]
    assert (curve.minimum.tolist(), curve.maximum.tolist()) == ([0.25, 0.5], [0.75, 0.5])
    assert curve.tokens == 2


@pytest.mark.parametrize("mixing", ["topical", "sum"])
def test_syntax_bert_shows_what_its_masked_subnetworks_get(
    build: Callable[..., TaskModel], mixing: str
) -> None:
    model = build(syntax={"syntax_bert": {"distances": 3, "mixing": mixing}})
    example = PreparedExample((random_structure(("Mira", "liked", "the", "dog", ".")),))
    found = gate_values(model, [example])
    variant = syntax_of(model.network.encoder)
    assert isinstance(variant, SyntaxBert)
    for layer, shares in enumerate(variant.shares):
        for token, row in enumerate(shares[0].tolist()):
            named = dict(zip(variant.settings.names, row, strict=True))
            masked = sum(share for name, share in named.items() if name != "empty")
            assert found[layer][token] == pytest.approx(masked / sum(row), abs=1e-5)
    assert max(layer.max() for layer in found) > 0.1


@pytest.mark.parametrize(
    ("table", "reason"),
    [({"lisa": {}}, "LISA has no gates"), ({"sgnet": {}}, "SgNet"), ({}, "plain encoder")],
)
def test_a_model_without_gates_says_so(
    build: Callable[..., TaskModel], the_cat: SyntaxTrees, table: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SettingsError, match=reason):
        gate_values(build(syntax=table), [PreparedExample((the_cat,))])


def test_which_variants_have_gates(build: Callable[..., TaskModel]) -> None:
    assert has_gates(build(syntax={"sla": {}}))
    assert not has_gates(build(syntax={"lisa": {}}))
