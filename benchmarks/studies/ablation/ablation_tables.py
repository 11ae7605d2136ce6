"""What run_ablation.py trains, and how."""

from __future__ import annotations

from typing import Any, NamedTuple


class Setting(NamedTuple):
    """What is trained with which seeds; ``layers`` as in a recipe, None for benepar."""

    title: str
    seeds: tuple[int, ...]
    layers: dict[str, Any] | None


SEEDS = (1, 2, 3)
PARTITIONED = {
    "layer_types": ("partitioned", "partitioned"),
    "positions": "concatenate",
    "hidden_size": 1024,
    "intermediate_size": 2048,
    "activation": "relu",
    "feed_forward_dropout": 0.1,
    "input_dropout": 0.2,
}
RUNS = {
    "bimsa+nsa": Setting("BiMSA + NSA", SEEDS, {"layer_types": ("bimsa", "nsa")}),
    "benepar": Setting("benepar 0.2, 2 partitioned layers", SEEDS, None),
    "bimsa": Setting("2 BiMSA", SEEDS, {"layer_types": ("bimsa", "bimsa")}),
    "nsa": Setting("2 NSA", SEEDS, {"layer_types": ("nsa", "nsa")}),
    "self": Setting(
        "2 self-attention", SEEDS, {"layer_types": ("self_attention", "self_attention")}
    ),
    "self+nsa": Setting("self-attention + NSA", SEEDS, {"layer_types": ("self_attention", "nsa")}),
    "partitioned": Setting("2 partitioned, width 1024", SEEDS, PARTITIONED),
    "n=2": Setting("BiMSA + NSA, n = 2", (1,), {"layer_types": ("bimsa", "nsa"), "ngrams": 2}),
    "n=3": Setting("BiMSA + NSA, n = 3", (1,), {"layer_types": ("bimsa", "nsa"), "ngrams": 3}),
    "n=5": Setting("BiMSA + NSA, n = 5", (1,), {"layer_types": ("bimsa", "nsa"), "ngrams": 5}),
    "none": Setting("no layers", SEEDS, {"layer_types": ()}),
}
# What the smaller tables show, all with the first seed; n is 4 where not named.
BY_NGRAMS = {"2": "n=2", "3": "n=3", "4": "bimsa+nsa", "5": "n=5"}
BY_NSA_LAYERS = {"0 of 2": "bimsa", "1 of 2": "bimsa+nsa", "2 of 2": "nsa"}

MAIN, PEER, MARGIN = "bimsa+nsa", "benepar", 0.3
BARE = "none"
PARTS = ("dev", "test")
BATCH_SIZE, BATCH_TOKENS, WARM_UP = 32, 500, 160
LEARNING_RATE, LEARNING_RATE_OF_CHARACTERS = 1e-4, 8e-4
