"""Noise for training: subwords hidden behind the tokenizer's mask, sentences as people write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from bnaparser.encoders.subwords import Subwords, Window
from bnaparser.network.model import BnaModel
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.loss import gold
from bnaparser.training.recipe import NoiseSettings, TrainSettings
from bnaparser.training.setup import TrainingSentence, text_rules
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import CHAIN, Span, Tree


def disturbed(
    model: BnaModel,
    sentences: Sequence[TrainingSentence],
    settings: TrainSettings,
    generator: np.random.Generator,
) -> list[TrainingSentence]:
    """Return sentences with noise for one update, each with its changed tree."""
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
    """Return the places of a random fraction of a batch; nothing is drawn for a fraction of 0."""
    if not share:
        return []
    places: list[int] = np.flatnonzero(generator.random(len(batch)) < share).tolist()
    return places


def _masked(
    sentence: PreparedSentence, subwords: Subwords, share: float, generator: np.random.Generator
) -> PreparedSentence:
    """Hide a random fraction of a sentence's subwords; the tokenizer's own marks are never hidden."""
    assert subwords.mask is not None
    windows = []
    for window in sentence.windows:
        assert isinstance(window, Window)
        hidden = generator.random(len(window.ids)) < share
        hidden[: len(subwords.prefix)] = False
        hidden[len(window.ids) - len(subwords.suffix) :] = False
        windows.append(replace(window, ids=np.where(hidden, subwords.mask, window.ids)))
    return replace(sentence, windows=tuple(windows))


Item = TypeVar("Item")

_TYPED_WRONG = 0.15  # of the words that are long enough
_SHORTEST = 4  # letters of a word that is typed wrong
_SMALL_WORDS = frozenset([
    "a", "an", "the", "and", "or", "nor", "but", "of", "in", "on", "to", "for", "by", "with", "at", "from",
    "as",
])  # fmt: skip
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_QUOTES = (
    "\u201c\u201d",
    "\u201e\u201c",
    "\xab\xbb",
    "\u2018\u2019",
    "\u300c\u300d",
    "\u201d\u201d",
)
_ROUND = ("[]", "{}", "\u3010\u3011", "\uff08\uff09", "<>")
_DASHES = ("\u2014", "\u2013", "-", "\u2015")
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_NAMES = frozenset(["NNP", "NNPS"])
_HOSTS = ["example", "news", "shop", "blog", "forum", "travel", "music", "photo", "city", "data"]
_ENDS = ["com", "org", "net", "co.uk", "de", "io", "info"]
_PAGES = ["", "/", "/index.html", "/about", "/2021/05/12", "/watch?v=3xK9", "/p/17#top"]
# Round brackets as trees have them.
_PICTURES = [
    "\U0001f600", "\U0001f602", "\U0001f60d", "\U0001f62d", "\U0001f44d", "\U0001f64f", "\U0001f389",
    "\u2764\ufe0f", "\u2728", ":-RRB-", ":--RRB-", ":-LRB-", ";--RRB-", ":D", "<3", "xD",
]  # fmt: skip


def in_capitals(words: Sequence[str]) -> list[str]:
    """Return the words in capitals."""
    return [unescape(word).upper() for word in words]


def in_title_case(words: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Return the words as in a title; in one of two, small words stay small inside it."""
    spare = generator.random() < 0.5
    read = []
    for place, word in enumerate(map(unescape, words)):
        small = spare and 0 < place < len(words) - 1 and word.lower() in _SMALL_WORDS
        clitic = word[:1] in "'\u2019" or word.lower() == "n't"
        read.append(word if small or clitic else word[:1].upper() + word[1:])
    return read


