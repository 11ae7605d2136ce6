"""A task's model: network, tokenizer and classes; texts with their structures go in, scores come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, normalizers
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.encoders.batching import PARSING_TOKENS, batches_by_length, default_tokens
from bnaparser.encoders.loading import load_pretrained, load_tokenizer
from bnaparser.encoders.positions import max_positions
from bnaparser.encoders.pretrained import reads_alone
from bnaparser.encoders.subwords import reads_blanks
from bnaparser.encoders.tokenizer_panics import panics_told
from bnaparser.errors import ModelError
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import SPECIAL, UNSUPERVISED, first_pieces
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.answer_spans import AnswerCandidates, find_candidates
from bnaparser.tasks.answer_windows import AnswerReader, TrainingWindow
from bnaparser.tasks.examples import Gold, PreparedExample
from bnaparser.tasks.network import IGNORED, TaskNetwork
from bnaparser.tasks.relation_marks import MARKS, shortened, tokenize_marked
from bnaparser.tasks.settings import Kind, TaskModelSettings, TaskSettings

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


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
        return max_positions(self.network.encoder.config)

    @property
    def kind(self) -> Kind:
        """What kind of task it is a model of."""
        return self.settings.task.kind

    @cached_property
    def reader(self) -> AnswerReader:
        """What makes windows of questions and passages, for a model of answers."""
        return AnswerReader(self.tokenizer, self.settings.answers, self.max_pieces)

    @panics_told()
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
        batch: dict[str, Any] = {name: tokens[name] for name in INPUTS if name in tokens}
        variant = self.settings.syntax.variant
        if variant is not None:
            batch["syntax"] = collate([_text(e.structures) for e in examples], tokens, variant)
        return batch

    def marked_inputs(self, examples: Sequence[PreparedExample], max_pieces: int) -> dict[str, Any]:
        """Return what the network is called with for texts with two marked parts, on the CPU."""
        batch = tokenize_marked(self.tokenizer, examples, min(max_pieces, self.max_pieces))
        variant = self.settings.syntax.variant
        found: dict[str, Any] = {
            name: batch.tokens[name] for name in INPUTS if name in batch.tokens
        }
        if variant is not None:
            texts = [example.structures[0] for example in examples]
            found["syntax"] = collate(texts, batch.tokens, variant, batch.words)
        return {**found, "marks": batch.starts}

    def training_items(
        self, examples: Sequence[PreparedExample], max_pieces: int
    ) -> Sequence[PreparedExample | TrainingWindow]:
        """Return what a model is trained on: the examples, or of answers their windows.

        Raises DataError where the parts of a relation are too far apart for ``max_pieces``.
        """
        if self.kind == "relations":
            for example in examples:
                shortened(self.tokenizer, example, min(max_pieces, self.max_pieces))
        if self.kind != "answers":
            return examples
        return [
            TrainingWindow(example, number, len(window))
            for example in examples
            for number, window in enumerate(self.reader.windows(example))
        ]

    def training_batch(
        self, items: Sequence[PreparedExample | TrainingWindow], max_pieces: int
    ) -> dict[str, Any]:
        """Return the inputs of examples that are known, cut to ``max_pieces``, and their labels."""
        if self.kind == "answers":
            windows = [item for item in items if isinstance(item, TrainingWindow)]
            return self.reader.training_batch(windows, self.settings.syntax.variant)
        examples = [item for item in items if isinstance(item, PreparedExample)]
        if self.kind == "relations":
            labels = torch.tensor([example.gold for example in examples])
            return {**self.marked_inputs(examples, max_pieces), "labels": labels}
        tokens = self.tokenize(examples, max_pieces)
        return {**self.inputs(examples, tokens), "labels": self._targets(examples, tokens)}

    def _targets(self, examples: Sequence[PreparedExample], tokens: Any) -> torch.Tensor:
        if self.kind == "regression":
            return torch.tensor([example.gold for example in examples], dtype=torch.float32)
        if self.kind == "classification":
            return torch.tensor([example.gold for example in examples])
        targets = torch.full(tokens["input_ids"].shape, IGNORED)
        for row, example in enumerate(examples):
            gold = cast("tuple[int, ...]", example.gold)
            for word, place in enumerate(places_of_words(tokens, row, example.size)):
                if place != UNSUPERVISED:
                    targets[row, place] = gold[word]
        return targets

    def scores(
        self, examples: Sequence[PreparedExample], batch_tokens: int | None = None
    ) -> list[NDArray[np.float32]]:
        """Return the logits of each example, (outputs), for tagging (words, outputs), in order.

        A word without a piece, or beyond the encoder's length, has zeros but for the first class.
        A model of answers has ``candidates`` instead.
        """
        found: list[NDArray[np.float32] | None] = [None] * len(examples)
        was_training = self.network.training
        self.network.eval()
        sizes = [example.size for example in examples]
        for chosen in batches_of_texts(sizes, self.network.encoder, batch_tokens):
            rows = self._score_batch([examples[index] for index in chosen])
            for index, row in zip(chosen, rows, strict=True):
                found[index] = row
        self.network.train(was_training)
        return [row for row in found if row is not None]

    def _score_batch(self, examples: Sequence[PreparedExample]) -> list[NDArray[np.float32]]:
        if self.kind == "relations":
            return list(self._logits(self.marked_inputs(examples, self.max_pieces)))
        tokens = self.tokenize(examples)
        logits = self._logits(self.inputs(examples, tokens))
        if self.kind != "tagging":
            return list(logits)
        found = []
        for row, example in enumerate(examples):
            words = np.zeros((example.size, logits.shape[-1]), np.float32)
            words[:, 0] = 1.0
            places = places_of_words(tokens, row, example.size)
            words[places != UNSUPERVISED] = logits[row, places[places != UNSUPERVISED]]
            found.append(words)
        return found

    def first_unread(self, words: Words) -> int | None:
        """Return the first word of a text that is beyond the encoder's length; None where all are read."""
        tokens = self.tokenize([PreparedExample((Structure(words, None),))])
        if not tokens.encodings[0].overflowing:
            return None
        read = np.flatnonzero(places_of_words(tokens, 0, len(words)) != UNSUPERVISED)
        first = int(read.max(initial=-1)) + 1
        return first if first < len(words) else None  # of the last word the beginning may do

    @torch.inference_mode()
    def _logits(self, batch: dict[str, Any]) -> NDArray[np.float32]:
        moved = {name: value.to(self.device) for name, value in batch.items()}
        logits: NDArray[np.float32] = self.network(**moved)["logits"].float().cpu().numpy()
        return logits

    def candidates(
        self, examples: Sequence[PreparedExample], batch_tokens: int | None = None
    ) -> list[AnswerCandidates]:
        """Return the best answers to each question, in order."""
        was_training = self.network.training
        self.network.eval()
        variant = self.settings.syntax.variant
        most = _tokens_at_once(self.network.encoder, batch_tokens)
        found = find_candidates(self.reader, examples, variant, self._logits, most)
        self.network.train(was_training)
        return found

    def predictions(
        self, examples: Sequence[PreparedExample], batch_tokens: int | None = None
    ) -> list[Gold]:
        """Return what the model says of each example, in order."""
        if self.kind == "answers":
            return [self.predicted(found) for found in self.candidates(examples, batch_tokens)]
        return [self.predicted(row) for row in self.scores(examples, batch_tokens)]

    def predicted(self, found: NDArray[np.float32] | AnswerCandidates) -> Gold:
        """Return what the logits of one example say: a class, a score, a class of each word.

        Or what its candidates say: an answer, NO_ANSWER where the threshold lets none be given.
        """
        if isinstance(found, AnswerCandidates):
            return found.answer(float(self.network.threshold))
        if self.kind == "regression":
            return float(found[0])
        best = found.argmax(axis=-1)
        return tuple(int(b) for b in best) if self.kind == "tagging" else int(best)


