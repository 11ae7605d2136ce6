"""What the service takes in, whichever protocol a request speaks, and how large an answer becomes."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers

from bnaparser.errors import DataError
from bnaparser.files.text_files import refuse_kinds
from bnaparser.server.problems import BadBody, TooLarge, UnsupportedBody
from bnaparser.server.settings import ServerSettings
from bnaparser.text.sentence import Sentence

OPEN_PATHS = frozenset({"/live"})
"""The paths that need no key."""

# About how many characters of an answer a word takes; the letters of a very long one come several
# times.
_CHARACTERS_A_WORD = 150
_TIMES_A_LETTER = 4
# A drawing is this many times as long as the other output of a tree.
_TIMES_DRAWN = 4
# A text may have empty lines between its sentences, and a sentence may go over several.
_LINES_A_SENTENCE, _LINES_OF_ANY = 4, 1_000


def check_coding(headers: Headers) -> None:
    """Raise UnsupportedBody for a body that is compressed: it is not unpacked here."""
    codings = ",".join(headers.getlist("content-encoding")).lower().split(",")
    coding = next((one.strip() for one in codings if one.strip() not in ("", "identity")), None)
    if coding is not None:
        raise UnsupportedBody(
            f"the body has the content encoding {coding[:40]!r}: send the body without content encoding",
            {"Accept-Encoding": "identity"},
        )


def check_kind(body: bytes) -> None:
    """Raise BadBody for the bytes of a PDF, a picture or another file that is not text."""
    try:
        refuse_kinds("the body", body, remedy="send the text itself, in UTF-8")
    except DataError as error:
        raise BadBody(str(error)) from None


def check_size(texts: Iterable[str], settings: ServerSettings) -> None:
    """Raise TooLarge for texts of more characters, or more lines, than the service takes at once."""
    characters = lines = 0
    for text in texts:
        characters += len(text)
        lines += text.count("\n")
    most_lines = max(_LINES_OF_ANY, _LINES_A_SENTENCE * settings.max_sentences)
    check_most(characters, "characters of text", settings.max_characters)
    check_most(lines, "lines, empty ones too", most_lines)


def check_count(count: int, what: str, settings: ServerSettings) -> None:
    """Raise TooLarge for more sentences, or texts, than a request may have."""
    if count > settings.max_sentences:
        raise TooLarge(
            f"the request has {count:,} {what}, more than the {settings.max_sentences:,} that this"
            " service takes at once"
        )


def check_answer_size(size: int, trees: int, settings: ServerSettings) -> None:
    """Raise TooLarge where several trees of each sentence make an answer of ``size`` characters.

    It may be as long as any other: as that about all the words that may wait, each tree drawn.
    """
    most = _TIMES_DRAWN * _CHARACTERS_A_WORD * settings.queue_words
    if trees > 1 and size > most:
        raise TooLarge(
            f"an answer with {trees:,} trees of each sentence would have about {size:,} characters,"
            f" more than the {most:,} that this service sends in an answer: request"
            " fewer trees, or split the request"
        )


def size_of(sentences: Iterable[Sentence], trees: int = 1, *, drawn: bool = False) -> int:
    """Return about how many characters the answer about these sentences will have.

    ``trees`` are those of each sentence; ``drawn``: with their drawings.
    """
    size = sum(
        max(_CHARACTERS_A_WORD * max(1, len(one.words)), _TIMES_A_LETTER * len(one.text))
        for one in sentences
    )
    return size * trees * (_TIMES_DRAWN if drawn else 1)


def check_most(count: int, what: str, most: int) -> None:
    """Raise TooLarge for more than ``most`` of something in a request."""
    if count > most:
        raise TooLarge(
            f"the request has {count:,} {what}, more than the {most:,} that this service accepts:"
            " split the request"
        )
