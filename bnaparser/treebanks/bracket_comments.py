"""Reader of CoNLL-U whose sentences have a tree in brackets in a comment: ``# constituency = (ROOT (S ...))``.

So do `bnaparse --format conllu` and stanza write them. The words of the tree are those of the lines below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bnaparser.errors import DataError, TreeError
from bnaparser.treebanks.conllu import ConlluSentence, read_conllu
from bnaparser.trees.cleaning import EMPTY_TAG
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree, parse_trees_with_places

_COMMENT = re.compile(
    r"#\s*+(?!text\b)(?:[^()=:]*[=:]|[^\s()]*)\s*(?P<tree>\(\s*[^\s()]*\s*\(.*\))\s*\Z"
)
_HEAD = 6  # the column
_NO_TREE = "no tree in a comment: give each sentence its own, as in # constituency = (ROOT ...)"


def read_bracket_comments(
    lines: Iterable[tuple[int, str]], source: str
) -> Iterator[tuple[Tree, int] | TreeError]:
    """Yield the tree of each sentence with its line, or what is wrong with it.

    Raises DataError if no sentence has a tree.
    """
    block: list[str] = []
    start = 1
    without: list[int] = []  # first lines of sentences without a tree
    trees = 0
    for number, text in _with_end(lines):
        if text.strip():
            start = start if block else number
            block.append(text)
            continue
        if any(not line.startswith("#") for line in block):
            found = list(_trees(block, start, source))
            trees += len(found)
            without += [] if found else [start]
            yield from found
        block = []
        if trees:
            yield from (TreeError(f"the sentence has {_NO_TREE}", source, at) for at in without)
            without = []
    if without:
        raise DataError(f"{source}: CoNLL-U without trees: its sentences have {_NO_TREE}")


def _with_end(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield from lines
    yield 0, ""


def _trees(block: list[str], start: int, source: str) -> Iterator[tuple[Tree, int] | TreeError]:
    """Yield the tree of the first comment that has the words of the lines, else what is wrong with the first one."""
    comments = ((n, _COMMENT.match(line)) for n, line in enumerate(block, start) if line[:1] == "#")
    candidates = [(number, found) for number, found in comments if found]
    if not candidates:
        return
    try:
        sentence = next(read_conllu(map(_without_head, block)))
    except DataError as error:
        message = re.sub(r"^<string>:(\d+): ", "", str(error))
        line = start + int(re.match(r"<string>:(\d+)", str(error))[1]) - 1  # type: ignore[index]
        yield TreeError(message, source, line)
        return
    wrong: TreeError | None = None
    for number, comment in candidates:
        try:
            (tree, place), *more = parse_trees_with_places([comment["tree"]], source, number)
        except TreeError as error:
            column = error.column + comment.start("tree")
            wrong = wrong or TreeError(error.message, source, number, column)
            continue
        different = "the comment has several trees" if more else _difference(tree, sentence)
        if not different:
            yield tree, place.line
            return
        wrong = wrong or TreeError(different, source, place.line)
    assert wrong is not None
    yield wrong


def _without_head(line: str) -> str:
    """Return a line of a word with no head: trees do not need heads, and some files have none."""
    columns = line.split("\t")
    if line.startswith("#") or len(columns) <= _HEAD:
        return line
    columns[_HEAD] = "0" if columns[0].isdigit() else columns[_HEAD]
    return "\t".join(columns)


def _difference(tree: Tree, sentence: ConlluSentence) -> str:
    """Say where the words of a tree are not those of its sentence, "" if they are."""
    words = [
        unescape(word) for word, tag in zip(tree.words, tree.tags, strict=True) if tag != EMPTY_TAG
    ]
    forms = [unescape(word) for word in sentence.words]
    written = [unescape(word) for word in sentence.as_written().words]
    if _same(words, forms) or _same(words, written):
        return ""
    if _same([unescape(word) for word in tree.words], forms):
        return ""  # lines for empty elements, as `bnaparser convert` writes them
    if len(words) != len(forms):
        return f"the tree has {len(words)} words, the lines below it {len(forms)}: correct either"
    one, other = next(pair for pair in zip(words, forms, strict=True) if not _same(*pair))
    return f"the tree has the word {one!r}, the lines below it {other!r}: correct either"


def _same(one: list[str] | str, other: list[str] | str) -> bool:
    """Return whether words are the same, blanks within them aside."""
    if isinstance(one, str) or isinstance(other, str):
        return re.sub(r"[\s_]", "", str(one)) == re.sub(r"[\s_]", "", str(other))
    return len(one) == len(other) and all(map(_same, one, other))
