"""Training data: files, weights, label maps, long sentences, names of development sets."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import DataError, SettingsError
from bnaparser.training.data import Example, Mix, pooled_batches, read_examples, read_mix
from bnaparser.training.recipe import DataSettings, TrainSettings
from bnaparser.trees.tree import Span

TREES = """(TOP (S (NP-SBJ (PRP I)) (VP (VBP run)) (. .)))
( (S (NP (-NONE- *)) (VP (VB Go))) )
(TOP (FRAG (NP (NNP Rome))) (. .))
(TOP (S (NP (DT The) (JJ old) (NN river)) (VP (VBD fell)) (. .)))
"""


NONE = TrainSettings()


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.mrg"
    path.write_text(TREES, encoding="utf-8")
    return path


def spans(example: Example) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label) for span in example.spans]


def test_trees_are_cleaned_and_chains_are_one_label(bank: Path) -> None:
    first, second, third, _ = read_examples(DataSettings(path=str(bank)), TrainSettings())
    assert (first.words, first.tags) == (("I", "run", "."), ("PRP", "VBP", "."))
    assert spans(first) == [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP")]
    assert (second.words, spans(second)) == (("Go",), [(0, 1, "S::VP")])
    assert spans(third) == [(0, 1, "FRAG::NP")]
    assert [first.has_root, second.has_root, third.has_root] == [True, True, False]
    assert isinstance(first.spans[0], Span)


def test_a_development_file_without_trees_is_refused(bank: Path, tmp_path: Path) -> None:
    """Its F1 was 0 at each check: the best model was that of the first one."""
    empty = tmp_path / "empty.mrg"
    empty.write_text("(TOP (-NONE- *))\n", encoding="utf-8")
    sources = [DataSettings(path=str(path)) for path in (bank, empty)]
    with pytest.raises(DataError, match=r"empty\.mrg holds no trees: remove this file from"):
        read_mix(TrainSettings(data=sources[:1], dev=sources))


def test_a_label_map_is_applied(bank: Path, tmp_path: Path) -> None:
    maps = tmp_path / "maps.toml"
    maps.write_text('[map.other.labels]\n"FRAG" = "X"\n', encoding="utf-8")
    source = DataSettings(path=str(bank), map="other")
    third = read_examples(source, TrainSettings(label_maps=str(maps)))[2]
    assert spans(third) == [(0, 1, "X::NP")]
    with pytest.raises(SettingsError, match=r"train\.label_maps"):
        read_examples(source, TrainSettings())


def test_tags_to_read_may_come_from_a_file(bank: Path, tmp_path: Path) -> None:
    """The paper's parsers read a tagger's, not those of the treebank."""
    assert all(e.given_tags == e.tags for e in read_examples(DataSettings(path=str(bank)), NONE))
    tags = tmp_path / "tags.txt"
    tags.write_text("NN NN .\nVB\nNN .\nDT NN NN VBD .\n", encoding="utf-8")
    first, _, _, last = read_examples(DataSettings(path=str(bank), tags=str(tags)), NONE)
    assert (first.tags, first.given_tags) == (("PRP", "VBP", "."), ("NN", "NN", "."))
    assert last.given_tags == ("DT", "NN", "NN", "VBD", ".")
    tags.write_text("NN NN .\n", encoding="utf-8")
    with pytest.raises(DataError, match="tags for 1 sentences, but there are 4 sentences"):
        read_examples(DataSettings(path=str(bank), tags=str(tags)), NONE)


def test_long_sentences_are_left_out_of_training_but_not_of_development(bank: Path) -> None:
    source = DataSettings(path=str(bank))
    settings = TrainSettings(data=(source,), dev=(source,), max_words=3)
    mix = read_mix(settings)
    assert [len(example.words) for example in mix.train] == [3, 1, 2]
    assert [len(example.words) for example in mix.dev["bank.mrg"]] == [3, 1, 2, 5]
    few = read_mix(settings.model_copy(update={"dev_sentences": 2}))
    assert len(few.dev["bank.mrg"]) == 2


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_mix(TrainSettings(data=(DataSettings(path=str(tmp_path / "none.mrg")),)))


def mix(*sets: tuple[int, float]) -> Mix:
    ends = np.cumsum([size for size, _ in sets]).tolist()
    ranges = [range(end - size, end) for end, (size, _) in zip(ends, sets, strict=True)]
    return Mix([], [(places, weight) for places, (_, weight) in zip(ranges, sets, strict=True)], {})


def test_an_epoch_sees_each_set_as_often_as_its_weight_says() -> None:
    one = mix((10, 1.0), (4, 2.5), (6, 0.5))
    assert one.epoch_size == 10 + 10 + 3
    drawn = one.draw(np.random.default_rng(1))
    assert len(drawn) == one.epoch_size
    counts = np.bincount(drawn, minlength=20)
    assert counts[:10].tolist() == [1] * 10
    assert sorted(counts[10:14].tolist()) == [2, 2, 3, 3]
    assert sorted(counts[14:].tolist()) == [0, 0, 0, 1, 1, 1]


def test_epochs_are_shuffled_and_follow_from_the_generator() -> None:
    one = mix((30, 1.0))
    drawn = [one.draw(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] != sorted(drawn[0])


def test_an_empty_set_draws_nothing() -> None:
    assert mix((0, 2.0), (3, 1.0)).epoch_size == 3
    assert sorted(mix((0, 2.0), (3, 1.0)).draw(np.random.default_rng(1))) == [0, 1, 2]


def test_development_sets_have_the_shortest_names_that_differ(tmp_path: Path) -> None:
    for name in ("a/dev.mrg", "b/dev.mrg", "c/other.mrg"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(TREES, encoding="utf-8")
    names = ("a/dev.mrg", "b/dev.mrg", "c/other.mrg")
    dev = tuple(DataSettings(path=str(tmp_path / name)) for name in names)
    assert list(read_mix(TrainSettings(dev=dev)).dev) == ["a/dev.mrg", "b/dev.mrg", "other.mrg"]


def test_one_file_may_be_several_development_sets(tmp_path: Path) -> None:
    trees, maps, tags = tmp_path / "dev.mrg", tmp_path / "maps.toml", tmp_path / "dev.tags"
    trees.write_text(TREES, encoding="utf-8")
    maps.write_text('[map.a.labels]\nNP = "X"\n[map.b.labels]\nNP = "Y"\n', encoding="utf-8")
    given = [one.tags for one in read_examples(DataSettings(path=str(trees)), NONE)]
    tags.write_text("".join(" ".join(row) + "\n" for row in given), encoding="utf-8")
    sets: list[dict[str, str]] = [{}, {"map": "a"}, {"map": "b"}, {"tags": str(tags)}, {"map": "a"}]
    dev = tuple(DataSettings(path=str(trees), **one) for one in sets)
    found = read_mix(TrainSettings(dev=dev, label_maps=str(maps))).dev
    names = ["dev.mrg", "dev.mrg (a) (1)", "dev.mrg (b)", "dev.mrg (dev.tags)", "dev.mrg (a) (2)"]
    assert list(found) == names
    assert all(len(examples) == len(given) for examples in found.values())


def test_two_parts_of_one_release_are_two_development_sets(tmp_path: Path) -> None:
    for section in ("22", "23"):
        file = tmp_path / section / f"wsj_{section}01.mrg"
        file.parent.mkdir()
        file.write_text(TREES, encoding="utf-8")
    dev = tuple(
        DataSettings(path=str(tmp_path), release="ptb", part=part) for part in ("dev", "test")
    )
    assert list(read_mix(TrainSettings(dev=dev)).dev) == ["dev", "test"]


@given(
    count=st.integers(1, 80),
    size=st.integers(1, 12),
    pool=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_batches_hold_every_drawn_sentence_once(
    count: int, size: int, pool: int, seed: int
) -> None:
    settings = TrainSettings(batch_size=size, bucket_batches=pool)
    order = np.random.default_rng(seed).permutation(count).tolist()
    lengths = [(7 * index) % 23 for index in range(count)]
    batches = pooled_batches(order, lengths, settings, np.random.default_rng(seed))
    assert sorted(index for batch in batches for index in batch) == list(range(count))
    assert len(batches) == math.ceil(count / size)
    assert all(0 < len(batch) <= size for batch in batches)


def test_a_pool_puts_sentences_of_similar_length_together() -> None:
    settings = TrainSettings(batch_size=5, bucket_batches=4)
    order = np.random.default_rng(1).permutation(20).tolist()
    batches = pooled_batches(order, list(range(20)), settings, np.random.default_rng(2))
    assert sorted(map(sorted, batches)) == [
        list(range(first, first + 5)) for first in (0, 5, 10, 15)
    ]
    assert batches != sorted(batches)


def test_functions_are_kept_when_the_recipe_says_so(tmp_path: Path) -> None:
    file = tmp_path / "trees.mrg"
    file.write_text("( (S (NP-SBJ (NN Rain)) (VP (VBZ falls))))\n", encoding="utf-8")
    source = DataSettings(path=str(file))
    (cut,) = read_examples(source, TrainSettings())
    (kept,) = read_examples(source, TrainSettings(keep_functions=True))
    assert [span.label for span in cut.spans] == ["S", "NP", "VP"]
    assert [span.label for span in kept.spans] == ["S", "NP-SBJ", "VP"]
