"""Where word vectors come from: the table ``[encoder]`` of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from bnaparser.settings import Settings

# How the words of a sentence become one text: blanks guessed, always, never.
Joined = Literal["guessed", "always", "never"]


class EncoderSettings(Settings):
    """Where word vectors come from: a Hugging Face encoder, or characters where ``name`` is None.

    ``layers`` is how many of the encoder's layers are taken, from the lowest; by default all. With
    ``joined`` the tokenizer reads a sentence as one text instead of word by word, as benepar's do;
    it says where blanks stand if only the words are known. ``decoder``: of a T5 the vectors of its
    decoder are read, whose input is the sentence again.
    """

    name: str | None = None
    layers: int | None = Field(None, gt=0)
    joined: Joined | None = None
    decoder: bool = False
    mix_layers: bool = False
    attention: Literal["sdpa", "eager"] | None = None
    dropout: float | None = Field(None, ge=0, lt=1)
    character_width: int = Field(64, gt=0)
    character_dropout: float = Field(0.2, ge=0, lt=1)

    @model_validator(mode="after")
    def _one_output(self) -> EncoderSettings:
        if self.decoder and self.mix_layers:
            raise ValueError(
                "mix_layers mixes an encoder's layers, decoder reads another: take one"
            )
        return self
