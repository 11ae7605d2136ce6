"""Training on from another model: the same network, and rows of labels that stay with their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import SettingsError
from bnaparser.network import storage
from bnaparser.network.decoding import predict
from bnaparser.network.labels import Inventory, LanguageNames
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings, TagSettings
from bnaparser.training.data import Example, read_mix
from bnaparser.training.recipe import DataSettings, Recipe, TrainSettings
from bnaparser.training.run import train
from bnaparser.training.setup import create_from, new_model


@pytest.mark.parametrize("kind", ["bert", None])
def test_the_same_labels_give_the_same_network(
    build_model: Callable[..., BnaModel], examples: list[Example], kind: str
) -> None:
    start = build_model(kind, tagging=TagSettings(predict=True, given=True, hidden_size=8)).eval()
    sentences = [example.words for example in examples[:8]]
    tags = [example.tags for example in examples[:8]]
    before = predict(start, start.prepare(sentences, tags), 500)
    model = create_from(start, start.settings, start.labels, start.tags).eval()
    assert predict(model, model.prepare(sentences, tags), 500) == before


@torch.no_grad()
def test_labels_and_tags_keep_their_weights_by_name(build_model: Callable[..., BnaModel]) -> None:
    start = build_model("bert", tagging=TagSettings(predict=True, given=True, hidden_size=8))
    labels = Inventory.of_labels({*start.labels.names[3:], "NEW", "A"})
    tags = Inventory.of_tags({*start.tags.names[2:], "NEW"})
    model = create_from(start, start.settings, labels, tags)
    for name in set(labels.names) & set(start.labels.names) - {""}:
        mine, theirs = labels.number(name) - 1, start.labels.number(name) - 1
        assert torch.equal(model.scorer.output.weight[mine], start.scorer.output.weight[theirs])
        assert torch.equal(model.scorer.output.bias[mine], start.scorer.output.bias[theirs])
    for name in set(tags.names) & set(start.tags.names):
        mine, theirs = tags.number(name), start.tags.number(name)
        rows = (
            network.get_parameter("tagger.3.weight")[row]
            for network, row in ((model, mine), (start, theirs))
        )
        assert torch.equal(*rows)
        given = model.tag_embedding.weight[mine + 1], start.tag_embedding.weight[theirs + 1]
        assert torch.equal(*given)
    assert torch.equal(model.tag_embedding.weight[0], start.tag_embedding.weight[0])


def test_a_network_of_another_shape_is_refused_by_name(
    build_model: Callable[..., BnaModel],
) -> None:
    start = build_model("bert")
    wider = start.settings.model_copy(
        update={"scorer": start.settings.scorer.model_copy(update={"hidden_size": 32})}
    )
    with pytest.raises(SettingsError, match=r"scorer\.hidden\.weight is 32x32, .* 64x32"):
        create_from(start, wider, start.labels, start.tags)
    tagging = start.settings.model_copy(update={"tags": TagSettings(predict=True)})
    with pytest.raises(SettingsError, match=r"tagger.* in the model to start from none"):
        create_from(start, tagging, start.labels, start.tags)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"layer_types": ("bimsa",)},
            r"its layers\.layer_types is \('bimsa', 'nsa'\), not \('bimsa',\)",
        ),
        (
            {"num_attention_heads": 1, "head_dim": 32},
            r"its layers\.num_attention_heads is 2, not 1",
        ),
        ({"word_shapes": False}, r"it has shape_embedding, which the recipe's network lacks"),
    ],
)
def test_layers_that_the_weights_do_not_tell_apart_are_refused(
    changes: dict[str, Any], said: str, build_model: Callable[..., BnaModel]
) -> None:
    """Layers were left out without a word, and weights of two heads read as those of one."""
    own = build_model().settings.layers.model_copy(update={"word_shapes": True})
    start = build_model(layers=own)
    layers = start.settings.layers.model_copy(update=changes)
    other = start.settings.model_copy(update={"layers": layers})
    with pytest.raises(SettingsError, match=said):
        create_from(start, other, start.labels, start.tags)


def test_tags_and_a_finder_of_words_may_be_left_behind(
    build_model: Callable[..., BnaModel],
) -> None:
    start = build_model(tagging=TagSettings(predict=True, given=True))
    other = start.settings.model_copy(update={"tags": TagSettings()})
    assert not hasattr(create_from(start, other, start.labels, start.tags), "tagger")


def test_another_encoder_than_the_starts_is_refused(build_model: Callable[..., BnaModel]) -> None:
    start = build_model("bert", mix_layers=True)
    for change in ({"name": "another"}, {"attention": "eager"}, {"mix_layers": False}):
        encoder = start.settings.encoder.model_copy(update=change)
        other = start.settings.model_copy(update={"encoder": encoder})
        with pytest.raises(SettingsError, match=f"leave encoder.{next(iter(change))} out"):
            create_from(start, other, start.labels, start.tags)


def test_a_recipe_takes_the_network_over_and_starts_where_it_stood(
    tiny_model_dir: Path, treebank: Path, tmp_path: Path
) -> None:
    source = DataSettings(path=str(treebank))
    recipe = Recipe(
        encoder=EncoderSettings(dropout=0.0),
        train=TrainSettings(
            start=str(tiny_model_dir),
            data=(source,),
            dev=(source,),
            max_steps=1,
            learning_rate=1e-9,
            warmup_steps=0,
            mask_probability=0.1,
            lower_case=0.1,
            threads=1,
        ),
    )
    progress = train(recipe, tmp_path / "run")
    started, ended = storage.load(tiny_model_dir), storage.load(tmp_path / "run/model")
    for name, tensor in started.state_dict().items():
        torch.testing.assert_close(ended.state_dict()[name], tensor, atol=1e-6, rtol=0)
    assert ended.settings.encoder.dropout == 0.0
    assert ended.settings.layers == started.settings.layers
    assert progress.best_f1 > 50


@pytest.fixture
def few_trees(tmp_path: Path) -> str:
    """A file of one tree, with a label and a tag of its own."""
    file = tmp_path / "few.mrg"
    file.write_text("(TOP (NEW (NN dog) (OWN barks)))\n", encoding="utf-8")
    return str(file)


def begun(path: str, languages: tuple[str, ...] = (), **train: Any) -> BnaModel:
    """Return the network of a recipe for a file of trees, the last of the languages."""
    language = languages[-1] if languages else None
    settings = TrainSettings(data=(DataSettings(path=path, language=language),), **train)
    text = {"text": LanguageSettings(languages=languages)} if languages else {}
    return new_model(Recipe(train=settings, **text), read_mix(settings))


def test_labels_and_tags_that_the_new_trees_lack_stay(
    build_model: Callable[..., BnaModel], few_trees: str, tmp_path: Path
) -> None:
    """Some hundred trees of one's own took most labels away from the parser that they were to fit."""
    start = build_model(tagging=TagSettings(predict=True), allow_empty_root=True)
    storage.save(start, tmp_path / "start", "float32", {})
    model = begun(few_trees, start=str(tmp_path / "start"))
    assert set(model.labels.names) == {*start.labels.names, "NEW"}
    assert set(model.tags.names) == {*start.tags.names, "NN", "OWN"}
    assert model.allow_empty_root and not model.by_language


