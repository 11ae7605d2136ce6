"""Tables as people and programs read them: JSON files, JSON of one line, and TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bnaparser.errors import ModelError
from bnaparser.files.folder import check_model_file

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")

# Line ends to some readers, Python's ``splitlines`` among them; JSON leaves them as they are.
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})


def json_line(value: Any) -> str:
    """Return a value as one line of JSON that UTF-8 can hold: half a character becomes U+FFFD.

    An argument of a command that was not UTF-8 has such halves, lone surrogates, in its text.
    """
    line = json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
    return _HALF_CHARACTER.sub("\ufffd", line)


def replace_all_surrogates(value: Any) -> Any:
    """Return a value of JSON's kinds in which half a character is U+FFFD, as `json_line` writes it."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {name: replace_all_surrogates(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [replace_all_surrogates(one) for one in value]
    return value


# Instead of Python's advice: an integer of more digits than Python reads is its only other ValueError.
_LONG_NUMBER = "a number is too long"

# The beginning of each message of Python's json, and the advice that a user gets instead.
_JSON_ERRORS = {
    "Expecting value": "a value is missing or is not JSON: text needs double quotes, and other values are"
    " numbers, true, false, null, [...] and {...}",
    "Expecting property name": 'a name in double quotes is missing: an object is {"name": value}',
    "Expecting ':'": "a colon is missing between a name and its value",
    "Expecting ','": "a comma is missing between two values, or the closing bracket",
    "Illegal trailing comma": "remove the comma before the closing bracket",
    "Unterminated string": "the text is not closed: text ends in a double quote",
    "Invalid control character": "a line break or a control character in quoted text: write \\n for a line break",
    "Invalid \\": "a backslash in quoted text that begins no escape: write \\\\ for a backslash",
    "Extra data": "text after the end of the value",
    "Unexpected UTF-8 BOM": "a byte order mark before the value: remove it",
}


def json_mistake(error: json.JSONDecodeError) -> str:
    """Return the mistake in a text that is not JSON, with line and column."""
    start = next((start for start in _JSON_ERRORS if error.msg.startswith(start)), None)
    advice = "this is not JSON" if start is None else _JSON_ERRORS[start]
    return f"line {error.lineno}, column {error.colno}: {advice}"


def parse_json(text: str | bytes) -> Any:
    """Parse JSON. Raises ValueError, with line and column, for text that is not JSON or is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(json_mistake(error)) from None
    except UnicodeDecodeError:
        raise
    except ValueError:
        raise ValueError(_LONG_NUMBER) from None


# The beginning of tomllib's message, and the message for users.
_TOML_ERRORS = {
    "Expected '='": "a setting needs a value: KEY = VALUE",
    "Invalid value": "this is not a value: text needs quotes, and truth values are true and false",
    "Cannot overwrite": "the key is set twice: remove one of the two lines",
    "Cannot declare": "the table is declared twice: put its settings under one heading",
    "Expected ']'": "the heading of a table must end in ]: [NAME]",
    "Unclosed array": "the list is not closed: a list ends in ]",
    "Unclosed inline": "the table is not closed: a table in a line ends in }",
    "Unterminated": "the text is not closed: text ends in the quotation mark with which it begins",
    "Expected \"'": "the text is not closed: text ends in the quotation mark with which it begins",
    "Expected newline": "text after the value: write one KEY = VALUE per line",
    "Illegal character": "a line break or a control character in quoted text: close the quotation mark",
}
_TOML_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises ValueError, with line and column, for text that is not TOML or is nested too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        found = _TOML_PLACE.fullmatch(str(error))
        reason = found[1] if found else str(error)
        start = next((start for start in _TOML_ERRORS if reason.startswith(start)), None)
        advice = "this line is not TOML" if start is None else _TOML_ERRORS[start]
        if found is None or found[2] is None:
            lines = text.rstrip().splitlines()
            raise ValueError(f"line {max(1, len(lines))}: {advice}") from None
        raise ValueError(f"line {found[2]}, column {found[3]}: {advice}") from None
    except ValueError:
        raise ValueError(_LONG_NUMBER) from None


def read_json(path: Path) -> Any:
    """Read a JSON file of a model folder, in UTF-8. Raises ModelError if the file is missing or damaged."""
    check_model_file(path)
    try:
        return parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error}; download or copy the model again") from error


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file of a model folder. Raises ModelError if the file is missing or damaged."""
    table = read_json(path)
    if not isinstance(table, dict):
        raise ModelError(
            f"{path} is damaged: the file holds no JSON object {{...}}; download or copy the model again"
        )
    return table


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file that people may read."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
