"""Noise that training adds to sentences: the table ``[train.noise]`` of a recipe."""

from __future__ import annotations

from pydantic import Field

from bnaparser.settings import Settings


class NoiseSettings(Settings):
    """Data augmentation: the fraction of training sentences that is given each kind of noise.

    Each is drawn by itself.
    """

    capitals: float = Field(0.0, ge=0, le=1)
    """ALL IN CAPITALS."""
    title_case: float = Field(0.0, ge=0, le=1)
    """Each Word With a Capital."""
    no_final_mark: float = Field(0.0, ge=0, le=1)
    """Without the period, question mark or exclamation mark at the end."""
    typing_errors: float = Field(0.0, ge=0, le=1)
    """Letters of some words swapped, doubled, left out, or replaced by their neighbours on the keyboard."""
    other_marks: float = Field(0.0, ge=0, le=1)
    """Quotation marks, brackets, dashes and apostrophes of other languages and programs."""
    emoji: float = Field(0.0, ge=0, le=1)
    """An emoji or a smiley at the end."""
    links: float = Field(0.0, ge=0, le=1)
    """A name becomes a link, an e-mail address or an ``@account``."""
    hashtags: float = Field(0.0, ge=0, le=1)
    """Nouns with a ``#``."""
