"""stanza's documents in and out; its own reader of trees reads them back."""

from __future__ import annotations

import logging

import pytest
from stanza.models.common.doc import Document
from stanza.models.constituency import tree_reader
from stanza.utils.conll import CoNLL

from bnaparser.errors import DataError, TreeError
from bnaparser.integrations.stanza import annotate, from_stanza, from_stanza_tree, to_stanza
from bnaparser.parsing.parser import Parser
from bnaparser.trees.tree import Tree

TEXT = "The cat sat on the mat. She can't see (the) old man."
pytestmark = pytest.mark.usefixtures("one_thread")


def test_parses_as_a_document_and_back(tiny_parser: Parser) -> None:
    parses = tiny_parser(TEXT)
    document = to_stanza(parses, TEXT)
    assert [sentence.text for sentence in document.sentences] == [one.text for one in parses]
    for sentence, parse in zip(document.sentences, parses, strict=True):
        assert [word.text for word in sentence.words] == list(parse.words)
        assert [word.xpos for word in sentence.words] == list(parse.tags)
        assert TEXT[sentence.words[1].start_char : sentence.words[1].end_char] == parse.words[1]
        (read,) = tree_reader.read_trees(f"{sentence.constituency}")
        assert str(read).replace("(ROOT", "(TOP") == str(parse.tree)
    back = from_stanza(document)
    assert [one.tree for one in back] == [one.tree for one in parses]
    assert [one.offsets for one in back] == [one.offsets for one in parses]


def test_a_document_goes_through_stanzas_own_file(tiny_parser: Parser) -> None:
    document = to_stanza(tiny_parser(TEXT), TEXT)
    again = Document(document.to_dict(), text=TEXT)
    assert from_stanza(again)[0].error == "this sentence of the document has no constituency"
    read = CoNLL.conll2doc(input_str=f"{document:C}")
    assert [one.tree for one in from_stanza(read)] == [one.tree for one in tiny_parser(TEXT)]


def test_a_document_of_stanzas_gets_its_trees(
    tiny_parser: Parser, caplog: pytest.LogCaptureFixture
) -> None:
    """A multi-word token, as stanza's English pipeline makes them; one sentence is bad."""
    words = [{"id": (1,), "text": "She"}, {"id": (2, 3), "text": "can't"}]
    words += [{"id": (2,), "text": "ca"}, {"id": (3,), "text": "n't"}, {"id": (4,), "text": "go"}]
    long = [{"id": (n,), "text": "a"} for n in range(1, 2002)]
    document = Document([words, long])
    with caplog.at_level(logging.WARNING):
        assert annotate(tiny_parser, document) is document
    assert "2,001 words" in caplog.text
    first, second = document.sentences
    expected = tiny_parser.parse_words(["She", "ca", "n't", "go"]).tree
    assert from_stanza_tree(first.constituency).spans() == (expected and expected.spans())
    assert first.constituency.label == "ROOT"
    assert second.constituency is None
    for word in first.words:
        word.xpos = "ZZ"
    del document.sentences[1]
    annotate(tiny_parser, document)
    assert from_stanza_tree(first.constituency).tags == ("ZZ",) * 4
    (parse,) = from_stanza(document)
    assert parse.text == "She can't go"


def test_trees_that_do_not_fit_are_refused(tiny_parser: Parser) -> None:
    document = to_stanza(tiny_parser("It rained. Go."))
    document.sentences[1].constituency = document.sentences[0].constituency
    with pytest.raises(DataError, match="sentence 2: the words of its tree differ"):
        from_stanza(document)
    (tree,) = tree_reader.read_trees("(ROOT (NP (DT the) (NN cat)))")
    assert from_stanza_tree(tree) == Tree.parse("(ROOT (NP (DT the) (NN cat)))")
    tree.children = tree.children[0].children[0].children
    with pytest.raises(TreeError, match="'the' has no part-of-speech tag"):
        from_stanza_tree(tree.children[0])


def test_a_word_with_a_blank_in_it_goes_both_ways(tiny_parser: Parser) -> None:
    text, words = "10 000 dogs", [("10 000", 0, 6), ("dogs", 7, 11)]
    entries = [
        {"id": (number,), "text": word, "start_char": start, "end_char": end}
        for number, (word, start, end) in enumerate(words, 1)
    ]
    document = annotate(tiny_parser, Document([entries], text=text))
    (parse,) = from_stanza(document)
    assert parse.words == ("10\xa0000", "dogs") and parse.offsets == ((0, 6), (7, 11))
    (tree,) = tree_reader.read_trees("(ROOT (NP (CD ten) (NNS dogs)))")
    tree.children[0].children[0].children[0].label = "10 000"
    assert from_stanza_tree(tree) == Tree.parse("(ROOT (NP (CD 10\xa0000) (NNS dogs)))")


def test_places_that_are_not_those_of_the_text_are_refused(tiny_parser: Parser) -> None:
    text = "It rained.\nDogs bark."
    parses = tiny_parser(text, "line")
    with pytest.raises(DataError, match="sentence 2 is not at its offsets"):
        to_stanza(parses, text)
    assert [one.text for one in to_stanza(parses).sentences] == text.split("\n")
