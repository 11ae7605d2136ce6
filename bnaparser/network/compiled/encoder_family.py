"""Encoders that are a stack of the same layers as BERT's: where each keeps its weights and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from bnaparser.compute.activations import ACTIVATION_NUMBERS


@dataclass(frozen=True)
class LayerNames:
    """Names of a layer's weights; ``layer`` is where layer {} begins."""

    layer: str
    query: str
    key: str
    value: str
    output: str
    attention_norm: str
    inner: str
    outer: str
    norm: str


_BERT = LayerNames(
    "encoder.layer.{}.",
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
_MPNET = LayerNames(
    "encoder.layer.{}.",
    "attention.attn.q",
    "attention.attn.k",
    "attention.attn.v",
    "attention.attn.o",
    "attention.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
_DISTILBERT = LayerNames(
    "transformer.layer.{}.",
    "attention.q_lin",
    "attention.k_lin",
    "attention.v_lin",
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
)
NAMES = {
    "bert": _BERT,
    "camembert": _BERT,
    "distilbert": _DISTILBERT,
    "electra": _BERT,
    "mpnet": _MPNET,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
}


@dataclass(frozen=True)
class EncoderShape:
    """What of an encoder's configuration the sums depend on."""

    names: LayerNames
    layers: int
    heads: int
    width: int
    inner_width: int
    vocabulary: int
    positions: int
    epsilon: float
    activation: int


def shape_of(config: SimpleNamespace) -> EncoderShape | None:
    """Return the shape of an encoder by its ``config.json`` as attributes; None where it is of another kind."""
    said = vars(config)
    names = NAMES.get(str(said.get("model_type")))
    distil = names is _DISTILBERT
    activation = ACTIVATION_NUMBERS.get(str(said.get("activation" if distil else "hidden_act")))
    if names is None or activation is None:
        return None
    if said.get("position_embedding_type", "absolute") != "absolute" or said.get("is_decoder"):
        return None
    keys = ("n_layers", "n_heads", "dim", "hidden_dim") if distil else (
        "num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size",
    )  # fmt: skip
    sizes: Any = [said.get(key) for key in (*keys, "vocab_size", "max_position_embeddings")]
    epsilon = 1e-12 if distil else said.get("layer_norm_eps")
    if not isinstance(epsilon, float | int):
        return None
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        return None
    layers, heads, width, inner, vocabulary, positions = sizes
    if width % heads:  # PyTorch says what is wrong
        return None
    return EncoderShape(
        names, layers, heads, width, inner, vocabulary, positions, epsilon, activation
    )
