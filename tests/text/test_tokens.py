"""Each rule of words: its example comes out as its row says, and would not without the rule."""

from __future__ import annotations

import pytest

from bnaparser.text.english import tokens
from bnaparser.text.english.tokens import (
    TOKEN_RULES,
    Kind,
    TokenRule,
    alternatives,
    token_pattern,
)

ROWS = [(kind, rule) for kind, rules in TOKEN_RULES.items() for rule in rules]
each_row = pytest.mark.parametrize(
    ("kind", "rule"), ROWS, ids=[f"{kind}: {rule.name}" for kind, rule in ROWS]
)


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens.word_spans(text)]


@each_row
def test_the_example_has_the_words_of_its_row(kind: Kind, rule: TokenRule) -> None:
    assert words(rule.text) == rule.words.split(" ")


@each_row
def test_the_example_needs_its_rule(
    kind: Kind, rule: TokenRule, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = rule._replace(pattern="(?!)")
    others = [never if other is rule else other for other in TOKEN_RULES[kind]]
    monkeypatch.setattr(tokens, "_TOKEN", token_pattern({**TOKEN_RULES, kind: others}))
    assert words(rule.text) != rule.words.split(" ")


def test_rules_of_a_kind_have_names_of_their_own() -> None:
    for rules in TOKEN_RULES.values():
        names = [rule.name for rule in rules]
        assert len(names) == len(set(names))


def test_the_first_rule_that_fits_is_taken() -> None:
    rules = [TokenRule("long", "ab", "ab", "ab"), TokenRule("short", "a", "a", "a")]
    assert alternatives(rules) == "ab | a"
    assert alternatives(rules[::-1]) == "a | ab"
