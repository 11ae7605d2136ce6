"""An encoder from nothing: a WordPiece tokenizer trained on the text, an architecture, random weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
        raise DataError("there is no text to learn a vocabulary from")
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
    """Return the vocabulary that the texts give; of size 0, special tokens and single characters alone."""
    scratch = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    scratch.normalizer, scratch.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=first, show_progress=False)
    scratch.train_from_iterator(texts, trainer)
    vocabulary: dict[str, int] = scratch.get_vocab()
    return vocabulary


def new_config(settings: NewEncoderSettings, vocabulary: int, block: int) -> PretrainedConfig:
    """Return the configuration of a new encoder for so many subwords, at most ``block`` at once.

    Raises ModelError for an architecture that the library does not have, or cannot size so.
    """
    if settings.hidden_size % settings.num_attention_heads:
        raise ModelError(
            f"encoder.new.hidden_size is {settings.hidden_size}, which {settings.num_attention_heads} heads"
            " cannot share"
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
            f"no new encoder of the architecture {settings.model_type!r}: {in_one_line(error)}"
        ) from error
