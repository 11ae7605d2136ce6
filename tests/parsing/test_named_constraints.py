"""Constraints by names: what each leaves, held to filtering all trees; and what is wrong with one."""

from __future__ import annotations

import math
from timeit import repeat
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser import Tree
from bnaparser.errors import SentenceError
from bnaparser.network.labels import Inventory
from bnaparser.parsing.decoding import ChartModel, answer
from bnaparser.parsing.named_constraints import (
    KINDS,
    Constraint,
    Kind,
    checked,
    constraints_of,
    in_words,
    numbered,
)
from bnaparser.parsing.options import Dependencies, ParseOptions
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import rules_of
from tests.chart import enumeration

LABELS = Inventory.of_labels(["NP", "S", "S::VP", "VP"])
MODEL = ChartModel(LABELS, allow_empty_root=False, temperature=1.0)


def random_scores(n: int, seed: int) -> Any:
    scores = np.random.default_rng(seed).normal(size=(n * (n + 1) // 2, len(LABELS)))
    scores[:, 0] = 0
    return scores.astype(np.float32)


def keeps(tree: enumeration.Nodes, one: Constraint) -> bool:
    """Tell whether a tree keeps a constraint, by its definition."""
    chains = {node[:2]: LABELS.names[node[2]].split("::") for node in tree}
    chain = chains.get((one.start, one.end))
    if one.kind == "uncrossed":
        return not any(enumeration.crosses((one.start, one.end), span) for span in chains)
    if one.kind == "must":
        return chain is not None and (not one.labels or any(x in chain for x in one.labels))
    if one.kind == "not":
        return chain is None or (bool(one.labels) and not any(x in chain for x in one.labels))
    return chain is None or "::".join(chain) in one.labels or all(x in one.labels for x in chain)


@st.composite
def constraints_in(draw: st.DrawFn, n: int) -> list[Constraint]:
    found = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, n - 1))
        end = draw(st.integers(start + 1, n))
        kind: Kind = draw(st.sampled_from(KINDS[:4]))
        names = ["NP", "S", "VP", *(["S::VP"] if kind == "only" else [])]
        chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
        labels = tuple(chosen or ["NP"]) if kind == "only" else tuple(chosen)
        found.append(Constraint(kind, start, end, labels if kind != "uncrossed" else ()))
    return found


@settings(deadline=None, max_examples=120)
@given(st.data(), st.integers(1, 3), st.integers(0, 10_000), st.booleans())
def test_the_trees_are_those_of_all_that_keep_the_constraints(
    data: st.DataObject, n: int, seed: int, sure: bool
) -> None:
    scores, known = random_scores(n, seed), data.draw(constraints_in(n))
    trees = enumeration.all_trees(
        scores.tolist(), n, False, lambda tree: all(keeps(tree, one) for one in known)
    )
    parse_options = ParseOptions(n_best=5, probabilities=sure, constraints=tuple(known))
    try:
        found = answer(scores, n, parse_options, MODEL, None)
    except SentenceError:
        assert not trees
        return
    each = [found, *found.others]
    assert [one.score for one in each] == pytest.approx([score for score, _ in trees[:5]], abs=1e-5)
    if sure:
        total = enumeration.log_partition(trees)
        for one, (score, nodes) in zip(each, trees, strict=False):
            assert one.probability == pytest.approx(math.exp(score - total), rel=1e-4)
            spans = {(s.start, s.end, LABELS.number(s.label)): s.probability for s in one.spans}
            assert spans.keys() == nodes
            for node, probability in spans.items():
                share = sum(math.exp(score - total) for score, tree in trees if node in tree)
                assert probability == pytest.approx(share, rel=1e-3)


