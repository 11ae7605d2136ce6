"""The masked-word head of every family is the library's own; what cannot be trained so is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoModelForMaskedLM, PretrainedConfig

from bnaparser.errors import ModelError
from bnaparser.spanbert.language_model import (
    HEADS,
    load_language_model,
    new_config,
    new_language_model,
)
from bnaparser.spanbert.settings import NewEncoderSettings

SMALL = NewEncoderSettings(
    num_hidden_layers=1, hidden_size=32, num_attention_heads=2, intermediate_size=48, vocab_size=101
)


def config_of(kind: str) -> PretrainedConfig:
    config = new_config(SMALL.model_copy(update={"model_type": kind}), 101, 40)
    if kind == "albert" or kind == "electra":
        config.embedding_size = 24
    if kind == "esm":
        config.mask_token_id = 4
    return config


@pytest.mark.parametrize("kind", HEADS)
def test_words_are_scored_as_the_library_scores_them(kind: str) -> None:
    torch.manual_seed(3)
    model = new_language_model(config_of(kind)).eval()
    assert model.head is None
    assert isinstance(model.model, type(AutoModelForMaskedLM.from_config(config_of(kind))))
    with torch.no_grad():
        for parameter in model.parameters():  # biases, too, which begin as 0
            parameter.normal_(std=0.1)
        given = {
            "input_ids": torch.tensor([[2, 7, 4, 9, 3]]),
            "attention_mask": torch.ones(1, 5, dtype=torch.int64),
        }
        expected = model.model(**given).logits
        found = model.word_scores(model(**given).flatten(0, 1)).view_as(expected)
    assert torch.allclose(found, expected, atol=1e-5)


def _with(key: str, value: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {key: value}))

    return change


def _cut(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


@pytest.mark.parametrize(
    "damage", [_cut, _with("hidden_size", "x"), _with("num_attention_heads", 0)]
)
def test_a_damaged_encoder_is_told(
    encoder_folder: Callable[[str], Path], tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder = shutil.copytree(encoder_folder("bert"), tmp_path / "encoder")
    damage(folder)
    with pytest.raises(ModelError, match=r"cannot load the encoder .*encoder: ") as raised:
        load_language_model(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("kind", ["qwen2", "mistral", "opt", "gpt_neox"])
def test_what_reads_from_left_to_right_is_refused(kind: str) -> None:
    with pytest.raises(
        ModelError, match=f"the type '{kind}' cannot be pre-trained on masked words"
    ):
        new_language_model(AutoConfig.for_model(kind))


@pytest.mark.parametrize(
    ("kind", "changed", "told"),
    [
        (
            "bert",
            {"num_attention_heads": 3},
            "hidden_size is 32, which is not divisible by 3 heads",
        ),
        ("xlnet", {}, "cannot make a new encoder of the architecture 'xlnet'"),
        ("vit", {}, "cannot make a new encoder of the architecture 'vit'"),
        ("nothing", {}, "cannot make a new encoder of the architecture 'nothing'"),
    ],
)
def test_what_cannot_be_made_new_is_told(kind: str, changed: dict[str, int], told: str) -> None:
    settings = SMALL.model_copy(update={"model_type": kind, **changed})
    with pytest.raises(ModelError, match=told) as raised:
        new_language_model(new_config(settings, 101, 40))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("kind", ["bert", "distilbert", "modernbert", "roberta"])
def test_a_new_encoder_is_as_large_as_asked(kind: str) -> None:
    model = new_language_model(config_of(kind))
    widths = {size for one in model.parameters() for size in one.shape}
    assert 48 in widths or 96 in widths  # ModernBERT's gate lies beside what it gates
    assert max(widths) < 128
