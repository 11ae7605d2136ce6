"""A text as each masking scheme masks it, a line a scheme: for eyes, not for training."""

from __future__ import annotations

import numpy as np

from bnaparser.encoders.loading import load_tokenizer
from bnaparser.errors import DataError, MissingExtraError, ModelError, SettingsError
from bnaparser.spanbert.blocks import TokenisedSentence, sentence_texts, tokenise
from bnaparser.spanbert.candidates import (
    annotator,
    is_annotated,
    subword_spans,
    with_found_words,
)
from bnaparser.spanbert.masking import Candidates, Span, mask
from bnaparser.spanbert.pretrain_settings import PretrainRecipe, Scheme

SCHEMES: tuple[Scheme, ...] = (
    "subwords", "words", "entities", "noun_phrases", "constituents", "geometric",
)  # fmt: skip


def picture(text: str, recipe: PretrainRecipe) -> str:
    """Return one line a scheme: its name, and the text with each masked span in brackets.

    The seed and share are the recipe's. A scheme whose parser or pipeline is not there says so.
    Raises DataError where the text has no words, SettingsError for a recipe without an encoder.
    """
    if recipe.encoder.name is None:
        raise SettingsError("--show-masks needs encoder.name, whose subwords are masked")
    tokenizer = load_tokenizer(recipe.encoder.name)
    sentences = tokenise(tokenizer, sentence_texts(text, recipe.text.language))
    if not any(one.ids for one in sentences):
        raise DataError("the text to show has no words")
    width = max(map(len, SCHEMES))
    return "\n".join(f"{name:<{width}}  {_line(name, sentences, recipe)}" for name in SCHEMES)


def _line(scheme: Scheme, sentences: list[TokenisedSentence], recipe: PretrainRecipe) -> str:
    settings = recipe.masking.model_copy(update={"scheme": scheme})
    candidates = None
    if is_annotated(settings, recipe.text):
        try:
            annotate = annotator(settings, recipe.text)
            found = annotate([sentence.text for sentence in sentences])
        except (ModelError, MissingExtraError, SettingsError) as error:
            return f"({error})"
        sentences = list(map(with_found_words, sentences, found))
        table = np.array(subword_spans(sentences, found), np.int64).reshape(-1, 3)
        candidates = Candidates(table[:, :2], table[:, 2])
    ids = np.array([number for one in sentences for number in one.ids])
    starts = np.array([start for one in sentences for start in one.starts])
    generator = np.random.default_rng(recipe.pretrain.seed)
    masked = mask(ids, starts, 0, lambda n: np.ones(n, np.int64), settings, generator, candidates)
    return written(sentences, masked.spans)


def written(sentences: list[TokenisedSentence], spans: list[Span]) -> str:
    """Return the sentences' text with spans of subwords in brackets."""
    opens, closes = {start for start, _ in spans}, {end - 1 for _, end in spans}
    lines = []
    number = 0
    for sentence in sentences:
        parts, place = [], 0
        for first, end in sentence.places:
            start = max(first, place)  # of one character there may be several subwords
            parts.append(sentence.text[place:start])
            parts.append(
                "[" * (number in opens) + sentence.text[start:end] + "]" * (number in closes)
            )
            place = end
            number += 1
        lines.append("".join(parts) + sentence.text[place:])
    return " ".join(lines)
