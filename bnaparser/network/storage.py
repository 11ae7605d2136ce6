"""Model folders: settings, labels, safetensors weights, the tokenizer's files. Nothing runs code.

Large matrices may be stored as int8 with one float32 scale a row, or as float16; a loaded model is
float32 again.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.compute.kernel import check_compiler
from bnaparser.encoders.loading import (
    build_pretrained,
    load_pretrained,
    load_tokenizer,
    read_encoder,
    save_tokenizer,
)
from bnaparser.encoders.pretrained import SHARING_TYPES, PretrainedEncoder
from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import CONFIG, ENCODER, LABELS, METRICS, WEIGHTS
from bnaparser.files.tables import read_object, write_json
from bnaparser.files.tensors import read_weights, write_weights
from bnaparser.models.about import files_below
from bnaparser.models.zipped_folder import unzipped
from bnaparser.network.benepar_folder import (
    BeneparModel,
    read_benepar_checkpoint,
    read_benepar_folder,
)
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel, build_model
from bnaparser.network.model_settings import BENEPAR, ModelSettings, is_benepars, read_settings

_STORES = ("float32", "float16", "int8")


def create(
    settings: ModelSettings,
    labels: Inventory,
    tags: Inventory,
    characters: str = "",
    allow_empty_root: bool = False,
) -> BnaModel:
    """Build a model to be trained: its encoder with pre-trained weights, the rest random.

    ``characters`` is the alphabet of a model without a pre-trained encoder.
    """
    check_compiler()
    name = settings.encoder.name
    if name is None:
        return build_model(settings, labels, tags, characters, allow_empty_root)
    given = settings.encoder
    encoder = load_pretrained(name, given.attention, given.layers, given.decoder)
    source = encoder, load_tokenizer(name)
    return build_model(settings, labels, tags, source, allow_empty_root)


def save(
    model: BnaModel,
    folder: str | Path,
    store: str,
    metrics: dict[str, Any],
    step: float | None = None,
) -> None:
    """Write a model folder; ``store`` is "float32", "float16" or "int8".

    ``step`` is the ``qat_step`` of the training, if there was one. Raises ModelError for a model
    that does not compute in float32, since its original weights are lost; ValueError for another
    ``store``. Metrics are written last, so they never describe weights that are not written yet.
    """
    if store not in _STORES:
        raise ValueError(f"store is {store!r}: give one of {', '.join(_STORES)}")
    if model.precision != "float32":
        raise ModelError(
            f"a model that computes in {model.precision} cannot be saved: load it again with"
            " `bnaparser.network.storage.load`, and save that"
        )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    labels: dict[str, Any] = {
        "labels": list(model.labels.names),
        "tags": list(model.tags.names),
        "allow_empty_root": model.allow_empty_root,
        "characters": getattr(model.encoder, "characters", ""),
    }
    if model.by_language:
        labels["languages"] = {
            language: {"labels": sorted(names.labels), "tags": sorted(names.tags)}
            for language, names in model.by_language.items()
        }
    write_json(folder / CONFIG, model.settings.model_dump(mode="json"))
    write_json(folder / LABELS, labels)
    if isinstance(model.encoder, PretrainedEncoder):
        model.encoder.model.config.save_pretrained(folder / ENCODER)
        assert model.subwords is not None
        save_tokenizer(model.subwords.tokenizer, folder / ENCODER)
    write_weights(folder / WEIGHTS, model.state_dict(), store, step)
    # safetensors lets only the owner read its files; a model is as readable as its settings.
    (folder / WEIGHTS).chmod((folder / CONFIG).stat().st_mode)
    write_json(folder / METRICS, metrics)


def load(folder: str | Path) -> BnaModel:
    """Read a model folder: a model in evaluation mode, on the CPU, in float32.

    It may be one of benepar's (`bnaparser.network.benepar_folder`), or a zip of a folder. Raises
    ModelError when the folder is not a model's, or its files are damaged or do not fit.
    """
    check_compiler()
    folder = Path(folder)
    if folder.is_file():
        return _load_file(folder)
    if is_benepars(folder):
        return _load_benepar(read_benepar_folder(folder), folder)
    stored = read_settings(folder)
    settings = stored.settings
    tensors = read_weights(folder / WEIGHTS)
    with torch.device("meta"):
        pretrained = settings.encoder.name is not None
        source = _read_pretrained(folder, settings) if pretrained else stored.characters
        try:
            model = build_model(
                settings, stored.labels, stored.tags, source, stored.allow_empty_root
            )
        except (TypeError, RuntimeError) as error:  # numbers that no tensor's size can be
            raise ModelError(
                f"{folder / CONFIG} is damaged: {in_one_line(error)}; download or copy the model again"
            ) from error
    model.by_language = stored.by_language
    _assign(model, tensors, folder / WEIGHTS)
    return model.eval()


def _load_file(path: Path) -> BnaModel:
    """Read a zip of a model folder, or a checkpoint of benepar's."""
    with unzipped(path) as folder:
        if folder is not None:
            return load(folder)
    return _load_benepar(read_benepar_checkpoint(path), path)


