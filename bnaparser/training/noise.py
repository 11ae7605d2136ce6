"""Noise for training: subwords hidden behind the tokenizer's mask, sentences that are written otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bnaparser.encoders.subwords import Subwords, Window
from bnaparser.network.model import BnaModel, PreparedSentence
from bnaparser.training.data import Example
from bnaparser.training.loss import gold
from bnaparser.training.recipe import TrainSettings
from bnaparser.training.setup import TrainingSentence
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import CHAIN, Span, Tree


def disturbed(
    model: BnaModel,
    sentences: Sequence[TrainingSentence],
    settings: TrainSettings,
    generator: np.random.Generator,
) -> list[TrainingSentence]:
    """Return sentences as one update reads them, each with the tree that it has then."""
    batch = list(sentences)
    if settings.no_final_mark:
        for place in _drawn(batch, settings.no_final_mark, generator):
            batch[place] = _without_mark(model, batch[place])
    if settings.lower_case:
        for place in _drawn(batch, settings.lower_case, generator):
            example = batch[place].example
            words = [unescape(word).lower() for word in example.words]
            prepared = model.prepare([words], [example.given_tags])[0]
            batch[place] = replace(batch[place], prepared=prepared)
    if settings.mask_pieces:
        assert model.subwords is not None
        share, subwords = settings.mask_pieces, model.subwords
        batch = [
            replace(one, prepared=_masked(one.prepared, subwords, share, generator))
            for one in batch
        ]
    return batch


def _drawn(
    batch: Sequence[TrainingSentence], share: float, generator: np.random.Generator
) -> Sequence[int]:
    places: list[int] = np.flatnonzero(generator.random(len(batch)) < share).tolist()
    return places


def _without_mark(model: BnaModel, sentence: TrainingSentence) -> TrainingSentence:
    """Return a sentence without the mark that ends it, as many people write.

    It stays as it is where it ends in no mark, is nothing else, or would get a label that the
    network does not know.
    """
    example = sentence.example
    if example.tags[-1] != "." or len(example.words) < 2:
        return sentence
    tree = without_last_word(example.tree)
    spans = tuple(tree.spans())
    if any(span.label not in model.labels for span in spans):
        return sentence
    rest = Example(tree, tree.words, tree.tags, spans, example.given_tags[:-1])
    return TrainingSentence(
        rest,
        model.prepare([rest.words], [rest.given_tags])[0],
        gold(rest.spans, rest.tags, model.labels, model.tags),
    )


def without_last_word(tree: Tree) -> Tree:
    """Return a tree of two words or more without its last one and what is empty without it."""
    words, tags = tree.words[:-1], tree.tags[:-1]
    labels: dict[tuple[int, int], list[str]] = {}
    for span in tree.spans():  # what is outside comes first
        place = span.start, min(span.end, len(words))
        if place[0] < place[1]:
            labels.setdefault(place, []).append(span.label)
    spans = [Span(*place, CHAIN.join(chain)) for place, chain in labels.items()]
    return Tree.from_spans(words, tags, spans)


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
