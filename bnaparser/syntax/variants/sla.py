"""Syntax-aware local attention (SLA).

Li et al., Improving BERT with Syntax-aware Local Attention, 2021: equations 2 to 6.
"""

from __future__ import annotations

import unicodedata
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from bnaparser.syntax.attention import Attention, AttentionVariant, Sizes, both, closing
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.masks import (
    SyntaxSettings,
    TextMasks,
    TokenText,
    blocks,
    dependency_heads,
    expand_mask,
    open_mask,
)
from bnaparser.syntax.syntax_trees import SyntaxTrees, neighbour_distances, tree_distances


class SlaSettings(SyntaxSettings):
    """Syntax-based local attention: a word attends to the words near it in the dependency tree."""

    threshold: int = Field(3, ge=0)
    """A word attends to the words within this number of edges of itself or of a neighbour (m of equation 3)."""
    symmetric: bool = False
    """Let two words attend to each other if one attends to the other."""
    link_roots: bool = False
    """Join the trees of several sentences above their roots."""
    open_punctuation: bool = False
    """Let all words attend to punctuation, as the authors' program does."""
    gate_bias: float = 0.0
    """Bias of the gates at the start: 0 mixes local and global attention by halves, a very low value gives the
    plain encoder.
    """

    def masks(self, text: TokenText) -> TextMasks:
        """Return M_loc of eq. 3 for tokens. Words of the other sentence of a pair are all visible."""
        if not text.parsed:
            return TextMasks(parsed=False, mask=open_mask(text.token_words))
        matrices = [local_mask(structure, self) for structure in text.structures]
        return TextMasks(True, mask=expand_mask(blocks(matrices, True), text.token_words))


def local_mask(structure: SyntaxTrees, settings: SlaSettings) -> NDArray[np.bool_]:
    """Return M_loc of eq. 3 for the words of a sentence: True where row i sees column j."""
    heads = dependency_heads(structure)
    distances = tree_distances(heads, link_roots=settings.link_roots)
    mask: NDArray[np.bool_] = neighbour_distances(distances) <= settings.threshold
    if settings.symmetric:
        mask = mask | mask.T
    if settings.open_punctuation:
        mask[:, [is_punctuation(word) for word in structure.words]] = True
    return mask


def is_punctuation(word: str) -> bool:
    """Say whether a word is made of punctuation alone, the treebank's opening quotes included."""
    return all(unicodedata.category(c).startswith("P") or c == "`" for c in word)


class GatedLocalAttention(AttentionVariant):
    """Local attention, mixed into global attention by a gate for each token and layer.

    After a call ``gate_values`` holds the gates of each layer, (B, T), detached.
    """

    def __init__(self, settings: SyntaxSettings, sizes: Sizes, gate_bias: float):
        super().__init__(settings)
        self.gates = nn.ModuleList(nn.Linear(sizes.width, 1) for _ in range(sizes.layers))
        for gate in self.gates:
            assert isinstance(gate, nn.Linear)
            nn.init.normal_(gate.weight, std=0.02)
            nn.init.constant_(gate.bias, gate_bias)
        self.gate_values: list[Tensor] = []

    def begin(self, batch: SyntaxBatch | None, shape: torch.Size, device: torch.device) -> None:
        """Take the batch of a call; forget the gates of the previous call."""
        super().begin(batch, shape, device)
        self.gate_values = []

    def guided(self, layer: int, attention: Attention, batch: SyntaxBatch) -> Tensor:
        """Return ``g S_loc + (1 - g) S_glb`` (eq. 6)."""
        assert batch.mask is not None
        gate = self._gate(layer, attention.layer_input)
        near = attention.drop(attention.softmax(batch.mask[:, None]))  # eq. 4
        everywhere = attention.drop(attention.softmax())
        return torch.lerp(everywhere, near, gate.to(near.dtype))

    def fused(
        self,
        layer: int,
        layer_input: Tensor,
        projected: tuple[Tensor, Tensor, Tensor],
        allowed: Tensor | None,
        batch: SyntaxBatch | None,
    ) -> Tensor:
        """Return the contexts, mixed as eq. 6 mixes the probabilities."""
        if batch is None:
            return contexts(projected, allowed)
        assert batch.mask is not None
        if self.running:
            self.calls += 1
        gate = self._gate(layer, layer_input)
        return mixed_contexts(projected, allowed, batch.mask[:, None], gate)

    def _gate(self, layer: int, layer_input: Tensor) -> Tensor:
        """Return the gates (B, 1, T, 1) of a layer (eq. 5)."""
        gate = torch.sigmoid(self.gates[layer](layer_input))
        if self.running:
            self.gate_values.append(gate.detach().squeeze(-1))
        return gate[:, None]


class Sla(GatedLocalAttention):
    """Syntax-aware local attention: the dependency tree decides which words are near."""

    def __init__(self, settings: SlaSettings, sizes: Sizes):
        super().__init__(settings, sizes, settings.gate_bias)


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
