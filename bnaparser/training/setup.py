"""What a training begins with: the network, new or from another model (``train.start``), and the sentences to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.compute.cores import usable_threads
from bnaparser.encoders.characters import alphabet
from bnaparser.encoders.device import prepare_device, training_precision
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.errors import DataError, SettingsError, require
from bnaparser.files.folder import only_one
from bnaparser.models import find
from bnaparser.network import storage
from bnaparser.network.labels import Inventory, LanguageNames
from bnaparser.network.model import BnaModel, build_model
from bnaparser.network.model_settings import ModelSettings
from bnaparser.network.prepared import PreparedSentence
from bnaparser.text.text_rules import TextRules, rules_of
from bnaparser.training.checkpoints import (
    BEST,
    CHECKPOINT,
    LOGS,
    NEW,
    RECIPE,
    remove_run,
    set_aside,
)
from bnaparser.training.data import Example, Mix
from bnaparser.training.loss import Gold, gold
from bnaparser.training.recipe import Recipe


@dataclass(frozen=True)
class GoldPieces:
    """A sentence cut into pieces, as its text would be: ``begins`` is 1 where a word begins, else 0.

    The pieces are prepared as words are; ``begins`` is float32 (pieces,).
    """

    prepared: PreparedSentence
    begins: NDArray[np.float32]


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

    ``precision`` is "no", "bf16" or "fp16"; if the CPU lacks it, float32 is used and logged. An
    Accelerator that was made before in this process is not to be used any more. Raises MissingExtraError without accelerate.
    """
    require("train", "accelerate")
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState
    from accelerate.utils import DistributedDataParallelKwargs, ProjectConfiguration

    # All Accelerators of a process share the settings of the first, precision and processes, even
    # after its training has ended; Hugging Face's Trainer forgets it like this, too.
    AcceleratorState._reset_state(reset_partial_state=True)
    # PartialState is not used: one that is made before its Accelerator knows no other process.
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


def begin_run(precision: str, threads: int | None, output: Path) -> Any:
    """Return the Accelerator of a run that writes to ``output``, with this number of threads."""
    accelerator = build_accelerator(precision, output)
    torch.set_num_threads(threads or usable_threads())
    return accelerator


def device_of(accelerator: Any) -> str:
    """Return what a run computes on, as its first line names it: "cpu (2 threads)", "cuda, 4 processes"."""
    name = str(accelerator.device)
    if accelerator.device.type == "cpu":
        threads = torch.get_num_threads()
        name += f" ({threads} thread{'s' if threads > 1 else ''})"
    processes = accelerator.num_processes
    return f"{name}, {processes} processes" if processes > 1 else name


def only_run(accelerator: Any, output: Path) -> AbstractContextManager[None]:
    """Keep other runs out of a run's folder. Raises SettingsError, in the main process, if one is in there."""
    return (
        only_one(output, "a model is being trained")
        if accelerator.is_main_process
        else nullcontext()
    )


def open_output(accelerator: Any, output: Path, fresh: bool) -> None:
    """Begin the logs of a run; ``fresh`` first removes what an earlier run has left in ``output``.

    The earlier run's model stays, under another name (`set_aside`). To be called when data and network
    are there: a mistake in a recipe costs no model. All processes must take part.
    """
    if fresh and accelerator.is_main_process:
        set_aside(output / BEST)
        remove_run(output, (CHECKPOINT, NEW, BEST, LOGS, RECIPE))
    accelerator.wait_for_everyone()
    accelerator.init_trackers(LOGS)


