"""Noise in training: which subwords it may hide, what it never touches, and that a seed fixes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bnaparser.encoders.subwords import Window
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.data import Example
from bnaparser.training.noise import disturbed
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
