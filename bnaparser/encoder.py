"""Word vectors from any Hugging Face encoder: its last layer, or a learned mix of all layers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    T5EncoderModel,
)
from transformers.initialization import no_init_weights

from bnaparser.config import EncoderSettings
from bnaparser.errors import ModelError, in_one_line
from bnaparser.pieces import MISSING, Window

# Encoders with relative positions have no limit of their own; BNA's own table ends here.
DEFAULT_POSITIONS = 512
# Encoders whose positions count from the number of the padding piece on.
OFFSET_POSITIONS = {
    "camembert",
    "data2vec-text",
    "ibert",
    "longformer",
    "mpnet",
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
}
T5_TYPES = {"t5", "mt5", "umt5"}


class PretrainedEncoder(nn.Module):
    """A Hugging Face encoder whose output is gathered from word pieces to words.

    ``width`` is the size of a word vector. With ``mix_layers`` the output is ``gamma`` times the
    softmax-weighted sum of the embeddings and all layers (as in ELMo), learned with the rest. A
    ``dropout`` in the settings replaces the encoder's own; on a CPU drawing it costs a lot of time.
    """

    def __init__(self, model: PreTrainedModel, settings: EncoderSettings):
        super().__init__()
        self.model = model
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # a sentence vector: nobody reads it
        if settings.dropout is not None:
            _set_dropout(model, settings.dropout)
        config = model.config
        self.width: int = config.hidden_size
        self.mix_layers = settings.mix_layers
        if self.mix_layers:
            self.mix_weights = nn.Parameter(torch.zeros(config.num_hidden_layers + 1))
            self.mix_gamma = nn.Parameter(torch.ones(()))
        # Row 0 stands for START, row 1 for STOP where the tokenizer has none, row 2 for a word
        # without pieces.
        self.missing = nn.Parameter(torch.randn(3, self.width) * 0.02)

    def forward(self, windows: Sequence[Window]) -> Tensor:
        """Return (windows, positions, width): START, words, STOP, then padding of undefined value."""
        device = self.missing.device
        ids, mask, gather = (torch.from_numpy(array).to(device) for array in collate(windows))
        hidden = self._mixed(ids, mask)
        rows = torch.cat([hidden.flatten(0, 1), self.missing.to(hidden.dtype)])
        return rows[gather]

    def _mixed(self, ids: Tensor, mask: Tensor) -> Tensor:
        outputs = self.model(
            input_ids=ids, attention_mask=mask, output_hidden_states=self.mix_layers
        )
        if not self.mix_layers:
            hidden: Tensor = outputs.last_hidden_state
            return hidden
        weights = self.mix_gamma * self.mix_weights.softmax(dim=0)
        layers = outputs.hidden_states
        mixed: Tensor = layers[0] * weights[0]
        for layer, weight in zip(layers[1:], weights[1:], strict=True):
            mixed = torch.addcmul(mixed, layer, weight.to(layer.dtype))
        return mixed


def collate(windows: Sequence[Window]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return piece numbers, attention mask, and for each position its row among all pieces.

    The arrays are int64 (windows, pieces), (windows, pieces) and (windows, positions). Rows beyond
    the pieces are those of ``PretrainedEncoder.missing``.
    """
    count = len(windows)
    pieces = max(len(window.ids) for window in windows)
    positions = max(len(window.last) for window in windows)
    ids = np.zeros((count, pieces), np.int64)
    mask = np.zeros((count, pieces), np.int64)
    missing = count * pieces
    gather = np.full((count, positions), missing, np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        fallback = np.full(len(window.last), missing + 2)
        fallback[0], fallback[-1] = missing, missing + 1
        found = window.last != MISSING
        gather[row, : len(window.last)] = np.where(found, row * pieces + window.last, fallback)
    return ids, mask, gather


def _set_dropout(model: PreTrainedModel, probability: float) -> None:
    """Set all dropout: that of modules, and the numbers that some attention layers keep."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = probability
        for name, value in list(vars(module).items()):
            if "dropout" in name and isinstance(value, float):
                setattr(module, name, probability)


def load_tokenizer(folder: str | Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a Hugging Face folder or hub name; code that comes along is not run."""
    try:
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(f"cannot load the tokenizer of {folder}: {in_one_line(error)}") from error


def load_pretrained(folder: str | Path, attention: str | None = None) -> PreTrainedModel:
    """Load a Hugging Face encoder with its weights from a folder or hub name, in float32."""
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
        kind = T5EncoderModel if config.model_type in T5_TYPES else AutoModel
        extra: dict[str, Any] = {} if attention is None else {"attn_implementation": attention}
        return kind.from_pretrained(folder, config=config, dtype=torch.float32, **extra)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ModelError(f"cannot load the encoder {folder}: {in_one_line(error)}") from error


def build_pretrained(config: PretrainedConfig, attention: str | None = None) -> PreTrainedModel:
    """Build a Hugging Face encoder from its configuration, its weights yet to be given a value."""
    extra = {} if attention is None else {"attn_implementation": attention}
    with no_init_weights():  # drawing a ModernBERT's at random takes ten seconds
        if config.model_type in T5_TYPES:
            return T5EncoderModel._from_config(config, **extra)
        return AutoModel.from_config(config, trust_remote_code=False, **extra)


def max_positions(config: PretrainedConfig) -> int:
    """Return how many pieces an encoder takes at once, special pieces included."""
    limit: int = getattr(config, "max_position_embeddings", None) or DEFAULT_POSITIONS
    if limit < 0:
        limit = DEFAULT_POSITIONS  # XLNet's way to say that there is no limit
    if config.model_type in OFFSET_POSITIONS:
        limit -= (config.pad_token_id or 0) + 1
    return max(limit, 8)
