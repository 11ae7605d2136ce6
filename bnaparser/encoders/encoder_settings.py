"""Where word vectors come from: the table ``[encoder]`` of a recipe, and the positions that an encoder has."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from bnaparser.settings import Settings

# How the words of a sentence become one text: blanks guessed, always, never.
Joined = Literal["guess", "spaces", "no_spaces"]


class EncoderSettings(Settings):
    """Where word vectors come from: a Hugging Face encoder, or an LSTM over characters where ``name`` is left out."""

    name: str | None = None
    """Folder or hub name of a Hugging Face encoder, or folder of an encoder that `bnaparser prune` wrote. Left out:
    words are read from characters.
    """
    layers: int | None = Field(None, gt=0)
    """Use only the lowest N layers of the encoder. Left out: all."""
    detokenize: Joined | None = None
    """Read a sentence as one text, as benepar does. Left out: word by word. "guess" guesses
    where blanks stand, "spaces" puts a blank between all words, "no_spaces" puts none.
    """
    decoder: bool = False
    """For a T5: use the vectors of the decoder, whose input is the sentence again."""
    mix_layers: bool = False
    """Learn a weighted mean of all layers instead of using the last one."""
    attention: Literal["sdpa", "eager"] | None = None
    """Implementation of attention in the Hugging Face library. Left out: the library's choice."""
    dropout: float | None = Field(None, ge=0, lt=1)
    """Dropout in the encoder. Left out: as the encoder's configuration says."""
    character_width: int = Field(64, gt=0)
    """Size of a character's vector, where words are read from characters."""
    character_dropout: float = Field(0.2, ge=0, lt=1)
    """Dropout of character vectors."""

    @model_validator(mode="after")
    def _one_output(self) -> EncoderSettings:
        if self.decoder and self.mix_layers:
            raise ValueError("mix_layers and decoder exclude each other: set one of the two")
        return self


# Encoders with relative positions have no limit of their own; BNA's own table ends here.
DEFAULT_POSITIONS = 512

# Encoders whose positions count from the number of the padding token on.
OFFSET_POSITIONS = {
    "camembert", "data2vec-text", "esm", "ibert", "longformer", "luke", "mpnet", "roberta",
    "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod",
}  # fmt: skip


def max_positions(config: Any) -> int:
    """Return how many subwords an encoder takes at once, special tokens included.

    ``config`` is its configuration, or what has the same attributes.
    """
    limit: int = getattr(config, "max_position_embeddings", None) or DEFAULT_POSITIONS
    if limit < 0:
        limit = DEFAULT_POSITIONS  # XLNet's way to say that there is no limit
    return max(limit - first_position(config), 8)


def first_position(config: Any) -> int:
    """Return the number of the first position, as the encoder counts them."""
    if config.model_type in OFFSET_POSITIONS:
        return (getattr(config, "pad_token_id", None) or 0) + 1
    return 0
