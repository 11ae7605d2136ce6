"""A model folder that is a zip: computed as the folder is, and refused where it is damaged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile

import pytest

from bnaparser import Parser
from bnaparser.compute.instructions import instructions
from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG
from bnaparser.network import storage
from bnaparser.network.compiled import compiled_network
from bnaparser.network.model import BnaModel

WORDS = ["The", "cat", "saw", "Mira", "."]


@pytest.fixture(scope="module")
def good(build_model: Callable[..., BnaModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    storage.save(build_model("bert"), folder, "float32", {})
    return folder


def test_a_zip_is_computed_as_its_folder_is(
    build_model: Callable[..., BnaModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch computed it in float32, whatever its weights were."""
    with_bytes = instructions()._replace(int8="vpmaddwd")
    monkeypatch.setattr(compiled_network, "instructions", lambda: with_bytes)
    storage.save(build_model("bert"), tmp_path / "model", "int8", {})
    path = Path(shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path / "model"))
    folder, zipped = (Parser.load(one, "cpu") for one in (tmp_path / "model", path))
    assert (folder.precision, zipped.precision) == ("int8", "int8")
    assert zipped.parse_words(WORDS) == folder.parse_words(WORDS)
    assert zipped.model.fingerprint() == zipped.model.fingerprint() != folder.model.fingerprint()


def test_a_damaged_zip_of_another_packing_is_refused(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with ZipFile(path, "w", ZIP_LZMA) as archive:
        archive.write(good / CONFIG, CONFIG)
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)
    path.write_bytes(data)
    with pytest.raises(ModelError, match="not a whole zip file of a model"):
        storage.load(path)


def test_a_zip_of_a_model_of_another_format_is_refused(good: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / "about.json").write_text('{"format": 2}')
    path = shutil.make_archive(str(tmp_path / "model"), "zip", tmp_path, "model")
    with pytest.raises(ModelError, match=r"model\.zip holds a model of format 2"):
        storage.load(path)
