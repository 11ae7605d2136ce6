"""Running text of one language as sentences whose words are known, without parsing them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from bnaparser.parsing.found_words import check_finds_words, with_words
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.question import PLAIN
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import split_stream


def read_texts(parser: Parser, language: str, texts: Sequence[str]) -> list[list[Sentence]]:
    """Return the sentences of each text, as the rules of its language and the parser find their words.

    A sentence in which the network fails to find words is left in the pieces that the rules found.
    Raises SettingsError for a language that the parser does not know, ModelError where its words are
    for the network to find, and it finds none.
    """
    rules, parser = parser.text_rules(language), parser.in_language(language)
    check_finds_words(parser.model, rules)
    read = [list(split_stream([text], 0, rules)) for text in texts]
    known, _ = with_words(
        parser.model,
        [sentence for sentences in read for sentence in sentences],
        PLAIN,
        parser.at_once(),
        parser.usable_threads(),
    )
    following = iter(known)
    return [list(islice(following, len(sentences))) for sentences in read]
