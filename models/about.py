"""What is known of a model beyond its weights: language, licence, scores; from its ``about.json``.

And which files a model is made of.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG, check_model_file
from bnaparser.files.tables import read_object

Fact = TypeVar("Fact")

ABOUT, CARD = "about.json", "card.md"
FORMAT = 1  # of model folders, as this version writes and reads them
DATA = ("*.json", "*.toml", "*.md", "*.txt", "*.model", "*.codes", "*.safetensors", "*LICENSE*")
"""The files of a model, at any depth: settings, labels, tokenizer, weights, and words about it."""


_WORDS = ("language", "license", "license_note", "description", "purpose")


@dataclass(frozen=True)
class About:
    """A description of a model; facts that its folder does not contain are empty.

    ``license`` is an SPDX expression, or words where none fits, and ``license_note`` says why in one
    sentence. ``purpose`` says what one takes it for, where there are others. ``f1`` has the score on each test set, in percent; ``size_bytes`` is that of the folder.
    """

    name: str
    language: str = ""
    license: str = ""
    license_note: str = ""
    description: str = ""
    purpose: str = ""
    f1: dict[str, float] = field(default_factory=dict)
    size_bytes: int = 0


def files_below(folder: Path) -> list[Path]:
    """Return all files in a folder at any depth, sorted; those in folders that are links, too, each once."""
    found, seen = [], {os.path.realpath(folder)}
    for top, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [one for one in folders if os.path.realpath(Path(top, one)) not in seen]
        seen |= {os.path.realpath(Path(top, one)) for one in folders}
        found += [Path(top, name) for name in names if Path(top, name).is_file()]
    return sorted(found)


def about(folder: Path, name: str = "") -> About:
    """Return what a model's folder tells of it; without a name the folder's is taken.

    A parser without an ``about.json`` has the languages of its configuration.
    Raises ModelError where a file cannot be read.
    """
    facts = _read(folder / ABOUT)
    words = {key: facts.get(key) or "" for key in _WORDS}  # null is no word
    if not words["language"] and (folder / CONFIG).is_file():
        words["language"] = ", ".join(named_languages(folder))
    return About(
        name=name or Path(os.path.realpath(folder)).name,
        f1={str(name): float(value) for name, value in facts.get("f1", {}).items()},
        size_bytes=sum(file.stat().st_size for file in files_below(folder)),
        **words,
    )


def card(folder: Path) -> str:
    """Return what a model's card says; ModelError where it has none, or none in UTF-8."""
    if not (folder / CARD).exists():
        raise ModelError(f"the model has no model card: there is no file {folder / CARD}")
    check_model_file(folder / CARD)
    try:
        return (folder / CARD).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{folder / CARD} cannot be read: {error}") from error


def kind(folder: Path) -> str:
    """Return "parser", or the kind of task that a model is for: "classification", "tagging", ..."""
    return _configured(
        folder, lambda facts: _text(facts["task"]["kind"]) if "task" in facts else "parser"
    )


def languages(folder: Path) -> list[str]:
    """Return the codes of the languages that a parser's folder is for; none of another model's."""
    if kind(folder) != "parser":
        return []
    return _configured(folder, lambda facts: _codes(facts, ["en"]))


def named_languages(folder: Path) -> list[str]:
    """Return the languages that a configuration names: none for a task's model or one of benepar's."""
    return _configured(folder, lambda facts: _codes(facts, []))


def _codes(facts: dict[str, Any], default: list[str]) -> list[str]:
    codes = (facts.get("text") or {}).get("languages", default)
    if not isinstance(codes, list):  # of a text, its letters would be the codes
        raise TypeError(f"the languages are {codes!r:.60}, not a list")
    return [_text(code) for code in codes]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is not text")
    return value


def _configured(folder: Path, what: Callable[[dict[str, Any]], Fact]) -> Fact:
    """Return what a model's configuration tells. Raises ModelError where it cannot be read."""
    table = read_object(folder / CONFIG)
    try:
        return what(table)
    except (TypeError, LookupError, AttributeError) as error:
        raise ModelError(
            f"{folder / CONFIG} is not the configuration of a model: {error!r}"
        ) from error


def other_format(folder: Path) -> str:
    """Say that a folder holds a model of another format; "" where it does not, or does not tell.

    Formats are counted from 1, ``"format"`` in ``about.json``; without one it is the first.
    """
    try:
        number = read_object(folder / ABOUT).get("format", FORMAT)
    except ModelError:  # none, or damaged: `about` will say so
        return ""
    if type(number) is not int:
        return f"says in {ABOUT} that its format is {json.dumps(number)}: that is not the number of a format"
    if number == FORMAT:
        return ""
    return (
        f"holds a model of format {number}, and this version of bnaparser reads format {FORMAT}:"
        " take a version of the one that fits the other"
    )


def _read(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    facts = read_object(file)
    scores = facts.get("f1", {})
    percentages = isinstance(scores, dict) and all(
        type(value) in (int, float) and 0 <= value <= 100 for value in scores.values()
    )
    if not percentages:
        raise ModelError(f"{file} does not describe a model: write it like models/en/{ABOUT}")
    for key in _WORDS:
        if not isinstance(facts.get(key), str | None):
            raise ModelError(
                f"{file} does not describe a model: {key!r} is {json.dumps(facts[key]):.60}, and must be text in quotes:"
                f" write it like models/en/{ABOUT}"
            )
    return facts
