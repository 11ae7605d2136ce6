"""Trees: reading, writing, comparing, spans; and that none of it recurses."""

from __future__ import annotations

import copy
import gc
import io
import pickle
from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser.errors import TreeError
from bnaparser.eval import score
from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.tree import Span, Tree, assemble, flatten, parse_trees

DEPTH = 5_000
UNHURRIED = settings(deadline=None)  # a busy machine is no mistake, and nltk loads for seconds

# Round brackets and ASCII blanks cannot stand in a word, all other signs can.
SIGNS = st.characters(exclude_characters="() \t\n\r\f\v", exclude_categories=["Cs"])
WORDS = st.text(SIGNS, min_size=1, max_size=6)
LABELS = st.sampled_from(["S", "NP", "VP", "NP-SBJ-1", "PRT|ADVP", "X", "ÜP", "-LRB-"])


def node(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.builds(Tree, LABELS, st.lists(children, min_size=1, max_size=4))


LEAVES = st.builds(lambda tag, word: Tree(tag, [word]), LABELS, WORDS)
NODES = st.recursive(LEAVES, node, max_leaves=20)
TREES = st.builds(Tree, st.sampled_from(sorted(ROOT_LABELS)), st.lists(NODES, min_size=1))


def deep_trees() -> dict[str, str]:
    """Right-branching, left-branching and unary, DEPTH levels each."""
    return {
        "right": "(TOP " + "(S (A a) " * DEPTH + "(B b)" + ")" * DEPTH + ")",
        "left": "(TOP " + "(S " * DEPTH + "(B b)" + " (A a))" * DEPTH + ")",
        "unary": "(TOP " + "(S " * DEPTH + "(B b)" + ")" * DEPTH + ")",
    }


class TestSpans:
    @pytest.mark.parametrize(
        ("text", "spans"),
        [
            (
                "(TOP (S (NP (PRP I)) (VP (VBP run)) (. .)))",
                [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP")],
            ),
            ("(TOP (S (VP (VB Go))))", [(0, 1, "S::VP")]),
            # Several nodes under the top: the sentence as a whole has no label, and no Span.
            ("(TOP (FRAG (NP (NNP Rome))) (. .))", [(0, 1, "FRAG::NP")]),
            ("( (S (NP (PRP I)) (VP (VBP run))))", [(0, 2, "S"), (0, 1, "NP"), (1, 2, "VP")]),
            ("(S (NP (PRP I)) (VP (VBP run)))", [(0, 2, "S"), (0, 1, "NP"), (1, 2, "VP")]),
            ("(TOP (NN dog))", []),
            ("(NN dog)", []),
            ("(TOP dog)", []),
            ("(TOP (S ( (NP (NN dog)))))", [(0, 1, "S::NP")]),
            ("(TOP (S ( (A a) (B b)) (C c)))", [(0, 3, "S")]),
        ],
    )
    def test_are_the_constituents_in_preorder(
        self, text: str, spans: list[tuple[int, int, str]]
    ) -> None:
        assert Tree.parse(text).spans() == [Span(*span) for span in spans]

    @UNHURRIED
    @given(TREES)
    def test_undone_by_from_spans(self, tree: Tree) -> None:
        assert Tree.from_spans(tree.words, tree.tags, tree.spans(), tree.label) == tree

    @UNHURRIED
    @given(TREES, st.randoms())
    def test_may_be_given_in_any_order(self, tree: Tree, random: Random) -> None:
        spans = tree.spans()
        random.shuffle(spans)
        assert Tree.from_spans(tree.words, tree.tags, spans, tree.label) == tree

    @UNHURRIED
    @given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8))
    def test_from_spans_refuses_crossing_ones_and_takes_all_others(
        self, pairs: set[tuple[int, int]]
    ) -> None:
        ends = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
        spans = [Span(start, end, "X") for start, end in ends]
        words = [str(number) for number in range(6)]
        if any(a.start < b.start < a.end < b.end for a, b in permuted_pairs(spans)):
            with pytest.raises(TreeError, match="crosses"):
                Tree.from_spans(words, words, spans)
        else:
            assert set(Tree.from_spans(words, words, spans).spans()) == set(spans)

    def test_without_one_over_the_sentence_the_pieces_hang_from_the_root(self) -> None:
        tree = Tree.from_spans(
            ["a", "b", "c"], ["A", "B", "C"], [Span(1, 3, "X::Y"), Span(0, 3, "")]
        )
        assert str(tree) == "(TOP (A a) (X (Y (B b) (C c))))"

    def test_scores_are_not_part_of_a_tree(self) -> None:
        assert str(Tree.from_spans(["a"], ["A"], [Span(0, 1, "X", 2.5)])) == "(TOP (X (A a)))"

    @pytest.mark.parametrize(
        ("words", "tags", "spans", "message"),
        [
            (["a"], ["A"], [Span(0, 1, "X"), Span(0, 1, "Y")], "twice"),
            (["a"], ["A"], [Span(0, 2, "X")], "within"),
            (["a"], ["A"], [Span(1, 1, "X")], "within"),
            (["a"], ["A"], [Span(-1, 1, "X")], "within"),
            ([], [], [], "0 words"),
            (["a"], [], [], "1 words with 0 tags"),
            (["("], ["A"], [], "-LRB-"),
            (["a b"], ["A"], [], "blanks"),
            ([""], ["A"], [], "empty"),
            (["a"], [""], [], "tag"),
            (["a"], ["A"], [Span(0, 1, "X Y")], "label"),
        ],
    )
    def test_from_spans_refuses_what_makes_no_tree(
        self, words: list[str], tags: list[str], spans: list[Span], message: str
    ) -> None:
        with pytest.raises(TreeError, match=message):
            Tree.from_spans(words, tags, spans)

    def test_of_a_subtree_count_in_the_whole_tree(self) -> None:
        verb = (
            Tree.parse("(TOP (S (NP (DT a) (NN b)) (VP (V c) (NP (NN d)))))")
            .subtrees[0]
            .subtrees[1]
        )
        assert verb.span == (2, 4)
        assert verb.spans() == [Span(2, 4, "VP"), Span(3, 4, "NP")]
        assert Tree(verb.label, verb.children).span == (0, 2)


