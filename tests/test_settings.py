"""Settings: the paper's defaults, errors that name the key, recipes in TOML and overrides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import DataError, SettingsError
from bnaparser.network.model_settings import LayerSettings, ModelSettings
from bnaparser.settings import RENAMED, mistakes, validate
from bnaparser.spanbert.settings import (
    PretrainRecipe,
    PretrainSettings,
    load_pretrain_recipe,
)
from bnaparser.tasks.settings import TaskRecipe, TaskTrainSettings
from bnaparser.training.recipe import Recipe, TrainSettings, load_recipe
from bnaparser.treebanks.label_maps import read_label_map

RECIPE = """
[encoder]
name = "some/encoder"
[layers]
layer_types = ["bimsa", "bimsa", "nsa"]
[train]
learning_rate = 2e-5
data = [{ path = "a.mrg", weight = 0.5 }, { path = "wsj", release = "ptb" }]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_are_the_papers() -> None:
    layers = LayerSettings()
    assert layers.layer_types == ("bimsa", "nsa")
    assert (layers.hidden_size, layers.num_attention_heads, layers.head_dim) == (512, 8, 64)
    assert (layers.intermediate_size, layers.ngrams) == (1024, 4)
    assert (layers.residual_dropout, layers.feed_forward_dropout) == (0.2, 0.2)
    assert layers.attention_dropout == 0.2
    train = Recipe().train
    assert (train.betas, train.eps, train.weight_decay) == ((0.9, 0.98), 1e-9, 0)
    assert (train.warmup_steps, train.max_grad_norm, train.seed) == (160, None, 42)


def test_a_recipe_is_read(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, RECIPE))
    assert recipe.encoder.name == "some/encoder"
    assert recipe.layers.layer_types == ("bimsa", "bimsa", "nsa")
    assert [(d.path, d.weight, d.release) for d in recipe.train.data] == [
        ("a.mrg", 0.5, None),
        ("wsj", 1.0, "ptb"),
    ]
    assert recipe.model_settings() == ModelSettings(encoder=recipe.encoder, layers=recipe.layers)


