"""The raw Transformer of the Syntax-BERT paper (A.1, A.2): an encoder without pre-training."""

from __future__ import annotations

from pydantic import Field
from transformers import BertConfig, BertModel

from bnaparser.errors import SettingsError
from bnaparser.settings import Settings


class TransformerSettings(Settings):
    """The sizes: layers and width are the paper's, heads and the feed-forward width were chosen here.

    ``dropout`` is 0.1 for SST in the paper, 0.15 for inference tasks.
    """

    vocabulary: int = Field(gt=0)
    layers: int = Field(12, gt=0)
    width: int = Field(512, gt=0)
    heads: int = Field(8, gt=0)
    intermediate_size: int = Field(2048, gt=0)
    positions: int = Field(512, gt=0)
    dropout: float = Field(0.1, ge=0, lt=1)
    padding: int = Field(0, ge=0)


def raw_transformer(settings: TransformerSettings) -> BertModel:
    """Build a BERT with random weights, to be trained from scratch.

    Args:
        settings: its sizes.

    Returns:
        The model.

    Raises:
        SettingsError: the width is not divisible by the number of heads.

    Example:
        >>> from bnaparser.syntax import TransformerSettings, raw_transformer
        >>> raw_transformer(TransformerSettings(vocabulary=100)).config.num_attention_heads
        8
    """
    if settings.width % settings.heads:
        raise SettingsError(
            f"a width of {settings.width} is not divisible by {settings.heads} heads"
        )
    config = BertConfig(
        vocab_size=settings.vocabulary,
        num_hidden_layers=settings.layers,
        hidden_size=settings.width,
        num_attention_heads=settings.heads,
        intermediate_size=settings.intermediate_size,
        max_position_embeddings=settings.positions,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        pad_token_id=settings.padding,
    )
    return BertModel(config)
