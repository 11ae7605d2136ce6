"""What is known of a model beyond its weights: language, licence, scores; from its ``about.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bnaparser.errors import ModelError

ABOUT = "about.json"


@dataclass(frozen=True)
class About:
    """A model in a few words; what its folder does not tell is empty.

    ``license`` is an SPDX expression, or words where none fits, and ``license_note`` says why in one
    sentence. ``f1`` has the score on each test set, in percent; ``size_bytes`` is that of the folder.
    """

    name: str
    language: str = ""
    license: str = ""
    license_note: str = ""
    description: str = ""
    f1: dict[str, float] = field(default_factory=dict)
    size_bytes: int = 0


def about(folder: Path) -> About:
    """Return what a model's folder tells of it.

    Raises ModelError where its ``about.json`` cannot be read.
    """
    told = _read(folder / ABOUT)
    words = {
        key: str(told.get(key, ""))
        for key in ("language", "license", "license_note", "description")
    }
    return About(
        name=folder.resolve().name,
        f1={str(name): float(value) for name, value in told.get("f1", {}).items()},
        size_bytes=sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        **words,
    )


def _read(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read: {error}") from error
    scores = told.get("f1", {}) if isinstance(told, dict) else None
    numbers = isinstance(scores, dict) and all(
        isinstance(value, int | float) for value in scores.values()
    )
    if not numbers:
        raise ModelError(f"{file} is no table of what is known of a model: see models/en/{ABOUT}")
    return dict(told)
