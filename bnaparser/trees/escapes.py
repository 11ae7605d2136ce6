"""Words as trees write them: ``-LRB-`` for ``(``, ``\\/`` for ``/``, two backquotes for a quote."""

from __future__ import annotations

BRACKET_ESCAPES = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
}
_BRACKETS = {escape: bracket for bracket, escape in BRACKET_ESCAPES.items()}
_ROUND = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


def unescape(word: str) -> str:
    """Return the word as running text would write it: ``-LRB-`` is ``(``, `` `` `` is ``"``.

    Round, square and curly brackets, ``\\/``, ``\\*`` and both Penn quotes are undone, brackets
    also inside a longer word. What is left is what a pre-trained encoder saw in its own training.
    """
    if word in ("``", "''"):
        return '"'
    if "-" in word:
        for escape, bracket in _BRACKETS.items():
            word = word.replace(escape, bracket)
    return word.replace("\\/", "/").replace("\\*", "*") if "\\" in word else word


def escape_brackets(word: str) -> str:
    """Return the word with ``(`` and ``)`` written ``-LRB-`` and ``-RRB-``, safe inside a tree."""
    return word.translate(_ROUND) if "(" in word or ")" in word else word
