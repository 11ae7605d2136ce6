"""What a pre-training recipe holds: ``[encoder]``, ``[text]``, ``[masking]``, ``[objectives]``, ``[pretrain]``.

Defaults are those of the SpanBERT paper where it states them (3, 4.2, appendix B), except sizes that need
32 GPUs: ``recipes/pretrain/spanbert-large.toml`` has those as printed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from bnaparser.settings import Fraction, Seed, Settings, check_command, read_table, validate
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, check_readable, rules_of

# An empty name would be that of the current folder.
Name = Annotated[str, Field(min_length=1)]
Scheme = Literal["geometric", "words", "subwords", "entities", "noun_phrases", "constituents"]


class NewEncoderSettings(Settings):
    """An encoder from scratch: a Hugging Face architecture, and a WordPiece tokenizer trained on the text.

    Used where ``encoder.name`` is left out.
    """

    model_type: str = "bert"
    """Model type of the Hugging Face library."""
    num_hidden_layers: int = Field(12, gt=0)
    """Number of layers."""
    hidden_size: int = Field(768, gt=0)
    """Size of the hidden vectors."""
    num_attention_heads: int = Field(12, gt=0)
    """Attention heads of a layer."""
    intermediate_size: int = Field(3072, gt=0)
    """Size of the hidden layer of the feed-forward network."""
    vocab_size: int = Field(28_996, gt=100)
    """Subwords of the vocabulary."""
    do_lower_case: bool = False
    """Read text in lower case."""


class PretrainEncoderSettings(Settings):
    """The encoder that is pre-trained further, or a new one. It differs from a parser's table `[encoder]`."""

    name: str | None = None
    """Folder or hub name of a Hugging Face encoder. Left out: a new encoder (see `[encoder.new]`)."""
    new: NewEncoderSettings = NewEncoderSettings()
    """A new encoder (see `[encoder.new]`)."""
    attention: Literal["sdpa", "eager"] | None = None
    """Implementation of attention in the Hugging Face library. Left out: the library's choice."""
    dropout: float | None = Field(None, ge=0, lt=1)
    """Dropout in the encoder. Left out: as the encoder's configuration says."""


class TextSettings(Settings):
    """The text to learn from: plain, JSON lines or Parquet, compressed or not."""

    files: tuple[Name, ...] = ()
    """Files, folders or patterns."""
    document: Literal["paragraphs", "line"] = "paragraphs"
    """A document in plain text: the text between empty lines, or a line."""
    field: str = "text"
    """Field of JSON lines or Parquet that holds the text; each row is a document."""
    language: str = DEFAULT_LANGUAGE
    """Language of the text: a code such as "en" (docs/languages.md). Its rules find the ends of sentences."""
    block_size: int = Field(512, gt=8)
    """Longest block in subwords, including special tokens."""
    dev_ratio: Fraction = 0.01
    """Fraction of the documents that is held out to evaluate the run. If the text is mostly one document, its last
    blocks are held out. If there are two blocks or more, at least one is held out.
    """
    workers: int | None = Field(None, gt=0)
    """Processes that tokenise."""
    cache: str | None = None
    """Folder that keeps the tokenised text; several runs can share it. Left out: OUTPUT/text."""

    _readable = field_validator("language")(check_readable)

    @property
    def finds_words(self) -> bool:
        """Whether the words of the text are not what its tokenizer takes for words: there are no blanks."""
        return rules_of(self.language).needs_words


class MaskingSettings(Settings):
    """What is masked (SpanBERT, section 3.1): the scheme, the fraction of subwords, and the lengths of spans."""

    scheme: Scheme = "geometric"
    """What is masked: spans of whole words of geometric length (SpanBERT), words, subwords (BERT), names, noun phrases,
    or constituents.
    """
    mask_probability: float = Field(0.15, gt=0, lt=1)
    """Fraction of subwords that is masked."""
    geometric_p: float = Field(0.2, gt=0, lt=1)
    """Parameter of the geometric distribution of lengths, in words."""
    max_span_length: int = Field(10, gt=0)
    """Words of the longest span."""
    parser: Name = "en"
    """Name or folder of the parser that finds noun phrases and constituents. In languages without blanks it also
    segments the words.
    """
    entities: Name = "en_core_web_sm"
    """spaCy pipeline that finds named entities. In languages without blanks it also segments the words."""


class ObjectiveSettings(Settings):
    """What is predicted besides the masked words: span boundaries (section 3.2), the next sentence (section 2)."""

    boundary_weight: float = Field(1.0, ge=0)
    """Weight of the span boundary objective against the masked words; 0 leaves it out."""
    max_boundary_targets: int = Field(15, gt=0)
    """Predict at most the first N subwords of a span from its boundaries."""
    boundary_positions: int = Field(200, gt=0)
    """Size of the table of positions within a span."""
    next_sentence: bool = False
    """Read two segments and predict whether the second one follows the first."""


class PretrainSettings(Settings):
    """Length, optimizer and evaluation of a pre-training."""

    max_steps: int = Field(1000, gt=0)
    """Length of the training in steps: updates of the weights."""
    batch_size: int = Field(16, gt=0)
    """Blocks of an update."""
    batch_tokens: int = Field(4096, gt=0)
    """Maximum number of subwords that go through the encoder at once; a batch is cut into such parts."""
    learning_rate: float = Field(1e-4, gt=0)
    """Highest learning rate of the encoder."""
    head_learning_rate: float | None = Field(None, gt=0)
    """Highest learning rate of the heads. Left out: the encoder's."""
    betas: tuple[Fraction, Fraction] = (0.9, 0.999)
    """Betas of AdamW."""
    eps: float = Field(1e-8, gt=0)
    """Epsilon of AdamW."""
    weight_decay: float = Field(0.1, ge=0)
    """Weight decay of AdamW; biases and norms have none."""
    max_grad_norm: float | None = Field(1.0, gt=0)
    """Clip the norm of the gradient to this value."""
    warmup_steps: int = Field(100, ge=0)
    """Steps in which the learning rate rises; then it falls to 0 in a straight line."""
    warmup_ratio: float | None = Field(None, ge=0, lt=1)
    """Fraction of the steps in which the learning rate rises, in place of ``warmup_steps``."""
    freeze_encoder_steps: int = Field(0, ge=0)
    """Train the heads alone for this many steps; the encoder's warm-up begins after them."""
    eval_steps: int = Field(250, gt=0)
    """Score held-out text, write the encoder and a checkpoint every N steps."""
    dev_blocks: int = Field(200, gt=0)
    """Maximum number of held-out blocks that an evaluation scores."""
    mixed_precision: Literal["no", "bf16", "fp16"] = "no"
    """Mixed precision. "bf16" is faster on GPUs, and on processors with AMX or AVX-512 BF16 (Zen 4)."""
    seed: Seed = 1
    """Seed of everything random."""
    threads: int | None = Field(None, gt=0)
    """Number of CPU threads. Left out: OMP_NUM_THREADS, or all cores."""

    @model_validator(mode="after")
    def _encoder_has_its_turn(self) -> PretrainSettings:
        if self.freeze_encoder_steps >= self.max_steps:
            raise ValueError(
                f"freeze_encoder_steps is {self.freeze_encoder_steps} of {self.max_steps} steps: the encoder would not be trained"
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
    table = read_table(path, overrides)
    check_command(table, str(path), "pretrain")
    return validate(PretrainRecipe, table, str(path))
