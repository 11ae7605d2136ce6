"""Teachers: what they think in the student's labels, what a student learns of them, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bnaparser import Parser, chart
from bnaparser.errors import ModelError, SettingsError
from bnaparser.network import storage
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.training.data import Example
from bnaparser.training.loss import SoftTarget, gold, likelihood_loss, soft_tag_loss, tree_loss
from bnaparser.training.noise import disturbed
from bnaparser.training.recipe import (
    DataSettings,
    NoiseSettings,
    Recipe,
    TrainSettings,
    load_recipe,
)
from bnaparser.training.run import train
from bnaparser.training.setup import create_from, training_sentences
from bnaparser.training.teacher import Teacher, load_teacher
from bnaparser.trees.tree import Span, Tree
from tests.chart import enumeration
from tests.training.test_resuming import KilledError, kill_at

TAGS = TagSettings(predict=True, hidden_size=8)
Build = Callable[..., BnaModel]


def shaken(model: BnaModel, seed: int = 1) -> BnaModel:
    """Return a network that has learned nothing, and is sure of it in its own way."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.3)
    return model.eval()


def with_names(model: BnaModel, labels: list[str], tags: list[str]) -> BnaModel:
    """Return a network with other labels and tags, those of the same name scored as before."""
    return create_from(model, model.settings, Inventory.of_labels(labels), Inventory.of_tags(tags))


def named(target: SoftTarget, model: BnaModel) -> dict[tuple[int, str], float]:
    """The probability of each span with each label, by the place of the span."""
    trees = target.trees
    places = zip(trees.rows.tolist(), trees.columns.tolist(), strict=True)
    return {
        (row, model.labels.names[column]): value
        for (row, column), value in zip(places, trees.values.tolist(), strict=True)
    }


def example(*words: str, ignore_gold: bool = False) -> Example:
    tags = ("XX",) * len(words)
    tree = Tree.from_spans(words, tags, [Span(0, len(words), "S")])
    return Example(tree, words, tags, tuple(tree.spans()), tags, ignore_gold=ignore_gold)


def test_the_students_own_weights_as_a_teacher_teach_nothing(
    build_model: Build, examples: list[Example], tmp_path: Path
) -> None:
    model = shaken(build_model("bert", tagging=TAGS))
    model.settings = model.settings.at_temperature(0.6)
    storage.save(model, tmp_path / "same", "float32", {})
    teacher = Teacher(load_teacher([str(tmp_path / "same")], "cpu"), model, 1.0)
    batch = examples[:6]
    soft = teacher.targets(batch)
    encoded = model.encode(model.prepare([one.words for one in batch]))
    golds = [gold(one.spans, one.tags, model.labels, model.tags) for one in batch]
    largest = []
    for loss in (
        tree_loss(model, encoded, golds, soft, "hinge")
        + soft_tag_loss(model, encoded, golds, soft),
        likelihood_loss(model, encoded, golds),
    ):
        grads = torch.autograd.grad(
            loss, list(model.parameters()), retain_graph=True, allow_unused=True
        )
        largest.append(max(float(one.abs().max()) for one in grads if one is not None))
    assert largest[0] < 1e-3 * largest[1]


def test_labels_are_matched_by_name_over_trees_that_the_student_may_give(
    build_model: Build, tmp_path: Path
) -> None:
    """A label that the student lacks was no constituent: the whole sentence then had none."""
    base = shaken(build_model(tagging=TAGS), 3)
    known, tags = list(base.labels.names[1:]), list(base.tags.names)
    theirs = with_names(base, known[:5], tags[:4])
    theirs.settings = theirs.settings.at_temperature(1.7)
    mine = with_names(base, ["NEW", *known[2:]], ["NEW", *tags[1:]])
    storage.save(theirs, tmp_path / "theirs", "float32", {})
    teacher = Teacher(load_teacher([str(tmp_path / "theirs")], "cpu"), mine, 0.5)
    (target,) = teacher.targets([example("It", "rained", ".")])
    assert target.weight == 0.5
    parser = Parser.load(tmp_path / "theirs", "cpu")
    with torch.no_grad():
        encoded = parser.model.encode(parser.model.prepare([["It", "rained", "."]]))
        scores, of_tags = parser.model.all_scores(encoded), parser.model.all_tag_scores(encoded)
    shared = [name for name in theirs.labels.names[1:] if name in mine.labels]
    assert 0 < len(shared) < len(theirs.labels) - 1
    columns = [0, *map(theirs.labels.number, shared)]
    trees = enumeration.all_trees(scores[:, columns].tolist(), 3)
    expected = {
        (int(chart.span_index(start, end, 3)), shared[label - 1]): chance
        for (start, end, label), chance in enumeration.probabilities(trees, 1.7).items()
    }
    found = named(target, mine)
    assert sum(found[2, name] for name in shared) == pytest.approx(1, abs=1e-3)
    for place, chance in expected.items():
        assert found.get(place, 0.0) == pytest.approx(chance, abs=1e-4)
    chances = torch.from_numpy(of_tags).softmax(-1).numpy()[:, 1:]  # the student has not the first
    dense = np.zeros((3, len(mine.tags)), np.float32)
    dense[target.tags.rows, target.tags.columns] = target.tags.values
    names = [mine.tags.number(name) for name in theirs.tags.names[1:]]
    np.testing.assert_allclose(
        dense[:, names], chances / chances.sum(axis=1, keepdims=True), atol=1e-4
    )
    assert not dense[:, mine.tags.number("NEW")].any()


