"""Training data: treebank files with weights, read into words, tags and spans, cut into batches, prepared for a network."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from bnaparser.errors import DataError, SettingsError
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.prepared import PreparedSentence
from bnaparser.text.detokenize import detokenize
from bnaparser.text.sentence import from_words
from bnaparser.text.text_rules import match_language, rules_of
from bnaparser.training.recipe import DataSettings, TrainSettings
from bnaparser.treebanks.label_maps import read_label_map
from bnaparser.treebanks.reading import load_clean_trees
from bnaparser.treebanks.releases import CTB, PTB
from bnaparser.treebanks.tag_files import tags_of
from bnaparser.trees.cleaning import Cleaning
from bnaparser.trees.tree import Span, Tree


@dataclass(frozen=True)
class Example:
    """A gold tree and what training needs of it.

    ``tags`` are the tree's own, ``given_tags`` those that a network reads, where it reads any;
    ``language`` is that of its treebank, empty if the recipe has one language. With ``ignore_gold`` the tree is not
    to be believed: a teacher says what is right.
    """

    tree: Tree
    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[Span, ...]
    given_tags: tuple[str, ...]
    language: str = ""
    ignore_gold: bool = False

    @property
    def has_root(self) -> bool:
        """Return whether one constituent covers the whole sentence."""
        return any(span.end - span.start == len(self.words) for span in self.spans)


@dataclass(frozen=True)
class Mix:
    """Training examples, which of them belong to which set, and the development sets by name."""

    train: list[Example]
    sets: list[tuple[range, float]]
    dev: dict[str, list[Example]]

    @property
    def epoch_size(self) -> int:
        """Sentences that one epoch sees: each set times its weight."""
        return sum(round(len(places) * weight) for places, weight in self.sets)

    def digest(self) -> str:
        """Return a hash of all examples, by which a run that is resumed knows its data again."""
        found = hashlib.sha256()
        for one in chain(self.train, *self.dev.values()):
            labels = (f"{span.start} {span.end} {span.label}" for span in one.spans)
            found.update("\n".join((*one.words, *one.tags, *one.given_tags, *labels, "")).encode())
        return found.hexdigest()

    def draw(self, generator: np.random.Generator) -> list[int]:
        """Return the order of one epoch, shuffled: every example ``weight`` times.

        The fraction of a weight is a random part of its set, drawn without repetition.
        """
        drawn: list[np.ndarray] = []
        for places, weight in self.sets:
            left = round(len(places) * weight)
            while left > 0:
                part = generator.permutation(len(places))[:left] + places.start
                drawn.append(part)
                left -= len(part)
        order: list[int] = generator.permutation(np.concatenate(drawn)).tolist()
        return order


def read_mix(settings: TrainSettings) -> Mix:
    """Read all files that the settings name; training sentences over ``max_words`` are left out.

    Raises DataError if one cannot be read, or holds no trees.
    """
    train: list[Example] = []
    sets: list[tuple[range, float]] = []
    for source in settings.data:
        first = len(train)
        examples = read_examples(source, settings)
        if not examples:
            raise DataError(f"{source.path} holds no trees: remove this file from train.data")
        train.extend(example for example in examples if len(example.words) <= settings.max_words)
        sets.append((range(first, len(train)), source.weight))
    dev = {
        name: list(islice(read_examples(source, settings), settings.dev_sentences))
        for name, source in zip(_names(settings.dev), settings.dev, strict=True)
    }
    for examples, source in zip(dev.values(), settings.dev, strict=True):
        if not examples:
            raise DataError(f"{source.path} holds no trees: remove this file from train.dev")
    return Mix(train, sets, dev)


def updates_per_epoch(mix: Mix, settings: TrainSettings) -> int:
    """Return the number of batches in an epoch; the last batch may be smaller."""
    return math.ceil(mix.epoch_size / settings.batch_size)


def epoch_batches(
    mix: Mix, sizes: Sequence[int], settings: TrainSettings, epoch: int
) -> list[list[int]]:
    """Return the batches of an epoch, counted from 0, as indices of examples of these sizes.

    The settings' seed and the epoch fix them.
    """
    generator = np.random.default_rng((settings.seed, epoch))
    return pooled_batches(mix.draw(generator), sizes, settings, generator)


def pooled_batches(
    order: Sequence[int],
    sizes: Sequence[int],
    settings: TrainSettings,
    generator: np.random.Generator,
) -> list[list[int]]:
    """Cut drawn examples into batches; ``bucket_batches`` of them at a time share similar lengths.

    With a pool of one, batches are as drawn. A larger pool is sorted by length before it is cut,
    and its batches shuffled: less padding, at the price of batches that are less mixed.
    """
    size, pool = settings.batch_size, settings.batch_size * settings.bucket_batches
    batches: list[list[int]] = []
    for first in range(0, len(order), pool):
        drawn = list(order[first : first + pool])
        if settings.bucket_batches > 1:
            drawn.sort(key=lambda index: sizes[index])
        cut = [drawn[start : start + size] for start in range(0, len(drawn), size)]
        batches.extend(cut[int(i)] for i in generator.permutation(len(cut)))
    return batches


def read_examples(source: DataSettings, settings: TrainSettings) -> list[Example]:
    """Read the trees of one file or release, cleaned, with the label map that it asks for."""
    rules = Cleaning(cut_functions=not settings.keep_functions)
    if source.release is None:
        trees = load_clean_trees(source.path, rules)
    else:
        release = {"ptb": PTB, "ctb": CTB}[source.release]
        trees = list(release.read(source.path, source.part, rules))
    if source.map is not None:
        if settings.label_maps is None:
            raise SettingsError(
                f"map = {source.map!r} needs train.label_maps, the path of a TOML file with label maps"
            )
        label_map = read_label_map(settings.label_maps, source.map)
        trees = [label_map.apply(tree) for tree in trees]
    given = [tree.tags for tree in trees]
    if source.tags is not None:
        given = tags_of(source.tags, [tree.words for tree in trees])
    of_source = source.language or "", source.ignore_gold
    return [
        Example(tree, tree.words, tree.tags, tuple(tree.spans()), tags, *of_source)
        for tree, tags in zip(trees, given, strict=True)
    ]


def _names(sources: Sequence[DataSettings]) -> list[str]:
    """Return a name for each set; those of one file have their map, tags or language beside it, or a number."""
    names = [_name(source, sources) for source in sources]
    tags = [one.tags and Path(one.tags).name for one in sources]
    beside = [
        ", ".join(filter(None, (one.map, own, one.language)))
        for one, own in zip(sources, tags, strict=True)
    ]
    names = [
        f"{name} ({more})" if more and names.count(name) > 1 else name
        for name, more in zip(names, beside, strict=True)
    ]
    return [
        f"{name} ({names[:place].count(name) + 1})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _name(source: DataSettings, sources: Sequence[DataSettings]) -> str:
    """Return a short name of a set: as much of its path, from the end, as tells it from other files."""
    parts = _parts(source)
    others = [other for other in map(_parts, sources) if other != parts]
    for count in range(1, len(parts) + 1):
        if all(other[-count:] != parts[-count:] for other in others):
            return "/".join(parts[-count:])
    return "/".join(parts)


def _parts(source: DataSettings) -> list[str]:
    parts = source.path.split("/")
    return parts if source.release is None else [*parts, source.part]


def in_language(network: ParsingNetwork, language: str) -> ParsingNetwork | None:
    """Return a network as it parses a language; None if it does not know the language."""
    known = match_language(language, network.settings.text.languages)
    return None if known is None else network.in_language(known)


def prepare_words(
    network: ParsingNetwork,
    language: str,
    sentences: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]] | None = None,
) -> list[PreparedSentence]:
    """Return the words of trees as a network takes them: read as a parser reads text in that language.

    ``tags`` are for a network that reads them. ``language`` is one that the network knows.
    """
    joined = network.settings.encoder.detokenize
    if joined is not None:
        return network.prepare([detokenize(from_words(words), joined) for words in sentences], tags)
    known = match_language(language, network.settings.text.languages)
    assert known is not None
    rules, cased = rules_of(known), network.reads_case
    return network.prepare([rules.as_read(words, cased) for words in sentences], tags)
