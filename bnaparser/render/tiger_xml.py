"""Trees in TIGER-XML: terminals, and nonterminals with edges to their children.

A. Mengel and W. Lezius 2000, An XML-based Representation Format for Syntactically Annotated Corpora.
"""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.render.node_numbers import numbered_tree
from bnaparser.trees.drawing.svg import escape
from bnaparser.trees.tree import Tree

TIGER_START = """\
<?xml version="1.0" encoding="UTF-8"?>
<corpus id="bnaparser">
<head>
<annotation>
<feature name="word" domain="T"/>
<feature name="pos" domain="T"/>
<feature name="cat" domain="NT"/>
<edgelabel><value name="--"/></edgelabel>
</annotation>
</head>
<body>
"""
TIGER_END = "</body>\n</corpus>\n"
_ROOT = "VROOT"


def tiger(tree: Tree, number: int = 1, words: Sequence[str] | None = None) -> str:
    """Return the element ``s`` of one sentence, whose ``number`` counts from 1.

    ``words`` replace the tree's own. Where a top node that is no constituent (TOP and the like) has
    several children they hang from a node VROOT, as a graph has one root. A document begins with
    ``TIGER_START`` and ends with ``TIGER_END``. Characters that XML forbids are replaced by visible ones.
    """
    found = numbered_tree(tree)
    shown = tree.words if words is None else words

    def name(node: int) -> str:
        return f"s{number}_{node}"

    tops = [phrase.number for phrase in found.phrases if not phrase.parent]
    tops += [place for place, parent in enumerate(found.parents, 1) if not parent]
    phrases = [(phrase.number, phrase.label, phrase.children) for phrase in found.phrases]
    if len(tops) > 1:
        first_words = {place: place for place in range(1, len(shown) + 1)}
        for one, _, children in phrases:  # children before parents
            first_words[one] = min(first_words[child] for child in children)
        tops.sort(key=first_words.__getitem__)
        root = max([one for one, _, _ in phrases], default=len(shown)) + 1
        phrases.append((root, _ROOT, tuple(tops)))
    root = phrases[-1][0] if phrases else 1
    lines = [f'<s id="s{number}">', f'<graph root="{name(root)}">', "<terminals>"]
    for place, (word, tag) in enumerate(zip(shown, found.tags, strict=True), 1):
        lines.append(f'<t id="{name(place)}" word="{escape(word)}" pos="{escape(tag)}"/>')
    lines += ["</terminals>", "<nonterminals>"]
    for one, label, children in phrases:
        lines.append(f'<nt id="{name(one)}" cat="{escape(label)}">')
        lines += [f'<edge label="--" idref="{name(child)}"/>' for child in children]
        lines.append("</nt>")
    return "\n".join([*lines, "</nonterminals>", "</graph>", "</s>", ""])
