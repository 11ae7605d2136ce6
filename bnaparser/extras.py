"""What an installation without extras lacks: the one place that says which extra to install."""

from __future__ import annotations

from importlib.util import find_spec

from bnaparser.errors import MissingExtraError

# Packages of the extras without which a whole part of bnaparser cannot be imported.
_PACKAGES = {"torch": ("torch", "transformers"), "train": ("torch", "transformers", "accelerate")}


def require_extra(extra: str) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Args:
        extra: "torch" (any Hugging Face encoder, GPUs, classification) or "train" (training as well).

    Raises:
        MissingExtraError: one is missing; the message has the command that installs it.
    """
    for package in _PACKAGES[extra]:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra)


def is_installed(extra: str) -> bool:
    """Return whether the packages of an extra are installed, without importing them."""
    return all(find_spec(package) is not None for package in _PACKAGES[extra])
