"""Training on from another model: the same network, and rows of labels that stay with their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import SettingsError
from bnaparser.network import storage
from bnaparser.network.decoding import predict
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.training.data import Example, read_mix
from bnaparser.training.recipe import DataSettings, Recipe, TrainSettings
from bnaparser.training.run import train
from bnaparser.training.setup import new_model
from bnaparser.training.warm_start import create_from


@pytest.mark.parametrize("kind", ["bert", None])
def test_the_same_labels_give_the_same_network(
    build_model: Callable[..., BnaModel], examples: list[Example], kind: str
) -> None:
    start = build_model(kind, tagging=TagSettings(predict=True, given=True, hidden=8)).eval()
    sentences = [example.words for example in examples[:8]]
    tags = [example.tags for example in examples[:8]]
    before = predict(start, start.prepare(sentences, tags), 500)
    model = create_from(start, start.settings, start.labels, start.tags).eval()
    assert predict(model, model.prepare(sentences, tags), 500) == before


@torch.no_grad()
def test_labels_and_tags_keep_their_weights_by_name(build_model: Callable[..., BnaModel]) -> None:
    start = build_model("bert", tagging=TagSettings(predict=True, given=True, hidden=8))
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
        update={"scorer": start.settings.scorer.model_copy(update={"hidden": 32})}
    )
    with pytest.raises(SettingsError, match=r"scorer\.hidden\.weight is 32x32, .* 64x32"):
        create_from(start, wider, start.labels, start.tags)
    tagging = start.settings.model_copy(update={"tags": TagSettings(predict=True)})
    with pytest.raises(SettingsError, match=r"tagger.* in the model to start from none"):
        create_from(start, tagging, start.labels, start.tags)


def test_another_encoder_than_the_starts_is_refused(build_model: Callable[..., BnaModel]) -> None:
    start = build_model("bert")
    for change in ({"name": "another"}, {"attention": "eager"}):
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
            max_updates=1,
            learning_rate=1e-9,
            warmup_updates=0,
            mask_pieces=0.1,
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


def test_masking_needs_a_mask(treebank: Path) -> None:
    settings = TrainSettings(data=(DataSettings(path=str(treebank)),), mask_pieces=0.1)
    with pytest.raises(SettingsError, match="mask_pieces"):
        new_model(Recipe(train=settings), read_mix(settings))
