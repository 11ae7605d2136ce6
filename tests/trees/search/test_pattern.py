"""Patterns find what tregex's documents say: examples of theirs, every relation against a matcher of pairs."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser.trees.heads.rules import UD
from bnaparser.trees.search import Match, Pattern
from bnaparser.trees.search.conditions import basic_category
from bnaparser.trees.search.parsing import PatternError
from bnaparser.trees.search.relations import IndexedTree
from bnaparser.trees.tree import Tree
from tests.trees.search.node_pairs import RELATIONS, Path, Plan, all_matches, written

CAT = Tree.parse(
    "(TOP (S (NP-SBJ (NP (DT The) (NN cat)) (PP (IN of) (NP (PRP$ my) (NN aunt)))) (VP (VBD sat)"
    " (PP-LOC (IN on) (NP (DT the) (NN mat)))) (. .)))"
)
LABELS = ["NP", "N", "VP", "NP-X", "a"]


@st.composite
def trees(draw: Any, depth: int = 3) -> Tree:
    label = draw(st.sampled_from(LABELS))
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return Tree(label, [draw(st.sampled_from(["a", "b", "N"]))])
    return Tree(label, draw(st.lists(trees(depth - 1), min_size=1, max_size=3)))


@st.composite
def plans(draw: Any) -> Plan:
    plan: Plan = draw(nodes(2, (), count()))
    return plan


@st.composite
def nodes(draw: Any, depth: int, names: tuple[str, ...], new: Iterator[int] | None) -> Plan:
    """A node of a pattern; ``names`` are known where it stands, and it has one itself if any is new."""
    told = ["NP", "N|VP", "__", "/^N/", "@NP", "!NP", "!@N|a", "a"]
    label = draw(st.sampled_from([*told, *(f"={n}" for n in names), *(f"~{n}" for n in names)]))
    name = None
    if new is not None and label[0] not in "=~" and draw(st.booleans()):
        name = f"n{next(new)}"
        names = (*names, name)
    below = st.lists(some_conditions(depth, names, new), max_size=2)
    return Plan(label, name, tuple(draw(below)) if depth else ())


@st.composite
def some_conditions(
    draw: Any, depth: int, names: tuple[str, ...], new: Iterator[int] | None, grouped: bool = True
) -> Any:
    mode = draw(st.sampled_from(["", "", "", "!", "?"]))
    new = None if mode == "!" else new
    if grouped and draw(st.integers(0, 3)) == 0:
        part = some_conditions(depth, names, new, False)
        return mode, draw(st.sampled_from("&|")), (draw(part), draw(part))
    return mode, draw(st.sampled_from(sorted(RELATIONS))), draw(nodes(depth - 1, names, new))


def path_of(indexed: IndexedTree, number: int) -> Path:
    path: Path = ()
    while (parent := indexed.parents[number]) >= 0:
        path = (indexed.children[parent].index(number), *path)
        number = parent
    return path


def as_paths(pattern: Pattern, tree: Tree) -> list[tuple[Path, dict[str, Path]]]:
    """What a pattern finds, nodes told by their paths."""
    indexed = IndexedTree(tree, pattern.rules)
    return [
        (path_of(indexed, number), {name: path_of(indexed, n) for name, n in way.nodes.items()})
        for number in range(len(indexed.parts))
        for way in pattern._ways(indexed, number)
    ]


@settings(max_examples=80)
@given(trees(), plans())
def test_a_pattern_finds_what_a_matcher_of_pairs_finds(tree: Tree, plan: Plan) -> None:
    pattern = Pattern(written(plan))
    found = as_paths(pattern, tree)
    assert found == all_matches(plan, tree)
    assert not found or pattern.may_be_in(str(tree))
    assert len(list(pattern.matches(tree, once=True))) == len({path for path, _ in found})


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_on_a_sentence(relation: str) -> None:
    plan = Plan("__", "a", (("", relation, Plan("__", "b")),))
    found = as_paths(Pattern(written(plan)), CAT)
    assert found == all_matches(plan, CAT)
    assert found


def found(pattern: str, tree: Tree | str, **options: Any) -> list[str]:
    where = Tree.parse(tree) if isinstance(tree, str) else tree
    return [str(match.node) for match in where.search(pattern, **options)]


# What the documents of tregex say (TregexPattern's page and its tests), on trees of our own.
DOCUMENTED = [
    ("S < VP < NP", "(S (VP (V a)) (NP (N b)))", 1),  # an S over a VP and also over an NP
    ("S < VP < NP", "(S (VP (NP (N b))))", 0),
    ("S < VP & < NP", "(S (VP (V a)) (NP (N b)))", 1),
    ("S < (VP < NP)", "(S (VP (NP (N b))))", 1),
    ("S < (NP $++ VP)", "(S (NP (N b)) (VP (V a)))", 1),
    ("(NP < NN | < NNS)", "(S (NP (NN a)) (NP (X b)) (NP (NNS c)))", 2),
    ("(NP > S & $++ VP)", "(S (NP (N a)) (VP (V b)))", 1),
    ("NP [< NN | < NNS] & > S", "(F (S (NP (NN a)) (NP (NNS b))) (NP (NNS c)))", 2),
    ("NP (< NN | < NNS) & > S", "(F (S (NP (NN a)) (NP (NNS b))) (NP (NNS c)))", 2),
    ("(NP !< NNP)", "(S (NP (NNP a)) (NP (NN b)))", 1),
    ("(NP < !NNP|NNS)", "(S (NP (NNP a)) (NP (NN b)))", 1),
    ("@NP < @/NN.?/", "(S (NP-SBJ (NNP-X a)) (VP (NN b)))", 1),
    ("@NP|VP", "(S (NP-SBJ (N a)) (VP=2 (V b)) (NPP (X c)))", 2),  # @ goes over the alternatives
    ("S : NP", "(S (S (VP (V a))) (NP (N b)))", 2),
    ("foo == foo", "(a (foo (b 1)))", 1),
    ("A << B == A << C", "(A (B 1) (C 2))", 1),
    ("A <= A", "(A (A 1) (B 2))", 3),  # itself, or its parent
    ("a|b|c << bar", "(b (bar 1))", 1),
    ("A | B", "(A (B 1))", 2),
    ("A < B | A < C", "(A (B 1) (C 2))", 2),
    ("A < B | < C", "(B (C 1))", 0),  # the bar joins relations where one follows
    ("(A) | (B)", "(A (B 1))", 2),
    ("foo << __ << baz", "(foo (bar 1) (baz 2))", 4),  # once for every way
    ("(foo << __=a << __=b) : (=a !== =b)", "(foo (bar 1) (baz 2))", 12),
    ("bar $- (bar $- foo)", "(a (foo 1) (bar 2) (bar 3))", 1),
    ("bar=a $- (~a $- foo)", "(a (foo 1) (bar 2) (bar 3))", 1),
    ("bar=a $- (=a $- foo)", "(a (foo 1) (bar 2) (bar 3))", 0),
    ("__ !> __", "(a (foo 1) (bar 2))", 1),
    ("_ROOT_ < foo", "(a (foo 1) (bar 2))", 1),
    ("DT .+(JJ) NN", "(NP (DT the) (JJ large) (JJ green) (NN house))", 1),
    ("NNS ,+(@JJ) /^DT/", "(NP (DT the) (JJ-S large) (JJ-C green) (NNS houses))", 1),
    ("foo <+(!bif) baz", "(a (foo (bif (baz 1))))", 0),
    ("foo <+(!bif) baz", "(a (foo (bar (baz 1))))", 1),
    ("NP <# NNS", "(NP (NN work) (NNS practices))", 1),
    ("NP <<# NNS", "(NP (NP (NN work) (NNS practices)) (PP (IN in) (NP (NNP Asia))))", 2),
    ("NP !<# NNS <<# NNS", "(NP (NP (NN work) (NNS goes)) (PP (IN in) (NP (NNP Asia))))", 1),
    ("DEG|DEC < 的", "(X (DEG 的))", 1),
    ("A <... { B ; C }", "(A (B 1) (C 2))", 1),
    ("A <... { B ; C }", "(A (B 1) (C 2) (D 3))", 0),
    ("A <... { B ; (C < x) }", "(X (A (B 1) (C y)) (A (B 1) (C x)))", 1),
    ("/^S/ < (/^S/ $++ (/^[,]|CC$/ !(< and $+ RB) $+ RB))", "(S (S a) (, ,) (RB so))", 1),
    ("WHADVP > VP $+ /[A-Z]*/ ![$++ (PP < NP)]", "(VP (WHADVP (W x)) (PP (IN for)))", 1),
    ("@NP <, (@NP $+ (/,/ $+ (@NP $+ /,/=comma))) <- =comma",
     "(NP (NP (N a)) (, ,) (NP (N b)) (, ,))", 1),
    ("@NP <, (@NP $+ (/,/ $+ (@NP $+ /,/=comma))) <- =comma",
     "(NP (NP (N a)) (, ,) (NP (N b)) (, ,) (N c))", 0),
    (r"@SBAR < /^WH.*-([0-9]+)$/#1%index << (__=empty < (/^-NONE-/ < /^\*T\*-([0-9]+)$/#1%index))",
     "(SBAR (WHNP-2 (W who)) (S (NP (-NONE- *T*-2)) (VP (V a))))", 1),
    (r"@SBAR < /^WH.*-([0-9]+)$/#1%index << (__=empty < (/^-NONE-/ < /^\*T\*-([0-9]+)$/#1%index))",
     "(SBAR (WHNP-2 (W who)) (S (NP (-NONE- *T*-3)) (VP (V a))))", 0),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "tree", "count"), DOCUMENTED)
def test_documented_examples(pattern: str, tree: str, count: int) -> None:
    assert len(found(pattern, tree)) == count


def test_nodes_words_names_and_places() -> None:
    (match,) = CAT.search("@NP=whole < (PP=phrase << of)")
    assert isinstance(match, Match)
    assert match.names == {"phrase": CAT[0][0][1]} | {"whole": match.node}
    assert (match.span, match.number, match.spans["phrase"]) == ((0, 5), 3, (2, 5))
    (word,) = CAT.search("of=w , cat=n")
    assert (word.node, word.span, word.spans) == ("of", (2, 3), {"w": (2, 3), "n": (1, 2)})


def test_head_rules_by_their_name() -> None:
    tree = Tree.parse("(S (NP (NN cat)) (VP (VBZ is) (ADJP (JJ old))))")
    names = "tregex", "collins", "ud"
    found = [Pattern("VP <# VBZ", rules=name).found_in(tree) for name in names]
    assert found == [True, True, False]
    with_mark = Tree.parse("(FRAG (NP (NN rain)) (. .))")  # no rule finds a head
    found = [Pattern("FRAG <# /[.]/", rules=name).found_in(with_mark) for name in names]
    assert found == [True, False, False]
    assert Pattern("FRAG <# /[.]/").found_in(with_mark)


def test_what_a_regular_expression_captures() -> None:
    (match,) = CAT.search("/^(.*)-SBJ$/#1%kind < (/^(.*)$/#1%kind < NN)")
    assert (dict(match.strings), str(match.node)[:8]) == ({"kind": "NP"}, "(NP-SBJ ")


def test_an_optional_relation_gives_a_name_where_it_holds() -> None:
    names = [sorted(match.names) for match in CAT.search("/^NP/ ?< PP=pp ?< DT=dt")]
    assert names == [["pp"], ["dt"], [], ["dt"]]
    # After an optional group nothing is left bound that the next node could run into.
    assert found("NP|PP ?[< DT=x | < IN=x]", CAT) == found("NP|PP", CAT)


def test_a_name_in_each_part_of_an_alternative() -> None:
    tree = Tree.parse("(root (a (foo 1)) (a (bar 2)))")
    assert [str(m.names["x"]) for m in tree.search("a < foo=x | < bar=x")] == ["(foo 1)", "(bar 2)"]


def test_head_rules_can_be_chosen() -> None:
    tree = Tree.parse("(PP (IN on) (NP (NN mat)))")
    assert len(list(Pattern("PP <# IN").matches(tree))) == 1
    assert len(list(Pattern("PP <# NP", UD).matches(tree))) == 1
    assert [m.node for m in Pattern("__ >># PP", UD).matches(tree)][-1] == "mat"


def test_a_part_of_a_tree_is_searched_in_its_own_places() -> None:
    part = CAT[0][1]
    assert isinstance(part, Tree)
    (match,) = part.search("mat")
    assert (match.node, match.span, match.number) == ("mat", (8, 9), 11)
    assert [m.span for m in part.search("NP <<# mat")] == [(7, 9)]


@pytest.mark.parametrize(
    ("label", "basic"),
    [("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("PRT|ADVP", "PRT"), ("-LRB-", "-LRB-"), ("--", "-"),
     ("-LRB--X", "-LRB-"), ("-NONE-", "-NONE-"), ("S^x_y[z", "S"), ("", ""), ("-a", "-a")],
)  # fmt: skip
def test_basic_categories(label: str, basic: str) -> None:
    assert basic_category(label) == basic


def test_deep_trees_and_patterns_that_are_used_elsewhere() -> None:
    deep = Tree.from_spans(["w"], ["N"], [])
    for _ in range(5000):
        deep = Tree("X", [deep])
    pattern = Pattern("w >> (X !> __)")
    assert len(list(pattern.matches(deep))) == 1
    assert pattern.found_in(deep)
    again = pickle.loads(pickle.dumps(pattern))
    assert (repr(again), found("NN < cat", copy.copy(CAT))) == (repr(pattern), ["(NN cat)"])


@pytest.mark.parametrize(
    ("pattern", "column", "said"),
    [
        ("NP <", 5, "a node is expected here"),
        ("", 1, "a node is expected here"),
        ("NP < (VP", 9, ") is expected here, to close ("),
        ("NP [< VP)", 9, "] is expected here, to close ["),
        ("NP )", 4, "')' does not belong here"),
        ("NP VP", 4, "'VP' does not belong here"),
        ("NP < /[/", 7, "the regular expression is wrong: unterminated character set"),
        ("NP < /N", 6, "has no / at its end"),
        ("NP < PRP$", 10, r"the label PRP$ is written /^PRP\$$/"),
        ("NP < 1990", 10, "a node is expected here"),
        ("NP <0 VP", 4, "counted from 1 or -1"),
        ("NP $2 VP", 4, "that takes no number"),
        ("NP <+ VP", 7, "followed by a description in brackets"),
        ("NP=a < VP=a", 11, "the name a is used twice"),
        ("=a < VP=a", 2, "no node before this one has the name a"),
        ("a < foo=a | < =a", 16, "no node before this one has the name a"),
        ("NP !< VP=a", 10, "a node below a negation cannot have a name"),
        ("NP !!< VP", 5, "negated once"),
        ("NP < /(N)/#2%x", 12, "the regular expression has 1 groups"),
        ("NP ! VP", 4, "'!' does not belong here"),
        ("NP\n< \tVP)", 9, "')' does not belong here"),
        ("(" * 200 + "NP" + ")" * 200, 102, "more than 100 deep"),
    ],
)
def test_a_mistake_is_shown_at_its_place(pattern: str, column: int, said: str) -> None:
    with pytest.raises(PatternError, match=r"^the pattern: ") as caught:
        Pattern(pattern)
    message, line, caret = str(caught.value).split("\n")
    assert said in message
    assert caught.value.column == column
    assert caret.index("^") - 2 == column - 1 - (pattern.rfind("\n", 0, column) + 1)
    assert len(line) + 1 >= len(caret)


def test_a_node_may_have_any_number_of_conditions() -> None:
    tree = Tree.parse("(NP (NP (NN a)) (NN b))")
    found = Pattern("NP=x " + "< NP " * 3_000 + "< NN=y").matches(tree)
    assert [sorted(match.names) for match in found] == [["x", "y"]]
    assert [match.names["z"] for match in Pattern("NP < NP=z < NN=y << NN").matches(tree)] == [
        tree.subtrees[0]
    ] * 2


def test_a_pattern_is_text() -> None:
    with pytest.raises(TypeError, match="give a pattern as text, not an int"):
        Pattern(3)  # type: ignore[arg-type]


# The patterns of L2SCA (Lu 2010), as NeoSCA has them: the best-known ones for Stanford's trees.
_FINITE = "[> ROOT <, (VP <# VB) | <# MD|VBZ|VBP|VBD | < (VP [<# MD|VBP|VBZ|VBD | < CC < (VP <# MD|VBP|VBZ|VBD)])]"
_T_UNIT = "> ROOT | [$-- S|SBARQ|SINV|SQ !>> SBAR|VP]"
L2SCA = {
    "S": "ROOT !> __",
    "VP1": "VP > S|SINV|SQ",
    "C1": f"S|SINV|SQ {_FINITE}",
    "C2": f"FRAG > ROOT !<< (S|SINV|SQ {_FINITE})",
    "T1": f"S|SBARQ|SINV|SQ {_T_UNIT}",
    "T2": f"FRAG > ROOT !<< (S|SBARQ|SINV|SQ {_T_UNIT})",
    "DC": f"SBAR < (S|SINV|SQ {_FINITE})",
    "CT": f"S|SBARQ|SINV|SQ [{_T_UNIT}] << (SBAR < (S|SINV|SQ {_FINITE}))",
    "CP": "ADJP|ADVP|NP|VP < CC",
}
SPEECH = [
    "(ROOT (S (S (NP (PRP I)) (VP (VBP know) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD left)))))) "
    + "(CC and) (S (NP (PRP she)) (VP (VBD stayed))) (. .)))",
    "(ROOT (FRAG (NP (DT A) (NN dog)) (. .)))",
    "(ROOT (S (VP (VB Go) (CC and) (VB see)) (. !)))",
]


@pytest.mark.parametrize("top", ["TOP", "ROOT", "S1", "VROOT", ""])
def test_the_top_of_a_tree_is_found_whatever_its_label(top: str) -> None:
    trees = [Tree.parse(tree.replace("ROOT", top)) for tree in SPEECH]
    counts = {
        name: sum(len(found(pattern, tree, once=True)) for tree in trees)
        for name, pattern in L2SCA.items()
    }
    assert counts == {
        "S": 3, "VP1": 4, "C1": 4, "C2": 1, "T1": 3, "T2": 1, "DC": 1, "CT": 1, "CP": 1,
    }  # fmt: skip


BARE = "(S (NP (PRP It)) (VP (VBD fell)))"


@pytest.mark.parametrize("top", ["TOP", "ROOT", "S1", "VROOT", ""])
@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("ROOT", 1),
        ("TOP=top < S", 1),
        ("VROOT|S", 2),
        ("_ROOT_|S", 2),
        ("@S1", 1),
        ("S > ROOT|NP", 1),
        ("S !> ROOT", 0),
        ("NP !>> ROOT", 0),
        ("__ > !ROOT", 6),
        ("!ROOT", 7),
        ("!@TOP|S", 6),
        ("VP >+(S|ROOT) TOP", 1),
        ("NP >+(NP) ROOT", 0),
        ("S $ ROOT", 0),
        ("/^(ROOT|FRAG)$/ < S", 1),
        (r"/\bROOT\b/", 1),
        ("/^TOP/", 1),
        ("/^$/", 1),
        ("S > !/^ROOT$/", 0),
        ("__ > /^(?!ROOT)/", 6),
        ("/^S/", 2),  # names S1 nowhere; the top is not among its matches unless it is called so
    ],
)
def test_a_name_of_the_top_in_every_place(pattern: str, count: int, top: str) -> None:
    tree = Tree.parse(f"({top} {BARE})")
    expected = count - (pattern == "/^S/" and top != "S1")
    assert len(found(pattern, tree)) == expected
    assert Pattern(pattern).may_be_in(str(tree)) or not expected


def test_without_such_a_label_the_first_node_is_the_top_and_words_are_words() -> None:
    assert found("S > ROOT", BARE) == []
    assert found("NP > ROOT", BARE) == ["(NP (PRP It))"]
    assert found("NNP < TOP", "(S (NP (NNP TOP)) (VP (VBD fell)))") == ["(NNP TOP)"]
    assert found("NP !<< ROOT", "(ROOT (NP (NN ROOT)))") == []
