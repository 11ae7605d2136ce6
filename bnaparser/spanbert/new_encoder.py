"""An encoder from nothing: a WordPiece tokenizer trained on the text, an architecture, random weights."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import AutoConfig, PretrainedConfig, PreTrainedTokenizerFast

from bnaparser.errors import DataError, ModelError, in_one_line
from bnaparser.spanbert.pretrain_settings import NewEncoderSettings

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# What configurations call them.
_ROLES = {"pad": "[PAD]", "cls": "[CLS]", "sep": "[SEP]", "bos": "[CLS]", "eos": "[SEP]"}


def train_tokenizer(
    texts: Iterable[str], settings: NewEncoderSettings, block: int
) -> PreTrainedTokenizerFast:
    """Return a WordPiece tokenizer like BERT's, its vocabulary learnt from texts.

    ``block`` is how many subwords it takes at once. Raises DataError where there is no text.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=settings.lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=settings.vocabulary, special_tokens=_SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() <= len(_SPECIAL):
        raise DataError("there is no text to learn a vocabulary from")
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


def new_config(settings: NewEncoderSettings, vocabulary: int, block: int) -> PretrainedConfig:
    """Return the configuration of a new encoder for so many subwords, at most ``block`` at once.

    Raises ModelError for an architecture that the library does not have, or cannot size so.
    """
    if settings.width % settings.heads:
        raise ModelError(
            f"encoder.new.width is {settings.width}, which {settings.heads} heads cannot share"
        )
    special = {f"{name}_token_id": _SPECIAL.index(token) for name, token in _ROLES.items()}
    try:
        config = AutoConfig.for_model(
            settings.architecture,
            vocab_size=vocabulary,
            hidden_size=settings.width,
            num_hidden_layers=settings.layers,
            num_attention_heads=settings.heads,
            intermediate_size=settings.feed_forward_width,
            max_position_embeddings=block + 2,  # RoBERTa's kind counts from 2
            **special,
        )
        if settings.architecture == "distilbert":  # it has a name of its own for it
            config.hidden_dim = settings.feed_forward_width
        return config
    except (ValueError, TypeError, KeyError, AttributeError, NotImplementedError) as error:
        raise ModelError(
            f"no new encoder of the architecture {settings.architecture!r}: {in_one_line(error)}"
        ) from error
