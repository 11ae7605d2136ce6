"""The network without PyTorch computes what `BnaModel` does: every family, every layer, both precisions."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from bnaparser.compute.processor import instructions
from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import ModelError
from bnaparser.files.folder import WEIGHTS
from bnaparser.network import storage
from bnaparser.network.compiled.network import CompiledNetwork, load_compiled
from bnaparser.network.decoding import predict, predict_batch, predicted_tags
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerSettings, ScorerSettings, TagSettings
from bnaparser.training.data import Example

ROOT = Path(__file__).parents[3]
FAMILIES = ["bert", "distilbert", "electra", "mpnet", "roberta"]
SIZES = {"hidden_size": 32, "num_attention_heads": 2, "head_dim": 16, "intermediate_size": 64}
Build = Callable[..., BnaModel]


def both(
    model: BnaModel, folder: Path, precision: str = "float32", store: str = "float32"
) -> tuple[BnaModel, CompiledNetwork]:
    """A model as it is stored, read with PyTorch and without."""
    storage.save(model, folder, store, {})
    compiled = load_compiled(folder, precision)
    assert compiled is not None
    return storage.load(folder), compiled


def words(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    return [example.words for example in examples]


def assert_same(model: BnaModel, compiled: CompiledNetwork, batch: Any, tolerance: float) -> None:
    found = compiled.encode(batch)
    with torch.inference_mode():
        expected = model.encode(batch)
        scores, of_model = model.all_scores(expected), model.best_labels(expected)
        tags = predicted_tags(model, expected, batch)
    assert found.lengths == expected.lengths
    assert compiled.all_scores(found) == pytest.approx(scores, abs=tolerance)
    assert predicted_tags(compiled, found, batch) == tags
    best = compiled.best_labels(found)
    assert best.scores == pytest.approx(of_model.scores, abs=tolerance)
    assert best.root_scores == pytest.approx(of_model.root_scores, abs=tolerance)
    assert (best.labels == of_model.labels).mean() > 0.99
    assert best.labels.dtype == np.int32 and best.scores.dtype == np.float32


@pytest.mark.parametrize("mix", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_gives_the_scores_of_its_model(
    build_model: Build, examples: list[Example], tmp_path: Path, family: str, mix: bool
) -> None:
    tags = TagSettings(predict=True, hidden_size=16)
    model, compiled = both(build_model(family, tagging=tags, mix_layers=mix), tmp_path)
    assert compiled.reads_case == model.reads_case
    batch = model.prepare(words(examples[:20]))
    assert_same(model, compiled, batch, 1e-4)
    for one, other in zip(batch, compiled.prepare(words(examples[:20])), strict=True):
        for a, b in zip(one.windows, other.windows, strict=True):
            assert repr(a) == repr(b)


@pytest.mark.parametrize(
    "layers",
    [
        LayerSettings(layer_types=(), **SIZES),
        LayerSettings(layer_types=("bimsa",), word_shapes=True, **SIZES),
        LayerSettings(layer_types=("nsa",), ngrams=2, **SIZES),
        LayerSettings(layer_types=("self_attention",), activation="gelu", **SIZES),
        LayerSettings(layer_types=("nsa", "bimsa"), residual="program", activation="relu", **SIZES),
    ],
    ids=lambda layers: "-".join(layers.layer_types) or "none",
)
def test_each_layer_gives_the_scores_of_its_module(
    build_model: Build, examples: list[Example], tmp_path: Path, layers: LayerSettings
) -> None:
    built = build_model("bert", layers=layers)
    if layers.word_shapes:
        torch.nn.init.normal_(built.shape_embedding)
    model, compiled = both(built, tmp_path)
    assert_same(model, compiled, model.prepare(words(examples[:8])), 1e-4)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_long_sentences_words_without_pieces_and_given_tags(
    build_model: Build, examples: list[Example], tmp_path: Path, family: str
) -> None:
    layers = LayerSettings(max_positions=40, **SIZES)
    built = build_model(
        family, layers=layers, tagging=TagSettings(given=True), allow_empty_root=True
    )
    model, compiled = both(built, tmp_path)
    long = [word for example in examples for word in example.words][:150]
    sentences = [["\u200b", "Mira", "sang"], long, ["Mira"], ["\u200b"]]
    tags = [["NNP"] * len(sentence) for sentence in sentences]
    batch = model.prepare(sentences, tags)
    assert len(batch[1].windows) > 3
    assert_same(model, compiled, batch, 1e-4)
    of_compiled = compiled.prepare(sentences, tags)
    assert_same(model, compiled, of_compiled, 1e-4)
    with pytest.raises(ValueError, match="needs part-of-speech tags"):
        compiled.prepare(sentences)


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_sentence_has_the_same_tree_and_score_alone_and_in_any_batch(
    build_model: Build, examples: list[Example], tmp_path: Path, precision: str
) -> None:
    """The same to the last digit: no sum depends on what lies beside it."""
    tags = TagSettings(predict=True, hidden_size=16)
    _, compiled = both(build_model("mpnet", tagging=tags), tmp_path, precision)
    prepared = compiled.prepare(words(examples))
    alone = [predict_batch(compiled, [one])[0] for one in prepared]
    for batch_tokens in (40, 10_000):
        assert predict(compiled, prepared, batch_tokens) == alone


@pytest.mark.parametrize("family", FAMILIES)
def test_int8_is_near_float32_and_takes_what_is_stored(
    build_model: Build, examples: list[Example], tmp_path: Path, family: str
) -> None:
    model, compiled = both(build_model(family), tmp_path, "int8", store="int8")
    assert compiled.precision == "int8"
    batch = model.prepare(words(examples[:20]))
    with torch.inference_mode():
        expected = model.all_scores(model.encode(batch))
    found = compiled.all_scores(compiled.encode(batch))
    assert np.abs(found - expected).mean() < 0.1 * np.abs(expected).mean()


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_label_whose_score_is_not_a_number_is_not_passed_over(
    build_model: Build, tmp_path: Path, precision: str
) -> None:
    model = build_model("bert")
    with torch.no_grad():
        model.scorer.output.bias[1] = torch.nan
    model, compiled = both(model, tmp_path, precision)
    batch = model.prepare([["The", "cat", "sat", "."]])
    with torch.inference_mode():
        assert np.isnan(model.best_labels(model.encode(batch)).scores).all()
    assert np.isnan(compiled.best_labels(compiled.encode(batch)).scores).all()


def test_auto_is_int8_where_the_weights_are_stored_so(build_model: Build, tmp_path: Path) -> None:
    model = build_model("distilbert")
    assert both(model, tmp_path, "auto", "float32")[1].precision == "float32"
    assert both(model, tmp_path, "auto", "int8")[1].precision == "int8"


@pytest.mark.skipif(instructions().lanes == 4, reason="no machine with AVX2")
def test_auto_is_pytorch_where_compiled_loops_may_not_use_avx2(
    build_model: Build, tmp_path: Path
) -> None:
    """Compiled loops took two to five times PyTorch's time there, and no option chose PyTorch."""
    storage.save(build_model("distilbert"), tmp_path, "int8", {})
    code = """
import sys
from pathlib import Path
from bnaparser.network.precision import load_network, reason_for_torch
folder = Path(sys.argv[1])
for options in ({}, {"precision": "float32"}, {"precision": "int8"}, {"backend": "compiled"}):
    network = load_network(folder, "cpu", **options)
    print(network.backend, network.precision)
sys.modules["transformers"] = None  # as if the extra were not installed
print(reason_for_torch("cpu", "auto", "auto"))
"""
    processor = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""}
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path],
        env={**os.environ, **processor, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "torch float32", "torch float32", "compiled int8", "compiled int8", "None",
    ], done.stderr  # fmt: skip


