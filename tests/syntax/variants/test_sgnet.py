"""SG-Net: ancestors, the layers on top, the mixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import TokenText
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.sgnet import SgNet, SgNetSettings

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]


def test_a_word_sees_its_ancestors_and_itself(the_cat: SyntaxTrees) -> None:
    found = SgNetSettings().masks(TokenText((the_cat,), np.arange(6))).mask
    assert found is not None
    rows = ["".join(str(int(cell)) for cell in row) for row in found]
    assert rows == ["111000", "011000", "001000", "001100", "001111", "001101"]


@pytest.mark.parametrize("layers", [1, 3])
def test_the_output_is_the_mixture_with_bert_layers_on_top(
    layers: int, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = SgNetSettings(layers=layers)
    model = fresh("bert")
    tokens = tokens_of("bert", [the_cat])
    with torch.no_grad():
        plain = model(**tokens).last_hidden_state
        attach(model, settings)
        syntax = syntax_of(model)
        assert isinstance(syntax, SgNet) and len(syntax.layers.layer) == layers
        syntax.mixture.copy_(torch.tensor([0.0, 1.0]))
        syntax.gamma.fill_(2.0)
        batch = collate([the_cat], tokens, settings)
        assert batch.mask is not None
        states = plain
        for layer in syntax.layers.layer:  # each as BERT's, with a mask of 0 and -1e4
            closed = torch.where(batch.mask[:, None], 0.0, -1e4)
            states = layer(states, attention_mask=closed)
        weight = 1 / (1 + np.e)
        wanted = 2 * (weight * plain + (1 - weight) * states)
        found = model(**tokens, syntax=batch, output_hidden_states=True)
    assert torch.allclose(found.last_hidden_state, wanted, atol=1e-4)
    assert torch.equal(found.hidden_states[-1], found.last_hidden_state)


def test_it_starts_with_halves(fresh: Fresh) -> None:
    syntax = syntax_of(attach(fresh("bert"), SgNetSettings()))
    assert isinstance(syntax, SgNet)
    assert syntax.mixture.softmax(0).tolist() == [0.5, 0.5] and syntax.gamma.item() == 1
    weight = syntax.layers.layer[0].attention.self.query.weight
    assert (
        0 < weight.std() < 0.5 and syntax.layers.layer[0].attention.self.query.bias.abs().max() == 0
    )


@pytest.mark.parametrize("name", ["Bert", "Roberta", "Albert", "Deberta"])
def test_what_is_pooled_has_been_on_top(name: str, tokens_of: Tokens, the_cat: SyntaxTrees) -> None:
    config = getattr(transformers, f"{name}Config")(
        vocab_size=500,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.2,
        pad_token_id=0,
    )
    model = getattr(transformers, f"{name}ForSequenceClassification")(config).eval()
    attach(model, SgNetSettings())
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, SgNetSettings())
    if name == "Roberta":
        tokens.pop("token_type_ids")
    with torch.no_grad():
        for options in ({}, {"return_dict": False}, {"output_hidden_states": True}):
            plain = model(**tokens, **options)[0]
            guided = model(**tokens, **options, syntax=batch)[0]
            assert not torch.allclose(plain, guided, atol=1e-4)
