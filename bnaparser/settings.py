"""What all settings have in common: typed, validated, read from TOML, a table a part.

Tables are named as in the code. Unknown keys are errors, and every error names its key.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bnaparser.errors import DataError, SettingsError

T = TypeVar("T", bound=BaseModel)
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Share = Annotated[float, Field(ge=0, lt=1)]


class Settings(BaseModel):
    """Base of all tables: immutable, and a key that is not a setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def read_table(path: str | Path, overrides: tuple[str, ...] = ()) -> dict[str, Any]:
    """Read a TOML recipe as plain data, with the overrides of `load_recipe`; raises as it does."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"cannot read the recipe {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    for override in overrides:
        _apply_override(table, override)
    return table


def validate(kind: type[T], table: Any, source: str) -> T:
    """Build settings of a kind from plain data; SettingsError names the first key that is wrong."""
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "settings"
        unknown = first["type"] == "extra_forbidden"
        message = "there is no such setting" if unknown else first["msg"]
        raise SettingsError(f"{source}: {key}: {message}") from error


def _apply_override(table: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise SettingsError(f"--set {override}: write it as table.key=value")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *parents, last = key.strip().split(".")
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise SettingsError(f"--set {override}: {parent} is not a table")
    table[last] = value
