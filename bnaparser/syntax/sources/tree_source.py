"""What a source of trees is, and the texts that it is given.

A source is called with texts and returns one `SyntaxTrees` for each, in order. A text is running text, split
into sentences here by English rules; or the words of one sentence; or several sentences of words, which
may have their places in a text: so comes running text of other languages, whose words are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import split

Words = tuple[str, ...]
Text = str | Sequence[str] | Sequence[Sequence[str]] | Sequence[Sentence]

NO_WORDS = "the text has no words"


class TreeSource(Protocol):
    """Interface of a source of trees: one structure for each text, in order; a text without one has ``error`` set."""

    def __call__(self, texts: Sequence[Text], /) -> list[SyntaxTrees]:
        """Return the trees of each text.

        Args:
            texts: running texts, or lists of sentences of words.

        Returns:
            One SyntaxTrees for each text, in order.
        """


class SpacedSentence(NamedTuple):
    """The words of a sentence, and for each word whether a blank follows it."""

    words: Words
    spaces: tuple[bool, ...]


def sentences_of(text: Text) -> list[SpacedSentence]:
    """Return a text's sentences; running text is split, given words stand as they are."""
    read = split(text) if isinstance(text, str) else text
    placed = [part for part in read if isinstance(part, Sentence)]
    if placed:
        nexts = [one.offsets[0][0] for one in placed[1:]] + [placed[-1].offsets[-1][1]]
        return [_spaced(one, end) for one, end in zip(placed, nexts, strict=True)]
    one = all(isinstance(part, str) for part in read)
    given = [cast("Sequence[str]", read)] if one else cast("Sequence[Sequence[str]]", read)
    return [SpacedSentence(tuple(words), (True,) * len(words)) for words in given if words]


def _spaced(sentence: Sentence, following: int) -> SpacedSentence:
    """Return a sentence with its blanks; what follows it begins at a place of the text."""
    ends = [start for start, _ in sentence.offsets[1:]] + [following]
    pairs = zip(sentence.offsets, ends, strict=True)
    return SpacedSentence(sentence.words, tuple(end < after for (_, end), after in pairs))


def words_of(text: Text) -> Words:
    """Return the words of all sentences of a text."""
    return tuple(word for sentence in sentences_of(text) for word in sentence.words)
