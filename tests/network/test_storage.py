"""Model folders: what is saved is loaded again; what is damaged is refused with a clear reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from safetensors import safe_open
from safetensors.torch import save_file

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG, WEIGHTS
from bnaparser.inspection.probe_data import load_reader
from bnaparser.network import storage
from bnaparser.network.compiled.network import load_compiled
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import (
    LayerSettings,
    ModelSettings,
    TagSettings,
    is_benepars,
    read_settings,
)
from bnaparser.network.precision import load_network

SENTENCES = [["The", "zebra", "sat", "."], ["Mira", "\x07", "-LRB-"], ["the"] * 30]
SMALL = LayerSettings(hidden_size=32, num_attention_heads=2, head_dim=16, intermediate_size=64)
# Wide enough for matrices that int8 is worth it for.
WIDE = LayerSettings(hidden_size=128, num_attention_heads=2, head_dim=64, intermediate_size=128)


@torch.no_grad()
def scores(model: BnaModel, sentences: Sequence[Sequence[str]] = SENTENCES) -> np.ndarray:
    tags = [["NN"] * len(words) for words in sentences]
    return model.eval().all_scores(model.encode(model.prepare(sentences, tags)))


def round_trip(model: BnaModel, folder: Path, store: str = "float32") -> BnaModel:
    storage.save(model, folder, store, {"f1": 50.0})
    return storage.load(folder)


def test_every_kind_of_encoder_is_the_same_after_loading(
    build_model: Callable[..., BnaModel], tmp_path: Path, encoder_kind: str
) -> None:
    model = build_model(encoder_kind, mix_layers=True)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_allclose(scores(loaded), scores(model), atol=1e-5)
    everything = [*loaded.parameters(), *loaded.buffers()]
    assert {tensor.device.type for tensor in everything} == {"cpu"}
    assert not loaded.training
    assert all(parameter.requires_grad for parameter in loaded.parameters())


def test_a_model_that_was_stored_before_a_setting_came_is_read(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    model = build_model(tagging=TagSettings(predict=True, hidden_size=8))
    storage.save(model, tmp_path, "float32", {})
    table = json.loads((tmp_path / CONFIG).read_text(encoding="utf-8"))
    for key in ("residual", "span_signs", "position_init_std"):
        del table["layers"][key]
    del table["tags"]["init_std"], table["tags"]["dropout"], table["chart"]
    (tmp_path / CONFIG).write_text(json.dumps(table), encoding="utf-8")
    loaded = storage.load(tmp_path)
    assert loaded.settings == model.settings
    assert np.array_equal(scores(loaded), scores(model))


@pytest.mark.parametrize(
    "layers",
    [
        LayerSettings(hidden_size=32, num_attention_heads=2, head_dim=16, intermediate_size=64),
        LayerSettings(
            layer_types=("partitioned",),
            positions="concatenate",
            hidden_size=32,
            num_attention_heads=2,
            head_dim=16,
            intermediate_size=64,
        ),
    ],
    ids=["bna", "partitioned"],
)
def test_a_model_on_characters_is_the_same_after_loading(
    build_model: Callable[..., BnaModel], tmp_path: Path, layers: LayerSettings
) -> None:
    tagging = TagSettings(predict=True, given=True, hidden_size=8)
    model = build_model(layers=layers, tagging=tagging, allow_empty_root=True)
    loaded = round_trip(model, tmp_path)
    assert np.array_equal(scores(loaded), scores(model))
    assert loaded.settings == model.settings
    assert loaded.labels.names == model.labels.names
    assert loaded.tags.names == model.tags.names
    assert loaded.encoder.characters == model.encoder.characters
    assert loaded.allow_empty_root


def test_a_loaded_model_can_be_saved_again(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    model = round_trip(build_model("t5"), tmp_path / "one")
    again = round_trip(model, tmp_path / "two")
    assert np.array_equal(scores(again), scores(model))
    sizes = [(tmp_path / name / WEIGHTS).stat().st_size for name in ("one", "two")]
    assert sizes[0] == sizes[1]


def test_numbers_that_float16_lacks_are_told(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    model = build_model()
    with torch.no_grad():
        model.stack.positions[0, 0] = 1e5
    with pytest.raises(ModelError, match=r"stack\.positions has values too large for float16"):
        storage.save(model, tmp_path, "float16", {})


@pytest.mark.parametrize(("store", "part"), [("float16", 2.0), ("int8", 2.5)])
def test_smaller_forms_are_close_to_the_original(
    build_model: Callable[..., BnaModel], tmp_path: Path, store: str, part: float
) -> None:
    model = build_model(layers=WIDE)
    expected = scores(round_trip(model, tmp_path / "float32"))
    loaded = round_trip(model, tmp_path / store, store)
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    found = scores(loaded)
    assert not np.array_equal(found, expected)
    assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()
    full, small = ((tmp_path / name / WEIGHTS).stat().st_size for name in ("float32", store))
    assert small < full / part * 1.2
    with safe_open(tmp_path / store / WEIGHTS, framework="pt") as file:
        assert file.metadata()["store"] == store
        table = file.get_tensor("stack.positions")
        assert table.dtype == {"float16": torch.float16, "int8": torch.int8}[store]
        if store == "int8":
            scale = file.get_tensor("stack.positions:scale")
            error = (table * scale - model.stack.positions).abs()
            assert (error <= scale / 2 * 1.001).all()
            # Vectors, and matrices that are too small, are stored as they are.
            assert file.get_tensor("stack.norm.weight").dtype == torch.float32


def test_a_folder_holds_settings_labels_metrics_weights_and_the_tokenizer(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    storage.save(build_model("bert"), tmp_path, "float32", {"f1": 93.5, "update": 7})
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        "config.json",
        "labels.json",
        "metrics.json",
        "model.safetensors",
        "encoder/config.json",
        "encoder/tokenizer.json",
        "encoder/tokenizer_config.json",
    }
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"f1": 93.5, "update": 7}


@pytest.fixture(scope="module")
def good(build_model: Callable[..., BnaModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    storage.save(build_model("bert"), folder, "float32", {})
    return folder


def drop(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garble(path: Path) -> None:
    path.write_bytes(b"\xff\x00nonsense" * 20)


def a_list(path: Path) -> None:
    path.write_text("[]", encoding="utf-8")


@pytest.mark.parametrize(
    "file",
    [
        "config.json",
        "labels.json",
        "model.safetensors",
        "encoder/config.json",
        "encoder/tokenizer.json",
    ],
)
@pytest.mark.parametrize("damage", [drop, cut, empty, garble, a_list])
def test_a_damaged_folder_is_refused(
    good: Path, tmp_path: Path, file: str, damage: Callable[[Path], None]
) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    damage(folder / file)
    with pytest.raises(ModelError) as caught:
        storage.load(folder)
    assert Path(file).name in str(caught.value) or str(folder / "encoder") in str(caught.value)
    if damage is drop:
        assert "missing" in str(caught.value)


@pytest.mark.parametrize("text", ["[]", "null", "3", '"task"'])
def test_settings_that_are_no_object_are_damaged(good: Path, tmp_path: Path, text: str) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / "encoder/config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"encoder.* is damaged"):
        load_compiled(folder, "auto")
    shutil.copyfile(good / "encoder/config.json", folder / "encoder/config.json")
    (folder / "encoder/tokenizer_config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="cannot load the tokenizer of"):
        load_compiled(folder, "auto")
    (folder / CONFIG).write_text(text, encoding="utf-8")
    loads: list[Callable[[Path], object]] = [storage.load, read_settings, is_benepars]
    loads.append(lambda folder: load_reader(str(folder)))
    for load in loads:
        with pytest.raises(
            ModelError, match=r"config\.json is damaged: the file holds no JSON object"
        ):
            load(folder)


def change(folder: Path, file: str, **values: object) -> None:
    path = folder / file
    table = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**table, **values}), encoding="utf-8")


def test_a_setting_that_is_unknown_is_named(good: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    change(folder, "config.json", decoder={"beam": 4})
    for load in (storage.load, load_network):
        with pytest.raises(ModelError, match=r"config\.json: decoder: there is no such setting"):
            load(folder)


@pytest.mark.parametrize(
    "values",
    [
        {"labels": ["", "NP"]},
        {"labels": ["", "NP", "NP"]},
        {"labels": None},
        {"labels": []},
        {"tags": 7},
        {"characters": None},
        {"allow_empty_root": "no"},
        {"tags": [None]},
        {"labels": ["", 7]},
        {"languages": {"es": {"labels": [], "tags": []}}},
    ],
    ids=["fewer", "twice", "none", "empty", "number", "no text", "no truth", "null", "7", "other"],
)
def test_labels_that_do_not_fit_are_refused(
    good: Path, tmp_path: Path, values: dict[str, object]
) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    change(folder, "labels.json", **values)
    with pytest.raises(ModelError, match=r"does not fit|damaged"):
        storage.load(folder)


@pytest.mark.parametrize(
    "values",
    [
        {"num_attention_heads": 5},
        {"model_type": 7},
        {"model_type": []},
        {"hidden_act": {}},
        {"num_hidden_layers": "six"},
        {"layer_norm_eps": "x"},
    ],
    ids=["heads", "kind", "kinds", "activation", "layers", "epsilon"],
)
def test_an_encoder_that_cannot_be_is_refused(
    good: Path, tmp_path: Path, values: dict[str, object]
) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    change(folder, "encoder/config.json", **values)
    for load in (storage.load, load_network):
        with pytest.raises(ModelError, match=r"encoder.*damaged| does not fit"):
            load(folder)


def test_an_encoder_that_does_not_say_how_many_segments_it_knows_has_two(
    good: Path, tmp_path: Path
) -> None:
    """As the library takes it; without PyTorch it was a traceback."""
    folder = shutil.copytree(good, tmp_path / "model")
    path = folder / "encoder/config.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    del table["type_vocab_size"]
    path.write_text(json.dumps(table), encoding="utf-8")
    assert load_compiled(folder, "float32") is not None


def test_scales_and_second_names_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    from bnaparser.files.tensors import read_weights

    path = tmp_path / "w.safetensors"
    numbers = {"a": torch.zeros(4, 2, dtype=torch.int8), "a:scale": torch.ones(1, 2)}
    save_file(numbers, path)
    with pytest.raises(ModelError, match=r"damaged.*a:scale"):
        read_weights(path)
    save_file({"a": torch.zeros(2)}, path, {"copies": "[]"})
    with pytest.raises(ModelError, match="damaged"):
        read_weights(path)


def test_buffers_that_are_no_plain_numbers_are_as_they_were(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    """Nystromformer's positions begin with 2."""
    config = transformers.NystromformerConfig(
        vocab_size=200, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, num_landmarks=4, segment_means_seq_len=64,
    )  # fmt: skip
    model = build_model("bert")
    inner = transformers.NystromformerModel(config)
    encoder = PretrainedEncoder(inner, model.settings.encoder)
    other = BnaModel(model.settings, model.labels, model.tags, encoder, model.subwords)
    storage.save(other, tmp_path, "float32", {})
    found = dict(storage.load(tmp_path).encoder.named_buffers())
    expected = dict(inner.named_buffers())["embeddings.position_ids"]
    assert torch.equal(found["model.embeddings.position_ids"], expected)


