"""What a model folder says of its network, weights apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from bnaparser.errors import ModelError, SettingsError
from bnaparser.files.folder import CONFIG, LABELS
from bnaparser.files.tables import read_json, read_object
from bnaparser.network.labels import Inventory, LanguageNames
from bnaparser.network.model_settings import ModelSettings
from bnaparser.settings import validate

# Where benepar keeps its settings: in the configuration of the encoder.
BENEPAR = "benepar"


@dataclass(frozen=True)
class StoredSettings:
    """Settings, labels, tags, alphabet, and whether sentences may have no constituent as a whole.

    ``by_language`` has the labels and tags of each language, where there are several.
    """

    settings: ModelSettings
    labels: Inventory
    tags: Inventory
    characters: str
    allow_empty_root: bool
    by_language: dict[str, LanguageNames] = field(default_factory=dict)


def is_benepars(folder: Path) -> bool:
    """Tell whether a model folder is one of benepar's; ModelError where it is none."""
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {folder}; see 'bnaparser models'")
    return BENEPAR in read_object(folder / CONFIG)


def read_settings(folder: Path) -> StoredSettings:
    """Read them; ModelError where the folder is not a parser's, or its files are damaged."""
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {folder}; see 'bnaparser models'")
    table = read_object(folder / CONFIG)
    if "task" in table:
        raise ModelError(f"{folder} is no parser but a task's model: see 'bnaparser classify'")
    try:
        settings = validate(ModelSettings, table, str(folder / CONFIG))
    except SettingsError as error:
        raise ModelError(f"{error}; is the model of another version, or damaged?") from error
    return _with_labels(settings, folder / LABELS)


def _with_labels(settings: ModelSettings, path: Path) -> StoredSettings:
    stored = read_json(path)
    try:
        labels, tags = Inventory(stored["labels"]), Inventory(stored["tags"])
        characters, allow_empty_root = stored["characters"], stored["allow_empty_root"]
        if labels.names[:1] != ("",):
            raise ValueError("the first label is not the empty one")
        by_language = {
            language: LanguageNames(frozenset(of["labels"]), frozenset(of["tags"]))
            for language, of in stored.get("languages", {}).items()
        }
        of_all = (by_language[one] for one in settings.text.languages) if by_language else ()
        each = chain(labels.names, tags.names, *((*one.labels, *one.tags) for one in of_all))
        if not all(isinstance(name, str) for name in each):
            raise TypeError("a label or a tag is no text")
        if not isinstance(characters, str) or not isinstance(allow_empty_root, bool):
            raise TypeError("characters or allow_empty_root is of another type")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error!r}; get the model again") from error
    return StoredSettings(settings, labels, tags, characters, allow_empty_root, by_language)