def new_model(recipe: Recipe, mix: Mix) -> BnaModel:
    """Build the network that a recipe trains on a mix; the recipe's seed fixes what is random.

    Raises DataError when there is nothing to learn from, SettingsError and ModelError as they
    apply.
    """
    recipe.check_data()
    if mix.epoch_size == 0:
        raise DataError(
            "no training trees are left: all sentences are longer than train.max_words, or the weights in train.data are too small"
        )
    torch.manual_seed(recipe.train.seed)
    if not any(example.spans for example in mix.train):
        raise DataError("the training trees have no constituents, only words and tags")
    start = None if recipe.train.start is None else storage.load(find(recipe.train.start))
    settings = _network_settings(recipe, start)
    names = _known_names(settings.text.languages, mix.train, start)
    labels = Inventory.of_labels(chain.from_iterable(one.labels for one in names.values()))
    given = (example.given_tags for example in mix.train)
    tags = Inventory.of_tags(chain.from_iterable([*(one.tags for one in names.values()), *given]))
    empty_root = any(not example.has_root for example in mix.train)
    if start is None:
        characters = alphabet(word for example in mix.train for word in example.words)
        model = storage.create(settings, labels, tags, characters, empty_root)
    else:
        model = create_from(start, settings, labels, tags, empty_root or start.allow_empty_root)
    if len(names) > 1:
        model.by_language = names
    if recipe.train.mask_probability and not model.subwords_can_be_masked:
        raise SettingsError("train.mask_probability needs an encoder whose tokenizer has a mask")
    return model


def _network_settings(recipe: Recipe, start: BnaModel | None) -> ModelSettings:
    if start is None:
        return recipe.model_settings()
    settings = recipe.model_settings_over(start.settings)
    languages = settings.text.languages
    if len(languages) > 1 and languages != recipe.text.languages:
        raise SettingsError(
            f"train.start is a model for {', '.join(languages)}: list the languages to train in text.languages,"
            " and give the language of each file of trees"
        )
    return settings


def _known_names(
    languages: Sequence[str], examples: Sequence[Example], start: BnaModel | None
) -> dict[str, LanguageNames]:
    """Return the labels and tags of each language: those of its trees, and those of the model to start from.

    Raises SettingsError for a language without any.
    """
    labels: dict[str, set[str]] = {}
    tags: dict[str, set[str]] = {}
    for one in examples:
        language = one.language if one.language in languages else languages[0]
        labels.setdefault(language, set()).update(span.label for span in one.spans)
        tags.setdefault(language, set()).update(one.tags)
    for language, names in ({} if start is None else _names_of(start)).items():
        if language in languages:
            labels.setdefault(language, set()).update(names.labels)
            tags.setdefault(language, set()).update(names.tags)
    found = {
        one: LanguageNames(frozenset(own), frozenset(tags[one])) for one, own in labels.items()
    }
    if missing := [language for language in languages if language not in found]:
        raise SettingsError(
            f"no training trees are in {', '.join(missing)}, which text.languages lists: add trees"
            " to train.data, or remove the language"
        )
    return found


def _names_of(model: BnaModel) -> dict[str, LanguageNames]:
    own = LanguageNames(frozenset(model.labels.names[1:]), frozenset(model.tags.names))
    return model.by_language or dict.fromkeys(model.settings.text.languages, own)


def training_sentences(model: BnaModel, examples: Sequence[Example]) -> list[TrainingSentence]:
    """Return examples as the updates of a network take them."""
    prepared = model.prepare([e.words for e in examples], [e.given_tags for e in examples])
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in examples]
    pieces = gold_pieces(model, examples)
    return [
        TrainingSentence(*parts) for parts in zip(examples, prepared, golds, pieces, strict=True)
    ]


def text_rules(model: BnaModel, example: Example) -> TextRules:
    """Return how text in the language of an example is read."""
    return rules_of(example.language or model.settings.text.languages[0])


def gold_pieces(model: BnaModel, examples: Sequence[Example]) -> list[GoldPieces | None]:
    """Return the pieces of each sentence's text, which a network reads to find its words.

    None for one whose words do not begin where pieces do, and where the network finds none.
    """
    found: list[GoldPieces | None] = [None] * len(examples)
    if not model.settings.text.segment_words:
        return found
    cut = {}
    for place, example in enumerate(examples):
        rules = text_rules(model, example)
        pieces = None if rules.cut_words is None else rules.cut_words(example.words)
        if pieces is not None:
            cut[place] = pieces
    prepared = model.prepare([pieces.forms for pieces in cut.values()])
    for (place, pieces), one in zip(cut.items(), prepared, strict=True):
        found[place] = GoldPieces(one, np.array(pieces.begins, np.float32))
    return found