def test_a_label_stands_for_every_chain_that_holds_it() -> None:
    def left(*constraint: Any, **more: Any) -> set[str]:
        rule = numbered([Constraint(*constraint, **more)], 3, LABELS).rules[0]
        assert rule.labels is not None
        return {LABELS.names[number] for number in rule.labels}

    assert left("must", 0, 2, "VP") == {"VP", "S::VP"}
    assert left("must", 0, 2, "S::VP") == {"S::VP"}
    assert left("must", 0, 2, ("NP", "S")) == {"NP", "S", "S::VP"}
    assert left("not", 0, 2, "VP") == {"NP", "S"}
    assert left("not", 0, 2) == set()
    assert left("only", 0, 2, "VP") == {"VP"}
    assert left("only", 0, 2, ("S", "VP")) == {"S", "S::VP", "VP"}
    assert left("only", 0, 2, "S::VP") == {"S::VP"}
    assert left("only", 0, 2, ("NP", "S::VP")) == {"NP", "S::VP"}


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (
            [("must", 0, 4)],
            "constraint 1 (must at 0 to 4): the span lies outside the sentence, which has 3",
        ),
        ([("must", -1, 2)], "the span lies outside the sentence"),
        ([("must", 2, 2)], "the span has no words"),
        ([("must", 2, 1)], "the span has no words"),
        ([("must", 0, 2, "NPP")], "the model knows no label 'NPP'; is NP meant?"),
        ([("must", 0, 2, "@@")], "the model knows no label '@@': it has NP S VP"),
        ([("must", 0, 2, "VP::S")], "knows no label 'VP::S'"),
        ([("bonus", 0, 2, (), math.nan)], "nan is not a number between"),
        ([("bonus", 0, 2, (), 1e9)], "is not a number between"),
        ([("bonus", 0, 2, (), 10_001.0)], "10001.0 is not a number between -10,000 and 10,000"),
        (
            [("must", 0, 2), ("tag", 0, 1, (), None, "NN"), ("tag", 0, 1, (), None, "VB")],
            "constraint 2 (tag NN at 0 to 1) and constraint 3 (tag VB at 0 to 1) cannot hold",
        ),
        ([("tag", 0, 2, (), None, "NN")], "a tag constraint must cover exactly one word"),
        ([("tag", 0, 1, (), None, "N N")], "a tag must not be empty"),
        (
            [("uncrossed", 1, 3), ("must", 0, 1), ("must", 0, 2)],
            "constraint 1 (uncrossed at 1 to 3) and constraint 3 (must at 0 to 2) cannot hold",
        ),
        (
            [("bonus", 0, 1, (), 1.0), ("must", 0, 2, "NP"), ("only", 0, 2, "VP")],
            "constraint 2 (must NP at 0 to 2) and constraint 3 (only VP at 0 to 2) cannot hold",
        ),
        ([("not", 0, 3)], "constraint 1 (not at 0 to 3) cannot hold: the whole sentence"),
        (
            [("only", 0, 3, "NP"), ("must", 0, 1), ("not", 0, 3, "NP")],
            (
                "constraint 1 (only NP at 0 to 3) and constraint 3 (not NP at 0 to 3) cannot hold together:"
                " the whole sentence is a constituent in every tree of this model"
            ),
        ),
        (
            [("only", 0, 2, ("NP", "S")), ("not", 0, 2, "NP"), ("must", 0, 2), ("not", 0, 2, "S")],
            (
                "constraint 1 (only NP|S at 0 to 2), constraint 2 (not NP at 0 to 2), constraint 3"
                " (must at 0 to 2) and constraint 4 (not S at 0 to 2) cannot hold together"
            ),
        ),
        (
            [("bonus", 0, 2, "NP", 6000.0), ("bonus", 0, 2, (), 6000.0)],
            "the bonuses at 0 to 2 are 12,000 together, and may be no more than 10,000",
        ),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(known: list[Any], said: str) -> None:
    parse_options = ParseOptions(constraints=tuple(Constraint(*one) for one in known))
    with pytest.raises(SentenceError) as caught:
        answer(random_scores(3, 0), 3, parse_options, MODEL, None)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_constraint_that_makes_no_sense_cannot_be_made() -> None:
    for wrong in [
        ("may", 0, 1),
        ("must", 0, 1, (), 2.0),
        ("bonus", 0, 1),
        ("tag", 0, 1),
        ("must", 0, 1, (), None, "NN"),
        ("only", 0, 1),
    ]:
        with pytest.raises(ValueError, match=r"constraint|bonus|tag|only|amount"):
            Constraint(*wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("must", "0", 2), "the start of a constraint is '0': give a whole number"),
        (("must", 0, 2.0), "the end of a constraint is 2.0: give a whole number"),
        (("must", True, 2), "the start of a constraint is True: give a whole number"),
        (("must", 0, 2, None), "the label of a constraint is None: give a string"),
        (("must", 0, 2, 5), "the label of a constraint is 5: give a string"),
        (("must", 0, 2, ["NP", 5]), "the label of a constraint is 5: give a string"),
        (("tag", 0, 1, (), None, 5), "the tag of a constraint is 5: give a string"),
        (("bonus", 0, 1, (), "2"), "the amount of a bonus is '2': give a number"),
    ],
)
def test_a_place_that_is_no_number_is_told_before_it_is_parsed(wrong: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Constraint(*wrong)
    assert Constraint("must", np.int64(0), np.int64(2)).end == 2  # type: ignore[arg-type]


def test_the_highest_bonus_leaves_the_choice_of_the_label_to_the_scores() -> None:
    for seed in range(20):
        scores = random_scores(3, seed)
        must, bonus = Constraint("must", 0, 2), Constraint("bonus", 0, 2, (), 10_000.0)
        found, wanted = (
            answer(scores, 3, ParseOptions(constraints=(one,)), MODEL, None)
            for one in (bonus, must)
        )
        assert [one[:3] for one in found.spans] == [one[:3] for one in wanted.spans]


def test_a_bonus_moves_the_score_and_nothing_else() -> None:
    scores = random_scores(3, 7)
    plain = answer(scores, 3, ParseOptions(), MODEL, None)
    span = plain.spans[0]
    more = Constraint("bonus", span.start, span.end, (span.label,), 3.0)
    found = answer(scores, 3, ParseOptions(constraints=(more,)), MODEL, None)
    assert [one[:3] for one in found.spans] == [one[:3] for one in plain.spans]
    assert found.score == pytest.approx(plain.score + 3.0)


def test_a_given_tag_stands_in_the_tree() -> None:
    known = Constraint("tag", 1, 2, tag="NN")
    found = answer(
        random_scores(3, 1), 3, ParseOptions(constraints=(known,)), MODEL, ["A", "B", "C"]
    )
    assert found.tags == ["A", "NN", "C"]


def test_a_partial_tree_asks_for_each_of_its_constituents() -> None:
    tree = Tree.parse("(S (NP (X a)) (VP (X b) (NP (X c))))")
    assert set(constraints_of(tree)) == {
        Constraint("must", 0, 3, "S"),
        Constraint("must", 0, 1, "NP"),
        Constraint("must", 1, 3, "VP"),
        Constraint("must", 2, 3, "NP"),
    }


def test_dependencies_take_the_malus_for_each_word_that_speaks_against_a_span() -> None:
    scores = random_scores(3, 3)
    heads = Dependencies((2, 0, 2), penalty=4.0)  # b is the head of a and c
    found = answer(scores, 3, ParseOptions(n_best=5000, dependencies=heads), MODEL, None)
    plain = answer(scores, 3, ParseOptions(n_best=5000), MODEL, None)
    before = {frozenset(s[:3] for s in one.spans): one.score for one in [plain, *plain.others]}
    for one in [found, *found.others]:
        against = 0  # no span of these three words has more than one word that speaks against it
        assert one.score == pytest.approx(before[frozenset(s[:3] for s in one.spans)] - 4 * against)
    crossing = Dependencies(
        (0, 3, 1), penalty=4.0
    )  # c hangs on a, b on c: (a b) has a and b against it
    found = answer(scores, 3, ParseOptions(n_best=5000, dependencies=crossing), MODEL, None)
    for one in [found, *found.others]:
        places = {s[:2] for s in one.spans}
        assert one.score == pytest.approx(
            before[frozenset(s[:3] for s in one.spans)] - 4 * ((0, 2) in places), abs=1e-5
        )


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        (Dependencies((1, 2)), "the dependency heads do not fit the sentence: 2 heads for 3 words"),
        (Dependencies((0, 1, 9)), "a head is not a number from 0 to 3"),
        (
            Dependencies((0, 1, 1), penalty=math.inf),
            "penalty of the dependencies: inf is not a number",
        ),
        (Dependencies((0, 3, 2)), "following heads up from word 2 leads into a cycle"),
        (Dependencies((0, 1, 1), (False,)), "1 marks of punctuation for 3 words"),
    ],
)
def test_dependencies_that_do_not_fit_are_told(heads: Dependencies, said: str) -> None:
    with pytest.raises(SentenceError) as caught:
        answer(random_scores(3, 0), 3, ParseOptions(dependencies=heads), MODEL, None)
    assert said in str(caught.value)


