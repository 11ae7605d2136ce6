"""LISA: targets, the supervision's value, and the replaced head against literal loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser.errors import SettingsError
from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.attention import Attention, Sizes
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import PADDING, SPECIAL, TokenText
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.lisa import Lisa, LisaSettings, ParentHead, parent_pieces

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]


def attention(scores: torch.Tensor, allowed: torch.Tensor | None = None) -> Attention:
    size = scores.shape[-1]
    none = torch.zeros(1, 1, size, 1)
    return Attention(none[0], none, none, none, scores, allowed, 0.0, torch.ones(1, 1))


def head() -> ParentHead:
    return ParentHead(LisaSettings(), Sizes(1, 1, 1, 1, 1, 0.0, 0.02))


def test_every_piece_looks_for_the_first_piece_of_its_parent() -> None:
    text = TokenText(
        (SyntaxTrees(("a", "b", "c"), (2, 0, 2)),),
        np.array([SPECIAL, 0, 0, 1, 1, 2, SPECIAL, PADDING]),
    )
    assert parent_pieces(text).tolist() == [-1, 3, 3, 3, 3, 3, -1, -1]


def test_a_pair_has_two_roots_and_a_parent_cut_off_is_no_target() -> None:
    pair = (SyntaxTrees(("a", "b"), (2, 0)), SyntaxTrees(("c", "d"), (0, 1)))
    tokens = np.array([SPECIAL, 0, 1, SPECIAL, 2, 3])
    assert parent_pieces(TokenText(pair, tokens)).tolist() == [-1, 2, 2, -1, 4, 4]
    cut = TokenText((SyntaxTrees(("a", "b"), (2, 0)),), np.array([SPECIAL, 0]))
    assert parent_pieces(cut).tolist() == [-1, -1]
    unparsed = TokenText((SyntaxTrees(("a",), None),), np.array([0]))
    assert parent_pieces(unparsed).tolist() == [-1]


def test_uniform_attention_costs_the_logarithm_of_its_width() -> None:
    module = head()
    module.supervise(attention(torch.zeros(1, 1, 4, 4)), torch.tensor([[-1, 2, 2, 3]]), True)
    loss = module.loss()
    assert loss is not None and loss.item() == pytest.approx(math.log(4), abs=1e-6)


def test_attention_on_parents_costs_nothing() -> None:
    module = head()
    parents = torch.tensor([[1, 1, 3, -1]])
    scores = torch.zeros(1, 1, 4, 4)
    for row, column in ((0, 1), (1, 1), (2, 3)):
        scores[0, 0, row, column] = 100.0
    module.supervise(attention(scores), parents, True)
    loss = module.loss()
    assert loss is not None and loss.item() == pytest.approx(0, abs=1e-6)


def test_padding_is_no_part_of_the_softmax_and_hidden_parents_no_target() -> None:
    module = head()
    allowed = torch.tensor([True, True, False, False]).expand(1, 1, 4, 4)
    parents = torch.tensor([[1, 3, -1, -1]])  # the second looks beyond what it sees
    module.supervise(attention(torch.zeros(1, 1, 4, 4), allowed), parents, True)
    loss = module.loss()
    assert loss is not None and loss.item() == pytest.approx(math.log(2), abs=1e-6)


def test_nothing_to_supervise_costs_nothing() -> None:
    module = head()
    module.supervise(attention(torch.zeros(1, 1, 2, 2)), torch.tensor([[-1, -1]]), True)
    loss = module.loss()
    assert loss is not None and loss.item() == 0
    assert head().loss() is None


def test_the_loss_is_the_weighted_mean_over_layers(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    losses = []
    for weight in (1.0, 0.5):
        settings = LisaSettings(loss_weight=weight)
        model = attach(fresh("bert"), settings)
        tokens = tokens_of("bert", [the_cat])
        batch = collate([the_cat], tokens, settings)
        maps = model(**tokens, syntax=batch, output_attentions=True).attentions
        syntax = syntax_of(model)
        assert isinstance(syntax, Lisa) and syntax.loss is not None
        losses.append(syntax.loss.item())
        model(**tokens)
        assert syntax.loss is None
    assert batch.parents is not None
    supervised = [(i, j) for i, j in enumerate(batch.parents[0].tolist()) if j >= 0]
    terms = [-math.log(layer[0, -1, i, j].item()) for layer in maps for i, j in supervised]
    assert losses[0] == pytest.approx(sum(terms) / len(terms), abs=1e-5)
    assert losses[1] == pytest.approx(losses[0] / 2, abs=1e-6)


def test_training_on_the_supervision_turns_the_head_to_parents(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = LisaSettings(form="replace")
    model = attach(fresh("bert"), settings)
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    optimizer = torch.optim.Adam(syntax_of(model).parameters(), lr=0.05)
    values = []
    for _ in range(15):
        model(**tokens, syntax=batch)
        loss: Any = syntax_of(model).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        values.append(loss.item())
    assert values[-1] < 0.7 * values[0]


def test_the_replaced_head_is_bilinear(
    fresh: Fresh, tokens_of: Tokens, first_layer: Callable[..., Any], the_cat: SyntaxTrees
) -> None:
    settings = LisaSettings(form="replace")
    model = attach(fresh("bert"), settings)
    syntax = syntax_of(model)
    assert isinstance(syntax, Lisa)
    with torch.no_grad():
        syntax.parent_head.matrices[0].normal_()
    matrix = syntax.parent_head.matrices[0].detach().double().numpy()
    tokens = tokens_of("bert", [the_cat])
    for batch in (collate([the_cat], tokens, settings), None):
        seen = first_layer(model, tokens, batch)
        size = len(seen["hidden"])
        for i in range(size):
            for number in range(2):
                scores = [
                    seen["query"][number, i]
                    @ (matrix @ seen["hidden"][j] if number == 1 else seen["key"][number, j])
                    / 4
                    for j in range(size)
                ]
                powers = np.exp(np.array(scores) - max(scores))
                wanted = powers / powers.sum() @ seen["value"][number]
                found = seen["context"][i].reshape(2, 16)[number]
                assert found == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("bert", "encoder.layer.{}.attention.self.key"),
        ("mpnet", "encoder.layer.{}.attention.attn.k"),
        ("deberta-v2", "encoder.layer.{}.attention.self.key_proj"),
        ("t5", "encoder.block.{}.layer.0.SelfAttention.k"),
        ("modernbert", "layers.{}.attn.Wqkv"),
    ],
)
def test_a_head_whose_matrix_is_its_own_keys_is_the_plain_one(
    family: str, names: str, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    model = fresh(family)
    tokens = tokens_of(family, [the_cat])
    with torch.no_grad():
        wanted = model(**tokens).last_hidden_state
        attach(model, LisaSettings(form="replace"))
        syntax = syntax_of(model)
        assert isinstance(syntax, Lisa)
        for layer, matrix in enumerate(syntax.parent_head.matrices):
            weight = model.get_submodule(names.format(layer)).weight
            keys = weight[32:64] if family == "modernbert" else weight
            matrix.copy_(keys[16:32])
        found = model(**tokens).last_hidden_state
    assert torch.allclose(found, wanted, atol=1e-5)


def test_a_head_that_is_not_there_is_told(fresh: Fresh) -> None:
    with pytest.raises(SettingsError, match="no head 2 among 2"):
        attach(fresh("bert"), LisaSettings(head=2))
