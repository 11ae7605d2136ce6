"""Noise in training: which subwords it may hide, what it never touches, and that a seed fixes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.encoders.subwords import Window
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings
from bnaparser.network.prepared import PreparedSentence
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


def read(
    model: BnaModel, examples: list[Example], seed: int = 0, **settings: Any
) -> tuple[list[Window], list[Window]]:
    """Return the windows of sentences, one each, without noise and with it."""
    sentences = training_sentences(model, examples)
    generator = np.random.default_rng(seed)
    noisy = disturbed(model, sentences, TrainSettings(**settings), generator)
    before, after = ([one.prepared for one in many] for many in (sentences, noisy))
    return windows(before), windows(after)


def windows(sentences: list[PreparedSentence]) -> list[Window]:
    found = [window for one in sentences for window in one.windows if isinstance(window, Window)]
    assert len(found) == len(sentences)
    return found


def test_the_share_of_subwords_that_was_asked_for_is_masked_and_nothing_else(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    assert model.subwords is not None
    masked = inside = 0
    for old, new in zip(*read(model, examples, mask_probability=0.25), strict=True):
        changed = old.ids != new.ids
        assert (new.ids[changed] == model.subwords.tokenizer.mask_token_id).all()
        assert not changed[0] and not changed[-1]
        assert (new.last == old.last).all()
        masked += changed.sum()
        inside += len(old.ids) - 2
    assert abs(masked / inside - 0.25) < 0.06


def test_lower_case_is_what_the_tokenizer_gives_for_lower_case_words(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    before, after = read(model, examples, lower_case=1.0)
    lowered = [[unescape(word).lower() for word in example.words] for example in examples]
    ids = [window.ids.tolist() for window in after]
    assert ids == [window.ids.tolist() for window in windows(model.prepare(lowered))]
    assert ids != [window.ids.tolist() for window in before]


def test_the_same_draw_gives_the_same_noise_and_none_is_none(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    first, second = (
        read(model, examples, 5, mask_probability=0.2, lower_case=0.3)[1] for _ in "ab"
    )
    for one, other in zip(first, second, strict=True):
        assert (one.ids == other.ids).all()
    before, same = read(model, examples)
    assert all(one is other for one, other in zip(before, same, strict=True))


def test_the_final_mark_goes_and_the_tree_closes_behind_it(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert")
    sentences = training_sentences(model, examples)
    settings = TrainSettings(noise=NoiseSettings(no_final_mark=1.0))
    shorter = disturbed(model, sentences, settings, np.random.default_rng(0))
    cut = 0
    for before, after in zip(sentences, shorter, strict=True):
        if after is before:
            continue
        cut += 1
        words = before.example.words
        assert before.example.tags[-1] == "." and after.example.words == words[:-1]
        assert after.prepared.words == len(words) - 1 == len(after.gold.tags)
        inside = [(s.start, s.end) for s in before.example.spans if s.end < len(words) - 1]
        assert inside == [(s.start, s.end) for s in after.example.spans if s.end < len(words) - 1]
        (training,) = training_sentences(model, [after.example])
        assert (training.gold.spans == after.gold.spans).all()
    assert cut > len(sentences) / 2


def test_a_sentence_keeps_a_mark_that_it_cannot_lose(
    build_model: Callable[..., BnaModel],
) -> None:
    model = build_model("bert")
    labels = "".join(f"({name} (NN a) (NN b))" for name in model.labels.names[1:3])
    trees = [
        "(TOP (NP (. .)))",
        f"(TOP (NP {labels} (NN c)))",
        "(TOP (UNSEEN (NP (NN a)) (. .)))",
    ]
    examples = [
        Example(t, t.words, t.tags, tuple(t.spans()), t.tags) for t in map(Tree.parse, trees)
    ]
    sentences = training_sentences(model, examples)
    settings = TrainSettings(noise=NoiseSettings(no_final_mark=1.0))
    assert disturbed(model, sentences, settings, np.random.default_rng(0)) == sentences


@pytest.mark.parametrize(("known", "own"), [(("zh-Hant",), ""), (("en", "zh-Hant"), "zh-Hant")])
def test_words_of_another_script_are_read_as_their_own_language_reads_them(
    build_model: Callable[..., BnaModel], known: tuple[str, ...], own: str
) -> None:
    """English reads each of them as a name, "Tokyo"."""
    model = build_model("bert")
    text = LanguageSettings(languages=known)
    model.settings = model.settings.model_copy(update={"text": text})
    label = model.labels.names[1]
    tree = Tree.parse(f"(TOP ({label} (NN 我) (NN 魚) (. .)))")
    example = Example(tree, tree.words, tree.tags, tuple(tree.spans()), tree.tags, own)
    for noise in NoiseSettings(other_marks=1.0), NoiseSettings(no_final_mark=1.0):
        _, (after,) = read(model, [example], noise=noise)
        kept = tree.words[:-1] if noise.no_final_mark else tree.words
        (plain,) = windows(model.prepare([kept]))
        assert after.ids.tolist() == plain.ids.tolist()


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
