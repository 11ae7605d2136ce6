"""NLTK's protocol: its own base class does the rest."""

from __future__ import annotations

import logging

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.parse import ParserI

from bnaparser.integrations.nltk import NltkParser
from bnaparser.parsing.parser import Parser
from bnaparser.trees.tree import Tree

WORDS = [["The", "cat", "sat", "."], ["Dogs", "bark", "(", "loudly", ")"], ["Go"]]


@pytest.fixture(scope="module")
def parser(tiny_parser: Parser) -> NltkParser:
    return NltkParser(tiny_parser)


def test_the_protocol(parser: NltkParser, tiny_parser: Parser) -> None:
    assert isinstance(parser, ParserI)
    trees = [tiny_parser.parse_words(words).tree for words in WORDS]
    expected = [tree.to_nltk() for tree in trees if tree is not None]
    assert len(expected) == 3
    assert [next(parser.parse(words)) for words in WORDS] == expected
    assert [parser.parse_one(words) for words in WORDS] == expected
    assert [parser.parse_all(words) for words in WORDS] == [[tree] for tree in expected]
    assert [list(found) for found in parser.parse_sents(WORDS)] == [[tree] for tree in expected]
    assert all(isinstance(tree, nltk.Tree) for tree in expected)
    assert expected[1].leaves() == ["Dogs", "bark", "-LRB-", "loudly", "-RRB-"]


def test_sentences_come_as_they_are_asked_for(parser: NltkParser) -> None:
    endless = (["It", "rained"] for _ in iter(int, 1))
    assert next(next(parser.parse_sents(endless))).leaves() == ["It", "rained"]


def test_a_sentence_that_cannot_be_parsed_has_no_tree(
    parser: NltkParser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert parser.parse_one([]) is None
    assert "no words" in caplog.text
    found = [list(trees) for trees in parser.parse_sents([["a b"], ["It", "rained"]])]
    assert [len(trees) for trees in found] == [0, 1]


def test_a_string_and_the_grammar_are_refused(parser: NltkParser) -> None:
    with pytest.raises(TypeError, match="give a list of words, not a string"):
        parser.parse_one("It rained.")
    with pytest.raises(TypeError, match="not a string"):
        next(parser.parse_sents("It rained."))
    with pytest.raises(NotImplementedError, match=r"NltkParser\.grammar: .* no grammar"):
        parser.grammar()


labels = st.sampled_from(["S", "NP", "VP", "-NONE-", "WHNP-1"])
words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1).map(
    lambda word: word.replace("(", "-LRB-").replace(")", "-RRB-")
)
trees = st.recursive(
    st.builds(lambda tag, word: Tree(tag, [word]), labels, words),
    lambda below: st.builds(Tree, labels, st.lists(below, min_size=1, max_size=4)),
    max_leaves=12,
)


@given(trees)
def test_trees_go_both_ways(tree: Tree) -> None:
    there = tree.to_nltk()
    assert Tree.from_nltk(there) == tree
    assert there.leaves() == list(tree.words)
    assert " ".join(there.pformat(margin=10**9).split()) == str(tree)


def test_several_trees_of_a_sentence_the_best_first(tiny_parser: Parser) -> None:
    parser = NltkParser(tiny_parser, n_best=3)
    parses = tiny_parser.parse_many(WORDS, n_best=3)
    expected = [
        [one.tree.to_nltk() for one in (parse, *parse.alternatives) if one.tree is not None]
        for parse in parses
    ]
    assert [len(trees) for trees in expected] == [3, 3, 3]
    assert [list(parser.parse(words)) for words in WORDS] == expected
    assert [list(trees) for trees in parser.parse_sents(WORDS)] == expected
    assert parser.parse_one(WORDS[0]) == expected[0][0]
    assert list(parser.parse([])) == []
    with pytest.raises(ValueError, match="n_best is 0: it must be at least 1"):
        NltkParser(tiny_parser, n_best=0)
