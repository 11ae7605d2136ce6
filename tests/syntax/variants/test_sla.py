"""SLA: masks against worked examples, equations 2 to 6 against literal loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.attention import Attention, Sizes
from bnaparser.syntax.batch import SyntaxBatch, collate
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.sla import Sla, SlaSettings, is_punctuation, local_mask


def rows(mask: np.ndarray) -> list[str]:
    return ["".join(str(int(cell)) for cell in row) for row in mask]


@pytest.mark.parametrize(
    ("threshold", "wanted"),
    [
        (3, "111101 111111 111111 111111 111111 011111"),
        (2, "111100 111101 111111 111111 011111 001111"),
        (1, "111000 111100 111101 011111 001111 000111"),
    ],
)
def test_who_sees_whom_at_which_threshold(
    the_cat: SyntaxTrees, threshold: int, wanted: str
) -> None:
    assert rows(local_mask(the_cat, SlaSettings(threshold=threshold))) == wanted.split()


def test_the_mask_may_be_made_symmetric(the_cat: SyntaxTrees) -> None:
    mask = local_mask(the_cat, SlaSettings(threshold=3, symmetric=True))
    assert mask.all()
    mask = local_mask(the_cat, SlaSettings(threshold=1, symmetric=True))
    assert (mask == mask.T).all() and not mask.all()


def test_several_trees_are_apart_unless_their_roots_are_linked() -> None:
    text = SyntaxTrees(("a", "b", "c", "d"), (2, 0, 0, 3))
    assert rows(local_mask(text, SlaSettings())) == ["1100", "1111", "1111", "0011"]
    assert local_mask(text, SlaSettings(link_roots=True, threshold=3)).all()


def test_punctuation_may_be_open_to_all() -> None:
    words = ("a", "b", "c", "d", "e", ".")
    text = SyntaxTrees(words, (2, 3, 4, 5, 0, 5))
    closed = local_mask(text, SlaSettings(threshold=1))
    opened = local_mask(text, SlaSettings(threshold=1, open_punctuation=True))
    assert not closed[0, 5] and opened[:, 5].all()
    assert (closed[:, :5] == opened[:, :5]).all()
    assert is_punctuation("``") and is_punctuation("...") and not is_punctuation("U.S.")


def test_the_mixture_of_a_row() -> None:
    module = Sla(SlaSettings(), Sizes(1, 1, 1, 1, 1, 0.0, 0.02))
    gate: Any = module.gates[0]
    with torch.no_grad():
        gate.weight.zero_()
        gate.bias.fill_(-np.log(3))  # a gate of .25
    scores = torch.tensor([1.0, 0.0, -1.0, 2.0]).expand(1, 1, 4, 4)
    features = torch.zeros(1, 1, 4, 1)
    attention = Attention(
        torch.zeros(1, 4, 1), features, features, features, scores, None, 0.0, torch.ones(1, 1)
    )
    batch = SyntaxBatch(
        SlaSettings(),
        (1, 4),
        torch.tensor([True]),
        True,
        mask=torch.tensor([True, True, False, False]).expand(1, 4, 4),
    )
    mixed = module.guided(0, attention, batch)[0, 0, 0]
    assert mixed.tolist() == pytest.approx([0.3604, 0.1326, 0.0240, 0.4829], abs=5e-5)
    local = attention.softmax(batch.mask[:, None] if batch.mask is not None else None)[0, 0, 0]
    assert local.tolist() == pytest.approx([0.7311, 0.2689, 0, 0], abs=5e-5)
    everywhere = attention.softmax()[0, 0, 0]
    assert everywhere.tolist() == pytest.approx([0.2369, 0.0871, 0.0321, 0.6439], abs=5e-5)


def test_a_layer_is_as_its_equations_written_out(
    fresh: Callable[[str], Any],
    tokens_of: Callable[..., Any],
    first_layer: Callable[..., Any],
    the_cat: SyntaxTrees,
) -> None:
    settings = SlaSettings(threshold=1)
    model = attach(fresh("bert"), settings)
    syntax = syntax_of(model)
    assert isinstance(syntax, Sla)
    with torch.no_grad():
        gates: Any = syntax.gates[0]
        gates.weight.normal_(std=0.5)
        gates.bias.fill_(0.3)
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    seen = first_layer(model, tokens, batch)
    words = tokens.word_ids(0)
    distances: dict[tuple[int, int], int] = {}
    heads = the_cat.heads
    assert heads is not None
    for i in range(6):  # eq. 2, by steps over the edges
        reached, edge = {i}, 0
        while reached:
            for j in reached:
                distances.setdefault((i, j), edge)
            edge += 1
            neighbours = {heads[j] - 1 for j in reached if heads[j]}
            neighbours |= {k for k in range(6) for j in reached if heads[k] == j + 1}
            reached = {j for j in neighbours if (i, j) not in distances}
    weight, bias = gates.weight.detach().numpy()[0], gates.bias.item()
    size = len(words)
    for i in range(size):
        gate = 1 / (1 + np.exp(-(weight @ seen["hidden"][i] + bias)))
        assert syntax.gate_values[0][0, i].item() == pytest.approx(gate, abs=1e-5)
        for head in range(2):
            near, everywhere = np.zeros(size), np.zeros(size)
            for j in range(size):
                power = np.exp(seen["query"][head, i] @ seen["key"][head, j] / 4)
                everywhere[j] = power
                if words[i] is None or words[j] is None:
                    near[j] = power
                    continue
                around = [k for k in (words[i] - 1, words[i], words[i] + 1) if 0 <= k < 6]
                if min(distances[k, words[j]] for k in around) <= 1:
                    near[j] = power
            mixed = gate * near / near.sum() + (1 - gate) * everywhere / everywhere.sum()
            wanted = mixed @ seen["value"][head]
            found = seen["context"][i].reshape(2, 16)[head]
            assert found == pytest.approx(wanted, abs=1e-5)


def test_gates_start_at_a_half(fresh: Callable[[str], Any]) -> None:
    syntax = syntax_of(attach(fresh("bert"), SlaSettings()))
    assert isinstance(syntax, Sla)
    gates: list[Any] = list(syntax.gates)
    for gate in gates:
        assert gate.bias.item() == 0 and 0 < gate.weight.std() < 0.05


def test_states_are_the_same_whether_attention_is_shown_or_not(
    family: str,
    fresh: Callable[[str], Any],
    tokens_of: Callable[..., Any],
    the_cat: SyntaxTrees,
    it_rained: SyntaxTrees,
    unparsed: SyntaxTrees,
) -> None:
    settings = SlaSettings(threshold=1, gate_bias=0.4)
    model = attach(fresh(family), settings)
    structures = [the_cat, it_rained, unparsed]  # the shorter ones are padded
    tokens = tokens_of(family, structures)
    batch = collate(structures, tokens, settings)
    syntax = syntax_of(model)
    assert isinstance(syntax, Sla)
    found: list[list[Tensor]] = []
    with torch.no_grad():
        for shown in (False, True):  # torch's own attention, and ours
            states = model(**tokens, syntax=batch, output_attentions=shown).last_hidden_state
            gates = torch.stack(syntax.gate_values)
            plain = model(**tokens, output_attentions=shown).last_hidden_state
            real = tokens["attention_mask"].bool()
            found.append([states[real], gates, plain[real]])
    for first, second in zip(*found, strict=True):
        assert torch.allclose(first, second, atol=1e-5)
