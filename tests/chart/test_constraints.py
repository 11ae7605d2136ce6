"""Constraints against all trees, those that break them taken out."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser import chart
from bnaparser.chart.constraints import Bonus, Clash, Rule, constrain, violations
from bnaparser.chart.spans import Bools
from tests.chart import enumeration
from tests.chart.chart_cases import random_batch, sparse_scores
from tests.chart.tree_tables import TreeTable, tree_table


def keeps(tree: enumeration.Nodes, rules: Sequence[Rule]) -> bool:
    labels = {node[:2]: node[2] for node in tree}
    for rule in rules:
        label = labels.get(rule[:2])
        if rule.must and label is None:
            return False
        if label is not None and rule.labels is not None and label not in rule.labels:
            return False
        if rule.uncrossed and any(enumeration.crosses(rule[:2], span) for span in labels):
            return False
    return True


@st.composite
def rules_of(draw: st.DrawFn, n: int, labels: int) -> list[Rule]:
    found = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, n - 1))
        end = draw(st.integers(start + 1, n))
        chosen = draw(st.none() | st.frozensets(st.integers(1, labels - 1)))
        found.append(Rule(start, end, chosen, draw(st.booleans()), draw(st.booleans())))
    return found


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(1, 4), st.integers(0, 10_000))  # of 5 words there are too many trees
def test_best_trees_and_probabilities_are_those_of_the_trees_that_keep_the_rules(
    data: st.DataObject, n: int, seed: int
) -> None:
    scores, rules = sparse_scores(n, 1.0, 3, seed), data.draw(rules_of(n, 3))
    trees = enumeration.all_trees(scores.tolist(), n, False, lambda tree: keeps(tree, rules))
    try:
        changed, never_empty = constrain(scores, n, rules)
    except Clash:
        assert not trees
        return
    assert trees
    found = chart.decode_n_best(changed, n, 30, never_empty=never_empty)
    assert [one.score for one in found] == [score for score, _ in trees[:30]]
    assert all(keeps(frozenset(map(tuple, one.spans.tolist())), rules) for one in found)
    assert len(chart.decode_n_best(changed, n, 1, never_empty=never_empty)) == 1
    shares = chart.marginals(changed, n, never_empty=never_empty)
    assert shares.log_partition == pytest.approx(enumeration.log_partition(trees), abs=1e-5)
    for (start, end, label), share in enumeration.probabilities(trees).items():
        row = chart.span_index(start, end, n)
        assert shares.probabilities[row, label] == pytest.approx(share, abs=1e-5)
    tree = chart.decode_expected(shares.probabilities, [n], never_empty=never_empty)[0]
    assert keeps(frozenset(map(tuple, tree.spans.tolist())), rules)


def test_rules_of_five_words() -> None:
    generator = np.random.default_rng(6)
    n, labels = 5, 3
    table, clashes = tree_table(n, labels, False), 0
    for seed in range(60):
        scores, rules = sparse_scores(n, 1.0, labels, seed), random_rules(generator, n, labels)
        totals = table.scores(scores)
        totals[~kept(table, rules)] = -np.inf
        try:
            changed, never_empty = constrain(scores, n, rules)
        except Clash:
            assert (totals == -np.inf).all()
            clashes += 1
            continue
        found = chart.decode_n_best(changed, n, 40, never_empty=never_empty)
        expected = np.sort(totals[totals > -np.inf])[::-1][:40]
        assert [one.score for one in found] == expected.tolist()
        assert len({table.of_nodes(one.spans) for one in found}) == len(found)
        shares = chart.marginals(changed, n, never_empty=never_empty)
        weights = np.exp(totals - totals.max())
        share = (weights @ table.has / weights.sum()).reshape(scores.shape)
        np.testing.assert_allclose(shares.probabilities[:, 1:], share[:, 1:], atol=1e-5)
    assert 0 < clashes < 60


def random_rules(generator: np.random.Generator, n: int, labels: int) -> list[Rule]:
    found = []
    for _ in range(generator.integers(1, 4)):
        start, end = sorted(generator.choice(n + 1, 2, replace=False).tolist())
        chosen = None
        if generator.random() < 0.5:
            drawn = generator.random(labels) < 0.6
            chosen = frozenset(label for label in range(1, labels) if drawn[label])
        found.append(Rule(start, end, chosen, *(generator.random(2) < 0.4).tolist()))
    return found


def kept(table: TreeTable, rules: list[Rule]) -> Bools:
    """Tell of every tree whether it keeps all rules."""
    good = np.ones(len(table.has), np.bool_)
    spans = list(zip(*map(np.ndarray.tolist, chart.span_indices(table.n)), strict=True))
    for rule in rules:
        row = [spans.index(rule[:2])]
        if rule.must:
            good &= table.has_any(row)
        if rule.labels is not None:
            others = [label for label in range(1, table.labels) if label not in rule.labels]
            good &= ~table.has_any(row, others)
        if rule.uncrossed:
            crossing = [at for at, span in enumerate(spans) if enumeration.crosses(rule[:2], span)]
            good &= ~table.has_any(crossing)
    return good


def test_of_a_long_sentence_each_span_is_forbidden_that_crosses_one_of_many() -> None:
    generator, n = np.random.default_rng(3), 30
    spans = list(zip(*map(np.ndarray.tolist, chart.span_indices(n)), strict=True))
    for _ in range(10):
        known = [spans[place] for place in generator.choice(len(spans), 5).tolist()]
        changed, never_empty = constrain(
            np.zeros((len(spans), 2), np.float32), n, [Rule(a, b, uncrossed=True) for a, b in known]
        )
        crossing = [any(enumeration.crosses(one, span) for one in known) for span in spans]
        assert (changed[:, 1] == -np.inf).tolist() == crossing
        assert not never_empty.any()


def test_thousands_of_rules_are_seen_at_once() -> None:
    generator, n = np.random.default_rng(4), 300
    scores = np.zeros((chart.span_count(n), 3), np.float32)
    ends = generator.integers(1, n, 4000).tolist()
    begun = time.thread_time()
    constrain(scores, n, [Rule(0, end, uncrossed=True) for end in ends])
    constrain(scores, n, [Rule(0, end, frozenset({1}), must=True) for end in ends])
    assert time.thread_time() - begun < 5  # each beside each other was a minute's work


def test_a_bonus_is_added_to_each_tree_that_has_the_constituent() -> None:
    scores = sparse_scores(4, 1.0, 3, 1)
    changed, _ = constrain(scores, 4, (), [Bonus(1, 3, 0.5), Bonus(0, 2, -0.25, frozenset({2}))])
    trees = {nodes: score for score, nodes in enumeration.all_trees(scores.tolist(), 4)}
    for score, nodes in enumeration.all_trees(changed.tolist(), 4):
        extra = 0.5 * any(node[:2] == (1, 3) for node in nodes) - 0.25 * ((0, 2, 2) in nodes)
        assert score == trees[nodes] + extra


@pytest.mark.parametrize(
    ("rules", "places"),
    [
        ([Rule(0, 2, must=True), Rule(1, 3, must=True)], (0, 1)),
        ([Rule(2, 3), Rule(0, 2, uncrossed=True), Rule(1, 3, must=True)], (1, 2)),
        ([Rule(0, 2, must=True), Rule(0, 2, frozenset())], (0, 1)),
        ([Rule(0, 2, frozenset({1}), must=True), Rule(0, 2, frozenset({2}))], (0, 1)),
        ([Rule(1, 2), Rule(0, 4, frozenset())], (1,)),
        ([Rule(1, 2), Rule(1, 3, frozenset(), must=True), Rule(0, 2, must=True)], (1,)),
        (
            [
                Rule(0, 2, frozenset({1, 2})),
                Rule(0, 2, frozenset({2, 3, 4})),
                Rule(0, 2, must=True),
                Rule(0, 2, frozenset({1, 3, 4})),
            ],
            (0, 1, 2, 3),
        ),
    ],
)
def test_a_clash_names_its_rules(rules: list[Rule], places: tuple[int, ...]) -> None:
    with pytest.raises(Clash, match=f"rule {places[-1]} cannot hold") as caught:
        constrain(random_batch([4])[0], 4, rules)
    assert caught.value.places == places
    assert caught.value.of_the_root == (rules[places[0]].end == 4)


@settings(deadline=None, max_examples=120)
@given(st.data(), st.integers(1, 4), st.booleans())
def test_of_the_rules_that_a_clash_names_none_can_be_left_out(
    data: st.DataObject, n: int, empty_root: bool
) -> None:
    rules = data.draw(rules_of(n, 3))
    # Rules on few spans, whose labels come to nothing together only.
    rules += [
        rule._replace(start=0, end=min(2, n), labels=rule.labels or frozenset({1}))
        for rule in data.draw(rules_of(n, 3))
    ]
    scores = sparse_scores(n, 1.0, 3, 1)
    try:
        constrain(scores, n, rules, allow_empty_root=empty_root)
    except Clash as clash:
        named = [rules[place] for place in clash.places]
    else:
        return

    def possible(kept: Sequence[Rule]) -> bool:
        found = enumeration.all_trees(
            scores.tolist(), n, empty_root, lambda tree: keeps(tree, kept)
        )
        return bool(found)

    assert not possible(named)
    for place in range(len(named)):
        assert possible(named[:place] + named[place + 1 :])


def test_many_bonuses_of_a_span_lose_no_digits() -> None:
    scores = random_batch([4])[0]
    changed, _ = constrain(scores, 4, (), [Bonus(0, 2, 0.1)] * 3000 + [Bonus(0, 2, -0.1)] * 3000)
    np.testing.assert_array_equal(changed, scores)


@pytest.mark.parametrize(
    ("rules", "bonuses", "message"),
    [
        ([Rule(2, 2)], [], r"\(2, 2\) is not a span of a sentence of 4 words"),
        ([Rule(0, 5)], [], r"\(0, 5\) is not a span"),
        ([Rule(-1, 2)], [], r"\(-1, 2\) is not a span"),
        ([Rule(0, 2, frozenset({5}))], [], "has a label without a column"),
        ([], [Bonus(0, 1, math.nan)], r"the bonus of \(0, 1\) is nan"),
        ([], [Bonus(0, 1, math.inf)], r"the bonus of \(0, 1\) is inf"),
        ([], [Bonus(0, 1, 10**400)], r"the bonus of \(0, 1\) is 10"),
    ],
)
def test_what_is_outside_is_refused(rules: list[Rule], bonuses: list[Bonus], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        constrain(random_batch([4])[0], 4, rules, bonuses)


def test_scores_of_another_length_are_refused() -> None:
    scores = random_batch([4])[0]
    for n, given_scores in ((5, scores), (3, scores), (4, scores[:, 0])):
        with pytest.raises(ValueError, match=f"scores has shape .*; {n} words need"):
            constrain(given_scores, n, [Rule(0, 2)])


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(1, 8))
def test_violations_counted_word_by_word(data: st.DataObject, n: int) -> None:
    heads = data.draw(st.lists(st.integers(0, n), min_size=n, max_size=n))
    heads = [0 if head == word else head for word, head in enumerate(heads, 1)]
    marks = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    words = [word for word in range(n) if not marks[word]]
    expected = []
    for start, end in zip(*map(np.ndarray.tolist, chart.span_indices(n)), strict=True):
        inside = [word for word in words if start <= word < end]
        outer = [word for word in inside if not start <= heads[word] - 1 < end]
        reaching = [
            word
            for word in inside
            if word not in outer
            and any(heads[one] - 1 == word and not start <= one < end for one in words)
        ]
        expected.append(max(0, len(outer) - 1) + len(reaching))
    assert violations(n, heads, marks).tolist() == expected


def test_heads_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 heads for 3 words"):
        violations(3, [0, 1])
    with pytest.raises(ValueError, match="2 marks of punctuation for 3 words"):
        violations(3, [0, 1, 1], [False, True])
    with pytest.raises(ValueError, match="a head is not a number from 0 to 3"):
        violations(3, [0, 1, 4])