def test_each_language_has_the_names_of_the_start_and_of_its_trees(
    build_model: Callable[..., BnaModel], few_trees: str, tmp_path: Path
) -> None:
    """A language without trees had no names: whatever was parsed ended with a KeyError."""
    start = build_model(tagging=TagSettings(predict=True))
    text = LanguageSettings(languages=("es", "fr"))
    start.settings = start.settings.model_copy(update={"text": text})
    names = {
        language: LanguageNames(
            frozenset(start.labels.names[first::2]), frozenset(start.tags.names[first::2])
        )
        for language, first in (("es", 1), ("fr", 2))
    }
    start.by_language = names
    storage.save(start, tmp_path / "start", "float32", {})
    folder = str(tmp_path / "start")
    model = begun(few_trees, ("es", "fr"), start=folder)
    mine = LanguageNames(names["fr"].labels | {"NEW"}, names["fr"].tags | {"NN", "OWN"})
    assert model.by_language == {"es": names["es"], "fr": mine}
    french = begun(few_trees, ("fr",), start=folder)
    assert set(french.labels.names) == {"", *mine.labels} and not french.by_language
    with pytest.raises(
        SettingsError, match=r"model for es, fr: list the languages to train in text\.languages"
    ):
        begun(few_trees, start=folder)


def test_a_start_of_one_language_has_no_other_whatever_its_trees_are_said_to_be(
    build_model: Callable[..., BnaModel], few_trees: str, tmp_path: Path
) -> None:
    start = build_model(tagging=TagSettings(predict=True))
    text = LanguageSettings(languages=("es",))
    start.settings = start.settings.model_copy(update={"text": text})
    storage.save(start, tmp_path / "start", "float32", {})
    trees = DataSettings(path=few_trees, language="en")  # what a recipe without [text] is for
    settings = TrainSettings(data=(trees,), start=str(tmp_path / "start"))
    model = new_model(Recipe(train=settings), read_mix(settings))
    assert set(model.labels.names) == {*start.labels.names, "NEW"} and not model.by_language


def test_a_language_without_trees_and_names_is_refused(few_trees: str) -> None:
    with pytest.raises(SettingsError, match="no training trees are in es, pt, which text"):
        begun(few_trees, ("es", "pt", "fr"))


def test_masking_needs_a_mask(treebank: Path) -> None:
    settings = TrainSettings(data=(DataSettings(path=str(treebank)),), mask_probability=0.1)
    with pytest.raises(SettingsError, match="mask_probability"):
        new_model(Recipe(train=settings), read_mix(settings))
