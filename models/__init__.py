"""The trained models that ship with the package, a folder each, and how a model's name is found."""

from __future__ import annotations

from pathlib import Path

from bnaparser.errors import ModelError

SHIPPED = Path(__file__).parent


def shipped() -> list[str]:
    """Return the names of the models in this package, sorted."""
    return sorted(config.parent.name for config in SHIPPED.glob("*/config.json"))


def find(name: str | Path) -> Path:
    """Return the folder of a model: a shipped name, a folder or its zip, or ``org/name`` of a hub.

    Raises ModelError, listing what there is, when nothing is found.
    """
    if str(name) in shipped():
        return SHIPPED / str(name)
    if Path(name).exists():
        return Path(name)
    if isinstance(name, str) and name.count("/") == 1 and not name.startswith((".", "/", "~")):
        return _from_hub(name)
    raise ModelError(
        f"no model {str(name)!r}: give a folder, 'org/name' of a model hub, "
        f"or one that ships: {', '.join(shipped()) or 'none in this installation'}"
    )


def lasting_name(name: str | Path, folder: Path) -> str:
    """Return a name by which `find` finds the folder again, in whatever folder a program runs then."""
    return str(folder.resolve()) if folder == Path(name) else str(name)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        raise ModelError(
            f"no folder {name}, and the model hub did not give a model of that name: "
            f"{type(error).__name__}"
        ) from error
