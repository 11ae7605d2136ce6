"""Every error that bnaparser raises on purpose; each message says what is wrong and what to do."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def in_one_line(error: BaseException) -> str:
    """Return what another library's error says, without its line breaks."""
    return " ".join(str(error).split())


def shortened(text: str, most: int = 80) -> str:
    """Return a text that a message quotes, cut in its middle where it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]}... ({len(text):,} characters) ...{text[-(most // 6) :]}"


def type_name(value: object) -> str:
    """Return the name of a value's type with its article: ``an int``; ``bytes``, ``None`` without."""
    if value is None or isinstance(value, bytes):
        return "None" if value is None else "bytes"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def quoted(value: object) -> str:
    """Return a value as Python writes it, for a message; a long one is cut in its middle."""
    return shortened(repr(value))


def check_flag(name: str, value: object) -> None:
    """Raise TypeError unless the value is True or False: the string "no" would count as true."""
    if type(value).__name__ not in ("bool", "bool_"):  # NumPy's, too
        raise TypeError(f"{name} is {quoted(value)}: give True or False")


class BnaparserError(Exception):
    """Base class of all errors below: catch it to catch all of them."""


class TreeError(BnaparserError):
    """A text or its parts should be a bracketed tree, but are not.

    ``source`` names the file, or is ``"<string>"``; ``line`` and ``column`` count from 1. Without a
    ``source`` no text was read: a tree was to be made of its parts.
    """

    def __init__(self, message: str, source: str = "", line: int = 1, column: int = 1):
        super().__init__(f"{source}:{line}:{column}: {message}" if source else message)
        self.message, self.source, self.line, self.column = message, source, line, column

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an error is made anew of its whole text, and the place would stand in it twice.
        return type(self), (self.message, self.source, self.line, self.column)


class DataError(BnaparserError):
    """A file or folder is missing, unreadable, or not of the kind that was requested."""


class SettingsError(BnaparserError):
    """A setting, option or recipe is unknown or has a value that is not allowed."""


class ModelError(BnaparserError):
    """A model folder is incomplete, damaged, or does not fit the request."""


class SentenceError(BnaparserError):
    """One sentence cannot be parsed; the sentences beside it can."""


class ConstituentError(BnaparserError):
    """A span of a spaCy document is no constituent, or its document or sentence has no parse."""


class MissingExtraError(BnaparserError):
    """An optional package is needed; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str):
        super().__init__(
            f"{package} is not installed: pip install 'bnaparser[{extra}]',"
            f" or in a checkout pip install -c constraints.txt '.[{extra}]'"
        )
        self.package, self.extra = package, extra

    def __reduce__(self) -> tuple[Any, ...]:
        # An error that cannot be read on the other side stops a whole pool of processes.
        return type(self), (self.package, self.extra)


def import_extra(extra: str, module: str, package: str = "") -> Any:
    """Import a module of an optional package; MissingExtraError, which names the package, if it is not installed."""
    name = module.partition(".")[0]
    try:
        import_module(name)
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(package or name, extra) from error


def require(extra: str, *packages: str) -> None:
    """Raise MissingExtraError for the first package of an extra that is not installed; import none of them."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra)


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM has ended a training; the message says what is kept.

    It is no `BnaparserError`, as a KeyboardInterrupt is no Exception. ``signal`` is the number of the signal.
    """

    def __init__(self, signal: int, kept: str):
        super().__init__(f"interrupted: {kept}")
        self.signal, self.kept = signal, kept

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.signal, self.kept)


# Packages of the extras without which a whole part of bnaparser cannot be imported.
_PACKAGES = {"torch": ("torch", "transformers"), "train": ("torch", "transformers", "accelerate")}


def require_extra(extra: str) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Args:
        extra: "torch" (any Hugging Face encoder, GPUs, classification) or "train" (training as well).

    Raises:
        MissingExtraError: one is missing; the message has the command that installs it.
    """
    require(extra, *_PACKAGES[extra])


def is_installed(extra: str) -> bool:
    """Return whether the packages of an extra are installed, without importing them."""
    return all(find_spec(package) is not None for package in _PACKAGES[extra])
