"""Where word vectors come from: the table ``[encoder]`` of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bnaparser.settings import Settings


class EncoderSettings(Settings):
    """Where word vectors come from: a Hugging Face encoder, or characters where ``name`` is None.

    ``layers`` is how many of the encoder's layers are taken, from the lowest; by default all.
    """

    name: str | None = None
    layers: int | None = Field(None, gt=0)
    mix_layers: bool = False
    attention: Literal["sdpa", "eager"] | None = None
    dropout: float | None = Field(None, ge=0, lt=1)
    character_width: int = Field(64, gt=0)
    character_dropout: float = Field(0.2, ge=0, lt=1)
