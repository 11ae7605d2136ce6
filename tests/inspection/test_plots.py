"""Figures are SVG that any viewer reads, whatever the words are."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from bnaparser.errors import MissingExtraError
from bnaparser.inspection.gates import gate_curve
from bnaparser.inspection.maps import AttentionMaps
from bnaparser.inspection.plots import draw_gates, draw_maps

WORDS = ("[CLS]", "$x$", "<b>", "\x07", "猫", "A" * 40, "[SEP]")
SVG = "{http://www.w3.org/2000/svg}"


def maps(words: tuple[str, ...] = WORDS, local: bool = True) -> AttentionMaps:
    drawn = np.random.default_rng(1).dirichlet(np.ones(len(words)), size=(1, 1, len(words)))
    special = np.array([word.startswith("[") for word in words])
    shown = drawn.astype(np.float32)
    return AttentionMaps(words, special, shown, shown if local else None, shown)


def letters(path: Path) -> list[str]:
    return [node.text or "" for node in ElementTree.parse(path).iter(f"{SVG}text")]


def test_words_stand_on_both_axes_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "attention.svg"
    draw_maps({"SLA": maps()}, path, "All")
    found = letters(path)
    for word in ("$x$", "<b>", "\u2407", "猫", "A" * 17 + "…"):
        assert found.count(word) == 6  # three panels, two axes
    assert "[CLS]" not in found
    assert {"All", "global", "local", "combined"} <= set(found)


def test_several_models_one_below_the_other(tmp_path: Path) -> None:
    path = tmp_path / "attention.svg"
    draw_maps({"SLA": maps(), "LISA": maps(local=False)}, path, "All")
    assert {"SLA: local", "LISA: without syntax", "LISA: with syntax"} <= set(letters(path))


def test_gates_of_models_with_different_numbers_of_layers(tmp_path: Path) -> None:
    values = np.array([0.2, 0.4], np.float32)
    curves = {"SLA": gate_curve([values] * 3), "WLA": gate_curve([values])}
    draw_gates(curves, tmp_path / "gates.svg")
    assert {"SLA", "WLA", "layer", "1", "2", "3"} <= set(letters(tmp_path / "gates.svg"))


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        draw_maps({"SLA": maps()}, tmp_path / name, "All")
        draw_gates({"SLA": gate_curve([np.ones(2, np.float32)])}, tmp_path / f"{name} gates")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (tmp_path / "one gates").read_bytes() == (tmp_path / "two gates").read_bytes()


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"bnaparser\[train\]"):
        draw_maps({"SLA": maps()}, tmp_path / "attention.svg", "All")
