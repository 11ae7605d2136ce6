"""Where the sentences of a project come from: files of text or of trees; and the parser's trees for them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bnaparser import models
from bnaparser.annotation.project import ParsedTrees, Project, SentenceRecord
from bnaparser.errors import DataError
from bnaparser.files.folder import deciding_files
from bnaparser.files.text_files import OPTION, read_text
from bnaparser.measures.files import holds_trees
from bnaparser.text.sentence import Sentence, Split
from bnaparser.text.splitting import read_sentences
from bnaparser.treebanks.parse_files import find_parsed
from bnaparser.trees.escapes import escape_brackets, unescape
from bnaparser.trees.tree import CHAIN, Tree

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from bnaparser.parsing.result import Parse

Item = TypeVar("Item")

MOST_TREES = 5
_AT_ONCE = 64  # sentences that are parsed, then saved


class Source(NamedTuple):
    """A file that was read: its text, or its trees."""

    name: str
    digest: str
    text: str = ""
    trees: tuple[Tree, ...] = ()


def read_source(path: Path, encoding: str | None = None, trees: bool | None = None) -> Source:
    """Read a file; by default its name and first signs tell whether it holds ``trees``.

    Raises DataError for a file that is missing or no text, and TreeError for a tree that is none.
    """
    if holds_trees(path, encoding) if trees is None else trees:
        found = find_parsed([path], lambda text: True, encoding, OPTION)
        read = Source(str(path), "", trees=tuple(_with_top(one.tree) for one in found))
    else:
        read = Source(str(path), "", text=read_text(path, encoding, OPTION))
    if not read.trees and not read.text.strip():
        raise DataError(f"{path}: there is no sentence in it")
    content = "\n".join([read.text, *map(str, read.trees)])
    return read._replace(digest=hashlib.sha256(content.encode("utf-8", "replace")).hexdigest())


def model_version(names: str) -> str:
    """Return the names of models, valid from any folder, with a digest of their files: after a new
    training it differs.

    Raises ModelError if there is no such model.
    """
    lasting, digest = [], hashlib.sha256()
    for name in models.model_names(names):
        folder = models.find(name)
        lasting.append(models.resolvable_name(name, folder))
        for file in deciding_files(folder):
            digest.update(file.read_bytes())
    return f"{','.join(lasting)}@{digest.hexdigest()[:12]}"


def add_source(
    project: Project,
    source: Source,
    parser: Parser,
    split: Split,
    model: str,
    done: Callable[[int], object],
) -> None:
    """Add a file's sentences to a project, with the parser's trees.

    Args:
        project: The project.
        source: The file.
        parser: The parser, which also finds the words of a text.
        split: What a line of a text is.
        model: What `model_version` says of the parser.
        done: Called with the number of sentences that are parsed.

    Raises:
        DataError: There is no sentence in it.
        NotSavedError: It cannot be saved.
    """
    records = [
        SentenceRecord(" ".join(map(unescape, tree.words)), tree.words, parser.language, str(tree))
        for tree in source.trees
    ]
    parsed: list[ParsedTrees] = []
    if source.text:
        for part in _batches(read_sentences(source.text, split, parser.text)):
            for parse in _parse(parser, part):
                if parse.words:
                    words = tuple(map(escape_brackets, parse.words))
                    records.append(SentenceRecord(parse.text, words, parse.language))
                    parsed.append(_trees(parse, words, model))
            done(len(part))
    if not records:
        raise DataError(f"{source.name}: there is no sentence in it")
    first = len(project.sentences)
    project.add_sentences(source.name, source.digest, records)
    for number, trees in enumerate(parsed, first):
        project.add_parse(number, trees)


def to_parse(project: Project, model: str | None) -> list[int]:
    """Return the numbers of the sentences without a parse, and of the sentences that another model
    than ``model`` parsed.

    Sentences that somebody has touched keep the trees of the other model.
    """
    touched = project.touched
    return [
        number
        for number in range(len(project.sentences))
        if (parse := project.parses.get(number)) is None
        or (model is not None and parse.model != model and number not in touched)
    ]


def parse_sentences(
    project: Project,
    numbers: Sequence[int],
    parser: Parser,
    model: str,
    done: Callable[[int], object],
) -> None:
    """Parse sentences of a project and save their trees; ``done`` is called with numbers of sentences."""
    from bnaparser.parsing.validation import sentence_of

    for part in _batches(numbers):
        records = [project.sentences[number] for number in part]
        given = [
            replace(sentence_of(map(unescape, one.words)), language=one.language) for one in records
        ]
        tags = [Tree.parse(one.tree).tags if one.tree else () for one in records]
        parses = _parse(parser, given, tags if parser.reads_tags else None)
        for number, one, parse in zip(part, records, parses, strict=True):
            project.add_parse(number, _trees(parse, one.words, model))
        done(len(part))


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[first : first + _AT_ONCE] for first in range(0, len(items), _AT_ONCE))


def _parse(
    parser: Parser, sentences: Sequence[Sentence], tags: Sequence[Sequence[str]] | None = None
) -> list[Parse]:
    from bnaparser.parsing.options import ParseOptions

    options = ParseOptions(n_best=MOST_TREES, probabilities=True)
    return parser.parse_sentences(sentences, tags, None, options)


def _trees(parse: Parse, words: Sequence[str], model: str) -> ParsedTrees:
    """Return what is kept of a parse, its trees with these words."""
    if parse.error is not None:
        return ParsedTrees(model, error=parse.error)
    each = (parse, *parse.alternatives)
    trees = (str(Tree.from_spans(words, parse.tags, one.spans)) for one in each)
    spans = {
        (span.start, span.end, label, round(span.probability or 0.0, 4))
        for one in each
        for span in one.spans
        for label in span.label.split(CHAIN)
    }
    chances = (one.probability or 0.0 for one in each)
    found = tuple(zip(trees, chances, strict=True))
    return ParsedTrees(model, found, tuple(sorted(spans)), parse.entropy)


def _with_top(tree: Tree) -> Tree:
    """Return the tree; one that is a single tagged word gets a top node, to which brackets can be added."""
    return tree if tree.word is None else Tree("TOP", [tree])
