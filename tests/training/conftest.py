"""What the tests of training share: small recipes for the invented treebank."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.network.model_settings import LayerSettings, ScorerSettings, TagSettings
from bnaparser.training.recipe import DataSettings, Recipe, TrainSettings

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_attention_heads": 2,
    "head_dim": 8,
    "intermediate_size": 32,
}


@pytest.fixture
def recipe(treebank: Path) -> Callable[..., Recipe]:
    """A function that makes a recipe for the treebank: four updates of 16 sentences an epoch."""

    def make(
        encoder: EncoderSettings | None = None,
        layers: LayerSettings | None = None,
        tags: TagSettings | None = None,
        **changes: Any,
    ) -> Recipe:
        source = DataSettings(path=str(treebank))
        settings = {
            "data": (source,),
            "dev": (source,),
            "dev_sentences": 12,
            "batch_size": 16,
            "learning_rate": 5e-3,
            "warmup_steps": 2,
            "evals_per_epoch": 2,
            "seed": 3,
            "threads": 1,
        }
        return Recipe(
            encoder=encoder or EncoderSettings(character_width=8),
            layers=layers or LayerSettings(**SIZES),
            scorer=ScorerSettings(hidden_size=64),
            tags=tags or TagSettings(),
            train=TrainSettings(**{**settings, **changes}),
        )

    return make
