"""A task's model folder: settings, classes, safetensors weights, the tokenizer's files, scores.

Nothing runs code, and loading needs none of what only training needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor
from transformers import PreTrainedModel

from bnaparser.encoders.device import move
from bnaparser.encoders.loading import build_pretrained, read_encoder, save_tokenizer
from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import CONFIG, ENCODER, LABELS, METRICS, WEIGHTS
from bnaparser.files.tables import read_json, read_object, write_json
from bnaparser.files.tensors import read_weights, write_weights
from bnaparser.models.zipped_folder import unzipped
from bnaparser.settings import validate
from bnaparser.tasks.model import TaskModel, load_words_tokenizer
from bnaparser.tasks.network import TaskNetwork
from bnaparser.tasks.settings import TaskModelSettings


def save(model: TaskModel, folder: str | Path, store: str, metrics: dict[str, Any]) -> None:
    """Write a model folder; ``store`` is "float32", "float16" or "int8"."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    others = set() if model.kind.passages else {"answers"}
    settings = model.settings.portable()
    write_json(folder / CONFIG, settings.model_dump(mode="json", exclude_none=True, exclude=others))
    write_json(folder / LABELS, {"classes": list(model.labels)})
    write_json(folder / METRICS, metrics)
    model.network.encoder.config.save_pretrained(folder / ENCODER)
    save_tokenizer(model.tokenizer, folder / ENCODER)
    write_weights(folder / WEIGHTS, model.network.state_dict(), store)
    # safetensors lets only the owner read its files; a model is as readable as its settings.
    (folder / WEIGHTS).chmod((folder / CONFIG).stat().st_mode)


def load(folder: str | Path) -> TaskModel:
    """Read a model folder or its zip: a model in evaluation mode, on the CPU, in float32.

    Raises ModelError when the folder is not a task's model, or its files are damaged or do not fit.
    """
    folder = Path(folder)
    if folder.is_file():
        with unzipped(folder) as inner:
            if inner is None:
                raise ModelError(f"{folder} holds no model of a task")
            return load(inner)
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {folder}; see 'bnaparser models'")
    table = read_object(folder / CONFIG)
    if "task" not in table:
        raise ModelError(
            f"{folder} is no model of a task but a parser: it gives trees, not classes"
        )
    settings = validate(TaskModelSettings, table, str(folder / CONFIG))
    labels = _labels(folder / LABELS, settings)
    tensors = read_weights(folder / WEIGHTS)
    wanted = settings.task.of_kind.outputs(labels)
    _check_outputs(folder, tensors, wanted)
    network = TaskNetwork(_encoder(folder / ENCODER), settings, wanted)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        detail = str(error).splitlines()[-1].strip()
        raise ModelError(f"{folder / WEIGHTS} does not fit {CONFIG}: {detail}") from error
    return TaskModel(settings, labels, network.eval(), load_words_tokenizer(folder / ENCODER))


def to_device(model: TaskModel, device: str | None) -> TaskModel:
    """Move a model to a torch device, by default the first GPU or the CPU where there is none.

    Raises ModelError when the device is not there.
    """
    move(model.network, device)
    return model


def _encoder(folder: Path) -> PreTrainedModel:
    """Return a folder's encoder, its weights yet to be given a value; ModelError where it is damaged."""
    config, _ = read_encoder(folder)
    try:
        return build_pretrained(config)
    except Exception as error:  # of a damaged configuration: whatever comes
        raise ModelError(
            f"{folder / CONFIG} is damaged: {in_one_line(error)}; get the model again"
        ) from error


def _check_outputs(folder: Path, tensors: Mapping[str, Tensor], wanted: int) -> None:
    """Raise ModelError where the weights are of another number of classes than there are labels."""
    weight = tensors.get("output.weight")
    if weight is not None and len(weight) != wanted:
        raise ModelError(
            f"{folder / WEIGHTS} gives {len(weight)} scores, and {folder / LABELS} has names for"
            f" {wanted}: they do not belong together; get the model again"
        )


def _labels(path: Path, settings: TaskModelSettings) -> tuple[str, ...]:
    stored = read_json(path)
    labels = stored.get("classes") if isinstance(stored, dict) else None
    strings = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    if not strings or settings.task.of_kind.has_labels != bool(labels):
        raise ModelError(f"{path} is damaged: it holds no classes; get the model again")
    assert labels is not None
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ModelError(f"{path} is damaged: it names {twice!r} twice; get the model again")
    return tuple(labels)