def test_two_precisions_live_in_one_process(
    build_model: Build, examples: list[Example], tmp_path: Path
) -> None:
    model = build_model("bert")
    _, exact = both(model, tmp_path)
    _, rounded = both(model, tmp_path, "int8")
    batch = exact.prepare(words(examples[:5]))
    before = exact.all_scores(exact.encode(batch))
    other = rounded.all_scores(rounded.encode(batch))
    assert np.array_equal(exact.all_scores(exact.encode(batch)), before)
    assert not np.array_equal(other, before)
    assert exact.fingerprint() != rounded.fingerprint()


def test_what_is_not_compiled_is_left_to_pytorch(build_model: Build, tmp_path: Path) -> None:
    halves = LayerSettings(layer_types=("partitioned",), positions="concatenate", **SIZES)
    signs = LayerSettings(span_signs="program", **SIZES)
    for number, model in enumerate(
        (build_model(), build_model("t5"), build_model("bert", halves), build_model("bert", signs))
    ):
        storage.save(model, tmp_path / str(number), "float32", {})
        assert load_compiled(tmp_path / str(number), "auto") is None


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("scorer.hidden.weight", lambda array: array[:, 1:], r"is \(64, 31\), not \(64, 32\)"),
        ("project.weight", None, "there is no project.weight"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    build_model: Build,
    tmp_path: Path,
    name: str,
    change: Callable[[Any], Any] | None,
    message: str,
) -> None:
    storage.save(build_model("bert"), tmp_path, "float32", {})
    arrays = load_file(tmp_path / WEIGHTS)
    found = arrays.pop(name)
    if change is not None:
        arrays[name] = np.ascontiguousarray(change(found))
    save_file(arrays, tmp_path / WEIGHTS)
    with pytest.raises(ModelError, match=f"does not fit config.json: .*{message}"):
        load_compiled(tmp_path, "float32")


def test_every_setting_of_the_network_was_thought_of() -> None:
    """A new one must be computed without PyTorch, too, or refused by `can_compile`; then name it here."""
    of_layers = "layer_types hidden_size num_attention_heads head_dim intermediate_size ngrams positions max_positions"
    of_layers += " activation residual span_signs word_shapes"
    of_training = "position_init_std residual_dropout feed_forward_dropout attention_dropout"
    of_training += " input_dropout"
    assert set(LayerSettings.model_fields) == {*of_layers.split(), *of_training.split()}
    of_encoder = "name layers detokenize decoder mix_layers attention dropout character_width character_dropout"
    assert set(EncoderSettings.model_fields) == set(of_encoder.split())
    assert set(ScorerSettings.model_fields) == {"hidden_size"}
    of_tags = "predict given init_std dropout hidden_size loss_weight"
    assert set(TagSettings.model_fields) == set(of_tags.split())
