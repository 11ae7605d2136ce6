"""Model folders: settings, labels, safetensors weights, the tokenizer's files. Nothing runs code.

Large matrices may be stored as int8 with one float32 scale a row, or as float16; a loaded model is
float32 again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from transformers import AutoConfig, PretrainedConfig

from bnaparser.characters import CharacterEncoder
from bnaparser.config import ModelSettings, validate
from bnaparser.encoder import PretrainedEncoder, build_pretrained, load_pretrained, load_tokenizer
from bnaparser.errors import ModelError
from bnaparser.labels import Inventory
from bnaparser.model import BnaModel, build_pieces

CONFIG, LABELS, WEIGHTS, METRICS, ENCODER = (
    "config.json",
    "labels.json",
    "model.safetensors",
    "metrics.json",
    "encoder",
)
# Where the weights file says which tensors are others under a second name.
COPIES = "copies"
# Matrices smaller than this are not worth a scale a row.
SMALLEST_INT8 = 16384


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
    name = settings.encoder.name
    if name is None:
        alphabet = CharacterEncoder(characters, settings.layers.content_width, settings.encoder)
        return BnaModel(settings, labels, tags, alphabet, allow_empty_root=allow_empty_root)
    encoder = PretrainedEncoder(load_pretrained(name, settings.encoder.attention), settings.encoder)
    pieces = build_pieces(encoder, load_tokenizer(name), settings)
    return BnaModel(settings, labels, tags, encoder, pieces, allow_empty_root)


def save(model: BnaModel, folder: str | Path, store: str, metrics: dict[str, Any]) -> None:
    """Write a model folder; ``store`` is "float32", "float16" or "int8"."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    labels = {
        "labels": list(model.labels.names),
        "tags": list(model.tags.names),
        "allow_empty_root": model.allow_empty_root,
        "characters": getattr(model.encoder, "characters", ""),
    }
    _write_json(folder / CONFIG, model.settings.model_dump(mode="json"))
    _write_json(folder / LABELS, labels)
    _write_json(folder / METRICS, metrics)
    if isinstance(model.encoder, PretrainedEncoder):
        model.encoder.model.config.save_pretrained(folder / ENCODER)
        assert model.pieces is not None
        model.pieces.tokenizer.save_pretrained(folder / ENCODER)
    tensors, copies = _without_copies(model.state_dict())
    metadata = {"format": "pt", "store": store, COPIES: json.dumps(copies)}
    save_file(_pack(tensors, store), folder / WEIGHTS, metadata)
    # safetensors lets only the owner read its files; a model is as readable as its settings.
    (folder / WEIGHTS).chmod((folder / CONFIG).stat().st_mode)


def load(folder: str | Path) -> BnaModel:
    """Read a model folder: a model in evaluation mode, on the CPU, in float32.

    Raises ModelError when the folder is not a model's, or its files are damaged or do not fit.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {folder}; see 'bnaparser models'")
    settings = validate(ModelSettings, _read_json(folder / CONFIG), str(folder / CONFIG))
    stored = _read_json(folder / LABELS)
    try:
        labels, tags = Inventory(stored["labels"]), Inventory(stored["tags"])
        characters, allow_empty_root = stored["characters"], stored["allow_empty_root"]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder / LABELS} is damaged: {error!r}; get the model again") from error
    tensors = _read_weights(folder / WEIGHTS)
    with torch.device("meta"):
        if settings.encoder.name is None:
            alphabet = CharacterEncoder(characters, settings.layers.content_width, settings.encoder)
            model = BnaModel(settings, labels, tags, alphabet, allow_empty_root=allow_empty_root)
        else:
            config, tokenizer = _read_encoder(folder / ENCODER)
            encoder = PretrainedEncoder(
                build_pretrained(config, settings.encoder.attention), settings.encoder
            )
            pieces = build_pieces(encoder, tokenizer, settings)
            model = BnaModel(settings, labels, tags, encoder, pieces, allow_empty_root)
    _assign(model, tensors, folder)
    return model.eval()


def _assign(model: BnaModel, tensors: dict[str, Tensor], folder: Path) -> None:
    try:
        model.load_state_dict(tensors, assign=True)
    except RuntimeError as error:
        detail = str(error).splitlines()[-1].strip()
        raise ModelError(f"{folder / WEIGHTS} does not fit {CONFIG}: {detail}") from error
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
    inner = build_pretrained(model.encoder.model.config, settings.attention)
    fresh = PretrainedEncoder(inner, settings)
    fresh.load_state_dict(model.encoder.state_dict(), assign=True)
    model.encoder = fresh


def _without_copies(tensors: dict[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors on the CPU, each once, and the other names of those that have several.

    T5 has its embeddings under two names; the file format takes no tensor twice.
    """
    once: dict[str, Tensor] = {}
    copies: dict[str, str] = {}
    names: dict[tuple[int, torch.Size], str] = {}
    for name, tensor in tensors.items():
        first = names.setdefault((tensor.data_ptr(), tensor.shape), name)
        if first == name:
            once[name] = tensor.detach().cpu().contiguous()
        else:
            copies[name] = first
    return once, copies


def _pack(tensors: dict[str, Tensor], store: str) -> dict[str, Tensor]:
    packed: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if store == "float16" and tensor.is_floating_point():
            packed[name] = tensor.half()
        elif store == "int8" and tensor.dim() == 2 and tensor.numel() >= SMALLEST_INT8:
            scale = tensor.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
            packed[name] = (tensor / scale).round().to(torch.int8)
            packed[f"{name}:scale"] = scale
        else:
            packed[name] = tensor
    return packed


def _read_weights(path: Path) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 (not a mapping)
                if name.endswith(":scale"):
                    continue
                tensor = file.get_tensor(name)
                if tensor.dtype == torch.int8:
                    tensor = tensor * file.get_tensor(f"{name}:scale")
                tensors[name] = tensor.float() if tensor.is_floating_point() else tensor
            copies = json.loads((file.metadata() or {}).get(COPIES, "{}"))
            tensors.update({name: tensors[first] for name, first in copies.items()})
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing; the folder is not a complete model") from error
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({error}); get the model again"
        ) from error
    return tensors


def _read_encoder(folder: Path) -> tuple[PretrainedConfig, Any]:
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder / 'config.json'} is missing; the folder is not a complete model")
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(f"{folder} is damaged: {error}; get the model again") from error
    tokenizer = load_tokenizer(folder)
    files = sorted(tokenizer.vocab_files_names.values())
    # Without its vocabulary the library makes up a tokenizer that knows no words.
    if not any((folder / name).is_file() for name in files):
        raise ModelError(f"{folder} is no complete model: one of {', '.join(files)} is missing")
    return config, tokenizer


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing; {path.parent} is not a model folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error}; get the model again") from error


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
