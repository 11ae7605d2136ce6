"""Words and text written so that they can be read again: Penn Treebank escapes, JSON.

The escapes are ``-LRB-`` for ``(``, ``\\/`` for ``/``, two backquotes for a quote.
"""

from __future__ import annotations

import json
import re
from typing import Any

BRACKET_ESCAPES = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
}
_BRACKETS = {escape: bracket for bracket, escape in BRACKET_ESCAPES.items()}
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
# Line ends to some readers, Python's ``splitlines`` among them; JSON leaves them as they are.
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
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


def json_line(value: Any) -> str:
    """Return a value as one line of JSON that UTF-8 can hold: half a character becomes U+FFFD.

    An argument of a command that was not UTF-8 has such halves, lone surrogates, in its text.
    """
    line = json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
    return _HALF_CHARACTER.sub("\ufffd", line)
