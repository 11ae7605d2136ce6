"""EVALB's parameter files (``.prm``): what is deleted, what counts as equal, when to give up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Any, BinaryIO

BLANKS = b" \t\n\v\f\r"
"""The six bytes that separate tokens; every other byte, also above 127, is text."""

PIECE = 499
"""EVALB reads a parameter file in pieces of at most this many bytes."""

_INTEGER = re.compile(rb"[ \t\n\v\f\r]*([+-]?)0*([0-9]*)")
_INDEX = re.compile(rb"(?<=.)[-=][0-9]+(?=[-=]|\Z)")
_KEYWORD = re.compile(rb"(\S*)\s*(.*)", re.DOTALL)
_FIELDS = {
    b"DEBUG": "debug",
    b"MAX_ERROR": "max_error",
    b"CUTOFF_LEN": "cutoff",
    b"LABELED": "labeled",
    b"DELETE_LABEL": "delete_labels",
    b"DELETE_LABEL_FOR_LENGTH": "delete_labels_for_length",
    b"QUOTE_LABEL": "quote_labels",
    b"EQ_LABEL": "equal_labels",
    b"EQ_WORD": "equal_words",
}
"""The field of `Params` that each keyword of a parameter file sets."""


@dataclass(frozen=True)
class Params:
    """The contents of one or more parameter files. The defaults are EVALB's own, without a file.

    ``equal_labels`` and ``equal_words`` hold each listed pair in both orders. The relation is
    symmetric, but not transitive: A = B and B = C do not make A = C.
    """

    debug: int = 0
    max_error: int = 10
    cutoff: int = 40
    labeled: bool = True
    delete_labels: frozenset[bytes] = frozenset()
    delete_labels_for_length: frozenset[bytes] = frozenset()
    quote_labels: frozenset[bytes] = frozenset()
    equal_labels: frozenset[tuple[bytes, bytes]] = frozenset()
    equal_words: frozenset[tuple[bytes, bytes]] = frozenset()
    keep_functions: bool = False
    """Compare labels with their functions, ``NP-SBJ``, without indices; EVALB compares them up to the first ``-`` or ``=``."""

    def same_label(self, first: bytes, second: bytes) -> bool:
        """Return whether two labels are equal, or a pair of ``EQ_LABEL``.

        Args:
            first: a label.
            second: another label.

        Returns:
            True if they count as equal.

        Example:
            >>> from bnaparser.eval import collins
            >>> collins().same_label(b"ADVP", b"PRT")
            True
        """
        return first == second or (first, second) in self.equal_labels

    def same_word(self, first: bytes, second: bytes) -> bool:
        """Return whether two words are equal, or a pair of ``EQ_WORD``.

        Args:
            first: a word.
            second: another word.

        Returns:
            True if they count as equal.

        Example:
            >>> from bnaparser.eval import collins
            >>> collins().same_word(b"cat", b"dog")
            False
        """
        return first == second or (first, second) in self.equal_words

    def compared(self, label: bytes) -> bytes:
        """Return the part of a label that is compared.

        Args:
            label: the label.

        Returns:
            The label without indices, and without functions unless ``keep_functions``.

        Example:
            >>> from bnaparser.eval import collins
            >>> collins().compared(b"NP-SBJ-1")
            b'NP'
        """
        return _INDEX.sub(b"", label) if self.keep_functions else cut_label(label)

    def deletes_bracket(self, label: bytes) -> bool:
        """Return whether brackets with a label are left out of the comparison.

        Args:
            label: the label, already cut.

        Returns:
            True if ``DELETE_LABEL`` names it.

        Example:
            >>> from bnaparser.eval import collins
            >>> collins().deletes_bracket(b"TOP")
            True
        """
        return any(self.same_label(label, deleted) for deleted in self.delete_labels)

    def label_classes(self) -> dict[bytes, bytes] | None:
        """Map every label of a pair to one label of its class, or None if there are no classes.

        There are none when the pairs are not transitive: then a label has no one representative.
        """
        partners: dict[bytes, set[bytes]] = {}
        for first, second in self.equal_labels:
            partners.setdefault(first, {first}).add(second)
        if any(partners[other] != group for group in partners.values() for other in group):
            return None
        return {label: min(group) for label, group in partners.items()}


def cut_label(label: bytes) -> bytes:
    """Return the label up to its first ``-`` or ``=``: ``NP-SBJ`` is ``NP``, ``-NONE-`` is empty."""
    return re.split(rb"[-=]", label, maxsplit=1)[0]


def c_integer(text: bytes) -> int:
    """Read a number as C's ``atoi`` does on a 64-bit machine; 0 when there are no digits."""
    match = _INTEGER.match(text)
    assert match is not None  # every part of the pattern may be empty
    sign, digits = match.groups()
    # Cutting to 20 digits keeps Python from refusing absurd numbers; C's strtol stops at 2**63.
    value = int(digits[:20] or b"0") * (-1 if sign == b"-" else 1)
    value = max(-(2**63), min(value, 2**63 - 1))
    return (value + 2**31) % 2**32 - 2**31


def read_params(file: BinaryIO, base: Params, warn: Callable[[bytes], object]) -> Params:
    """Return ``base`` with the settings of an open ``.prm`` file added.

    Lists grow and numbers are replaced, so several files add up. Lines that cannot be used are
    skipped; ``warn`` gets EVALB's message for each, one line with its line end.
    """
    params = base
    for number, piece in enumerate(iter(lambda: file.readline(PIECE), b""), start=1):
        text = piece.partition(b"\0")[0]
        text = text[:1] + text[1:].rstrip(BLANKS)
        if len(text) >= 3 and not text.startswith(b"#"):
            params = _add_line(params, text, number, warn)
    return params


def _add_line(params: Params, text: bytes, number: int, warn: Callable[[bytes], object]) -> Params:
    parts = _KEYWORD.match(text)
    assert parts is not None  # every part of the pattern may be empty
    keyword, value = parts.groups()
    if keyword not in _FIELDS:
        warn(b"Unknown keyword (%s) in parameter file\n" % text)
    elif not value:
        # In C the value is then whatever an earlier line left in memory.
        warn(b"Empty value in parameter file (%d)\n" % number)
    elif keyword in (b"EQ_LABEL", b"EQ_WORD") and len(value.split()) != 2:
        warn(b"%s requires two values\n" % keyword)
    else:
        return _set(params, keyword, value)
    return params


def _set(params: Params, keyword: bytes, value: bytes) -> Params:
    name = _FIELDS[keyword]
    old: Any = getattr(params, name)
    if keyword.startswith(b"EQ_"):
        first, second = value.split()
        new = old | {(first, second), (second, first)}
    elif isinstance(old, frozenset):
        new = old | {value}
    else:
        new = type(old)(c_integer(value))
    return replace(params, **{name: new})


@cache
def collins() -> Params:
    """``COLLINS.prm``: the settings that papers on the Penn Treebank report."""
    return _shipped("COLLINS.prm")


@cache
def new() -> Params:
    """``new.prm`` of EVALB: COLLINS with S1, ``?`` and ``!`` deleted, and quote repair."""
    return _shipped("new.prm")


def _shipped(name: str) -> Params:
    data = resources.files("bnaparser.eval").joinpath(name).read_bytes()
    return read_params(BytesIO(data), Params(), lambda message: None)
