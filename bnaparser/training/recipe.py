"""What a recipe file holds: a network's settings, ``[train]`` and ``[train.noise]``.

Defaults are the paper's where it states them (BNA, 5.2, A.1).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import DataError
from bnaparser.network.model_settings import ModelSettings
from bnaparser.settings import Fraction, Seed, Settings, check_command, read_table, validate


class NoiseSettings(Settings):
    """Data augmentation: the fraction of training sentences with each kind of noise.

    Each kind is drawn independently.
    """

    capitals: float = Field(0.0, ge=0, le=1)
    """ALL IN CAPITALS."""
    title_case: float = Field(0.0, ge=0, le=1)
    """Each Word With a Capital."""
    no_final_mark: float = Field(0.0, ge=0, le=1)
    """Without the period, question mark or exclamation mark at the end."""
    typing_errors: float = Field(0.0, ge=0, le=1)
    """Letters of some words swapped, doubled, left out, or replaced by their neighbours on the keyboard."""
    other_marks: float = Field(0.0, ge=0, le=1)
    """Quotation marks, brackets, dashes and apostrophes of other languages and programs."""
    emoji: float = Field(0.0, ge=0, le=1)
    """An emoji or a smiley at the end."""
    links: float = Field(0.0, ge=0, le=1)
    """A name becomes a link, an e-mail address or an ``@account``."""
    hashtags: float = Field(0.0, ge=0, le=1)
    """Nouns with a ``#``."""


class DataSettings(Settings):
    """One treebank of ``train.data`` or ``train.dev``: a file, a folder, or a part of an LDC release."""

    path: str = Field(examples=["train.mrg"])
    """File or folder of bracketed trees, or the folder of a release."""
    weight: float = Field(1.0, gt=0)
    """How often a sentence occurs in an epoch. With a fraction, sentences are drawn again for each epoch."""
    map: str | None = None
    """Name of a label map in the file ``train.label_maps``."""
    release: Literal["ptb", "ctb"] | None = None
    """LDC release of which the standard split is read: Penn Treebank (LDC99T42) or Chinese Treebank 5.1 (LDC2005T01).
    """
    part: Literal["train", "dev", "test"] = "train"
    """Part of the release."""
    tags: str | None = None
    """File of part-of-speech tags. A network with ``tags.given`` reads these tags, not the tags in the trees."""
    language: str | None = None
    """Language of the trees. Needed where ``text.languages`` has several."""
    ignore_gold: bool = False
    """Do not learn from these trees, only from what ``train.teacher`` predicts for their words."""


