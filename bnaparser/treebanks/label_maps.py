"""Label maps: how one treebank's labels and tags are written in another's terms.

They stand in a TOML file, one map a treebank; ``""`` takes a phrase node out and leaves its
children on its parent::

    [map]
    word_to_in_as_TO = ["gum"]    # the word "to" is tagged IN there and TO in the reference

    [map.gum.labels]
    "NML" = ""

    [map.gum.tags]
    "AFX" = "JJ"
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from bnaparser.errors import DataError, SettingsError, TreeError
from bnaparser.files.tables import parse_toml
from bnaparser.trees.brackets import check_readable
from bnaparser.trees.cleaning import rewrite
from bnaparser.trees.tree import Tree

_TO_SETS = "word_to_in_as_TO"


@dataclass(frozen=True, slots=True)
class LabelMap:
    """What to rename: phrase labels (to ``""``: take out), tags, and IN to TO on the word "to"."""

    labels: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    word_to_is_TO: bool = False

    def apply(self, tree: Tree) -> Tree:
        """Return the tree with the map applied, below a node ``TOP``."""
        mapped = rewrite(
            tree,
            rename_label=lambda label: self.labels.get(label, label),
            rename_tag=self.rename_tag,
        )
        return mapped or tree  # every word is kept, so there is always a tree

    def rename_tag(self, tag: str, word: str) -> str:
        """Return the tag that ``word``, tagged ``tag``, has under this map."""
        if self.word_to_is_TO and tag == "IN" and word.lower() == "to":
            return "TO"
        return self.tags.get(tag, tag)


def read_label_map(path: str | PathLike[str], name: str) -> LabelMap:
    """Read the map of the treebank ``name`` from a TOML file.

    Raises DataError if the file is missing or no TOML, SettingsError if it has no such map or the
    map is not of the form above.
    """
    file = Path(path)
    try:
        maps = parse_toml(file.read_text(encoding="utf-8-sig")).get("map")
    except OSError as error:
        raise DataError(f"{file}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # not UTF-8, or not TOML
        raise DataError(f"{file}: not a TOML file: {error}") from error
    if not isinstance(maps, dict):
        raise SettingsError(
            f"{file}: the file has no label maps, which are tables [map.NAME.labels]"
        )
    to_sets = maps.get(_TO_SETS, [])
    names = sorted(key for key, value in maps.items() if isinstance(value, dict))
    if not isinstance(to_sets, list):
        raise SettingsError(f"{file}: {_TO_SETS} must be a list of names")
    if name not in names and name not in to_sets:
        raise SettingsError(f"{file}: no label map {name!r}; the label maps are {', '.join(names)}")
    table = maps.get(name, {})
    if unknown := sorted(set(table) - {"labels", "tags"}):
        raise SettingsError(
            f"{file}: map.{name}.{unknown[0]}: a label map has only the tables labels and tags"
        )
    return LabelMap(
        labels=_renames(table, "labels", f"{file}: map.{name}.labels"),
        tags=_renames(table, "tags", f"{file}: map.{name}.tags"),
        word_to_is_TO=name in to_sets,
    )


def _renames(table: dict[str, Any], key: str, where: str) -> dict[str, str]:
    renames = table.get(key, {})
    if not isinstance(renames, dict):
        raise SettingsError(f'{where} must be a table of names, such as "NML" = "NP"')
    for old, new in renames.items():
        if not isinstance(new, str):
            raise SettingsError(f"{where}: {old!r} must have a name in quotes, not {new!r}")
        try:
            check_readable(new, "name", may_be_empty=key == "labels")
        except TreeError as error:
            raise SettingsError(f"{where}: {error.message}") from error
    return renames