def typed_wrong(words: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Return the words with typing errors in some words; in at least one word, if a word is long
    enough.
    """
    read = list(words)
    long = [place for place, word in enumerate(read) if len(word) >= _SHORTEST and word.isalpha()]
    if not long:
        return read
    wrong = [place for place in long if generator.random() < _TYPED_WRONG]
    for place in wrong or [_one_of(long, generator)]:
        read[place] = _slip(read[place], generator)
    return read


def _slip(word: str, generator: np.random.Generator) -> str:
    """Return a word with one letter wrong; the first one stays."""
    at = int(generator.integers(1, len(word) - 1))
    before, letter, following, after = word[:at], word[at], word[at + 1], word[at + 2 :]
    kind = generator.integers(4)
    if kind == 0:
        return before + following + letter + after
    if kind == 1:
        return before + following + after
    if kind == 2:
        return before + letter + letter + following + after
    row = next((row for row in _KEYBOARD if letter.lower() in row), letter)
    beside = row.find(letter.lower()) + (1 if generator.random() < 0.5 else -1)
    return before + row[min(max(beside, 0), len(row) - 1)] + following + after


def with_other_marks(words: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Return the words with other quotation marks, brackets, dashes and apostrophes."""
    quotes, brackets = _one_of(_QUOTES, generator), _one_of(_ROUND, generator)
    dash = _one_of(_DASHES, generator)
    marks = {
        "``": quotes[0], "`": quotes[0], "''": quotes[1], "-LRB-": brackets[0],
        "-RRB-": brackets[1], "--": dash, "...": "\u2026",
    }  # fmt: skip
    return [marks.get(word, word.replace("'", "\u2019")) for word in words]


def with_hashtags(
    words: Sequence[str], tags: Sequence[str], generator: np.random.Generator
) -> list[str]:
    """Return the words with a ``#`` before one noun or more, if there are any."""
    nouns = [p for p, word in enumerate(words) if tags[p] in _NOUNS and word.isalpha()]
    marked = {place for place in nouns if generator.random() < 0.2}
    if nouns and not marked:
        marked.add(_one_of(nouns, generator))
    return [f"#{word}" if place in marked else word for place, word in enumerate(words)]


def with_emoji(tree: Tree, generator: np.random.Generator) -> Tree:
    """Return a tree with a picture or a smiley after its last word, tagged as other marks are.

    It stands in the constituent of the whole sentence, as its period does.
    """
    picture = _one_of(_PICTURES, generator)
    words, tags = (*tree.words, picture), (*tree.tags, ":")
    last = len(tree.words)
    spans: list[Span] = []
    for span in tree.spans():
        if span.end - span.start < last:
            spans.append(span)
            continue
        # Of a chain over the sentence the topmost label takes the picture in, the others stay.
        top, _, below = span.label.partition(CHAIN)
        spans.append(Span(0, last + 1, top))
        if below:
            spans.append(Span(0, last, below))
    return Tree.from_spans(words, tags, spans)


def with_link(tree: Tree, generator: np.random.Generator) -> Tree:
    """Return a tree in which a noun phrase of names alone is a link; it itself, if there is none.

    A link is tagged NN, as the label maps of ``recipes/`` have it, an account NNP.
    """
    phrases = [
        node
        for node in tree.nodes()
        if node.label == "NP" and all(below.label in _NAMES for below in node.subtrees)
    ]
    if not phrases:
        return tree
    start, end = _one_of(phrases, generator).span
    word, tag = _link(generator)
    words = (*tree.words[:start], word, *tree.words[end:])
    tags = (*tree.tags[:start], tag, *tree.tags[end:])
    shorter = end - start - 1
    spans = [
        Span(s.start - shorter * (s.start >= end), s.end - shorter * (s.end >= end), s.label)
        for s in tree.spans()
    ]
    return Tree.from_spans(words, tags, spans)


def _link(generator: np.random.Generator) -> tuple[str, str]:
    """Return a link, an address of mail or an account, and its tag."""
    name, end = _one_of(_HOSTS, generator), _one_of(_ENDS, generator)
    page = _one_of(_PAGES, generator)
    forms = [
        (f"http://www.{name}.{end}{page}", "NN"), (f"https://{name}.{end}{page}", "NN"),
        (f"www.{name}.{end}{page}", "NN"), (f"{name}@mail.{end}", "NN"),
        (f"@{name}{generator.integers(100)}", "NNP"),
    ]  # fmt: skip
    return _one_of(forms, generator)


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


def _one_of(items: Sequence[Item], generator: np.random.Generator) -> Item:
    return items[int(generator.integers(len(items)))]