class TrainSettings(Settings):
    """Data, length, optimizer and evaluation of a training.

    Sizes are sentences unless the name says tokens (subwords).
    """

    start: str | None = None
    """Name or folder of a parser to fine-tune. Left out: train from a pre-trained encoder."""
    data: tuple[DataSettings, ...] = ()
    """Treebanks to train on, a list of tables (see `[[train.data]]`)."""
    dev: tuple[DataSettings, ...] = ()
    """Treebanks that choose the best model, a list of tables like ``data``. Empty: the last model is kept."""
    label_maps: str | None = None
    """TOML file of label maps, such as `recipes/label_maps.toml`."""
    keep_functions: bool = False
    """Keep functions in labels, such as ``NP-SBJ``, or ``NP-SB`` from the edges of NEGRA export and TIGER-XML: the
    parser learns and predicts them.
    """
    max_words: int = Field(150, gt=0)
    """Leave longer training sentences out."""
    mask_probability: float = Field(0.0, ge=0, lt=1)
    """Fraction of subwords that is masked in training. Regularises."""
    lower_case: float = Field(0.0, ge=0, le=1)
    """Fraction of training sentences that is lower-cased. Regularises."""
    noise: NoiseSettings = NoiseSettings()
    """Data augmentation (see `[train.noise]`)."""
    dev_sentences: int | None = Field(None, gt=0)
    """Use only the first N sentences of each development set. Left out: all."""
    batch_size: int = Field(32, gt=0)
    """Sentences of an update."""
    batch_tokens: int | None = Field(None, gt=0)
    """Maximum number of subwords that go through the network at once; a batch is cut into such parts. Left out: what suits the
    device.
    """
    bucket_batches: int = Field(1, gt=0)
    """Sort this many batches together by length before they are cut: less padding, but less variety in a batch."""
    segmentation_every: int = Field(1, gt=0)
    """Train the head of ``text.segment_words`` on every N-th sentence."""
    epochs: float = Field(3.0, gt=0)
    """Length of the training in epochs, if ``max_steps`` is left out."""
    max_steps: int | None = Field(None, gt=0)
    """Length of the training in steps: updates of the weights."""
    loss: Literal["hinge", "crf"] = "hinge"
    """"hinge": the paper's margin between the gold tree and the tree that violates the margin most. "crf": the gold
    tree's negative log-likelihood.
    """
    teacher: tuple[str, ...] = ()
    """Names or folders of parsers whose probabilities are learned in addition to the gold trees (knowledge distillation)."""
    teacher_weight: float | None = Field(None, ge=0, le=1)
    """Weight of the teachers in the loss of a sentence with a gold tree. Left out: 0.5."""
    learning_rate: float = Field(5e-5, gt=0)
    """Highest learning rate of the encoder, and of the rest where ``head_learning_rate`` is left out."""
    head_learning_rate: float | None = Field(None, gt=0)
    """Highest learning rate of all layers above the encoder."""
    betas: tuple[Fraction, Fraction] = (0.9, 0.98)
    """Betas of AdamW."""
    eps: float = Field(1e-9, gt=0)
    """Epsilon of AdamW."""
    weight_decay: float = Field(0.0, ge=0)
    """Weight decay of AdamW."""
    max_grad_norm: float | None = Field(None, gt=0)
    """Clip the norm of the gradient to this value. Left out: no clipping."""
    warmup_steps: int = Field(160, ge=0)
    """Steps in which the learning rate rises from 0."""
    warmup_ratio: float | None = Field(None, ge=0, lt=1)
    """Fraction of the steps in which the learning rate rises, in place of ``warmup_steps``."""
    lr_scheduler_type: Literal["linear", "constant_with_warmup", "reduce_lr_on_plateau"] = (
        "reduce_lr_on_plateau"
    )
    """The learning rate after the warm-up: "linear", down to 0 at the end; "constant_with_warmup"; or
    "reduce_lr_on_plateau", lowered where evaluations do not improve.
    """
    plateau_patience: int = Field(20, gt=0)
    """Evaluations without a better score before "reduce_lr_on_plateau" lowers the learning rate."""
    plateau_factor: float = Field(0.5, gt=0, lt=1)
    """Factor by which "reduce_lr_on_plateau" lowers the learning rate."""
    early_stopping_epochs: float | None = Field(18.0, gt=0)
    """End the training after this many epochs without a better development score."""
    evals_per_epoch: float = Field(4.0, gt=0)
    """How often in an epoch the development sets are scored and a checkpoint is written."""
    eval_steps: int | None = Field(None, gt=0)
    """Score the development sets and write a checkpoint every N steps. Left out: as ``evals_per_epoch`` says."""
    mixed_precision: Literal["no", "bf16", "fp16"] = "no"
    """Mixed precision. "bf16" is faster on GPUs, and on processors with AMX or AVX-512 BF16 (Zen 4)."""
    seed: Seed = 42
    """Seed of everything random."""
    threads: int | None = Field(None, gt=0)
    """Number of CPU threads. Left out: OMP_NUM_THREADS, or all cores."""
    store: Literal["float32", "float16", "int8"] = "float32"
    """Number format of the stored weights."""
    qat_step: float | None = Field(None, gt=0, le=2)
    """Round the weights to multiples of this fraction of their row's root mean square, in training and in the stored
    model. With 0.9 the model is about a third as large. Needs ``store = "int8"``.
    """

    @model_validator(mode="after")
    def _rounded_as_stored(self) -> TrainSettings:
        if self.qat_step is not None and self.store != "int8":
            raise ValueError('qat_step needs store = "int8"')
        return self

    @model_validator(mode="after")
    def _taught(self) -> TrainSettings:
        if self.teacher_weight is not None and not self.teacher:
            raise ValueError("teacher_weight needs a teacher")
        for source in self.data:
            if source.ignore_gold and not self.teacher:
                raise ValueError(f"ignore_gold, of {source.path}, needs a teacher")
        for source in self.dev:
            if source.ignore_gold:
                raise ValueError(
                    f"ignore_gold is for training data, but {source.path} is in train.dev"
                )
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
                raise ValueError(
                    f"{source.path} has the language {source.language}: add this language to text.languages"
                )
        return self

    @model_validator(mode="after")
    def _of_an_encoder(self) -> Recipe:
        """Settings of an encoder need an encoder: that of ``name``, or of the model to start from."""
        if self.encoder.name is None and self.train.start is None:
            usual = EncoderSettings()
            for key in ("layers", "detokenize", "decoder", "mix_layers", "attention", "dropout"):
                if getattr(self.encoder, key) != getattr(usual, key):
                    raise ValueError(
                        f"encoder.{key} needs encoder.name: a character encoder has no such setting"
                    )
        return self

    def check_data(self) -> None:
        """Raise DataError if the recipe names no training trees."""
        if not self.train.data:
            raise DataError(
                'the recipe names no training trees: set train.data, such as [{ path = "train.mrg" }]'
            )

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
    """Read the recipe of a parser from a TOML file.

    Args:
        path: the file.
        overrides: settings that replace those of the file, each as ``table.key=value`` with the value as in TOML.

    Returns:
        The validated recipe.

    Raises:
        DataError: the file cannot be read.
        SettingsError: a setting is unknown or has an invalid value; the message names its key.

    Example:
        >>> from bnaparser.training.recipe import load_recipe
        >>> load_recipe("recipes/tiny.toml", ("train.seed=2",)).train.seed
        2
    """
    table = read_table(path, overrides)
    check_command(table, str(path), "train")
    return validate(Recipe, table, str(path))
