"""The folder that a corpus is written to: whole shards, the state of the run, at the end a manifest.

part-000000.jsonl       a shard; it appears when it is whole
errors.jsonl            a line for each sentence or document without a tree; at the end
manifest.json           what was made of what; at the end
.run/                   while the run goes: its settings, and of each shard that is there its facts
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bnaparser.errors import DataError, SettingsError
from bnaparser.files.tables import parse_json
from bnaparser.parsing.corpus.shards import ParsedShard, Shard, ShardFormat, where

MANIFEST, ERRORS, STATE = "manifest.json", "errors.jsonl", ".run"
_RUN, _LOCK, _DRAFT = "run.json", "lock", ".draft"
_PART = re.compile(r"part-(?P<number>\d{6,})\.(jsonl|parquet)")
_DRAFTS = re.compile(rf"({_PART.pattern}|errors\.jsonl|manifest\.json)(\.\d+)?\{_DRAFT}")

_AGAIN = "to parse everything again, give --fresh"
_COUNTS = ("documents", "sentences", "words", "failed", "bytes")

_written: set[Path] = set()  # by runs of this process, which the system's locks let in

Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """The entry of a shard in the manifest. ``input`` is the digest of its pieces."""

    name: str
    documents: int
    sentences: int
    words: int
    failed: int
    bytes: int
    sha256: str
    input: str


class OutputFolder:
    """A folder and the run that it belongs to. ``about`` says what decides the run's bytes."""

    def __init__(self, folder: Path, about: Facts, to: ShardFormat):
        self.folder, self.about, self.to = folder, about, to
        self.state = folder / STATE
        self.facts: dict[int, ShardFacts] = {}

    @contextmanager
    def open(self, fresh: bool, notice: Callable[[str], None]) -> Iterator[bool]:
        """Lock the folder for this run; the value is whether the run is already complete.

        If it is, ``facts`` are those of its shards, and `check_input` compares the input with them.

        Args:
            fresh: remove what a run wrote to this folder before.
            notice: called with a sentence for each file of a complete run that is missing or was
                changed; the run is then no longer complete, and parses this part again.

        Raises:
            SettingsError: the folder holds other files, or another run, or a run that is writing now.
        """
        _make(self.folder)
        manifest = _manifest(self.folder)
        damaged: list[Path] = []
        if manifest is not None and not fresh:
            self._check_same(manifest["run"])
            damaged = self._damaged(manifest)
            if not damaged:
                self._remove_state()  # of a run that was killed while it did that
                shards = (ShardFacts(**shard) for shard in manifest["shards"])
                self.facts = dict(enumerate(shards))
                yield True
                return
        ours = manifest is not None or (self.state / _RUN).exists()
        if not ours:
            self._refuse_strange()
        _make(self.state)
        with self._locked():
            if fresh and ours:
                self._empty()
            self._begin()
            if manifest is not None and damaged:
                for file in damaged:
                    notice(f"{file} is missing or was changed: this part is parsed again")
                self._reopen(manifest, damaged)
            yield False

    def done(self, shard: Shard, notice: Callable[[str], None]) -> bool:
        """Return whether an earlier run wrote this shard, and its files are unchanged.

        ``notice`` is called with a sentence for a file that is missing or was changed. Raises
        DataError if the input of the shard has changed.
        """
        record = self.state / f"{shard.number:06}.json"
        if not record.exists():
            return False
        facts_read = _unsealed(record)
        if facts_read is None:
            notice(f"{record} is damaged: {where(shard)} is parsed again")
            return False
        errors, facts = facts_read["errors"], ShardFacts(**facts_read["facts"])
        self._check_same_input(shard, facts)
        files = {self.folder / facts.name: facts.sha256}
        if errors is not None:
            files[self.state / f"{shard.number:06}.errors"] = errors
        for file, sha256 in files.items():
            if _sha256(file) != sha256:
                notice(f"{file} is missing or was changed: {where(shard)} is parsed again")
                return False
        self.facts[shard.number] = facts
        return True

    def check_input(self, shards: Iterable[Shard]) -> Iterator[Shard]:
        """Yield the shards of the input, each when it is found to be what a complete run has parsed.

        Raises DataError if the input has changed.
        """
        count = 0
        for shard in shards:
            if shard.number not in self.facts:
                raise DataError(
                    f"{where(shard)} is not in {self.folder}: the input has changed since it was parsed: {_AGAIN}"
                )
            self._check_same_input(shard, self.facts[shard.number])
            count += 1
            yield shard
        if count < len(self.facts):
            raise DataError(
                f"the input of {self.folder / self.facts[count].name} is no longer in the input files: {_AGAIN}"
            )

    def _check_same_input(self, shard: Shard, facts: ShardFacts) -> None:
        if facts.input != shard.digest:
            raise DataError(
                f"the input of {self.folder / facts.name} ({shard.pieces[0].place} to"
                f" {shard.pieces[-1].place}) has changed since it was parsed: {_AGAIN}"
            )

    def write(self, shard: Shard, parsed: ParsedShard) -> None:
        """Write a shard that is parsed: its errors, itself, and last what says that it is there."""
        facts = ShardFacts(
            f"part-{shard.number:06}.{self.to}",
            parsed.documents,
            parsed.sentences,
            parsed.words,
            parsed.failed,
            len(parsed.data),
            hashlib.sha256(parsed.data).hexdigest(),
            shard.digest,
        )
        errors = None
        if parsed.errors:
            errors = hashlib.sha256(parsed.errors).hexdigest()
            self._write(self.state / f"{shard.number:06}.errors", parsed.errors)
        self._write(self.folder / facts.name, parsed.data)
        record = _json({"facts": asdict(facts), "errors": errors})
        self._write(self.state / f"{shard.number:06}.json", _sealed(record))
        self.facts[shard.number] = facts

    def finish(self) -> None:
        """Write the file of errors and the manifest, and take the state of the run away."""
        count = len(self.facts)
        self._remove_beyond(count)
        draft = self.state / (ERRORS + _DRAFT)
        with _space(draft), draft.open("wb") as target:
            for number in range(count):
                errors = self.state / f"{number:06}.errors"
                if self.facts[number].failed and errors.exists():
                    with errors.open("rb") as source:
                        shutil.copyfileobj(source, target)
        draft.replace(self.folder / ERRORS)
        shards = [asdict(self.facts[number]) for number in range(count)]
        totals = {name: sum(shard[name] for shard in shards) for name in _COUNTS}
        self._write(
            self.folder / MANIFEST,
            _json(
                {
                    "run": self.about,
                    "totals": totals,
                    "shards": shards,
                    "errors_sha256": _sha256(self.folder / ERRORS),
                }
            ),
        )
        self._remove_state()

    def _remove_state(self) -> None:
        shutil.rmtree(self.state, ignore_errors=True)

    def totals(self) -> Facts:
        """Return the totals of a run that is complete."""
        found: Facts = _read(self.folder / MANIFEST)["totals"]
        return found

    def _begin(self) -> None:
        run = self.state / _RUN
        if run.exists():
            self._check_same(_read(run))
        else:
            self._write(run, _json(self.about))
        for draft in self.state.glob(f"*{_DRAFT}"):
            draft.unlink(missing_ok=True)
        for file in self.folder.iterdir():
            if _DRAFTS.fullmatch(file.name):
                file.unlink()

    def _refuse_strange(self) -> None:
        """Raise SettingsError if the folder holds anything."""
        strange = [one.name for one in self.folder.iterdir() if one.name != STATE]
        if strange:
            raise SettingsError(
                f"{self.folder} holds {min(strange)}, which does not belong to this run: give an empty folder"
            )

    def _damaged(self, manifest: Facts) -> list[Path]:
        """Return the files of a complete run that are missing, or differ from what was written."""
        files = {shard["name"]: shard["sha256"] for shard in manifest["shards"]}
        files[ERRORS] = manifest["errors_sha256"]
        return [
            self.folder / name
            for name, sha256 in files.items()
            if _sha256(self.folder / name) != sha256
        ]

    def _reopen(self, manifest: Facts, damaged: Sequence[Path]) -> None:
        """Make a complete run incomplete: record its good parts in the state, and remove the manifest.

        A part with failed sentences is parsed again, since its errors are only in the common file.
        """
        for number, shard in enumerate(manifest["shards"]):
            if self.folder / shard["name"] not in damaged and not shard["failed"]:
                record = _json({"facts": shard, "errors": None})
                self._write(self.state / f"{number:06}.json", _sealed(record))
        (self.folder / MANIFEST).unlink()

    def _check_same(self, before: Any) -> None:
        now = json.loads(_json(self.about))
        if before == now:
            return
        before = before if isinstance(before, dict) else {}
        for name in sorted({*before, *now}):
            if before.get(name) != now.get(name):
                was, new = _shown(before.get(name), now.get(name))
                raise SettingsError(
                    f"{self.folder} is the output of another run ({name}: {was}, now {new}): give"
                    " another folder, or --fresh to write this one anew"
                )

    def _empty(self) -> None:
        """Remove what a run wrote, and nothing else; last what says that it is a run's."""
        for file in [*self.folder.iterdir(), *self.state.iterdir()]:
            if _PART.fullmatch(file.name) or file.name == ERRORS or _DRAFTS.fullmatch(file.name):
                file.unlink()
        (self.folder / MANIFEST).unlink(missing_ok=True)
        for file in sorted(self.state.iterdir()):  # run.json is the last of these
            if file.name != _LOCK:
                file.unlink()

    def _remove_beyond(self, count: int) -> None:
        """Remove shards that an input which was longer once had."""
        for file in self.folder.iterdir():
            part = _PART.fullmatch(file.name)
            if part and int(part["number"]) >= count:
                file.unlink()

    def _write(self, path: Path, data: bytes) -> None:
        """Write a file so that it is there whole, or not at all, also if the machine stops."""
        draft = path.with_name(f"{path.name}.{os.getpid()}{_DRAFT}")
        with _space(path):
            try:
                with draft.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            except OSError:
                draft.unlink(missing_ok=True)
                raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other runs out. The system lets go of it when the process ends, however it ends."""
        busy = SettingsError(
            f"{self.folder}: another run is writing to this folder: wait until that run ends, or stop it"
        )
        here = Path(os.path.realpath(self.folder))
        if here in _written:
            raise busy
        with (self.state / _LOCK).open("a+b") as file:
            try:
                import fcntl

                # The process's own: no worker has it, which may outlive a run that was killed.
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # Windows
                pass
            except OSError:
                raise busy from None
            _written.add(here)
            try:
                yield
            finally:
                _written.remove(here)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from error


def _read(path: Path) -> Any:
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: is damaged: {error}; give --fresh") from error


def _manifest(folder: Path) -> Facts | None:
    """Return a run's manifest; None if there is none. SettingsError if it is none of a run's."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    try:
        found = parse_json(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if _is_manifest(found):
        manifest: Facts = found
        return manifest
    raise SettingsError(f"{path} is damaged, or not the manifest of a run: give an empty folder")


def _is_manifest(found: Any) -> bool:
    """Return whether a value of JSON has what is read of a manifest."""
    try:
        shards = [ShardFacts(**shard) for shard in found["shards"]]
        return (
            {"run", "errors_sha256"} <= found.keys()
            and all(_PART.fullmatch(shard.name) for shard in shards)
            and all(isinstance(text, str) for one in shards for text in (one.sha256, one.input))
            and all(
                isinstance(counts[name], int)
                for counts in (found["totals"], *found["shards"])
                for name in _COUNTS
            )
        )
    except (TypeError, LookupError, AttributeError):
        return False


def _sha256(file: Path) -> str | None:
    """Return the hash of a file; None if it cannot be read."""
    try:
        with file.open("rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()
    except OSError:
        return None


def _sealed(data: bytes) -> bytes:
    """Return data below a line with their hash."""
    return hashlib.sha256(data).hexdigest().encode() + b"\n" + data


def _unsealed(path: Path) -> Any:
    """Return the JSON of a file that `_sealed` wrote; None if it is damaged."""
    try:
        digest, _, data = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return parse_json(data) if hashlib.sha256(data).hexdigest().encode() == digest else None


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _shown(before: Any, now: Any) -> tuple[str, str]:
    """What differs between two values, short: of two lists the first item that is another."""
    if isinstance(before, list) and isinstance(now, list):
        for one, other in zip(before, now, strict=False):
            if one != other:
                return _shown(one, other)
        return f"{len(before)} of them", str(len(now))
    return f"{before!r:.80}", f"{now!r:.80}"


@contextmanager
def _space(path: Path) -> Iterator[None]:
    """Say in one sentence that a file cannot be written, and that nothing is lost."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason = "the disk is full: free some space"
        else:
            reason = f"cannot be written: {error.strerror or error}: mend that"
        with suppress(OSError):
            path.with_name(f"{path.name}.{os.getpid()}{_DRAFT}").unlink(missing_ok=True)
        raise DataError(
            f"{path}: {reason}, and run the same command again: the run resumes where it stopped"
        ) from error