def create(settings: TaskModelSettings, labels: tuple[str, ...]) -> TaskModel:
    """Build a model to be trained: its encoder with pre-trained weights, what is new random.

    Marks of relations are added to its vocabulary. Raises ModelError when there is no such encoder,
    SettingsError when the variant does not fit it, or windows leave passages no room.
    """
    encoder = load_pretrained(settings.encoder.name)
    tokenizer = load_words_tokenizer(settings.encoder.name)
    if settings.task.kind == "relations":
        tokenizer.add_tokens([AddedToken(mark, normalized=False, special=True) for mark in MARKS])
        if len(tokenizer) > encoder.get_input_embeddings().num_embeddings:
            # Each new row is drawn: around the mean of the old ones all marks would be alike.
            encoder.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    network = TaskNetwork(encoder, settings, outputs(settings.task, labels))
    model = TaskModel(settings, labels, network, tokenizer)
    if settings.task.kind == "answers":
        _ = model.reader
    return model


def batches_of_texts(
    sizes: Iterable[int], encoder: PreTrainedModel, batch_tokens: int | None = None
) -> list[list[int]]:
    """Group the indices of texts of ``sizes`` words into batches of similar length, for an encoder.

    ``batch_tokens`` bounds a batch, by default as suits the device; each text is alone where the encoder needs it.
    """
    # A word is about 1.3 pieces, and special ones come with every text.
    tokens = [4 * size // 3 + 3 for size in sizes]
    return batches_by_length(tokens, _tokens_at_once(encoder, batch_tokens))


def _tokens_at_once(encoder: PreTrainedModel, batch_tokens: int | None) -> int:
    if reads_alone(encoder):
        return 1
    return batch_tokens or default_tokens(PARSING_TOKENS, str(encoder.device))


def outputs(task: TaskSettings, labels: tuple[str, ...]) -> int:
    """Return how many scores a network gives: one for each class, the one of regression, or two.

    A token has two, as the start and as the end of an answer.
    """
    return 2 if task.kind == "answers" else len(labels) or 1


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


def places_of_words(tokens: Any, row: int, words: int) -> NDArray[np.int64]:
    """Return the place of each word's first piece, UNSUPERVISED where it has none."""
    token_words = [SPECIAL if word is None else word for word in tokens.word_ids(row)]
    return first_pieces(np.array(token_words, np.int64), words)


def _text(structures: tuple[Structure, ...]) -> Structure | tuple[Structure, Structure]:
    return structures[0] if len(structures) == 1 else (structures[0], structures[1])
