"""Which positions an encoder has: how many, and the number of the first."""

from __future__ import annotations

from typing import Any

# Encoders with relative positions have no limit of their own; BNA's own table ends here.
DEFAULT_POSITIONS = 512

# Encoders whose positions count from the number of the padding token on.
OFFSET_POSITIONS = {
    "camembert",
    "data2vec-text",
    "esm",
    "ibert",
    "longformer",
    "luke",
    "mpnet",
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
}


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
