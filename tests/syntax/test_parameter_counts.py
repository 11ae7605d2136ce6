"""Variants add as many parameters as their papers say."""

from __future__ import annotations

import pytest
import torch
import transformers

from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings


@pytest.mark.parametrize(
    ("settings", "base", "large"),
    [
        (SlaSettings(), 9_228, 24_600),
        (WlaSettings(), 9_228, 24_600),
        (LisaSettings(), 0, 0),
        (LisaSettings(form="replace"), 589_824, 1_572_864),
        (SgNetSettings(), 7_087_872 + 3, 12_596_224 + 3),
        (SgNetSettings(layers=3), 3 * 7_087_872 + 3, 3 * 12_596_224 + 3),
        (SyntaxBertSettings(), 1_180_416, 2_098_176),
        (SyntaxBertSettings(share_topical=False), 12 * 1_180_416, 24 * 2_098_176),
        (SyntaxBertSettings(lisa=LisaSettings(form="replace")), 1_180_416 + 589_824, None),
        (SyntaxBertSettings(mixing="mean"), 0, 0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, SyntaxSettings) else str(value),
)
def test_parameters_are_as_many_as_the_papers_say(
    settings: SyntaxSettings, base: int, large: int | None
) -> None:
    configs = {
        base: transformers.BertConfig(),
        large: transformers.BertConfig(
            hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
        ),
    }
    for wanted, config in configs.items():
        if wanted is None:
            continue
        with torch.device("meta"):
            model = attach(transformers.BertModel(config), settings)
        assert sum(parameter.numel() for parameter in syntax_of(model).parameters()) == wanted
