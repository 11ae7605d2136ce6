"""What pre-training says of text, encoders and disks that will not do, and that nothing is lost."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from bnaparser.errors import BnaparserError, DataError, ModelError, SettingsError
from bnaparser.files.folder import only_one
from bnaparser.spanbert.language_model import add_mask_token, load_language_model
from bnaparser.spanbert.pretraining import pretrain
from bnaparser.spanbert.settings import PretrainRecipe

MakeRecipe = Callable[..., PretrainRecipe]


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes, as if the disk were full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def weights(output: Path) -> dict[str, torch.Tensor]:
    return load_file(output / "model" / "model.safetensors")


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(tensor, second[name]) for name, tensor in first.items()
    )


@pytest.mark.parametrize("name", ["bert", None])
@pytest.mark.parametrize("size", [400, 3000])
def test_a_disk_that_is_full_while_text_is_tokenised(
    make_recipe: MakeRecipe, tmp_path: Path, size: int, name: str | None
) -> None:
    """Without an encoder to begin with, a tokenizer is written first."""
    recipe = make_recipe()
    if name is None:
        new = {
            "num_hidden_layers": 1,
            "hidden_size": 16,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "vocab_size": 150,
        }
        recipe = make_recipe(encoder={"name": None, "new": new})
    with full_after(size), pytest.raises(DataError, match="is the disk full") as raised:
        pretrain(recipe, tmp_path)
    assert "\n" not in str(raised.value)
    assert not list((tmp_path / "text").glob("*.new"))
    assert pretrain(recipe, tmp_path).update == 6


def test_a_disk_that_is_full_at_a_checkpoint_costs_what_came_since_the_last(
    make_recipe: MakeRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = make_recipe()
    pretrain(recipe, tmp_path / "whole")
    full = tmp_path / "full"
    shutil.copytree(tmp_path / "whole" / "text", full / "text")
    shorter = make_recipe(pretrain={"max_steps": 6, "eval_steps": 3})
    with full_after(20_000), pytest.raises(BnaparserError, match="cannot be written") as raised:
        pretrain(shorter, full)
    assert "\n" not in str(raised.value)
    assert not (full / "model").exists()
    # From here on there is an encoder: it stays as it is.
    _until(make_recipe, full, monkeypatch, 4)
    kept = weights(full)
    with full_after(20_000), pytest.raises(BnaparserError, match="cannot be written"):
        pretrain(recipe, full)
    assert equal(weights(full), kept)
    assert pretrain(recipe, full).update == 6
    assert equal(weights(full), weights(tmp_path / "whole"))


def _until(make_recipe: MakeRecipe, output: Path, patch: pytest.MonkeyPatch, update: int) -> None:
    """Pre-train, and break off before this update."""
    from bnaparser.spanbert.pretraining import PretrainRun

    whole = PretrainRun.update

    def broken_off(self: PretrainRun, numbers: object) -> float:
        if self.progress.update == update:
            raise KeyboardInterrupt
        return whole(self, numbers)  # type: ignore[arg-type]

    with patch.context() as at_once:
        at_once.setattr(PretrainRun, "update", broken_off)
        with pytest.raises(KeyboardInterrupt):
            pretrain(make_recipe(), output)


def test_two_runs_in_one_folder_are_refused(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    with (
        only_one(tmp_path / "run", "a model is being trained"),
        pytest.raises(SettingsError, match=r"a model is being trained in .*run in another"),
    ):
        pretrain(make_recipe(), tmp_path / "run")


def test_a_text_that_has_changed_since_a_run_was_begun_is_told(
    make_recipe: MakeRecipe, text_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run went on, with other blocks than those that it had begun with."""
    file = tmp_path / "text.txt"
    shutil.copy(text_file, file)

    def same(**tables: dict[str, object]) -> PretrainRecipe:
        return make_recipe(text={"files": (str(file),)})

    _until(same, tmp_path / "run", monkeypatch, 4)
    old = file.read_text()
    file.write_text(old + "\nOne more sentence came.\n")
    with pytest.raises(SettingsError, match=r"the text has changed since .* was begun"):
        pretrain(same(), tmp_path / "run")
    file.write_text(old)
    assert pretrain(same(), tmp_path / "run").update == 6
    file.write_text(old + "\nOne more sentence came.\n")
    assert pretrain(same(), tmp_path / "run", fresh=True).update == 6


