"""Word vectors from any Hugging Face encoder: its last layer, or a learned mix of all layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import pad
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    PreTrainedModel,
)

from bnaparser.encoders.batching import lay_out
from bnaparser.encoders.encoder_settings import EncoderSettings, first_position
from bnaparser.encoders.loading import lowest_layers
from bnaparser.encoders.subwords import MISSING, Window

# Encoders that take a mask of subwords by subwords and the position of each subword: several
# sentences can share a row and not see each other.
SHARING_TYPES = {"bert", "camembert", "distilbert", "electra", "roberta", "xlm-roberta"}


# Encoders whose output for a sentence depends on the padding in its batch: they read one sentence at a time.
BATCH_SENSITIVE_TYPES = {"canine", "convbert", "fnet", "mobilebert", "nystromformer", "yoso"}


def batch_sensitive(model: PreTrainedModel) -> bool:
    """Return whether an encoder's output for a text depends on the padding in its batch."""
    return model.config.model_type in BATCH_SENSITIVE_TYPES


class _NoPooler(nn.Module):
    """Stands where some encoders call their pooler without looking whether they have one."""

    def forward(self, *given: Tensor) -> None:
        """Return nothing."""


def drop_pooler(model: PreTrainedModel) -> None:
    """Take out of an encoder what makes its vector of a whole text: nobody here reads it."""
    if getattr(model, "pooler", None) is not None:
        # ALBERT and BigBird have a layer there, look whether they have it, and call what follows it.
        model.pooler = None if isinstance(model.pooler, nn.Linear) else _NoPooler()


class PretrainedEncoder(nn.Module):
    """A Hugging Face encoder whose output is gathered from subwords to words.

    ``width`` is the size of a word vector. With ``mix_layers`` the output is ``gamma`` times the
    softmax-weighted sum of the embeddings and all layers (as in ELMo), learned with the rest. A
    ``dropout`` in the settings replaces the encoder's own; on a CPU drawing it costs a lot of time.
    """

    def __init__(self, model: PreTrainedModel, settings: EncoderSettings):
        super().__init__()
        self.model = model
        drop_pooler(model)
        if settings.dropout is not None:
            set_dropout(model, settings.dropout)
        config = model.config
        self.width: int = config.hidden_size
        self.mix_layers = settings.mix_layers
        self.decoder = settings.decoder
        # Only the fused attention takes the mask as it is made here.
        fused = config._attn_implementation == "sdpa"
        self.shares_rows = fused and config.model_type in SHARING_TYPES
        self.first_position = first_position(config)
        self.marks_cls = config.model_type == "xlnet"
        if self.mix_layers:
            self.mix_weights = nn.Parameter(torch.zeros(config.num_hidden_layers + 1))
            self.mix_gamma = nn.Parameter(torch.ones(()))
        # Row 0 stands for START, row 1 for STOP where the tokenizer has none, row 2 for a word
        # without subwords.
        self.missing = nn.Parameter(torch.randn(3, self.width) * 0.02)

    def forward(self, windows: Sequence[Window]) -> Tensor:
        """Return (windows, positions, width): START, words, STOP, then padding of undefined value."""
        if len(windows) > 1 and batch_sensitive(self.model):
            return pad_sequence([self([window])[0] for window in windows], batch_first=True)
        device = self.missing.device
        collated = collate(windows, self.shares_rows)
        gather = torch.from_numpy(collated.gather).to(device)
        given = {"input_ids": torch.from_numpy(collated.ids).to(device)}
        if collated.places is None:
            given["attention_mask"] = torch.from_numpy(collated.numbers > 0).to(device).long()
            if self.first_position:  # by themselves they skip "<pad>", which a text may speak of
                places = torch.arange(collated.ids.shape[1], device=device)
                given["position_ids"] = (places + self.first_position).expand(collated.ids.shape)
        else:
            numbers = torch.from_numpy(collated.numbers).to(device)
            given["attention_mask"] = (numbers[:, :, None] == numbers[:, None, :])[:, None]
            places = torch.from_numpy(collated.places).to(device)
            given["position_ids"] = places + self.first_position
        if self.marks_cls:
            given["token_type_ids"] = _xlnet_segments(given["attention_mask"])
        hidden = self._mixed(given)
        rows = torch.cat([hidden.flatten(0, 1), self.missing.to(hidden.dtype)])
        return rows[gather]

    def _added(self, visible: Tensor) -> Tensor:
        """Return a mask as T5 adds it to its scores: made of booleans it would be made anew in every layer."""
        mask = torch.zeros_like(visible, dtype=self.missing.dtype)
        return mask.masked_fill_(~visible, torch.finfo(mask.dtype).min)

    def keep_lowest(self, layers: int) -> None:
        """Leave only the lowest layers, and of a learned mix their weights. Raises SettingsError."""
        self.model = lowest_layers(self.model, layers)
        drop_pooler(self.model)
        if self.mix_layers:
            self.mix_weights = nn.Parameter(self.mix_weights.data[: layers + 1].clone())

    def _mixed(self, given: dict[str, Tensor]) -> Tensor:
        if self.decoder:
            # The decoder reads the same subwords, after the mark with which it starts.
            ids, seen = given["input_ids"], given["attention_mask"].bool()[:, None, None, :]
            before = torch.ones(2 * ids.shape[1:], dtype=torch.bool, device=ids.device).tril()
            decoded: Tensor = self.model(
                input_ids=ids[:, 1:],
                attention_mask=self._added(seen[..., 1:]),
                decoder_input_ids=ids,
                decoder_attention_mask=self._added(seen & before),
                use_cache=False,
            ).last_hidden_state
            return decoded
        length = given["input_ids"].shape[1]
        # CANINE makes one vector of this many characters, and needs at least as many.
        lacking = getattr(self.model.config, "downsampling_rate", 0) - length
        if lacking > 0:
            given = {name: pad(rows, (0, lacking)) for name, rows in given.items()}
        outputs = self.model(**given, output_hidden_states=self.mix_layers)
        if not self.mix_layers:
            hidden: Tensor = outputs.last_hidden_state
            return hidden[:, :length]
        weights = self.mix_gamma * self.mix_weights.softmax(dim=0)
        layers = outputs.hidden_states
        mixed: Tensor = layers[0] * weights[0]
        for layer, weight in zip(layers[1:], weights[1:], strict=True):
            mixed = torch.addcmul(mixed, layer, weight.to(layer.dtype))
        return mixed