def test_several_parsers_teach_the_mean_of_their_scores(
    build_model: Build, examples: list[Example], tmp_path: Path
) -> None:
    models = [
        shaken(build_model(kind, tagging=TAGS), seed)
        for seed, kind in enumerate(("bert", "roberta"))
    ]
    for number, model in enumerate(models):
        storage.save(model, tmp_path / str(number), "float32", {})
    names = [str(tmp_path / str(number)) for number in range(2)]
    student = models[0]
    (target,) = Teacher(load_teacher(names, "cpu"), student, 1.0).targets(examples[:1])
    words = examples[0].words
    with torch.no_grad():
        first, second = (one.all_scores(one.encode(one.prepare([words]))) for one in models)
    mean = ((first + second) / 2).astype(np.float32)
    found = chart.marginals(mean, len(words)).probabilities
    dense = np.zeros_like(found)
    dense[target.trees.rows, target.trees.columns] = target.trees.values
    np.testing.assert_allclose(dense[:, 1:], found[:, 1:], atol=2e-3)


def test_a_teacher_of_several_languages_reads_each_in_its_own(two_languages_dir: Path) -> None:
    student = storage.load(two_languages_dir)
    teacher = Teacher(load_teacher([str(two_languages_dir)], "cpu"), student, 0.5)
    languages = student.settings.text.languages
    assert len(languages) == 2
    one = example("a", "b", "c")
    targets = teacher.targets([replace(one, language=language) for language in languages])
    for language, target in zip(languages, targets, strict=True):
        labels = {name for _, name in named(target, student)}
        assert labels and labels <= student.by_language[language].labels


def test_what_is_thought_of_a_sentence_is_the_same_in_any_batch_and_kept(
    tiny_model_dir: Path, build_model: Build, examples: list[Example]
) -> None:
    student = build_model(tagging=TAGS)
    networks = load_teacher([str(tiny_model_dir)], "cpu")
    teacher, forgetful = (Teacher(networks, student, 0.5) for _ in range(2))
    forgetful.free_bytes = 0
    together = teacher.targets(examples)
    again = teacher.targets([replace(examples[3], ignore_gold=True)])[0]
    assert again.trees is together[3].trees and (again.weight, together[3].weight) == (1.0, 0.5)
    for place in (0, 3, 17):
        (alone,) = forgetful.targets([examples[place]])
        assert alone.trees is not together[place].trees
        for one, other in (
            (alone.trees, together[place].trees),
            (alone.tags, together[place].tags),
        ):
            assert np.array_equal(one.rows, other.rows)
            assert np.array_equal(one.columns, other.columns)
            assert np.array_equal(one.values, other.values)


def agreement(student: Path, teacher: Path, examples: list[Example]) -> tuple[float, float]:
    """The shares of the teacher's constituents, and of its tags, that the student finds, too."""
    words = [one.words for one in examples]
    mine, theirs = (Parser.load(one, "cpu").parse_many(words) for one in (student, teacher))
    found = wanted = tags = 0
    for one, other in zip(mine, theirs, strict=True):
        right = {span[:3] for span in other.spans}
        found, wanted = found + len(right & {span[:3] for span in one.spans}), wanted + len(right)
        tags += sum(map(str.__eq__, one.tags, other.tags))
    return found / wanted, tags / sum(map(len, words))


def test_a_student_of_a_teacher_alone_comes_to_agree_with_it(
    recipe: Callable[..., Recipe],
    tiny_model_dir: Path,
    tmp_path: Path,
    examples: list[Example],
) -> None:
    """Its trees are wrong: what is right is the teacher's to say."""
    wrong = tmp_path / "wrong.mrg"
    labels = sorted({span.label for one in examples for span in one.spans})
    with wrong.open("w", encoding="utf-8") as file:
        for one, label in zip(examples, cycle(labels), strict=False):
            whole = Span(0, len(one.words), label)
            print(Tree.from_spans(one.words, one.tags[::-1], [whole]), file=file)
    source = DataSettings(path=str(wrong), ignore_gold=True)
    own = recipe(
        tags=TAGS,
        max_steps=200,
        teacher=(str(tiny_model_dir),),
        data=(source,),
        dev=(),
        early_stopping_epochs=None,
        evals_per_epoch=0.02,
    )
    train(own, tmp_path / "run")
    spans, tags = agreement(tmp_path / "run/model", tiny_model_dir, examples)
    assert spans > 0.7 and tags > 0.8