def test_heads_that_are_no_whole_numbers_are_told() -> None:
    with pytest.raises(TypeError, match=r"heads are \(2.5, 0\): give a whole number"):
        Dependencies((2.5, 0))  # type: ignore[arg-type]


def test_places_in_a_text_become_places_in_its_sentences() -> None:
    text = "It rained. The cat sat."
    sentences = read_sentences(text)
    found = in_words([Constraint("must", 11, 18, "NP"), Constraint("must", 0, 2)], sentences)
    assert found == [[Constraint("must", 0, 1)], [Constraint("must", 0, 2, ("NP",))]]
    one, other = in_words([Constraint("must", 12, 18), Constraint("must", 0, 9)], sentences)
    assert one == [Constraint("must", 0, 2)]
    assert other == "constraint 1 (must at 12 to 18): no word of the sentence begins at 12"
    (held,) = in_words(
        [Constraint("must", 8, 16, "pp"), Constraint("tag", 8, 9, tag="prp")],
        [rules_of("pt").sentence("Ele foi à escola.")],
    )
    assert held == [Constraint("must", 2, 5, ("pp",)), Constraint("tag", 2, 4, tag="prp")]
    beyond = in_words([Constraint("must", 0, 18)], sentences)[0]
    assert beyond == "constraint 1 (must at 0 to 18): no word of the sentence ends at 18"


@pytest.mark.parametrize("given", [("must", 0, 2), "must", {"kind": "must"}, None])
def test_what_is_no_constraint_is_told_before_anything_is_parsed(given: Any) -> None:
    constraints = [Constraint("must", 0, 2), given]
    with pytest.raises(TypeError, match=r"constraint 2 is .*: give a Constraint, as in"):
        ParseOptions().with_constraints(constraints)
    with pytest.raises(TypeError, match=r"constraint 2 is .*: give a Constraint, as in"):
        in_words(constraints, read_sentences("It rained."))


def test_the_types_of_a_constraint_are_checked_in_little_time() -> None:
    def seconds(make: Any) -> float:
        return min(repeat(lambda: make(kind="must", start=0, end=2, labels="NP"), number=200))

    assert seconds(Constraint) < 25 * seconds(SimpleNamespace)  # it was 80 times


def test_a_tag_that_is_given_as_a_label_and_one_constraint_alone_are_told() -> None:
    with pytest.raises(ValueError, match=r'needs a tag; give it as tag="NN", not as a label'):
        Constraint("tag", 0, 1, "NN")
    with pytest.raises(TypeError, match="constraints must be a list of Constraint"):
        checked(Constraint("must", 0, 1))  # type: ignore[arg-type]
