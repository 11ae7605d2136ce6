"""A sentence in CoNLL-U, its dependencies found in its tree by head rules.

https://universaldependencies.org/format.html. The tree itself is kept in a comment.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from bnaparser.errors import TreeError
from bnaparser.trees.cleaning import EMPTY_TAG, without_traces
from bnaparser.trees.escapes import replace_surrogates, unescape
from bnaparser.trees.heads.rules import UD, HeadRules
from bnaparser.trees.heads.universal import universal_arcs
from bnaparser.trees.tree import Tree

_BLANKS = re.compile(r"\s+")
_DIVISION = re.compile("[-\u00ad\u2010\u00ac][^\\S\n\r]*[\n\r]")
"""Where a word is divided at the end of a line: "infor-" and "mation"."""


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
    the text from the first word to the end of the last: for the words' forms and for SpaceAfter=No, which
    together are the text in the comment: what stands between words is a blank there. Relations are universal ones as far as a tree tells them,
    with heads by ``rules``; one that it does not tell is ``dep``, with Collins' relation in the last
    column: labels of the child, of its parent, and of the head child. Half a character becomes U+FFFD,
    as UTF-8 can hold none. What the text writes as one and the tree has as several words, Portuguese
    *do* for *de o*, is a multiword token; any other word has the form that it has in the text, but a word that is divided at the end of
    a line is written as one.
    Traces are no words of the sentence: they stand in the comment with the tree only. A tree of nothing but traces
    has no lines. Raises TreeError if a word has no tag.
    """
    for word, tag in zip(tree.words, tree.tags, strict=True):
        if not tag:
            raise TreeError(
                f"CoNLL-U needs a part-of-speech tag for each word: give {word!r} one, as in (NN {word})"
            )
    shown = [unescape(word) for word in tree.words] if words is None else words
    comment, bare = str(tree), without_traces(tree)
    if bare is None:
        return ""
    if bare is not tree:
        shown = [word for word, tag in zip(shown, tree.tags, strict=True) if tag != EMPTY_TAG]
        tree, text = bare, None
    tags = tree.tags
    if text is None or not offsets or offsets[-1][1] - offsets[0][0] != len(text):
        text, offsets = _spaced(shown)
    offsets = [(start - offsets[0][0], end - offsets[0][0]) for start, end in offsets]
    lines: list[str] = []
    written = ""  # the text as the forms have it
    arcs = universal_arcs(tree, rules)
    for start, end in _tokens(shown, text, offsets):
        form = text[offsets[start][0] : offsets[end - 1][1]]
        is_divided = end - start == 1 and _DIVISION.search(form) is not None
        form = shown[start] if is_divided or form == shown[start] else _BLANKS.sub(" ", form)
        glued = end < len(shown) and offsets[end - 1][1] == offsets[end][0]
        after = ["SpaceAfter=No"] if glued else []
        written += form if glued else f"{form} "
        several = end - start > 1
        if several:
            lines.append("\t".join([f"{start + 1}-{end}", form, *("_" * 7), *(after or "_")]))
        for place in range(start, end):
            arc = arcs[place]
            about = [f"Collins={arc.collins}"] if arc.relation == "dep" else []
            about += [] if several else after
            columns = [str(place + 1), shown[place] if several else form, "_"]
            columns += [arc.part_of_speech, tags[place], "_", str(arc.head), arc.relation, "_"]
            lines.append("\t".join([*columns, "|".join(about) or "_"]))
    comments = [f"# sent_id = {number}", f"# text = {written[:-1]}", f"# tree = {comment}"]
    return replace_surrogates("\n".join([*comments, *lines, "", ""]))


def _spaced(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a text of words with blanks between, and where each stands."""
    ends = list(itertools.accumulate(len(word) + 1 for word in words))
    return " ".join(words), [
        (end - len(word) - 1, end - 1) for end, word in zip(ends, words, strict=True)
    ]


def _tokens(
    words: Sequence[str], text: str, offsets: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the words of each token, half-open: one, or several that do not spell what the text has for them."""
    start = 0
    while start < len(words):
        end = start + 1
        while end < len(words) and _joined(text, offsets[end - 1], offsets[end]):
            end += 1
        places = range(start, end)
        if all(words[place] == text[slice(*offsets[place])] for place in places):
            end = start + 1
        yield start, end
        start = end


def _joined(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Return whether two words share letters of the text, or touch within a word of a script with capitals."""
    if second[0] < first[1]:
        return True
    around = text[first[1] - 1 : first[1]], text[second[0] : second[0] + 1]
    return first[1] == second[0] and all(one.lower() != one.upper() for one in around)
