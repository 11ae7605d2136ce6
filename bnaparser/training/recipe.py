"""What a recipe file holds: a network's settings and ``[train]``.

Defaults are the paper's where it states them (BNA, 5.2, A.1).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.network.model_settings import ModelSettings
from bnaparser.settings import Seed, Settings, Share, read_table, validate
from bnaparser.training.noise_settings import NoiseSettings


class DataSettings(Settings):
    """One treebank of a training mix: a file, a folder, or a part of an LDC release.

    ``weight`` says how often an epoch sees each of its sentences; ``map`` names a table of the file
    ``train.label_maps``; with ``release`` the path is a release's folder and ``part`` of its
    standard split is read. ``tags`` is a file of tags that a network with ``tags.given`` reads in
    place of the trees' own, as `bnaparser.treebanks.tag_files.read_tags` takes it. ``language`` is
    one of ``text.languages``, where there are several. With ``teacher_alone`` the trees are not trusted:
    their words are read, and ``train.teacher`` says what is right.
    """

    path: str = Field(examples=["train.mrg"])
    weight: float = Field(1.0, gt=0)
    map: str | None = None
    release: Literal["ptb", "ctb"] | None = None
    part: Literal["train", "dev", "test"] = "train"
    tags: str | None = None
    language: str | None = None
    teacher_alone: bool = False


class TrainSettings(Settings):
    """How a model is trained. Sizes are sentences unless the name says tokens (subwords).

    ``batch_tokens`` bounds what goes through the network at once; by default it is what suits the
    device.
    ``loss`` is "hinge", a margin between the gold tree and the worst of all others, or "crf", the gold
    tree's negative log-likelihood at the model's temperature: its scores mean probabilities.
    ``start`` is a model's folder to go on from. ``mask_pieces`` is the share of subwords that
    training hides behind the tokenizer's mask, ``lower_case`` the share of sentences that it reads
    without capitals, and ``noise`` has more of the kind: all make a parser rely less on single words
    and on careful writing.
    ``teacher`` names trained parsers, by name or folder, whose probabilities of constituents and tags are learned beside
    the gold trees; ``teacher_weight`` is their share of the loss, 0.5 where there is none.
    ``words_every`` is how many sentences there are for each whose words are learned to be found.
    ``weight_step`` rounds the weights of large matrices to multiples of this share of their row's root
    mean square, in training and in the stored model, which is about a third as large with 0.9.
    """

    start: str | None = None
    data: tuple[DataSettings, ...] = ()
    dev: tuple[DataSettings, ...] = ()
    label_maps: str | None = None
    merge_repeated: bool = False
    max_words: int = Field(150, gt=0)
    mask_pieces: float = Field(0.0, ge=0, lt=1)
    lower_case: float = Field(0.0, ge=0, le=1)
    noise: NoiseSettings = NoiseSettings()
    dev_sentences: int | None = Field(None, gt=0)
    batch_size: int = Field(32, gt=0)
    batch_tokens: int | None = Field(None, gt=0)
    pool_batches: int = Field(1, gt=0)
    words_every: int = Field(1, gt=0)
    epochs: float = Field(3.0, gt=0)
    max_updates: int | None = Field(None, gt=0)
    loss: Literal["hinge", "crf"] = "hinge"
    teacher: tuple[str, ...] = ()
    teacher_weight: float | None = Field(None, ge=0, le=1)
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
    weight_step: float | None = Field(None, gt=0, le=2)

    @model_validator(mode="after")
    def _rounded_as_stored(self) -> TrainSettings:
        if self.weight_step is not None and self.store != "int8":
            raise ValueError('weight_step needs store = "int8"')
        return self

    @model_validator(mode="after")
    def _taught(self) -> TrainSettings:
        if self.teacher_weight is not None and not self.teacher:
            raise ValueError("teacher_weight needs a teacher")
        for source in self.data:
            if source.teacher_alone and not self.teacher:
                raise ValueError(f"teacher_alone, of {source.path}, needs a teacher")
        for source in self.dev:
            if source.teacher_alone:
                raise ValueError(f"teacher_alone is for training data, {source.path} is in dev")
        return self


class Recipe(ModelSettings):
    """A model and its training: what a recipe file holds."""

    train: TrainSettings = TrainSettings()

    @model_validator(mode="after")
    def _languages(self) -> Recipe:
        known = self.text.languages
        for source in (*self.train.data, *self.train.dev):
            if source.language is None and len(known) > 1:
                raise ValueError(f"{source.path} needs its language, one of {', '.join(known)}")
            if source.language is not None and source.language not in known:
                raise ValueError(f"{source.path} is in {source.language}: add it to text.languages")
        return self

    @model_validator(mode="after")
    def _of_an_encoder(self) -> Recipe:
        """What is said of an encoder needs one: that of ``name``, or of the model to start from."""
        if self.encoder.name is None and self.train.start is None:
            usual = EncoderSettings()
            for key in ("layers", "joined", "decoder", "mix_layers", "attention", "dropout"):
                if getattr(self.encoder, key) != getattr(usual, key):
                    raise ValueError(f"encoder.{key} needs encoder.name: characters have none")
        return self

    def model_settings(self) -> ModelSettings:
        """Return the part of the recipe that a trained model needs."""
        return ModelSettings(
            encoder=self.encoder,
            layers=self.layers,
            scorer=self.scorer,
            tags=self.tags,
            text=self.text,
            chart=self.chart,
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
