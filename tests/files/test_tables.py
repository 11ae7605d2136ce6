"""What is said of a recipe that is not TOML."""

from __future__ import annotations

import pytest

from bnaparser.files.tables import parse_toml


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
    ],
)
def test_a_mistake_in_toml_is_told_in_plain_words(text: str, message: str) -> None:
    """The wording was that of Python's tomllib: "Expected '=' after a key in a key/value pair"."""
    with pytest.raises(ValueError, match=message.replace("[", r"\[").replace("]", r"\]")):
        parse_toml(text)
