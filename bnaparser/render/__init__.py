"""Trees to look at: SVG, a standalone HTML page, LaTeX; and what the labels mean in plain words."""

from __future__ import annotations

from bnaparser.render.html import HTML_END, HTML_START, html_section
from bnaparser.render.latex import forest
from bnaparser.render.svg import draw

__all__ = ["HTML_END", "HTML_START", "draw", "forest", "html_section"]
