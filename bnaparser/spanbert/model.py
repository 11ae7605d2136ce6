"""The network of pre-training: an encoder with its word head, the other objectives' heads, and their files.

SpanBERT's equations of 3.2. What its program adds (biases, separate means) is named where it is
implemented. The output matrix of both word predictions is the encoder's input embedding.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.loading import save_tokenizer
from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import check_model_file, put_in_place, unfinished
from bnaparser.files.tables import write_json
from bnaparser.files.tensors import writing
from bnaparser.spanbert.batch import PretrainBatch
from bnaparser.spanbert.language_model import NORM_EPSILON, LanguageModel
from bnaparser.spanbert.settings import ObjectiveSettings


class BoundaryHead(nn.Module):
    """Predicts a subword from what stands on both sides of its span, and its place in it (3.2).

    h1 = norm(gelu(W1 [left; right; position])), y = norm(gelu(W2 h1)); the prediction is
    y times the encoder's input embedding plus a bias of its own. The linear maps have biases, as
    in the authors' program.
    """

    def __init__(self, width: int, embedding: int, vocabulary: int, positions: int, longest: int):
        super().__init__()
        self.positions = nn.Embedding(longest, positions)
        self.first = nn.Linear(2 * width + positions, width)
        self.first_norm = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.second = nn.Linear(width, embedding)
        self.second_norm = nn.LayerNorm(embedding, eps=NORM_EPSILON)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        for linear in (self.first, self.second):
            nn.init.normal_(linear.weight, std=0.02)
            nn.init.zeros_(linear.bias)
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(self, left: Tensor, right: Tensor, position: Tensor, embeddings: Tensor) -> Tensor:
        """Return scores (targets, vocabulary) from (targets, width) twice and (targets,) int64."""
        joined = torch.cat([left, right, self.positions(position)], dim=-1)
        hidden = self.first_norm(F.gelu(self.first(joined)))
        hidden = self.second_norm(F.gelu(self.second(hidden)))
        return F.linear(hidden, embeddings, self.bias)


class NextSentenceHead(nn.Module):
    """Predicts from the special subword for the whole input whether the second segment follows the first (2)."""

    def __init__(self, width: int):
        super().__init__()
        self.pool = nn.Linear(width, width)
        self.decide = nn.Linear(width, 2)

    def forward(self, whole: Tensor) -> Tensor:
        """Return scores (pairs, 2) from (pairs, width); column 1 is "taken at random"."""
        scores: Tensor = self.decide(torch.tanh(self.pool(whole)))
        return scores


def word_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the sum over targets of -log P, a scalar; 0 if there is no target."""
    return F.cross_entropy(scores.float(), targets, reduction="sum")


class Losses(NamedTuple):
    """Sums of -log P over the targets of each objective, scalars; 0 if there is no target."""

    words: Tensor
    boundaries: Tensor
    next_sentence: Tensor


class SpanModel(nn.Module):
    """The network in training: ``language_model``, and boundary and next-sentence heads if the
    settings request them.
    """

    def __init__(self, language_model: LanguageModel, settings: ObjectiveSettings):
        super().__init__()
        self.language_model = language_model
        width = language_model.base.config.hidden_size
        vocabulary, embedding = language_model.embeddings.shape
        self.boundary_head: BoundaryHead | None = None
        if settings.boundary_weight:
            self.boundary_head = BoundaryHead(
                width,
                embedding,
                vocabulary,
                settings.boundary_positions,
                settings.max_boundary_targets,
            )
        self.next_head = NextSentenceHead(width) if settings.next_sentence else None

    def forward(self, batch: PretrainBatch) -> Losses:
        """Return the summed losses of a batch."""
        hidden = self.language_model(**batch.input)
        rows = hidden.flatten(0, 1)
        words = word_loss(self.language_model.word_scores(rows[batch.masked]), batch.words)
        none = rows.new_zeros((), dtype=torch.float32)
        boundaries = next_sentence = none
        if self.boundary_head is not None:
            scores = self.boundary_head(
                rows[batch.left],
                rows[batch.right],
                batch.positions,
                self.language_model.embeddings,
            )
            boundaries = word_loss(scores, batch.boundary_words)
        if self.next_head is not None:
            next_sentence = word_loss(self.next_head(rows[batch.whole]), batch.at_random)
        return Losses(words, boundaries, next_sentence)


HEADS, PRETRAINED = "span_heads.safetensors", "pretrain.json"


def save_pretrained(
    model: SpanModel,
    tokenizer: PreTrainedTokenizerBase,
    folder: Path,
    metrics: dict[str, Any],
) -> None:
    """Write an encoder with its masked-word head, so that ``AutoModel`` can load it, and our own
    heads.

    What the folder held stays until all is written. ``metrics`` tell how it was made. Raises
    DataError if the disk is full.
    """
    new = unfinished(folder)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    with writing(new):
        model.language_model.model.save_pretrained(new)
        save_tokenizer(tokenizer, new)
        heads = {
            name: tensor.detach().cpu().contiguous()
            for name, tensor in model.state_dict().items()
            if not name.startswith("language_model.model.")
        }
        save_file(heads, new / HEADS)
        write_json(new / PRETRAINED, metrics)
    put_in_place(new, folder)


def load_heads(model: SpanModel, name: str) -> bool:
    """Load the heads that an earlier pre-training left in a model's folder; return whether there were any.

    Heads for objectives that the model does not have are passed over. Raises ModelError if
    they do not fit.
    """
    file = Path(name) / HEADS
    if not file.is_file():
        return False
    check_model_file(file)
    try:
        stored = load_file(file)
        expected = model.state_dict()
        model.load_state_dict(
            {key: tensor for key, tensor in stored.items() if key in expected}, strict=False
        )
    except (SafetensorError, RuntimeError) as error:
        raise ModelError(f"{file} does not fit the encoder: {in_one_line(error)}") from error
    return bool(stored)
