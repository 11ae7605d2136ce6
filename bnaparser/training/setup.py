"""What a training begins with: the network, and the sentences that it learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bnaparser.compute.cores import usable_threads
from bnaparser.encoders.characters import alphabet
from bnaparser.encoders.device import prepare_device, training_precision
from bnaparser.errors import DataError, MissingExtraError, SettingsError
from bnaparser.models import find
from bnaparser.network import storage
from bnaparser.network.labels import Inventory, names_by_language
from bnaparser.network.model import BnaModel
from bnaparser.network.prepared import PreparedSentence
from bnaparser.text.text_rules import rules_of
from bnaparser.training.checkpoints import BEST, CHECKPOINT, LOGS, NEW, OLD, RECIPE, remove_run
from bnaparser.training.data import Example, Mix
from bnaparser.training.loss import Gold, gold
from bnaparser.training.objective import GoldPieces
from bnaparser.training.recipe import Recipe
from bnaparser.training.warm_start import create_from


@dataclass(frozen=True)
class TrainingSentence:
    """A sentence to learn from: its tree, its words as the network takes them, its gold answer.

    ``pieces`` are there where a network learns to find words.
    """

    example: Example
    prepared: PreparedSentence
    gold: Gold
    pieces: GoldPieces | None = None


def build_accelerator(precision: str, output: str | Path) -> Any:
    """Return Hugging Face's Accelerator, which does the device work; its logs go to ``output``.

    ``precision`` is "no", "bf16" or "fp16"; "bf16" is left aside, and said to be, on a CPU that lacks it. An
    Accelerator that was made before in this process is not to be used any more. Raises MissingExtraError without accelerate.
    """
    try:
        from accelerate import Accelerator
        from accelerate.state import AcceleratorState
        from accelerate.utils import DistributedDataParallelKwargs, ProjectConfiguration
    except ImportError as error:
        raise MissingExtraError("accelerate", "train") from error
    # All Accelerators of a process share what the first was told, precision and processes, even
    # after its training has ended; Hugging Face's Trainer forgets it like this, too.
    AcceleratorState._reset_state(reset_partial_state=True)
    # Not asked of PartialState: one that is made before its Accelerator knows of no other process.
    device = "cuda" if torch.accelerator.is_available() else "cpu"
    prepare_device(device)
    precision = training_precision(precision, device)
    # Some encoders have weights that nothing here reads, such as XLNet's for masked words: several
    # processes would wait for their gradients for ever.
    unread = DistributedDataParallelKwargs(find_unused_parameters=True)
    return Accelerator(
        mixed_precision=precision,
        log_with="tensorboard",
        project_config=ProjectConfiguration(project_dir=str(output), logging_dir=str(output)),
        kwargs_handlers=[unread],
    )


def begin_run(precision: str, threads: int | None, output: Path, fresh: bool) -> Any:
    """Return the Accelerator of a run that writes to ``output``, on so many threads.

    ``fresh`` removes what an earlier run has left there. All processes must take part.
    """
    accelerator = build_accelerator(precision, output)
    torch.set_num_threads(threads or usable_threads())
    if fresh and accelerator.is_main_process:
        remove_run(output, (CHECKPOINT, NEW, OLD, BEST, LOGS, RECIPE))
    accelerator.wait_for_everyone()
    accelerator.init_trackers(LOGS)
    return accelerator


def new_model(recipe: Recipe, mix: Mix) -> BnaModel:
    """Build the network that a recipe trains on a mix; the recipe's seed fixes what is random.

    Raises DataError when there is nothing to learn from, SettingsError and ModelError as they
    apply.
    """
    if mix.epoch_size == 0:
        raise DataError("the recipe names no training trees: set train.data, and their weights")
    torch.manual_seed(recipe.train.seed)
    labels = Inventory.of_labels(span.label for example in mix.train for span in example.spans)
    if len(labels) == 1:
        raise DataError("the training trees hold no constituents, only words and their tags")
    tags = Inventory.of_tags(tag for e in mix.train for tag in (*e.tags, *e.given_tags))
    characters = alphabet(word for example in mix.train for word in example.words)
    empty_root = any(not example.has_root for example in mix.train)
    if recipe.train.start is None:
        model = storage.create(recipe.model_settings(), labels, tags, characters, empty_root)
    else:
        start = storage.load(find(recipe.train.start))
        settings = recipe.model_settings_over(start.settings)
        model = create_from(start, settings, labels, tags, empty_root)
    if len(recipe.text.languages) > 1:
        model.by_language = names_by_language(
            (one.language, [span.label for span in one.spans], one.tags) for one in mix.train
        )
    if recipe.train.mask_pieces and not model.subwords_can_be_masked:
        raise SettingsError("train.mask_pieces needs an encoder whose tokenizer has a mask")
    return model


def training_sentences(model: BnaModel, examples: Sequence[Example]) -> list[TrainingSentence]:
    """Return examples as the updates of a network take them."""
    prepared = model.prepare([e.words for e in examples], [e.given_tags for e in examples])
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in examples]
    pieces = gold_pieces(model, examples)
    return [
        TrainingSentence(*parts) for parts in zip(examples, prepared, golds, pieces, strict=True)
    ]


def gold_pieces(model: BnaModel, examples: Sequence[Example]) -> list[GoldPieces | None]:
    """Return the pieces of each sentence's text, which a network reads to find its words.

    None for one whose words do not begin where pieces do, and where the network finds none.
    """
    found: list[GoldPieces | None] = [None] * len(examples)
    if not model.settings.text.find_words:
        return found
    cut = {}
    for place, example in enumerate(examples):
        rules = rules_of(example.language or model.settings.text.languages[0])
        pieces = None if rules.cut_words is None else rules.cut_words(example.words)
        if pieces is not None:
            cut[place] = pieces
    prepared = model.prepare([pieces.forms for pieces in cut.values()])
    for (place, pieces), one in zip(cut.items(), prepared, strict=True):
        found[place] = GoldPieces(one, np.array(pieces.begins, np.float32))
    return found
