"""Attached encoders in use: heads on top, masks, dropout, saving, and what is wrong is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import collate
from bnaparser.syntax.families import interface
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]
States = Callable[..., Tensor]
PLAIN_GATE = -1e4


def test_models_with_a_head_take_the_batch(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    tokens = tokens_of("bert", [the_cat])
    settings = SlaSettings(threshold=1)
    batch = collate([the_cat], tokens, settings)
    for kind in ("SequenceClassification", "TokenClassification"):
        for name in ("Bert", "DistilBert", "Electra", "Albert", "MPNet", "Deberta", "XLNet", "T5"):
            if (name, kind) == ("T5", "SequenceClassification"):
                continue  # it has a decoder, whose inputs are the encoder's
            sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
            if name == "XLNet":
                sizes = {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 64}
            config = getattr(transformers, f"{name}Config")(
                vocab_size=500, initializer_range=0.2, **sizes
            )
            model = getattr(transformers, f"{name}For{kind}")(config).eval()
            attach(model, settings)
            with torch.no_grad():
                plain = model(**tokens).logits
                guided = model(**tokens, syntax=batch).logits
            assert syntax_of(model).calls == 2, name
            assert not torch.allclose(plain, guided, atol=1e-6), name


@pytest.mark.parametrize("kind", ["Bert", "Splinter"])
def test_two_models_may_share_a_configuration(
    kind: str, tokens_of: Tokens, the_cat: SyntaxTrees, states: States
) -> None:
    """A Splinter does not say that it reads both sides, and was taken for one that does not."""
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=500, hidden_size=32, num_hidden_layers=2, num_attention_heads=2
    )
    guided, other = (getattr(transformers, f"{kind}Model")(config).eval() for _ in range(2))
    tokens = {"input_ids": tokens_of("bert", [the_cat])["input_ids"]}
    config._attn_implementation = "eager"
    wanted = states(other, tokens)
    attach(guided, SlaSettings())
    assert torch.allclose(states(other, tokens), wanted, atol=1e-5)


def test_the_saved_configuration_is_of_use_elsewhere(fresh: Fresh, tmp_path: Path) -> None:
    model = attach(fresh("bert"), SlaSettings())
    model.save_pretrained(tmp_path)
    assert interface.NAME not in (tmp_path / "config.json").read_text()


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_a_mask_of_the_users_own_holds(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees, states: States
) -> None:
    settings = SlaSettings(gate_bias=PLAIN_GATE)
    model = fresh(family)
    tokens = tokens_of(family, [the_cat])
    size = tokens["input_ids"].shape[1]
    lowest = torch.finfo(torch.float32).min
    mask = torch.zeros(1, 1, size, size).masked_fill(~torch.ones(size, size).bool().tril(), lowest)
    mask[..., 0] = -1.5
    tokens["attention_mask"] = mask
    wanted = states(model, tokens)
    plain = tokens_of(family, [the_cat])
    attach(model, settings)
    batch = collate([the_cat], plain, settings)
    assert torch.allclose(states(model, tokens, syntax=batch), wanted, atol=1e-5)


@pytest.mark.parametrize("settings", [SlaSettings(gate_bias=PLAIN_GATE), SyntaxBertSettings()])
def test_a_mask_for_each_head_holds_or_is_refused(
    settings: SyntaxSettings, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees, states: States
) -> None:
    model, tokens = fresh("bert"), tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    size = tokens["input_ids"].shape[1]
    triangle = torch.ones(size, size).bool().tril()
    tokens["attention_mask"] = torch.stack([triangle, triangle.T])[None]
    wanted = states(model, tokens)
    attach(model, settings)
    if isinstance(settings, SlaSettings):
        assert torch.allclose(states(model, tokens, syntax=batch), wanted, atol=1e-5)
        return
    with pytest.raises(SettingsError, match="Syntax-BERT takes one attention_mask for all heads"):
        states(model, tokens, syntax=batch)


def test_dropout_is_drawn_on_both_branches(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = SlaSettings()
    model = attach(fresh("bert"), settings)
    model.train()
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    with torch.no_grad():
        maps = model(**tokens, syntax=batch, output_attentions=True).attentions
    assert batch.mask is not None
    inside = maps[0].masked_select(batch.mask[:, None])
    assert (inside == 0).float().mean() < 0.1  # 0.1 ** 2: each branch has a draw of its own
    with torch.no_grad():
        again = model(**tokens, syntax=batch, output_attentions=True).attentions
    assert not torch.equal(maps[0], again[0])


def test_wrong_use_is_told(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees, it_rained: SyntaxTrees
) -> None:
    model = attach(fresh("bert"), SlaSettings())
    tokens = tokens_of("bert", [the_cat])
    with pytest.raises(SettingsError, match="already has a variant"):
        attach(model, WlaSettings())
    with pytest.raises(SettingsError, match="batch was collated for"):
        model(**tokens, syntax=collate([the_cat], tokens, SlaSettings(threshold=4)))
    other = tokens_of("bert", [it_rained])
    with pytest.raises(DataError, match="does not fit an input of 1 texts"):
        model(**tokens, syntax=collate([it_rained], other, SlaSettings()))
    with pytest.raises(SettingsError, match="no variant"):
        syntax_of(fresh("bert"))
    with pytest.raises(SettingsError, match="cannot be attached to a GPT2Model"):
        attach(
            transformers.GPT2Model(transformers.GPT2Config(n_layer=1, n_embd=8, n_head=1)),
            SlaSettings(),
        )
    with pytest.raises(SettingsError, match="no encoder"):
        attach(nn.Linear(2, 2), SlaSettings())
    decoder = fresh("bert").config
    decoder.is_decoder = True
    with pytest.raises(SettingsError, match="is a decoder"):
        attach(transformers.BertModel(decoder), SlaSettings())


def test_a_variant_that_is_passed_by_says_so(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = SlaSettings()
    model = attach(fresh("bert"), settings)
    tokens = tokens_of("bert", [the_cat])
    model.set_attn_implementation("sdpa")
    with pytest.raises(ModelError, match="never called"):
        model(**tokens, syntax=collate([the_cat], tokens, settings))
    assert syntax_of(model).batch is None
