"""Every variant on every family: the plain encoder where it should be, and really called."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNet, SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBert, SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings
from bnaparser.trees.tree import Tree
from tests.syntax.conftest import FAMILIES

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]
States = Callable[..., Tensor]
Stir = Callable[[nn.Module], None]
PLAIN_GATE = -1e4
VARIANTS: list[SyntaxSettings] = [
    SlaSettings(threshold=1),
    LisaSettings(form="replace"),
    SgNetSettings(),
    SyntaxBertSettings(lisa=LisaSettings(form="replace")),
    WlaSettings(window=1),
    SyntaxBertSettings(mask_mode="multiply", empty_row="drop"),
    SyntaxBertSettings(share_topical=False, empty_row="self"),
    SyntaxBertSettings(mixing="scaled_sum", constituency="headed", random_masks=True),
]
PLAIN: list[SyntaxSettings] = [
    SlaSettings(gate_bias=PLAIN_GATE),
    WlaSettings(gate_bias=PLAIN_GATE),
    WlaSettings(window=600),
    LisaSettings(),
    SgNetSettings(),
    SyntaxBertSettings(),
    SyntaxBertSettings(mixing="mean"),
    SyntaxBertSettings(share_topical=False),
    SyntaxBertSettings(mask_mode="multiply", empty_row="drop"),
]


def families_and(variants: list[SyntaxSettings]) -> pytest.MarkDecorator:
    """Run a test with each family and each of the variants, not with every pair of them.

    A family meets three variants, at a distance from each other, since neighbours are of one kind.
    """
    pairs = [
        (family, variants[(number + step * len(variants) // 3) % len(variants)])
        for number, family in enumerate(FAMILIES)
        for step in range(3)
    ]
    names = [f"{family}-{type(settings).__name__}" for family, settings in pairs]
    return pytest.mark.parametrize(("family", "settings"), pairs, ids=names)


def difference(found: Tensor, wanted: Tensor, tokens: Any) -> float:
    """The greatest difference on tokens that are no padding."""
    real = tokens["attention_mask"].bool()
    return (found - wanted)[real].abs().max().item()


@families_and(PLAIN)
def test_the_plain_encoder_is_a_special_case(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: SyntaxTrees,
    it_rained: SyntaxTrees,
    states: States,
) -> None:
    structures = [the_cat, it_rained]
    tokens = tokens_of(family, structures)
    model = fresh(family)
    wanted = states(model, tokens)
    attach(model, settings)
    assert difference(states(model, tokens), wanted, tokens) < 1e-5
    batch = collate(structures, tokens, settings)
    syntax = syntax_of(model)
    if isinstance(syntax, SyntaxBert):  # all masks full
        assert batch.subnetworks is not None
        batch = dataclasses.replace(batch, subnetworks=torch.zeros_like(batch.subnetworks))
    if isinstance(syntax, SgNet):  # mixture (1, 0)
        syntax.mixture.data = torch.tensor([100.0, -100.0])
    assert difference(states(model, tokens, syntax=batch), wanted, tokens) < 1e-5
    assert syntax.calls == (1 if isinstance(syntax, SgNet) else 2)


@families_and(VARIANTS)
def test_padded_texts_are_as_single_ones_and_unparsed_ones_as_plain_ones(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: SyntaxTrees,
    it_rained: SyntaxTrees,
    unparsed: SyntaxTrees,
    caplog: pytest.LogCaptureFixture,
    states: States,
    stir: Stir,
) -> None:
    model = attach(fresh(family), settings)
    stir(model)
    texts = [the_cat, unparsed, it_rained]
    together = tokens_of(family, texts)
    with caplog.at_level("INFO", logger="bnaparser.syntax"):
        batch = collate(texts, together, settings)
    found, plain = states(model, together, syntax=batch), states(model, together)
    real = together["attention_mask"].bool()
    # ConvBERT's convolution reads padding, with syntax or without.
    for row in (0, 2) if family != "convbert" else ():
        alone = tokens_of(family, [texts[row]])
        wanted = states(model, alone, syntax=collate([texts[row]], alone, settings))
        assert torch.allclose(found[row][real[row]], wanted[0], atol=2e-5)
    if not isinstance(settings, LisaSettings):  # trees supervise it, they do not steer
        assert not torch.allclose(plain[0][real[0]], found[0][real[0]], atol=1e-3)
    if not isinstance(settings, WlaSettings):  # it needs no trees
        assert batch.parsed.tolist() == [True, False, True]
        assert "texts [2] of the batch have no trees" in caplog.text
        assert torch.allclose(found[1][real[1]], plain[1][real[1]], atol=1e-5)


def test_what_a_token_may_not_see_does_not_reach_it(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees, states: States
) -> None:
    settings = SlaSettings(gate_bias=1e4)
    tokens = tokens_of(family, [the_cat])
    model = attach(fresh(family), settings)
    batch = collate([the_cat], tokens, settings)
    size = batch.shape[1]
    batch = dataclasses.replace(batch, mask=torch.ones(1, size, size, dtype=torch.bool).tril())
    before = states(model, tokens, syntax=batch)
    tokens["input_ids"][0, -1] = tokens["input_ids"][0, 1]
    after = states(model, tokens, syntax=batch)
    assert torch.allclose(before[0, 0], after[0, 0], atol=1e-6)
    assert not torch.allclose(before[0, -1], after[0, -1], atol=1e-3)
    assert not torch.allclose(states(model, tokens)[0, 0], after[0, 0], atol=1e-3)


@families_and(VARIANTS)
def test_weights_stay_gradients_reach_what_is_new_and_all_can_be_saved(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: SyntaxTrees,
    tmp_path: Path,
    states: States,
    stir: Stir,
) -> None:
    model = fresh(family)
    lifted = {name: value.clone() for name, value in model.state_dict().items()}
    attach(model, settings)
    kept = model.state_dict()
    assert all(torch.equal(kept[name], value) for name, value in lifted.items())
    assert all(".syntax." in f".{name}" for name in kept.keys() - lifted.keys())
    stir(model)
    torch.save(model.state_dict(), tmp_path / "weights")
    other = attach(fresh(family), settings)
    other.load_state_dict(torch.load(tmp_path / "weights", weights_only=True))
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    hidden = model(**tokens, syntax=batch).last_hidden_state
    assert torch.allclose(hidden, states(other, tokens, syntax=batch), atol=1e-6)
    loss = hidden.square().mean() + (getattr(syntax_of(model), "loss", None) or 0)
    loss.backward()
    for name, parameter in syntax_of(model).named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name
        assert parameter.grad.isfinite().all(), name


def test_a_copy_stands_on_its_own(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees, states: States, stir: Stir
) -> None:
    settings = SyntaxBertSettings()
    model = attach(fresh(family), settings)
    other = copy.deepcopy(model)
    stir(other)
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    first = states(model, tokens, syntax=batch)
    second = states(other, tokens, syntax=batch)
    assert difference(first, second, tokens) > 1e-3
    assert syntax_of(model) is not syntax_of(other)
    assert syntax_of(other).calls == 2


def test_bfloat16_and_pairs_of_very_different_lengths_give_numbers(
    family: str,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: SyntaxTrees,
    it_rained: SyntaxTrees,
    states: States,
) -> None:
    settings = SyntaxBertSettings(lisa=LisaSettings(form="replace"))
    structures = [(the_cat, it_rained), (it_rained, it_rained)]
    tokens = tokens_of(family, structures)
    model = attach(fresh(family), settings)
    batch = collate(structures, tokens, settings)
    wanted = states(model, tokens, syntax=batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = states(model, tokens, syntax=batch)
    assert found.isfinite().all()
    assert difference(found.float(), wanted, tokens) < 0.5
    half = attach(fresh(family).to(torch.bfloat16), settings)
    assert states(half, tokens, syntax=batch).isfinite().all()


def test_attention_maps_come_out(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = SlaSettings(threshold=1, gate_bias=1e4)
    model = attach(fresh(family), settings)
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    with torch.no_grad():
        maps = model(**tokens, syntax=batch, output_attentions=True).attentions
    assert batch.mask is not None and len(maps) == 2
    for probabilities in maps:
        assert torch.allclose(probabilities.sum(-1), torch.ones(()), atol=1e-5)
        assert (probabilities.masked_select(~batch.mask[:, None]) == 0).all()


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: type(s).__name__)
def test_one_word_and_four_hundred(
    settings: SyntaxSettings, fresh: Fresh, tokens_of: Tokens, states: States
) -> None:
    one = SyntaxTrees(("It",), (0,), (Tree.parse("(S (NP (PRP It)))"),))
    words = ("cat",) * 400
    flat = Tree.parse("(S " + " ".join("(NN cat)" for _ in words) + ")")
    many = SyntaxTrees(words, (0, *range(1, 400)), (flat,))
    model = attach(fresh("bert"), settings)
    tokens = tokens_of("bert", [one, many])
    found = states(model, tokens, syntax=collate([one, many], tokens, settings))
    assert found.isfinite().all()
