"""A model folder again with another temperature: its weights, and all else, are copied as they are."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG, METRICS
from bnaparser.files.tables import read_object, write_json
from bnaparser.models.about import files_below
from bnaparser.network.stored_settings import is_benepars, read_settings


def check_folder(folder: Path) -> None:
    """Raise ModelError unless this is a folder of ours, with a file of settings to change."""
    if folder.is_file() or is_benepars(folder):
        raise ModelError(
            f"{folder} has no settings of ours to change: make it a folder first, with 'bnaparser"
            f" models import {folder} DEST'"
        )


def copy_at_temperature(
    folder: Path, target: Path, temperature: float, found: dict[str, Any]
) -> None:
    """Write a folder that is another, at a temperature; ``found`` is added to its metrics.

    Its settings are written before the weights: what a kill leaves is no whole model at the old temperature.
    Raises ModelError where the first is no model folder of ours, or damaged.
    """
    check_folder(folder)
    settings = read_settings(folder).settings.at_temperature(temperature)
    metrics = read_object(folder / METRICS) if (folder / METRICS).is_file() else {}
    files = files_below(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_json(target / CONFIG, settings.model_dump(mode="json"))
    write_json(target / METRICS, {**metrics, "calibration": found})
    for file in files:
        name = file.relative_to(folder)
        written = str(name) in (CONFIG, METRICS)
        if not written and not any(part.startswith("__") for part in name.parts):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / name)
