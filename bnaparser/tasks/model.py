"""A task's model: network, tokenizer and classes; texts with their structures go in, scores come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, normalizers
from torch import Tensor
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.encoders.batching import PARSING_TOKENS, batches_by_length, default_tokens
from bnaparser.encoders.device import move
from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.loading import (
    build_pretrained,
    load_pretrained,
    load_tokenizer,
    read_encoder,
    save_tokenizer,
)
from bnaparser.encoders.pretrained import batch_sensitive
from bnaparser.encoders.subwords import reads_blanks
from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import CONFIG, ENCODER, LABELS, METRICS, WEIGHTS
from bnaparser.files.tables import read_json, read_object, write_json
from bnaparser.files.tensors import read_weights, write_weights
from bnaparser.models.zipped_folder import unzipped
from bnaparser.settings import validate
from bnaparser.tasks.examples import Gold, PreparedExample
from bnaparser.tasks.kinds.answer_windows import TrainingWindow
from bnaparser.tasks.kinds.base import TaskKind, TextInputs, estimated_tokens
from bnaparser.tasks.network import TaskNetwork
from bnaparser.tasks.settings import TaskModelSettings


@dataclass
class TaskModel:
    """All of a trained model. ``labels`` are the names of its classes; scores and answers have none.

    It is used from one thread at a time.
    """

    settings: TaskModelSettings
    labels: tuple[str, ...]
    network: TaskNetwork
    tokenizer: PreTrainedTokenizerBase

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return self.network.output.weight.device

    @property
    def max_pieces(self) -> int:
        """Number of subwords that the encoder can read; a longer text is truncated at its end."""
        return self.text_inputs.max_pieces

    @property
    def kind(self) -> TaskKind:
        """The kind of task that it is a model of."""
        return self.network.kind

    @property
    def threshold(self) -> float:
        """By how much "no answer" must be likelier than the best span to be predicted."""
        return float(self.network.threshold)

    @cached_property
    def text_inputs(self) -> TextInputs:
        """What makes the network's inputs of texts."""
        return _text_inputs(self.settings, self.tokenizer, self.network.encoder)

    def tokenize(self, examples: Sequence[PreparedExample], max_pieces: int | None = None) -> Any:
        """Return the tokens of the examples' words, padded, as tensors."""
        return self.text_inputs.tokenize(examples, max_pieces)

    def inputs(self, examples: Sequence[PreparedExample], tokens: Any) -> dict[str, Any]:
        """Return what the network is called with for examples and their tokens, on the CPU."""
        return self.text_inputs.of(examples, tokens)

    def training_items(
        self, examples: Sequence[PreparedExample], max_pieces: int
    ) -> Sequence[PreparedExample | TrainingWindow]:
        """Return the items for training: the examples, or the windows of questions.

        Raises DataError if the parts of a relation are too far apart for ``max_pieces``.
        """
        return self.kind.training_items(self.text_inputs, examples, max_pieces)

    def training_batch(
        self, items: Sequence[PreparedExample | TrainingWindow], max_pieces: int
    ) -> dict[str, Any]:
        """Return the inputs of examples that are known, cut to ``max_pieces``, and their labels."""
        return self.kind.training_batch(self.text_inputs, items, max_pieces)

    def scores(
        self, examples: Sequence[PreparedExample], batch_tokens: int | None = None
    ) -> list[Any]:
        """Return the network's output for each example, in order.

        That is logits, (outputs), for tagging (words, outputs); of a question `AnswerCandidates`.
        """
        was_training = self.network.training
        self.network.eval()
        most = _tokens_at_once(self.network.encoder, batch_tokens)
        found = self.kind.found(self.text_inputs, examples, self._logits, most)
        self.network.train(was_training)
        return found

    @torch.inference_mode()
    def _logits(self, batch: dict[str, Any]) -> NDArray[np.float32]:
        moved = {name: value.to(self.device) for name, value in batch.items()}
        logits: NDArray[np.float32] = self.network(**moved)["logits"].float().cpu().numpy()
        return logits

    def predictions(
        self, examples: Sequence[PreparedExample], batch_tokens: int | None = None
    ) -> list[Gold]:
        """Return what the model predicts of each example, in order."""
        return [self.predicted(found) for found in self.scores(examples, batch_tokens)]

    def predicted(self, found: Any) -> Gold:
        """Return the prediction for one example: a class, a score, a class of each word, or an
        answer.
        """
        return self.kind.decode(found, self.threshold)


def create(settings: TaskModelSettings, labels: tuple[str, ...]) -> TaskModel:
    """Build a model for training: the encoder with pre-trained weights, everything else randomly
    initialised.

    Marks of relations are added to its vocabulary. Raises ModelError when there is no such encoder,
    SettingsError when the variant does not fit it, or windows leave passages no space.
    """
    encoder = load_pretrained(settings.encoder.name)
    tokenizer = load_words_tokenizer(settings.encoder.name)
    kind = settings.task.of_kind
    kind.prepare(_text_inputs(settings, tokenizer, encoder), encoder)
    return TaskModel(
        settings, labels, TaskNetwork(encoder, settings, kind.outputs(labels)), tokenizer
    )