def test_an_encoder_whose_tokenizer_has_no_vocabulary_is_the_same_after_loading(
    tmp_path: Path,
) -> None:
    """CANINE reads characters by their numbers: its parsers were saved, and "no complete model"."""
    config = transformers.CanineConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        num_hash_buckets=2048, local_transformer_stride=16,
    )  # fmt: skip
    transformers.CanineModel(config).save_pretrained(tmp_path / "canine")
    transformers.CanineTokenizer().save_pretrained(tmp_path / "canine")
    settings = ModelSettings(encoder=EncoderSettings(name=str(tmp_path / "canine")), layers=SMALL)
    model = storage.create(settings, Inventory.of_labels(["NP"]), Inventory.of_tags(["NN"]))
    loaded = round_trip(model, tmp_path / "parser")
    np.testing.assert_allclose(scores(loaded), scores(model), atol=1e-5)
    assert np.isfinite(scores(loaded, [["I"]])).all()  # it joins four characters to one


def test_weights_of_another_shape_are_refused(good: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    change(folder, "config.json", scorer={"hidden_size": 17})
    with pytest.raises(ModelError, match=r"does not fit config\.json"):
        storage.load(folder)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no model folder"):
        storage.load(tmp_path / "none")
    with pytest.raises(ModelError, match="not a model folder"):
        storage.load(tmp_path)


def test_a_form_that_is_not_known_is_refused_before_anything_is_written(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    """Weights were written in float32 without a word."""
    with pytest.raises(ValueError, match="store is 'int4': give one of float32, float16, int8"):
        storage.save(build_model(), tmp_path / "model", "int4", {})
    assert not (tmp_path / "model").exists()


def test_metrics_are_never_those_of_weights_that_are_not_written_yet(
    build_model: Callable[..., BnaModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build_model()
    storage.save(model, tmp_path, "float32", {"f1": 1})
    monkeypatch.setattr(storage, "write_weights", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        storage.save(model, tmp_path, "float32", {"f1": 2})
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"f1": 1}


@pytest.mark.parametrize("rounding", [BnaModel.to_bfloat16, BnaModel.to_int8])
def test_a_model_whose_weights_are_rounded_is_not_saved(
    good: Path, tmp_path: Path, rounding: Callable[[BnaModel], None]
) -> None:
    """A folder was written that could not be loaded."""
    model = storage.load(good)
    rounding(model)
    with pytest.raises(ModelError, match=f"computes in {model.precision} cannot be saved"):
        storage.save(model, tmp_path / "model", "float32", {})
    assert not (tmp_path / "model").exists()
