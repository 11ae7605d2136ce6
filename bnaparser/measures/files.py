"""Measures of the trees in files of any size: in constant memory, in several processes where there are many."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from bnaparser.errors import BnaparserError, DataError, TreeError
from bnaparser.files.ahead import read_ahead
from bnaparser.files.compressed import ending
from bnaparser.files.parquet import open_parquet
from bnaparser.files.tables import parse_json
from bnaparser.files.text_files import OPTION, open_text
from bnaparser.measures import l2sca
from bnaparser.measures.api import text_row
from bnaparser.measures.patterns import Patterns
from bnaparser.measures.table import (
    By,
    Sums,
    Value,
    add,
    columns_of,
    labels_of,
    sums_of,
    without_tree,
    word_rows,
)
from bnaparser.treebanks import formats
from bnaparser.treebanks.parse_files import find_parsed, in_stream, kind_of, kind_of_file
from bnaparser.trees.cleaning import without_traces
from bnaparser.trees.escapes import unescape
from bnaparser.trees.search.pattern import State, Unseen
from bnaparser.trees.tree import Tree, parse_trees_with_places
from bnaparser.worker import Worker

Row = dict[str, Value]

TREE_ENDINGS = (".mrg", ".fid", ".psd", ".ptb", ".penn", ".tree", ".trees", ".parsed", ".bracket")
"""Endings of files that hold trees; of other files the first signs tell."""

_NESTED = re.compile(r"\s*([(\[])[^\s()\[\]]*\s*\1")  # "(TOP (S", as no text begins
_CHUNK = 400  # trees that a process measures at once
_HEAD = 1 << 16  # number of characters that show whether a file has trees


class Located(NamedTuple):
    """A sentence as it lies in a file: its text's name, its tree in brackets or why there is none, its size there.

    ``place`` is the file and line, for errors in the tree; it may be left out where the tree has been read.
    """

    document: str
    tree: str | None
    error: str | None
    size: int
    place: str = "<string>"


def holds_trees(path: Path, encoding: str | None = None) -> bool:
    """Return whether a file holds trees or parses, and not running text: by its ending, or its first tree."""
    if kind_of(path) or ending(path) in TREE_ENDINGS:
        return True
    with open_text(path, encoding, OPTION) as lines:
        return begins_with_tree(lines)


def begins_with_tree(lines: Iterable[str]) -> bool:
    """Return whether the first thing in some lines is a tree, or a parse in JSON."""
    head: list[str] = []
    size = 0
    for line in lines:
        if not head and not line.strip():
            continue
        head.append(line)
        size += len(line)
        if size > _HEAD:
            break
    if not head:
        return False
    if head[0].lstrip().startswith("{"):
        return '"tree"' in head[0]
    if not head[0].lstrip().startswith(("(", "[")):
        return formats.holds_trees(head)
    nested = _NESTED.match(head[0]) is not None
    try:
        return next(parse_trees_with_places(iter(head), untagged=nested), None) is not None
    except TreeError:
        return False


def located(path: Path, encoding: str | None = None, option: str = "") -> Iterator[Located]:
    """Yield the sentences of a file of trees or of parses; raises as `find_parsed` does.

    Parses that `bnaparser corpus` wrote are of the documents that they name, all others of the file.
    """
    kind = kind_of_file(path, encoding)
    if kind == ".jsonl":
        with open_text(path, encoding, option) as lines:
            yield from in_json_lines(lines, str(path))
    elif kind == ".parquet":
        yield from _in_parquet(path)
    else:
        for found in find_parsed([path], lambda text: True, encoding, option, untagged=True):
            text = str(found.tree)
            yield Located(str(path), text, None, len(text) + 1)


def located_in(lines: Iterable[str], name: str) -> Iterator[Located]:
    """Yield the sentences of a stream of trees or of parses."""
    for found in in_stream(lines, name, lambda text: True, untagged=True):
        text = str(found.tree)
        yield Located(name, text, None, len(text) + 1)


def in_json_lines(lines: Iterable[str], name: str) -> Iterator[Located]:
    """Yield the parses of lines of JSON; DataError for a line without a field ``tree``."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            stored = parse_json(line)
            tree, document = stored["tree"], stored.get("document", name)
            error = stored.get("error")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DataError(
                f"{name}:{number}: this is not a parse: it has no field 'tree'; texts in JSON lines are measured by"
                " bnaparser corpus IN OUT --measures"
            ) from None
        yield _located(f"{name}:{number}", str(document), tree, error, len(line))


