"""Errors as other processes get them: pickled and read again."""

from __future__ import annotations

import pickle

import pytest

from bnaparser import Tree
from bnaparser.errors import BnaparserError, DataError, MissingExtraError, TreeError
from bnaparser.trees.search.parsing import PatternError


@pytest.mark.parametrize(
    "error",
    [
        DataError("a.mrg: no such file"),
        TreeError("the text holds no tree", "a.mrg", 3, 7),
        MissingExtraError("spacy", "spacy"),
        PatternError("no such sign", "NP < $", 5),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_whole_from_another_process(error: BnaparserError) -> None:
    read = pickle.loads(pickle.dumps(error))
    assert (type(read), str(read), vars(read)) == (type(error), str(error), vars(error))


def test_a_missing_package_is_installed_from_an_index_and_in_a_checkout() -> None:
    assert str(MissingExtraError("torch", "train")) == (
        "torch is not installed: pip install 'bnaparser[train]',"
        " or in a checkout pip install -c constraints.txt '.[train]'"
    )


def test_the_place_of_a_wrong_tree_stands_in_its_error_once() -> None:
    with pytest.raises(TreeError) as raised:
        Tree.parse("(S (NP)", "a.mrg")
    read = pickle.loads(pickle.dumps(raised.value))
    assert str(read).startswith("a.mrg:1:7: the node 'NP' is empty")
    assert (read.line, read.column) == (1, 7)
