"""Tiny encoders of every family, and texts with their syntax."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.trees.tree import Tree

TINY: dict[str, tuple[str, dict[str, Any]]] = {
    "albert": ("Albert", {"embedding_size": 16}),
    "roformer": ("RoFormer", {"embedding_size": 32}),
    "bigbird": ("BigBird", {}),
    "convbert": (
        "ConvBert",
        {"embedding_size": 32, "conv_kernel_size": 3, "num_attention_heads": 4, "head_ratio": 2},
    ),
    "longformer": ("Longformer", {"attention_window": 12, "pad_token_id": 0}),
    "mobilebert": (
        "MobileBert",
        {
            "embedding_size": 16,
            "intra_bottleneck_size": 16,
            "normalization_type": "layer_norm",
        },
    ),
    "nomic-bert": ("NomicBert", {}),
}
"""Families that only syntax knows: the name of their classes, and what is not as in a tiny BERT."""

FAMILIES = [
    "bert",
    "roberta",
    "distilbert",
    "electra",
    *TINY,
    "mpnet",
    "deberta",
    "deberta-v2",
    "modernbert",
    "xlnet",
    "t5",
]
THE_CAT = SyntaxTrees(
    ("The", "cat", "sat", "on", "the", "mat"),
    (2, 3, 0, 3, 6, 4),
    (Tree.parse("(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"),),
)
IT_RAINED = SyntaxTrees(
    ("It", "rained"), (2, 0), (Tree.parse("(S (NP (PRP It)) (VP (VBD rained)))"),)
)
UNPARSED = SyntaxTrees(("Mat", "the", "unaffable"), None)


@pytest.fixture(autouse=True)
def on_one_thread(one_thread: None) -> None:
    """Every test of this folder runs on one thread: all its encoders are tiny."""


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def fresh(encoder_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """A function from a family to a new encoder of it, its dropout drawn only in training."""
    import torch
    import transformers

    @functools.cache
    def load(family: str) -> Any:
        if family in TINY:
            torch.manual_seed(2)
            tokenizer = transformers.AutoTokenizer.from_pretrained(encoder_folder("bert"))
            name, special = TINY[family]
            sizes: dict[str, Any] = {
                "vocab_size": len(tokenizer),
                "hidden_size": 32,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "intermediate_size": 64,
                "initializer_range": 0.2,
                **special,
            }
            config = getattr(transformers, f"{name}Config")(**sizes)
            return getattr(transformers, f"{name}Model")(config).eval()
        kind = transformers.T5EncoderModel if family == "t5" else transformers.AutoModel
        return kind.from_pretrained(encoder_folder(family)).eval()

    return lambda family: copy.deepcopy(load(family))


@pytest.fixture(scope="session")
def tokens_of(encoder_folder: Callable[[str], Path]) -> Callable[..., Any]:
    """A function from a family and structures, or pairs of them, to their padded tokens."""
    import transformers

    @functools.cache
    def tokenizer(family: str) -> Any:
        folder = encoder_folder("bert" if family in TINY else family)
        kwargs = (
            {"add_prefix_space": True} if family in ("roberta", "deberta", "modernbert") else {}
        )
        return transformers.AutoTokenizer.from_pretrained(folder, **kwargs)

    def tokens(family: str, structures: list[Any]) -> Any:
        firsts = [list((s[0] if isinstance(s, tuple) else s).words) for s in structures]
        seconds = [list(s[1].words) for s in structures if isinstance(s, tuple)]
        return tokenizer(family)(
            firsts, seconds or None, is_split_into_words=True, padding=True, return_tensors="pt"
        )

    return tokens


@pytest.fixture
def the_cat() -> SyntaxTrees:
    """The sentence of the examples: The cat sat on the mat."""
    return THE_CAT


@pytest.fixture
def it_rained() -> SyntaxTrees:
    return IT_RAINED


@pytest.fixture
def unparsed() -> SyntaxTrees:
    """A text without syntax, with a word of several pieces."""
    return UNPARSED


@pytest.fixture
def first_layer() -> Callable[..., Any]:
    """What the first attention of a BERT is given and gives, for one text, as numpy arrays.

    A function of model, tokens and batch to a dictionary: ``hidden`` (T, H), ``query``, ``key``,
    ``value`` (A, T, W), ``context`` (T, A * W), ``output`` (T, H) of W^O.
    """
    import torch

    def run(model: Any, tokens: Any, batch: Any) -> dict[str, Any]:
        attention = model.encoder.layer[0].attention
        seen: dict[str, Any] = {}
        hooks = [
            attention.self.register_forward_hook(
                lambda module, args, output: seen.update(hidden=args[0][0], context=output[0][0])
            ),
            attention.output.dense.register_forward_hook(
                lambda module, args, output: seen.update(output=output[0])
            ),
        ]
        with torch.no_grad():
            model(**tokens, syntax=batch)
            for name in ("query", "key", "value"):
                projected = getattr(attention.self, name)(seen["hidden"])
                seen[name] = projected.unflatten(-1, (2, 16)).transpose(0, 1)
        for hook in hooks:
            hook.remove()
        return {name: value.double().numpy() for name, value in seen.items()}

    return run


@pytest.fixture
def states() -> Callable[..., Any]:
    """A function from a model, tokens and what else it is called with to its last states."""
    import torch

    def run(model: Any, tokens: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            return model(**tokens, **kwargs).last_hidden_state

    return run


@pytest.fixture
def stir() -> Callable[[Any], None]:
    """A function that gives a model's variant parameters that are far from its start."""
    import torch

    from bnaparser.syntax.attachment import syntax_of

    def run(model: Any) -> None:
        torch.manual_seed(5)
        with torch.no_grad():
            for parameter in syntax_of(model).parameters():
                parameter.add_(torch.randn_like(parameter) * 0.3)

    return run
