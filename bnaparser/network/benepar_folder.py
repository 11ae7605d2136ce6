"""Convert benepar 0.2's models (Kitaev et al. 2019): a folder, a zip file, or a checkpoint of its training.

Its network is a network of bnaparser with other names: partitioned layers or none, the same span scorer and tag head.
Two things are otherwise: the weights of queries, keys and values are one tensor, heads first; and a
span's backward half is the difference the other way round, so its weights change their sign. The
tokenizer reads a sentence as one text, and of a T5 the decoder is read. Nothing in a file is run.
"""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import AutoConfig, PretrainedConfig, PreTrainedTokenizerBase
from transformers import PreTrainedTokenizerFast as AnyTokenizer

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.encoders.loading import T5_TYPES, load_tokenizer, read_tokenizer
from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import BENEPAR_WEIGHTS, check_encoder_files, check_model_file
from bnaparser.models.zipped_folder import check_checkpoint
from bnaparser.network.labels import Inventory
from bnaparser.network.model_settings import (
    LayerSettings,
    ModelSettings,
    ScorerSettings,
    TagSettings,
)
from bnaparser.text.detokenize import language_of_labels, spacing

# Of an encoder nobody reads: its summary of a text, numbers that are counted anew, and, in T5, second
# names of the subwords' vectors and a table that no layer uses.
_UNUSED = re.compile(
    r"(.*\.)?(pooler\..*|position_ids|(en|de)coder\.embed_tokens\.weight"
    r"|.*EncDecAttention\.relative_attention_bias\.weight)"
)


class BeneparModel(NamedTuple):
    """What a model's files say, in our terms; ``tensors`` have our names but for the encoder's own."""

    settings: ModelSettings
    labels: Inventory
    tags: Inventory
    config: PretrainedConfig
    tokenizer: PreTrainedTokenizerBase
    allow_empty_root: bool
    tensors: dict[str, Tensor]


def read_benepar_folder(folder: Path) -> BeneparModel:
    """Read a folder as benepar's ``export.py`` writes it; ModelError if it is not whole."""
    check_encoder_files(folder)
    config = _encoder_config(folder, folder)
    tensors = _read_pickled(folder / BENEPAR_WEIGHTS)
    return _read(config.benepar, tensors, config, _tokenizer(folder), folder)


def read_benepar_checkpoint(path: Path) -> BeneparModel:
    """Read a file that benepar's training wrote. Its encoder is looked up by the name in the file."""
    stored = _read_pickled(path)
    table = stored.get("config")
    if not isinstance(table, dict) or not isinstance(stored.get("state_dict"), dict):
        raise ModelError(f"{path} is neither a zipped model folder nor a checkpoint of benepar")
    name = _setting(table, "pretrained_model", path)
    config = _encoder_config(name, path)
    return _read(table, stored["state_dict"], config, load_tokenizer(name), path)


def _read(
    table: Any,
    tensors: Mapping[str, Tensor],
    config: PretrainedConfig,
    tokenizer: PreTrainedTokenizerBase,
    path: Path,
) -> BeneparModel:
    _check_kind(table, config, path)
    labels = _inventory(table, "label_vocab", path)
    tags = _inventory(table, "tag_vocab", path)
    settings = _settings(table, config, labels, path)
    try:
        renamed = _renamed(dict(tensors), settings)
    except KeyError as error:
        reason = f"its weights have no {error}"
        raise ModelError(
            f"{path} is damaged: {reason}; download or copy the model again"
        ) from error
    except (RuntimeError, ValueError, AttributeError, IndexError) as error:
        raise ModelError(
            f"{path} is damaged: {in_one_line(error)}; download or copy the model again"
        ) from error
    forced = table["hparams"].get("force_root_constituent", True)
    return BeneparModel(settings, labels, tags, config, tokenizer, not forced, renamed)


def _read_pickled(path: Path) -> dict[str, Any]:
    check_model_file(path)
    check_checkpoint(path)
    try:
        with warnings.catch_warnings(action="ignore"):  # of files that are refused in a moment
            stored = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ModelError(
            f"{path} contains pickled code, which loading would run: only files with nothing but weights are loaded"
        ) from error
    except (OSError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({in_one_line(error):.100}); download or copy the model again"
        ) from error
    if not isinstance(stored, dict):
        raise ModelError(f"{path} holds no weights; download or copy the model again")
    return stored


def _encoder_config(name: str | Path, path: Path) -> PretrainedConfig:
    try:
        return AutoConfig.from_pretrained(name, trust_remote_code=False)
    except Exception as error:  # of a damaged file the library raises whatever comes
        where = "" if str(name) == str(path) else f", {name},"
        raise ModelError(
            f"the encoder of {path}{where} is not there: {in_one_line(error):.200}"
        ) from error


def _tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer as its file describes it: the library's classes make up parts of it anew."""
    if not (folder / "tokenizer.json").is_file():
        return read_tokenizer(folder)
    try:
        with panics_as_errors():
            return AnyTokenizer.from_pretrained(folder)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(f"cannot load the tokenizer of {folder}: {in_one_line(error)}") from error


def _setting(table: Any, name: str, path: Path) -> Any:
    try:
        return table["hparams"][name]
    except (KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is damaged: it has no entry {name}; download or copy the model again"
        ) from error


