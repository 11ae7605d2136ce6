"""What people do to text: what each kind of noise changes, and that trees stay trees of their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.network.model import BnaModel
from bnaparser.training.data import Example
from bnaparser.training.noise import (
    disturbed,
    in_capitals,
    in_title_case,
    typed_wrong,
    with_emoji,
    with_hashtags,
    with_link,
    with_other_marks,
    without_last_word,
)
from bnaparser.training.recipe import NoiseSettings, TrainSettings
from bnaparser.training.setup import training_sentences
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree

SEEDS = st.integers(0, 2**32 - 1).map(np.random.default_rng)
WORDS = st.lists(st.text("aB'-.9é", min_size=1, max_size=7), min_size=1, max_size=8)
MEETING = Tree.parse(
    "(TOP (S (NP (NNP John) (NNP Smith)) (VP (VBD met) (NP (PRP her)) (PP (IN in)"
    " (NP (NNP Paris)))) (. .)))"
)
QUOTED = ["``", "It", "'s", "late", "-LRB-", "now", "-RRB-", "--", "''", "..."]


def test_capitals_and_titles() -> None:
    assert in_capitals(["It", "'s", "\\/", "-LRB-"]) == ["IT", "'S", "/", "("]
    words = ["the", "cat", "of", "mine", "is", "n't", "in", "the", "hat"]
    found = {tuple(in_title_case(words, np.random.default_rng(seed))) for seed in range(20)}
    assert found == {
        ("The", "Cat", "of", "Mine", "Is", "n't", "in", "the", "Hat"),
        ("The", "Cat", "Of", "Mine", "Is", "n't", "In", "The", "Hat"),
    }


@given(WORDS, SEEDS)
def test_a_slip_of_the_finger_changes_long_words_a_little(
    words: list[str], generator: np.random.Generator
) -> None:
    wrong = typed_wrong(words, generator)
    assert len(wrong) == len(words)
    for before, after in zip(words, wrong, strict=True):
        if len(before) < 4 or not before.isalpha():
            assert after == before
        assert after[0] == before[0] and abs(len(after) - len(before)) <= 1


def test_every_kind_of_slip_comes_and_one_word_at_least_is_wrong() -> None:
    found = {typed_wrong(["word"], np.random.default_rng(seed))[0] for seed in range(200)}
    assert {"wrod", "wrd", "woord", "worrd", "wird", "wotd"} <= found and "word" not in found


def test_marks_of_others_stand_for_the_same_marks() -> None:
    found = [with_other_marks(QUOTED, np.random.default_rng(seed)) for seed in range(40)]
    assert len({tuple(words) for words in found}) > 15
    for words in found:
        assert [words[1], words[3], words[5]] == ["It", "late", "now"]
        assert words[2] == "\u2019s" and words[9] == "\u2026"
        assert words[0] != "``" and words[8] != "''" and "-LRB-" not in words
        assert len(words[0] + words[4] + words[6] + words[7] + words[8]) == 5


def test_hashtags_are_nouns() -> None:
    words, tags = ["The", "cats", "saw", "Rome", "1.0"], ["DT", "NNS", "VBD", "NNP", "NN"]
    found = {tuple(with_hashtags(words, tags, np.random.default_rng(seed))) for seed in range(60)}
    assert found == {
        ("The", "#cats", "saw", "Rome", "1.0"),
        ("The", "cats", "saw", "#Rome", "1.0"),
        ("The", "#cats", "saw", "#Rome", "1.0"),
    }
    assert with_hashtags(["Go"], ["VB"], np.random.default_rng(0)) == ["Go"]


def test_a_picture_stands_beside_the_period() -> None:
    tree = with_emoji(MEETING, np.random.default_rng(1))
    *words, picture = tree.words
    assert tuple(words) == MEETING.words and tree.tags[-1] == ":"
    assert str(tree) == str(MEETING).removesuffix("))") + f" (: {picture})))"
    chain = with_emoji(Tree.parse("(TOP (S (VP (VB Go))))"), np.random.default_rng(0))
    assert [span[:3] for span in chain.spans()] == [(0, 2, "S"), (0, 1, "VP")]
    pieces = with_emoji(Tree.parse("(TOP (NP (NN a)) (NP (NN b)))"), np.random.default_rng(0))
    assert [span[:3] for span in pieces.spans()] == [(0, 1, "NP"), (1, 2, "NP")]


def test_a_link_takes_the_place_of_a_name() -> None:
    found = {with_link(MEETING, np.random.default_rng(seed)) for seed in range(60)}
    links = {word for tree in found for word in tree.words} - set(MEETING.words)
    assert any(word.startswith("http") for word in links)
    assert any(word.startswith("@") for word in links)
    for tree in found:
        (word,) = set(tree.words) - set(MEETING.words)
        tag = "NNP" if word.startswith("@") else "NN"
        link = f"(NP ({tag} {word}))"
        places = [f"(NP (NNP {name}))" for name in ("John) (NNP Smith", "Paris")]
        assert str(tree) in {str(MEETING).replace(place, link) for place in places}
    nobody = Tree.parse("(TOP (NP (NN rain)))")
    assert with_link(nobody, np.random.default_rng(0)) is nobody


def test_what_covers_the_same_words_without_the_mark_becomes_a_chain() -> None:
    tree = Tree.parse("(TOP (FRAG (ADVP (RB Not) (RB now)) (. !)))")
    assert without_last_word(tree) == Tree.parse("(TOP (FRAG (ADVP (RB Not) (RB now))))")
    tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))) (NP (. .)))")
    assert without_last_word(tree) == Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained))))")


def test_changed_trees_are_read_back(examples: list[Example]) -> None:
    for number, example in enumerate(examples):
        tree, generator = example.tree, np.random.default_rng(number)
        for other in (with_emoji(tree, generator), with_link(tree, generator)):
            assert Tree.parse(str(other)) == other


@pytest.mark.parametrize("kind", list(NoiseSettings.model_fields))
def test_each_kind_is_read_by_the_network_and_none_is_none(
    build_model: Callable[..., BnaModel], examples: list[Example], kind: str
) -> None:
    model = build_model("roberta")
    sentences = training_sentences(model, examples)

    def noisy(share: float) -> list[list[int]]:
        settings = TrainSettings(noise=NoiseSettings(**{kind: share}))
        found = disturbed(model, sentences, settings, np.random.default_rng(3))
        for one in found:
            assert one.prepared.words == len(one.example.words) == len(one.gold.tags)
        return ids([one.prepared for one in found])

    plain = ids([one.prepared for one in sentences])
    assert noisy(0.0) == plain and noisy(1.0) == noisy(1.0)
    changed = [one != other for one, other in zip(plain, noisy(1.0), strict=True)]
    # Capitals and titles are recased where they are read by an encoder that knows case.
    assert sum(changed) > (0 if kind in ("title_case", "capitals") else 3), kind


def ids(prepared: Sequence[object]) -> list[list[int]]:
    return [[int(i) for w in one.windows for i in w.ids] for one in prepared]  # type: ignore[attr-defined]


def test_a_network_that_reads_others_tags_keeps_the_trees_that_they_belong_to(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    others = [
        Example(e.tree, e.words, e.tags, e.spans, tuple("X" for _ in e.tags)) for e in examples
    ]
    sentences = training_sentences(model, others)
    settings = TrainSettings(noise=NoiseSettings(emoji=1.0, links=1.0, no_final_mark=1.0))
    assert disturbed(model, sentences, settings, np.random.default_rng(0)) == sentences


def test_words_are_escaped_once(examples: list[Example]) -> None:
    words = ["-LRB-", "1\\/2"]
    assert [unescape(word) for word in in_capitals(words)] == ["(", "1/2"]
