"""Head rules: dependencies of small trees, as the two tables and their extra rules give them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import SettingsError
from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.heads.dependencies import dependencies, head_rules, is_punctuation
from bnaparser.trees.heads.rules import COLLINS, TREGEX, UD, HeadRules
from bnaparser.trees.heads.universal import universal_arcs
from bnaparser.trees.tree import Tree


def arrows(text: str, rules: HeadRules) -> str:
    """The dependencies of a tree as ``word<head``, the root's head being ``-``."""
    tree = Tree.parse(text)
    heads = dependencies(tree, rules)
    shown = [tree.words[head - 1] if head else "-" for head in heads]
    return " ".join(f"{word}<{head}" for word, head in zip(tree.words, shown, strict=True))


CAT = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
PERFECT = "(S (NP (PRP It)) (VP (MD may) (RB not) (VP (VB have) (VP (VBN been) (VP (VBN seen))))))"
THAT = "(S (NP (PRP I)) (VP (VBP say) (SBAR (IN that) (S (NP (PRP it)) (VP (VBZ rains))))))"
POSSESSIVE = "(NP (NP (DT the) (NN man) (POS 's)) (JJ old) (NN dog))"
TO_GO = "(S (NP (PRP We)) (VP (VBP want) (S (VP (TO to) (VP (VB go))))))"


def test_functional_heads_of_collins() -> None:
    assert arrows(CAT, COLLINS) == "The<cat cat<sat sat<- on<sat the<mat mat<on .<sat"
    assert arrows(PERFECT, COLLINS) == "It<may may<- not<may have<may been<have seen<been"
    assert arrows(THAT, COLLINS) == "I<say say<- that<say it<rains rains<that"
    assert arrows(POSSESSIVE, COLLINS) == "the<'s man<'s 's<dog old<dog dog<-"
    assert arrows(TO_GO, COLLINS) == "We<want want<- to<want go<to"


def test_content_heads_of_universal_dependencies() -> None:
    assert arrows(CAT, UD) == "The<cat cat<sat sat<- on<mat the<mat mat<sat .<sat"
    assert arrows(PERFECT, UD) == "It<seen may<seen not<seen have<seen been<seen seen<-"
    assert arrows(THAT, UD) == "I<say say<- that<rains it<rains rains<say"
    assert arrows(POSSESSIVE, UD) == "the<man man<dog 's<man old<dog dog<-"
    assert arrows(TO_GO, UD) == "We<want want<- to<go go<want"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(S (NP (PRP She)) (VP (VBZ is) (ADJP (JJ glad))))", "She<glad is<glad glad<-"),
        (
            "(S (NP (PRP She)) (VP (VBZ is) (ADVP (RB now)) (NP (DT a) (NN judge))))",
            "She<judge is<judge now<judge a<judge judge<-",
        ),
        (
            "(S (NP (PRP He)) (VP (VBD was) (PP (IN at) (NP (NN home)))))",
            "He<home was<home at<home home<-",
        ),
        ("(S (NP (PRP He)) (VP (VBZ is) (ADVP (RB here))))", "He<here is<here here<-"),
        (
            "(S (NP (NN Fact)) (VP (VBZ is) (ADVP (RB just)) (SBAR (IN that) (S (NP (PRP he)) (VP (VBZ lies))))))",
            "Fact<lies is<lies just<lies that<lies he<lies lies<-",
        ),
        (
            "(S (NP (EX There)) (VP (VBZ has) (VP (VBN been) (NP (DT a) (NN man)))))",
            "There<been has<been been<- a<man man<been",
        ),
        ("(SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ ill)) (. ?))", "Is<ill he<ill ill<- ?<ill"),
        ("(SQ (VBZ Is) (NP (DT this)) (NP (DT a) (NN joke)))", "Is<joke this<joke a<joke joke<-"),
        ("(SQ (VBZ Is) (NP (EX there)) (NP (NN hope)))", "Is<- there<Is hope<Is"),
        (
            "(SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (PRP she))) (. ?))",
            "Who<- is<Who she<Who ?<Who",
        ),
        (
            "(S (NP (PRP I)) (VP (VBP know) (SBAR (WHNP (WP what)) (S (NP (PRP it)) (VP (VBZ is))))))",
            "I<know know<- what<know it<what is<what",
        ),
        (
            "(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP he)) (VP (VB say))))",
            "What<say did<say he<say say<-",
        ),
        ("(S (NP (PRP He)) (VP (VBZ 's) (VP (VBN left))))", "He<left 's<left left<-"),
        ("(S (NP (PRP He)) (VP (MD will)))", "He<will will<-"),
    ],
)
def test_copulas_auxiliaries_and_questions_in_ud(text: str, expected: str) -> None:
    assert arrows(text, UD) == expected


