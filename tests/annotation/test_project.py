"""The project folder: steps, undo, kills, full disks, locks, folders that are something else's."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bnaparser.annotation.agreement import agreements
from bnaparser.annotation.journal import NotSavedError
from bnaparser.annotation.project import PARSES, STEPS, open_project, read_project
from bnaparser.annotation.sources import to_parse
from bnaparser.errors import DataError, TreeError
from bnaparser.eval import score
from bnaparser.trees.tree import Tree
from tests.annotation.conftest import TREES, Maker, do

# --- steps


def test_undo_and_redo_lead_to_every_tree_again(make: Maker) -> None:
    """Random steps, beside a list of trees and a place in it."""
    project, draw = make(), random.Random(3)
    trees, place, most = [TREES[0][0]], 0, 0
    for _ in range(200):
        kind = draw.choice(["undo", "redo", "edit", "edit"])
        try:
            if kind == "edit":
                name = draw.choice(["relabel", "remove", "bracket", "move", "choose"])
                nodes = draw.randrange(12), draw.randrange(12)
                do(project, "Anna", 0, name, nodes[0], other=nodes[1], label=draw.choice("XYZ"))
                trees[place + 1 :] = [project.tree("Anna", 0)]
                place += 1
            else:
                do(project, "Anna", 0, kind)
                place += 1 if kind == "redo" else -1
        except TreeError:
            assert kind == "edit" or place == (0 if kind == "undo" else len(trees) - 1)
        assert project.tree("Anna", 0) == trees[place]
        most = max(most, len(trees))
    assert most > 10
    again = make()
    assert again.tree("Anna", 0) == trees[place]
    assert again.history("Anna", 0) == project.history("Anna", 0)


def test_what_was_accepted_stays_through_later_steps(make: Maker) -> None:
    project = make()
    do(project, "Anna", 0, "choose", 1)
    do(project, "Anna", 0, "accept")
    do(project, "Anna", 0, "remove", 2)
    do(project, "Anna", 0, "undo")
    do(project, "Anna", 0, "undo")
    do(project, "Anna", 0, "comment", comment="a\nb 猫 \ud800")
    project = make()
    assert project.accepted() == [TREES[0][1]]
    assert project.tree("Anna", 0) == TREES[0][0]
    assert project.history("Anna", 0).comment == "a\nb 猫 \N{REPLACEMENT CHARACTER}"
    do(project, "Anna", 0, "accept")
    assert make().accepted() == [TREES[0][0]]
    project = make()
    do(project, "Anna", 0, "withdraw")
    assert make().accepted() == []


def test_a_sentence_without_a_parse_has_a_flat_tree(make: Maker, tmp_path: Path) -> None:
    project = make()
    (tmp_path / "project" / "parses.jsonl").unlink()
    project = make()
    assert [str(one.tree) for one in project.candidates("Anna", 1)] == [
        "(TOP (XX Time) (XX flies))"
    ]


# --- kills and full disks


def test_a_file_that_is_cut_off_anywhere_loses_its_last_step_alone(
    make: Maker, tmp_path: Path
) -> None:
    file = tmp_path / "project" / STEPS
    project = make()
    do(project, "Anna", 0, "choose", 1)
    do(project, "Anna", 0, "accept")
    before = file.stat().st_size
    do(project, "Anna", 1, "accept")
    whole = file.read_bytes()
    for size in range(before, len(whole)):
        file.write_bytes(whole[:size])
        project = make()
        assert project.accepted() == [TREES[0][1]]
        do(project, "Anna", 2, "accept")
        assert read_project(tmp_path / "project").accepted() == [TREES[0][1], TREES[2][0]]


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_loses_nothing(make: Maker, tmp_path: Path) -> None:
    file = tmp_path / "project" / STEPS
    project = make()
    do(project, "Anna", 0, "accept")
    saved = file.read_bytes()
    for room in (0, 1, 50):
        with files_up_to(len(saved) + room), pytest.raises(NotSavedError, match="too large"):
            do(project, "Anna", 0, "remove", 2)
        assert file.read_bytes() == saved
        assert project.tree("Anna", 0) == TREES[0][0]
    do(project, "Anna", 0, "remove", 2)
    assert make().tree("Anna", 0) == project.tree("Anna", 0) != TREES[0][0]


WORK = """
import sys
from pathlib import Path
from bnaparser.annotation.project import open_project
with open_project(Path(sys.argv[1])) as (project, lock):
    lock.write("at work")
    lock.flush()
    for number in range(100_000):
        project.do("Anna", 0, "relabel", 2, 0, f"L{number}", "")
        project.do("Anna", 0, "accept", 0, 0, "", "")
        print(number, flush=True)
