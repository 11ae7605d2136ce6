"""The option ``--tags``: part-of-speech tags that a command is given for a model to read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from bnaparser.errors import DataError, SettingsError
from bnaparser.treebanks.tag_files import Tags, read_tags, tags_of
from bnaparser.trees.tree import Tree

NONE, GOLD = "none", "gold"
HELP = (
    "part-of-speech tags for the model: a file with a line of tags for each sentence, or with trees"
    " that have them; gold: those of the gold trees; say which beside the figures"
)


def given_tags(option: str, gold: Sequence[Tree]) -> list[Tags] | None:
    """Return the tags that ``--tags`` asks for, a row for each gold tree, or None without any.

    Raises DataError or TreeError where a file of tags cannot be read or does not fit.
    """
    if option == NONE:
        return None
    if option == GOLD:
        return [tree.tags for tree in gold]
    return tags_of(option, [tree.words for tree in gold])


def missing_tags(model: str, advice: str) -> SettingsError:
    """Return what is raised where a model that reads tags is given none."""
    return SettingsError(f"the model {model} reads part-of-speech tags: give them with {advice}")


class TagStream:
    """The rows of a file of tags, taken as sentences come, in constant memory.

    Raises DataError where the file cannot be read, or holds more or fewer rows than there are
    sentences.
    """

    def __init__(self, path: Path):
        self.path, self._rows, self._taken = path, read_tags(path), 0
        self._first = list(islice(self._rows, 1))  # a wrong name is known at once

    def take(self, count: int) -> list[Tags]:
        """Return the tags of the next sentences."""
        rows = [*self._first[:count], *islice(self._rows, max(0, count - len(self._first)))]
        self._first = self._first[count:]
        if len(rows) < count:
            ends = f"{self.path} ends after {self._taken + len(rows):,} lines of tags"
            raise DataError(f"{ends}, but the sentences go on")
        self._taken += count
        return [row.tags for row in rows]

    def check_end(self) -> None:
        """Raise DataError where rows are left that no sentence took."""
        for row in (*self._first, *islice(self._rows, 1)):
            raise DataError(f"{self.path}:{row.line}: tags after those of the last sentence")
