"""Cleaning: what goes, what stays, and that a clean tree stays as it is."""

from __future__ import annotations

import pytest

from bnaparser.trees.cleaning import Cleaning, clean, core_label, merge_repeated, rewrite
from bnaparser.trees.tree import Tree

MERGE = Cleaning(merge_repeated=True)


@pytest.mark.parametrize(
    ("label", "core"),
    [
        ("NP", "NP"), ("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("NP-SBJ=1-3", "NP"),
        ("PRT|ADVP", "PRT"), ("NR-SHORT", "NR"), ("-LRB-", "-LRB-"), ("-NONE-", "-NONE-"),
        ("-RCB-", "-RCB-"), ("PRP$", "PRP$"), (":", ":"), ("``", "``"), ("=", "="), ("|", "|"),
        ("-", "-"), ("--", "--"), ("", ""),
    ],
)  # fmt: skip
def test_core_label(label: str, core: str) -> None:
    assert core_label(label) == core


@pytest.mark.parametrize(
    ("rules", "before", "after"),
    [
        (
            None,
            "( (S (NP-SBJ-1 (-NONE- *)) (VP (VB Go)) (. .)))",
            "(TOP (S (VP (VB Go)) (. .)))",
        ),
        (
            None,
            "( (S (NP (DT The) (NN cat)) (SBAR (WHNP-1 (-NONE- 0)) (S (NP (-NONE- *T*-1))))))",
            "(TOP (S (NP (DT The) (NN cat))))",
        ),
        (None, "(ROOT (S (VP (VB Go))))", "(TOP (S (VP (VB Go))))"),
        (None, "(S1 (S (VP (VB Go))))", "(TOP (S (VP (VB Go))))"),
        (None, "( (ROOT (S (VP (VB Go)))))", "(TOP (S (VP (VB Go))))"),
        (None, "(TOP (TOP (NP (NN cat)) (. .)))", "(TOP (NP (NN cat)) (. .))"),
        (None, "(TOP (ROOT go))", "(TOP (ROOT go))"),
        (None, "(S-IMP (VP (VB Go)))", "(TOP (S (VP (VB Go))))"),
        (None, "(NN dog)", "(TOP (NN dog))"),
        (None, "(TOP (NN dog))", "(TOP (NN dog))"),
        (None, "( (S (A a)) (. .))", "(TOP (S (A a)) (. .))"),
        (None, "(TOP (S ( (A a) ( (B b))) (C c)))", "(TOP (S (A a) (B b) (C c)))"),
        (None, "( (NP (NP (-LRB- -LRB-))))", "(TOP (NP (NP (-LRB- -LRB-))))"),
        (MERGE, "( (NP (NP (-LRB- -LRB-))))", "(TOP (NP (-LRB- -LRB-)))"),
        (MERGE, "( (VP (VP (VP-1 (VB go))) (-NONE- *)))", "(TOP (VP (VB go)))"),
        (MERGE, "( (VP (VP (VB go)) (. .)))", "(TOP (VP (VP (VB go)) (. .)))"),
        # Only a child with the label of its parent is the same node said twice.
        (MERGE, "( (NP (QP (NP (CD 1)))))", "(TOP (NP (QP (NP (CD 1)))))"),
        (MERGE, "( (NN (NN dog)))", "(TOP (NN (NN dog)))"),
        (Cleaning(cut_functions=False), "( (IP-MAT (-NONE- *)(V go)))", "(TOP (IP-MAT (V go)))"),
        (
            Cleaning(cut_functions=False),
            "( (S-TPC-1 (NP-SBJ-1=2 (NN a)) (VP=3 (VB-1 go))))",
            "(TOP (S-TPC (NP-SBJ (NN a)) (VP (VB go))))",
        ),
        (
            Cleaning(cut_functions=False),
            "( (PRT|ADVP-2 (-LRB- -LRB-) (PP-LOC-PRD (IN in))))",
            "(TOP (PRT (-LRB- -LRB-) (PP-LOC-PRD (IN in))))",
        ),
        (
            Cleaning(cut_functions=False, cut_indices=False),
            "( (NP-SBJ-1 (NN a)))",
            "(TOP (NP-SBJ-1 (NN a)))",
        ),
        (Cleaning(remove_empty=False), "( (S-1 (-NONE- *)))", "(TOP (S (-NONE- *)))"),
    ],
)
def test_clean(rules: Cleaning | None, before: str, after: str) -> None:
    cleaned = clean(Tree.parse(before), rules)
    assert cleaned is not None
    assert str(cleaned) == after
    assert clean(cleaned, rules) == cleaned
    assert Tree.from_spans(cleaned.words, cleaned.tags, cleaned.spans()) == cleaned


def test_a_tree_with_nothing_but_empty_elements_is_none() -> None:
    assert clean(Tree.parse("( (S (NP (-NONE- *)) (VP (-NONE- *?*))))")) is None


def test_a_part_of_a_tree_can_be_cleaned() -> None:
    tree = Tree.parse("(TOP (S (A a) (B-1 (-NONE- *) (C c) (D d))))")
    assert str(clean(tree.subtrees[0].subtrees[1])) == "(TOP (B (C c) (D d)))"


def test_merge_repeated_leaves_all_else() -> None:
    tree = Tree.parse("(TOP (NP-1 (NP-1 (-NONE- *) (NN dog))))")
    assert str(merge_repeated(tree)) == "(TOP (NP-1 (-NONE- *) (NN dog)))"


def test_rewrite_takes_out_nodes_and_renames() -> None:
    tree = Tree.parse("(TOP (NP (NML (NN tax) (NN law)) (NN case)))")
    rewritten = rewrite(
        tree,
        rename_label={"NML": "", "NP": "NX"}.__getitem__,
        rename_tag=lambda tag, word: f"{tag}-{word}",
    )
    assert str(rewritten) == "(TOP (NX (NN-tax tax) (NN-law law) (NN-case case)))"


def test_a_deep_tree_is_cleaned_without_recursion() -> None:
    deep = Tree.parse("(TOP " + "(S-1 " * 5_000 + "(NN dog)" + ")" * 5_001)
    cleaned = clean(deep)
    assert cleaned is not None
    assert len(list(cleaned.nodes())) == 5_002
    assert str(clean(deep, MERGE)) == "(TOP (S (NN dog)))"
