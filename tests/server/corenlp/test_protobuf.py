"""The hand-written protobuf form, read back by stanza's generated classes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from google.protobuf.internal.encoder import _VarintBytes
from hypothesis import given
from hypothesis import strategies as st
from stanza import protobuf

from bnaparser.parsing.result import Parse
from bnaparser.server.corenlp.answer import Annotated, _varint, annotate, flat_tree, to_protobuf
from bnaparser.server.corenlp.request import AnnotateOptions, sentences_of
from bnaparser.trees.tree import Span, Tree

if TYPE_CHECKING:
    from stanza.protobuf import Document, ParseTree


def read(data: bytes) -> Document:
    document = protobuf.Document()
    assert protobuf.parseFromDelimitedString(document, data) == len(data)
    assert document.IsInitialized()
    # Nothing was written that its own writer would write otherwise.
    assert len(protobuf.writeToDelimitedString(document).getvalue()) == len(data)
    return document


def bracketed(node: ParseTree) -> str:
    if not node.child:
        return str(node.value)
    return f"({node.value} {' '.join(bracketed(child) for child in node.child)})"


def annotated(text: str, tags: bool = True, trees: bool = True) -> list[Annotated]:
    sentences = sentences_of(text, AnnotateOptions(frozenset()))
    parses = [
        Parse(s.text, s.words, ("NN",) * len(s.words), (Span(0, len(s.words), "S::NP"),), -1.5)
        for s in sentences
    ]
    return annotate(text, sentences, parses if tags else None, trees)


@given(st.integers(min_value=0, max_value=2**64))
def test_whole_numbers_are_written_as_protobuf_writes_them(value: int) -> None:
    assert _varint(value) == _VarintBytes(value)


def test_a_document_has_every_field_that_clients_read() -> None:
    text = "  A 😀 cat.\n\nIt (a\u00adb) went. "
    document = read(to_protobuf(text, annotated(text)))
    assert document.text == text
    assert not document.FindInitializationErrors()
    first, second = document.sentence
    assert [token.word for token in first.token] == ["A", "😀", "cat", "."]
    assert [token.word for token in second.token][1] == "-LRB-"
    assert bracketed(first.parseTree) == "(ROOT (S (NP (NN A) (NN 😀) (NN cat) (NN .))))"
    assert first.parseTree.score == -1.5
    assert not first.parseTree.child[0].HasField("score")
    assert (first.sentenceIndex, second.sentenceIndex) == (0, 1)
    assert (first.tokenOffsetBegin, first.tokenOffsetEnd, second.tokenOffsetBegin) == (0, 4, 4)
    assert second.tokenOffsetEnd == 4 + len(second.token)
    utf16 = text.encode("utf-16-le")
    for sentence in document.sentence:
        begin, end = sentence.characterOffsetBegin, sentence.characterOffsetEnd
        tokens = sentence.token
        assert (begin, end) == (tokens[0].beginChar, tokens[-1].endChar)
        spans = [(leaf.yieldBeginIndex, leaf.yieldEndIndex) for leaf in leaves(sentence.parseTree)]
        assert spans == [(i, i + 1) for i in range(len(tokens))]
        assert sentence.parseTree.yieldEndIndex == len(tokens)
        assert [leaf.value for leaf in leaves(sentence.parseTree)] == [t.word for t in tokens]
        for place, token in enumerate(tokens):
            original = utf16[2 * token.beginChar : 2 * token.endChar].decode("utf-16-le")
            assert original == token.originalText
            assert text[token.codepointOffsetBegin : token.codepointOffsetEnd] == original
            assert (token.value, token.pos) == (token.word, "NN")
            assert (token.beginIndex, token.endIndex) == (place, place + 1)
            assert token.tokenBeginIndex == place + sentence.tokenOffsetBegin
            assert token.tokenEndIndex == token.tokenBeginIndex + 1
            assert token.HasField("hasXmlContext") and not token.hasXmlContext
            assert not token.HasField("lemma") and not token.HasField("ner")
    tokens = [token for sentence in document.sentence for token in sentence.token]
    parts = [part for token in tokens for part in (token.before, token.originalText)]
    assert "".join(parts) + tokens[-1].after == text
    assert all(one.after == two.before for one, two in pairwise(tokens))


def leaves(node: ParseTree) -> list[ParseTree]:
    if not node.child:
        return [node]
    return [leaf for child in node.child for leaf in leaves(child)]


def test_what_is_not_asked_for_is_not_there() -> None:
    document = read(to_protobuf("Go.", annotated("Go.", tags=False)))
    assert not document.sentence[0].HasField("parseTree")
    assert not document.sentence[0].token[0].HasField("pos")
    document = read(to_protobuf("Go.", annotated("Go.", trees=False)))
    assert not document.sentence[0].HasField("parseTree")
    assert document.sentence[0].token[0].pos == "NN"
    assert read(to_protobuf("", [])) == protobuf.Document(text="")


@pytest.mark.parametrize(("height", "kept"), [(94, True), (95, False), (3000, False)])
def test_a_tree_too_deep_for_protobuf_is_flat(height: int, kept: bool) -> None:
    (sentence,) = annotated("the cat")
    tree = Tree("NP", [Tree("DT", ["the"]), Tree("NN", ["cat"])])
    for _ in range(height - 2):
        tree = Tree("S", [tree])
    deep = type(sentence)(sentence.text, sentence.tokens, tree)
    found = read(to_protobuf("the cat", [deep])).sentence[0].parseTree
    expected = tree if kept else flat_tree(sentence.tokens)
    assert bracketed(found) == str(expected)


@given(st.text(max_size=40))
def test_any_text_is_read_back(text: str) -> None:
    document = read(to_protobuf(text, annotated(text)))
    assert document.text == text
