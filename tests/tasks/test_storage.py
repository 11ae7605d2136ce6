"""Model folders of tasks: whole ones, damaged ones, small ones; loading needs little."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bnaparser.network.storage
from bnaparser.errors import BnaparserError, ModelError
from bnaparser.settings import validate
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import TaskModel, create, load_model, save_model, to_device
from bnaparser.tasks.settings import TaskModelSettings

EXAMPLES = [
    PreparedExample((random_structure(words),)) for words in (("It", "sang"), ("Karo", "fell"))
]


@pytest.fixture
def model(recipe_table: Callable[..., dict[str, Any]]) -> TaskModel:
    table = recipe_table()
    del table["train"]
    made = create(validate(TaskModelSettings, table, "test"), ("negative", "positive"))
    made.network.eval()
    return made


def test_what_is_stored_is_what_is_loaded(model: TaskModel, tmp_path: Path) -> None:
    save_model(model, tmp_path / "m", "float32", {"accuracy": 1.0})
    loaded = load_model(tmp_path / "m")
    assert loaded.labels == model.labels
    assert loaded.settings == model.settings.portable()
    assert np.allclose(loaded.scores(EXAMPLES), model.scores(EXAMPLES), atol=1e-6)
    assert json.loads((tmp_path / "m" / "metrics.json").read_text()) == {"accuracy": 1.0}
    assert "/" not in json.loads((tmp_path / "m" / "config.json").read_text())["encoder"]["name"]


def test_int8_is_smaller_and_close(
    model: TaskModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnaparser.files.tensors.SMALLEST", 512)
    for store in ("float32", "int8"):
        save_model(model, tmp_path / store, store, {})
    sizes = [(tmp_path / s / "model.safetensors").stat().st_size for s in ("float32", "int8")]
    assert sizes[1] < 0.5 * sizes[0]
    found = load_model(tmp_path / "int8").scores(EXAMPLES)
    assert np.allclose(found, model.scores(EXAMPLES), atol=0.05)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("config.json", None),
        ("config.json", "{"),
        ("config.json", '{"task": {}, "encoder": {"nam": 1}}'),
        ("encoder/config.json", '{"model_type": "bert", "num_hidden_layers": "six"}'),
        ("labels.json", "[]"),
        ("labels.json", '{"classes": []}'),
        ("labels.json", '{"classes": ["a", "b", "c"]}'),
        ("model.safetensors", None),
        ("model.safetensors", "abc"),
        ("encoder/config.json", None),
        ("encoder/tokenizer.json", None),
    ],
)
def test_damage_is_named(model: TaskModel, tmp_path: Path, file: str, text: str | None) -> None:
    save_model(model, tmp_path, "float32", {})
    if text is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(BnaparserError):
        load_model(tmp_path)


@pytest.mark.parametrize("text", ["[]", "null", "3", '["task"]'])
def test_settings_that_are_no_object_are_damaged(
    model: TaskModel, tmp_path: Path, text: str
) -> None:
    save_model(model, tmp_path, "float32", {})
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json is damaged: the file holds no JSON object"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("classes", "told"),
    [
        (["a"], r"gives 2 scores, and .*labels\.json has names for 1"),
        (["a", "b", "c"], r"gives 2 scores, and .*labels\.json has names for 3"),
        (["a", "a"], r"labels\.json is damaged: it names 'a' twice"),
    ],
)
def test_classes_that_do_not_fit_the_weights_are_told(
    model: TaskModel, tmp_path: Path, classes: list[str], told: str
) -> None:
    save_model(model, tmp_path, "float32", {})
    (tmp_path / "labels.json").write_text(json.dumps({"classes": classes}), encoding="utf-8")
    with pytest.raises(ModelError, match=told):
        load_model(tmp_path)


def test_a_parser_is_no_model_of_a_task(tiny_model_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a parser, not a task model"):
        load_model(tiny_model_dir)
    with pytest.raises(ModelError, match="no model folder"):
        load_model(tmp_path / "none")


def test_a_model_of_a_task_is_no_parser(model: TaskModel, tmp_path: Path) -> None:
    save_model(model, tmp_path, "float32", {})
    with pytest.raises(ModelError, match="is a task model, not a parser"):
        bnaparser.network.storage.load(tmp_path)


def test_a_device_that_is_not_there(model: TaskModel) -> None:
    with pytest.raises(ModelError, match="cannot use the device 'nowhere'"):
        to_device(model, "nowhere")


def test_loading_needs_nothing_of_what_training_needs(
    model: TaskModel, tmp_path: Path, tiny_model_dir: Path
) -> None:
    save_model(model, tmp_path, "float32", {})
    program = f"""
import sys
for name in ("accelerate", "sklearn", "seqeval", "scipy"):
    sys.modules[name] = None
from bnaparser.tasks.classifier import Classifier
answer = Classifier.load({str(tmp_path)!r}, {str(tiny_model_dir)!r}, "cpu")("It sang.")
print(answer.label)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in model.labels
