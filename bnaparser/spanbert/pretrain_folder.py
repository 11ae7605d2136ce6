"""What pre-training writes: a Hugging Face folder, and the other objectives' heads beside it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.loading import save_tokenizer
from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import check_model_file, put_in_place, unfinished
from bnaparser.files.tables import write_json
from bnaparser.files.tensors import writing
from bnaparser.spanbert.span_model import SpanModel

HEADS, PRETRAINED = "span_heads.safetensors", "pretrain.json"


def save_pretrained(
    model: SpanModel,
    tokenizer: PreTrainedTokenizerBase,
    folder: Path,
    metrics: dict[str, Any],
) -> None:
    """Write an encoder with its masked-word head for everybody's ``AutoModel``, and our heads.

    What the folder held stays until all is written. ``metrics`` tell how it was made. Raises
    DataError where the disk is full.
    """
    new = unfinished(folder)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    with writing(new):
        model.language_model.model.save_pretrained(new)
        save_tokenizer(tokenizer, new)
        heads = {
            name: tensor.detach().cpu().contiguous()
            for name, tensor in model.state_dict().items()
            if not name.startswith("language_model.model.")
        }
        save_file(heads, new / HEADS)
        write_json(new / PRETRAINED, metrics)
    put_in_place(new, folder)


def load_heads(model: SpanModel, name: str) -> bool:
    """Give a model the heads that an earlier pre-training left in its folder; tell whether it did.

    Heads for objectives that the model does not have are passed over. Raises ModelError where
    they do not fit.
    """
    file = Path(name) / HEADS
    if not file.is_file():
        return False
    check_model_file(file)
    try:
        stored = load_file(file)
        wanted = model.state_dict()
        model.load_state_dict(
            {key: tensor for key, tensor in stored.items() if key in wanted}, strict=False
        )
    except (SafetensorError, RuntimeError) as error:
        raise ModelError(f"{file} does not fit the encoder: {in_one_line(error)}") from error
    return bool(stored)