def _text_inputs(
    settings: TaskModelSettings, tokenizer: PreTrainedTokenizerBase, encoder: PreTrainedModel
) -> TextInputs:
    return TextInputs(
        tokenizer,
        max_positions(encoder.config),
        settings.task.pair,
        settings.syntax.variant,
        settings.answers,
    )


def batches_of_texts(
    sizes: Iterable[int], encoder: PreTrainedModel, batch_tokens: int | None = None
) -> list[list[int]]:
    """Group the indices of texts of ``sizes`` words into batches of similar length, for an encoder.

    ``batch_tokens`` bounds a batch, by default as suits the device; each text is alone where the encoder needs it.
    """
    return batches_by_length(
        list(map(estimated_tokens, sizes)), _tokens_at_once(encoder, batch_tokens)
    )


def _tokens_at_once(encoder: PreTrainedModel, batch_tokens: int | None) -> int:
    if batch_sensitive(encoder):
        return 1
    return batch_tokens or default_tokens(PARSING_TOKENS, str(encoder.device))


@panics_as_errors()
def load_words_tokenizer(folder: str | Path) -> PreTrainedTokenizerBase:
    """Load a tokenizer for single words: byte-level tokenizers assume a blank before each word.

    Raises ModelError if there is none, or it does not say which word a subword comes from.
    """
    tokenizer = load_tokenizer(folder)
    if not tokenizer.is_fast:
        raise ModelError(
            f"the tokenizer of {folder} does not map subwords to words: use a fast tokenizer"
        )
    if "ByteLevel" in str(tokenizer.backend_tokenizer.pre_tokenizer):
        tokenizer = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, add_prefix_space=True
        )
        if reads_blanks(tokenizer):  # not every class knows this option
            _put_blanks_before_words(tokenizer.backend_tokenizer)
    return tokenizer


def _put_blanks_before_words(backend: Tokenizer) -> None:
    before = backend.normalizer
    if before is not None and before.normalize_str("a").startswith(" "):
        return  # a model that was saved: it was done then
    blank = normalizers.Prepend(" ")
    backend.normalizer = blank if before is None else normalizers.Sequence([before, blank])


def save_model(model: TaskModel, folder: str | Path, store: str, metrics: dict[str, Any]) -> None:
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


def load_model(folder: str | Path) -> TaskModel:
    """Read a model folder or its zip: a model in evaluation mode, on the CPU, in float32.

    Raises ModelError when the folder is not a task's model, or its files are damaged or do not fit.
    """
    folder = Path(folder)
    if folder.is_file():
        with unzipped(folder) as inner:
            if inner is None:
                raise ModelError(f"{folder} holds no task model")
            return load_model(inner)
    if not folder.is_dir():
        raise ModelError(
            f"there is no model folder {folder}; 'bnaparser models' lists the installed models"
        )
    table = read_object(folder / CONFIG)
    if "task" not in table:
        raise ModelError(f"{folder} is a parser, not a task model: use it with bnaparse --model")
    settings = validate(TaskModelSettings, table, str(folder / CONFIG))
    labels = _labels(folder / LABELS, settings)
    tensors = read_weights(folder / WEIGHTS)
    outputs = settings.task.of_kind.outputs(labels)
    _check_outputs(folder, tensors, outputs)
    network = TaskNetwork(_encoder(folder / ENCODER), settings, outputs)
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
    """Return a folder's encoder, without weights; ModelError if it is damaged."""
    config, _ = read_encoder(folder)
    try:
        return build_pretrained(config)
    except Exception as error:  # of a damaged configuration: whatever comes
        raise ModelError(
            f"{folder / CONFIG} is damaged: {in_one_line(error)}; download or copy the model again"
        ) from error


def _check_outputs(folder: Path, tensors: Mapping[str, Tensor], outputs: int) -> None:
    """Raise ModelError if the weights are of another number of classes than there are labels."""
    weight = tensors.get("output.weight")
    if weight is not None and len(weight) != outputs:
        raise ModelError(
            f"{folder / WEIGHTS} gives {len(weight)} scores, and {folder / LABELS} has names for"
            f" {outputs}: the two files do not belong together; download or copy the model again"
        )


def _labels(path: Path, settings: TaskModelSettings) -> tuple[str, ...]:
    stored = read_json(path)
    labels = stored.get("classes") if isinstance(stored, dict) else None
    strings = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    if not strings or settings.task.of_kind.has_labels != bool(labels):
        raise ModelError(
            f"{path} is damaged: it names no classes; download or copy the model again"
        )
    assert labels is not None
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ModelError(
            f"{path} is damaged: it names {twice!r} twice; download or copy the model again"
        )
    return tuple(labels)
