"""Reader of NEGRA's export format, versions 3 and 4: a word or phrase a line, with the number of its parent.

T. Brants 1997, The NeGra Export Format for Annotated Corpora. Version 4 has a column of lemmas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bnaparser.errors import TreeError
from bnaparser.treebanks.graphs import Graph

_TABS, _BLANKS = re.compile(r" *\t[ \t]*"), re.compile(r"[ \t]+")
_COMMENT = re.compile(r"[ \t]+%%.*")
_NUMBER = re.compile(r"[0-9]{1,9}")
_PHRASE = re.compile(r"#([5-9][0-9]{2}|[1-9][0-9]{3,8})")  # from 500; #1 is a word
_WRITTEN_MARK = re.compile(r"\\(?=#(?:\d+|BOS|EOS|FORMAT)$|%%|\\)")

NumberedLine = tuple[int, str]


def read_export(
    lines: Iterable[NumberedLine], source: str
) -> Iterator[tuple[Graph, int] | TreeError]:
    """Yield each sentence's graph with the line of its ``#BOS``, or what is wrong with it.

    Tables, comments (``%%``) and second parents are passed over.
    """
    sentence: list[NumberedLine] = []
    start = 0
    version = table = ""
    for number, text in lines:
        line = text.strip()
        mark, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        if table:
            table = "" if mark == "#EOT" else table
        elif mark == "#BOS":
            if start:
                yield TreeError(
                    f"the sentence that starts here has no #EOS before the next #BOS, line {number}",
                    source,
                    start,
                )
            start, sentence = number, []
        elif mark == "#EOS" and start:
            yield _graph_or_error(sentence, version, source, start)
            start = 0
        elif start:
            if line and not line.startswith("%%"):
                sentence.append((number, line))
        elif mark == "#FORMAT":
            version = rest.strip()
            if version not in ("3", "4"):
                yield TreeError(
                    f"#FORMAT {version}: only versions 3 and 4 of the export format are supported",
                    source,
                    number,
                )
        elif mark == "#BOT":
            table = mark
        elif line and not line.startswith("%%"):
            yield TreeError(
                f"{line[:40]!r} is outside #BOS and #EOS: a sentence begins with #BOS NUMBER",
                source,
                number,
            )
    if start:
        yield TreeError(
            "the sentence that starts here has no #EOS: the file is incomplete: download or copy it again",
            source,
            start,
        )


def _graph_or_error(
    lines: list[NumberedLine], version: str, source: str, start: int
) -> tuple[Graph, int] | TreeError:
    try:
        return _graph(lines, version, source, start), start
    except TreeError as error:
        return error


def _graph(lines: list[NumberedLine], version: str, source: str, start: int) -> Graph:
    graph = Graph()
    words: list[tuple[list[str], int]] = []
    phrases: dict[int, tuple[list[str], int]] = {}
    for number, line in lines:
        columns = _columns(line, version, source, number)
        name = _PHRASE.fullmatch(columns[0])
        if name is None:
            words.append((columns, number))
        elif int(name[1]) in phrases:
            raise TreeError(f"the phrase {columns[0]} is in this sentence twice", source, number)
        else:
            phrases[int(name[1])] = columns, number
    if not words:
        raise TreeError("a sentence without words: remove this sentence", source, start)
    places = {name: len(words) + place for place, name in enumerate(phrases)}
    for columns, number in [*words, *phrases.values()]:
        parent = int(columns[4])
        if parent and parent not in places:
            raise TreeError(
                f"the parent of {columns[0]} is {parent}, but the sentence has no line #{parent}",
                source,
                number,
            )
        graph.parents.append(places[parent] if parent else None)
        graph.functions.append(columns[3])
        if seconds := (len(columns) - 5) // 2:
            graph.removed["second parents"] = graph.removed.get("second parents", 0) + seconds
    graph.words = [_WRITTEN_MARK.sub("", columns[0], count=1) for columns, _ in words]
    graph.tags = [columns[1] for columns, _ in words]
    graph.labels = ["" if columns[1] == "--" else columns[1] for columns, _ in phrases.values()]
    return graph


def _columns(line: str, version: str, source: str, number: int) -> list[str]:
    """Return word or number, tag, morphology, function and parent, then pairs for second parents."""
    line = _COMMENT.sub("", line)
    # A word may hold a blank, "40 000"; in some files blanks stand between columns.
    columns = _TABS.split(line)
    if len(columns) < 5:
        columns = _BLANKS.split(line)
    # Files say the wrong version, or none: the parent, a number, stands last.
    fourth = len(columns) > 5 and not _NUMBER.fullmatch(columns[4])
    if fourth:
        del columns[1]
    if len(columns) < 5 or not _NUMBER.fullmatch(columns[4]):
        columns_shown = "word, tag, morphology, function, parent"
        if version == "4":
            columns_shown = "word, lemma, tag, morphology, function, parent"
        raise TreeError(
            f"{line[:40]!r} must have the columns {columns_shown}, with a number as parent",
            source,
            number,
        )
    return columns
