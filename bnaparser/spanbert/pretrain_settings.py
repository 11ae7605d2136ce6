"""What a pre-training recipe holds: ``[encoder]``, ``[text]``, ``[masking]``, ``[objectives]``, ``[pretrain]``.

Defaults are those of the SpanBERT paper where it states them (3, 4.2, appendix B), but for sizes that ask for
32 GPUs: ``recipes/pretrain/spanbert-base.toml`` has those as printed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from bnaparser.settings import Seed, Settings, Share, read_table, validate
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, check_readable, rules_of

# An empty name would be that of the current folder.
Name = Annotated[str, Field(min_length=1)]
Scheme = Literal["geometric", "words", "subwords", "entities", "noun_phrases", "constituents"]


class NewEncoderSettings(Settings):
    """An encoder from nothing: a Hugging Face architecture, and a tokenizer trained on the text."""

    architecture: str = "bert"
    layers: int = Field(12, gt=0)
    width: int = Field(768, gt=0)
    heads: int = Field(12, gt=0)
    feed_forward_width: int = Field(3072, gt=0)
    vocabulary: int = Field(28_996, gt=100)
    lower_case: bool = False


class PretrainEncoderSettings(Settings):
    """The encoder that is trained on, a folder or hub name; without ``name`` a new one is made."""

    name: str | None = None
    new: NewEncoderSettings = NewEncoderSettings()
    attention: Literal["sdpa", "eager"] | None = None
    dropout: float | None = Field(None, ge=0, lt=1)


class TextSettings(Settings):
    """The text: files, folders or patterns; plain, JSON lines or Parquet, compressed or not.

    In plain text an empty line ends a document, and with ``document = "line"`` each line is one;
    ``field`` names the text of a table's row, each row is a document. ``held_out`` is the share of
    documents that is not trained on. ``block`` is the longest block in subwords, special ones
    included. ``language`` is that of the text, a code of `LANGUAGE_NAMES`: it says where sentences
    end. ``cache`` is the folder that keeps the tokenised text, by default beside the run.
    """

    files: tuple[Name, ...] = ()
    document: Literal["paragraphs", "line"] = "paragraphs"
    field: str = "text"
    language: str = DEFAULT_LANGUAGE
    block: int = Field(512, gt=8)
    held_out: Share = 0.01
    workers: int | None = Field(None, gt=0)
    cache: str | None = None

    _readable = field_validator("language")(check_readable)

    @property
    def finds_words(self) -> bool:
        """Whether the words of the text are not what its tokenizer takes for words: there are no blanks."""
        return rules_of(self.language).needs_words


class MaskingSettings(Settings):
    """What is masked (3.1): the ``scheme``, the ``share`` of subwords, and the lengths of spans.

    Lengths in words are geometric with ``p``, cut off at ``longest``. ``parser`` gives the trees
    for noun phrases and constituents, ``entities`` is the spaCy pipeline that finds names. In a language
    without blanks the one or the other finds the words, too.
    """

    scheme: Scheme = "geometric"
    share: float = Field(0.15, gt=0, lt=1)
    p: float = Field(0.2, gt=0, lt=1)
    longest: int = Field(10, gt=0)
    parser: Name = "en"
    entities: Name = "en_core_web_sm"


class ObjectiveSettings(Settings):
    """What is predicted besides the masked words: span boundaries (3.2), the next sentence (2).

    ``boundary_weight`` weighs the span-boundary objective against the masked words; 0 leaves it
    out. Of a span the first ``boundary_longest`` subwords are predicted from its boundaries.
    ``next_sentence`` reads two segments and predicts whether the second one follows.
    """

    boundary_weight: float = Field(1.0, ge=0)
    boundary_longest: int = Field(15, gt=0)
    boundary_positions: int = Field(200, gt=0)
    next_sentence: bool = False


class PretrainSettings(Settings):
    """How long and how fast. ``batch_size`` is in blocks, ``batch_tokens`` bounds what goes at once.

    ``head_learning_rate`` is that of the heads, by default the encoder's. For ``heads_first`` updates
    the heads alone are trained, and the encoder's warm-up begins after them.
    """

    updates: int = Field(1000, gt=0)
    batch_size: int = Field(16, gt=0)
    batch_tokens: int = Field(4096, gt=0)
    learning_rate: float = Field(1e-4, gt=0)
    head_learning_rate: float | None = Field(None, gt=0)
    betas: tuple[Share, Share] = (0.9, 0.999)
    epsilon: float = Field(1e-8, gt=0)
    weight_decay: float = Field(0.1, ge=0)
    clip_norm: float | None = Field(1.0, gt=0)
    warmup_updates: int = Field(100, ge=0)
    heads_first: int = Field(0, ge=0)
    check_every: int = Field(250, gt=0)
    held_out_blocks: int = Field(200, gt=0)
    precision: Literal["no", "bf16", "fp16"] = "no"
    seed: Seed = 1
    threads: int | None = Field(None, gt=0)

    @model_validator(mode="after")
    def _encoder_has_its_turn(self) -> PretrainSettings:
        if self.heads_first >= self.updates:
            raise ValueError(
                f"heads_first is {self.heads_first} of {self.updates} updates: the encoder would not be trained"
            )
        return self


class PretrainRecipe(Settings):
    """A whole pre-training recipe."""

    encoder: PretrainEncoderSettings = PretrainEncoderSettings()
    text: TextSettings = TextSettings()
    masking: MaskingSettings = MaskingSettings()
    objectives: ObjectiveSettings = ObjectiveSettings()
    pretrain: PretrainSettings = PretrainSettings()

    @model_validator(mode="after")
    def _text_is_named(self) -> PretrainRecipe:
        if not self.text.files:
            raise ValueError("text.files names no text: give files, folders or patterns")
        return self


def load_pretrain_recipe(path: str | Path, overrides: tuple[str, ...] = ()) -> PretrainRecipe:
    """Read a TOML recipe; each override is ``table.key=value`` as TOML writes it.

    Raises DataError when the file cannot be read and SettingsError, naming the key, when a setting
    is unknown or has a value that is not allowed.
    """
    table: dict[str, Any] = read_table(path, overrides)
    return validate(PretrainRecipe, table, str(path))
