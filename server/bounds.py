"""What the service takes in, whichever protocol a request speaks, and how large an answer becomes."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers

from bnaparser.server.problems import TooLarge, UnsupportedBody
from bnaparser.server.service_settings import ServerSettings
from bnaparser.text.sentence import Sentence

OPEN_PATHS = frozenset({"/live"})
"""The paths that need no key."""

# About how many characters of an answer a word takes; the letters of a very long one come several
# times.
_CHARACTERS_A_WORD = 150
_TIMES_A_LETTER = 4


def check_coding(headers: Headers) -> None:
    """Raise UnsupportedBody for a body that is compressed: it is not unpacked here."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise UnsupportedBody(
            f"the body is coded as {coding[:40]!r}: send it as it is",
            {"Accept-Encoding": "identity"},
        )


def check_size(texts: Iterable[str], settings: ServerSettings) -> None:
    """Raise TooLarge for texts of more characters than the service takes at once."""
    size = sum(map(len, texts))
    if size > settings.max_characters:
        raise TooLarge(
            f"the request has {size:,} characters of text, more than the"
            f" {settings.max_characters:,} that this service takes at once: send it in parts"
        )


def check_count(count: int, what: str, settings: ServerSettings) -> None:
    """Raise TooLarge for more sentences, or texts, than a request may have."""
    if count > settings.max_sentences:
        raise TooLarge(
            f"the request has {count:,} {what}, more than the {settings.max_sentences:,} that this"
            " service takes at once"
        )


def size_of(sentences: Iterable[Sentence]) -> int:
    """Return about how many characters the answer about these sentences will have."""
    return sum(
        max(_CHARACTERS_A_WORD * max(1, len(one.words)), _TIMES_A_LETTER * len(one.text))
        for one in sentences
    )
