# ruff: noqa: RUF001 (typographic apostrophes are what is tested)
"""The long pattern of docs/search.md finds what the page says that it finds."""

import re
from pathlib import Path

import pytest

from bnaparser import Tree
from bnaparser.trees.search import Pattern

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")
WRITTEN = re.search(r"^ {4}(VP <# .*?\])\n", PAGE, re.DOTALL | re.MULTILINE)
assert WRITTEN is not None
PASSIVES = Pattern(WRITTEN[1])


@pytest.mark.parametrize(
    ("tree", "count"),
    [
        ("(S (NP (PRP They)) (VP (VBD were) (VP (VBG being) (VP (VBN read)))))", 1),
        ("(S (NP (PRP He)) (VP (VBD got) (VP (VBN arrested) (CC and) (VBN jailed))))", 1),
        ("(S (NP (PRP It)) (VP (VBD was) (VP (VP (VBN read)) (CC and) (VP (VBN burned)))))", 2),
        ("(S (NP (PRP It)) (VP (VBD was) (VP (VP (VBN read)) (, ,) (VP (VBN burned)))))", 2),
        ("(S (NP (PRP They)) (VP (VBP 're) (VP (VBN called) (S (NP (NNS muons))))))", 1),
        ("(S (NP (PRP It)) (VP (VBZ ’s) (VP (VBN painted) (S (ADJP (JJ red))))))", 1),
        ("(SQ (VBD Was) (NP (PRP he)) (VP (VBN arrested)))", 1),
        ("(SINV (ADVP (RB Never)) (VBD was) (NP (PRP he)) (VP (VBN seen)))", 1),
        ("(S (NP (PRP She)) (VP (VBZ gets) (VP (VBN invited) (ADVP (RB often)))))", 1),
        ("(S (NP (PRP It)) (VP (VBZ 's) (VP (VBN been) (VP (VBN called) (PRT (RP off))))))", 1),
        ("(S (NP (PRP He)) (VP (VBZ 's) (VP (VBN been) (VP (VBG reading)))))", 0),
        ("(S (NP (PRP He)) (VP (VBZ 's) (VP (VBN got) (NP (DT a) (NN car)))))", 0),
        ("(S (NP (PRP He)) (VP (VBZ has) (VP (VBN read) (NP (PRP it)))))", 0),
        ("(NP (NP (NNS houses)) (VP (VBN built) (PP (IN of) (NP (NN wood)))))", 0),
    ],
)
def test_every_passive_is_found_once(tree: str, count: int) -> None:
    """The page's pattern found two in "were being read" and none in "They're called muons"."""
    assert len(list(PASSIVES.matches(Tree.parse(f"(TOP {tree})")))) == count
