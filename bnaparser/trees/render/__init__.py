"""Trees as documents: SVG, HTML, LaTeX, PNG, PDF, lines of text; CoNLL-U, TIGER-XML, NEGRA export and Penn brackets."""

from __future__ import annotations

from bnaparser.trees.drawing.svg import draw
from bnaparser.trees.drawing.text import draw_text
from bnaparser.trees.render.conllu_lines import conllu
from bnaparser.trees.render.html import HTML_END, HTML_START, html_figure, html_section
from bnaparser.trees.render.latex import forest
from bnaparser.trees.render.pictures import pdf, pdf_pages, png
from bnaparser.trees.render.treebank_formats import (
    EXPORT_START,
    TIGER_END,
    TIGER_START,
    export,
    penn,
    tiger,
)

__all__ = [
    "EXPORT_START",
    "HTML_END",
    "HTML_START",
    "TIGER_END",
    "TIGER_START",
    "conllu",
    "draw",
    "draw_text",
    "export",
    "forest",
    "html_figure",
    "html_section",
    "pdf",
    "pdf_pages",
    "penn",
    "png",
    "tiger",
]