def _load_benepar(given: BeneparModel, path: Path) -> BnaModel:
    settings = given.settings
    with torch.device("meta"):
        encoder = build_pretrained(given.config, None, settings.encoder.decoder)
        source = encoder, given.tokenizer
        model = build_model(settings, given.labels, given.tags, source, given.allow_empty_root)
    tensors = {name: tensor.float() for name, tensor in given.tensors.items()}
    # What stands for a mark or a word without subwords: benepar always has some.
    tensors["encoder.missing"] = torch.zeros(3, encoder.config.hidden_size)
    tensors |= _second_names(model, tensors)
    if hasattr(encoder.config, BENEPAR):  # not stored here: labels.json has it
        delattr(encoder.config, BENEPAR)
    _assign(model, tensors, path)
    return model.eval()


def _second_names(model: BnaModel, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return T5's subword vectors by the names of its encoder and decoder."""
    shared = "encoder.model.shared.weight"
    names = [name for name in model.state_dict() if name.endswith("embed_tokens.weight")]
    return {name: tensors[shared] for name in names if shared in tensors}


def _read_pretrained(
    folder: Path, settings: ModelSettings
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return a model folder's encoder, without weights, and its tokenizer."""
    config, tokenizer = read_encoder(folder / ENCODER)
    try:
        given = settings.encoder
        return build_pretrained(config, given.attention, given.decoder), tokenizer
    except Exception as error:  # of a damaged configuration: whatever comes
        raise ModelError(
            f"{folder / ENCODER / CONFIG} is damaged: {in_one_line(error)}; download or copy the model again"
        ) from error


def _assign(model: BnaModel, tensors: dict[str, Tensor], path: Path) -> None:
    try:
        model.load_state_dict(tensors, assign=True)
    except RuntimeError as error:
        detail = str(error).splitlines()[-1].strip()
        raise ModelError(f"{path} does not fit {CONFIG}: {detail}") from error
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    _materialise_buffers(model)


def _materialise_buffers(model: BnaModel) -> None:
    """Give non-persistent buffers (position numbers and the like) their values on the CPU.

    They are not in the weights file, so on the meta device they are empty; a Hugging Face module
    fills them when it is built, so one is built again for those few.
    """
    left = [name for name, buffer in model.named_buffers() if buffer.is_meta]
    if not left or not isinstance(model.encoder, PretrainedEncoder):
        return
    inner = model.encoder.model
    if inner.config.model_type not in SHARING_TYPES:  # others may count in a way of their own
        _rebuild_encoder(model)
        return
    for module in inner.modules():
        for name, buffer in list(module.named_buffers(recurse=False)):
            if not buffer.is_meta:
                continue
            if name == "position_ids":
                value = torch.arange(buffer.shape[-1]).expand(buffer.shape).clone()
            elif name == "token_type_ids":
                value = torch.zeros(buffer.shape, dtype=buffer.dtype)
            else:
                _rebuild_encoder(model)
                return
            module.register_buffer(name, value, persistent=False)


def _rebuild_encoder(model: BnaModel) -> None:
    assert isinstance(model.encoder, PretrainedEncoder)
    settings = model.settings.encoder
    inner = build_pretrained(model.encoder.model.config, settings.attention, settings.decoder)
    fresh = PretrainedEncoder(inner, settings)
    fresh.load_state_dict(model.encoder.state_dict(), assign=True)
    model.encoder = fresh


def check_folder(folder: Path) -> None:
    """Raise ModelError unless this is a model folder of bnaparser, with a file of settings to change."""
    if folder.is_file() or is_benepars(folder):
        raise ModelError(
            f"{folder} is not a model folder of bnaparser, so its settings cannot be changed: make it a folder first, with 'bnaparser"
            f" models import {folder} DEST'"
        )


def copy_at_temperature(
    folder: Path, target: Path, temperature: float | Mapping[str, float], found: dict[str, Any]
) -> None:
    """Write a folder that is another, at a temperature, or at those of some languages; ``found`` is added to its metrics.

    Its settings are written before the weights: what a kill leaves is no whole model at the old temperature.
    Raises ModelError if the first is no model folder of bnaparser, or damaged.
    """
    check_folder(folder)
    settings = read_settings(folder).settings.at_temperature(temperature)
    metrics = read_object(folder / METRICS) if (folder / METRICS).is_file() else {}
    files = files_below(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_json(target / CONFIG, settings.model_dump(mode="json"))
    write_json(target / METRICS, {**metrics, "calibration": found})
    for file in files:
        name = file.relative_to(folder)
        written = str(name) in (CONFIG, METRICS)
        if not written and not any(part.startswith("__") for part in name.parts):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / name)
