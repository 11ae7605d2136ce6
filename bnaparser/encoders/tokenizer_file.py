"""A tokenizer read from its one file, without transformers, which takes seconds to import; and the panics of tokenizers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import check_model_file
from bnaparser.files.tables import read_object


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raise ModelError if the tokenizers library panics, as on a regular expression that never ends.

    Its PanicException is no Exception but a BaseException, so it would pass every ``except Exception``, and end
    the whole program for one sentence. It also serves as a decorator.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ModelError(f"the tokenizer of the model failed: {in_one_line(error)}") from error


_MOST_GROWTH = 64


def check_growth(backend: Tokenizer) -> None:
    """Raise ModelError for a tokenizer whose replacements make a text far longer: one word could take hours."""
    state = None if backend.normalizer is None else json.loads(backend.normalizer.__getstate__())
    if _growth(state) > _MOST_GROWTH:
        raise ModelError(
            f"the normalizer of the model's tokenizer can make a text more than {_MOST_GROWTH} times as long: use the"
            " tokenizer that belongs to the encoder"
        )


def _growth(normalizer: dict[str, Any] | None) -> int:
    """Return how many times as long a text can become; a regular expression may match before each character."""
    if normalizer is None:
        return 1
    added = len(normalizer.get("content", "")) + len(normalizer.get("prepend", ""))
    literal = normalizer.get("pattern", {}).get("String")
    own = max(1, math.ceil(added / len(literal))) if literal else 1 + added
    return own * math.prod(map(_growth, normalizer.get("normalizers", ())))


# What says that the file holds the whole tokenizer. A class of a kind of its own may change it.
WHOLE = ("TokenizersBackend", "PreTrainedTokenizerFast")
_FILE, _SETTINGS = "tokenizer.json", "tokenizer_config.json"


class TokenizerFile:
    """What `Subwords` needs of a tokenizer, as Hugging Face's own classes have it."""

    is_fast = True

    def __init__(self, folder: Path):
        check_model_file(folder / _FILE)
        settings = read_object(folder / _SETTINGS)
        try:
            with panics_as_errors():
                self.backend_tokenizer = Tokenizer.from_file(str(folder / _FILE))
        except Exception as error:  # of a damaged file the library raises whatever comes
            raise ModelError(
                f"{folder / _FILE} is damaged: {in_one_line(error)}; download or copy the model again"
            ) from error
        check_growth(self.backend_tokenizer)
        self.backend_tokenizer.no_truncation()
        self.backend_tokenizer.no_padding()
        self.mask_token_id = self._number(settings.get("mask_token"))
        self.cls_token_id = self._number(settings.get("cls_token"))
        self.sep_token_id = self._number(settings.get("sep_token"))
        self.eos_token_id = self._number(settings.get("eos_token"))

    def _number(self, token: Any) -> int | None:
        if isinstance(token, dict):
            token = token.get("content")
        return self.backend_tokenizer.token_to_id(token) if isinstance(token, str) else None

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Return the subwords of a text."""
        encoding = self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens)
        ids: list[int] = encoding.ids
        return ids


def is_whole(folder: Path) -> bool:
    """Return whether a folder's tokenizer can be read from its file alone."""
    try:
        kind = read_object(folder / _SETTINGS).get("tokenizer_class")
    except ModelError:  # who reads the tokenizer by its class will say so
        return False
    return (folder / _FILE).is_file() and kind in WHOLE
