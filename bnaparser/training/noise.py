"""Noise for training: subwords hidden behind the tokenizer's mask, sentences as people write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from bnaparser.encoders.subwords import Subwords, Window
from bnaparser.network.model import BnaModel
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.loss import gold
from bnaparser.training.noise_settings import NoiseSettings
from bnaparser.training.recipe import TrainSettings
from bnaparser.training.setup import TrainingSentence, text_rules
from bnaparser.training.text_noise import (
    in_capitals,
    in_title_case,
    typed_wrong,
    with_emoji,
    with_hashtags,
    with_link,
    with_other_marks,
    without_last_word,
)
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree


def disturbed(
    model: BnaModel,
    sentences: Sequence[TrainingSentence],
    settings: TrainSettings,
    generator: np.random.Generator,
) -> list[TrainingSentence]:
    """Return sentences as one update reads them, each with the tree that it has then."""
    batch = list(sentences)
    _change_trees(model, batch, settings.noise, generator)
    written = _written_otherwise(batch, settings, generator)
    read = {place: _as_read(model, batch[place], words) for place, words in written.items()}
    if settings.lower_case:
        for place in _drawn(batch, settings.lower_case, generator):
            words = read.get(place) or [unescape(word) for word in batch[place].example.words]
            read[place] = [word.lower() for word in words]
    given = [batch[place].example.given_tags for place in read]
    prepared = model.prepare(list(read.values()), given) if read else []
    for place, one in zip(read, prepared, strict=True):
        batch[place] = replace(batch[place], prepared=one)
    if settings.mask_probability:
        assert model.subwords is not None
        share, subwords = settings.mask_probability, model.subwords
        batch = [
            replace(one, prepared=_masked(one.prepared, subwords, share, generator))
            for one in batch
        ]
    return batch


def _change_trees(
    model: BnaModel,
    batch: list[TrainingSentence],
    noise: NoiseSettings,
    generator: np.random.Generator,
) -> None:
    """Put others in the place of sentences whose words come, go or are others."""
    for place in _drawn(batch, noise.no_final_mark, generator):
        tree = batch[place].example.tree
        if tree.tags[-1] == "." and len(tree.words) > 1:
            batch[place] = _with_tree(model, batch[place], without_last_word(tree))
    for place in _drawn(batch, noise.emoji, generator):
        tree = with_emoji(batch[place].example.tree, generator)
        batch[place] = _with_tree(model, batch[place], tree)
    for place in _drawn(batch, noise.links, generator):
        tree = with_link(batch[place].example.tree, generator)
        batch[place] = _with_tree(model, batch[place], tree)


def _with_tree(model: BnaModel, sentence: TrainingSentence, tree: Tree) -> TrainingSentence:
    """Return a sentence with another tree.

    It stays as it is where the other one has labels that the network does not know, or where the
    network reads tags that are not the tree's own.
    """
    spans = tuple(tree.spans())
    known = all(span.label in model.labels for span in spans)
    if not known or sentence.example.given_tags != sentence.example.tags:
        return sentence
    read = _as_read(model, sentence, tree.words)
    words, tags = tree.words, tree.tags
    return TrainingSentence(
        replace(sentence.example, tree=tree, words=words, tags=tags, spans=spans, given_tags=tags),
        model.prepare([read], [tags])[0],
        gold(spans, tags, model.labels, model.tags),
    )


def _as_read(model: BnaModel, sentence: TrainingSentence, words: Sequence[str]) -> Sequence[str]:
    """Return what words, put in the place of a sentence's own, are read as when they are parsed."""
    return text_rules(model, sentence.example).as_read(words, model.reads_case)


def _written_otherwise(
    batch: Sequence[TrainingSentence], settings: TrainSettings, generator: np.random.Generator
) -> dict[int, list[str]]:
    """Return the words of the sentences that are written otherwise, by their places."""
    noise = settings.noise
    written: dict[int, list[str]] = {}

    def rewrite(share: float, change: Callable[[Sequence[str], int], list[str]]) -> None:
        for place in _drawn(batch, share, generator):
            words = written.get(place) or batch[place].example.words
            written[place] = change(words, place)

    def tags(place: int) -> Sequence[str]:
        return batch[place].example.tags

    rewrite(noise.typing_errors, lambda words, _: typed_wrong(words, generator))
    rewrite(noise.hashtags, lambda words, place: with_hashtags(words, tags(place), generator))
    rewrite(noise.other_marks, lambda words, _: with_other_marks(words, generator))
    rewrite(noise.title_case, lambda words, _: in_title_case(words, generator))
    rewrite(noise.capitals, lambda words, _: in_capitals(words))
    return written


def _drawn(
    batch: Sequence[TrainingSentence], share: float, generator: np.random.Generator
) -> list[int]:
    """Return the places of a random share of a batch; nothing is drawn for a share of 0."""
    if not share:
        return []
    places: list[int] = np.flatnonzero(generator.random(len(batch)) < share).tolist()
    return places


def _masked(
    sentence: PreparedSentence, subwords: Subwords, share: float, generator: np.random.Generator
) -> PreparedSentence:
    """Hide a random share of a sentence's subwords; the tokenizer's own marks are never hidden."""
    assert subwords.mask is not None
    windows = []
    for window in sentence.windows:
        assert isinstance(window, Window)
        hidden = generator.random(len(window.ids)) < share
        hidden[: len(subwords.prefix)] = False
        hidden[len(window.ids) - len(subwords.suffix) :] = False
        windows.append(replace(window, ids=np.where(hidden, subwords.mask, window.ids)))
    return replace(sentence, windows=tuple(windows))
