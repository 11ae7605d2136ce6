"""What the tokenizers library raises where it fails within Rust, as an error that callers expect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bnaparser.errors import ModelError, in_one_line


@contextmanager
def panics_told() -> Iterator[None]:
    """Raise ModelError where the tokenizers library panics, as on a regular expression that never ends.

    Its PanicException is no Exception but a BaseException, so it would pass every ``except Exception``, and end
    the whole program for one sentence. It also serves as a decorator.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ModelError(f"the tokenizer of the model failed: {in_one_line(error)}") from error