@pytest.mark.parametrize(
    ("text", "collins", "ud"),
    [
        (
            "(NP (NNS cats) (CC and) (NNS dogs))",
            "cats<- and<cats dogs<cats",
            "cats<- and<dogs dogs<cats",
        ),
        (
            "(NP (NN tea) (, ,) (NN milk) (, ,) (CC and) (NN jam))",
            "tea<milk ,<milk milk<- ,<milk and<milk jam<milk",
            "tea<- ,<tea milk<tea ,<tea and<jam jam<tea",
        ),
        (
            "(NP (NP (NN tea)) (, ,) (NP (NN milk)) (CC and) (NP (NN jam)))",
            "tea<- ,<tea milk<tea and<tea jam<tea",
            "tea<- ,<tea milk<tea and<jam jam<tea",
        ),
        (
            "(S (S (NP (PRP I)) (VP (VBP eat))) (CC and) (S (NP (PRP you)) (VP (VBP talk))))",
            "I<eat eat<- and<eat you<talk talk<eat",
            "I<eat eat<- and<talk you<talk talk<eat",
        ),
        (
            "(S (CC But) (NP (PRP I)) (VP (VBP eat)))",
            "But<eat I<eat eat<-",
            "But<eat I<eat eat<-",
        ),
        (
            "(NP (NN stone) (CC and) (NN iron) (NNS gates))",
            "stone<gates and<gates iron<gates gates<-",
            "stone<gates and<gates iron<gates gates<-",
        ),
    ],
)
def test_coordination(text: str, collins: str, ud: str) -> None:
    assert arrows(text, COLLINS) == collins
    assert arrows(text, UD) == ud


@pytest.mark.parametrize(
    ("text", "collins", "ud"),
    [
        ("(NP ($ $) (CD 5))", "$", "$"),
        ("(QP ($ $) (CD 5) (CD million))", "$", "$"),
        ("(QP (CD 5) (CD million))", "5", "million"),
        ("(NP (DT the) (JJ last) (CD two))", "two", "two"),
        ("(NP (DT the) (NN year) (CD 1999))", "year", "year"),
        ("(NP (PRP$ my) (JJ own))", "own", "own"),
        ("(NP (DT the) (JJ rich))", "rich", "rich"),
        ("(NP (NP (DT the) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD left)))))", "man", "man"),
        ("(ADJP (RB very) (JJ glad))", "glad", "glad"),
        ("(ADJP (ADJP (RB so) (JJ glad)) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD wept)))))", "glad", "glad"),
        ("(ADVP (NP (CD two) (NNS years)) (RB ago))", "ago", "ago"),
        ("(WHNP (WP$ whose) (NN dog))", "whose", "dog"),
        ("(PP (IN from) (PP (IN behind) (NP (PRP it))))", "from", "it"),
        ("(SBAR (WHNP (WP who)) (S (VP (VBD left))))", "who", "left"),
        ("(SINV (`` ``) (S (VP (VB Go))) (, ,) ('' '') (VP (VBD said)) (NP (PRP he)))", "said", "said"),
        ("(NX (NN oil) (NN price))", "oil", "price"),
        ("(UNHEARD-OF (, ,) (JJ odd) (NN thing))", "odd", "odd"),
        ("(FRAG (ADVP (RB Not)) (NP (PRP me)) (. .))", "me", "me"),
        ("(TOP (`` ``) ('' ''))", "``", "``"),
    ],
)  # fmt: skip
def test_the_head_of_a_phrase(text: str, collins: str, ud: str) -> None:
    tree = Tree.parse(text)
    assert tree.words[dependencies(tree, COLLINS).index(0)] == collins
    assert tree.words[dependencies(tree, UD).index(0)] == ud