@dataclass(frozen=True)
class Collated:
    """Windows as an encoder's input, all int64.

    ``ids`` (rows, subwords) are the subword numbers; ``numbers`` (rows, subwords) say of which
    window a subword is, from 1, and 0 for padding; ``places`` (rows, subwords) are the subwords'
    places in their windows, None if every row has one window. ``gather`` (windows, positions)
    has the row of each position among all subwords, and rows beyond them for those of
    ``PretrainedEncoder.missing``.
    """

    ids: NDArray[np.int64]
    numbers: NDArray[np.int64]
    places: NDArray[np.int64] | None
    gather: NDArray[np.int64]


def collate(windows: Sequence[Window], may_share: bool = False) -> Collated:
    """Lay windows out in rows, several in a row where they may share it and that saves padding."""
    layout = lay_out([len(window.ids) for window in windows], may_share)
    positions = max(len(window.last) for window in windows)
    ids, numbers, places = (np.zeros(layout.shape, np.int64) for _ in range(3))
    missing = ids.size
    gather = np.full((len(windows), positions), missing, np.int64)
    for index, window in enumerate(windows):
        row, first = layout.rows[index], layout.columns[index]
        inside = slice(first, first + len(window.ids))
        ids[row, inside] = window.ids
        numbers[row, inside] = index + 1
        places[row, inside] = np.arange(len(window.ids))
        fallback = np.full(len(window.last), missing + 2)
        fallback[0], fallback[-1] = missing, missing + 1
        found = window.last != MISSING
        base = row * layout.shape[1] + first
        gather[index, : len(window.last)] = np.where(found, base + window.last, fallback)
    return Collated(ids, numbers, places if layout.shared else None, gather)


def _xlnet_segments(mask: Tensor) -> Tensor:
    """Return XLNet's segment of each subword: 2 for ``<cls>``, the last of a row, 0 for others."""
    return torch.zeros_like(mask).scatter_(1, mask.sum(1, keepdim=True) - 1, 2)


def set_dropout(model: PreTrainedModel, probability: float) -> None:
    """Set all dropout: that of modules, and the numbers that some attention layers keep."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = probability
        for name, value in list(vars(module).items()):
            if "dropout" in name and isinstance(value, float):
                setattr(module, name, probability)
