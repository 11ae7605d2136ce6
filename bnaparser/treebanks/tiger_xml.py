"""Reader of TIGER-XML: terminals, and nonterminals with edges to their children.

A. Mengel and W. Lezius 2000, An XML-based Representation Format for Syntactically Annotated Corpora. A
sentence is read at a time, whatever the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn
from xml.parsers import expat

from bnaparser.errors import DataError, TreeError
from bnaparser.treebanks.graphs import Graph

_UNFINISHED = (
    expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
)
"""What is wrong with the last line of a file that is cut off."""
_WORD, _TAG, _LABEL = ("word", "form"), ("pos", "tag"), ("cat", "label")


def read_tiger(
    pieces: Iterable[bytes | str], source: str
) -> Iterator[tuple[Graph, int] | TreeError]:
    """Yield each sentence's graph with the line of its element ``s``, or what is wrong with it.

    Second parents (``secedge``) are passed over, and elements ``s`` without a graph. Raises DataError if
    the file is no TIGER-XML or not whole. Definitions of entities are refused: a few lines of them can
    stand for gigabytes.
    """
    reading = _Reading(source)
    parser = None
    ended = False
    rest = iter(pieces)
    try:
        for piece in rest:
            if parser is None:
                # Text has been decoded, whatever the first line says.
                parser = expat.ParserCreate("utf-8" if isinstance(piece, str) else None)
                reading.listen(parser)
            parser.Parse(piece, False)
            yield from reading.take()
        if parser is not None:
            ended = True
            parser.Parse(b"", True)
            yield from reading.take()
    except expat.ExpatError as error:
        yield from reading.take()
        ended = ended or (error.code in _UNFINISHED and next(rest, None) is None)
        advice = "the file is cut off: fetch it again" if ended else "correct this line"
        message = expat.ErrorString(error.code)
        raise DataError(
            f"{source}:{error.lineno}: this is not well-formed XML ({message}): {advice}"
        ) from error


class _Reading:
    """A file as far as it has been read; finished sentences wait in ``found``."""

    def __init__(self, source: str):
        self.source = source
        self.found: list[tuple[Graph, int] | TreeError] = []
        self.sentence: _Sentence | None = None
        self.in_head = False
        self.parser: expat.XMLParserType | None = None

    def listen(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.EntityDeclHandler = self.refuse

    def take(self) -> list[tuple[Graph, int] | TreeError]:
        found, self.found = self.found, []
        return found

    @property
    def line(self) -> int:
        return 1 if self.parser is None else self.parser.CurrentLineNumber

    def refuse(self, name: str, *_: object) -> None:
        raise DataError(
            f"{self.source}:{self.line}: the definition of an entity, {name!r}, is not supported: replace the entity"
            " by its text in the file"
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = _without_prefix(name)
        self.in_head = self.in_head or name == "head"
        if self.sentence is None:
            if name == "s":
                self.sentence = _Sentence(self.source, self.line)
            elif name == "subcorpus" and "external" in attributes:
                raise DataError(
                    f"{self.source}:{self.line}: the sentences are in another file: give"
                    f" the file {attributes['external']!r}"
                )
            elif name not in _AROUND and not self.in_head:
                raise DataError(
                    f"{self.source}:{self.line}: an element {name!r}, but TIGER-XML has corpus, body and"
                    " s: this file is not TIGER-XML"
                )
            return
        self.sentence.start(name, attributes, self.line)

    def end(self, name: str) -> None:
        name = _without_prefix(name)
        if name == "head":
            self.in_head = False
        if name == "s" and self.sentence is not None:
            try:
                graph = self.sentence.graph()
                if graph is not None:
                    self.found.append((graph, self.sentence.line))
            except TreeError as error:
                self.found.append(error)
            self.sentence = None


_AROUND = frozenset(["corpus", "head", "body", "subcorpus"])
"""The elements around sentences; what is within ``head`` is of any kind."""


def _without_prefix(name: str) -> str:
    """Return an element's name without the prefix of its namespace: ``corpus`` of ``tiger:corpus``."""
    return name.rpartition(":")[2]


class _Sentence:
    """An element ``s`` as far as it has been read."""

    def __init__(self, source: str, line: int):
        self.source, self.line = source, line
        self.terminals: list[tuple[str, str, str, int]] = []
        self.phrases: list[tuple[str, str, int]] = []
        self.edges: list[tuple[str, str, str, int]] = []
        self.within: str | None = None
        self.seconds = 0
        self.wrong: TreeError | None = None

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        try:
            if name == "t":
                word = self._get(attributes, _WORD, name, line)
                if not word.strip():
                    self._fail("an element t without a word: take it out", line)
                tag = self._get(attributes, _TAG, name, line)
                self.terminals.append((self._get(attributes, ("id",), name, line), word, tag, line))
                self.within = None
            elif name == "nt":
                self.within = self._get(attributes, ("id",), name, line)
                label = self._get(attributes, _LABEL, name, line)
                self.phrases.append((self.within, label, line))
            elif name == "edge" and self.within is not None:
                child = self._get(attributes, ("idref",), name, line)
                self.edges.append((self.within, child, attributes.get("label", ""), line))
            elif name == "secedge":
                self.seconds += 1
        except TreeError as error:
            self.wrong = self.wrong or error

    def graph(self) -> Graph | None:
        """Return the graph, None if there is none; TreeError at the first thing that is wrong."""
        if self.wrong is not None:
            raise self.wrong
        if not self.terminals:
            if self.phrases:
                self._fail("a graph without terminals: take it out", self.line)
            return None
        names = [one[0] for one in (*self.terminals, *self.phrases)]
        places = {name: place for place, name in enumerate(names)}
        if len(places) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            self._fail(f"the id {twice!r} stands here twice", self.line)
        parents: list[int | None] = [None] * len(names)
        functions = [""] * len(names)
        for parent, child, function, line in self.edges:
            place = places.get(child)
            if place is None:
                self._fail(f"the edge's idref {child!r} is not an id of this sentence", line)
            if parents[place] is not None:
                self._fail(f"{child!r} has two parents: write the second as a secedge", line)
            parents[place], functions[place] = places[parent], function
        removed = {"second parents": self.seconds} if self.seconds else {}
        words, tags = [one[1] for one in self.terminals], [one[2] for one in self.terminals]
        return Graph(words, tags, [one[1] for one in self.phrases], parents, functions, removed)

    def _get(
        self, attributes: Mapping[str, str], names: tuple[str, ...], element: str, line: int
    ) -> str:
        for name in names:
            if name in attributes:
                return attributes[name]
        self._fail(f"an element {element} without the attribute {names[0]}: add it", line)

    def _fail(self, message: str, line: int) -> NoReturn:
        raise TreeError(message, self.source, line)
