"""Layers that gradient checkpointing runs again are guided as they were the first time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bnaparser.errors import SettingsError
from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import collate
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]
Stir = Callable[[nn.Module], None]


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize(
    "family", ["bert", "deberta", "t5", "roformer", "bigbird", "convbert", "longformer"]
)
def test_gradient_checkpointing_changes_nothing(
    family: str, reentrant: bool, fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees, stir: Stir
) -> None:
    settings = SyntaxBertSettings()
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    gradients = []
    for checkpointing in (False, True):
        model = attach(fresh(family), settings)
        stir(model)
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
            for name in ("dropout", "attention_dropout"):
                if isinstance(getattr(module, name, None), float):
                    setattr(module, name, 0.0)
        model.train()
        if checkpointing:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # the younger name is not yet old
                model.gradient_checkpointing_enable({"use_reentrant": reentrant})
            model.enable_input_require_grads()
        model(**tokens, syntax=batch).last_hidden_state.square().mean().backward()
        gradients.append([p.grad for p in syntax_of(model).parameters()])
    for plain, checkpointed in zip(*gradients, strict=True):
        assert torch.allclose(plain, checkpointed, atol=1e-6)


def test_supervision_is_not_lost_in_gradient_checkpointing(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = LisaSettings(form="replace")
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    for reentrant in (False, True):
        model = attach(fresh("bert"), settings).train()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            model.gradient_checkpointing_enable({"use_reentrant": reentrant})
        model.enable_input_require_grads()
        if reentrant:
            with pytest.raises(SettingsError, match="use_reentrant=False"):
                model(**tokens, syntax=batch)
            continue
        model(**tokens, syntax=batch)
        loss: Any = syntax_of(model).loss
        loss.backward()
        assert all(parameter.grad is not None for parameter in syntax_of(model).parameters())