def test_texts_that_are_no_text(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    for name, content, told in (
        ("program.txt", b"\x7fELF\x02\x01\x00\x00", "program.txt: this is a program, not text"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n\xff", "picture.txt: this is a picture, not text"),
        ("empty.txt", b"", "these files hold no text"),
        ("word.txt", b"x" * 20_000, "no block of text in 1 files"),
    ):
        (tmp_path / name).write_bytes(content)
        recipe = make_recipe("roberta", text={"files": (str(tmp_path / name),)})
        with pytest.raises(DataError, match=told) as raised:
            pretrain(recipe, tmp_path / "run")
        assert "\n" not in str(raised.value)


def test_a_giant_word_among_others_is_left_out(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("The cat sat.\n\n" + "y" * 20_000 + "\n\nThe dog saw Mira.\n")
    recipe = make_recipe("roberta", text={"files": (str(file),), "dev_ratio": 0.0})
    assert pretrain(recipe, tmp_path / "run").update == 6


def test_a_text_that_is_shorter_than_a_block_is_trained_on(
    make_recipe: MakeRecipe, tmp_path: Path
) -> None:
    file = tmp_path / "text.txt"
    file.write_text("Sat.\n")
    progress = pretrain(make_recipe(text={"files": (str(file),)}), tmp_path / "run")
    assert progress.update == 6
    assert [one["update"] for one in progress.history] == [0, 3, 6]
    assert not [name for one in progress.history for name in one if name.startswith("held_out")]


@pytest.mark.parametrize(("kind", "grows"), [("bert", 0), ("roberta", 1), ("xlnet", 1)])
def test_a_tokenizer_without_a_mask_gets_one(
    make_recipe: MakeRecipe,
    encoder_folder: Callable[[str], Path],
    tmp_path: Path,
    kind: str,
    grows: int,
) -> None:
    """BERT's vocabulary has a subword of that name; the others' embedding and head grow by one."""
    folder = tmp_path / "encoder"
    shutil.copytree(encoder_folder(kind), folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.mask_token = None
    tokenizer.save_pretrained(folder)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), load_language_model(folder)
    assert tokenizer.mask_token_id is None
    before = len(model.embeddings)
    assert add_mask_token(tokenizer, model)
    assert len(model.embeddings) == before + grows
    scores = model.word_scores(torch.zeros(1, model.base.config.hidden_size))
    assert scores.shape == (1, before + grows)
    assert not add_mask_token(tokenizer, model)
    progress = pretrain(make_recipe(encoder={"name": str(folder)}), tmp_path / "run")
    assert progress.update == 6
    made = tmp_path / "run" / "model"
    mask = AutoTokenizer.from_pretrained(made).mask_token_id
    assert mask == tokenizer.mask_token_id < AutoModel.from_pretrained(made).config.vocab_size


def test_a_tokenizer_of_another_encoder_is_told(
    make_recipe: MakeRecipe, encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "encoder"
    shutil.copytree(encoder_folder("bert"), folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["Zanzibar", "Zeppelin"])
    tokenizer.save_pretrained(folder)
    with pytest.raises(
        ModelError, match=r"the tokenizer has \d+ subwords, but the encoder has vectors for"
    ):
        pretrain(make_recipe(encoder={"name": str(folder)}), tmp_path / "run")


def test_a_run_goes_on_with_other_workers_and_another_cache(
    make_recipe: MakeRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretrain(make_recipe(), tmp_path / "whole")
    _until(make_recipe, tmp_path / "run", monkeypatch, 4)
    moved = make_recipe(
        text={"workers": 2, "cache": str(tmp_path / "cache")}, pretrain={"dev_blocks": 3}
    )
    assert pretrain(moved, tmp_path / "run").update == 6
    assert equal(weights(tmp_path / "run"), weights(tmp_path / "whole"))


def test_heads_that_leave_the_encoder_no_turn_are_told(make_recipe: MakeRecipe) -> None:
    with pytest.raises(ValueError, match="the encoder would not be trained"):
        make_recipe(pretrain={"freeze_encoder_steps": 6})
