"""Projects without a parser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bnaparser.annotation.project import ParsedTrees, Project, SentenceRecord, open_project
from bnaparser.trees.tree import Tree

TREES = (
    (
        "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NN it))))) (. .)))",
        "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NN it)))) (. .)))",
    ),
    ("(TOP (S (NP (NN Time)) (VP (VBZ flies))))",),
    ("(TOP (NP (-LRB- -LRB-) (NN x) (-RRB- -RRB-)))",),
)


def fill(project: Project) -> None:
    """Put sentences into a project, with trees as of a parser."""
    first = [Tree.parse(trees[0]) for trees in TREES]
    records = [SentenceRecord(" ".join(tree.words), tree.words) for tree in first]
    project.add_sentences("story.txt", "0", records)
    for number, (trees, tree) in enumerate(zip(TREES, first, strict=True)):
        each = tuple((one, 0.5 / (number + 1 + place)) for place, one in enumerate(trees))
        spans = tuple((*node.span, node.label, 0.75) for node in tree.find("NP"))
        project.add_parse(number, ParsedTrees("made@0", each, spans, 1.5 + number))


class Maker:
    """Opens a project anew at each call, and fills it when it is new."""

    def __init__(self, folder: Path):
        self.folder, self.stack = folder, ExitStack()

    def __call__(self) -> Project:
        self.close()
        project, _ = self.stack.enter_context(open_project(self.folder))
        if not project.sentences:
            fill(project)
        return project

    def close(self) -> None:
        self.stack.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Maker]:
    maker = Maker(tmp_path / "project")
    yield maker
    maker.close()


def do(project: Project, by: str, number: int, name: str, node: int = 0, **more: object) -> None:
    """Do a step."""
    project.do(by, number, name, **({"node": node, "other": 0, "label": "", "comment": ""} | more))  # type: ignore[arg-type]
