"""A model folder that is a zip: computed as the folder is, and refused where it is damaged."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from bnaparser import Parser
from bnaparser.cli import main
from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG, LABELS, WEIGHTS
from bnaparser.network import storage
from bnaparser.network.model import BnaModel

WORDS = ["The", "cat", "saw", "Mira", "."]


@pytest.fixture(scope="module")
def good(build_model: Callable[..., BnaModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    storage.save(build_model("bert"), folder, "float32", {})
    return folder


def test_a_zip_is_computed_as_its_folder_is(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    """PyTorch computed it in float32, whatever its weights were."""
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


Files = dict[str, bytes]


def packed(files: Files, packing: int = ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with ZipFile(data, "w", packing) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def replaced(data: bytes, before: bytes, after: bytes) -> bytes:
    assert data.count(before) == 2  # before the file, and in the table at the end
    return data.replace(before, after)


WHOLE: Files = {CONFIG: b"{}", LABELS: b"{}", WEIGHTS: b"weights"}
FAULTY: dict[str, tuple[bytes, str]] = {
    "empty": (packed({}), f"the file {CONFIG} is missing"),
    "a zip of a zip": (packed({"model.zip": packed(WHOLE)}), f"the file {CONFIG} is missing"),
    "no weights": (packed({"m/config.json": b"{}"}), f"the file 'm/{WEIGHTS}' is missing"),
    "a bomb": (packed({**WHOLE, WEIGHTS: bytes(20 << 20)}), "and would unpack to 21 MB"),
    "many": (packed({**WHOLE, **{f"{n}.txt": b"" for n in range(999)}}), "1,002 files, more than a model has"),
    "twice": (replaced(packed({**WHOLE, "labels.jsom": b""}), b"labels.jsom", b"labels.json"), "'labels.json' is in the archive twice"),
    "encrypted": (
        packed(WHOLE, 0).replace(b"PK\1\2\24\3\24\0\0\0", b"PK\1\2\24\3\24\0\1\0").replace(b"PK\3\4\24\0\0\0", b"PK\3\4\24\0\1\0"),
        "is encrypted",
    ),
    "a name that is not UTF-8": (
        packed({**WHOLE, "n\xe9.txt": b""}, 0).replace(b"n\xc3\xa9", b"n\xc3\xc3"),
        "'utf-8' codec can't decode",
    ),
    "another packing": (packed(WHOLE, 0).replace(b"PK\1\2\24\3\24\0\0\0\0\0", b"PK\1\2\24\3\24\0\0\0\x62\0"), "compression"),
    "changed": (packed(WHOLE, 0).replace(b"weights", b"weight5"), "Bad CRC-32"),
    "a file that is a folder": (packed({**WHOLE, "labels.json/a.json": b""}), "File exists"),
    "a long name": (packed({**WHOLE, "n" * 300 + ".txt": b""}), "File name too long"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_zip_is_one_sentence_with_its_name(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, said = FAULTY[fault]
    path = tmp_path / "model.zip"
    path.write_bytes(data)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    target = str(tmp_path / "new")
    for command in (
        ["parse", "--model", str(path), "It rained."],
        ["classify", "--model", str(path), "It rained."],
        ["models", "describe", str(path)],
        ["models", "import", str(path), target],
        ["models", "export", str(path), target, "--name", "mine"],
    ):
        assert main(command) == 2
        err = capsys.readouterr().err
        assert f"{path} is not a whole zip file of a model: " in err and said in err
        assert err.count("\n") == 1
    assert not list(temporary.iterdir()) and not (tmp_path / "new").exists()


def test_nothing_of_a_zip_without_a_model_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    path = tmp_path / "model.zip"
    for fault in ("empty", "a bomb", "no weights", "many", "twice"):
        path.write_bytes(FAULTY[fault][0])
        with pytest.raises(ModelError, match="not a whole zip file of a model"):
            storage.load(path)


def test_only_files_of_a_model_are_unpacked_and_errors_name_the_zip(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {str(file.relative_to(good)): file.read_bytes() for file in good.rglob("*.*")}
    path, target = tmp_path / "model.zip", tmp_path / "new"
    strange = {"../up.json": b"{}", "/root.json": b"{}", "run.py": b"", "bomb.bin": bytes(30 << 20)}
    path.write_bytes(packed({**files, **strange}))
    assert main(["models", "import", str(path), str(target)]) == 0
    assert {str(file.relative_to(target)) for file in target.rglob("*.*")} == set(files)
    del files[LABELS]
    path.write_bytes(packed({f"m/{name}": content for name, content in files.items()}))
    capsys.readouterr()
    assert main(["parse", "--model", str(path), "It rained."]) == 2
    assert f"{path}/{LABELS} is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "stray",
    [
        {"__MACOSX/config.json": b"{}", "config.json": b"{}"},
        {"m/model/encoder/model.safetensors": b""},
        {"n/model.safetensors": b"", "o/encoder/config.json": b"{}"},
    ],
)
def test_files_of_no_model_beside_a_model_do_not_matter(
    stray: Files, good: Path, tmp_path: Path
) -> None:
    """The configuration with the shortest name was taken, and its weights were missing."""
    files = {f"m/model/{file.relative_to(good)}": file.read_bytes() for file in good.rglob("*.*")}
    path, target = tmp_path / "model.zip", tmp_path / "new"
    path.write_bytes(packed({**stray, **files}))
    assert main(["models", "import", str(path), str(target)]) == 0
    assert (target / WEIGHTS).read_bytes() == (good / WEIGHTS).read_bytes()


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (["en/", "en-free/"], "has 2 models, in the folders 'en', 'en-free': "),
        (["", "deep/old/"], "has 2 models, in the folders '.', 'deep/old': "),
        ([f"m{n}/" for n in range(7)], "has 7 models, in the folders 'm0', 'm1', 'm2', 'm3', 'm4' and 2 more: "),
    ],
)  # fmt: skip
def test_several_models_in_a_zip_are_named_and_none_is_taken(
    folders: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model in the folder with the shortest name was taken."""
    path, target = tmp_path / "model.zip", tmp_path / "new"
    files = {top + name: content for top in folders for name, content in WHOLE.items()}
    path.write_bytes(packed(files))
    assert main(["models", "import", str(path), str(target)]) == 2
    err = capsys.readouterr().err
    assert f"{path} {said}a zip file must have one model: unpack it" in err
    assert err.count("\n") == 1 and not target.exists()
    path.write_bytes(packed({**files, f"{folders[0]}benepar_model.bin": b""}))
    with pytest.raises(ModelError, match=f"has {len(folders)} models"):
        storage.load(path)