def permuted_pairs(items: list[Span]) -> list[tuple[Span, Span]]:
    return [pair for a, b in combinations(items, 2) for pair in ((a, b), (b, a))]


class TestReadingAndWriting:
    @UNHURRIED
    @given(TREES)
    def test_a_written_tree_reads_back(self, tree: Tree) -> None:
        assert Tree.parse(str(tree)) == tree

    @UNHURRIED
    @given(TREES)
    def test_an_indented_tree_reads_back(self, tree: Tree) -> None:
        assert Tree.parse(tree.pretty()) == tree

    @UNHURRIED
    @given(TREES)
    def test_its_repr_makes_it_again(self, tree: Tree) -> None:
        assert eval(repr(tree)) == tree

    @UNHURRIED
    @given(st.lists(TREES, max_size=4), st.lists(st.sampled_from(["", "\n", " ", "\r\n\t"])))
    def test_trees_may_share_a_line_or_take_many(self, trees: list[Tree], gaps: list[str]) -> None:
        gaps = [*gaps, *[""] * len(trees)]
        text = "".join(tree.pretty() + gap for tree, gap in zip(trees, gaps, strict=False))
        assert list(parse_trees(text)) == trees
        assert list(parse_trees(io.StringIO(text, newline="\n"))) == trees

    def test_every_blank_line_and_break_is_fine(self) -> None:
        text = "\n\n( (S\n (NP-SBJ\r\n  (DT\tThe)\n (NN\n cat) )\n\n (VP (VBD sat))(. .)) )\n\n"
        expected = "( (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat)) (. .)))"
        assert str(Tree.parse(text)) == expected

    def test_pretty_gives_a_line_to_what_holds_only_words(self) -> None:
        tree = Tree.parse("(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (RP down))) (. .)))")
        assert tree.pretty() == (
            "(TOP\n"
            "  (S\n"
            "    (NP (DT The) (NN cat))\n"
            "    (VP\n"
            "      (VBD sat)\n"
            "      (PP (RP down)))\n"
            "    (. .)))"
        )

    def test_a_no_break_space_is_part_of_a_word(self) -> None:
        assert Tree.parse("(CD 10\u00a0000\u3000x)").words == ("10\u00a0000\u3000x",)

    def test_trees_come_before_the_rest_is_read(self) -> None:
        def lines() -> Iterator[str]:
            yield "(A a) (B b)\n"
            raise AssertionError("read too far")

        trees = parse_trees(lines())
        assert [str(next(trees)), str(next(trees))] == ["(A a)", "(B b)"]

    def test_a_label_may_stand_on_the_line_after_its_bracket(self) -> None:
        assert str(Tree.parse("(\nS\n (\n\nNN\na) (NN b))")) == "(S (NN a) (NN b))"

    @pytest.mark.parametrize(
        ("text", "line", "column", "message"),
        [
            ("", 1, 1, "no tree"),
            (" \n ", 1, 1, "no tree"),
            ("\nThe cat", 2, 1, "'The' stands outside"),
            ("x" * 100, 1, 1, "xxx...' stands outside"),
            ("(A a) b", 1, 7, "'b' stands outside"),
            ("(S (A a)\n  (B b)", 1, 1, "1 ')' missing"),
            ("\n  (S (A (B b", 2, 3, "3 ')' missing"),
            ("(A a))", 1, 6, "has no opening bracket"),
            (")", 1, 1, "has no opening bracket"),
            ("(S (NP the cat))", 1, 12, "'cat' has no tag"),
            ("(S (NP (DT the) cat))", 1, 17, "'cat' has no tag"),
            ("(S (NP the (NN cat)))", 1, 20, "a word and other nodes"),
            ("(S (NP ))", 1, 8, "'NP' is empty"),
            ("(S\n  ())", 2, 4, "'' is empty"),
            ("(", 1, 1, "1 ')' missing"),
            ("(S (-LRB- ())", 1, 12, "-LRB-"),
            ("(\nthe)", 2, 4, "'the' is empty"),
            ("((A a)\nthe)", 2, 1, "'the' has no tag"),
            ("(A a)\n (B b)", 2, 2, "second tree"),
        ],
    )
    def test_a_mistake_is_reported_with_its_place(
        self, text: str, line: int, column: int, message: str
    ) -> None:
        with pytest.raises(TreeError) as caught:
            # Tree.parse wants one tree, and reads words without tags.
            if "tree" in message:
                Tree.parse(text, source="bank.mrg")
            list(parse_trees(text, "bank.mrg"))
        error = caught.value
        assert (error.source, error.line, error.column) == ("bank.mrg", line, column)
        assert message in error.message
        assert str(error).startswith(f"bank.mrg:{line}:{column}: ")

    def test_the_trees_before_a_mistake_are_given(self) -> None:
        trees = parse_trees("(A a)\n(B b)\n(C (D")
        assert [str(next(trees)), str(next(trees))] == ["(A a)", "(B b)"]
        with pytest.raises(TreeError, match=r"<string>:3:1: .* 2 '\)' missing"):
            next(trees)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Tree("NP", []),
            lambda: Tree("NP", ["a b"]),
            lambda: Tree.from_spans(["a"], [], []),
            lambda: Tree.from_nltk("(NP (NN cat))"),
        ],
    )
    def test_where_no_text_was_read_no_place_is_named(self, make: Callable[[], Tree]) -> None:
        with pytest.raises(TreeError) as caught:
            make()
        assert str(caught.value) == caught.value.message


