"""A new folder takes an old one's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.files.folder import put_in_place


def made(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "told.txt").write_text(text)
    return folder


def test_the_new_one_is_there_and_nothing_of_the_old(tmp_path: Path) -> None:
    for text in ("first", "second"):
        put_in_place(made(tmp_path / "new", text), tmp_path / "model")
        assert (tmp_path / "model" / "told.txt").read_text() == text
        assert [one.name for one in tmp_path.iterdir()] == ["model"]


def test_the_old_one_is_kept_until_the_new_one_is_there(tmp_path: Path) -> None:
    made(tmp_path / "model", "first")
    with pytest.raises(FileNotFoundError):
        put_in_place(tmp_path / "none", tmp_path / "model")
    assert (tmp_path / "model.old" / "told.txt").read_text() == "first"


def test_a_link_to_a_folder_gives_way_as_a_folder_does(tmp_path: Path) -> None:
    """The second model was a traceback: the link stood where the first one was to be put aside."""
    (tmp_path / "model").symlink_to(made(tmp_path / "elsewhere", "old"))
    for text in ("one", "two"):
        put_in_place(made(tmp_path / "new", text), tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "model"]
    assert not (tmp_path / "model").is_symlink()
