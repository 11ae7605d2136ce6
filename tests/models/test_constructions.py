"""Constructions as trees: what is stored is what is written anew, and training and test share no sentence."""

from __future__ import annotations

from collections import Counter

from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.tree import Tree
from recipes.data.write_constructions import HERE, Part, constructions

PHRASES = {
    "ADJP",
    "ADVP",
    "INTJ",
    "NP",
    "PP",
    "PRN",
    "QP",
    "S",
    "SBAR",
    "SBARQ",
    "SINV",
    "SQ",
    "TOP",
    "VP",
    "WHADJP",
    "WHADVP",
    "WHNP",
    "WHPP",
    "X",
}
TAGS = {
    "CC",
    "CD",
    "DT",
    "IN",
    "JJ",
    "JJR",
    "JJS",
    "MD",
    "NN",
    "NNP",
    "NNS",
    "PDT",
    "PRP",
    "PRP$",
    "RB",
    "RBR",
    "TO",
    "UH",
    "VB",
    "VBD",
    "VBG",
    "VBN",
    "VBP",
    "VBZ",
    "WDT",
    "WP",
    "WP$",
    "WRB",
    "$",
    ".",
    ",",
    "``",
    "''",
    "-LRB-",
    "-RRB-",
}


def trees(part: Part) -> list[Tree]:
    return [tree for _, tree in constructions(part)]


def test_the_stored_trees_are_those_that_are_written() -> None:
    parts: tuple[Part, ...] = ("train", "test")
    for part in parts:
        assert load_trees(HERE / f"constructions_{part}.mrg") == trees(part)


def test_labels_and_tags_are_those_of_the_penn_treebank() -> None:
    for tree in [*trees("train"), *trees("test")]:
        assert {node.label for node in tree.nodes() if node.subtrees} <= PHRASES, tree
        assert set(tree.tags) <= TAGS, tree
        assert len(tree) == 1 and len({span[:2] for span in tree.spans()}) == len(tree.spans())


def test_no_sentence_comes_twice_and_none_in_both_parts() -> None:
    counts = Counter(tree.words for tree in [*trees("train"), *trees("test")])
    assert counts.most_common(1)[0][1] == 1


def test_each_construction_is_trained_and_tested() -> None:
    trained, tested = (
        Counter(name for name, _ in constructions(part)) for part in ("train", "test")
    )
    assert trained.keys() == tested.keys() and len(tested) > 20
    assert min(trained.values()) > 4 and min(tested.values()) > 2
    assert trained.total() > 300 and tested.total() > 200


def test_sentences_begin_with_a_capital() -> None:
    for tree in trees("test"):
        first = next(word for word in tree.words if word[0].isalpha())
        assert first[0].isupper(), tree
