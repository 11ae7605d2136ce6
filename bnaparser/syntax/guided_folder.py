"""A folder of a guided encoder: what transformers saves of the plain one, and the variant beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import transformers
from torch import nn
from transformers import AutoConfig, PreTrainedModel

from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import check_encoder_files
from bnaparser.files.tables import read_json, write_json
from bnaparser.files.tensors import read_weights, write_weights
from bnaparser.settings import validate
from bnaparser.syntax.attachment import SYNTAX_WEIGHTS, put, syntax_of
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings

SETTINGS = "syntax.json"
# Named as the tables of a recipe.
VARIANTS: dict[str, type[SyntaxSettings]] = {
    "sla": SlaSettings,
    "wla": WlaSettings,
    "lisa": LisaSettings,
    "sgnet": SgNetSettings,
    "syntax_bert": SyntaxBertSettings,
}


def save_guided(model: PreTrainedModel, folder: str | Path) -> None:
    """Save a model that a variant is attached to, with a task's head or without.

    ``folder`` then holds what ``save_pretrained`` writes of the plain model, so that others can read
    it, and ``syntax.json`` and ``syntax.safetensors``. The tokenizer is saved by itself.

    Raises SettingsError where nothing is attached, DataError where the disk is full.
    """
    folder, syntax = Path(folder), syntax_of(model)
    own = {id(tensor) for tensor in syntax.state_dict(keep_vars=True).values()}
    weights = model.state_dict(keep_vars=True)
    plain = {name: tensor.detach() for name, tensor in weights.items() if id(tensor) not in own}
    model.save_pretrained(folder, state_dict=plain)
    write_weights(folder / SYNTAX_WEIGHTS, syntax.state_dict(), "float32")
    settings = syntax.settings
    name = next(name for name, kind in VARIANTS.items() if type(settings) is kind)
    write_json(folder / SETTINGS, {name: settings.model_dump(mode="json", exclude_none=True)})


def load_guided(folder: str | Path) -> Any:
    """Load what ``save_guided`` saved: the same class of model, its variant attached and trained.

    Raises ModelError where the folder holds no guided model, or its files are damaged or do not fit.
    """
    folder = Path(folder)
    settings = _settings(folder / SETTINGS)
    check_encoder_files(folder)
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
        kind = getattr(transformers, (config.architectures or ["no class"])[0])
        model: nn.Module = kind.from_pretrained(folder, config=config)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(f"cannot load the encoder {folder}: {in_one_line(error)}") from error
    put(model, settings)
    try:
        syntax_of(model).load_state_dict(read_weights(folder / SYNTAX_WEIGHTS))
    except RuntimeError as error:
        raise ModelError(
            f"{folder / SYNTAX_WEIGHTS} does not fit {SETTINGS}: {in_one_line(error)}"
        ) from error
    return model


def _settings(path: Path) -> SyntaxSettings:
    table = read_json(path)
    if not isinstance(table, dict) or len(table) != 1 or not table.keys() <= VARIANTS.keys():
        raise ModelError(f"{path} is damaged: it names no variant of {', '.join(VARIANTS)}")
    ((name, settings),) = table.items()
    return validate(VARIANTS[name], settings, str(path))
