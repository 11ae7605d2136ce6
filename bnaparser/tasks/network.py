"""A task's network: an encoder of Hugging Face, guided by syntax or not, and a head on top."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from bnaparser.encoders.pretrained import drop_pooler
from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.tasks.settings import TaskModelSettings


class TaskNetwork(nn.Module):
    """An encoder and a head with ``outputs`` scores for a text, or for each of its tokens.

    The variant that the settings name is attached to the encoder, which is changed in place. Of
    answers ``threshold`` is by how much "no answer" must be likelier than the best span to be predicted;
    infinite, as it is at first, there is always one. Weights of other kinds do not have it.
    """

    threshold: Tensor

    def __init__(self, encoder: PreTrainedModel, settings: TaskModelSettings, outputs: int):
        super().__init__()
        drop_pooler(encoder)  # the head is bnaparser's
        variant = settings.syntax.variant
        self.encoder = encoder if variant is None else attach(encoder, variant)
        self.guided = variant is not None
        self.settings = settings
        width = encoder.config.hidden_size
        self.kind = settings.task.of_kind
        pooled = self.kind.vectors * width
        has_hidden = settings.encoder.hidden_layer and not self.kind.of_tokens
        self.hidden = nn.Linear(pooled, width) if has_hidden else None
        self.dropout = nn.Dropout(settings.encoder.dropout)
        self.output = nn.Linear(width if has_hidden else pooled, outputs)
        self.register_buffer("threshold", torch.tensor(torch.inf), persistent=self.kind.passages)
        for layer in (self.hidden, self.output):
            if layer is not None:
                nn.init.normal_(layer.weight, std=0.02)
                nn.init.zeros_(layer.bias)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
        syntax: SyntaxBatch | None = None,
        labels: Tensor | None = None,
        marks: Tensor | None = None,
        allowed: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Return ``logits`` (B, outputs), of tokens (B, T, outputs), and with labels the ``loss``.

        ``labels`` (B) are classes or scores, for tagging (B, T) with IGNORED where there are none,
        for answers (B, 2) the tokens where they begin and end. ``marks`` (B, 2) are the tokens before
        both parts of a relation; ``allowed`` (B, T) says where an answer may begin or end: elsewhere
        its scores are the least there are.
        """
        inputs: dict[str, Any] = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            inputs["token_type_ids"] = token_type_ids
        if syntax is not None:
            inputs["syntax"] = syntax
        states = self.encoder(**inputs).last_hidden_state
        if not self.kind.of_tokens:
            states = self._pooled(states, attention_mask, marks)
        logits = self.output(self.dropout(states))
        if allowed is not None:
            least = torch.finfo(logits.dtype).min
            logits = logits.masked_fill(~allowed.unsqueeze(-1), least)
        if labels is None:
            return {"logits": logits}
        return {"loss": self._loss(logits, labels), "logits": logits}

    def new_parameters(self) -> list[nn.Parameter]:
        """Return the parameters that are not pre-trained: the head's and the variant's."""
        modules = [self.hidden, self.output, syntax_of(self.encoder) if self.guided else None]
        return [p for module in modules if module is not None for p in module.parameters()]

    def _pooled(self, states: Tensor, attention_mask: Tensor, marks: Tensor | None) -> Tensor:
        """Return the vector of each text, (B, H), without a hidden layer (B, 2 H) of one with marks."""
        pooling = self.settings.encoder.pooling
        if marks is not None:
            rows = torch.arange(len(states), device=states.device).unsqueeze(1)
            pooled = states[rows, marks].flatten(1)
        elif pooling == "mean":
            weights = attention_mask.unsqueeze(-1).to(states.dtype)
            pooled = (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
        else:
            positions = torch.arange(states.shape[1], device=states.device)
            # Padding may stand on either side: the place is looked for in the mask.
            seen = positions * attention_mask
            unseen = positions + states.shape[1] * (1 - attention_mask)
            place = seen.argmax(dim=1) if pooling == "last" else unseen.argmin(dim=1)
            pooled = states[torch.arange(len(states), device=states.device), place]
        if self.hidden is not None:
            pooled = torch.tanh(self.hidden(self.dropout(pooled)))
        return pooled

    def _loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        loss = self.kind.loss(logits, labels)
        supervision = getattr(syntax_of(self.encoder), "loss", None) if self.guided else None
        return loss if supervision is None else loss + supervision