def _in_parquet(path: Path) -> Iterator[Located]:
    with open_parquet(path, "tree") as table:
        known = table.schema_arrow.names
        columns = [name for name in ("document", "tree", "error") if name in known]
        size = path.stat().st_size // max(1, table.metadata.num_rows)
        batches = table.iter_batches(1024, columns=columns)
        rows = chain.from_iterable(batch.to_pylist() for batch in batches)
        for number, row in enumerate(rows, 1):
            document = str(row.get("document") or path)
            yield _located(f"{path}:{number}", document, row["tree"], row.get("error"), size)


def _located(place: str, document: str, tree: Any, error: Any, size: int) -> Located:
    if tree is not None and not isinstance(tree, str):
        raise DataError(f"{place}: the field 'tree' is {tree!r:.40}, not brackets")
    reason = None if tree is not None else str(error or "no tree")
    return Located(document, tree, reason, size, place)


class Measured(NamedTuple):
    """The measures of some sentences of one text: rows, or sums of all rows; and the number of
    sentences with each flaw; and what labels and words of the user's patterns were not in their trees.
    """

    document: str
    rows: list[Row]
    sums: Sums
    sentences: int
    unseen: State | None = None


Read = Callable[[int], None]
"""Called with the size of the sentences that were measured."""


def measured(
    sentences: Iterable[Located],
    by: By,
    patterns: Patterns,
    matches: tuple[str, ...] = (),
    workers: int = 1,
    read: Read = lambda size: None,
) -> Iterator[Measured]:
    """Yield the measures of sentences, in order, some sentences of one text at a time.

    Where ``sentences`` raises an error, the sentences before the error are measured first.

    Args:
        sentences: The sentences.
        by: What a row is about.
        patterns: Patterns of the user's by name.
        matches: Names of counts: rows are then what these counts count.
        workers: Processes that measure at once; 1: this one. Few sentences are measured in this one.
        read: Called after each part.
    """
    source = _chunks(sentences)
    work = partial(measure_chunk, by=by, patterns=patterns, matches=matches)
    chunks = _errors_last(source)
    first = list(islice(chunks, 2))
    if workers == 1 or len(first) < 2 or isinstance(first[-1], Exception):
        for chunk in chain(first, chunks):
            if isinstance(chunk, Exception):
                raise chunk
            yield from work(chunk)
            read(sum(one.size for one in chunk))
        return
    yield from _in_processes(chain(first, chunks), work, workers, read)


def _chunks(sentences: Iterable[Located]) -> Iterator[list[Located]]:
    return read_ahead(sentences, _CHUNK)


def _errors_last(chunks: Iterable[list[Located]]) -> Iterator[list[Located] | Exception]:
    """Yield the chunks, and at the end the error that they raise."""
    try:
        yield from chunks
    except Exception as error:  # noqa: BLE001 (it is raised after the chunks)
        yield error


def _in_processes(
    chunks: Iterable[list[Located] | Exception],
    work: Callable[[list[Located]], list[Measured]],
    workers: int,
    read: Read,
) -> Iterator[Measured]:
    """Measure chunks in processes, in order. A chunk whose process was killed is measured in this process."""
    guarded = partial(_work_or_error, work)
    # The worker that began first is the first.
    pool: deque[Worker[list[Located], list[Measured] | BnaparserError]] = deque()

    def taken() -> list[Measured]:
        """Return what the first worker has measured, and put the worker, idle now, at the end."""
        worker = pool.popleft()
        chunk, found = worker.item or [], worker.take()
        if found is None:
            worker.end()
            worker = Worker(guarded)
        pool.append(worker)
        if isinstance(found, BnaparserError):
            raise found
        read(sum(one.size for one in chunk))
        return work(chunk) if found is None else found

    try:
        failure = None
        for chunk in chunks:
            if isinstance(chunk, Exception):
                failure = chunk
                break
            found: list[Measured] = []
            if len(pool) < workers:
                pool.append(Worker(guarded))
            else:
                found = taken()
            pool[-1].give(chunk)
            yield from found
        for _ in range(len(pool)):
            yield from taken()
        if failure is not None:
            raise failure
    finally:
        for worker in pool:
            worker.end()


def _work_or_error(
    work: Callable[[list[Located]], list[Measured]], chunk: list[Located]
) -> list[Measured] | BnaparserError:
    try:
        return work(chunk)
    except BnaparserError as error:
        return error


def measure_chunk(
    chunk: list[Located], by: By, patterns: Patterns, matches: tuple[str, ...] = ()
) -> list[Measured]:
    """Return the measures of some sentences; sentences of one text stay together."""
    found: list[Measured] = []
    unseen = unseen_of(patterns)
    for document, text, error, _, place in chunk:
        if not found or found[-1].document != document:
            found.append(Measured(document, [], {}, 0))
        now = found[-1]
        number = now.sentences
        tree = None if text is None else Tree.parse(text, place)
        if patterns and tree is not None:
            unseen.see(tree)
        found[-1] = now._replace(sentences=number + 1)
        measure_one(tree, None, error, number, by, patterns, matches, now.rows, now.sums)
    if patterns and found:
        found[-1] = found[-1]._replace(unseen=unseen.state)
    return found


