"""Files that cannot be what they should be: each is one sentence that names the file, and exit code 2."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.cli import main
from bnaparser.encoders.loading import load_tokenizer
from bnaparser.errors import ModelError

DEEP = "[" * 200_000
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n"


def holds(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def a_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


FILES = (
    "config.json",
    "labels.json",
    "model.safetensors",
    "encoder/config.json",
    "encoder/tokenizer.json",
    "encoder/tokenizer_config.json",
)
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "nested": (holds(DEEP), ""),
    "empty": (holds(""), ""),
    "a number": (holds("9" * 5000), ""),
    "a Git LFS pointer": (holds(POINTER), "git lfs pull"),
    "a named pipe": (a_pipe, "is not a regular file"),
    "a device": (a_device, "is not a regular file"),
    "a folder": (a_folder, "is not a regular file"),
    "a circle of links": (a_circle, "Too many levels of symbolic links"),
}


def refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one sentence with which a command ends."""
    capsys.readouterr()
    assert main(command) == 2
    sentence = capsys.readouterr().err
    assert sentence.count("\n") == 1
    return sentence


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_of_a_model_that_cannot_be_read(
    fault: str,
    file: str,
    tiny_model_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A named pipe was waited for, a pointer of Git LFS was "damaged", nested brackets were a traceback."""
    damage, said = FAULTS[fault]
    model = shutil.copytree(tiny_model_dir, tmp_path / "model")
    damage(model / file)
    sentence = refused(["parse", "--model", str(model), "It rained."], capsys)
    assert str(model / file) in sentence or (not said and str(model / "encoder") in sentence)
    assert said in sentence


@pytest.mark.parametrize("fault", ["nested", "a Git LFS pointer", "a named pipe", "a device"])
def test_what_a_folder_tells_of_its_model_that_cannot_be_read(
    fault: str, tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, said = FAULTS[fault]
    model = shutil.copytree(tiny_model_dir, tmp_path / "model")
    for file, command in (("about.json", "describe"), ("card.md", "card")):
        if (fault, file) != ("nested", "card.md"):
            (model / file).touch()
            damage(model / file)
            sentence = refused(["models", command, str(model)], capsys)
            assert str(model / file) in sentence and said in sentence


def test_settings_may_begin_with_a_byte_order_mark(tiny_model_dir: Path, tmp_path: Path) -> None:
    model = shutil.copytree(tiny_model_dir, tmp_path / "model")
    for name in ("config.json", "labels.json"):
        text = (model / name).read_text(encoding="utf-8")
        (model / name).write_text(text, encoding="utf-8-sig")
    assert main(["parse", "--model", str(model), "The cat sat ."]) == 0


RECIPE = '[train]\ndata = [{ path = "t.mrg" }]\n'


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("parses.jsonl", DEEP, ["search", "NP", "FILE"]),
        ("recipe.toml", f"{RECIPE}x = {DEEP}", ["train", "FILE"]),
        ("recipe.toml", f"{RECIPE}x = {'{a=' * 5000}", ["train", "FILE"]),
        (
            "maps.toml",
            f"x = {DEEP}",
            ["treebank", "tests/data/tiny.mrg", "--map", "FILE", "--map-set", "a"],
        ),
    ],
)
def test_nested_data_is_one_sentence(
    name: str, text: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text(text)
    typed = [word.replace("FILE", str(file)) for word in command]
    assert f"{file}" in refused(typed, capsys)


def test_a_name_with_a_line_break_stays_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no\\nwhere" in refused(["search", "NP", "no\nwhere.mrg"], capsys)


def test_a_tokenizer_s_expression_that_never_ends_fails_its_sentence_alone(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rust's panic is no Exception, and ended the program with a traceback."""
    model = shutil.copytree(tiny_model_dir, tmp_path / "model")
    file = model / "encoder" / "tokenizer.json"
    table = json.loads(file.read_text(encoding="utf-8"))
    split = {
        "type": "Split",
        "pattern": {"Regex": "(a+)+b|(x+x+)+y"},
        "behavior": "Isolated",
        "invert": False,
    }
    table["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [table["pre_tokenizer"], split]}
    file.write_text(json.dumps(table), encoding="utf-8")
    holds('{"tokenizer_class": "PreTrainedTokenizerFast"}')(file.with_name("tokenizer_config.json"))
    text = tmp_path / "in.txt"
    text.write_text(f"The cat sat .\n{'x' * 60} .\nThe cat sat .\n")
    assert main(["parse", "--model", str(model), "--input", str(text)]) == 1
    out, err = capsys.readouterr()
    assert [bool(line) for line in out.splitlines()] == [True, False, True]
    assert "line 2: the parser failed on this sentence" in err
    assert "the tokenizer of the model failed: Onig" in err


@pytest.mark.parametrize("times", [1, 20])
def test_a_tokenizer_that_makes_a_text_far_longer_is_refused(
    tiny_model_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    times: int,
) -> None:
    model = shutil.copytree(tiny_model_dir, tmp_path / "model")
    file = model / "encoder" / "tokenizer.json"
    table = json.loads(file.read_text(encoding="utf-8"))
    replace = {"type": "Replace", "pattern": {"String": "t"}, "content": "t" * (100 // times)}
    table["normalizer"] = {"type": "Sequence", "normalizers": [replace] * times}
    file.write_text(json.dumps(table), encoding="utf-8")
    holds('{"tokenizer_class": "PreTrainedTokenizerFast"}')(file.with_name("tokenizer_config.json"))
    assert main(["parse", "--model", str(model), "The cat sat ."]) == 2
    assert "more than 64 times as long" in capsys.readouterr().err
    with pytest.raises(ModelError, match="more than 64 times as long"):
        load_tokenizer(file.parent)
    harmless = replace | {"content": "t"}
    table["normalizer"]["normalizers"] = [harmless] * 20
    file.write_text(json.dumps(table), encoding="utf-8")
    assert main(["parse", "--model", str(model), "The cat sat ."]) == 0


@pytest.mark.parametrize(
    ("name", "value"), [("NUMBA_DISABLE_JIT", "1"), ("NUMBA_CPU_FEATURES", "+avx2,fma")]
)
def test_numba_that_may_not_compile_is_one_sentence(name: str, value: str) -> None:
    """Each sentence failed with "is not usable in pure-python"; LLVM ended the process for the features."""
    command = [sys.executable, "-m", "bnaparser", "parse", "It rained."]
    environment = {**os.environ, name: value}
    ended = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert name in ended.stderr
