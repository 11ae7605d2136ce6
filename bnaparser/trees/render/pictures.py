"""A tree as PNG, or trees as PDF with a page each: the drawing of `svg`, by matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from bnaparser.errors import import_extra
from bnaparser.trees.drawing.layout import (
    LABEL_GAP,
    LABEL_HEIGHT,
    LABEL_SIZE,
    TAG_RISE,
    TAG_SIZE,
    WORD_SIZE,
    Box,
    TreeLayout,
    arrange,
)
from bnaparser.trees.drawing.svg import COLOURS
from bnaparser.trees.labels import family
from bnaparser.trees.tree import Tree

_PER_INCH, _POINT = 96, 72 / 96  # pixels of a drawing; a pixel in points
_LARGEST = 32_000  # dots on a side of a PNG that matplotlib and viewers can still take
_DOTS = 192  # an inch: two a pixel
_BRANCH, _INK = "#b9b5aa", "#1c1a17"
# Fonts that are used if they are installed, after the one that comes with matplotlib.
_OTHER_SCRIPTS = [
    "Noto Sans CJK SC",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "DejaVu Sans",
]
_STYLE = {
    "pdf.fonttype": 42,  # letters stay letters: a reader can search and copy them
    "text.parse_math": False,  # "$" in a word is no formula
    "font.size": 9,
}


def png(tree: Tree, words: Sequence[str] | None = None) -> bytes:
    """Return the drawn tree as a PNG, with two dots for a pixel, and fewer if the tree is very
    large.

    ``words`` are shown in place of the tree's words. Raises MissingExtraError without matplotlib.
    """
    layout = arrange(tree, words)
    dots = min(_DOTS, _LARGEST * _PER_INCH / max(layout.width, layout.height))
    target = io.BytesIO()
    with _drawn(layout) as figure:
        figure.savefig(target, format="png", dpi=dots, metadata={"Software": None})
    return target.getvalue()


@contextmanager
def pdf_pages(target: BinaryIO) -> Iterator[Callable[[Tree, Sequence[str] | None], None]]:
    """Write a PDF in here: the yielded function writes a page for a tree, words as in `png`.

    Raises MissingExtraError without matplotlib.
    """
    matplotlib = import_extra("pictures", "matplotlib")
    backend = import_extra("pictures", "matplotlib.backends.backend_pdf")
    pages = backend.PdfPages(target, metadata={"CreationDate": None})

    def write(tree: Tree, words: Sequence[str] | None) -> None:
        with _drawn(arrange(tree, words)) as figure:
            pages.savefig(figure)

    try:
        yield write
    finally:
        with matplotlib.rc_context(_STYLE):  # the fonts are written at the end
            pages.close()


def pdf(tree: Tree, words: Sequence[str] | None = None) -> bytes:
    """Return the drawn tree as a PDF of one page, words as in `png`; raises MissingExtraError without matplotlib."""
    target = io.BytesIO()
    with pdf_pages(target) as write:
        write(tree, words)
    return target.getvalue()


@contextmanager
def _drawn(layout: TreeLayout) -> Iterator[Any]:
    """Draw a tree on a figure of its size; a pixel of the layout is one of its units."""
    matplotlib = import_extra("pictures", "matplotlib")
    figures = import_extra("pictures", "matplotlib.figure")
    with warnings.catch_warnings(), matplotlib.rc_context(_STYLE):
        warnings.simplefilter("ignore")  # a sign that no font has is drawn as a box
        figure = figures.Figure(figsize=(layout.width / _PER_INCH, layout.height / _PER_INCH))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, layout.width), ylim=(layout.height, 0))
        axes.axis("off")
        for box in layout.boxes:
            if box.parent >= 0:
                _branch(axes, layout.boxes[box.parent], box)
        for box in layout.boxes:
            _word(axes, box) if box.word is not None else _phrase(axes, box)
        yield figure


def _branch(axes: Any, parent: Box, child: Box) -> None:
    if child.is_folded:
        corners = parent.triangle_to(child)
        places = [*corners, corners[0]]
    else:
        top, bend, bottom = parent.branch_to(child)
        places = [(parent.x, top), (child.x, bend), (child.x, max(bottom, bend))]
    axes.plot(*zip(*places, strict=True), color=_BRANCH, lw=1.5 * _POINT, zorder=1)


def _phrase(axes: Any, box: Box) -> None:
    from matplotlib.patches import FancyBboxPatch

    if not box.label:
        return
    ink, field = COLOURS[family(box.label)]
    width, height, round_by = box.width - LABEL_GAP, LABEL_HEIGHT, 6
    axes.add_patch(
        FancyBboxPatch(
            (box.x - width / 2 + round_by, box.y - height / 2 + round_by),
            max(width - 2 * round_by, 0.1),
            height - 2 * round_by,
            boxstyle=f"round,pad={round_by}",
            facecolor=field,
            edgecolor="none",
            zorder=2,
        )
    )
    _text(axes, box.x, box.y, box.label, LABEL_SIZE, ink, weight="bold")


def _word(axes: Any, box: Box) -> None:
    if not box.is_untagged:
        _text(axes, box.x, box.y, box.label, TAG_SIZE, COLOURS[family(box.label, is_tag=True)][0])
    _text(axes, box.x, box.y + TAG_RISE, box.word or "", WORD_SIZE, _INK, family="DejaVu Serif")


def _text(
    axes: Any,
    x: float,
    y: float,
    text: str,
    size: int,
    colour: str,
    *,
    family: str = "DejaVu Sans",
    weight: str = "normal",
) -> None:
    fonts = [family, *_installed()]
    place = {"ha": "center", "va": "center_baseline", "zorder": 3}
    shrunk = size * _POINT * (0.9 if weight == "bold" else 1)
    axes.text(x, y, text, fontsize=shrunk, color=colour, family=fonts, weight=weight, **place)


def _installed() -> list[str]:
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in _OTHER_SCRIPTS if name in known]
