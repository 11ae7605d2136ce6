"""A project folder: sentences, what the parser makes of them, and each step of each annotator.

PROJECT/annotation.jsonl   sentences and steps; the only file that cannot be made again
PROJECT/parses.jsonl       trees by the parser; made again where it is missing
PROJECT/lock               locked (flock) by the process that has the project open; holds the page's address
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TextIO

from bnaparser.annotation.edits import EDITS
from bnaparser.annotation.journal import Journal, Record, read_journal
from bnaparser.errors import DataError, SettingsError, TreeError
from bnaparser.trees.tree import Tree

if sys.platform != "win32":
    import fcntl

STEPS, PARSES, LOCK = "annotation.jsonl", "parses.jsonl", "lock"
VERSION = 1
MOST_OF_NAME = 60  # characters of an annotator's name
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_BRACKETS = re.compile(r"\([^ ()]* (?:\([^ ()]* (?=\()|\([^ ()]+ [^ ()]+\)+ ?)+")
_WORD = re.compile(r" ([^ ()]+)\)")
_FIRST = {"format": "bnaparser annotation project", "version": VERSION}
_FIRST_PARSES = {"format": "bnaparser annotation parses", "version": VERSION}


def check_name(name: str) -> str:
    """Return an annotator's name without spaces around it. Raises ValueError where it is none."""
    name = name.strip()
    if not 1 <= len(name) <= MOST_OF_NAME or _CONTROLS.search(name):
        raise ValueError(
            f"must be a name of 1 to {MOST_OF_NAME} characters, without control characters"
        )
    return name


@dataclass(frozen=True)
class SentenceRecord:
    """A sentence to annotate. ``words`` are spelled as in trees; ``tree`` is the tree of the file,
    if it had trees.
    """

    text: str
    words: tuple[str, ...]
    language: str | None = None
    tree: str | None = None


@dataclass(frozen=True)
class ParsedTrees:
    """What a model makes of a sentence: its best trees with their probabilities, or why it has none.

    ``spans`` are the constituents of all these trees: start, end, label, probability.
    """

    model: str
    trees: tuple[tuple[str, float], ...] = ()
    spans: tuple[tuple[int, int, str, float], ...] = ()
    entropy: float | None = None
    error: str | None = None


@dataclass
class History:
    """The steps of one annotator for one sentence. The first ``place`` trees of ``trees`` are done,
    the other trees undone.
    """

    trees: list[str] = field(default_factory=list)
    place: int = 0
    accepted: str | None = None
    comment: str = ""
    steps: int = 0

    @property
    def tree(self) -> str | None:
        """The tree after the last step; None if it is still that which was there first."""
        return self.trees[self.place - 1] if self.place else None

    def apply(self, step: Record) -> None:
        """Do a step that was saved."""
        match step["do"]:
            case "undo":
                self.place -= 1
            case "redo":
                self.place += 1
            case "accept":
                self.accepted = str(step["tree"])
            case "withdraw":
                self.accepted = None
            case "comment":
                self.comment = str(step["comment"])
            case "choose" | "relabel" | "remove" | "bracket" | "move":
                self.trees[self.place :] = [str(step["tree"])]
                self.place += 1
            case other:
                raise ValueError(f"there is no step {other!r}")
        if not 0 <= self.place <= len(self.trees):
            raise ValueError("nothing to undo or redo")
        self.steps += 1


class Candidate(NamedTuple):
    """A tree to choose: its kind, its brackets, and its probability if the parser made it."""

    name: str
    tree: str
    probability: float | None = None


