"""A sentence in CoNLL-U, its dependencies found in its tree by head rules.

https://universaldependencies.org/format.html. The tree itself is kept in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnaparser.trees.escapes import unescape, whole
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.heads.ud import UD
from bnaparser.trees.heads.universal import universal_arcs
from bnaparser.trees.tree import Tree

_BLANKS = re.compile(r"\s+")


def conllu(
    tree: Tree,
    number: int = 1,
    words: Sequence[str] | None = None,
    *,
    text: str | None = None,
    offsets: Sequence[tuple[int, int]] | None = None,
    rules: HeadRules = UD,
) -> str:
    """Return the lines of one sentence, whose ``number`` counts from 1, and an empty one.

    ``words`` replace the tree's own, which are unescaped; ``text`` and ``offsets`` are those of a Parse,
    for the comment and for SpaceAfter=No. Relations are universal ones as far as a tree tells them,
    with heads by ``rules``; one that it does not tell is ``dep``, with Collins' relation in the last
    column: labels of the child, of its parent, and of the head child. Half a character becomes U+FFFD,
    as UTF-8 can hold none.
    """
    shown = [unescape(word) for word in tree.words] if words is None else words
    tags = tree.tags
    glued = _glued(len(shown), offsets)
    running = text if text is not None and offsets is not None else " ".join(shown)
    lines = [f"# sent_id = {number}", f"# text = {_BLANKS.sub(' ', running)}", f"# tree = {tree}"]
    for place, arc in enumerate(universal_arcs(tree, rules)):
        about = [f"Collins={arc.collins}"] if arc.relation == "dep" else []
        about += ["SpaceAfter=No"] if glued[place] else []
        columns = [str(place + 1), shown[place], "_", arc.part_of_speech, tags[place], "_"]
        columns += [str(arc.head), arc.relation, "_", "|".join(about) or "_"]
        lines.append("\t".join(columns))
    return whole("\n".join([*lines, "", ""]))


def _glued(count: int, offsets: Sequence[tuple[int, int]] | None) -> list[bool]:
    """Of each word whether the next one follows without a blank."""
    if not offsets:
        return [False] * count
    after = [start for start, _ in offsets[1:]]
    return [end == start for (_, end), start in zip(offsets, after, strict=False)] + [False]
