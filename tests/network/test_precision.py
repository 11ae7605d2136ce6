"""The network of a folder: what computes it, in which numbers, and what is refused."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser import Parser
from bnaparser.errors import ModelError
from bnaparser.network import precision as module
from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerSettings
from bnaparser.network.precision import PRECISIONS, load_network
from bnaparser.parsing.ensemble import Ensemble
from bnaparser.training.data import Example

WORDS = ["The", "cat", "saw", "Mira", "."]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_each_precision_computes_in_it_and_gives_trees(
    tiny_model_dir: Path, examples: list[Example], precision: module.Precision
) -> None:
    parser = Parser.load(tiny_model_dir, "cpu", precision=precision)
    assert parser.precision == ("float32" if precision == "auto" else precision)
    exact = Parser.load(tiny_model_dir, "cpu", precision="float32")
    words = [example.words for example in examples]
    found, expected = parser.parse_many(words), exact.parse_many(words)
    same = sum(a.tree == b.tree for a, b in zip(found, expected, strict=True))
    assert same >= 0.9 * len(examples)
    assert [parse.error for parse in found] == [None] * len(examples)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_shapes_of_words_are_read_in_each_precision(
    build_model: Callable[..., BnaModel], tmp_path: Path, precision: module.Precision
) -> None:
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "head_dim": 16, "intermediate_size": 64}
    model = build_model("bert", layers=LayerSettings(word_shapes=True, **sizes))
    with torch.no_grad():
        model.shape_embedding.normal_()
    storage.save(model, tmp_path, "float32", {})
    parse = Parser.load(tmp_path, "cpu", precision=precision).parse_words(WORDS)
    exact = Parser.load(tmp_path, "cpu", precision="float32").parse_words(WORDS)
    assert parse.error is None
    assert parse.score == pytest.approx(exact.score, abs=0.5)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_parse_is_the_same_in_every_run_and_beside_others(
    tiny_model_dir: Path, examples: list[Example], precision: module.Precision
) -> None:
    words = [example.words for example in examples[:20]]
    parser = Parser.load(tiny_model_dir, "cpu", precision=precision)
    together = parser.parse_many(words)
    parser.threads = 1
    assert parser.parse_many(words) == together
    assert [parser.parse_words(sentence) for sentence in words] == together
    assert list(parser.stream(map(" ".join, words), batch_tokens=50)) == together


def test_int8_by_pytorch_gives_a_sentence_the_same_tree_beside_others(
    build_model: Callable[..., BnaModel], tmp_path: Path, examples: list[Example]
) -> None:
    storage.save(build_model("bert"), tmp_path, "float32", {})
    model = storage.load(tmp_path)
    model.to_int8()
    parser, words = Parser(model), [example.words for example in examples[:10]]
    together = parser.parse_many(words)
    assert [parser.parse_words(sentence) for sentence in words] == together
    twice = Ensemble([parser, parser])
    assert [twice.parse_many([sentence])[0] for sentence in words] == twice.parse_many(words)


def test_int8_exchanges_the_linear_layers_of_any_encoder(
    build_model: Callable[..., BnaModel], examples: list[Example], encoder_kind: str
) -> None:
    model = build_model(encoder_kind).eval()
    batch = model.prepare([example.words for example in examples[:10]])
    with torch.inference_mode():
        exact = model.all_scores(model.encode(batch))
        model.to_int8()
        found = model.all_scores(model.encode(batch))
    assert model.precision == "int8"
    difference = np.abs(found - exact).mean()
    assert 0 < difference < 0.1 * np.abs(exact).mean()


@torch.no_grad()
def test_the_layers_that_were_exchanged_are_in_the_fingerprint(
    build_model: Callable[..., BnaModel],
) -> None:
    found = []
    for factor in (1.0, 1.0, 1.5, -1.0):
        model = build_model("bert")
        linear = next(one for one in model.encoder.modules() if isinstance(one, torch.nn.Linear))
        linear.weight.mul_(factor)
        model.to_int8()
        found.append(model.fingerprint())
    assert found[0] == found[1]
    assert len(set(found)) == 3


def test_what_is_not_compiled_is_computed_by_pytorch(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    storage.save(build_model(), tmp_path, "int8", {})
    assert isinstance(load_network(tmp_path, "cpu", "auto"), BnaModel)
    assert load_network(tmp_path, "cpu", "auto").precision == "float32"
    assert load_network(tmp_path, "cpu", "int8").precision == "int8"
    with pytest.raises(
        ModelError, match=r"the backend compiled does not support the network of .*: choose"
    ):
        load_network(tmp_path, "cpu", backend="compiled")


def test_the_backend_can_be_chosen(
    build_model: Callable[..., BnaModel], tmp_path: Path, examples: list[Example]
) -> None:
    storage.save(build_model("bert"), tmp_path, "int8", {})
    words = [example.words for example in examples[:10]]
    found = {}
    for backend, precision in (("auto", "int8"), ("compiled", "int8"), ("torch", "float32")):
        parser = Parser.load(tmp_path, "cpu", backend=backend)  # type: ignore[arg-type]
        assert parser.precision == precision
        assert parser.backend == ("compiled" if backend == "auto" else backend)
        assert pickle.loads(pickle.dumps(parser)).backend == parser.backend
        found[backend] = parser.parse_many(words)
    assert found["auto"] == found["compiled"]
    assert [parse.score for parse in found["torch"]] == pytest.approx(
        [parse.score for parse in found["compiled"]], abs=1
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            {"device": "cuda:0"},
            "the backend compiled runs on the CPU, not on 'cuda:0': choose the backend",
        ),
        (
            {"precision": "bfloat16"},
            "the backend compiled has float32 and int8, not bfloat16: ch",
        ),
    ],
)
def test_what_compiled_loops_cannot_do_is_refused(
    tiny_model_dir: Path, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ModelError, match=f"^{reason}"):
        Parser.load(tiny_model_dir, backend="compiled", **options)


def test_int8_is_refused_on_a_device_without_it(tiny_model_dir: Path) -> None:
    with pytest.raises(ModelError, match=r"^int8 runs on the CPU, not on 'cuda:3': leave"):
        Parser.load(tiny_model_dir, "cuda:3", precision="int8")


def test_an_unknown_precision_is_refused(tiny_model_dir: Path) -> None:
    with pytest.raises(ValueError, match="precision is 'int4': give one of auto, float32, bfl"):
        Parser.load(tiny_model_dir, precision="int4")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="backend is 'onnx': give one of auto, compiled, torch"):
        Parser.load(tiny_model_dir, backend="onnx")  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="others are asked in other ways")
def test_pytorch_is_asked_for_a_gpu_only_where_there_may_be_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_OF_GPUS", (str(tmp_path / "none"),))
    assert not module._may_have_gpu()
    monkeypatch.setattr(module, "_OF_GPUS", (str(tmp_path / "none"), str(tmp_path)))
    assert module._may_have_gpu()
