"""A model as a package of its own: its folder, copied, with a ``pyproject.toml`` that pip reads.

The folder is the package, so that it is a model folder still. Hatchling builds it: it leaves nothing behind in
the folder, and a wheel holds the model's data alone (`bnaparser.models.about.DATA`).
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG, METRICS, WEIGHTS, new_folder
from bnaparser.files.tables import read_object
from bnaparser.models import is_bare, shipped
from bnaparser.models.about import (
    ABOUT,
    CARD,
    DATA,
    FORMAT,
    About,
    about,
    files_below,
    kind,
    named_languages,
)
from bnaparser.models.packages import GROUP

PROJECT = "pyproject.toml"

_TEXT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = {package}
version = {version}
description = {description}
{more}
[project.entry-points.{group}]
{name} = {module}

[tool.hatch.build.targets.wheel]
ignore-vcs = true
include = {include}
exclude = {exclude}

[tool.hatch.build.targets.wheel.sources]
"" = {module}
"""


def export(folder: Path, target: Path, name: str, version: str) -> None:
    """Write a model folder as a package that brings the model by this name.

    ``target`` is a folder that is empty or not there. Raises ModelError where ``folder`` is no
    whole model folder of ours, or a package could not have this name or version; DataError where
    ``target`` is something already.
    """
    from packaging.version import InvalidVersion, Version

    for file in (CONFIG, WEIGHTS):
        if not (folder / file).is_file():
            raise ModelError(
                f"{folder} has no {file}: what can be exported is a model folder of bnaparser's own"
                " ('bnaparser models import' makes one of a benepar model)"
            )
    if not is_bare(name) or not name.isascii() or name[-1] in "._-":
        raise ModelError(f"{name!r} is not a valid name for a model: use letters, digits, - and _")
    if name in shipped():
        raise ModelError(f"a model {name!r} ships with bnaparser: choose another name with --name")
    try:
        version = str(Version(version))
    except InvalidVersion as error:
        raise ModelError(
            f"{version!r} is not a valid version: write a version such as 1.0.0"
        ) from error
    with new_folder(target) as new:
        _copy(folder, new)
        facts = {"format": FORMAT, **_measured(new), **_facts_of(new / ABOUT)}
        (new / ABOUT).write_text(
            json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        text = project(about(new, name), version, has_card=(new / CARD).is_file(),
                       has_terms=any(new.glob("*LICENSE*")))  # fmt: skip
        (new / PROJECT).write_text(text, encoding="utf-8")


def project(model: About, version: str, has_card: bool, has_terms: bool) -> str:
    """Return the ``pyproject.toml`` of a model's package; the licence where one can be named."""
    package = f"bnaparser-model-{_joined(model.name, '-')}"
    more = [f"readme = {_quoted(CARD)}"] if has_card else []
    expression = _expression(model.license) or (f"LicenseRef-{package}" if has_terms else "")
    more += [f"license = {_quoted(expression)}"] if expression else []
    more += [f"license-files = {_quoted(['*LICENSE*'])}"] if has_terms else []
    return _TEXT.format(
        package=_quoted(package),
        version=_quoted(version),
        description=_quoted(" ".join(model.description.split()) or f"The model {model.name}"),
        more="".join(f"{line}\n" for line in more),
        group=_quoted(GROUP),
        name=_quoted(model.name),
        module=_quoted(_joined(package, "_")),
        include=_quoted(list(DATA)),
        exclude=_quoted([PROJECT]),
    )


def _copy(folder: Path, target: Path) -> None:
    """Copy what a model is made of; links, which a hub's cache is full of, as what they lead to."""
    for file in files_below(folder):
        if file == folder / PROJECT or not any(map(file.match, DATA)):
            continue
        copy = target / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def _facts_of(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    about(file.parent)  # says what is wrong with it
    return read_object(file)


def _measured(folder: Path) -> dict[str, Any]:
    """Return what a training has left in a model's folder: its language, and F1 on the development sets.

    Raises ModelError where its configuration has values of the wrong type.
    """
    config = read_object(folder / CONFIG)
    metrics = read_object(folder / METRICS) if (folder / METRICS).is_file() else {}
    found: dict[str, Any] = {}
    if named := named_languages(folder):
        found["language"] = ", ".join(named)
    elif kind(folder) != "parser" and isinstance(config["task"].get("language"), str):
        found["language"] = config["task"]["language"]
    scores = {
        f"{key.removesuffix(' f1')} (development)": round(value, 2)
        for key, value in metrics.items()
        if key.endswith(" f1") and "text" in config and isinstance(value, int | float)
    }
    return {**found, "f1": scores} if scores else found


def _joined(name: str, separator: str) -> str:
    """Return a name as pip and Python write it, in small letters with one separator."""
    return re.sub(r"[._-]+", separator, name).lower()


def _expression(licence: str) -> str:
    """Return a licence as SPDX has it; "" for one in words."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        return str(canonicalize_license_expression(licence))
    except InvalidLicenseExpression:
        return ""


def _quoted(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)