def test_overrides_win_over_the_file_and_are_written_as_in_toml(tmp_path: Path) -> None:
    recipe = load_recipe(
        write(tmp_path, RECIPE),
        (
            "train.learning_rate=3e-5",
            'layers.layer_types=["nsa"]',
            "encoder.name=bert-base-cased",
            "scorer.hidden_size = 250",
            "train.data=[{path = 'b.mrg'}]",
        ),
    )
    assert recipe.train.learning_rate == 3e-5
    assert recipe.layers.layer_types == ("nsa",)
    assert recipe.encoder.name == "bert-base-cased"
    assert recipe.scorer.hidden_size == 250
    assert [source.path for source in recipe.train.data] == ["b.mrg"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("train.lr=1", r"train\.lr: there is no such setting"),
        ("=1", r"TABLE\.KEY=VALUE"),
        ("trian.seed=1", "trian"),
        ("train.epochs=-1", r"train\.epochs"),
        ("train.epochs=inf", r"train\.epochs"),
        ("train.learning_rate=inf", r"train\.learning_rate"),
        ("train.seed=-1", r"train\.seed"),
        ("train.betas=[2.0, 0.9]", r"train\.betas"),
        ("train.seed", r"TABLE\.KEY=VALUE"),
        ("train.seed.deep=1", "seed"),
        ("train.learning_rate.deep=1", "learning_rate is not a table"),
        ('layers.layer_types=["bimas"]', r"layers\.layer_types\[0\]"),
        ("layers.hidden_size=7", "must be even"),
        ('layers.layer_types=["partitioned"]', 'positions = "concatenate"'),
    ],
)
def test_a_wrong_setting_is_refused_with_its_name(
    tmp_path: Path, override: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        load_recipe(write(tmp_path, RECIPE), (override,))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "train.data=a.mrg",
            'train.data must be a list of tables, such as [{ path = "train.mrg" }]; it is "a.mrg"',
        ),
        ("train.data=[{weight = 2}]", "train.data[0].path is missing: give a string"),
        (
            "train.batch_size=0",
            "train.batch_size must be a whole number, greater than 0, such as 32; it is 0",
        ),
        (
            "train.betas=[1, 0.5]",
            "train.betas[0] must be a number, at least 0 and less than 1, such as 0.5; it is 1",
        ),
        ("tags.predict=often", 'tags.predict must be true or false; it is "often"'),
        ("train.loss=hing", 'train.loss must be one of "hinge", "crf"; it is "hing"'),
        ("train.epochs=inf", "train.epochs must be a finite number"),
        ("train.start=3", "train.start must be a string; it is 3"),
        ("train.noise=3", "train.noise must be a table, such as { capitals = 1.0 }; it is 3"),
        ('train.batch_size="16"', 'a whole number, greater than 0, such as 32; it is "16"'),
        ("train.batch_size=16.0", "a whole number, greater than 0, such as 32; it is 16.0"),
        ('train.epochs="3"', "train.epochs must be a number"),
        ("train.seed=1.0", "train.seed must be a whole number"),
        ("train.seed=true", "train.seed must be a whole number"),
        ('train.betas=["0.5", 0.9]', "train.betas[0] must be a number"),
        ("tags.predict=1", "tags.predict must be true or false"),
        ('tags.predict="yes"', "tags.predict must be true or false"),
        ("layers.layer_types=[1, 2, 3, 4, 5, 6]", 'layers.layer_types[0] must be one of "bimsa"'),
        (
            "train.teacher={a = 1, b = 2, c = 3, d = 4, e = 5}",
            'train.teacher must be a list of strings, such as ["..."]; it is a table of 5',
        ),
        ("train.learning_rte=1", "no such setting; did you mean train.learning_rate?"),
        ("layer.width=8", "layer: there is no such setting; did you mean layers?"),
    ],
)
def test_a_mistake_is_described_in_the_words_of_a_recipe(
    tmp_path: Path, override: str, message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load_recipe(write(tmp_path, RECIPE), (override,))
    assert message in str(caught.value)


@pytest.mark.parametrize("former", RENAMED)
def test_a_former_key_is_an_error_that_names_the_new_one(former: str) -> None:
    *tables, key = former.split(".")
    table: dict[str, Any] = {key: "former"}
    for name in reversed(tables):
        table = {name: table}
    if former.startswith(("train.data", "train.dev")):
        table["train"] = {tables[1]: [table["train"][tables[1]]]}
    messages = []
    for kind in (Recipe, TaskRecipe, PretrainRecipe):
        with pytest.raises(SettingsError) as raised:
            validate(kind, table, "here")
        messages.append(str(raised.value).replace("[0]", ""))
    assert f"here: {former} is called {'.'.join(tables)}.{RENAMED[former]}" in messages


def test_all_former_keys_of_a_recipe_are_named_at_once(tmp_path: Path) -> None:
    overrides = ("train.clip_norm=1.0", "train.seed=-1", "layers.kinds=[]")
    with pytest.raises(SettingsError) as raised:
        load_recipe(write(tmp_path, RECIPE), overrides)
    assert str(raised.value).endswith(
        "run.toml: layers.kinds is called layers.layer_types;"
        " train.clip_norm is called train.max_grad_norm"
    )


def test_one_name_has_one_type_in_all_recipes() -> None:
    """A count of updates in one kind of recipe was a fraction in another."""
    kinds = (TrainSettings, TaskTrainSettings, PretrainSettings)
    fields = [kind.model_fields for kind in kinds]
    for name in {*fields[0], *fields[1], *fields[2]} - {"data", "dev"}:
        types = [field[name].annotation for field in fields if name in field]
        plain = {frozenset(get_args(one) or (one,)) - {NoneType} for one in types}
        assert len(plain) == 1, name
    shared = set(fields[0]) & set(fields[1]) & set(fields[2])
    assert shared >= {"max_steps", "head_learning_rate", "warmup_steps", "warmup_ratio"}
    assert shared >= {"eval_steps", "max_grad_norm", "mixed_precision", "weight_decay"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ngrams": 0}, "LayerSettings: ngrams must be a whole number, greater than 0"),
        ({"ngram": 4}, "LayerSettings: ngram: there is no such setting; did you mean ngrams?"),
    ],
)
def test_settings_made_wrongly_in_python_are_an_error_in_plain_words(
    values: dict[str, Any], message: str
) -> None:
    """The wording was pydantic's: "Input should be greater than 0"."""
    with pytest.raises(SettingsError) as caught:
        LayerSettings(**values)
    assert str(caught.value).startswith(message)


def test_a_long_value_is_cut_in_a_message() -> None:
    with pytest.raises(SettingsError) as caught:
        validate(LayerSettings, {"width": "x" * 100_000}, "here")
    assert len(str(caught.value)) < 300


def test_a_long_value_of_a_request_is_not_written_out_for_its_message() -> None:
    seen = 0

    class Counted(list[int]):
        def __iter__(self) -> Iterator[int]:
            nonlocal seen
            for item in super().__iter__():
                seen += 1
                yield item

    with pytest.raises(ValidationError) as caught:
        LayerSettings.model_validate({"hidden_size": [Counted([1] * 100_000)]})
    [said] = mistakes(caught.value, LayerSettings, in_json=True)
    assert said.endswith("it is [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...")
    assert seen < 2_000


def test_a_long_list_is_validated_up_to_its_first_mistake() -> None:
    with pytest.raises(ValidationError) as caught:
        LayerSettings.model_validate({"layer_types": ["bimas"] * 1000})
    assert caught.value.error_count() == 1


