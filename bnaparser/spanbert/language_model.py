"""An encoder with its masked-word head, seen as: subwords in, vectors out; vectors in, word scores out.

The head of a Hugging Face model scores every subword; pre-training needs the masked ones alone, a
seventh of them, so the head is called by itself. `HEADS` says where each family keeps it; an
encoder of any other family gets a head like BERT's.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from bnaparser.errors import DataError, ModelError, in_one_line
from bnaparser.spanbert.settings import NewEncoderSettings

# The parts of a masked-word head by model type, applied one after another.
HEADS: dict[str, tuple[str, ...]] = {
    "albert": ("predictions",),
    "bert": ("cls",),
    "big_bird": ("cls",),
    "camembert": ("lm_head",),
    "data2vec-text": ("lm_head",),
    "deberta": ("cls",),
    "deberta-v2": ("cls",),
    "distilbert": ("vocab_transform", "activation", "vocab_layer_norm", "vocab_projector"),
    "electra": ("generator_predictions", "generator_lm_head"),
    "ernie": ("cls",),
    "esm": ("lm_head",),
    "megatron-bert": ("cls",),
    "modernbert": ("head", "decoder"),
    "mpnet": ("lm_head",),
    "roberta": ("lm_head",),
    "roberta-prelayernorm": ("lm_head",),
    "roformer": ("cls",),
    "xlm-roberta": ("lm_head",),
}
# Not encoders that read a whole text at once, or that have no one vector a subword.
REFUSED = frozenset({"bart", "canine", "gpt2", "llama", "mbart", "mt5", "perceiver", "t5", "umt5"})

NORM_EPSILON = 1e-12  # BERT's


class WordHead(nn.Module):
    """BERT's masked-word head for an encoder that has none: linear, GELU, norm, input embedding."""

    def __init__(self, width: int, embedding: int, vocabulary: int):
        super().__init__()
        self.dense = nn.Linear(width, embedding)
        self.norm = nn.LayerNorm(embedding, eps=NORM_EPSILON)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, hidden: Tensor, embeddings: Tensor) -> Tensor:
        """Return scores (..., vocabulary) of vectors (..., width)."""
        return F.linear(self.norm(F.gelu(self.dense(hidden))), embeddings, self.bias)


class LanguageModel(nn.Module):
    """A Hugging Face encoder, ``model``, with its own masked-word head or a new one, ``head``."""

    def __init__(self, model: PreTrainedModel):
        super().__init__()
        self.model = model
        config = model.config
        self.parts = HEADS.get(config.model_type, ())
        if config.model_type.startswith("deberta") and not getattr(config, "legacy", True):
            self.parts = ("lm_predictions",)
        vocabulary, embedding = self.embeddings.shape
        self.head = None if self.parts else WordHead(config.hidden_size, embedding, vocabulary)

    @property
    def base(self) -> PreTrainedModel:
        """The encoder without a head."""
        return self.model.base_model if self.parts else self.model

    @property
    def embeddings(self) -> Tensor:
        """The input embedding of the subwords, (vocabulary, embedding)."""
        weight: Tensor = self.model.get_input_embeddings().weight
        return weight

    def forward(self, **given: Tensor) -> Tensor:
        """Return the last layer's vectors (blocks, subwords, width) of a Hugging Face input."""
        hidden: Tensor = self.base(**given).last_hidden_state
        return hidden

    def word_scores(self, hidden: Tensor) -> Tensor:
        """Return scores (subwords, vocabulary) of the vectors (subwords, width) of masked subwords."""
        scores: Tensor
        if self.head is not None:
            scores = self.head(hidden, self.embeddings)
        elif self.parts == ("lm_predictions",):  # DeBERTa's newer head is handed the embedding
            words = self.base.embeddings.word_embeddings
            scores = self.model.lm_predictions.lm_head(hidden, words)
        else:
            scores = reduce(lambda x, name: getattr(self.model, name)(x), self.parts, hidden)
        return scores


def load_language_model(name: str | Path, attention: str | None = None) -> LanguageModel:
    """Load an encoder from a folder or hub name, with its masked-word head where it has one.

    A head whose weights are not there begins at random. Raises ModelError if there is no such
    encoder or its kind cannot be trained on masked words.
    """
    try:
        config = AutoConfig.from_pretrained(name, trust_remote_code=False)
        _check_kind(config)
        extra: dict[str, Any] = {} if attention is None else {"attn_implementation": attention}
        model = _class_of(config).from_pretrained(name, config=config, dtype=torch.float32, **extra)
        return LanguageModel(model)
    except ModelError:
        raise
    except Exception as error:  # of a damaged file the library raises whatever comes
        reason = in_one_line(error) or type(error).__name__
        raise ModelError(f"cannot load the encoder {name}: {reason:.300}") from error


def new_language_model(config: PretrainedConfig, attention: str | None = None) -> LanguageModel:
    """Build an encoder with random weights. Raises ModelError for a kind that cannot be trained."""
    _check_kind(config)
    config = copy.deepcopy(config)
    extra: dict[str, Any] = {} if attention is None else {"attn_implementation": attention}
    try:
        return LanguageModel(_class_of(config).from_config(config, **extra))
    except (ValueError, AttributeError, NotImplementedError) as error:
        raise ModelError(
            f"cannot make a new encoder of the architecture {config.model_type!r}: {in_one_line(error)}"
        ) from error


