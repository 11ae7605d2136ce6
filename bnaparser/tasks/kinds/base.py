"""What all kinds of tasks have in common: the base class of the classes in this package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from tokenizers import AddedToken
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.encoders.batching import batches_by_length
from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import DataError
from bnaparser.syntax.batch import collate
from bnaparser.syntax.masks import SPECIAL, UNSUPERVISED, SyntaxSettings, first_pieces
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.examples import Gold, PreparedExample, Span, TaskExample, TaskFile
from bnaparser.tasks.kinds.answer_windows import AnswerReader, AnswerSettings
from bnaparser.tasks.metrics import Labels, Metric, Runs, Scores, Tested
from bnaparser.tasks.result import ReadText

IGNORED = -100
Row = NDArray[np.float32]
Examples = Sequence[PreparedExample]


@dataclass(frozen=True)
class TaskKind(ABC):
    """One kind of task: how examples are read, encoded, batched, learned, decoded and scored.

    A subclass is a kind, an instance is a kind with the settings of a recipe's table ``[task]``.
    ``found`` below is the network's output for an example: logits, or candidates for an answer.

    Args:
        texts: Columns of a table, or keys in JSON, that hold the text or the pair of texts.
        label: Column or key of the class or score.
        positive: The class whose F1 the metrics ``f1`` and ``f0.5`` are.
        other: The class that is no relation.
        other_is_set: Whether the recipe says which class is no relation.
    """

    texts: tuple[str, ...] = ("sentence",)
    label: str = "label"
    positive: str | None = None
    other: str = "Other"
    other_is_set: bool = False

    metrics: ClassVar[tuple[Metric, ...]]
    """What models may be judged by; the first is the default."""
    default_texts: ClassVar[tuple[str, ...]] = ("sentence",)
    """What a file calls the texts where a recipe does not say."""
    pairs: ClassVar[bool | None] = None
    """Whether a text is always a pair of texts, or never; None: as the recipe says."""
    pairs_error: ClassVar[str] = ""
    """What is said where a recipe has another number of texts."""
    pair_names: ClassVar[tuple[str, str]] = ("text", "text")
    """What both texts of a pair are."""
    not_a_pair: ClassVar[str] = "this model takes pairs: two texts with one tab between"
    """What is said of another number of texts."""
    new_tokens: ClassVar[tuple[str, ...]] = ()
    """Tokens that are added to the encoder's vocabulary."""
    of_tokens: ClassVar[bool] = False
    """Whether the network has scores for each token, not for the text."""
    vectors: ClassVar[int] = 1
    """How many of the encoder's vectors represent a text."""
    places: ClassVar[bool] = False
    """Whether the places of words in the text count."""
    marks: ClassVar[bool] = False
    """Whether two parts of a text are marked."""
    passages: ClassVar[bool] = False
    """Whether the second text is a passage, read in windows, which may have no answer."""
    uncut: ClassVar[bool] = False
    """Whether all sentences of a text count, also those beyond the encoder's length."""
    has_labels: ClassVar[bool] = True
    """Whether there are classes, which have names."""

    @property
    def sample(self) -> str | tuple[str, str]:
        """A text that a model takes, to try it with."""
        return ("Who sang?", "Mira sang.") if len(self.texts) == 2 else "Mira sang."

    # Data

    @abstractmethod
    def read(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Return the examples of a file.

        Raises DataError, naming file and line, for a file of another kind or with a mistake in it.
        """

    def labels(self, examples: Sequence[TaskExample]) -> tuple[str, ...]:
        """Return the classes of training examples, sorted.

        Raises DataError if there are fewer than two, or none is the one that the recipe names as
        ``positive``.
        """
        counts = count_labels(examples)
        if len(counts) < 2:
            raise DataError(f"the training data has only one class: {', '.join(counts)}")
        if self.positive is not None and self.positive not in counts:
            raise DataError(
                f"task.positive is {self.positive!r}, but the training data has "
                f"{', '.join(sorted(counts))}"
            )
        return tuple(sorted(counts))

    def encode(self, example: TaskExample, numbers: Mapping[str, int]) -> Gold:
        """Return an example's gold label as the number of its class.

        Raises DataError for a class that the training data does not have.
        """
        assert isinstance(example.gold, str)
        return number_of(example.gold, example, 0, numbers)

    # Network

    def outputs(self, labels: Labels) -> int:
        """Return the number of scores of a network for a text or a token."""
        return len(labels) or 1

    def prepare(self, inputs: TextInputs, encoder: PreTrainedModel) -> None:
        """Add the kind's tokens to the vocabulary of an encoder; SettingsError if it does not fit the kind."""
        if not self.new_tokens:
            return
        inputs.tokenizer.add_tokens(
            [AddedToken(token, normalized=False, special=True) for token in self.new_tokens]
        )
        if len(inputs.tokenizer) > encoder.get_input_embeddings().num_embeddings:
            # Each new row is drawn: around the mean of the old ones all tokens would be alike.
            encoder.resize_token_embeddings(len(inputs.tokenizer), mean_resizing=False)

    def training_items(
        self, inputs: TextInputs, examples: Examples, max_pieces: int
    ) -> Sequence[Any]:
        """Return the items for training, each with a ``size``: the examples."""
        return examples

    def training_batch(
        self, inputs: TextInputs, items: Sequence[Any], max_pieces: int
    ) -> dict[str, Any]:
        """Return the inputs of training items, cut to ``max_pieces``, and their labels."""
        tokens = inputs.tokenize(items, max_pieces)
        return {**inputs.of(items, tokens), "labels": self.targets(items, tokens)}

    def targets(self, examples: Examples, tokens: Any) -> Tensor:
        """Return the labels of examples for the loss: (B) numbers of classes."""
        return torch.tensor([example.gold for example in examples])

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy of classes; classes that are IGNORED do not count."""
        total = F.cross_entropy(
            logits.float().flatten(0, -2),
            labels.flatten(),
            ignore_index=IGNORED,
            reduction="sum",
        )
        # Not torch's mean: where no word of a batch has a subword that is no number.
        return total / (labels != IGNORED).sum().clamp(min=1)

    # From outputs to answers

    def found(
        self,
        inputs: TextInputs,
        examples: Examples,
        logits: Logits,
        batch_tokens: int,
    ) -> list[Any]:
        """Return the network's output for each example, in order, computed in batches."""
        found: list[Any] = [None] * len(examples)
        sizes = [estimated_tokens(example.size) for example in examples]
        for chosen in batches_by_length(sizes, batch_tokens):
            rows = self.found_in_batch(inputs, [examples[index] for index in chosen], logits)
            for index, row in zip(chosen, rows, strict=True):
                found[index] = row
        return found

    def found_in_batch(
        self, inputs: TextInputs, examples: Examples, logits: Logits
    ) -> Sequence[Row]:
        """Return the logits of each example, (outputs)."""
        return list(logits(inputs.of(examples, inputs.tokenize(examples))))

    def is_finite(self, found: Any) -> bool:
        """Return whether all scores of an example are numbers."""
        return bool(np.isfinite(found).all())

    def threshold(self, metric: Metric, gold: Sequence[Any], found: Sequence[Any]) -> float | None:
        """Return the threshold for no answer that is best on development data; None: there is none."""
        return None

    def decode(self, found: Any, threshold: float) -> Gold:
        """Return the prediction for an example: the number of its class."""
        return int(found.argmax(axis=-1))

    @abstractmethod
    def answer(self, found: Any, labels: Labels, threshold: float) -> dict[str, Any]:
        """Return what users get for a text: fields of a `Classification`."""

    def unread(self, inputs: TextInputs, given: ReadText, labels: Labels) -> list[str]:
        """Return the message for a text that the encoder does not read to its end."""
        return []

    def unmark(self, text: str) -> tuple[str, tuple[Span, Span] | None]:
        """Return a user's text without its marks, and where the marked parts are; DataError: none are."""
        return text, None

    # Scores

    @abstractmethod
    def score(self, labels: Labels, gold: Sequence[Any], predicted: Sequence[Any]) -> Scores:
        """Return all metrics that apply, by name, in percent.

        ``gold`` and ``predicted`` have one of each example, as ``encode`` and ``decode`` return them.
        Raises MissingExtraError without scikit-learn or seqeval.
        """

    @abstractmethod
    def tested(self, metric: Metric, labels: Labels, gold: Sequence[Any], runs: Runs) -> Tested:
        """Return the predictions of two runs, of each seed, in the form that a metric is computed from."""


def count_labels(examples: Sequence[TaskExample]) -> dict[str, int]:
    """Return how often each class is a label of an example, or of its words."""
    counts: dict[str, int] = {}
    for example in examples:
        assert not isinstance(example.gold, float)
        for label in (example.gold,) if isinstance(example.gold, str) else example.gold:
            counts[label] = counts.get(label, 0) + 1
    return counts


def number_of(label: str, example: TaskExample, word: int, numbers: Mapping[str, int]) -> int:
    """Return the number of a class that an example has, or the word of this number in it.

    Raises DataError for a class that the training data does not have.
    """
    if label not in numbers:
        shown = " ".join(" ".join(t) if isinstance(t, tuple) else t for t in example.texts)
        raise DataError(
            f"{_line_of(example.place, word)}the label {label!r} of {shown[:60]!r} is not in "
            f"the training data, which has {', '.join(sorted(numbers))}"
        )
    return numbers[label]


def _line_of(place: str, word: int) -> str:
    """Return the file and line of a word of an example, as the beginning of a message."""
    file, _, line = place.rpartition(":")
    return f"{file}:{int(line) + word}: " if line else ""


INPUTS = ("input_ids", "attention_mask", "token_type_ids")

Logits = Callable[[dict[str, Any]], NDArray[np.float32]]
"""A network: what it is called with in, logits out."""


@dataclass
class TextInputs:
    """Makes a network's inputs of texts, or pairs of texts, for an encoder of ``max_pieces``."""

    tokenizer: PreTrainedTokenizerBase
    max_pieces: int
    pair: bool
    variant: SyntaxSettings | None
    answers: AnswerSettings

    @cached_property
    def reader(self) -> AnswerReader:
        """What makes windows of questions and passages."""
        return AnswerReader(self.tokenizer, self.answers, self.max_pieces)

    @panics_as_errors()
    def tokenize(self, examples: Sequence[PreparedExample], max_pieces: int | None = None) -> Any:
        """Return the tokens of the examples' words, padded, as tensors."""
        return self.tokenizer(
            [list(example.structures[0].words) for example in examples],
            [list(e.structures[1].words) for e in examples] if self.pair else None,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=min(max_pieces or self.max_pieces, self.max_pieces),
            return_tensors="pt",
        )

    def of(self, examples: Sequence[PreparedExample], tokens: Any) -> dict[str, Any]:
        """Return what the network is called with for examples and their tokens, on the CPU."""
        batch: dict[str, Any] = {name: tokens[name] for name in INPUTS if name in tokens}
        if self.variant is not None:
            batch["syntax"] = collate([_text(e.structures) for e in examples], tokens, self.variant)
        return batch

    def first_unread(self, words: Words) -> int | None:
        """Return the first word of a text that is beyond the encoder's length; None if all are read."""
        tokens = self.tokenize([PreparedExample((SyntaxTrees(words, None),))])
        if not tokens.encodings[0].overflowing:
            return None
        read = np.flatnonzero(places_of_words(tokens, 0, len(words)) != UNSUPERVISED)
        first = int(read.max(initial=-1)) + 1
        return first if first < len(words) else None  # of the last word the beginning may do


def places_of_words(tokens: Any, row: int, words: int) -> NDArray[np.int64]:
    """Return the place of each word's first subword, UNSUPERVISED if it has none."""
    token_words = [SPECIAL if word is None else word for word in tokens.word_ids(row)]
    return first_pieces(np.array(token_words, np.int64), words)


def estimated_tokens(words: int) -> int:
    """Return about how many tokens a text of this number of words has.

    A word is about 1.3 subwords, and special tokens come with every text.
    """
    return 4 * words // 3 + 3


def _text(structures: tuple[SyntaxTrees, ...]) -> SyntaxTrees | tuple[SyntaxTrees, SyntaxTrees]:
    return structures[0] if len(structures) == 1 else (structures[0], structures[1])