"""


def test_a_second_start_is_refused_and_a_kill_loses_nothing(make: Maker, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    make()
    make.close()
    worker = subprocess.Popen(
        [sys.executable, "-c", WORK, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout is not None
    with worker, worker.stdout:
        said = [worker.stdout.readline() for _ in range(20)]
        with (
            pytest.raises(DataError, match=r"project is open already \(at work\): use that page"),
            open_project(folder),
        ):
            pass
        worker.send_signal(signal.SIGKILL)
        last = int([*said, *worker.stdout.read().split()][-1])
    with open_project(folder) as (project, _):
        (accepted,) = project.accepted()
        assert f"(L{last} " in accepted or f"(L{last + 1} " in accepted
        assert project.history("Anna", 0).steps >= 2 * (last + 1)


# --- folders that are something else's


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", "mine", "holds other files and no annotation project"),
        (STEPS, '{"format": "bnaparser annotation project", "version": 2}\n', "is of version 2"),
        (STEPS, '{"a": 1}\n', "is not a file of an annotation project"),
        (STEPS, "hello\n", "line 1: this is not a file of an annotation project"),
        (STEPS, "hello", "line 1: this is not a file of an annotation project"),
    ],
)
def test_other_folders_are_refused_and_left_alone(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=said), open_project(tmp_path):
        pass
    assert (tmp_path / name).read_text() == content


@pytest.mark.parametrize(
    "line",
    [
        '{"sentence": 7, "by": "A", "do": "undo"}',
        '{"sentence": 0, "by": "A", "do": "undo"}',
        "{",
        "{}",
        "[]",
    ],
)
def test_a_damaged_line_is_named(make: Maker, tmp_path: Path, line: str) -> None:
    make()
    make.close()
    file = tmp_path / "project" / STEPS
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(DataError, match=rf"{STEPS}, line 3: this is damaged"):
        read_project(tmp_path / "project")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("(NN Time)", "(NN Time"), ("(NN Time)", "(NN Lime)"), ("(NN Time)", "(NNTime)")],
)
def test_a_damaged_tree_is_named(make: Maker, tmp_path: Path, right: str, wrong: str) -> None:
    do(make(), "Anna", 1, "accept")
    make.close()
    file = tmp_path / "project" / STEPS
    file.write_text(file.read_text().replace(right, wrong))
    with pytest.raises(DataError, match=rf"{STEPS}, line 3: this is damaged.*is not a tree of the"):
        read_project(tmp_path / "project")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(NN Time)", "(NN Time"),
        ("(NN Time)", "(NN Lime)"),  # of another sentence, before a backup was restored
        ('"sentence":1', '"sentence":9'),
        ('[0,1,"NP",0.75]]', '[0,1,"NP"]]'),
    ],
)
def test_a_damaged_parse_is_made_again(make: Maker, tmp_path: Path, right: str, wrong: str) -> None:
    make()
    make.close()
    file = tmp_path / "project" / PARSES
    *before, line, last = file.read_text().splitlines(keepends=True)
    compact = line.replace(": ", ":").replace(", ", ",")
    assert right in compact
    file.write_text("".join([*before, compact.replace(right, wrong), last]))
    assert to_parse(read_project(tmp_path / "project"), None) == [1]


def test_a_project_that_was_killed_at_its_first_write_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / STEPS).write_text('{"format": "bnaparser ann')
    with open_project(tmp_path) as (project, _):
        assert project.sentences == []
    assert read_project(tmp_path).sentences == []


# --- agreement and export


def test_agreement_is_evalb_and_the_sentences_where_they_differ(make: Maker) -> None:
    project = make()
    for by in ("Anna", "Ben"):
        for number in (0, 1):
            do(project, by, number, "accept")
    do(project, "Anna", 2, "accept")
    do(project, "Ben", 0, "choose", 1)
    do(project, "Ben", 0, "accept")
    (found,) = agreements(project)
    expected = score([TREES[0][0], TREES[1][0]], [TREES[0][1], TREES[1][0]])
    assert 80 < expected.f1 < 100
    assert found["annotators"] == ["Anna", "Ben"]
    assert (found["sentences"], found["exact"], found["tags"]) == (2, 1, 100)
    assert found["f1"] == expected.f1
    (one,) = found["differing"]
    assert (one["number"], one["trees"]) == (0, [TREES[0][0], TREES[0][1]])
    assert one["f1"] == pytest.approx(score([TREES[0][0]], [TREES[0][1]]).f1)


def test_a_tag_that_makes_a_mark_of_a_word_leaves_no_sentence_out(make: Maker) -> None:
    project = make()
    tag = [node.label for node in Tree.parse(TREES[0][0]).nodes()].index("NN", 12)
    do(project, "Ben", 0, "relabel", tag, label=".")
    for by in ("Anna", "Ben"):
        do(project, by, 0, "accept")
    (found,) = agreements(project)
    assert (found["f1"], found["exact"]) == (100, 0)
    assert found["tags"] == pytest.approx(600 / 7)


def test_export_names_annotators_who_differ(make: Maker) -> None:
    project = make()
    for by, tree in (("Anna", 0), ("Ben", 1)):
        do(project, by, 0, "choose", tree)
        do(project, by, 0, "accept")
    do(project, "Ben", 1, "accept")
    with pytest.raises(DataError, match=r"different trees of 1 sentences \(1\)"):
        project.accepted()
    assert project.accepted("Anna") == [TREES[0][0]]
    assert project.accepted("Ben") == [TREES[0][1], TREES[1][0]]
    with pytest.raises(DataError, match="no annotator 'Cy': there is Anna, Ben"):
        project.accepted("Cy")
    do(project, "Anna", 0, "choose", 2)  # Ben's, which is shown now
    do(project, "Anna", 0, "accept")
    assert project.accepted() == [TREES[0][1], TREES[1][0]]
