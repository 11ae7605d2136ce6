"""Encoders and parsers with only their lowest layers: what is left computes what it did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bnaparser.cli import main
from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.encoders.loading import load_pretrained, load_tokenizer, save_tokenizer
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.errors import DataError
from bnaparser.models.packages import ModelPackage
from bnaparser.network import storage
from bnaparser.parsing.parser import Parser

IDS = torch.tensor([[2, 30, 31, 32, 3]])
KINDS = ["bert", "distilbert", "mpnet", "deberta-v2", "roberta"]


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_the_lowest_layers_are_as_they_were(
    encoder_folder: Callable[[str], Path], kind: str
) -> None:
    encoder = PretrainedEncoder(
        load_pretrained(encoder_folder(kind)), EncoderSettings(mix_layers=True)
    ).eval()
    encoder.mix_weights.copy_(torch.tensor([0.3, -0.2, 0.5]))
    before = encoder.model(IDS, output_hidden_states=True).hidden_states
    encoder.keep_lowest(1)
    encoder.eval()
    after = encoder.model(IDS, output_hidden_states=True)
    assert len(after.hidden_states) == 2
    torch.testing.assert_close(after.last_hidden_state, before[1])
    assert encoder.mix_weights.tolist() == pytest.approx([0.3, -0.2])


@torch.no_grad()
def test_of_an_encoder_that_names_the_kind_of_each_layer_the_lowest_are_kept(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """ModernBERT's: a kind too many was a traceback."""
    whole = load_pretrained(encoder_folder("modernbert")).eval()
    load_pretrained(encoder_folder("modernbert"), layers=1).save_pretrained(tmp_path)
    cut = load_pretrained(tmp_path).eval()
    assert cut.config.layer_types == whole.config.layer_types[:1]
    before = whole(IDS, output_hidden_states=True).hidden_states[1]
    torch.testing.assert_close(cut(IDS).last_hidden_state, cut.final_norm(before))


@torch.no_grad()
def test_a_parser_with_fewer_layers_is_stored_and_loaded(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    assert main(["prune", str(tiny_model_dir), str(small), "--layers", "1"]) == 0
    whole, cut = (encoder_of(folder) for folder in (tiny_model_dir, small))
    before = whole.model(IDS, output_hidden_states=True).hidden_states
    torch.testing.assert_close(cut.model(IDS).last_hidden_state, before[1])
    assert str(Parser.load(small)("Mira sang.")[0].tree).startswith("(TOP ")


@torch.no_grad()
def test_an_encoder_with_fewer_layers_and_pieces(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\n", encoding="utf-8")
    folder = str(encoder_folder("bert"))
    assert main(["prune", folder, str(tmp_path / "low"), "--layers", "1"]) == 0
    both = ["--layers", "1", "--size", "300", "--text", str(text)]
    assert main(["prune", folder, str(tmp_path / "both"), *both]) == 0
    low, both_ways = (load_pretrained(tmp_path / name) for name in ("low", "both"))
    assert low.config.num_hidden_layers == both_ways.config.num_hidden_layers == 1
    assert low.config.vocab_size > both_ways.config.vocab_size


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "prune needs --size N"),
        (["--size", "300"], "--size and --text need each other"),
        (["--layers", "0"], "--layers 0: it must be at least 1"),
        (["--layers", "5"], "encoder.layers is 5, but the encoder has 2 layers"),
    ],
)
def test_what_cannot_be_kept_is_told(
    encoder_folder: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    target = tmp_path / "small"
    assert main(["prune", str(encoder_folder("bert")), str(target), *options]) == 2
    assert message in capsys.readouterr().err
    assert not target.exists()


def test_a_parser_is_found_by_its_name(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = ModelPackage("mine", "a-package", "1.5", tiny_model_dir)
    monkeypatch.setattr("bnaparser.models.packages.installed", lambda: [package])
    assert main(["prune", "mine", str(tmp_path / "small"), "--layers", "1"]) == 0
    assert str(Parser.load(tmp_path / "small")("Mira sang.")[0].tree).startswith("(TOP ")


def test_nothing_is_written_over_the_input_or_a_file(
    encoder_folder: Callable[[str], Path],
    tiny_model_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    for given in (encoder_folder("bert"), tiny_model_dir):
        before = (given / "model.safetensors").read_bytes()
        assert main(["prune", str(given), str(given), "--layers", "1"]) == 2
        assert "exists already: choose another folder" in capsys.readouterr().err
        assert (given / "model.safetensors").read_bytes() == before
        assert main(["prune", str(given), str(tmp_path / "file"), "--layers", "1"]) == 2
        assert "file exists already" in capsys.readouterr().err


def encoder_of(folder: Path) -> Any:
    """The encoder of a stored parser, as PyTorch computes it."""
    return storage.load(folder).encoder.eval()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_tokenizer_on_a_full_disk_is_told(
    encoder_folder: Callable[[str], Path], tiny_model_dir: Path, tmp_path: Path
) -> None:
    for name in ("alone", "parser/encoder"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "tokenizer.json").symlink_to("/dev/full")
    with pytest.raises(DataError, match=r"cannot be written \(No space left"):
        save_tokenizer(load_tokenizer(encoder_folder("bert")), tmp_path / "alone")
    with pytest.raises(DataError, match=r"cannot be written \(No space left"):
        storage.save(storage.load(tiny_model_dir), tmp_path / "parser", "float32", {})
