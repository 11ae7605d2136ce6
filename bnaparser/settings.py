"""Every setting of a model and of its training: typed, validated, read from TOML.

One table per part, named as in the code: ``[encoder]``, ``[layers]``, ``[scorer]``, ``[tags]``,
``[train]``. Unknown keys are errors. Defaults are the paper's where it states them (BNA, 5.2, A.1).
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bnaparser.errors import DataError, SettingsError

T = TypeVar("T", bound=BaseModel)
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Share = Annotated[float, Field(ge=0, lt=1)]
LayerKind = Literal["bimsa", "nsa", "self_attention", "partitioned"]


class Settings(BaseModel):
    """Base of all tables: immutable, and a key that is not a setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class EncoderSettings(Settings):
    """Where word vectors come from: a Hugging Face encoder, or characters where ``name`` is None."""

    name: str | None = None
    mix_layers: bool = False
    attention: Literal["sdpa", "eager"] | None = None
    dropout: float | None = Field(None, ge=0, lt=1)
    character_width: int = Field(64, gt=0)
    character_dropout: float = Field(0.2, ge=0, lt=1)


class LayerSettings(Settings):
    """The layers between word vectors and span scores, in order, and their common sizes."""

    kinds: tuple[LayerKind, ...] = ("bimsa", "nsa")
    width: int = Field(512, gt=0)
    heads: int = Field(8, gt=0)
    head_width: int = Field(64, gt=0)
    feed_forward_width: int = Field(1024, gt=0)
    ngrams: int = Field(4, gt=0)
    positions: Literal["add", "concatenate"] = "add"
    max_positions: int = Field(512, gt=2)
    activation: Literal["leaky_relu", "relu", "gelu"] = "leaky_relu"
    residual_dropout: float = Field(0.2, ge=0, lt=1)
    feed_forward_dropout: float = Field(0.2, ge=0, lt=1)
    attention_dropout: float = Field(0.2, ge=0, lt=1)
    input_dropout: float = Field(0.0, ge=0, lt=1)

    @model_validator(mode="after")
    def _halves(self) -> LayerSettings:
        if self.width % 2 or self.head_width % 2:
            raise ValueError("width and head_width must be even: both are split into two halves")
        if "partitioned" in self.kinds:
            if self.positions != "concatenate":
                raise ValueError('partitioned layers need positions = "concatenate"')
            if self.feed_forward_width % 2:
                raise ValueError("partitioned layers need an even feed_forward_width")
        return self

    @property
    def content_width(self) -> int:
        """Features of a word before positions are added, or put beside them."""
        return self.width // 2 if self.positions == "concatenate" else self.width


class ScorerSettings(Settings):
    """The span scorer: linear, norm, ReLU, linear."""

    hidden: int = Field(256, gt=0)


class TagSettings(Settings):
    """Part-of-speech tags: predicted beside the tree, and given as input or not."""

    predict: bool = False
    given: bool = False
    hidden: int = Field(256, gt=0)
    loss_weight: float = Field(5.0, ge=0)


class ModelSettings(Settings):
    """All that is needed to build a network, and so all that is stored beside its weights."""

    encoder: EncoderSettings = EncoderSettings()
    layers: LayerSettings = LayerSettings()
    scorer: ScorerSettings = ScorerSettings()
    tags: TagSettings = TagSettings()

    @model_validator(mode="after")
    def _directions(self) -> ModelSettings:
        if self.encoder.name is None and self.layers.content_width % 2:
            raise ValueError(
                "layers.width must be divisible by 4: words from characters are half it"
            )
        return self


class DataSettings(Settings):
    """One treebank of a training mix: a file, a folder, or a part of an LDC release.

    ``weight`` says how often a pass sees each of its sentences; ``map`` names a table of the file
    ``train.label_maps``; with ``release`` the path is a release's folder and ``part`` of its
    standard split is read.
    """

    path: str
    weight: float = Field(1.0, gt=0)
    map: str | None = None
    release: Literal["ptb", "ctb"] | None = None
    part: Literal["train", "dev", "test"] = "train"


