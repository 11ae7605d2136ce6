"""Which model is taken where none is named."""

from __future__ import annotations

from contextlib import suppress

from bnaparser.errors import ModelError, SettingsError
from bnaparser.models import SHIPPED, shipped
from bnaparser.models.about import languages
from bnaparser.parsing.segmentation import unknown_language
from bnaparser.text.text_rules import match_language

ENGLISH = "en"
"""The language of the model that ships, and its name."""

_OF_MULTI = ("de", "es", "fr", "id", "is", "ja", "pt", "zh-Hant")


def name_for(language: str | None) -> str:
    """Return the default model: ``en``, or an installed model for another language.

    Raises SettingsError if none is, and names the languages that there are.
    """
    if language is None or match_language(language, [ENGLISH]):
        return ENGLISH
    from bnaparser.models.packages import installed

    folders = {name: SHIPPED / name for name in shipped()}
    folders |= {one.name: one.folder for one in installed() if not one.problem}
    here: list[str] = []
    for name, folder in folders.items():
        with suppress(ModelError):  # of a damaged one, which keeps nobody from the others
            if match_language(language, known := languages(folder)):
                return name
            here += known
    advice = ""
    if match_language(language, _OF_MULTI):
        advice = (
            "; the model multi knows it: in a checkout of bnaparser, pip install ./models/multi"
        )
    raise SettingsError(unknown_language(language, sorted(set(here))) + advice)


def name_in(name: str, language: str) -> str:
    """Return the model to take for a language where a setting names one: ``en`` is for English alone."""
    return name_for(language) if name == ENGLISH else name
