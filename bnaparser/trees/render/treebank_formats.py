"""Trees in the formats of treebanks: NEGRA's export format 4, TIGER-XML, and the Penn Treebank's ``.mrg``.

T. Brants 1997, The NeGra Export Format for Annotated Corpora. In both German formats words are numbered from 1,
phrases from 500.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bnaparser.trees.brackets import ROOT_LABELS, indent_brackets
from bnaparser.trees.drawing.svg import escape
from bnaparser.trees.escapes import replace_surrogates
from bnaparser.trees.tree import Tree

FIRST_PHRASE = 500


class NumberedPhrase(NamedTuple):
    """A phrase: its number, its label, the numbers of its children, and its parent's, 0 for none."""

    number: int
    label: str
    children: tuple[int, ...]
    parent: int


class NumberedTree(NamedTuple):
    """Phrases, children before parents; of each word its tag, ``--`` for none, and its parent, 0 for none."""

    phrases: list[NumberedPhrase]
    tags: tuple[str, ...]
    parents: list[int]


def numbered_tree(tree: Tree) -> NumberedTree:
    """Number the nodes of a tree.

    A top node that is no constituent (TOP and the like) is left out where one phrase is below it. Over several
    nodes or a word it stays: a reader would take nodes without a parent for a graph that is not whole.
    """
    inside = [node for node in tree.nodes() if node.word is None]
    if tree.label in ROOT_LABELS and len(tree.subtrees) == 1 and tree.subtrees[0].subtrees:
        inside = [node for node in inside if node is not tree]
    inside.reverse()  # children before parents
    words = range(1, tree.end - tree.start + 1)
    numbers = {id(node): place for place, node in enumerate(inside, max(FIRST_PHRASE, words.stop))}
    numbers |= {id(node): word for word, node in zip(words, tree.preterminals(), strict=True)}
    parents: dict[int, int] = {}
    for node in inside:
        parents |= {numbers[id(child)]: numbers[id(node)] for child in node.subtrees}
    phrases = [
        NumberedPhrase(
            numbers[id(node)],
            node.label,
            tuple([numbers[id(child)] for child in node.subtrees]),
            parents.get(numbers[id(node)], 0),
        )
        for node in inside
    ]
    tags = tuple([tag or NONE for tag in tree.tags])
    return NumberedTree(phrases, tags, [parents.get(word, 0) for word in words])


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
    return replace_surrogates("\n".join([*lines, f"#EOS {number}", ""]))


def _line(name: str, label: str, parent: int) -> str:
    """Word or number, lemma, tag or label, morphology, edge, parent."""
    return "\t".join((name, NONE, label, NONE, NONE, str(parent)))


def _plain(word: str) -> str:
    word = _BLANK.sub("_", word)
    return _READS_AS_MARK.sub(r"\\", word, count=1) if _READS_AS_MARK.match(word) else word


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


def tiger(tree: Tree, number: int = 1, words: Sequence[str] | None = None) -> str:
    """Return the element ``s`` of one sentence, whose ``number`` counts from 1.

    ``words`` replace the tree's own. A document begins with ``TIGER_START`` and ends with ``TIGER_END``. Characters that XML forbids are replaced by visible ones.
    """
    found = numbered_tree(tree)
    shown = tree.words if words is None else words

    def name(node: int) -> str:
        return f"s{number}_{node}"

    phrases = found.phrases
    root = phrases[-1].number if phrases else 1
    lines = [f'<s id="s{number}">', f'<graph root="{name(root)}">', "<terminals>"]
    for place, (word, tag) in enumerate(zip(shown, found.tags, strict=True), 1):
        lines.append(f'<t id="{name(place)}" word="{escape(word)}" pos="{escape(tag)}"/>')
    lines += ["</terminals>", "<nonterminals>"]
    for one, label, children, _ in phrases:
        lines.append(f'<nt id="{name(one)}" cat="{escape(label)}">')
        lines += [f'<edge label="--" idref="{name(child)}"/>' for child in children]
        lines.append("</nt>")
    return "\n".join([*lines, "</nonterminals>", "</graph>", "</s>", ""])


_DEEPEST = 60  # levels further down are not indented more, or blanks would be most of the text


def penn(tree: Tree) -> str:
    """Return a tree as in ``.mrg`` files, with the outer bracket that has no label, and a line's end.

    A top node that is no constituent (TOP and the like) is that bracket. Escapes stay as they are:
    they are the Penn Treebank's own. Half a character becomes U+FFFD, as UTF-8 can hold none.
    """
    tops = tree.subtrees if tree.label in ROOT_LABELS and tree.subtrees else (tree,)
    inside = indent_brackets(*tops, depth=1, closing=")", deepest=_DEEPEST)
    return replace_surrogates(f"({inside[1:]}\n")
