"""The settings of a network: ``[layers]``, ``[scorer]``, ``[tags]``, ``[text]``, ``[chart]``, and all that is stored with it.

Defaults are the paper's where it states them (BNA, 5.2, A.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import ModelError, SettingsError
from bnaparser.files.folder import CONFIG, LABELS
from bnaparser.files.tables import read_json, read_object
from bnaparser.network.labels import Inventory, LanguageNames
from bnaparser.settings import Settings, validate
from bnaparser.text.text_rules import check_readable, rules_of

LayerKind = Literal["bimsa", "nsa", "self_attention", "partitioned"]
# Where the paper's equations and its authors' program contradict each other.
Reading = Literal["paper", "program"]
# Of added positions at the start of training; BERT's own table has the same.
ADDED_DEVIATION = 0.02


class LayerSettings(Settings):
    """The layers between word vectors and span scores, in order, and their common sizes."""

    layer_types: tuple[LayerKind, ...] = ("bimsa", "nsa")
    """The layers from the lowest to the highest. "partitioned" needs ``positions = "concatenate"``; `[]` is no layer.
    """
    hidden_size: int = Field(512, gt=0)
    """Size of the vectors between the layers. Even; divisible by 4 where words are read from characters."""
    num_attention_heads: int = Field(8, gt=0)
    """Attention heads of a layer."""
    head_dim: int = Field(64, gt=0)
    """Size of keys, queries and values of a head. Even."""
    intermediate_size: int = Field(1024, gt=0)
    """Size of the hidden layer of the feed-forward network."""
    ngrams: int = Field(4, gt=0)
    """The largest n of the n-grams that NSA attends to."""
    positions: Literal["add", "concatenate", "none"] = "add"
    """How positions enter: added to the content, concatenated with it, or not at all (then without the norm that
    follows them).
    """
    position_init_std: float | None = Field(None, ge=0)
    """Standard deviation of the position table at the start of training. Left out: 0.02 where positions are added, 1
    where they are concatenated.
    """
    max_positions: int = Field(512, gt=2)
    """Longest sentence in positions: its words, the start and the end."""
    activation: Literal["leaky_relu", "relu", "gelu"] = "leaky_relu"
    """Activation of the feed-forward network."""
    residual: Reading = "paper"
    """What is added to the output of the feed-forward network: the first norm's output ("paper", equation 10) or the
    layer's input ("program").
    """
    span_signs: Reading = "paper"
    """Sign of the backward halves of NSA's 1-grams: the sign of longer spans ("paper", equation 15) or the opposite
    sign ("program").
    """
    word_shapes: bool = False
    """Add a learned vector for how each word is written (capitals, digits, ...). For encoders that read in lower case.
    """
    residual_dropout: float = Field(0.2, ge=0, lt=1)
    """Dropout of what is added to the residual connection."""
    feed_forward_dropout: float = Field(0.2, ge=0, lt=1)
    """Dropout in the feed-forward network."""
    attention_dropout: float = Field(0.2, ge=0, lt=1)
    """Dropout of attention weights. 0 is faster on a CPU."""
    input_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout of the word vectors below the first layer."""

    @model_validator(mode="after")
    def _halves(self) -> LayerSettings:
        if self.hidden_size % 2 or self.head_dim % 2:
            raise ValueError(
                "hidden_size and head_dim must be even: the network splits both into halves"
            )
        if "partitioned" in self.layer_types:
            if self.positions != "concatenate":
                raise ValueError('partitioned layers need positions = "concatenate"')
            if self.intermediate_size % 2:
                raise ValueError("partitioned layers need an even intermediate_size")
        return self

    @property
    def content_width(self) -> int:
        """Features of a word before positions are added, or put beside them."""
        return self.hidden_size // 2 if self.positions == "concatenate" else self.hidden_size

    @property
    def first_position_deviation(self) -> float:
        """The deviation of the table of positions at the start of training."""
        if self.position_init_std is not None:
            return self.position_init_std
        return 1.0 if self.positions == "concatenate" else ADDED_DEVIATION


class ScorerSettings(Settings):
    """The span scorer: linear, norm, ReLU, linear."""

    hidden_size: int = Field(256, gt=0)
    """Size of the hidden layer."""


class TagSettings(Settings):
    """Part-of-speech tags: predicted with the tree, read as input, or neither."""

    predict: bool = False
    """Train a tagger together with the parser."""
    given: bool = False
    """Read a part-of-speech tag with each word, in training and in parsing (the paper's "+POS")."""
    init_std: float = Field(0.2, ge=0)
    """Standard deviation of the embeddings of input tags at the start of training."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Fraction of the features of input tags that is dropped over a whole sentence."""
    hidden_size: int = Field(256, gt=0)
    """Size of the tagger's hidden layer."""
    loss_weight: float = Field(5.0, ge=0)
    """Weight of the tagger's loss."""


