"""A tree in NEGRA's export format, version 4: a word or phrase a line, with the number of its parent.

T. Brants 1997, The NeGra Export Format for Annotated Corpora.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnaparser.render.node_numbers import numbered_tree
from bnaparser.trees.escapes import whole
from bnaparser.trees.tree import Tree

EXPORT_START = "#FORMAT 4\n"
NONE = "--"
_BLANK = re.compile(r"\s")
_READS_AS_MARK = re.compile(r"(?=#\d+$|#BOS$|#EOS$|#FORMAT$|%%|\\)")


def export(tree: Tree, number: int = 1, words: Sequence[str] | None = None) -> str:
    """Return the lines of one sentence, whose ``number`` counts from 1; ``words`` replace the tree's.

    A document begins with ``EXPORT_START``. The format has no way to write a word such as ``#500``,
    which is a phrase's number: it gets a backslash. A blank within a word (no-break ones) is ``_``,
    half a character U+FFFD.
    """
    found = numbered_tree(tree)
    shown = tree.words if words is None else words
    lines = [f"#BOS {number} 0 0 0"]
    for word, tag, parent in zip(shown, found.tags, found.parents, strict=True):
        lines.append(_line(_plain(word), tag, parent))
    for phrase in found.phrases:
        lines.append(_line(f"#{phrase.number}", phrase.label or NONE, phrase.parent))
    return whole("\n".join([*lines, f"#EOS {number}", ""]))


def _line(name: str, label: str, parent: int) -> str:
    """Word or number, lemma, tag or label, morphology, edge, parent."""
    return "\t".join((name, NONE, label, NONE, NONE, str(parent)))


def _plain(word: str) -> str:
    word = _BLANK.sub("_", word)
    return _READS_AS_MARK.sub(r"\\", word, count=1) if _READS_AS_MARK.match(word) else word
