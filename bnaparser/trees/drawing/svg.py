"""A tree as an SVG document: no style sheet, no font, no script; it looks the same everywhere.

All styles are presentation attributes, which every viewer knows; the classes are
there for a page that contains the drawing and colours it by its own style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

from bnaparser.trees.drawing.layout import (
    LABEL_GAP,
    LABEL_HEIGHT,
    LABEL_SIZE,
    TAG_RISE,
    TAG_SIZE,
    WORD_SIZE,
    Box,
    DrawableTree,
    arrange,
    visible,
)
from bnaparser.trees.labels import explain, family

COLOURS = {
    "clause": ("#4a3fa3", "#edebf9"),
    "nominal": ("#125e93", "#e4eff8"),
    "verbal": ("#a8321f", "#faeae6"),
    "prepositional": ("#25693b", "#e5f2e8"),
    "modifier": ("#805400", "#f8eed9"),
    "other": ("#565c66", "#edeef0"),
}
"""Of each family the colour of its labels, and of the field behind them."""

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif"
SERIF = "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, 'Noto Serif', Georgia, serif"
_BRANCH = "#b9b5aa"
_INK = "#1c1a17"
_OUTLINE = "#86817a"  # around what is drawn faint; it can be seen on light paper and on dark

# The web page draws and says the same in probability.js.
_UNCERTAIN = 0.95  # a constituent that is less probable is drawn faint
_FAINTEST = 0.15


def draw(
    tree: DrawableTree,
    words: Sequence[str] | None = None,
    probabilities: Sequence[float | None] = (),
) -> str:
    """Return the tree as one SVG document, on one line; ``words`` are shown in place of the tree's words.

    The document has the sentence as its title and the bracketed tree as its description, and a
    label says in plain words what it means when the pointer rests on it. Characters that XML
    forbids are replaced by visible ones. ``probabilities`` are those of the constituents, in pre-order,
    a top node that is none aside: uncertain ones are drawn faint, the letters of their labels apart.
    """
    layout = arrange(tree, words)
    sure = _of_boxes(layout.boxes, probabilities)
    sentence = " ".join(tree.words if words is None else words)
    size = f'width="{layout.width:g}" height="{layout.height:g}"'
    view = f'viewBox="0 0 {layout.width:g} {layout.height:g}"'
    stroke = f'stroke="{_BRANCH}" stroke-width="1.5" stroke-linejoin="round"'
    serif = f'font-family="{SERIF}" font-size="{WORD_SIZE}" fill="{_INK}"'
    pairs = list(zip(layout.boxes, sure, strict=True))
    leaves = [box for box in layout.boxes if box.word is not None]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} {view}>',
        f"<title>{escape(sentence)}</title><desc>{escape(str(tree))}</desc>",
        f'<rect class="paper" {size} fill="#ffffff"/>',
        f'<g class="branches" fill="none" {stroke}>',
        *(_branch(layout.boxes[box.parent], box, p) for box, p in pairs if box.parent >= 0),
        f'</g><g font-family="{SANS}" text-anchor="middle">',
        f'<g font-size="{LABEL_SIZE}" font-weight="600">',
        *(_phrase(box, p) for box, p in pairs if box.word is None),
        f'</g><g font-size="{TAG_SIZE}">',
        *map(_tag, leaves),
        f'</g></g><g class="words" text-anchor="middle" {serif}>',
        *map(_word, leaves),
        "</g></svg>",
    ]
    return "".join(parts)


def escape(text: str) -> str:
    """Return text for XML or HTML, between tags or in a quoted attribute, of visible characters."""
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


def is_uncertain(probability: float | None) -> TypeGuard[float]:
    """Return whether a probability is known and low enough to be shown as uncertain."""
    return probability is not None and probability < _UNCERTAIN


def strength(probability: float) -> float:
    """Return how strongly an uncertain constituent is drawn, 0 to 1."""
    return max(_FAINTEST, probability)


def outline_strength(probability: float) -> float:
    """Return how strong the line around an uncertain constituent is: the stronger, the fainter its field."""
    return min(1.0, 2 * (1 - probability))


def percentage(probability: float) -> str:
    """Return a probability as a percentage: ``62 %``. Only exact 1 is 100 %, and nothing is 0 %."""
    percent = math.floor(100 * probability + 0.5)
    if percent >= 100 and probability < 1:
        return "over 99 %"
    return "under 1 %" if percent <= 0 else f"{percent} %"


def _of_boxes(boxes: Sequence[Box], probabilities: Sequence[float | None]) -> list[float | None]:
    """The probability of each box; None for words, and for a top node that is no constituent."""
    phrases = [number for number, box in enumerate(boxes) if box.word is None]
    found: list[float | None] = [None] * len(boxes)
    if probabilities:
        for number, probability in zip(phrases[-len(probabilities) :], probabilities, strict=True):
            found[number] = probability
    return found


def _branch(parent: Box, child: Box, probability: float | None) -> str:
    if child.is_folded:
        corners = "L".join(f"{x:g} {y:g}" for x, y in parent.triangle_to(child))
        return f'<path class="triangle" d="M{corners}Z"/>'
    top, bend, bottom = parent.branch_to(child)
    drop = f"V{bottom:g}" if bottom > bend else ""
    faint = _opacity("stroke", strength(probability)) if is_uncertain(probability) else ""
    return f'<path d="M{parent.x:g} {top:g}L{child.x:g} {bend:g}{drop}"{faint}/>'


def _opacity(of: str, share: float) -> str:
    return f' {of}-opacity="{share:.2f}"'


def _phrase(box: Box, probability: float | None) -> str:
    if not box.label:
        return ""
    kind = family(box.label)
    ink, field = COLOURS[kind]
    width = box.width - LABEL_GAP
    left, top = box.x - width / 2, box.y - LABEL_HEIGHT / 2
    known = "" if probability is None else f"; probability {percentage(probability)}"
    faint = _faint(probability) if is_uncertain(probability) else ""
    return (
        f'<g class="{kind}"><title>{_meaning(box.label, False)}{known}</title><rect x="{left:.1f}" '
        f'y="{top:g}" width="{width:.1f}" height="{LABEL_HEIGHT}" rx="6" fill="{field}"{faint}/>'
        f'<text x="{box.x:g}" y="{box.y + 4.5:g}" fill="{ink}">{escape(box.label)}</text></g>'
    )


def _faint(probability: float) -> str:
    """The field of an uncertain constituent: the lower its probability, the paler, and the stronger the dashes around it."""
    field, line = _opacity("fill", strength(probability)), outline_strength(probability)
    return f'{field} stroke="{_OUTLINE}" stroke-dasharray="3 2"{_opacity("stroke", line)}'


def _tag(box: Box) -> str:
    if box.is_untagged:
        return ""
    kind = family(box.label, is_tag=True)
    return (
        f'<g class="{kind}"><title>{_meaning(box.label, True)}</title><text x="{box.x:g}" '
        f'y="{box.y + 4:g}" fill="{COLOURS[kind][0]}">{escape(box.label)}</text></g>'
    )


def _word(box: Box) -> str:
    return f'<text x="{box.x:g}" y="{box.y + TAG_RISE + 3:g}">{escape(box.word or "")}</text>'


def _meaning(label: str, is_tag: bool) -> str:
    words = explain(label, is_tag)
    return escape(f"{label}: {words}" if words else label)