class TrainSettings(Settings):
    """How a model is trained. Sizes are sentences unless the name says tokens (word pieces).

    ``batch_tokens`` bounds what goes through the network at once; by default it is what suits the
    device.
    ``start`` is a model's folder to go on from. ``mask_pieces`` is the share of word pieces that
    training hides behind the tokenizer's mask, ``lower_case`` the share of sentences that it reads
    without capitals: both make a parser rely less on single words and on careful writing.
    """

    start: str | None = None
    data: tuple[DataSettings, ...] = ()
    dev: tuple[DataSettings, ...] = ()
    label_maps: str | None = None
    merge_repeated: bool = False
    max_words: int = Field(150, gt=0)
    mask_pieces: float = Field(0.0, ge=0, lt=1)
    lower_case: float = Field(0.0, ge=0, le=1)
    dev_sentences: int | None = Field(None, gt=0)
    batch_size: int = Field(32, gt=0)
    batch_tokens: int | None = Field(None, gt=0)
    pool_batches: int = Field(1, gt=0)
    epochs: float = Field(3.0, gt=0)
    max_updates: int | None = Field(None, gt=0)
    learning_rate: float = Field(5e-5, gt=0)
    head_learning_rate: float | None = Field(None, gt=0)
    betas: tuple[Share, Share] = (0.9, 0.98)
    epsilon: float = Field(1e-9, gt=0)
    weight_decay: float = Field(0.0, ge=0)
    clip_norm: float | None = Field(None, gt=0)
    warmup_updates: int = Field(160, ge=0)
    schedule: Literal["constant", "plateau", "linear"] = "plateau"
    plateau_checks: int = Field(20, gt=0)
    plateau_factor: float = Field(0.5, gt=0, lt=1)
    stop_after_epochs: float | None = Field(18.0, gt=0)
    checks_per_epoch: float = Field(4.0, gt=0)
    average_decay: float | None = Field(None, gt=0, lt=1)
    precision: Literal["no", "bf16", "fp16"] = "no"
    seed: Seed = 42
    threads: int | None = Field(None, gt=0)
    store: Literal["float32", "float16", "int8"] = "float32"


class Recipe(ModelSettings):
    """A model and its training: what a recipe file holds."""

    train: TrainSettings = TrainSettings()

    def model_settings(self) -> ModelSettings:
        """Return the part of the recipe that a trained model needs."""
        return ModelSettings(
            encoder=self.encoder, layers=self.layers, scorer=self.scorer, tags=self.tags
        )

    def model_settings_over(self, base: ModelSettings) -> ModelSettings:
        """Return the settings of a model with those on top that the recipe states itself."""
        tables = base.model_dump()
        stated = self.model_dump(exclude_unset=True, exclude={"train"})
        for name, table in stated.items():
            tables[name].update(table)
        return validate(ModelSettings, tables, "the recipe with train.start")


def load_recipe(path: str | Path, overrides: tuple[str, ...] = ()) -> Recipe:
    """Read a TOML recipe; each override is ``table.key=value`` with the value as TOML writes it.

    Raises DataError when the file cannot be read and SettingsError, naming the key, when a setting
    is unknown or has a value that is not allowed.
    """
    return validate(Recipe, read_table(path, overrides), str(path))


def read_table(path: str | Path, overrides: tuple[str, ...] = ()) -> dict[str, Any]:
    """Read a TOML recipe as plain data, with the overrides of `load_recipe`; raises as it does."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"cannot read the recipe {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    for override in overrides:
        _apply_override(table, override)
    return table


def validate(kind: type[T], table: Any, source: str) -> T:
    """Build settings of a kind from plain data; SettingsError names the first key that is wrong."""
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "settings"
        unknown = first["type"] == "extra_forbidden"
        message = "there is no such setting" if unknown else first["msg"]
        raise SettingsError(f"{source}: {key}: {message}") from error


def _apply_override(table: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise SettingsError(f"--set {override}: write it as table.key=value")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *parents, last = key.strip().split(".")
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise SettingsError(f"--set {override}: {parent} is not a table")
    table[last] = value
