"""Trees as one HTML page that needs nothing else: each as a drawing and in brackets."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.trees.drawing.svg import SANS, SERIF, draw, escape
from bnaparser.trees.tree import Tree

_DARK = {
    "clause": ("#b9b0ff", "#2b2845"),
    "nominal": ("#84c5f4", "#1b3040"),
    "verbal": ("#ffa08c", "#41241e"),
    "prepositional": ("#8fd3a0", "#1d3325"),
    "modifier": ("#e6bf6f", "#3a2f18"),
    "other": ("#b0b7c2", "#2a2e35"),
}
_DARK_FAMILIES = "".join(
    f".{kind} text {{ fill: {ink} }} .{kind} rect {{ fill: {field} }}\n    "
    for kind, (ink, field) in _DARK.items()
)

HTML_START = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Constituency trees</title>
<style>
  :root {{ --paper: #fff; --ink: #1c1a17; --faint: #5f5b53; --line: #e3dfd6; --field: #f7f5f0 }}
  body {{ margin: 0 auto; padding: 1.5rem; max-width: 80rem; background: var(--paper);
    color: var(--ink); font: 1rem/1.5 {SANS} }}
  section {{ padding: 1.5rem 0 }}
  section + section {{ border-top: 1px solid var(--line) }}
  h2 {{ margin: 0 0 1rem; font: 1.25rem/1.4 {SERIF}; overflow-wrap: anywhere }}
  .tree {{ overflow-x: auto }}
  .tree svg {{ display: block; margin: 0 auto }}
  .paper {{ fill: none }}
  pre {{ margin: 1rem 0 0; padding: .75rem 1rem; border-radius: .5rem; background: var(--field);
    color: var(--faint); font-size: .8125rem; white-space: pre-wrap; overflow-wrap: anywhere }}
  .error {{ color: #a8321f }}
  @media (prefers-color-scheme: dark) {{
    :root {{ --paper: #15171b; --ink: #ebe8e1; --faint: #a9a69e; --line: #2d3036; --field: #1d2025 }}
    .words {{ fill: #ebe8e1 }} .branches {{ stroke: #565b64 }} .error {{ color: #ffa08c }}
    {_DARK_FAMILIES}}}
</style>
</head>
<body>
"""
"""The page up to its first tree."""

HTML_END = "</body>\n</html>\n"
"""The page after its last tree."""


def html_section(
    text: str,
    tree: Tree | None,
    words: Sequence[str] | None = None,
    error: str | None = None,
    probabilities: Sequence[float | None] = (),
) -> str:
    """Return one sentence's part of the page: its text, drawing and brackets, or its error.

    A page is HTML_START, any number of these, HTML_END. ``words`` are drawn for the tree's own,
    ``probabilities`` as by `draw`.
    """
    if tree is None:
        body = f'<p class="error">{escape(error or "This sentence has no tree.")}</p>'
    else:
        svg = draw(tree, words, probabilities)
        body = (
            f'<div class="tree" tabindex="0" role="region" aria-label="Tree">{svg}'
            f'</div>\n<pre dir="auto">{escape(str(tree))}</pre>'
        )
    return f'<section>\n<h2 dir="auto">{escape(text)}</h2>\n{body}\n</section>\n'


def html_figure(text: str, svg: str | None, error: str | None = None) -> str:
    """Return a drawing with its text above it, or its error, for a page of another program."""
    body = svg or escape(error or "This sentence has no tree.")
    return f'<figure><figcaption dir="auto">{escape(text)}</figcaption>{body}</figure>\n'
