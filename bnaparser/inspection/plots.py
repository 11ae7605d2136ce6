"""Figures of gates and attention maps, as SVG by matplotlib."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bnaparser.errors import import_extra
from bnaparser.inspection.gates import GateCurve
from bnaparser.inspection.maps import AttentionMaps, Maps
from bnaparser.trees.drawing.layout import visible

COLOURS = ("#a8321f", "#125e93", "#25693b", "#805400", "#4a3fa3", "#565c66")
INK, GRID, MASKED = "#1c1a17", "#dedcd6", "#e9e7e2"
# Settings of matplotlib: letters stay letters, so that the viewer's fonts show any script; "$" in
# a word is no formula; the same figure is the same file.
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "bnaparser",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#8f8b82",
    "xtick.color": INK,
    "ytick.color": INK,
}
LONGEST_WORD = 18
_CELL = 0.23  # inches
_PANEL_LEAST, _PANEL_MOST = 2.4, 30.0


def draw_gates(curves: Mapping[str, GateCurve], path: Path) -> None:
    """Draw the mean gate of each layer: one line for each model, in a band of one standard
    deviation.

    Raises MissingExtraError without matplotlib.
    """
    with _figure(path, (5.6, 3.4)) as figure:
        axes = figure.add_subplot()
        for number, (name, curve) in enumerate(curves.items()):
            colour = COLOURS[number % len(COLOURS)]
            layers = np.arange(1, len(curve.mean) + 1)
            low, high = curve.mean - curve.deviation, curve.mean + curve.deviation
            axes.fill_between(
                layers, low.clip(0), high.clip(None, 1), color=colour, alpha=0.14, lw=0
            )
            axes.plot(layers, curve.mean, "o-", color=colour, lw=1.8, ms=4.5, label=visible(name))
        most = max(len(curve.mean) for curve in curves.values())
        axes.set(xlabel="layer", ylabel="gate (fraction of local attention)", ylim=(0, 1))
        axes.set(xlim=(0.6, most + 0.4), xticks=range(1, most + 1, max(1, most // 12)))
        axes.grid(color=GRID, lw=0.7)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)


def draw_maps(rows: Mapping[str, AttentionMaps], path: Path, title: str) -> None:
    """Draw the attention between words, one row for each model: global, local and combined.

    The maps are averages (`AttentionMaps.average`). Special tokens are left out, as in the paper,
    so that a row of words sums to less than 1; what a mask hides is grey. All panels have one scale.
    Raises MissingExtraError without matplotlib.
    """
    longest = max(np.count_nonzero(~maps.special) for maps in rows.values())
    side = min(max(_CELL * longest, _PANEL_LEAST), _PANEL_MOST)
    panels = {name: _panels(maps) for name, maps in rows.items()}
    columns = max(len(row) for row in panels.values())
    size = (columns * (side + 1.0) + 0.9, len(rows) * (side + 1.15) + 0.4)
    top = max(float(shown.max()) for row in panels.values() for shown in row.values())
    with _figure(path, size) as figure:
        figure.suptitle(visible(title), fontsize=10)
        grid = figure.subplots(len(rows), columns, squeeze=False)
        image = None
        for axes_row, (name, row) in zip(grid, panels.items(), strict=True):
            words = _words(rows[name])
            for axes, (kind, shown) in zip(axes_row, row.items(), strict=False):
                image = _draw_map(axes, shown, words, top)
                axes.set_title(kind if len(rows) == 1 else f"{visible(name)}: {kind}", fontsize=10)
            for axes in axes_row[len(row) :]:
                axes.set_visible(False)
        bar = figure.colorbar(image, ax=grid, shrink=min(0.8, 2.4 / size[1]), aspect=16, pad=0.012)
        bar.outline.set_visible(False)
        bar.set_label("attention")


def _panels(maps: AttentionMaps) -> dict[str, Any]:
    """Return the panels of a model, by name: attention between words, hidden pairs masked."""
    kept = np.flatnonzero(~maps.special)

    def between_words(shown: Maps) -> Any:
        return shown[0, 0][np.ix_(kept, kept)]

    plain, guided = between_words(maps.plain), between_words(maps.guided)
    if maps.local is None:
        return {"without syntax": plain, "with syntax": guided}
    local = between_words(maps.local)
    hidden = np.ma.masked_where(local == 0, local)
    return {"global": plain, "local": hidden, "combined": guided}


def _draw_map(axes: Any, shown: Any, words: list[str], top: float) -> Any:
    axes.set_facecolor(MASKED)
    image = axes.imshow(shown, cmap="Blues", vmin=0, vmax=top, interpolation="nearest")
    places = range(len(words))
    axes.set_xticks(places, words, rotation=90)
    axes.set_yticks(places, words)
    axes.tick_params(length=0, pad=3)
    axes.set_xticks(np.arange(len(words) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(words) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=GRID, lw=0.4)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    return image


def _words(maps: AttentionMaps) -> list[str]:
    words = zip(maps.words, maps.special, strict=True)
    shown = [visible(word) for word, special in words if not special]
    return [w if len(w) <= LONGEST_WORD else f"{w[: LONGEST_WORD - 1]}…" for w in shown]


def load_matplotlib() -> tuple[Any, Any]:
    """Return the modules matplotlib and matplotlib.figure; MissingExtraError without them."""
    return import_extra("train", "matplotlib"), import_extra("train", "matplotlib.figure")


@contextmanager
def _figure(path: Path, size: tuple[float, float]) -> Iterator[Any]:
    """Give a figure of a size in inches, and write it when it is drawn."""
    matplotlib, figures = load_matplotlib()
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # Fonts of this machine only measure; the viewer has its own for other scripts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = figures.Figure(figsize=size, layout="constrained")
        yield figure
        figure.savefig(path, format="svg", metadata={"Date": None})