def _class_of(config: PretrainedConfig) -> Any:
    return AutoModelForMaskedLM if config.model_type in HEADS else AutoModel


def _check_kind(config: PretrainedConfig) -> None:
    kind = config.model_type
    reads_on = kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and kind not in (
        *MODEL_FOR_MASKED_LM_MAPPING_NAMES, "xlnet",
    )  # fmt: skip
    if kind in REFUSED or config.is_encoder_decoder or reads_on:
        raise ModelError(
            f"an encoder of the type {kind!r} cannot be pre-trained on"
            f" masked words; supported are {', '.join(sorted(HEADS))}, and other types that read the whole text at once"
        )


def add_mask_token(tokenizer: PreTrainedTokenizerBase, model: LanguageModel) -> bool:
    """Add a mask token to a tokenizer without one, and a vector for it to the encoder; return whether it was added.

    Raises ModelError if the tokenizer has other subwords that the encoder has no vectors for.
    """
    given = tokenizer.mask_token_id is None
    if given:
        tokenizer.add_special_tokens({"mask_token": "[MASK]"})
    numbers, vectors = set(tokenizer.get_vocab().values()), len(model.embeddings)
    if max(numbers - {tokenizer.mask_token_id}) >= vectors:
        raise ModelError(
            f"the tokenizer has {max(numbers) + 1} subwords, but the encoder has vectors for {vectors}:"
            " the tokenizer and the encoder do not belong together"
        )
    if max(numbers) >= vectors:
        model.model.resize_token_embeddings(max(numbers) + 1)
        if model.head is not None:
            model.head.bias = nn.Parameter(torch.zeros(len(model.embeddings)))
    return given


_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_WITHIN = "##"  # before a subword that does not begin a word
# What configurations call them.
_ROLES = {"pad": "[PAD]", "cls": "[CLS]", "sep": "[SEP]", "bos": "[CLS]", "eos": "[SEP]"}


def train_tokenizer(
    texts: Callable[[], Iterable[str]], settings: NewEncoderSettings, block: int
) -> PreTrainedTokenizerFast:
    """Return a WordPiece tokenizer like BERT's, its vocabulary learnt from texts.

    The same texts give the same vocabulary, subword by subword.

    Args:
        texts: a function that reads the texts anew; it is called twice.
        settings: the size of the vocabulary, and whether it is in lower case.
        block: how many subwords the tokenizer takes at once.

    Raises:
        DataError: there is no text.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=settings.do_lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    # The trainer decides between pairs of equal frequency by their numbers, and numbers the characters within
    # words ("##a") in the order of a hash table, another one in each run. So these characters are found first,
    # and given to the trainer in alphabetical order as if they were special tokens.
    characters = sorted(set(_trained(tokenizer, texts(), 0, _SPECIAL)) - set(_SPECIAL))
    if not characters:
        raise DataError("there is no text from which a vocabulary can be trained")
    within = [one for one in characters if one.startswith(_WITHIN) and len(one) > len(_WITHIN)]
    vocabulary = _trained(tokenizer, texts(), settings.vocab_size, [*_SPECIAL, *within])
    tokenizer.model = models.WordPiece(vocabulary, unk_token="[UNK]")
    tokenizer.add_special_tokens(_SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, _SPECIAL.index(name)) for name in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=block,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _trained(
    tokenizer: Tokenizer, texts: Iterable[str], size: int, first: list[str]
) -> dict[str, int]:
    """Return the vocabulary of the texts; of size 0, special tokens and single characters alone."""
    scratch = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    scratch.normalizer, scratch.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=first, show_progress=False)
    scratch.train_from_iterator(texts, trainer)
    vocabulary: dict[str, int] = scratch.get_vocab()
    return vocabulary


def new_config(settings: NewEncoderSettings, vocabulary: int, block: int) -> PretrainedConfig:
    """Return the configuration of a new encoder for this number of subwords, at most ``block`` at once.

    Raises ModelError for an architecture that the library does not have, or cannot size so.
    """
    if settings.hidden_size % settings.num_attention_heads:
        raise ModelError(
            f"encoder.new.hidden_size is {settings.hidden_size}, which is not divisible by {settings.num_attention_heads}"
            " heads"
        )
    special = {f"{name}_token_id": _SPECIAL.index(token) for name, token in _ROLES.items()}
    try:
        config = AutoConfig.for_model(
            settings.model_type,
            vocab_size=vocabulary,
            hidden_size=settings.hidden_size,
            num_hidden_layers=settings.num_hidden_layers,
            num_attention_heads=settings.num_attention_heads,
            intermediate_size=settings.intermediate_size,
            max_position_embeddings=block + 2,  # RoBERTa's kind counts from 2
            **special,
        )
        if settings.model_type == "distilbert":  # it has a name of its own for it
            config.hidden_dim = settings.intermediate_size
        return config
    except (ValueError, TypeError, KeyError, AttributeError, NotImplementedError) as error:
        raise ModelError(
            f"cannot make a new encoder of the architecture {settings.model_type!r}: {in_one_line(error)}"
        ) from error