@pytest.mark.parametrize("kind", ["compiled", "characters"])
def test_a_killed_student_ends_as_if_nothing_had_happened(
    recipe: Callable[..., Recipe], tiny_model_dir: Path, build_model: Build, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, kind: str,
) -> None:  # fmt: skip
    teacher = tiny_model_dir
    if kind == "characters":  # which PyTorch computes, and nothing is kept
        teacher = tmp_path / "teacher"
        storage.save(shaken(build_model(tagging=TAGS)), teacher, "float32", {})
    noise = NoiseSettings(no_final_mark=0.3, emoji=0.3, typing_errors=0.5, capitals=0.2)
    own = recipe(tags=TAGS, max_steps=9, loss="crf", teacher=(str(teacher),), noise=noise)
    train(own, tmp_path / "whole")
    with monkeypatch.context() as patch:
        kill_at(patch, 6)
        with pytest.raises(KilledError):
            train(own, tmp_path / "killed")
    resumed = train(own, tmp_path / "killed")
    assert resumed.update == 9 and all(math.isfinite(row["loss"]) for row in resumed.history)
    one, other = (
        load_file(tmp_path / name / "checkpoint/model.safetensors") for name in ("whole", "killed")
    )
    assert one.keys() == other.keys()
    assert all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def test_a_teacher_changes_what_is_learned_and_a_weight_of_0_does_not(
    recipe: Callable[..., Recipe], tiny_model_dir: Path, tmp_path: Path
) -> None:
    losses = {}
    settings: dict[str, dict[str, Any]] = {
        "none": {},
        "zero": {"teacher": (str(tiny_model_dir),), "teacher_weight": 0.0},
        "half": {"teacher": (str(tiny_model_dir),)},
    }
    for name, own in settings.items():
        progress = train(recipe(tags=TAGS, max_steps=2, **own), tmp_path / name)
        losses[name] = progress.history[-1]["loss"]
    assert losses["zero"] == pytest.approx(losses["none"], rel=1e-4)
    assert losses["half"] != pytest.approx(losses["none"], rel=1e-2)


def test_what_is_no_teacher_is_refused(
    build_model: Build, tiny_model_dir: Path, two_languages_dir: Path, tmp_path: Path
) -> None:
    student = build_model(tagging=TAGS)
    with pytest.raises(ModelError, match=r"^train\.teacher: no model 'nobody'"):
        load_teacher(["nobody"], "cpu")
    storage.save(build_model(tagging=TagSettings(given=True)), tmp_path / "reads", "float32", {})
    with pytest.raises(
        SettingsError, match=r"^train\.teacher: .*reads needs part-of-speech tags as input"
    ):
        load_teacher([str(tmp_path / "reads")], "cpu")
    other = load_teacher([str(two_languages_dir)], "cpu")
    with pytest.raises(SettingsError, match=r"^train\.teacher: .* is for .*, not for en$"):
        Teacher(other, student, 0.5)
    tiny = load_teacher([str(tiny_model_dir)], "cpu")
    with pytest.raises(
        SettingsError, match=r"^train\.teacher predicts tags.*set tags\.predict = true$"
    ):
        Teacher(tiny, build_model(), 0.5)
    storage.save(build_model(), tmp_path / "untagged", "float32", {})
    with pytest.raises(SettingsError, match=r"^train\.teacher: .*untagged predicts no tags"):
        Teacher(load_teacher([str(tmp_path / "untagged")], "cpu"), student, 0.5)
    with pytest.raises(SettingsError, match=r"^train\.teacher has none of the labels"):
        Teacher(tiny, with_names(student, ["NEW"], list(student.tags.names)), 0.5)


def test_settings_that_need_a_teacher_say_so(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('[train]\ndata = [{ path = "a.mrg" }]\n', encoding="utf-8")
    for override, message in {
        "train.teacher_weight=0.5": "teacher_weight needs a teacher",
        'train.data=[{ path = "a.mrg", ignore_gold = true }]': "ignore_gold, of a.mrg, needs a teacher",
        'train.dev=[{ path = "a.mrg", ignore_gold = true }]': "ignore_gold is for training data, but a.mrg",
    }.items():
        with pytest.raises(SettingsError, match=message):
            load_recipe(file, (override,))
    with pytest.raises(
        SettingsError, match=r"train\.teacher_weight must be a number, at least 0 and at most 1"
    ):
        load_recipe(file, ('train.teacher=["en"]', "train.teacher_weight=2"))
    assert load_recipe(file, ('train.teacher=["en"]',)).train.teacher == ("en",)


def test_sentences_that_noise_changed_are_still_the_teachers_alone(
    build_model: Build, examples: list[Example]
) -> None:
    """Their silver trees were learned as if they were gold."""
    model = build_model(tagging=TAGS)
    batch = training_sentences(model, [replace(one, ignore_gold=True) for one in examples[:8]])
    noise = NoiseSettings(no_final_mark=1.0, emoji=1.0)
    changed = disturbed(model, batch, TrainSettings(noise=noise), np.random.default_rng(1))
    assert any(
        one.example.words != other.example.words for one, other in zip(batch, changed, strict=True)
    )
    assert all(one.example.ignore_gold for one in changed)
