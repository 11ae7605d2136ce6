"""Noise that training adds to sentences: the table ``[train.noise]`` of a recipe."""

from __future__ import annotations

from pydantic import Field

from bnaparser.settings import Settings


class NoiseSettings(Settings):
    """How many of its sentences a training reads as people write them: shares, each from 0 to 1.

    ``capitals`` and ``title_case``: all in capitals, or Each Word With One. ``no_final_mark``: the
    period, question or exclamation mark at the end is left out. ``typing_errors``: letters of some
    words change places, are doubled, left out or those beside them on the keyboard.
    ``other_marks``: quotes, brackets, dashes and apostrophes of other languages and programs.
    ``emoji``: a picture or a smiley at the end. ``links``: a name is a link, an address or an
    ``@account``. ``hashtags``: nouns with a ``#``. Each is drawn for itself.
    """

    capitals: float = Field(0.0, ge=0, le=1)
    title_case: float = Field(0.0, ge=0, le=1)
    no_final_mark: float = Field(0.0, ge=0, le=1)
    typing_errors: float = Field(0.0, ge=0, le=1)
    other_marks: float = Field(0.0, ge=0, le=1)
    emoji: float = Field(0.0, ge=0, le=1)
    links: float = Field(0.0, ge=0, le=1)
    hashtags: float = Field(0.0, ge=0, le=1)
