"""XLNet: residual and norm sit inside its attention module, so its core is what is replaced."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from bnaparser.errors import SettingsError
from bnaparser.syntax.attention import Attention
from bnaparser.syntax.families.attention_hook import AttentionHook


class GuidedXLNetAttention(XLNetRelativeAttention):  # type: ignore[misc]
    """XLNet's attention, its softmax left to the variant at ``hook``.

    Its tensors run (tokens, texts, heads, features), its masks (queries, keys, texts, 1).
    """

    hook: AttentionHook
    layer_input: Tensor | None = None

    def forward(self, h: Tensor, g: Tensor | None, *args: Any, **kwargs: Any) -> Any:
        """Run the original forward with syntax; two streams and memories are not supported."""
        remembered = kwargs.get("mems") is not None
        if self.hook.held() is not None and (g is not None or remembered):
            raise SettingsError("XLNet with syntax does not support target_mapping and mems")
        if g is not None or remembered:
            return super().forward(h, g, *args, **kwargs)
        self.layer_input = h.transpose(0, 1)
        try:
            return super().forward(h, g, *args, **kwargs)
        finally:
            self.layer_input = None

    def rel_attn_core(
        self,
        q_head: Tensor,
        k_head_h: Tensor,
        v_head_h: Tensor,
        k_head_r: Tensor,
        seg_mat: Tensor | None = None,
        attn_mask: Tensor | None = None,
        output_attentions: bool = False,
    ) -> Any:
        """Return the contexts (T, B, A, W), with the probabilities if they are requested."""
        if self.layer_input is None:
            return super().rel_attn_core(
                q_head, k_head_h, v_head_h, k_head_r, seg_mat, attn_mask, output_attentions
            )
        query = (q_head + self.r_w_bias).permute(1, 2, 0, 3) * self.scale
        key = k_head_h.permute(1, 2, 0, 3)
        places = torch.einsum("ibnd,jbnd->bnij", q_head + self.r_r_bias, k_head_r)
        scores = query @ key.transpose(-1, -2)
        scores = scores + self.rel_shift_bnij(places, klen=len(k_head_h)) * self.scale
        if seg_mat is not None:
            segments = torch.einsum("ibnd,snd->ibns", q_head + self.r_s_bias, self.seg_embed)
            scores = scores + torch.einsum("ijbs,ibns->bnij", seg_mat, segments) * self.scale
        attention = Attention(
            layer_input=self.layer_input,
            query=query,
            key=key,
            value=v_head_h.permute(1, 2, 0, 3),
            scores=scores,
            allowed=None if attn_mask is None else attn_mask.permute(2, 3, 0, 1) < 0.5,
            dropout=self.dropout.p if self.training else 0.0,
            output_weight=self.o.flatten(1),
        )
        contexts, probabilities = self.hook.serve(attention, self.hook.held())
        contexts = contexts.transpose(0, 1)
        return (contexts, probabilities.permute(2, 3, 0, 1)) if output_attentions else contexts

    def post_attention(self, h: Tensor, attn_vec: Tensor, residual: bool = True) -> Tensor:
        """Return the module's output (T, B, H), the variant's last word before the residual."""
        output = torch.einsum("ibnd,hnd->ibh", attn_vec, self.o)
        output = self.hook.finish(self, None, output.transpose(0, 1)).transpose(0, 1)
        output = self.dropout(output)
        normed: Tensor = self.layer_norm(output + h if residual else output)
        return normed