def unseen_of(patterns: Patterns) -> Unseen:
    """Return what collects the labels and words of the user's patterns that are in no tree."""
    return Unseen.of(chain.from_iterable(patterns.values()))


def measure_one(
    tree: Tree | None,
    parse: Any,
    error: str | None,
    number: int,
    by: By,
    patterns: Patterns,
    matches: tuple[str, ...],
    rows: list[Row],
    sums: Sums,
) -> None:
    """Measure a sentence: put its rows, which have its ``number``, to ``rows``, and add to ``sums``."""
    if tree is None:
        add(sums, {"failed": 1})
        if by == "sentence" and not matches:
            rows.append({"sentence": number, **without_tree(patterns), "error": error})
    elif matches:
        add(sums, {"sentences": 1, **labels_of(tree)})
        rows += ({"sentence": number, **row} for row in match_rows(tree, matches, patterns))
    elif by == "word":
        add(sums, {"sentences": 1, **labels_of(tree)})
        rows += ({"sentence": number, **row} for row in word_rows(tree, parse))
    else:
        own = sums_of(tree, patterns, None if parse is None else parse.entropy)
        add(sums, own)
        if by == "sentence":
            rows.append({"sentence": number, **columns_of(own, patterns), "error": None})


def match_rows(tree: Tree, names: Iterable[str], patterns: Patterns) -> Iterator[Row]:
    """Yield a row for each node that a count counts: its name, its words, their places, the node in brackets."""
    whole, bare = l2sca.under_top(tree), without_traces(tree)
    for name in names:
        own = (one.matches(whole, once=True) for one in patterns.get(name, ()))
        counted = () if bare is None else l2sca.find(l2sca.under_top(bare), name)
        for match in chain.from_iterable(own) if name in patterns else counted:
            words = (match.node,) if isinstance(match.node, str) else match.node.words
            start, end = match.span
            yield {
                "count": name,
                "start": start,
                "end": end,
                "words": " ".join(map(unescape, words)),
                "node": str(match.node),
            }


class Table:
    """The rows of a table as parts of texts come in: by text one when its text ends; and what is to be noted.

    Sentences are numbered from 1 in their text.
    """

    def __init__(self, by: By, patterns: Patterns):
        self.by, self.patterns = by, patterns
        self.all: Sums = {}
        self._unseen = unseen_of(patterns)
        self._document: str | None = None
        self._sums: Sums = {}
        self._count = 0

    def put(self, part: Measured) -> Iterator[Row]:
        """Yield the rows that a part completes."""
        if part.document != self._document:
            yield from self.end()
            self._document = part.document
        add(self._sums, part.sums)
        add(self.all, part.sums)
        if part.unseen is not None:
            self._unseen.add(part.unseen)
        for row in part.rows:
            number = self._count + 1 + int(row["sentence"] or 0)
            yield {"document": part.document, **row, "sentence": number}
        self._count += part.sentences

    def end(self) -> Iterator[Row]:
        """Yield the row of the last text, where rows are texts."""
        if self._document is not None and self.by == "text":
            yield {"document": self._document, **text_row(self._sums, self.patterns)}
        self._document, self._sums, self._count = None, {}, 0

    def notes(self) -> list[str]:
        """Return a sentence for each thing that a reader of the table should know."""
        total, notes = self.all, []
        number = total.get("sentences", 0)
        if not number and not total.get("failed"):
            notes.append("there was no sentence to measure")
        if failed := total.get("failed"):
            notes.append(f"{failed:,} sentences without a tree: they have no measures")
        if untagged := total.get("untagged"):
            notes.append(
                f"{untagged:,} trees without part-of-speech tags: what needs tags is left empty"
                f" ({', '.join(_OF_TAGS)} and ratios of these, words_before_verb)"
            )
        if 2 * total.get("foreign", 0) > number:
            notes.append(
                "most trees have labels that are not the Penn Treebank's for English: L2SCA's counts"
                " (W to CN/C) are defined for those labels, and say little here"
            )
        if functions := total.get("functions"):
            notes.append(
                f"{functions:,} trees have labels with functions (NP-SBJ), which L2SCA's patterns do not"
                " match: bnaparser treebank FILE -o CLEAN.mrg cuts them off"
            )
        return notes + self._unseen.notes()


_OF_TAGS = [name for name in l2sca.COUNTS if name not in l2sca.WITHOUT_TAGS]