def test_partitioned_layers_need_an_even_feed_forward_width() -> None:
    wrong = {"layer_types": ["partitioned"], "positions": "concatenate", "intermediate_size": 7}
    with pytest.raises(SettingsError, match="intermediate_size"):
        validate(LayerSettings, wrong, "here")


def test_words_from_characters_need_a_width_that_can_be_halved() -> None:
    layers = LayerSettings(hidden_size=6, positions="concatenate")
    with pytest.raises(SettingsError, match="divisible by 4"):
        validate(ModelSettings, {"layers": layers.model_dump()}, "here")
    named = {"layers": layers.model_dump(), "encoder": {"name": "bert"}}
    assert validate(ModelSettings, named, "here").layers.content_width == 3


@pytest.mark.parametrize(
    "setting",
    ["layers=2", 'detokenize="spaces"', "decoder=true", "mix_layers=true", 'attention="sdpa"', "dropout=0.0"],
)  # fmt: skip
def test_what_is_said_of_an_encoder_needs_one(tmp_path: Path, setting: str) -> None:
    """It was read, and nothing was made of it."""
    file, own = write(tmp_path, "[train]\nseed = 1\n"), f"encoder.{setting}"
    key = own.partition("=")[0]
    with pytest.raises(SettingsError, match=f"{key} needs encoder.name"):
        load_recipe(file, (own,))
    load_recipe(file, (own, "encoder.name=bert"))
    load_recipe(file, (own, "train.start=en"))  # which brings an encoder


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = write(tmp_path, RECIPE)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert load_recipe(file) == load_recipe(write(tmp_path, RECIPE))


def test_a_file_that_is_missing_or_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read the recipe .*none\.toml: no such file"):
        load_recipe(tmp_path / "none.toml")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_recipe(write(tmp_path, "[train"))
    file = tmp_path / "latin.toml"
    file.write_bytes("[train]\n# caf\xe9\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"latin.toml, line 2: byte 6 \(0xe9\) is not UTF-8.*1252"):
        load_recipe(file)
    file.write_bytes(b"PK\x03\x04 word/")
    with pytest.raises(DataError, match=r"latin\.toml: this is a Word file, not text"):
        load_recipe(file)


def test_a_recipe_of_another_command_is_told_as_such(tmp_path: Path) -> None:
    """It was "text.languages: there is no such setting; did you mean text.language?"."""
    with pytest.raises(SettingsError, match=r"is a recipe of bnaparser train, .*: it has layers"):
        load_pretrain_recipe(write(tmp_path, RECIPE))
    file = tmp_path / "pretrain.toml"
    file.write_text('[text]\nfiles = ["a.txt"]\n[masking]\nscheme = "spans"\n', encoding="utf-8")
    with pytest.raises(
        SettingsError, match=r"is a recipe of bnaparser pretrain, .*: it has masking"
    ):
        load_recipe(file)


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValueError, match="frozen"):
        EncoderSettings().name = "other"  # type: ignore[misc]


def test_settings_survive_a_round_trip_through_plain_data() -> None:
    settings = ModelSettings(layers=LayerSettings(layer_types=("nsa", "bimsa"), ngrams=2))
    assert validate(ModelSettings, settings.model_dump(mode="json"), "here") == settings


@pytest.mark.parametrize(
    ("name", "dropouts"),
    [("ptb-bert", (0.2, 0.2, 0.2, 0.1)), ("ptb-xlnet", (0.2, 0.2, 0.2, 0.1)),
     ("ptb-characters", (0.2, 0.2, 0.2, 0.1)), ("ctb-bert", (0.1, 0.1, 0.1, 0.2))],
)  # fmt: skip
def test_recipes_have_the_papers_dropout(name: str, dropouts: tuple[float, ...]) -> None:
    """A.1: residual connections, feed-forward layers, attention, and what the layers are given."""
    recipe = load_recipe(Path(__file__).parents[1] / "recipes" / f"{name}.toml")
    layers = recipe.layers
    assert dropouts == (
        layers.residual_dropout, layers.feed_forward_dropout, layers.attention_dropout,
        layers.input_dropout,
    )  # fmt: skip
    assert recipe.encoder.character_dropout == 0.2


def test_the_recipes_that_come_along_are_whole() -> None:
    root = Path(__file__).parents[1]
    recipes = [*root.glob("recipes/*.toml"), *root.glob("recipes/languages/*.toml")]
    for model in ("en", "en-small"):
        recipes += (root / "models" / model).glob("*.toml")
        recipes.remove(root / "models" / model / "pyproject.toml")
    recipes.remove(root / "recipes" / "label_maps.toml")
    assert len(recipes) >= 12
    for recipe in recipes:
        settings = load_recipe(recipe).train
        maps = [part.map for part in (*settings.data, *settings.dev) if part.map is not None]
        for name in maps:
            assert settings.label_maps is not None
            read_label_map(root / settings.label_maps, name)
