"""Annotated sentences as CoreNLP answers them: JSON, its plain text, CoNLL columns.

Offsets follow CoreNLP: ``characterOffset*`` count UTF-16 code units, as Java does;
``codepointOffset*`` count code points, as Python does.
"""

from __future__ import annotations

import json
import struct
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import Sentence
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree

UNKNOWN_TAG = "XX"
"""The tag that CoreNLP gives the words of a sentence that its parser fails on."""


@dataclass(frozen=True)
class AnnotatedToken:
    """A word of a sentence and where it stands in the text.

    ``word`` has round brackets escaped, ``original`` is as in the text; ``before`` and ``after``
    are the text between it and its neighbours. ``start`` and ``end`` count code points,
    ``start_utf16`` and ``end_utf16`` UTF-16 code units. ``tag`` is None if none is requested.
    """

    word: str
    original: str
    tag: str | None
    before: str
    after: str
    start: int
    end: int
    start_utf16: int
    end_utf16: int


@dataclass(frozen=True)
class Annotated:
    """A sentence as it is answered; it has at least one token.

    ``tree`` stands below ROOT, or is ``(X (XX word) ...)`` for a sentence that could not be parsed,
    with the reason in ``error``; it is None if no tree is requested. ``score`` is the parse's.
    """

    text: str
    tokens: tuple[AnnotatedToken, ...]
    tree: Tree | None = None
    score: float = 0.0
    error: str | None = None


def annotate(
    text: str, sentences: Sequence[Sentence], parses: Sequence[Parse] | None, trees: bool
) -> list[Annotated]:
    """Join the sentences of a text with their parses, or with none where none were requested."""
    offsets = [offset for sentence in sentences for offset in sentence.offsets]
    edges = [0, *[edge for offset in offsets for edge in offset], len(text)]
    gaps = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    wide = [i for i, char in enumerate(text) if char > "\uffff"] if not text.isascii() else []
    found = []
    first = 0  # words before the sentence
    for index, sentence in enumerate(sentences):
        parse = None if parses is None else parses[index]
        tags = _tags(sentence, parse)
        tokens = tuple(
            AnnotatedToken(
                word=escape_brackets(word),
                original=text[start:end],
                tag=tag,
                before=gaps[number],
                after=gaps[number + 1],
                start=start,
                end=end,
                start_utf16=start + bisect_left(wide, start),
                end_utf16=end + bisect_left(wide, end),
            )
            for number, (word, tag, (start, end)) in enumerate(
                zip(sentence.words, tags, sentence.offsets, strict=True), first
            )
        )
        first += len(tokens)
        if parse is None:
            found.append(Annotated(sentence.text, tokens))
        else:
            tree = _tree(parse, tokens) if trees else None
            found.append(Annotated(sentence.text, tokens, tree, parse.score, parse.error))
    return found


def flat_tree(tokens: Sequence[AnnotatedToken]) -> Tree:
    """Return ``(X (DT the) (NN cat) ...)``, CoreNLP's tree for a sentence that has no other."""
    return Tree("X", [Tree(token.tag or UNKNOWN_TAG, [token.word]) for token in tokens])


def to_json(sentences: Sequence[Annotated], pretty: bool = False) -> str:
    """Return ``{"sentences": [...]}`` with CoreNLP's keys; ``error`` is our own addition."""
    answer = {"sentences": [_sentence_dict(index, one) for index, one in enumerate(sentences)]}
    return json.dumps(answer, ensure_ascii=False, indent=2 if pretty else None)


def to_text(sentences: Sequence[Annotated]) -> str:
    """Return CoreNLP's ``text`` format, made for reading: words, tags, and the tree indented."""
    lines: list[str] = []
    for index, sentence in enumerate(sentences, 1):
        lines += [f"Sentence #{index} ({len(sentence.tokens)} tokens):", sentence.text]
        lines += ["", "Tokens:"]
        for token in sentence.tokens:
            tag = "" if token.tag is None else f" PartOfSpeech={token.tag}"
            lines.append(
                f"[Text={token.word} CharacterOffsetBegin={token.start_utf16}"
                f" CharacterOffsetEnd={token.end_utf16}{tag}]"
            )
        if sentence.tree is not None:
            lines += ["", "Constituency parse: ", sentence.tree.pretty()]
        if sentence.error is not None:
            lines += ["", f"Error: {sentence.error}"]
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def to_conll(sentences: Sequence[Annotated]) -> str:
    """Return CoreNLP's ``conll`` format: ID, form, lemma, tag, entity, head, relation, separated by
    tabs.

    ``_`` stands where there is nothing; a blank line follows each sentence.
    """
    lines: list[str] = []
    for sentence in sentences:
        for number, token in enumerate(sentence.tokens, 1):
            lines.append(f"{number}\t{token.word}\t_\t{token.tag or '_'}\t_\t_\t_\n")
        lines.append("\n")
    return "".join(lines)


def _tags(sentence: Sentence, parse: Parse | None) -> Sequence[str | None]:
    if parse is None:
        return [None] * len(sentence.words)
    return parse.tags or [UNKNOWN_TAG] * len(sentence.words)


def _tree(parse: Parse, tokens: Sequence[AnnotatedToken]) -> Tree:
    return flat_tree(tokens) if parse.tree is None else Tree("ROOT", parse.tree.children)


def _sentence_dict(index: int, sentence: Annotated) -> dict[str, Any]:
    answer: dict[str, Any] = {"index": index}
    if sentence.tree is not None:
        answer["parse"] = str(sentence.tree)
    if sentence.error is not None:
        answer["error"] = sentence.error
    answer["tokens"] = [
        _token_dict(number, token) for number, token in enumerate(sentence.tokens, 1)
    ]
    return answer


def _token_dict(number: int, token: AnnotatedToken) -> dict[str, Any]:
    tag = {} if token.tag is None else {"pos": token.tag}
    return {
        "index": number,
        "word": token.word,
        "originalText": token.original,
        "characterOffsetBegin": token.start_utf16,
        "characterOffsetEnd": token.end_utf16,
        "codepointOffsetBegin": token.start,
        "codepointOffsetEnd": token.end,
        **tag,
        "before": token.before,
        "after": token.after,
    }


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
    # CoreNLP always answers with empty lists of relations, numerized tokens and entity mentions.
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
