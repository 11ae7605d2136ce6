"""Dependency trees for a task's texts from a spaCy pipeline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bnaparser.errors import ModelError, import_extra
from bnaparser.syntax.sources.tree_source import NO_WORDS, SpacedSentence, Text, sentences_of
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.text.sentence import not_one_string

_SURROGATE = re.compile("[\ud800-\udfff]")


class SpacyTrees:
    """Dependency trees from a spaCy pipeline; there are no constituency trees.

    The words do not change: spaCy gets them as tokens, and does not split or join them. ``model`` is
    the name or folder of a pipeline, or one that is loaded. Raises MissingExtraError without
    spaCy, ModelError if there is no such pipeline or it has no dependency parser.
    """

    def __init__(self, model: str | Path | Any = "en_core_web_sm", batch_size: int = 256):
        self.batch_size = batch_size
        self.pipeline: Any = _load_spacy(model) if isinstance(model, str | Path) else model
        if "parser" not in self.pipeline.pipe_names:
            raise ModelError(
                f"the spaCy pipeline {model} has no dependency parser: choose another pipeline"
            )

    def __call__(self, texts: Sequence[Text], /) -> list[SyntaxTrees]:
        """Return the trees of each text.

        Args:
            texts: running texts, or lists of sentences of words.

        Returns:
            One SyntaxTrees for each text, in order.
        """
        split_texts = [sentences_of(text) for text in not_one_string(texts, "texts")]
        reasons = [_why_not(sentences) for sentences in split_texts]
        taken = zip(split_texts, reasons, strict=True)
        documents = (self._document(s) for text, why in taken if why is None for s in text)
        parsed = self.pipeline.pipe(documents, batch_size=self.batch_size)
        structures = []
        for sentences, reason in zip(split_texts, reasons, strict=True):
            words = tuple(word for sentence in sentences for word in sentence.words)
            if reason is not None:
                structures.append(SyntaxTrees(words, None, error=reason))
                continue
            heads: list[int] = []
            for document in islice(parsed, len(sentences)):
                start = len(heads)
                above = [token.head.i for token in document]
                heads.extend(
                    0 if head == place else head + 1 + start for place, head in enumerate(above)
                )
            structures.append(SyntaxTrees(words, tuple(heads)))
        return structures

    def _document(self, sentence: SpacedSentence) -> Any:
        starts = [place == 0 for place in range(len(sentence.words))]
        document: Any = import_extra("spacy", "spacy.tokens").Doc
        return document(
            self.pipeline.vocab, sentence.words, spaces=sentence.spaces, sent_starts=starts
        )


def _why_not(sentences: Sequence[SpacedSentence]) -> str | None:
    """Return why spaCy cannot read a text, or None."""
    words = [word for sentence in sentences for word in sentence.words]
    for number, word in enumerate(words, 1):
        if not word or _SURROGATE.search(word):
            return f"word {number} is {word!r}: a word is not empty and has no half characters"
    return None if words else NO_WORDS


def _load_spacy(model: str | Path) -> Any:
    spacy = import_extra("spacy", "spacy")
    try:
        return spacy.load(model, exclude=["ner", "lemmatizer", "attribute_ruler", "textcat"])
    except OSError as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"spaCy has no pipeline {str(model)!r}: {reason}") from error
