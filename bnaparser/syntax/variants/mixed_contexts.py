"""Global and local attention mixed by gates (SLA, eq. 6), without keeping their probabilities.

Shapes as in `attention`: B texts, A heads, T tokens, W features of a head.
"""

from __future__ import annotations

from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from bnaparser.syntax.attention import both, closing

Projected = tuple[Tensor, Tensor, Tensor]

# Scores that are held at once, 4 MB: long texts take no more memory than torch's attention does.
_HELD = 2**20
# A local attention that keeps less of the global one is computed by itself: no digit is lost.
_LEAST = 1e-30


def contexts(projected: Projected, visible: Tensor | None) -> Tensor:
    """Return the contexts (B, A, T, W) of queries that are scaled already, by torch's attention."""
    mask = None if visible is None else closing(visible, projected[0].dtype)
    return F.scaled_dot_product_attention(*projected, attn_mask=mask, scale=1.0)


def mixed_contexts(
    projected: Projected, allowed: Tensor | None, mask: Tensor, gate: Tensor
) -> Tensor:
    """Return the contexts (B, A, T, W) of ``g S_loc + (1 - g) S_glb``.

    ``projected`` are queries, scaled already, keys and values; ``allowed`` is as in `Attention`;
    ``mask`` (B, 1, T, T) of booleans says what is local, ``gate`` is (B, 1, T, 1).
    """
    near = both(allowed, mask)
    assert near is not None
    query, _, value = projected
    on_cpu = query.device.type == "cpu" and query.dtype == value.dtype == torch.float32
    given = (*projected, gate)
    if on_cpu and not (torch.is_grad_enabled() and any(one.requires_grad for one in given)):
        return _in_one_pass(projected, allowed, near, gate)
    # Eq. 6 is linear in the probabilities, so contexts may be mixed.
    return torch.lerp(contexts(projected, allowed), contexts(projected, near), gate.to(value.dtype))


def _in_one_pass(
    projected: Projected, allowed: Tensor | None, near: Tensor, gate: Tensor
) -> Tensor:
    """Return the mixed contexts with one product of queries and keys, and one with the values.

    The local attention is the global one, cut by the mask and divided by what is left of it. On a
    CPU this takes from as long as two of torch's attentions, for long texts, to two thirds of it.
    """
    query, key, value = projected
    texts, heads, tokens, _ = query.shape
    # Padding may see nothing; whatever comes out there is not used.
    seeing = near.any(dim=-1)
    if allowed is not None:
        allowed = allowed.expand(texts, -1, tokens, tokens)
    found = value.new_empty(texts, heads, tokens, value.shape[-1])
    rows_held = max(1, _HELD // (heads * tokens))
    texts_held = max(1, rows_held // tokens)
    for first, start in product(range(0, texts, texts_held), range(0, tokens, rows_held)):
        some, rows = slice(first, first + texts_held), slice(start, start + rows_held)
        scores = query[some, :, rows] @ key[some].transpose(-1, -2)
        if allowed is not None:
            scores += closing(allowed[some, :, rows], scores.dtype)
        everywhere = scores.softmax(dim=-1)
        local = everywhere * near[some, :, rows]
        left = local.sum(dim=-1, keepdim=True)
        if bool((left.squeeze(-1).lt(_LEAST) & seeing[some, :, rows]).any()):
            local = (scores + closing(near[some, :, rows], scores.dtype)).softmax(dim=-1)
            left.fill_(1)
        share = gate[some, :, rows]
        local *= share / left.clamp_min(_LEAST)
        mixed = torch.addcmul(local, everywhere, 1 - share, out=everywhere)
        found[some, :, rows] = mixed @ value[some]
    return found
