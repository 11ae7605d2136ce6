"""Messages for text that is not TOML or JSON."""

from __future__ import annotations

import pytest

from bnaparser.files.tables import parse_json, parse_toml


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[train]\nseed", "line 2: a setting needs a value: KEY = VALUE"),
        ("[train\nseed = 1", "line 1, column 7: the heading of a table must end in ]"),
        ("seed = yes", "line 1, column 8: this is not a value: text needs quotes"),
        ("seed = 1\nseed = 2", "line 2: the key is set twice"),
        ("seed = 1 epochs = 2", "line 1, column 10: text after the value"),
        ("data = [1", "line 1: the list is not closed"),
        ("name = 'x", "line 1: the text is not closed"),
        ("\x01", "line 1, column 1: this line is not TOML"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        pytest.param("a = " + "1" * 5_000, "^a number is too long$", id="long number"),
    ],
)
def test_a_mistake_in_toml_is_told_in_plain_words(text: str, message: str) -> None:
    """The wording was that of Python's tomllib: "Expected '=' after a key in a key/value pair"."""
    with pytest.raises(ValueError, match=message.replace("[", r"\[").replace("]", r"\]")):
        parse_toml(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: a value is missing"),
        ("{'a': 1}", "line 1, column 2: a name in double quotes is missing"),
        ('{"a" 1}', "line 1, column 6: a colon is missing"),
        ("[1\n2]", "line 2, column 1: a comma is missing"),
        ('["a', "line 1, column 2: the text is not closed"),
        ('"a\tb"', "line 1, column 3: a line break or a control character"),
        ('"\\q"', "line 1, column 2: a backslash in quoted text"),
        ("1 2", "line 1, column 3: text after the end of the value"),
        ("[" * 100_000, "nested too deeply"),
        pytest.param("1" * 5_000, "^a number is too long$", id="long number"),
    ],
)
def test_a_mistake_in_json_is_told_in_plain_words(text: str, message: str) -> None:
    """The wording was that of Python's json: "Expecting property name enclosed in double quotes"."""
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        parse_json(text)
