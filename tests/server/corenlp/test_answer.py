"""What CoreNLP's clients get of a sentence whose words are not its text's."""

from __future__ import annotations

from bnaparser.server.corenlp.answer import annotate
from bnaparser.text.text_rules import rules_of


def test_the_original_is_what_stands_in_the_text() -> None:
    text = "Ele foi à escola do (Zé)."
    (one,) = annotate(text, [rules_of("pt").sentence(text)], None, False)
    words = [token.word for token in one.tokens]
    assert words == ["Ele", "foi", "a", "a", "escola", "de", "o", "-LRB-", "Zé", "-RRB-", "."]
    for token in one.tokens:
        assert token.original == text[token.start : token.end]
    originals = [token.original for token in one.tokens]
    assert originals == ["Ele", "foi", "à", "à", "escola", "d", "o", "(", "Zé", ")", "."]
