"""A task's model: network, tokenizer and classes; texts with their structures go in, scores come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, normalizers
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.encoders.batching import PARSING_TOKENS, batches_by_length, default_tokens
from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.loading import load_pretrained, load_tokenizer
from bnaparser.encoders.pretrained import reads_alone
from bnaparser.encoders.subwords import reads_blanks
from bnaparser.encoders.tokenizer_file import panics_told
from bnaparser.errors import ModelError
from bnaparser.tasks.examples import Gold, PreparedExample
from bnaparser.tasks.kinds.answer_windows import TrainingWindow
from bnaparser.tasks.kinds.base import TaskKind
from bnaparser.tasks.kinds.text_inputs import TextInputs, estimated_tokens
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
        """How many pieces of a text the encoder takes; what is longer is cut off at its end."""
        return self.text_inputs.max_pieces

    @property
    def kind(self) -> TaskKind:
        """The kind of task that it is a model of."""
        return self.network.kind

    @property
    def threshold(self) -> float:
        """By how much no answer must be likelier than the best one to be given."""
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
        """Return what a model is trained on: the examples, or of answers their windows.

        Raises DataError where the parts of a relation are too far apart for ``max_pieces``.
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
        """Return what the network says of each example, in order.

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
        """Return what the scores of one example say: a class, a score, a class of each word, an answer."""
        return self.kind.decode(found, self.threshold)


def create(settings: TaskModelSettings, labels: tuple[str, ...]) -> TaskModel:
    """Build a model to be trained: its encoder with pre-trained weights, what is new random.

    Marks of relations are added to its vocabulary. Raises ModelError when there is no such encoder,
    SettingsError when the variant does not fit it, or windows leave passages no room.
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
    if reads_alone(encoder):
        return 1
    return batch_tokens or default_tokens(PARSING_TOKENS, str(encoder.device))


@panics_told()
def load_words_tokenizer(folder: str | Path) -> PreTrainedTokenizerBase:
    """Load a tokenizer that is given words: byte-level ones are told that a blank stood before.

    Raises ModelError where there is none, or it does not say which word a piece comes from.
    """
    tokenizer = load_tokenizer(folder)
    if not tokenizer.is_fast:
        raise ModelError(f"the tokenizer of {folder} does not say which word a piece comes from")
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
