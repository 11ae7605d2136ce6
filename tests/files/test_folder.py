"""A new folder takes an old one's place, or gets its name when all is in it; what is in a folder; locks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bnaparser.errors import DataError, SettingsError
from bnaparser.files.folder import files_below, new_folder, only_one, put_in_place


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
    assert (tmp_path / ".model.old" / "told.txt").read_text() == "first"


def test_folders_that_a_user_named_so_stay(tmp_path: Path) -> None:
    for name in ("model.old", "model.new"):
        made(tmp_path / name, "mine")
    put_in_place(made(tmp_path / "new", "first"), tmp_path / "model")
    (tmp_path / "model" / "told.txt").unlink()
    (tmp_path / "model").rmdir()
    with new_folder(tmp_path / "model"):
        pass
    for name in ("model.old", "model.new"):
        assert (tmp_path / name / "told.txt").read_text() == "mine"


def test_a_link_to_a_folder_gives_way_as_a_folder_does(tmp_path: Path) -> None:
    """The second model was a traceback: the link stood where the first one was to be put aside."""
    (tmp_path / "model").symlink_to(made(tmp_path / "elsewhere", "old"))
    for text in ("one", "two"):
        put_in_place(made(tmp_path / "new", text), tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "model"]
    assert not (tmp_path / "model").is_symlink()


def test_a_new_folder_has_its_name_when_all_is_in_it(tmp_path: Path) -> None:
    made(tmp_path / ".model.new", "left by a kill")
    with new_folder(tmp_path / "deep" / "model") as new, pytest.raises(FileExistsError):
        made(new, "there is one to write into")
    for broken in (True, False):
        try:
            with new_folder(tmp_path / "model") as new:
                (new / "told.txt").write_text("whole")
                assert not (tmp_path / "model").exists()
                assert 1 / (not broken)
        except ZeroDivisionError:
            pass
        assert (tmp_path / "model").exists() is not broken
        assert not (tmp_path / ".model.new").exists()
    assert (tmp_path / "model" / "told.txt").read_text() == "whole"


def test_what_is_there_stays_and_an_empty_folder_is_written_into(tmp_path: Path) -> None:
    full, empty, file = made(tmp_path / "full", "mine"), tmp_path / "empty", tmp_path / "file"
    file.touch()
    for taken in (full, file):
        with (
            pytest.raises(DataError, match="exists already: choose another folder"),
            new_folder(taken),
        ):
            pass
    assert (full / "told.txt").read_text() == "mine"
    empty.mkdir()
    same = empty.stat().st_ino
    with new_folder(empty) as new:
        (new / "told.txt").write_text("whole")
    assert empty.stat().st_ino == same
    assert (empty / "told.txt").read_text() == "whole"


def test_the_files_of_a_folder_at_any_depth(tmp_path: Path) -> None:
    """Links to folders were not followed: their files were left out without a word."""
    tree, other = made(tmp_path / "tree", "first"), made(tmp_path / "other", "second")
    made(tree / "b", "third")
    (tree / "a").symlink_to(tree / "b")  # the same folder twice
    (tree / "b" / "up").symlink_to(tree)
    (tree / "linked").symlink_to(other)
    (other / "back").symlink_to(tree)
    (tree / "file").symlink_to(other / "told.txt")
    (tree / ".#lock").symlink_to("nothing")
    found = [str(one.relative_to(tree)) for one in files_below(tree)]
    assert found == ["b/told.txt", "file", "linked/told.txt", "told.txt"]


def test_a_file_that_would_be_left_out_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.txt").symlink_to("nothing")
    with pytest.raises(DataError, match=r"broken.txt: this link leads to nothing"):
        files_below(tmp_path)
    (tmp_path / "broken.txt").unlink()
    made(tmp_path / "closed", "first")
    scandir = os.scandir

    def refusing(path: str) -> object:  # root may read every folder
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(DataError, match=r"closed: this folder cannot be read: Permission denied"):
        files_below(tmp_path)


def test_only_one_process_works_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "mine"
    code = f"""
from pathlib import Path
from bnaparser.files.folder import only_one
with only_one(Path({str(folder)!r}), "a model is being trained"):
    print("in")
"""
    command = [sys.executable, "-c", code]
    with only_one(folder, "a model is being trained"):
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.stdout == ""
    assert (
        f"a model is being trained in {folder} in another process: wait for its end" in told.stderr
    )
    assert not folder.exists()  # nothing was written
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "in\n"
    (tmp_path / "file").touch()
    with (
        pytest.raises(SettingsError, match=r"file cannot be written"),
        only_one(tmp_path / "file", ""),
    ):
        pass
