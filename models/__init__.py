"""The trained models that ship with the package, a folder each, and how a model's name is found."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from pathlib import Path

from bnaparser.errors import ModelError
from bnaparser.models.about import other_format
from bnaparser.models.hub import fetch, is_hub_name

SHIPPED = Path(__file__).parent

_BARE = re.compile(r"[A-Za-z0-9][\w.-]*")


def shipped() -> list[str]:
    """Return the names of the models in this package, sorted."""
    return sorted(config.parent.name for config in SHIPPED.glob("*/config.json"))


def find(name: str | Path) -> Path:
    """Return the folder of a model, by the first of these that fits.

    A name that ships; a name that an installed package brings (`bnaparser.models.packages`); a
    folder or its zip; ``org/name`` or ``org/name@revision`` of a hub (`bnaparser.models.hub`).
    Raises ModelError, listing what there is, when nothing is found, and when the folder holds a
    model of another format than this version reads.
    """
    folder = _find(name)
    other = other_format(folder)
    if other:
        raise ModelError(f"{folder} {other}")
    return folder


def model_names(names: str) -> list[str]:
    """Return names of models that stand in one text with commas between them."""
    if _is_there(names):
        return [names]
    return [name.strip() for name in names.split(",") if name.strip()] or [names]


def is_bare(name: str) -> bool:
    """Tell whether a name may be that of a model that ships or of a package's: no path, no blanks."""
    return _BARE.fullmatch(name) is not None


def resolvable_name(name: str | Path, folder: Path) -> str:
    """Return a name by which `find` finds the folder again, in whatever folder a program runs then."""
    return os.path.realpath(folder) if folder == Path(name) else str(name)


def _is_there(name: str | Path) -> bool:
    """Tell whether a name is that of a folder or file; one that is too long for either is not."""
    try:
        return Path(name).exists()
    except OSError:
        return False


def _find(name: str | Path) -> Path:
    if str(name) in shipped():
        return SHIPPED / str(name)
    if isinstance(name, str) and is_bare(name):
        from bnaparser.models.packages import find_installed

        folder = find_installed(name)
        if folder is not None:
            return folder
    if _is_there(name):
        return Path(name)
    if isinstance(name, str) and is_hub_name(name):
        return fetch(name)
    if isinstance(name, str) and len(model_names(name)) > 1:
        raise ModelError(
            f"{name!r} names several models: give one model (in Python, Parser.load takes several)"
        )
    from bnaparser.models.packages import installed

    brought = [one.name for one in installed() if not one.problem]
    nearest = get_close_matches(str(name), [*shipped(), *brought], n=1)
    raise ModelError(
        f"no model {str(name)!r}{f' (did you mean {nearest[0]!r}?)' if nearest else ''}: give a folder,"
        f" 'org/name' of a model hub, or one that ships: {', '.join(shipped()) or 'none in this installation'}"
        f"{'; or of a package: ' if brought else ''}{', '.join(brought)}"
    )
