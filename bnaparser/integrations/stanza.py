"""stanza's ``Document`` in and out: constituents for its sentences, and parses of bnaparser as its documents.

document = stanza.Pipeline("en", processors="tokenize,mwt,pos")(text)
annotate(parser, document)
document.sentences[0].constituency
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from bnaparser.errors import DataError, TreeError, import_extra
from bnaparser.integrations.spaced_words import spaced_sentence, unbroken
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse, Parses
from bnaparser.text.sentence import Sentence
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree, assemble

log = logging.getLogger(__name__)

# stanza's name of the top node.
ROOT = "ROOT"


def annotate(parser: Parser, document: Any) -> Any:
    """Parse a document of stanza: set ``constituency`` of each sentence.

    Words and sentences are not changed. If every word has ``xpos``, the trees have these tags, otherwise the parser's. A sentence that
    cannot be parsed is logged and gets None.

    Args:
        parser: the parser.
        document: a ``stanza`` document.

    Returns:
        The document.

    Example:
        >>> from stanza.models.common.doc import Document
        >>> from bnaparser import Parser
        >>> from bnaparser.integrations.stanza import annotate
        >>> document = Document([[{"id": 1, "text": "Dogs"}, {"id": 2, "text": "bark"}]])
        >>> print(annotate(Parser.load("en"), document).sentences[0].constituency)
        (ROOT (S (NP (NNS Dogs)) (VP (VBP bark))))
    """
    sentences = [spaced_sentence(_words(sentence)) for sentence in document.sentences]
    tags = [[word.xpos for word in sentence.words] for sentence in document.sentences]
    known = all(tag for row in tags for tag in row)
    parses = parser.parse_sentences(sentences, tags if known else None)
    for sentence, parse in zip(document.sentences, parses, strict=True):
        if parse.error is not None:
            log.warning("%s: %.80r", parse.error, parse.text)
        sentence.constituency = to_stanza_tree(parse)
    return document


def to_stanza(parses: Iterable[Parse], text: str | None = None) -> Any:
    """Convert parses to a document of stanza, with words, offsets, ``xpos`` and ``constituency``.

    Args:
        parses: the parses of a text. A parse without words is left out.
        text: the text that was parsed; sentences then have their ``text``.

    Returns:
        A ``stanza`` document.

    Raises:
        DataError: the offsets of the parses are not those of ``text``.

    Example:
        >>> from bnaparser import Parse, Tree
        >>> from bnaparser.integrations.stanza import to_stanza
        >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))").to_dict())
        >>> to_stanza([parse]).sentences[0].words[1].xpos
        'VBD'
    """
    document_of = import_extra("stanza", "stanza").models.common.doc.Document
    kept = [parse for parse in parses if parse.words]
    if text is not None:
        _check_places(kept, text)
    document = document_of([list(_entries(parse)) for parse in kept], text=text)
    for sentence, parse in zip(document.sentences, kept, strict=True):
        if text is None:
            sentence.text = parse.text
        sentence.constituency = to_stanza_tree(parse)
    return document


def from_stanza(document: Any) -> Parses:
    """Convert a document of stanza to parses.

    Args:
        document: a ``stanza`` document whose sentences have ``constituency``.

    Returns:
        A Parse for each sentence, with score 0. Offsets count in the document's text if it has a text, otherwise in
        the sentence. A sentence without ``constituency`` has an ``error``.

    Raises:
        DataError: a tree has other words than its sentence.

    Example:
        >>> from bnaparser import Parse, Tree
        >>> from bnaparser.integrations.stanza import from_stanza, to_stanza
        >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))").to_dict())
        >>> print(from_stanza(to_stanza([parse]))[0].tree)
        (TOP (S (NP (PRP It)) (VP (VBD rained))))
    """
    return Parses(_parse(number, one) for number, one in enumerate(document.sentences, 1))


def _check_places(parses: Iterable[Parse], text: str) -> None:
    for number, parse in enumerate(parses, 1):
        if not text.startswith(parse.text, parse.offsets[0][0]):
            raise DataError(
                f"sentence {number} is not at its offsets in this text: leave out the text"
                " if single lines or text with markup were parsed: their offsets do not count in this text"
            )


def to_stanza_tree(parse: Parse) -> Any:
    """Convert the tree of a parse to a tree of stanza, with the words of the input and the top node ROOT.

    Args:
        parse: the parse.

    Returns:
        The tree, or None if the parse has none.

    Example:
        >>> from bnaparser import Parse, Tree
        >>> from bnaparser.integrations.stanza import to_stanza_tree
        >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))").to_dict())
        >>> print(to_stanza_tree(parse))
        (ROOT (S (NP (PRP It)) (VP (VBD rained))))
    """
    if parse.tree is None:
        return None
    tree_of = import_extra("stanza", "stanza").models.constituency.parse_tree.Tree
    nodes = list(parse.tree.nodes())
    built: list[Any] = []
    for node in reversed(nodes):  # children before parents
        if node.word is None:
            below = [built.pop() for _ in node.children]
            built.append(tree_of(ROOT if node is nodes[0] else node.label, below))
        else:
            built.append(tree_of(node.label, [tree_of(parse.words[node.start])]))
    return built[0]


def from_stanza_tree(tree: Any) -> Tree:
    """Convert a tree of stanza. Brackets in words are escaped, and a blank in a word (``10 000``) becomes a no-break space.

    Args:
        tree: the tree.

    Returns:
        The tree as a `Tree`.

    Raises:
        TreeError: ``tree`` is not a valid tree.

    Example:
        >>> from bnaparser import Parse, Tree
        >>> from bnaparser.integrations.stanza import from_stanza_tree, to_stanza_tree
        >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))").to_dict())
        >>> print(from_stanza_tree(to_stanza_tree(parse)))
        (ROOT (S (NP (PRP It)) (VP (VBD rained))))
    """
    labels, arities, words = [], [], []
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.is_leaf():
            raise TreeError(f"the word {node.label!r} has no part-of-speech tag above it")
        labels.append(node.label)
        if node.is_preterminal():
            words.append(escape_brackets(unbroken(node.children[0].label)))
            arities.append(0)
        else:
            arities.append(len(node.children))
            stack.extend(reversed(node.children))
    return assemble(labels, arities, words)


def _words(sentence: Any) -> Iterator[tuple[str, bool]]:
    """Yield the words of a sentence, and whether a blank comes after each."""
    for token in sentence.tokens:
        for word in token.words:
            # A word's blank is its token's: inside a token such as "don't" there is none.
            yield word.text, word is token.words[-1] and token.spaces_after != ""


def _entries(parse: Parse) -> Iterator[dict[str, Any]]:
    for number, word in enumerate(parse.words):
        start, end = parse.offsets[number]
        entry = {"id": number + 1, "text": word, "start_char": start, "end_char": end}
        yield entry | ({"xpos": parse.tags[number]} if parse.tags else {})


def _parse(number: int, sentence: Any) -> Parse:
    read = _placed(sentence)
    if sentence.constituency is None:
        reason = "this sentence of the document has no constituency"
        return Parse.without_tree(read, reason)
    tree = from_stanza_tree(sentence.constituency)
    if tree.words != tuple(map(escape_brackets, read.words)):
        raise DataError(
            f"sentence {number}: the words of its tree differ from the words of the sentence"
        )
    return Parse(read.text, read.words, tree.tags, tuple(tree.spans()), offsets=read.offsets)


def _placed(sentence: Any) -> Sentence:
    """Return a sentence with its words where they are in the document, or in itself if unknown."""
    words = sentence.words
    places = tuple((word.start_char, word.end_char) for word in words)
    if any(None in place for place in places) or not sentence.text:
        return spaced_sentence(_words(sentence))
    return Sentence(sentence.text, tuple(unbroken(word.text) for word in words), places)
