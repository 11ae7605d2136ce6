"""Annotated sentences in CoreNLP's protobuf form, which stanza's client asks for by default.

Only the messages and fields of ``CoreNLP.proto`` that a constituency parser can fill are written,
by hand: a generated module would tie the package to one release of protobuf.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from bnaparser.server.corenlp.answer import Annotated, AnnotatedToken, flat_tree
from bnaparser.trees.tree import Tree

# Protobuf's readers refuse messages nested more than 100 deep; Document and Sentence are two.
_DEEPEST = 95
_VARINT, _DOUBLE, _BYTES = 0, 1, 2  # wire types


def to_protobuf(text: str, sentences: Sequence[Annotated]) -> bytes:
    """Return the ``Document`` of a text, its length before it, as Java's ``writeDelimitedTo`` does.

    A tree too deep for protobuf's readers is flat here, ``(X (DT the) (NN cat) ...)``, as CoreNLP
    makes it.
    """
    parts = [_text(1, text)]
    first = 0  # words before the sentence
    for index, sentence in enumerate(sentences):
        parts.append(_bytes(2, _sentence(sentence, index, first)))
        first += len(sentence.tokens)
    document = b"".join(parts)
    return _varint(len(document)) + document


def _sentence(sentence: Annotated, index: int, first: int) -> bytes:
    tokens = sentence.tokens
    parts = [_bytes(1, _token(token, place, first + place)) for place, token in enumerate(tokens)]
    parts += [
        _number(2, first),  # tokenOffsetBegin
        _number(3, first + len(tokens)),  # tokenOffsetEnd
        _number(4, index),  # sentenceIndex
        _number(5, tokens[0].start_utf16),  # characterOffsetBegin
        _number(6, tokens[-1].end_utf16),  # characterOffsetEnd
    ]
    if sentence.tree is not None:
        tree = sentence.tree if _depth(sentence.tree) <= _DEEPEST else flat_tree(tokens)
        parts.append(_bytes(7, _parse_tree(tree, sentence.score)))
    # CoreNLP always tells of relations, numerized tokens and entity mentions that there are none.
    parts += [_number(field, 0) for field in (51, 54, 65)]
    return b"".join(parts)


def _token(token: AnnotatedToken, place: int, place_in_text: int) -> bytes:
    parts = [_text(1, token.word)]
    if token.tag is not None:
        parts.append(_text(2, token.tag))  # pos
    parts += [
        _text(3, token.word),  # value
        _text(5, token.before),
        _text(6, token.after),
        _text(7, token.original),
        _number(11, token.start_utf16),  # beginChar
        _number(12, token.end_utf16),  # endChar
        _number(15, place),  # beginIndex, in the sentence
        _number(16, place + 1),  # endIndex
        _number(17, place_in_text),  # tokenBeginIndex
        _number(18, place_in_text + 1),  # tokenEndIndex
        _number(21, 0),  # hasXmlContext
        _number(74, token.start),  # codepointOffsetBegin
        _number(75, token.end),  # codepointOffsetEnd
    ]
    return b"".join(parts)


def _parse_tree(tree: Tree, score: float) -> bytes:
    """Return the ``ParseTree`` of a tree; words are nodes too, and only the root has a score."""
    built: list[bytes] = []  # messages without a parent yet, the leftmost last
    for node in reversed(list(tree.nodes())):
        if node.word is None:
            below = b"".join([_bytes(1, built.pop()) for _ in node.children])
        else:
            below = _bytes(1, _node(b"", node.word, node.span))
        built.append(_node(below, node.label, node.span))
    return built[0] + _double(5, score)


def _node(children: bytes, value: str, span: tuple[int, int]) -> bytes:
    # yieldBeginIndex and yieldEndIndex: words of the sentence, half-open
    return children + _text(2, value) + _number(3, span[0]) + _number(4, span[1])


def _depth(tree: Tree) -> int:
    """Return how many nodes stand above one another at most, the word counted."""
    deepest = 0
    stack = [(tree, 2)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack += [(child, depth + 1) for child in node.subtrees]
    return deepest


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    """Return a whole number that is not negative, or a truth value."""
    return _varint(field << 3 | _VARINT) + _varint(value)


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | _DOUBLE) + struct.pack("<d", value)


def _varint(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first, each but the last marked."""
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
