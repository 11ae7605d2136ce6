"""Hugging Face encoders and tokenizers from a folder or a hub; code that comes along is not run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import torch
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

from bnaparser.encoders.tokenizer_file import check_growth, panics_as_errors
from bnaparser.errors import DataError, ModelError, SettingsError, in_one_line
from bnaparser.files.folder import CONFIG, check_encoder_files, check_model_file
from bnaparser.files.temporary import temporary_folder

log = logging.getLogger(__name__)

T5_TYPES = {"t5", "mt5", "umt5"}


def load_tokenizer(folder: str | Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a Hugging Face folder or hub name; code that comes along is not run."""
    check_encoder_files(folder)
    try:
        with panics_as_errors():
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(f"cannot load the tokenizer of {folder}: {in_one_line(error)}") from error
    if tokenizer.is_fast:
        check_growth(tokenizer.backend_tokenizer)
    return tokenizer


def save_tokenizer(tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Write a tokenizer's files. Raises DataError if the disk is full."""
    try:
        tokenizer.save_pretrained(folder)
    except Exception as error:  # the library raises nothing narrower
        raise DataError(
            f"{folder} cannot be written ({in_one_line(error)}): is the disk full?"
        ) from error


def load_pretrained(
    folder: str | Path,
    attention: str | None = None,
    layers: int | None = None,
    decoder: bool = False,
) -> PreTrainedModel:
    """Load a Hugging Face encoder with its weights from a folder or hub name, in float32.

    With ``layers`` only this number of layers is loaded, the lowest ones. ``decoder``: a T5 comes with
    its decoder. Where the folder lacks weights, a warning is logged. Raises ModelError if it
    cannot be loaded, SettingsError if it has fewer layers.
    """
    check_encoder_files(folder)
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
        if layers is not None:
            _name_lowest(config, layers)
        kind = T5EncoderModel if config.model_type in T5_TYPES and not decoder else AutoModel
        extra: dict[str, Any] = {} if attention is None else {"attn_implementation": attention}
        model, report = kind.from_pretrained(
            folder, config=config, dtype=torch.float32, output_loading_info=True, **extra
        )
    except SettingsError:
        raise
    except Exception as error:  # of a damaged file the library raises whatever comes
        reason = in_one_line(error) or type(error).__name__
        raise ModelError(f"cannot load the encoder {folder}: {reason:.300}") from error
    missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if missing:
        log.warning(
            "the encoder %s has no weights for %s%s: these weights are initialised randomly",
            folder,
            ", ".join(missing[:3]),
            f" and {len(missing) - 3} others" if len(missing) > 3 else "",
        )
    return model


def lowest_layers(model: PreTrainedModel, layers: int) -> PreTrainedModel:
    """Return an encoder with only the lowest layers of another one, and their weights.

    Raises SettingsError if it has fewer.
    """
    with temporary_folder() as folder:
        model.save_pretrained(folder)
        return load_pretrained(folder, model.config._attn_implementation, layers)


def _name_lowest(config: PretrainedConfig, layers: int) -> None:
    """Let a configuration be that of its encoder's lowest layers."""
    there = config.num_hidden_layers
    if layers > there:
        raise SettingsError(f"encoder.layers is {layers}, but the encoder has {there} layers")
    kinds = getattr(config, "layer_types", None)
    if kinds is not None:  # ModernBERT names the kind of each, and a kind too many is an error
        config.layer_types = kinds[:layers]
    config.num_hidden_layers = layers


def build_pretrained(
    config: PretrainedConfig, attention: str | None = None, decoder: bool = False
) -> PreTrainedModel:
    """Build a Hugging Face encoder from its configuration, without weights."""
    extra = {} if attention is None else {"attn_implementation": attention}
    with no_init_weights():  # drawing a ModernBERT's at random takes ten seconds
        if config.model_type in T5_TYPES and not decoder:
            return T5EncoderModel._from_config(config, **extra)
        return AutoModel.from_config(config, trust_remote_code=False, **extra)


def read_encoder(folder: Path) -> tuple[PretrainedConfig, Any]:
    """Read an encoder's configuration and tokenizer; ModelError if they are not whole."""
    check_model_file(folder / CONFIG)
    check_encoder_files(folder)
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(
            f"{folder} is damaged: {in_one_line(error)}; download or copy the model again"
        ) from error
    return config, read_tokenizer(folder)


def read_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """Read a tokenizer from a folder; ModelError if it is not whole."""
    tokenizer = load_tokenizer(folder)
    files = sorted(tokenizer.vocab_files_names.values())
    # Without its vocabulary the library makes up a tokenizer that knows no words; CANINE's and ByT5's have none.
    if files and not any((folder / name).is_file() for name in files):
        raise ModelError(
            f"{folder} is not a complete model folder: {' or '.join(files)} is missing"
        )
    return tokenizer
