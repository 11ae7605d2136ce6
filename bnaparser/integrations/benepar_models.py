"""Where benepar keeps its models: among NLTK's data, from its own server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bnaparser import models
from bnaparser.errors import ModelError
from bnaparser.models.packages import find_installed

SERVER = "https://kitaev.com/benepar/index.xml"


class BeneparModelError(ModelError, LookupError):
    """There is no such model; a LookupError as well, which programs for benepar look out for."""


def locate(name: str) -> str:
    """Return the folder or zip of a model: a path, a name that ships or that a package brings.

    Or one among NLTK's data.
    """
    if Path(name).exists() or name in models.shipped() or find_installed(name) is not None:
        return name
    if "/" not in name and "." not in name:
        import nltk.data

        try:
            found: Any = nltk.data.find(f"models/{name}")
            return str(getattr(found, "path", None) or found.zipfile.filename)
        except LookupError:
            pass
    raise BeneparModelError(
        f"no model {name!r}: give a folder, one that ships ({', '.join(models.shipped())}), or"
        f" fetch one of benepar's with bnaparser.integrations.benepar.download({name!r})"
    )


def download(*names: Any, **options: Any) -> Any:
    """Fetch benepar's models from its server, as ``nltk.download`` does from NLTK's."""
    import nltk.downloader

    return nltk.downloader.Downloader(server_index_url=SERVER).download(*names, **options)
