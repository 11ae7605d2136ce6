"""Files of part-of-speech tags: lines of tags or trees, and what does not fit its sentences."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from bnaparser.errors import DataError, TreeError
from bnaparser.treebanks.tag_files import read_tags, tags_of

SENTENCES = [("The", "cat", "sat"), ("It", "rained")]
TAGS = [("DT", "NN", "VBD"), ("PRP", "VBD")]
LINES = "DT NN VBD\n\n  PRP\tVBD \n"
TREES = """( (S (NP-SBJ (DT The) (NN cat))
   (VP (VBD sat) (NP (-NONE- *T*-1)))))
(TOP (S (NP (PRP It)) (VP (VBD rained))))
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "tags.txt"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(("text", "lines"), [(LINES, [1, 3]), (TREES, [1, 3])])
def test_tags_stand_in_lines_or_in_trees(tmp_path: Path, text: str, lines: list[int]) -> None:
    file = write(tmp_path, text)
    assert [(row.tags, row.line) for row in read_tags(file)] == list(zip(TAGS, lines, strict=True))
    assert tags_of(file, SENTENCES) == TAGS


@pytest.mark.parametrize("text", [LINES, TREES, "\n \n" + TREES])
def test_a_pipe_is_read_once(tmp_path: Path, text: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    assert [row.tags for row in read_tags(pipe)] == TAGS
    writer.join(10)


def test_a_tag_may_begin_with_any_mark_but_a_bracket(tmp_path: Path) -> None:
    assert tags_of(write(tmp_path, "# CD\n-LRB- ''\n"), [("#", "3"), ("(", '"')]) == [
        ("#", "CD"),
        ("-LRB-", "''"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DT NN\n\nPRP VBD\n", r"tags.txt:1: 2 tags for the 3 words of sentence 1 \(The cat sat"),
        ("DT NN VBD\n\nPRP\n", r"tags.txt:3: 1 tags for the 2 words of sentence 2"),
        ("DT NN VBD\n", "has tags for 1 sentences, but there are 2 sentences"),
        (LINES + "NN\n", "has tags for 3 sentences, but there are 2 sentences"),
        ("", "has tags for 0 sentences"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        tags_of(write(tmp_path, text), SENTENCES)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.txt: no such file"):
        tags_of(tmp_path / "none.txt", SENTENCES)
    with pytest.raises(TreeError, match="never closed"):
        tags_of(write(tmp_path, "(TOP (S (DT The)"), SENTENCES)
