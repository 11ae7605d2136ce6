"""Labels and words of a pattern that are in no tree, and what is said of them."""

from __future__ import annotations

import pickle

import pytest

from bnaparser.trees.search import Pattern
from bnaparser.trees.search.pattern import Unseen
from bnaparser.trees.tree import Tree

TREES = [
    "(TOP (S (NP-SBJ (DT The) (NN dog)) (VP (VBZ runs)) (. .)))",
    "(TOP (FRAG (NP (-LRB- -LRB-) (NN cat) (-RRB- -RRB-)) (. .)))",
]


def notes(pattern: str) -> list[str]:
    """What is said after the trees were read; their text alone says the same."""
    unseen, of_text = Pattern(pattern).unseen(), Pattern(pattern).unseen()
    for tree in TREES:
        unseen.see(Tree.parse(tree))
        of_text.see_text(tree)
    assert unseen.notes() == of_text.notes()
    return [note for note in unseen.notes() if " does not match " not in note]


@pytest.mark.parametrize(
    "pattern",
    ["NP", "@NP < DT", "NP << dog", "FRAG|S !> ROOT", "__ > TOP|S1|VROOT", "/^NN/ < /^[cd]/", "-LRB-",
     "_ROOT_ !< NP-SBJ", "/^(ROOT|X)$/", "/^$/"],
)  # fmt: skip
def test_nothing_is_said_of_what_is_there(pattern: str) -> None:
    assert notes(pattern) == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("NPP", ["NPP"]),
        ("NP|NPP < DT|DTT", ["NPP", "DTT"]),
        ("NP !<< WHNP", ["WHNP"]),
        ("!QQ", ["QQ"]),
        ("NP ?< (PP=x < IN)", ["PP", "IN"]),
        ("do", ["do"]),  # a part of a word is none
        ("NP-SB", ["NP-SB"]),
        ("@VPX", ["@VPX"]),
        ("S <+(QP) NP", ["QP"]),
        ("S <... { QP ; VP }", ["QP"]),
        ("PP << PP", ["PP"]),
        ("ROOT|SBARQ", ["SBARQ"]),
    ],
)
def test_a_label_or_word_that_is_in_no_tree(pattern: str, expected: list[str]) -> None:
    assert notes(pattern) == [f"no tree has a label or word {label}" for label in expected]


def test_a_regular_expression_that_fits_nothing() -> None:
    assert notes("/^VBX/ < NP") == ["no label and no word of the trees fits /^VBX/"]
    assert notes("@/^(XX|YY)$/") == ["no label and no word of the trees fits /^(XX|YY)$/"]


@pytest.mark.parametrize(
    ("pattern", "advice"),
    [
        ('NP << "dog"', '"dog": a word is written without quotes, dog'),
        ("NP << 'dog'", "'dog': a word is written without quotes, dog"),
        ("NP << \u2018dog\u2019", "\u2018dog\u2019: a word is written without quotes, dog"),
        ("NP << \u201cdog\u201d", "\u201cdog\u201d: a word is written without quotes, dog"),
        ("NP << \\*", r"\*: a label has no escapes, a regular expression has, /^\*$/"),
        ("* < DT", "*: any node is written __"),
        ("VB* < runs", "VB*: * stands for no other letters, a regular expression does, /^VB/"),
        ("*B", "*B: * stands for no other letters, a regular expression does, /^.*B$/"),
    ],
)
def test_what_to_write_instead(pattern: str, advice: str) -> None:
    assert notes(pattern) == [f"no tree has a label or word {advice}"]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("NP < DT", ["NP does not match NP-SBJ, which is in the trees: @NP matches both"]),
        ("@NP < DT", []),
        ("NP-SBJ", []),
        ("/^NP/", []),
        ("NN < dog", []),
        (
            "PP-LOC|PP-TMP",
            [
                "PP-LOC does not match PP-LOC-1, which is in the trees: /^PP-LOC(-|=|$)/ matches both",
                "PP-TMP does not match PP-TMP=2, which is in the trees: /^PP-TMP(-|=|$)/ matches both",
            ],
        ),
        ("ADJP-PRD", ["no tree has a label or word ADJP-PRD"]),
    ],
)
def test_a_label_that_trees_have_with_functions(pattern: str, said: list[str]) -> None:
    """`SBAR < /^WH/ > NP` found nothing in such trees, and `NP-SBJ` no NP-SBJ-1, without a word."""
    trees = [
        *TREES,
        "(S (PP-LOC-1 (IN at) (NP (NN x-ray))) (PP-LOC (IN in) (NP (NN y))))",
        "(S (PP-TMP=2 (IN at) (NP (NN x))) (PP-TMP (IN in) (NP (NN y))))",
    ]
    unseen, of_text = Pattern(pattern).unseen(), Pattern(pattern).unseen()
    for tree in trees:
        unseen.see(Tree.parse(tree))
        of_text.see_text(tree)
    left = [note for note in said if "no tree has" in note]
    assert unseen.notes() == of_text.notes() == left + [one for one in said if one not in left]


def test_a_basic_label_with_a_function_can_match_nothing() -> None:
    assert notes("@NP-SBJ") == [
        (
            "no tree has a label or word @NP-SBJ: after @ stands a label without functions, /^NP-SBJ(-|=|$)/ finds"
            " those with them"
        )
    ]


def test_what_parts_have_seen_is_put_together() -> None:
    patterns = [Pattern("NP << dog"), Pattern("cat|QP")]
    both, whole = Unseen.of(patterns), Unseen.of(patterns)
    assert both.notes() == []
    for tree in map(Tree.parse, TREES):
        part = Unseen.of(patterns)
        part.see(tree)
        both.add(pickle.loads(pickle.dumps(part.state)))
        whole.see(tree)
    assert both.notes() == whole.notes()
    assert both.notes()[0] == "no tree has a label or word QP"


def test_a_star_that_is_a_word_of_the_trees() -> None:
    unseen = Pattern("* < DT").unseen()
    unseen.see(Tree.parse("(TOP (NP (SYM *) (DT a)))"))
    assert unseen.notes(0) == ["* is a label or word of the trees: any node is written __"]
    assert unseen.notes(3) == []


def test_without_a_tree_nothing_is_known() -> None:
    assert Pattern("NP").unseen().notes() == []
