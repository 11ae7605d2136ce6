"""Stretches of a treebank: which noun phrases count, and which stretches are taken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.accuracy.choose_stretches import choose, count, main
from bnaparser.trees.tree import Tree

DEEP = "(TOP (NP (DT the) (NP (NN VDR) (NN mRNA))))"
FLAT = "(TOP (NP (DT the) (NN VDR) (NN mRNA)))"


def read(*texts: str) -> list[Tree]:
    return [Tree.parse(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        (DEEP, 1),
        (FLAT, 0),
        ("(TOP (NP (NP (DT the) (NN cell)) (PP (IN of) (NP (NN blood)))))", 0),  # right within a PP
        ("(TOP (NP (NP (NN blood)) (NN cell)))", 0),  # at the beginning
        ("(TOP (NP (NP (NN blood)) (CC and) (NP (NN bone))))", 0),  # joined
        ("(TOP (VP (VB see) (NP (NN blood))))", 0),
        ("(TOP (NP (SBAR (S (VP (VB see) (NP (NN blood)))))))", 0),  # right within a VP
        ("(TOP (NP (NN a) (PP (NP (NN b)))))", 0),  # right within a PP
        ("(TOP (NP (NN a) (NP (NN b) (NP (NN c)))))", 2),
        ("(TOP (NP (DT both) (NP (QP (CD 2)))))", 1),  # one of two labels over the same words
    ],
)
def test_what_counts(text: str, phrases: int) -> None:
    found = count(read(text))
    assert found.phrases == phrases
    assert found.words == len(read(text)[0].words)


def test_stretches_are_judged_with_those_beside_them() -> None:
    deep, flat = read(DEEP)[0], read(FLAT)[0]
    trees = [deep, deep, flat, deep, deep, flat, flat, flat, flat, flat]
    like = count([deep]).per_word
    # By twos: 2, 1, 1, 0, 0 of two; with those beside them 3 of 4, 4 of 6, 2 of 6, 1 of 6, none.
    assert choose(trees, like, 2, 0.6) == trees[:4]
    assert choose(trees, like, 2, 0.3) == trees[:6]
    assert choose(trees, like, 2, 0.0) == trees
    assert choose(trees, like, 100, 0.6) == []
    assert choose([], like, 2, 0.5) == []


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trees, like, output = (tmp_path / name for name in ("trees", "like", "out"))
    trees.write_text("\n".join([DEEP] * 4 + [FLAT] * 8) + "\n", encoding="utf-8")
    like.write_text(DEEP + "\n", encoding="utf-8")
    told = ["choose_stretches", str(trees), str(like), str(output), "--length", "2"]
    monkeypatch.setattr(sys, "argv", told)
    main()
    assert output.read_text(encoding="utf-8").splitlines() == [DEEP] * 4
    assert capsys.readouterr().out.splitlines() == [
        "trees: 12 with 111.1 a thousand words",
        "chosen: 4 with 333.3 a thousand words",
        "like: 333.3",
    ]
