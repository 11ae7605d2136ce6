"""Models that pip installs: a package names a folder of its own at the entry point ``bnaparser.models``.

    [project.entry-points."bnaparser.models"]
    NAME = "PACKAGE"

The folder is found by what pip wrote of the package when it was installed. Nothing of the package is imported, to
list it or to load its model: it is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path

from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG, WEIGHTS
from bnaparser.models import is_bare, shipped
from bnaparser.models.about import other_format

GROUP = "bnaparser.models"

_PACKAGE = re.compile(r"\w+(\.\w+)*")
# What reading metadata raises that are not as they should be, of any package of any program.
_DAMAGED = (OSError, TypeError, ValueError, LookupError, AttributeError)


@dataclass(frozen=True)
class ModelPackage:
    """A model that a package brings.

    ``package`` and ``version`` are those that ``pip list`` shows. ``problem`` says in words why the
    model cannot be used; empty where it can.
    """

    name: str
    package: str
    version: str
    folder: Path
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


def installed() -> list[ModelPackage]:
    """Return the models of all installed packages, by name, including models with a problem."""
    found = [
        _read(entry, distribution)
        for distribution in _distributions()
        for entry in _entries(distribution)
    ]
    of_each: dict[str, list[ModelPackage]] = {}
    for one in found:
        of_each.setdefault(one.name, []).append(one)
    return [_alone(one, of_each[one.name]) for one in sorted(found, key=lambda one: one.name)]


def find_installed(name: str) -> Path | None:
    """Return the folder of a package's model; None where no package brings one of that name.

    Raises ModelError where the package is broken, or another one brings the same name.
    """
    for one in installed():
        if one.name == name:
            if one.problem:
                raise ModelError(f"the package {one} cannot be used: it {one.problem}")
            return one.folder
    return None


def _distributions() -> Iterator[Distribution]:
    """Yield what is installed; of a package that lies in two places the first, as Python imports it."""
    seen = set()
    for one in distributions():
        name = _name(one)
        if name not in seen:
            seen.add(name)
            yield one


def _name(distribution: Distribution) -> str:
    """Return a package's name; of one whose metadata are damaged, where they lie."""
    try:
        return str(distribution.metadata["Name"])
    except _DAMAGED:
        return str(distribution.locate_file(""))


def _entries(distribution: Distribution) -> list[EntryPoint]:
    try:
        return list(distribution.entry_points.select(group=GROUP))
    except _DAMAGED:
        return []  # what it may bring cannot be known


def _read(entry: EntryPoint, distribution: Distribution) -> ModelPackage:
    package, version = _name(distribution), ""
    try:
        version = str(distribution.version)
    except _DAMAGED:
        return ModelPackage(entry.name, package, version, Path(), "has damaged metadata")
    if not is_bare(entry.name) or not _PACKAGE.fullmatch(entry.value):
        problem = f"names its model as {entry.name!r} = {entry.value!r}, not as NAME = PACKAGE"
        return ModelPackage(entry.name, package, version, Path(), problem)
    folder = Path(str(distribution.locate_file(entry.value.replace(".", "/"))))
    return ModelPackage(entry.name, package, version, folder, _problem(folder))


def _problem(folder: Path) -> str:
    if not folder.is_dir():
        return f"has no folder {folder}; of an editable installation give the model's folder itself"
    for file in (CONFIG, WEIGHTS):
        if not (folder / file).is_file():
            return f"has no {file} in {folder}"
    return other_format(folder)


def _alone(one: ModelPackage, claims: list[ModelPackage]) -> ModelPackage:
    """Return a package's model, with a problem where its name is another one's, too."""
    problem = one.problem
    if one.name in shipped():
        problem = f"brings a model {one.name!r}, a name that ships with bnaparser, whose is used"
    elif len(claims) > 1:
        others = ", ".join(str(other) for other in claims if other is not one)
        problem = (
            f"brings a model {one.name!r}, and so does {others}: take one away with"
            f" 'pip uninstall {one.package}'"
        )
    return ModelPackage(one.name, one.package, one.version, one.folder, problem)