class Project:
    """A project as it is read from its folder; `open_project` also lets it be changed."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.sentences: list[SentenceRecord] = []
        self.sources: dict[str, str] = {}  # the digests of files that were read, and their names
        self.parses: dict[int, ParsedTrees] = {}
        self.histories: dict[tuple[str, int], History] = {}
        self.model: str | None = None
        self._steps: Journal | None = None
        self._parses: Journal | None = None
        self.sizes = [
            self._read(STEPS, _FIRST, self._apply),
            self._read(PARSES, _FIRST_PARSES, self._apply_parse),
        ]

    def _read(self, name: str, first: Record, apply: object) -> int:
        assert callable(apply)
        path = self.folder / name
        records, size = read_journal(path, first)
        for number, record in enumerate(records, 2):
            try:
                apply(record)
            except (KeyError, TypeError, ValueError, IndexError) as error:
                raise DataError(f"{path}, line {number}: this is damaged: {error!r}") from None
        return size

    def _apply(self, record: Record) -> None:
        if "sentences" in record:
            self.sources[record["sha256"]] = record["source"]
            for one in record["sentences"]:
                sentence = SentenceRecord(**one | {"words": tuple(one["words"])})
                if sentence.tree is not None:
                    _check_tree(sentence.tree, sentence.words)
                self.sentences.append(sentence)
        elif "model" in record:
            self.model = record["model"]
        else:
            sentence = self.sentences[record["sentence"]]  # raises where there is none
            if "tree" in record:
                _check_tree(record["tree"], sentence.words)
            self.history(record["by"], record["sentence"]).apply(record)

    def _apply_parse(self, record: Record) -> None:
        number = record.pop("sentence")
        pairs = {name: tuple(map(tuple, record[name])) for name in ("trees", "spans")}
        parse = ParsedTrees(**record | pairs)
        try:
            for tree, _ in parse.trees:
                _check_tree(tree, self.sentences[number].words)
        except (ValueError, IndexError):
            return  # of other sentences, before a backup was restored, or damaged: it is made again
        if all(len(span) == 4 for span in parse.spans):  # else damaged, and made again
            self.parses[number] = parse

    def open_files(self) -> None:
        """Let the project be changed; for the process that has its lock."""
        steps, parses = self.sizes
        self._steps = Journal(self.folder / STEPS, _FIRST, steps)
        self._parses = Journal(self.folder / PARSES, _FIRST_PARSES, parses)

    def close(self) -> None:
        """Close the files."""
        for journal in (self._steps, self._parses):
            if journal is not None:
                journal.close()

    def _save(self, record: Record) -> None:
        assert self._steps is not None, "the project is not open to be changed"
        self._steps.append(record)
        self._apply(record)

    def add_sentences(self, source: str, digest: str, sentences: Sequence[SentenceRecord]) -> None:
        """Save the sentences of a file, all or none of them. Raises NotSavedError."""
        self._save({"source": source, "sha256": digest, "sentences": list(map(asdict, sentences))})

    def add_parse(self, number: int, parse: ParsedTrees) -> None:
        """Save what the parser makes of a sentence. Raises NotSavedError."""
        assert self._parses is not None, "the project is not open to be changed"
        record = {"sentence": number, **asdict(parse)}
        self._parses.append(record, sync=False)  # it can be made again
        self._apply_parse(record)

    def use_model(self, model: str) -> None:
        """Save the name of the model that parses from now on."""
        if model != self.model:
            self._save({"model": model})

    def history(self, by: str, number: int) -> History:
        """Return what an annotator did with a sentence."""
        return self.histories.setdefault((by, number), History())

    @property
    def annotators(self) -> list[str]:
        """The names of all annotators with at least one step."""
        return sorted({by for (by, _), one in self.histories.items() if one.steps})

    @property
    def touched(self) -> set[int]:
        """The numbers of the sentences for which an annotator has made a step."""
        return {number for (_, number), one in self.histories.items() if one.steps}

    def candidates(self, by: str, number: int) -> list[Candidate]:
        """Return the trees from which an annotator may choose: the tree of the file, the parser's
        five best, and trees that other annotators accepted.

        Those of other annotators are shown only when the annotator has accepted one. Without any there is a flat tree.
        """
        sentence = self.sentences[number]
        found = [] if sentence.tree is None else [Candidate("file", sentence.tree)]
        parse = self.parses.get(number)
        best = enumerate(() if parse is None else parse.trees, 1)
        found += [Candidate(str(place), tree, probability) for place, (tree, probability) in best]
        if self.history(by, number).accepted is not None:
            for other in self.annotators:
                accepted = self.history(other, number).accepted
                if other != by and accepted is not None:
                    found.append(Candidate(other, accepted))
        if not found:
            flat = Tree.from_spans(sentence.words, ["XX"] * len(sentence.words), [])
            found.append(Candidate("flat", str(flat)))
        return found

    def tree(self, by: str, number: int) -> str:
        """Return the tree of a sentence as an annotator has left it."""
        return self.history(by, number).tree or self.candidates(by, number)[0].tree

    def do(
        self, by: str, number: int, do: str, node: int, other: int, label: str, comment: str
    ) -> None:
        """Do a step and save it.

        Args:
            by: The annotator.
            number: The sentence's number, from 0.
            do: A name of `EDITS`; or choose, undo, redo, accept, withdraw, comment.
            node: The number of a node, or of the candidate to choose.
            other: The last node of a bracket, or the node to attach to.
            label: The new label.
            comment: The new comment.

        Raises:
            TreeError: It cannot be done.
            NotSavedError: It cannot be saved, and is not done.
        """
        history = self.history(by, number)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        step: Record = {"sentence": number, "by": by, "at": now, "do": do}
        if do in EDITS:
            step["tree"] = str(EDITS[do](Tree.parse(self.tree(by, number)), node, other, label))
        elif do == "choose":
            candidates = self.candidates(by, number)
            if not 0 <= node < len(candidates):
                raise TreeError(f"there is no tree {node + 1}: there are {len(candidates)}")
            step["tree"] = candidates[node].tree
        elif do == "accept":
            step["tree"] = self.tree(by, number)
        elif do == "comment":
            step["comment"] = comment
        elif do == "undo" and not history.place:
            raise TreeError("there is nothing to undo")
        elif do == "redo" and history.place == len(history.trees):
            raise TreeError("there is nothing to redo")
        self._save(step)

    def accepted(self, by: str | None = None) -> list[str]:
        """Return the accepted trees of one annotator or of all, in the order of the sentences.

        Raises DataError if annotators accepted different trees of a sentence, and none is named.
        """
        if by is not None and by not in self.annotators:
            known = ", ".join(self.annotators) or "nobody"
            raise DataError(f"{self.folder}: there is no annotator {by!r}: there is {known}")
        found, differing = [], []
        for number in range(len(self.sentences)):
            names = self.annotators if by is None else [by]
            trees = {self.history(name, number).accepted for name in names} - {None}
            if len(trees) > 1:
                differing.append(number + 1)
            found += [tree for tree in trees if tree is not None]
        if differing:
            first = ", ".join(map(str, differing[:5])) + (" ..." if differing[5:] else "")
            raise DataError(
                f"{self.folder}: annotators accepted different trees of {len(differing)} sentences ({first}):"
                f" name one of {', '.join(self.annotators)} with --annotator"
            )
        return found


def _check_tree(tree: str, words: tuple[str, ...]) -> None:
    """Raise ValueError where brackets, as they were written, are damaged or have other words."""
    is_whole = _BRACKETS.fullmatch(tree) and tree.count("(") == tree.count(")")
    if not is_whole or tuple(_WORD.findall(tree)) != words:
        raise ValueError(f"{tree[:40]!r} is not a tree of the words of the sentence")


def read_project(folder: Path) -> Project:
    """Read a project without changing it, also while another process has it open.

    Raises DataError if there is none, or where it cannot be read.
    """
    if not (folder / STEPS).is_file():
        raise DataError(f"{folder} is not an annotation project: it has no file {STEPS}")
    return Project(folder)


@contextmanager
def open_project(folder: Path) -> Iterator[tuple[Project, TextIO]]:
    """Open a project to change it, or make a new one; yield it and its lock's file, to write the page's address into.

    The lock ends with the process, however that ends.

    Raises:
        DataError: The folder holds something else, or another process has it open, or it cannot be read.
        NotSavedError: It cannot be written.
    """
    if sys.platform == "win32":
        raise SettingsError("annotate needs Linux or macOS: on Windows run it in WSL")
    if folder.exists() and not folder.is_dir():
        raise DataError(
            f"{folder} is a file: name the project's folder first, as in bnaparser annotate PROJECT {folder}"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if STEPS not in os.listdir(folder) and set(os.listdir(folder)) - {LOCK, PARSES}:
            raise DataError(
                f"{folder} holds other files and no annotation project: name a new folder"
            )
        lock = (folder / LOCK).open("a+", encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder}: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            where = lock.read().strip() or "in another process"
            raise DataError(
                f"{folder} is open already ({where}): use that page, or end it first"
            ) from None
        except OSError as error:
            raise DataError(f"{folder} cannot be locked: {error.strerror or error}") from error
        lock.truncate(0)
        project = Project(folder)
        project.open_files()
        try:
            yield project, lock
        finally:
            project.close()
