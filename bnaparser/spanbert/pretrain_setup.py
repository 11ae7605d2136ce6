"""What a pre-training begins with: tokenizer, text in blocks, network, optimizer."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.loading import load_tokenizer, save_tokenizer
from bnaparser.encoders.pretrained import set_dropout
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.spanbert.blocks import Blocks, read_blocks, split_blocks
from bnaparser.spanbert.candidates import annotated, is_annotated
from bnaparser.spanbert.documents import find_files, read_documents
from bnaparser.spanbert.language_model import (
    LanguageModel,
    give_mask,
    load_language_model,
    new_language_model,
)
from bnaparser.spanbert.made_once import key_of, make_once
from bnaparser.spanbert.new_encoder import new_config, train_tokenizer
from bnaparser.spanbert.pretrain_batch import Frame, Masker, frame_of
from bnaparser.spanbert.pretrain_folder import load_heads
from bnaparser.spanbert.pretrain_schedule import build_pretrain_optimizer
from bnaparser.spanbert.pretrain_settings import PretrainRecipe
from bnaparser.spanbert.span_model import SpanModel

log = logging.getLogger(__name__)
CACHE = "text"
# Settings of the text that its tokenizer depends on.
_READ = {"document", "field", "block"}


@dataclass
class Pretraining:
    """All parts of a pre-training; ``network`` is ``model`` as the accelerator has prepared it.

    ``masker`` draws from the text that is trained on, ``held_out`` from the rest.
    """

    tokenizer: PreTrainedTokenizerBase
    masker: Masker
    held_out: Masker
    frame: Frame
    model: SpanModel
    network: nn.Module
    optimizer: Any
    device: torch.device

    @property
    def padding(self) -> int:
        """The subword that fills up rows; what it is does not matter, since it is not attended to."""
        return self.tokenizer.pad_token_id or 0

    @property
    def segments(self) -> bool:
        """Whether the encoder tells two segments apart and there are two."""
        two = self.masker.objectives.next_sentence
        return two and "token_type_ids" in self.tokenizer.model_input_names


def set_up(recipe: PretrainRecipe, output: Path, accelerator: Any) -> Pretraining:
    """Read the text and build the network of a recipe. Raises as `pretraining.pretrain` does."""
    torch.manual_seed(recipe.pretrain.seed)
    cache = Path(recipe.text.cache or output / CACHE)
    tokenizer, language_model = _encoder(recipe, cache)
    two = recipe.objectives.next_sentence
    frame = frame_of(tokenizer, two)
    limit = _limit(recipe, language_model, frame)
    # One process makes what the others wait for, at a lock and not at a barrier: tokenising may
    # take longer than processes wait for each other.
    blocks = read_blocks(recipe.text, tokenizer, limit, cache)
    needs = is_annotated(recipe.masking, recipe.text)
    table = annotated(blocks, tokenizer, recipe.masking, recipe.text) if needs else None
    if recipe.encoder.dropout is not None:
        set_dropout(language_model.model, recipe.encoder.dropout)
    model = SpanModel(language_model, recipe.objectives)
    if recipe.encoder.name is not None:
        load_heads(model, recipe.encoder.name)
    masker, held_out = _maskers(recipe, blocks, tokenizer, table)
    optimizer = build_pretrain_optimizer(model, recipe.pretrain)
    network, prepared = accelerator.prepare(model, optimizer)
    return Pretraining(
        tokenizer, masker, held_out, frame, model, network, prepared, accelerator.device
    )


def _encoder(recipe: PretrainRecipe, cache: Path) -> tuple[PreTrainedTokenizerBase, LanguageModel]:
    settings = recipe.encoder
    if settings.name is None:
        tokenizer = _new_tokenizer(recipe, cache)
        config = new_config(settings.new, len(tokenizer), recipe.text.block_size)
        return tokenizer, new_language_model(config, settings.attention)
    tokenizer = load_tokenizer(settings.name)
    if not tokenizer.is_fast:
        raise ModelError(f"the tokenizer of {settings.name} tells no places (it is no 'fast' one)")
    model = load_language_model(settings.name, settings.attention)
    give_mask(tokenizer, model)
    return tokenizer, model


def _new_tokenizer(recipe: PretrainRecipe, cache: Path) -> PreTrainedTokenizerBase:
    """Return a tokenizer that is trained on the text, once, and kept beside it."""
    files = find_files(recipe.text.files)

    def texts() -> Iterator[str]:
        return (text for path in files for text in read_documents(path, recipe.text))

    def make(new: Path) -> None:
        log.info("training a tokenizer on %d files", len(files))
        tokenizer = train_tokenizer(texts, recipe.encoder.new, recipe.text.block_size)
        save_tokenizer(tokenizer, new)

    told = (recipe.encoder.new.model_dump_json(), recipe.text.model_dump_json(include=_READ))
    folder = cache / f"tokenizer-{key_of(told, files)}"
    make_once(folder, make)
    return load_tokenizer(folder)


def _limit(recipe: PretrainRecipe, model: LanguageModel, frame: Frame) -> int:
    """Return how many subwords a segment may have."""
    positions = max_positions(model.base.config)
    if recipe.text.block_size > positions:
        raise SettingsError(
            f"text.block_size is {recipe.text.block_size}, but the encoder takes {positions} subwords at once"
        )
    segments = 2 if recipe.objectives.next_sentence else 1
    return (recipe.text.block_size - frame.size) // segments


def _maskers(
    recipe: PretrainRecipe, blocks: Blocks, tokenizer: PreTrainedTokenizerBase, table: Any
) -> tuple[Masker, Masker]:
    """Return what draws from the text that is trained on, and from the text that is held out."""
    trained, held_out = split_blocks(blocks, recipe.text.dev_ratio)
    if len(trained) == 0:
        raise DataError("all of the text is held out: give more text, or a smaller text.dev_ratio")
    assert tokenizer.mask_token_id is not None
    masker = Masker(
        blocks, recipe.masking, recipe.objectives, tokenizer.mask_token_id, trained, table
    )
    return masker, replace(masker, numbers=held_out)
