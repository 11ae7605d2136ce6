"""The formats of treebank files, detected from their beginning, and the trees in their lines.

Brackets as the Penn Treebank has them, with the features of SPMRL or in the Penn-Helsinki notation; square brackets; NEGRA's
export format; TIGER-XML; CoNLL-U with brackets in a comment.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypedDict

from bnaparser.errors import TreeError
from bnaparser.treebanks import penn_helsinki
from bnaparser.treebanks.bracket_comments import read_bracket_comments
from bnaparser.treebanks.graphs import Graph, graph_tree
from bnaparser.treebanks.lines import DAMAGED, XML_START, Line
from bnaparser.treebanks.negra_export import read_export
from bnaparser.treebanks.tiger_xml import read_tiger
from bnaparser.trees.tree import Tree, parse_trees_with_places

logger = logging.getLogger(__name__)

PENN = "Penn Treebank brackets"
PENN_HELSINKI = "Penn-Helsinki brackets"
SPMRL = "SPMRL brackets"
SQUARE = "square brackets"
CONLLU = "CoNLL-U with brackets in comments"
EXPORT = "NEGRA export"
TIGER = "TIGER-XML"

MayHold = Callable[[str], bool]

_EXPORT_START = re.compile(r"#(?:FORMAT|BOT|BOS)\b")
_CONLLU_WORD = re.compile(r"[0-9]+(?:[-.][0-9]+)?\t[^\t]*\t")
_FEATURES = re.compile(r"(?<=\()(\s*[^\s()#]+)##[^\s()]*?##([^\s()#]*)(?=[\s(])")
_BEGINNING = 1 << 16  # number of characters that show the notation of brackets


class TreeOptions(TypedDict, total=False):
    """How trees are read, as `bnaparser.treebanks.reading.find_trees` describes it."""

    skip_broken: bool
    keep_functions: bool
    untagged: bool


class Found(NamedTuple):
    """A tree and where it stands: its file and the line, from 1, where it starts.

    ``format`` is the file's. ``removed`` has what was taken out of the tree in reading, and how much of each
    kind: what its format has and trees have not.
    """

    tree: Tree
    source: str
    line: int
    format: str = PENN
    removed: tuple[tuple[str, int], ...] = ()


_Result = Found | TreeError


def trees_in(
    numbered: Iterable[Line],
    source: str,
    *,
    skip_broken: bool = False,
    may_hold: MayHold | None = None,
    keep_functions: bool = False,
    untagged: bool = False,
) -> Iterator[Found]:
    """Yield every tree of the lines of a file as `bnaparser.treebanks.reading.find_trees` does."""
    rest = iter(numbered)
    start = beginning(rest)
    lines = itertools.chain(start, rest)
    kind = _format_of([line.text for line in start])
    if kind == PENN:
        yield from _in_brackets(lines, source, skip_broken, may_hold, untagged)
        return
    found: Iterator[_Result]
    if kind == SQUARE:
        square = _in_brackets(lines, source, skip_broken, None, untagged)
        found = (one._replace(format=SQUARE) for one in square)
    elif kind == TIGER:
        graphs = read_tiger((line.text.rstrip("\r\n") + "\n" for line in lines), source)
        found = _of_graphs(graphs, source, kind, keep_functions)
    elif kind == EXPORT:
        plain = ((line.number, line.text) for line in lines)
        found = _of_graphs(read_export(plain, source), source, kind, keep_functions)
    elif kind == CONLLU:
        found = _of_comments(lines, source)
    elif kind == SPMRL:
        found = _with_features(lines, source, skip_broken)
    else:
        lemmas = penn_helsinki.has_lemmas("\n".join(line.text for line in start))
        found = _with_empty_elements(lines, source, skip_broken, lemmas)
    for one in found:
        if isinstance(one, TreeError):
            if not skip_broken:
                raise one
            logger.warning("left out: %s", one)
        elif may_hold is None or may_hold(str(one.tree)):
            yield one


def holds_trees(start: list[str]) -> bool:
    """Return whether the first lines of a file show that it has trees, not text or lines of tags."""
    kind = _format_of(start)
    first = next((text.lstrip() for text in start if text.strip()), "")
    if kind == PENN_HELSINKI:
        return first.startswith(("(", *penn_helsinki.COMMENTS))
    return kind in (TIGER, EXPORT, CONLLU) or first.startswith(("(", "["))


def beginning_format(lines: Iterator[Line]) -> str:
    """Return the format of a file that begins with these lines."""
    return _format_of([line.text for line in beginning(lines)])


def beginning(lines: Iterator[Line]) -> list[Line]:
    """Return the first lines of a file, which show its format; they are taken from ``lines``."""
    start: list[Line] = []
    size = 0
    for line in lines:
        start.append(line)
        size += len(line.text) + 1
        if size >= _BEGINNING:
            break
    return start


def _format_of(start: list[str]) -> str:
    said = [text.lstrip() for text in start if text.strip()]
    first = said[0] if said else ""
    if XML_START.match(first):
        return TIGER
    # Comments may stand before any other format: %% and #.
    content = next((text for text in said if text[0] != "%"), first)
    if _EXPORT_START.match(content):
        return EXPORT
    content = next((text for text in said if text[0] != "#"), first)
    if _CONLLU_WORD.match(content):
        return CONLLU
    content = next((text for text in said if text[0] not in "%;*"), first)
    if content.startswith("["):
        return SQUARE
    text = "\n".join(start)
    if _FEATURES.search(text):
        return SPMRL
    return PENN_HELSINKI if penn_helsinki.is_penn_helsinki(text) else PENN


def _of_graphs(
    graphs: Iterable[tuple[Graph, int] | TreeError], source: str, kind: str, keep_functions: bool
) -> Iterator[_Result]:
    for one in graphs:
        if isinstance(one, TreeError):
            yield one
            continue
        graph, line = one
        try:
            tree = graph_tree(graph, keep_functions=keep_functions)
        except TreeError as error:
            yield TreeError(error.message, source, line)
        else:
            yield Found(tree, source, line, kind, tuple(graph.removed.items()))


def _of_comments(lines: Iterable[Line], source: str) -> Iterator[_Result]:
    for one in read_bracket_comments(((line.number, line.text) for line in lines), source):
        yield one if isinstance(one, TreeError) else Found(one[0], source, one[1], CONLLU)


def _with_features(lines: Iterable[Line], source: str, skip_broken: bool) -> Iterator[Found]:
    features = 0

    def stripped() -> Iterator[Line]:
        nonlocal features
        for line in lines:
            # Blanks in their place, so that columns stay those of the file.
            text, count = _FEATURES.subn(
                lambda match: f"{match[1]}{match[2]}".ljust(len(match[0])), line.text
            )
            features += count
            yield line._replace(text=text)

    for found in _in_brackets(stripped(), source, skip_broken, None):
        removed = (("features", features),) if features else ()
        features = 0
        yield found._replace(format=SPMRL, removed=removed)


def _with_empty_elements(
    lines: Iterable[Line], source: str, skip_broken: bool, lemmas: bool
) -> Iterator[Found]:
    text = penn_helsinki.without_comments(lines)
    before: Counter[str] = Counter()  # of trees without words
    for found in _in_brackets(text, source, skip_broken, None):
        tree, removed = penn_helsinki.as_penn(found.tree, lemmas)
        before += removed
        if tree is not None:
            yield found._replace(
                tree=tree, format=PENN_HELSINKI, removed=tuple(sorted(before.items()))
            )
            before = Counter()


def _in_brackets(
    numbered: Iterable[Line],
    source: str,
    skip_broken: bool,
    may_hold: MayHold | None,
    untagged: bool = False,
) -> Iterator[Found]:
    for first_line, lines in _blocks(iter(numbered), split=skip_broken):
        if skip_broken:
            lines = list(lines)
            if DAMAGED in lines:  # a warning was logged
                continue
        if may_hold is not None:
            lines = without(lines, may_hold)
        try:
            for tree, place in parse_trees_with_places(
                lines, source, first_line, untagged=untagged
            ):
                yield Found(tree, source, place.line)
        except TreeError as error:
            if not skip_broken:
                raise
            logger.warning("left out: %s", error)


def without(lines: Iterable[str], may_hold: MayHold) -> Iterator[str]:
    """Yield the lines, but "" for one of whole trees for which ``may_hold`` says False.

    A line without brackets is yielded: the reader tells a comment from text that is out of place.
    """
    depth = 0
    for line in lines:
        balance = line.count("(") - line.count(")")
        if depth == 0 and balance == 0 and "(" in line and not may_hold(line):
            yield ""
        else:
            yield line
            depth += balance


def _blocks(lines: Iterator[Line], *, split: bool) -> Iterator[tuple[int, Iterable[str]]]:
    """Give all lines as one block, with the number of the first, or split them between trees.

    Marked sentences are a block each. Elsewhere a tree is taken to start where a line starts with a
    bracket, and after a blank line.
    """
    first = next(lines, None)
    if first is None:
        return
    if not split and not first.starts:
        yield 1, (line.text for line in itertools.chain([first], lines))
        return
    number, block = first.number, [first.text]
    for line in lines:
        between = line.text.startswith(("(", "[")) or not line.text.strip()
        if line.starts if first.starts else between:
            yield number, block
            number, block = line.number, []
        block.append(line.text)
    yield number, block
