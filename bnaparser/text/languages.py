"""Which language a parser is for, told from the labels that its treebank has, as benepar does it."""

from __future__ import annotations

from collections.abc import Container

from bnaparser.text.typed import Spacing

# The first language counts all of whose labels are known.
_LABELS = {
    "ar": ("X", "XP", "WHADVP", "WHNP", "WHPP"),
    "zh": ("VSB", "VRD", "VPT", "VNV"),
    "en": ("WHNP", "WHADJP", "SINV", "SQ"),
    "de": ("AA", "AP", "CCP", "CH", "CNP", "VZ"),
    "fr": ("P+", "P+D+", "PRO+", "PROREL+"),
    "he": ("PREDP", "SYN_REL", "SYN_yyDOT"),
    "pl": ("formaczas", "znakkonca"),
    "sv": ("PSEUDO", "AVP", "XP"),
}
_SPACING: dict[str | None, Spacing] = {"ar": "spaces", "he": "spaces", "zh": "no_spaces"}


def guess_language(labels: Container[str]) -> str | None:
    """Return a language's code, such as ``"en"``, or None where no language's labels are there."""
    found = (code for code, of in _LABELS.items() if all(label in labels for label in of))
    return next(found, None)


def spacing(language: str | None) -> Spacing:
    """Return how words of a treebank in that language become text."""
    return _SPACING.get(language, "guess")
