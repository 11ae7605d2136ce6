"""Plain multi-head self-attention (BNA, section 3, eq. 1 to 3): the baseline of the ablations."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from bnaparser.network.layers.block import merge_heads, split_heads
from bnaparser.network.model_settings import LayerSettings


class SelfAttention(nn.Module):
    """The Transformer's attention: every position sees every position of its sentence."""

    def __init__(self, settings: LayerSettings):
        super().__init__()
        self.heads = settings.num_attention_heads
        self.dropout = settings.attention_dropout
        inner = settings.num_attention_heads * settings.head_dim
        self.query = nn.Linear(settings.hidden_size, inner)
        self.key = nn.Linear(settings.hidden_size, inner)
        self.value = nn.Linear(settings.hidden_size, inner)
        self.output = nn.Linear(inner, settings.hidden_size)

    def forward(self, hidden: Tensor, valid: Tensor) -> Tensor:
        """Map ``hidden`` (batch, positions, width), with ``valid`` (batch, positions), to its shape."""
        context = F.scaled_dot_product_attention(
            split_heads(self.query(hidden), self.heads),
            split_heads(self.key(hidden), self.heads),
            split_heads(self.value(hidden), self.heads),
            attn_mask=valid[:, None, None, :],
            dropout_p=self.dropout if self.training else 0.0,
        )
        output: Tensor = self.output(merge_heads(context))
        return output
