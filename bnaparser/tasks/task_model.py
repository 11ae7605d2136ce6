"""A task's model: network, tokenizer and classes; texts with their structures go in, scores come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, normalizers
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from bnaparser.encoders.batching import PARSING_TOKENS, batches_by_length, default_tokens
from bnaparser.encoders.loading import load_pretrained, load_tokenizer
from bnaparser.encoders.positions import max_positions
from bnaparser.encoders.subwords import reads_blanks
from bnaparser.errors import ModelError
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import SPECIAL, UNSUPERVISED, first_pieces
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.task_network import IGNORED, TaskNetwork
from bnaparser.tasks.task_settings import TaskModelSettings

Gold = int | float | tuple[int, ...]


@dataclass(frozen=True)
class PreparedExample:
    """One text, or a pair of them, with its words and their syntax; ``gold`` where it is known."""

    structures: tuple[Structure, ...]
    gold: Gold | None = None

    @property
    def size(self) -> int:
        """How many words it has."""
        return sum(len(structure.words) for structure in self.structures)


@dataclass
class TaskModel:
    """All of a trained model. ``labels`` are the names of its classes; a score has none.

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
        return max_positions(self.network.encoder.config)

    def tokenize(self, examples: Sequence[PreparedExample], max_pieces: int | None = None) -> Any:
        """Return the tokens of the examples' words, padded, as tensors."""
        return self.tokenizer(
            [list(example.structures[0].words) for example in examples],
            [list(e.structures[1].words) for e in examples] if self.settings.task.pair else None,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=min(max_pieces or self.max_pieces, self.max_pieces),
            return_tensors="pt",
        )

    def inputs(self, examples: Sequence[PreparedExample], tokens: Any) -> dict[str, Any]:
        """Return what the network is called with for examples and their tokens, on the CPU."""
        names = ("input_ids", "attention_mask", "token_type_ids")
        batch: dict[str, Any] = {name: tokens[name] for name in names if name in tokens}
        variant = self.settings.syntax.variant
        if variant is not None:
            batch["syntax"] = collate([_text(e.structures) for e in examples], tokens, variant)
        return batch

    def training_batch(
        self, examples: Sequence[PreparedExample], max_pieces: int
    ) -> dict[str, Any]:
        """Return the inputs of examples that are known, cut to ``max_pieces``, and their labels."""
        tokens = self.tokenize(examples, max_pieces)
        return {**self.inputs(examples, tokens), "labels": self._targets(examples, tokens)}

    def _targets(self, examples: Sequence[PreparedExample], tokens: Any) -> torch.Tensor:
        if self.settings.task.kind == "regression":
            return torch.tensor([example.gold for example in examples], dtype=torch.float32)
        if self.settings.task.kind == "classification":
            return torch.tensor([example.gold for example in examples])
        targets = torch.full(tokens["input_ids"].shape, IGNORED)
        for row, example in enumerate(examples):
            assert isinstance(example.gold, tuple)
            for word, place in enumerate(places_of_words(tokens, row, example.size)):
                if place != UNSUPERVISED:
                    targets[row, place] = example.gold[word]
        return targets

    def scores(
        self, examples: Sequence[PreparedExample], batch_tokens: int | None = None
    ) -> list[NDArray[np.float32]]:
        """Return the logits of each example, (outputs), for tagging (words, outputs), in order.

        A word without a piece, or beyond the encoder's length, has zeros but for the first class.
        """
        found: list[NDArray[np.float32] | None] = [None] * len(examples)
        was_training = self.network.training
        self.network.eval()
        sizes = [example.size for example in examples]
        for chosen in batches_of_texts(sizes, self.device, batch_tokens):
            rows = self._score_batch([examples[index] for index in chosen])
            for index, row in zip(chosen, rows, strict=True):
                found[index] = row
        self.network.train(was_training)
        return [row for row in found if row is not None]

    @torch.inference_mode()
    def _score_batch(self, examples: Sequence[PreparedExample]) -> list[NDArray[np.float32]]:
        tokens = self.tokenize(examples)
        batch = self.inputs(examples, tokens)
        moved = {name: value.to(self.device) for name, value in batch.items()}
        logits: NDArray[np.float32] = self.network(**moved)["logits"].float().cpu().numpy()
        if self.settings.task.kind != "tagging":
            return list(logits)
        found = []
        for row, example in enumerate(examples):
            words = np.zeros((example.size, logits.shape[-1]), np.float32)
            words[:, 0] = 1.0
            places = places_of_words(tokens, row, example.size)
            words[places != UNSUPERVISED] = logits[row, places[places != UNSUPERVISED]]
            found.append(words)
        return found

    def predicted(self, logits: NDArray[np.float32]) -> Gold:
        """Return what the logits of one example say: a class, a score, or a class of each word."""
        if self.settings.task.kind == "regression":
            return float(logits[0])
        best = logits.argmax(axis=-1)
        return tuple(int(b) for b in best) if self.settings.task.kind == "tagging" else int(best)


def create(settings: TaskModelSettings, labels: tuple[str, ...]) -> TaskModel:
    """Build a model to be trained: its encoder with pre-trained weights, what is new random.

    Raises ModelError when there is no such encoder, SettingsError when the variant does not fit it.
    """
    network = TaskNetwork(load_pretrained(settings.encoder.name), settings, outputs(labels))
    return TaskModel(settings, labels, network, load_words_tokenizer(settings.encoder.name))


def batches_of_texts(
    sizes: Iterable[int], device: torch.device, batch_tokens: int | None = None
) -> list[list[int]]:
    """Group the indices of texts of ``sizes`` words into batches of similar length.

    ``batch_tokens`` bounds a batch, by default as suits the device.
    """
    # A word is about 1.3 pieces, and special ones come with every text.
    tokens = [4 * size // 3 + 3 for size in sizes]
    return batches_by_length(tokens, batch_tokens or default_tokens(PARSING_TOKENS, str(device)))


def outputs(labels: tuple[str, ...]) -> int:
    """Return how many scores a network gives: one for each class, or the one of regression."""
    return len(labels) or 1


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


def places_of_words(tokens: Any, row: int, words: int) -> NDArray[np.int64]:
    """Return the place of each word's first piece, UNSUPERVISED where it has none."""
    token_words = [SPECIAL if word is None else word for word in tokens.word_ids(row)]
    return first_pieces(np.array(token_words, np.int64), words)


def _text(structures: tuple[Structure, ...]) -> Structure | tuple[Structure, Structure]:
    return structures[0] if len(structures) == 1 else (structures[0], structures[1])