class LanguageSettings(Settings):
    """The languages, and whether the network segments the words of raw text."""

    languages: tuple[str, ...] = ("en",)
    """Codes of the treebanks' languages, such as "en" or "de" (docs/languages.md)."""
    segment_words: bool = False
    """Train a head that segments the words of raw text."""
    hidden_size: int = Field(128, gt=0)
    """Size of the hidden layer of this head."""
    loss_weight: float = Field(1.0, ge=0)
    """Weight of the loss of this head."""

    @field_validator("languages")
    @classmethod
    def _known(cls, languages: tuple[str, ...]) -> tuple[str, ...]:
        for language in languages:
            check_readable(language)
        if not languages or len(set(languages)) < len(languages):
            raise ValueError("must have at least one language, and each language once")
        return languages

    @property
    def unspaced(self) -> bool:
        """Whether all of the languages do without blanks between words."""
        return all(rules_of(language).needs_words for language in self.languages)


class ChartSettings(Settings):
    """How scores become probabilities: the probability of a tree is proportional to exp(score / temperature)."""

    temperature: float = Field(1.0, gt=0)
    """Temperature of the probabilities; 1 leaves the scores unchanged. `bnaparser calibrate` fits it."""
    language_temperatures: dict[str, Annotated[float, Field(gt=0)]] = Field({})
    """Temperatures of the languages that have one of their own."""


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
                "layers.hidden_size must be divisible by 4: word vectors from characters have half its size"
            )
        if self.text.segment_words and self.tags.given:
            raise ValueError(
                "text.segment_words and tags.given exclude each other: text with tags is already divided into words"
            )
        return self

    def with_layers(self, layers: int) -> ModelSettings:
        """Return the settings for an encoder with this number of layers."""
        return self.model_copy(
            update={"encoder": self.encoder.model_copy(update={"layers": layers})}
        )

    def in_language(self, language: str) -> ModelSettings:
        """Return the settings for one of the model's languages."""
        text = self.text.model_copy(update={"languages": (language,)})
        own = self.chart.language_temperatures.get(language, self.chart.temperature)
        return self.model_copy(update={"text": text, "chart": ChartSettings(temperature=own)})

    def at_temperature(self, temperature: float | Mapping[str, float]) -> ModelSettings:
        """Return the settings with another temperature for all languages, or with those of some languages."""
        if isinstance(temperature, Mapping):
            own = {**self.chart.language_temperatures, **temperature}
            chart = self.chart.model_copy(update={"language_temperatures": own})
        else:
            chart = ChartSettings(temperature=temperature)
        return self.model_copy(update={"chart": chart})


# Where benepar keeps its settings: in the configuration of the encoder.
BENEPAR = "benepar"


@dataclass(frozen=True)
class StoredSettings:
    """Settings, labels, tags, alphabet, and whether sentences may have no constituent as a whole.

    ``by_language`` has the labels and tags of each language, if there are several.
    """

    settings: ModelSettings
    labels: Inventory
    tags: Inventory
    characters: str
    allow_empty_root: bool
    by_language: dict[str, LanguageNames] = field(default_factory=dict)


def is_benepars(folder: Path) -> bool:
    """Return whether a model folder is one of benepar's; ModelError if it is none."""
    if not folder.is_dir():
        raise ModelError(
            f"there is no model folder {folder}; 'bnaparser models' lists the installed models"
        )
    return BENEPAR in read_object(folder / CONFIG)


def read_settings(folder: Path) -> StoredSettings:
    """Read the settings of a model folder; ModelError if the folder is not a parser's, or its files
    are damaged.
    """
    if not folder.is_dir():
        raise ModelError(
            f"there is no model folder {folder}; 'bnaparser models' lists the installed models"
        )
    table = read_object(folder / CONFIG)
    if "task" in table:
        raise ModelError(
            f"{folder} is a task model, not a parser: use it with 'bnaparser classify'"
        )
    try:
        settings = validate(ModelSettings, table, str(folder / CONFIG))
    except SettingsError as error:
        raise ModelError(
            f"{error}; the model is damaged, or was made by another version of bnaparser"
        ) from error
    return _with_labels(settings, folder / LABELS)


def _with_labels(settings: ModelSettings, path: Path) -> StoredSettings:
    stored = read_json(path)
    try:
        labels, tags = Inventory(stored["labels"]), Inventory(stored["tags"])
        characters, allow_empty_root = stored["characters"], stored["allow_empty_root"]
        if labels.names[:1] != ("",):
            raise ValueError("the first label is not the empty one")
        by_language = {
            language: LanguageNames(frozenset(of["labels"]), frozenset(of["tags"]))
            for language, of in stored.get("languages", {}).items()
        }
        of_all = (by_language[one] for one in settings.text.languages) if by_language else ()
        each = chain(labels.names, tags.names, *((*one.labels, *one.tags) for one in of_all))
        if not all(isinstance(name, str) for name in each):
            raise TypeError("a label or a tag is not text")
        if not isinstance(characters, str) or not isinstance(allow_empty_root, bool):
            raise TypeError("characters or allow_empty_root is of another type")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{path} is damaged: {error!r}; download or copy the model again"
        ) from error
    return StoredSettings(settings, labels, tags, characters, allow_empty_root, by_language)
