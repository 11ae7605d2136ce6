"""Trees to look at: SVG, a standalone HTML page, LaTeX, letters; and what the labels mean in plain words."""

from __future__ import annotations

from bnaparser.render.html import HTML_END, HTML_START, html_figure, html_section
from bnaparser.render.latex import forest
from bnaparser.render.svg import draw
from bnaparser.render.text_drawing import draw_text

__all__ = [
    "HTML_END",
    "HTML_START",
    "draw",
    "draw_text",
    "forest",
    "html_figure",
    "html_section",
]
