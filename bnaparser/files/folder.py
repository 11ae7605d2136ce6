"""The names of the files in a model folder, and how a new folder takes an old one's place."""

from __future__ import annotations

import shutil
from pathlib import Path

CONFIG = "config.json"
LABELS = "labels.json"
WEIGHTS = "model.safetensors"
METRICS = "metrics.json"
ENCODER = "encoder"


def put_in_place(new: Path, folder: Path) -> None:
    """Rename a folder that is written to its end; what had the name before is removed only then.

    So a process that is killed meanwhile leaves one of both whole, the old one perhaps as ``FOLDER.old``.
    """
    old = folder.with_name(f"{folder.name}.old")
    _remove(old)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    _remove(old)


def _remove(folder: Path) -> None:
    """Remove a folder where there is one; of a link to one the link."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)