def test_functions_in_labels_do_not_matter() -> None:
    plain = "(S (NP (DT The) (NN cat)) (VP (VBD sat)))"
    marked = "(S (NP-SBJ-1 (DT The) (NN cat)) (VP=2 (VBD sat)))"
    for rules in (COLLINS, UD):
        assert arrows(plain, rules) == arrows(marked, rules)


def test_a_subtree_counts_from_its_own_first_word() -> None:
    phrase = Tree.parse(CAT).subtrees[0].subtrees[1]
    assert phrase.start == 2
    assert dependencies(phrase, COLLINS) == (0, 1, 4, 2)


def test_a_single_word() -> None:
    assert dependencies(Tree.parse("(TOP (INTJ (UH Yes)))")) == (0,)
    assert dependencies(Tree.parse("(UH Yes)"), UD) == (0,)


def test_rules_by_name() -> None:
    assert head_rules("collins") is COLLINS
    assert head_rules("ud") is UD
    assert head_rules("tregex") is TREGEX
    with pytest.raises(
        SettingsError, match="unknown head rules 'stanford': choose 'collins', 'tregex' or 'ud'"
    ):
        head_rules("stanford")
    assert all("19" in rules.source or "20" in rules.source for rules in (COLLINS, UD))


def test_punctuation_tags() -> None:
    marks = [
        ",",
        ".",
        ":",
        "``",
        "''",
        "-LRB-",
        "HYPH",
        "PU",
        "PONCT",
        "QUOT",
        "Fpa",
        "COMMACATEGORY",
    ]
    words = ["$", "#", "NN", "PRP$", "XX", "SYM", "FW", "FRAG"]
    assert all(map(is_punctuation, marks))
    assert not any(map(is_punctuation, words))


LABELS = [*COLLINS.table, "TOP", "X", "ODD"]
_TAGS = "NN NNS VB VBD VBZ MD TO IN DT JJ RB CC CD EX WP POS $ , . `` -LRB-"
TAGS = _TAGS.split()


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    leaf = st.builds(
        lambda tag, word: Tree(tag, [word]),
        st.sampled_from(TAGS),
        st.sampled_from(["is", "was", "there", "x"]),
    )
    return draw(
        st.recursive(
            leaf,
            lambda below: st.builds(
                Tree, st.sampled_from(LABELS), st.lists(below, min_size=1, max_size=5)
            ),
            max_leaves=25,
        )
    )


@given(trees(), st.sampled_from([COLLINS, UD]))
def test_any_tree_gives_one_tree_over_its_words(tree: Tree, rules: HeadRules) -> None:
    heads = dependencies(tree, rules)
    assert len(heads) == len(tree.words)
    assert heads.count(0) == 1
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            assert word not in seen
            seen.add(word)
            word = heads[word - 1]


@given(trees())
def test_by_collins_each_phrase_has_one_head_word(tree: Tree) -> None:
    heads = dependencies(tree, COLLINS)
    for node in tree.nodes():
        outside = [w for w in range(node.start, node.end) if not node.start < heads[w] <= node.end]
        assert len(outside) == 1


def test_trees_of_any_depth() -> None:
    deep = Tree.parse("(S " * 5000 + "(NN a)" + " (NN b))" * 5000)
    for rules in (COLLINS, UD):
        assert len(dependencies(deep, rules)) == 5001


def test_every_tree_of_a_treebank(treebank: Path) -> None:
    for tree in map(clean, load_trees(treebank)):
        assert tree is not None
        for rules in (COLLINS, UD):
            assert dependencies(tree, rules).count(0) == 1


@pytest.mark.parametrize(
    "text",
    [
        "(S " * 8_000 + "(NN a)" + ")" * 8_000,
        "(NP " + "(NN a) " * 20_000 + ")",
        "(NP (NN a) " + "(CC and) " * 9_000 + ")",
        "(SBARQ (WHNP (WP who)) (SQ (VBZ is) " * 9_000 + "(NP (PRP she))" + "))" * 9_000,
    ],
    ids=["deep", "flat", "joined", "questions"],
)
def test_dependencies_of_large_trees(text: str) -> None:
    """In time that is not linear in the tree these would take minutes."""
    arcs = universal_arcs(Tree.parse(text))
    assert sum(arc.head == 0 for arc in arcs) == 1