# Settings of layers that say what the weights compute, also where they do not say how many there are.
_SHAPE = ("layer_types", "num_attention_heads", "head_dim", "ngrams", "positions")
# Weights of a start that a network may do without.
_LEFT_BEHIND = ("tagger.", "tag_embedding.", "word_finder.")


def create_from(
    start: BnaModel,
    settings: ModelSettings,
    labels: Inventory,
    tags: Inventory,
    allow_empty_root: bool = False,
) -> BnaModel:
    """Build a model to be trained with the weights of another, which loses its encoder.

    Labels, tags and a finder of words that the other does not have start at random, shapes of
    words as nothing; the other's tags and finder of words are dropped if the settings want
    none. Raises SettingsError if the settings describe a network of another shape.
    """
    for key in ("name", "layers", "attention", "decoder", "mix_layers"):
        stated, theirs = getattr(settings.encoder, key), getattr(start.settings.encoder, key)
        if stated != theirs:
            raise SettingsError(
                f"train.start brings its own encoder, whose {key} is {theirs!r}, not {stated!r}:"
                f" leave encoder.{key} out, or start from a bare encoder"
            )
    for key in _SHAPE:
        stated, theirs = getattr(settings.layers, key), getattr(start.settings.layers, key)
        if stated != theirs:
            raise SettingsError(
                f"train.start does not fit the recipe: its layers.{key} is {theirs!r}, not {stated!r};"
                f" leave layers.{key} out to keep the setting of the model"
            )
    source: str | tuple[PreTrainedModel, PreTrainedTokenizerBase]
    if isinstance(start.encoder, PretrainedEncoder):
        assert start.subwords is not None
        source = start.encoder.model, start.subwords.tokenizer
    else:
        source = start.encoder.characters
    model = build_model(settings, labels, tags, source, allow_empty_root)
    _carry_over(start, model)
    return model


@torch.no_grad()
def _carry_over(start: BnaModel, model: BnaModel) -> None:
    theirs, mine = start.state_dict(), model.state_dict()
    if lost := [n for n in theirs if n not in mine and not n.startswith(_LEFT_BEHIND)]:
        raise SettingsError(
            f"train.start does not fit the recipe: it has {lost[0]}, which the recipe's network lacks;"
            " leave [layers] out to keep the setting of the model"
        )
    # The layers whose rows stand for labels or tags: names of the new rows, and of the old ones.
    rows = {
        "scorer.output": (model.labels.names[1:], start.labels.names[1:]),
        "tagger.3": (model.tags.names, start.tags.names),
        "tag_embedding": (("", *model.tags.names), ("", *start.tags.names)),
    }
    for name, tensor in mine.items():
        layer = name.rpartition(".")[0]
        old = theirs.get(name)
        if old is None and (name == "shape_embedding" or name.startswith("word_finder.")):
            continue  # shapes begin as nothing, the finder of words at random
        if old is None or old.shape[1:] != tensor.shape[1:]:
            raise _misfit(name, tensor, old)
        if layer in rows:
            _copy_rows(*rows[layer], old, tensor)
        elif old.shape == tensor.shape:
            tensor.copy_(old)
        else:
            raise _misfit(name, tensor, old)


def _copy_rows(
    names: tuple[str, ...], old_names: tuple[str, ...], old: Tensor, tensor: Tensor
) -> None:
    places = {name: row for row, name in enumerate(old_names)}
    for row, name in enumerate(names):
        if name in places:
            tensor[row] = old[places[name]]


def _misfit(name: str, tensor: Tensor, old: Tensor | None) -> SettingsError:
    there = "none" if old is None else "x".join(map(str, old.shape))
    return SettingsError(
        f"train.start does not fit the recipe: {name} is {'x'.join(map(str, tensor.shape))}, in "
        f"the model to start from {there}; leave [layers], [scorer], [tags] out to keep those of the model"
    )
