"""Window-based local attention (WLA), the baseline of the SLA paper.

Li et al., Improving BERT with Syntax-aware Local Attention, 2021: section 4.1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from bnaparser.syntax.attention import Sizes
from bnaparser.syntax.masks import (
    PADDING,
    SyntaxSettings,
    TextMasks,
    TokenText,
    blocks,
    expand_mask,
)
from bnaparser.syntax.variants.sla import GatedLocalAttention


class WlaSettings(SyntaxSettings):
    """Window-based local attention. It needs no trees: every text counts as parsed."""

    window: int = Field(4, ge=0)
    """A token attends to this number of tokens, or words, on each side (k of the paper)."""
    unit: Literal["token", "word"] = "token"
    """Whether the window counts tokens or words."""
    gate_bias: float = 0.0
    """Bias of the gates at the start: 0 mixes local and global attention by halves, a very low value gives the
    plain encoder.
    """

    def masks(self, text: TokenText) -> TextMasks:
        """Return the window for tokens; the other sentence of a pair is entirely visible, as in
        SLA.
        """
        if self.unit == "token":
            return TextMasks(True, mask=_token_window(text, self.window))
        windows = [band(len(structure.words), self.window) for structure in text.structures]
        return TextMasks(True, mask=expand_mask(blocks(windows, True), text.token_words))


def band(count: int, window: int) -> NDArray[np.bool_]:
    """Return (count, count), True where row and column are at most ``window`` apart."""
    positions = np.arange(count)
    mask: NDArray[np.bool_] = np.abs(positions[:, None] - positions) <= window
    return mask


def _token_window(text: TokenText, window: int) -> NDArray[np.bool_]:
    words = text.token_words
    mask = band(len(words), window)
    mask |= (words < 0) | (words < 0)[:, None]
    if len(text.structures) == 2:
        second = words >= len(text.structures[0].words)
        mask |= second != second[:, None]
    mask &= words != PADDING
    return mask


class Wla(GatedLocalAttention):
    """Window-based local attention: positions decide which words are near."""

    def __init__(self, settings: WlaSettings, sizes: Sizes):
        super().__init__(settings, sizes, settings.gate_bias)
