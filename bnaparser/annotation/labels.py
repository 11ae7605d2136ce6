"""The labels that the page offers for a node: those that are commonest in the trees of the project."""

from __future__ import annotations

import re
from collections import Counter

from bnaparser.annotation.project import Project
from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.tree import Tree

MOST_LABELS = 10  # nine to choose from by 1 to 9, and the one that is there
_CONSTITUENT = re.compile(r"\(([^ ()]+) (?=\()")
_TAG = re.compile(r"\(([^ ()]+) ([^ ()]+)\)")


class LabelCounts:
    """How often each label and tag occurs in the latest trees of one annotator."""

    def __init__(self, project: Project, by: str):
        self._labels: Counter[str] = Counter()
        self._tags: dict[str, Counter[str]] = {}  # by word, by ending, and by "" of all words
        for number in range(len(project.sentences)):
            self.add(project.tree(by, number))

    def add(self, tree: str, times: int = 1) -> None:
        """Count the labels of a tree; with -1 take it out again."""
        for label in _CONSTITUENT.findall(tree):
            if label not in ROOT_LABELS:
                self._labels[label] += times
        for tag, word in _TAG.findall(tree):
            for key in _keys(word):
                self._tags.setdefault(key, Counter())[tag] += times

    def offered(self, tree: Tree) -> dict[str, object]:
        """Return the labels to offer in a tree, the best first: labels of constituents, and tags
        for each word.
        """
        return {
            "constituents": _commonest([self._labels]),
            "tags": [self._of_word(word) for word in tree.words],
        }

    def _of_word(self, word: str) -> list[str]:
        """Return the tags that a word has in the trees, then those of words with its ending, then the commonest."""
        return _commonest([self._tags.get(key, Counter()) for key in _keys(word)])[:MOST_LABELS]


def _keys(word: str) -> tuple[str, str, str]:
    return word, f" {word[-3:]}", ""


def _commonest(counts: list[Counter[str]]) -> list[str]:
    found = (label for one in counts for label, count in one.most_common() if count > 0)
    return list(dict.fromkeys(found))