def _check_kind(table: Any, config: PretrainedConfig, path: Path) -> None:
    if not _setting(table, "use_pretrained", path):
        raise ModelError(
            f"{path} has a character encoder: of benepar's models, only those with a pre-trained encoder are supported"
        )
    is_t5 = config.model_type in T5_TYPES
    if config.model_type == "gpt2" or (config.is_encoder_decoder and not is_t5):
        raise ModelError(
            f"{path} has an encoder of kind {config.model_type}: of encoders with a decoder, only T5 is supported"
        )


def _inventory(table: dict[str, Any], name: str, path: Path) -> Inventory:
    try:
        names = sorted(table[name], key=table[name].__getitem__)
        if [table[name][one] for one in names] != list(range(len(names))):
            raise ValueError(f"{name} has gaps")
        if name == "label_vocab" and names[:1] != [""]:
            raise ValueError("the first label is not the empty one")
        return Inventory(names)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelError(
            f"{path} is damaged: {error!r}; download or copy the model again"
        ) from error


def _settings(
    table: dict[str, Any], config: PretrainedConfig, labels: Inventory, path: Path
) -> ModelSettings:
    given = table["hparams"]
    try:
        has_layers = given["use_encoder"]
        layers = LayerSettings(
            layer_types=("partitioned",) * (given["num_layers"] if has_layers else 0),
            hidden_size=given["d_model"],
            num_attention_heads=given["num_heads"],
            head_dim=given["d_kv"],
            intermediate_size=given["d_ff"],
            positions="concatenate" if has_layers else "none",
            max_positions=given["encoder_max_len"],
            activation="relu",
            residual_dropout=given["residual_dropout"],
            feed_forward_dropout=given["relu_dropout"],
            attention_dropout=given["attention_dropout"],
            input_dropout=given["morpho_emb_dropout"],
        )
        return ModelSettings(
            encoder=EncoderSettings(
                name=str(given["pretrained_model"]),
                detokenize=spacing(language_of_labels(labels.names)),
                decoder=config.model_type in T5_TYPES,
            ),
            layers=layers,
            scorer=ScorerSettings(hidden_size=given["d_label_hidden"]),
            tags=TagSettings(predict=given["predict_tags"], hidden_size=given["d_tag_hidden"]),
        )
    except (KeyError, ValueError, TypeError) as error:
        reason = in_one_line(error)
        raise ModelError(
            f"{path} is damaged: {reason}; download or copy the model again"
        ) from error


def _renamed(given: dict[str, Tensor], settings: ModelSettings) -> dict[str, Tensor]:
    """Return the weights by our names; KeyError if one is missing."""
    others = [name for name, tensor in given.items() if not isinstance(tensor, Tensor)]
    if others:
        raise ValueError(f"these are not weights: {', '.join(others):.200}")
    found = {"project.weight": given.pop("project_pretrained.weight")}
    if settings.layers.positions == "concatenate":
        found["stack.positions"] = given.pop("add_timing.timing_table")
        found |= _moved(given, "add_timing.norm", "stack.norm")
    for number in range(len(settings.layers.layer_types)):
        found |= _layer(given, f"encoder.layers.{number}.", f"stack.layers.{number}.")
    for ours, theirs in (("hidden", 0), ("norm", 1), ("output", 3)):
        found |= _moved(given, f"f_label.{theirs}", f"scorer.{ours}")
    forward, backward = found["scorer.hidden.weight"].chunk(2, dim=1)
    found["scorer.hidden.weight"] = torch.cat([forward, -backward], dim=1)
    if settings.tags.predict:
        for place in (0, 1, 3):
            found |= _moved(given, f"f_tag.{place}", f"tagger.{place}")
    start = "pretrained_model."
    for name in [name for name in given if name.startswith(start)]:
        tensor = given.pop(name)
        if not _UNUSED.fullmatch(name):
            found[f"encoder.model.{name.removeprefix(start)}"] = tensor
    if given:
        raise ValueError(
            f"there are weights that no part of it uses: {', '.join(sorted(given)):.200}"
        )
    return found


def _moved(given: dict[str, Tensor], theirs: str, ours: str) -> dict[str, Tensor]:
    parts = ("weight", "bias")
    return {f"{ours}.{part}": given.pop(f"{theirs}.{part}") for part in parts}


def _layer(given: dict[str, Tensor], theirs: str, ours: str) -> dict[str, Tensor]:
    """Return the weights of a partitioned layer. Theirs are (heads, features, 3, size) and so on."""
    found = {}
    for theirs_half, half in (("c", "content"), ("p", "position")):
        together = given.pop(f"{theirs}self_attn.w_qkv_{theirs_half}")
        for name, part in zip(("query", "key", "value"), together.unbind(2), strict=True):
            rows = part.transpose(1, 2).flatten(0, 1)  # heads * size, features
            found[f"{ours}attention.{name}.{half}.weight"] = rows.contiguous()
        back = given.pop(f"{theirs}self_attn.w_o_{theirs_half}").flatten(0, 1)
        found[f"{ours}attention.output.{half}.weight"] = back.T.contiguous()
        for number, place in ((1, 0), (2, 3)):
            source = f"{theirs}linear{number}.linear_{theirs_half}"
            found |= _moved(given, source, f"{ours}feed_forward.{place}.{half}")
    found |= _moved(given, f"{theirs}norm_attn", f"{ours}attention_norm")
    return found | _moved(given, f"{theirs}norm_ff", f"{ours}feed_forward_norm")