class TestTree:
    def test_tells_words_tags_and_nodes(self) -> None:
        tree = Tree.parse("(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat))))")
        assert tree.words == ("The", "cat", "sat")
        assert tree.tags == ("DT", "NN", "VBD")
        assert [n.label for n in tree.nodes()] == ["TOP", "S", "NP", "DT", "NN", "VP", "VBD"]
        assert [n.span for n in tree.nodes()][:4] == [(0, 3), (0, 3), (0, 2), (0, 1)]
        assert [n.word for n in tree.preterminals()] == ["The", "cat", "sat"]
        assert tree.word is None
        assert tree.subtrees == tree.children
        assert next(tree.preterminals()).subtrees == ()

    def test_is_indexed_iterated_and_counted_as_its_children(self) -> None:
        tree = Tree.parse("(S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .))")
        assert tree[0] == Tree.parse("(NP (DT The) (NN cat))")
        assert tree[1:] == tree.children[1:]
        assert list(tree) == list(tree.children)
        assert (len(tree), len(tree.subtrees[0].subtrees[0])) == (3, 1)
        assert next(tree.preterminals())[0] == "The"
        with pytest.raises(IndexError):
            tree[3]

    def test_is_searched_by_label_in_preorder(self) -> None:
        tree = Tree.parse("(NP (NP (NN a)) (PP (IN of) (NP (NN b))))")
        assert [node.words for node in tree.find("NP")] == [("a", "of", "b"), ("a",), ("b",)]
        assert [node.span for node in tree.find("NN")] == [(0, 1), (2, 3)]
        assert list(tree.find("VP")) == []

    def test_made_by_hand_equals_the_one_read(self) -> None:
        noun = Tree("NN", ["cat"])
        tree = Tree("TOP", [Tree("NP", [noun, Tree("CC", ["and"]), noun])])
        assert tree == Tree.parse("(TOP (NP (NN cat) (CC and) (NN cat)))")
        assert [n.span for n in tree.preterminals()] == [(0, 1), (1, 2), (2, 3)]

    @UNHURRIED
    @given(TREES, TREES)
    def test_equality_is_that_of_the_written_form(self, one: Tree, other: Tree) -> None:
        assert (one == other) == (str(one) == str(other))
        assert one != other or hash(one) == hash(other)

    def test_equality_needs_the_same_shape(self) -> None:
        trees = ["(A (B b) (C c))", "(A (B (C c)))", "(A (B b))", "(A b)", "(A (B c))", "(B (B b))"]
        assert len({Tree.parse(text) for text in trees}) == len(trees)
        assert all(Tree.parse(a) != Tree.parse(b) for a, b in combinations(trees, 2))
        assert Tree.parse("(A a)") != "(A a)"

    @UNHURRIED
    @given(TREES)
    def test_a_copy_equals_it_and_keeps_its_places(self, tree: Tree) -> None:
        for part in (tree, tree.subtrees[-1]):
            again = pickle.loads(pickle.dumps(part))
            assert again == part
            assert [n.span for n in again.nodes()] == [n.span for n in part.nodes()]
        assert copy.copy(tree) is tree
        assert copy.deepcopy(tree) is tree
        assert assemble(*flatten(tree)) == tree

    @UNHURRIED
    @given(TREES)
    def test_goes_to_nltk_and_back(self, tree: Tree) -> None:
        assert Tree.from_nltk(tree.to_nltk()) == tree

    def test_from_nltk_refuses_what_is_no_tree(self) -> None:
        with pytest.raises(TreeError, match=r"give an nltk\.Tree, not '\(NP \(NN cat\)\)'"):
            Tree.from_nltk("(NP (NN cat))")

    def test_words_without_tags_go_to_nltk_and_back(self) -> None:
        from nltk import Tree as NltkTree

        for children in (["the", "cat"], [NltkTree("DT", ["the"]), "cat"], ["cat"]):
            given = NltkTree("S", [NltkTree("NP", children)])
            assert Tree.from_nltk(given).to_nltk() == given

    def test_from_nltk_refuses_what_could_not_be_read_back(self) -> None:
        from nltk import Tree as NltkTree

        for children in ([], [("cat", "NN")], ["a b", "c"]):
            with pytest.raises(TreeError):
                Tree.from_nltk(NltkTree("NP", children))

    def test_cannot_be_changed(self) -> None:
        tree = Tree("A", ["a"])
        with pytest.raises(AttributeError, match="cannot be changed"):
            tree.label = "B"
        with pytest.raises(AttributeError, match="cannot be changed"):
            del tree.label
        with pytest.raises(AttributeError):
            tree.colour = "red"

    @pytest.mark.parametrize(
        ("label", "children"),
        [("A", []), ("A", ["a b", "b"]), ("A", [Tree("B", ["b"]), ""]), ("A", ["("]), ("A", [""]),
         ("A B", ["a"]), ("", ["a"]), ("A)", ["a"])],
    )  # fmt: skip
    def test_what_could_not_be_read_back_cannot_be_made(
        self, label: str, children: list[Tree | str]
    ) -> None:
        with pytest.raises(TreeError):
            Tree(label, children)


@pytest.mark.parametrize("shape", ["right", "left", "unary"])
def test_a_tree_5000_levels_deep_is_handled_like_any_other(shape: str) -> None:
    text = deep_trees()[shape]
    tree, again = Tree.parse(text), Tree.parse(text)
    assert str(tree) == text
    assert tree == again
    assert hash(tree) == hash(again)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    assert Tree.from_spans(tree.words, tree.tags, tree.spans()) == tree
    assert Tree.from_nltk(tree.to_nltk()) == tree
    assert Tree("TOP", [Tree("X", ["x"]), tree]).end == tree.end + 1
    assert tree.pretty().count("\n") >= DEPTH - 1
    result = score([tree], [again])
    assert (result.f1, result.error_sentences) == (100.0, 0)
    del tree, again
    gc.collect()
