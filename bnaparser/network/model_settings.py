"""The settings of a network: ``[layers]``, ``[scorer]``, ``[tags]``, ``[text]``, ``[chart]``, and all that is stored with it.

Defaults are the paper's where it states them (BNA, 5.2, A.1).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.settings import Settings
from bnaparser.text.text_rules import check_readable, rules_of

LayerKind = Literal["bimsa", "nsa", "self_attention", "partitioned"]
# Where the paper's equations and its authors' program contradict each other.
Reading = Literal["paper", "program"]
# Of added positions at the start of training; BERT's own table has the same.
ADDED_DEVIATION = 0.02


class LayerSettings(Settings):
    """The layers between word vectors and span scores, in order, and their common sizes.

    ``position_deviation`` is that of the table of positions at the start of training: by default
    0.02 where positions are added, 1 where they stand beside the content. ``residual`` says what is
    added to the output of the feed-forward network (equation 10 or the authors' program), and
    ``span_signs`` which sign the backward halves of NSA's shortest spans have (equation 15 or the
    program). With ``word_shapes`` a vector for how each word is written (`WordShape`) is added to
    its content: of use where the encoder reads in lower case. ``positions = "none"`` leaves out
    their table, and the norm that follows it.
    """

    kinds: tuple[LayerKind, ...] = ("bimsa", "nsa")
    width: int = Field(512, gt=0)
    heads: int = Field(8, gt=0)
    head_width: int = Field(64, gt=0)
    feed_forward_width: int = Field(1024, gt=0)
    ngrams: int = Field(4, gt=0)
    positions: Literal["add", "concatenate", "none"] = "add"
    position_deviation: float | None = Field(None, ge=0)
    max_positions: int = Field(512, gt=2)
    activation: Literal["leaky_relu", "relu", "gelu"] = "leaky_relu"
    residual: Reading = "paper"
    span_signs: Reading = "paper"
    word_shapes: bool = False
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

    @property
    def first_position_deviation(self) -> float:
        """The deviation of the table of positions at the start of training."""
        if self.position_deviation is not None:
            return self.position_deviation
        return 1.0 if self.positions == "concatenate" else ADDED_DEVIATION


class ScorerSettings(Settings):
    """The span scorer: linear, norm, ReLU, linear."""

    hidden: int = Field(256, gt=0)


class TagSettings(Settings):
    """Part-of-speech tags: predicted beside the tree, and given as input or not.

    Of given ones ``deviation`` is that of their vectors at the start of training, and ``dropout``
    the share of their features that is dropped over a whole sentence.
    """

    predict: bool = False
    given: bool = False
    deviation: float = Field(0.2, ge=0)
    dropout: float = Field(0.0, ge=0, lt=1)
    hidden: int = Field(256, gt=0)
    loss_weight: float = Field(5.0, ge=0)


class LanguageSettings(Settings):
    """How text is read: ``languages`` are those of the treebanks, codes of `LANGUAGE_NAMES`.

    With ``find_words`` the network finds the words of raw text itself (`bnaparser.text.text_pieces`): it
    reads the pieces of a text as it reads words, and a head beside the tagger says which begin one.
    """

    languages: tuple[str, ...] = ("en",)
    find_words: bool = False
    hidden: int = Field(128, gt=0)
    loss_weight: float = Field(1.0, ge=0)

    @field_validator("languages")
    @classmethod
    def _known(cls, languages: tuple[str, ...]) -> tuple[str, ...]:
        for language in languages:
            check_readable(language)
        if not languages or len(set(languages)) < len(languages):
            raise ValueError("name each language once, and at least one")
        return languages

    @property
    def unspaced(self) -> bool:
        """Whether all of the languages do without blanks between words."""
        return all(rules_of(language).needs_words for language in self.languages)


class ChartSettings(Settings):
    """How scores become probabilities: a tree's is in proportion to exp(score / temperature).

    1 means the scores as they are. A parser that was trained with the hinge loss has another one,
    which ``bnaparser calibrate`` finds.
    """

    temperature: float = Field(1.0, gt=0)


class ModelSettings(Settings):
    """All that is needed to build a network, and so all that is stored beside its weights."""

    encoder: EncoderSettings = EncoderSettings()
    layers: LayerSettings = LayerSettings()
    scorer: ScorerSettings = ScorerSettings()
    tags: TagSettings = TagSettings()
    text: LanguageSettings = LanguageSettings()
    chart: ChartSettings = ChartSettings()

    @model_validator(mode="after")
    def _directions(self) -> ModelSettings:
        if self.encoder.name is None and self.layers.content_width % 2:
            raise ValueError(
                "layers.width must be divisible by 4: words from characters are half it"
            )
        if self.text.find_words and self.tags.given:
            raise ValueError(
                "text.find_words is of no use with tags.given: who has the tags has the words"
            )
        return self

    def with_layers(self, layers: int) -> ModelSettings:
        """Return the same settings for an encoder of so many layers."""
        return self.model_copy(
            update={"encoder": self.encoder.model_copy(update={"layers": layers})}
        )

    def in_language(self, language: str) -> ModelSettings:
        """Return the same settings for one of its languages."""
        text = self.text.model_copy(update={"languages": (language,)})
        return self.model_copy(update={"text": text})

    def at_temperature(self, temperature: float) -> ModelSettings:
        """Return the same settings with another temperature."""
        return self.model_copy(update={"chart": ChartSettings(temperature=temperature)})
