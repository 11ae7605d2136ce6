"""What spaCy's spans and tokens say of a parse, ``span._.labels`` and so on, named as in benepar 0.2.

A document keeps its parse in ``user_data`` as arrays and strings, so that it goes along to disk
and from one process to another. In pre-order it has every constituent (a chain is one, as in
`bnaparser.trees.tree.Span`), every word as one without a label if it has none, and every
sentence in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import ConstituentError
from bnaparser.trees.escapes import BRACKET_ESCAPES
from bnaparser.trees.tree import CHAIN

# Where a document keeps it.
KEY = ("bnaparser", "constituents")
_BRACKETS = str.maketrans(BRACKET_ESCAPES)


@dataclass(frozen=True)
class SpacyConstituents:
    """The constituents of a document, in pre-order, sentence after sentence.

    ``starts`` and ``ends`` are tokens, half-open, int32 (constituents,); ``labels`` are chains,
    ``S::VP``; ``probabilities`` float32 (constituents,), NaN where there is none. ``tags`` are the
    parser's own, one a token, empty if the parser did not get it (blanks). ``failed`` are
    sentences without a parse: first token, token after the last, reason. ``tokens`` are how many
    the document had.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    labels: Sequence[str]
    probabilities: NDArray[np.float32]
    tags: Sequence[str]
    failed: Sequence[tuple[int, int, str]]
    tokens: int


def keep(doc: Any, found: SpacyConstituents) -> None:
    """Let a document keep its parse."""
    doc.user_data[KEY] = dict(vars(found))


def kept(doc: Any) -> SpacyConstituents:
    """Return the parse of a document; ConstituentError if it has none, or had other tokens when it
    was parsed.
    """
    stored = doc.user_data.get(KEY)
    if stored is None:
        raise ConstituentError(
            "this document is not parsed: add the component with nlp.add_pipe('bnaparser')"
        )
    found = SpacyConstituents(**stored)
    if found.tokens != len(doc):
        raise ConstituentError(
            f"the document was parsed with {found.tokens} tokens and has {len(doc)} now:"
            " put components that merge or split tokens before bnaparser"
        )
    return found


def labels(span: Any) -> tuple[str, ...]:
    """The labels of a span, topmost first: several for a chain, none for a bare word."""
    found, place = _constituent(span)
    return _chain(found.labels[place])


def probability(span: Any) -> float | None:
    """The probability of this constituent, 0 to 1; None for a bare word, or if probabilities were not requested."""
    found, place = _constituent(span)
    value = float(found.probabilities[place])
    return None if math.isnan(value) else value


def confidence(whole: Any) -> float | None:
    """Return the mean probability of the constituents of a document or span. A chain counts once.

    None if probabilities were not requested, or the sentence has no constituent. Sentences without a parse count
    for nothing.
    """
    found = kept(whole.doc)
    start, end = (whole.start, whole.end) if hasattr(whole, "start") else (0, len(whole))
    inside = found.probabilities[(found.starts >= start) & (found.ends <= end)]
    sure = inside[~np.isnan(inside)]
    return float(sure.mean(dtype=np.float64)) if len(sure) else None


def error(span: Any) -> str | None:
    """Return why the sentence of a span has no parse; None if it has one."""
    for start, end, reason in kept(span.doc).failed:
        if start <= span.start and span.end <= end:
            return reason
    return None


def constituents(span: Any) -> Iterator[Any]:
    """Yield the constituents of a span in pre-order: the span itself first; words are included."""
    found, first = _constituent(span)
    for place in range(first, _behind(found, first)):
        yield span.doc[int(found.starts[place]) : int(found.ends[place])]


def children(span: Any) -> Iterator[Any]:
    """Yield the constituents right below a span, left to right."""
    found, first = _constituent(span)
    start = span.start
    for place in range(first + 1, _behind(found, first)):
        if found.starts[place] >= start:
            start = int(found.ends[place])
            yield span.doc[int(found.starts[place]) : start]


def parent(span: Any) -> Any:
    """The constituent right above a span; None for a sentence."""
    found, place = _constituent(span)
    sentence = span.sent.start
    while place > 0 and found.ends[place - 1] > sentence:
        place -= 1
        if found.starts[place] <= span.start and span.end <= found.ends[place]:
            return span.doc[int(found.starts[place]) : int(found.ends[place])]
    return None


def parse_string(span: Any) -> str:
    """The brackets of a span; a word without a tag of the pipeline's has the parser's own."""
    found, first = _constituent(span)
    pieces: list[str] = []
    opened: list[tuple[int, int]] = []  # where each constituent ends, how many brackets it has
    before = ""
    for place in range(first, _behind(found, first)):
        start, end = int(found.starts[place]), int(found.ends[place])
        while opened and opened[-1][0] <= start:
            pieces[-1] += ")" * opened.pop()[1]
        chain = _chain(found.labels[place])
        before += "".join(f"({label} " for label in chain)
        opened.append((end, len(chain)))
        if end == start + 1 and found.tags[start]:
            pieces.append(f"{before}({_word(span.doc[start], found.tags[start])})")
            before = ""
    return " ".join(pieces) + ")" * sum(count for _, count in opened)


def install() -> None:
    """Give spaCy's documents, spans and tokens their extensions; earlier extensions are replaced."""
    from spacy.tokens import Doc, Span, Token

    Doc.set_extension("confidence", getter=confidence, force=True)
    Span.set_extension("confidence", getter=confidence, force=True)
    Span.set_extension("error", getter=error, force=True)
    Span.set_extension("constituents", getter=constituents, force=True)
    Span.set_extension("children", getter=children, force=True)
    both: list[Callable[[Any], Any]] = [labels, parse_string, parent, probability]
    for getter in both:
        Span.set_extension(getter.__name__, getter=getter, force=True)
        Token.set_extension(getter.__name__, getter=_OfToken(getter), force=True)


class _OfToken:
    """A span's getter for the span of one token; a class, so that it can be pickled."""

    def __init__(self, getter: Any):
        self.getter = getter

    def __call__(self, token: Any) -> Any:
        return self.getter(token.doc[token.i : token.i + 1])


def _constituent(span: Any) -> tuple[SpacyConstituents, int]:
    """Return a document's constituents and the place of a span among them."""
    found = kept(span.doc)
    first, behind = (int(np.searchsorted(found.starts, span.start, side)) for side in _SIDES)
    for place in range(first, behind):
        if found.ends[place] == span.end:
            return found, place
    if (reason := error(span)) is not None:
        raise ConstituentError(f"this sentence has no parse: {reason}")
    raise ConstituentError(f"this span is not a constituent: {span.text!r:.80}")


_SIDES: tuple[Any, Any] = ("left", "right")


def _behind(found: SpacyConstituents, first: int) -> int:
    """Return the place after a constituent and all that is below it."""
    return int(np.searchsorted(found.starts, found.ends[first], "left"))


def _chain(label: str) -> tuple[str, ...]:
    return tuple(label.split(CHAIN)) if label else ()


def _word(token: Any, tag: str) -> str:
    shown = f"{token.tag_ or tag} {'_'.join(token.text.split())}"
    return shown.translate(_BRACKETS)
