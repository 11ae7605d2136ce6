"""The run over a corpus: what an earlier run left in the folder stays, the rest is parsed, in any order."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

import bnaparser
from bnaparser import models
from bnaparser.compute.cores import usable_cores
from bnaparser.errors import SettingsError
from bnaparser.files.compressed import PACKED
from bnaparser.files.folder import deciding_files
from bnaparser.files.temporary import temporary_folder
from bnaparser.files.text_files import OPTION, LineReader
from bnaparser.models.about import files_below
from bnaparser.network.model_settings import is_benepars
from bnaparser.parsing.corpus.documents import (
    Piece,
    TextField,
    conllu_pieces,
    csv_pieces,
    json_pieces,
    parquet_pieces,
    refuse_repeated,
    text_pieces,
)
from bnaparser.parsing.corpus.engines import (
    Notice,
    RaySettings,
    Results,
    in_processes,
    in_this_process,
    on_ray,
)
from bnaparser.parsing.corpus.inputs import CorpusFile, Kind, find_files, open_packed
from bnaparser.parsing.corpus.output_folder import STATE, OutputFolder
from bnaparser.parsing.corpus.shards import Shard, ShardSettings, cut
from bnaparser.parsing.options import DEFAULT_OPTIONS, ParseKeywords, ParseOptions
from bnaparser.parsing.parser import Parser

Engine = Literal["processes", "ray"]


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """How a corpus is read, parsed and written.

    ``encoding`` is that of files without a byte order mark, by default UTF-8. ``text_field`` and
    ``id_field`` are those of tables. ``workers`` parse at the same time, one thread
    each; with one and no cluster it is this process. None is one for each core, and one where a GPU parses.
    """

    kind: Kind | None = None
    encoding: str | None = None
    text_field: str = "text"
    id_field: str | None = None
    shard: ShardSettings = field(default_factory=ShardSettings)
    engine: Engine = "processes"
    workers: int | None = 1
    cluster: RaySettings = field(default_factory=RaySettings)
    fresh: bool = False


@dataclass(slots=True)
class CorpusProgress:
    """The progress of a run. Bytes are bytes of the input files; ``kept`` is the part from an
    earlier run. ``comparing``: the run is complete, and its input is compared with what was parsed.
    """

    total: int
    read: int = 0
    kept: int = 0
    shards: int = 0
    sentences: int = 0
    new_sentences: int = 0
    failed: int = 0
    start: float = 0.0
    comparing: bool = False


Report = Callable[[CorpusProgress], None]


class CorpusRun:
    """A corpus and its output folder. Errors in files are found when the object is made.

    Raises DataError and SettingsError with one sentence for whatever cannot be read or written.
    """

    def __init__(self, inputs: Iterable[str], output: Path, settings: CorpusSettings):
        if isinstance(inputs, str):
            raise TypeError("inputs must be a list of files, such as ['book.txt'], not one string")
        if settings.workers is not None and settings.workers < 1:
            raise SettingsError(f"{settings.workers} workers: give at least 1 worker")
        if settings.shard.size < 1:
            raise SettingsError(
                f"shards of {settings.shard.size} characters: give at least 1 character"
            )
        settings.cluster.check()
        self.settings, self.output = settings, output
        self.files = find_files(inputs, settings.kind, output)
        inside = [
            one
            for one in self.files
            if Path(os.path.realpath(output)) in Path(os.path.realpath(one.path)).parents
        ]
        if inside:
            raise SettingsError(
                f"{inside[0].path} is an input file, and is in the output folder {output}"
            )
        self.field = TextField(settings.text_field, settings.id_field)
        for file in self.files:
            next(self._pieces_of(file), None)  # a missing file or field is known at once
        self.progress = CorpusProgress(sum(file.size for file in self.files))

    def go(self, parser: Parser, report: Report, notice: Notice) -> dict[str, Any]:
        """Parse what has not been parsed yet, and return the totals of the manifest.

        ``report`` is called after each shard, ``notice`` with what is worth a line.
        """
        about = self._about(parser)
        folder = OutputFolder(self.output, about, self.settings.shard.to)
        self.progress.start = time.monotonic()
        with folder.open(self.settings.fresh, notice) as complete:
            if complete:
                self._check_input(folder, report)
                notice(f"{self.output} is complete")
                return folder.totals()
            self._check_encodings()
            shards = self._missing(folder, report, notice)
            for shard, parsed in self._parsed(parser, shards, notice):
                folder.write(shard, parsed)
                self.progress.new_sentences += parsed.sentences
                self._count(folder, shard, report)
            folder.finish()
        return folder.totals()

    def _check_encodings(self) -> None:
        """Raise DataError for a file that is not in its encoding, before anything is parsed.

        Tables with a row a line, or of Parquet, are not read: there a row has its error.
        """
        for file in self.files:
            if file.kind not in ("jsonl", "parquet"):
                with open_packed(file.path) as (raw, _):
                    for _line in self._lines(file, raw):
                        pass

    def _lines(self, file: CorpusFile, raw: IO[bytes]) -> LineReader:
        is_apart = file.kind == "jsonl"
        return LineReader(raw, str(file.path), self.settings.encoding, OPTION, is_apart)

    def _parsed(self, parser: Parser, shards: Iterator[Shard], notice: Notice) -> Results:
        settings = self.settings
        workers = settings.workers or self._usual_workers(parser)
        if settings.engine == "ray":
            return on_ray(parser, shards, settings.shard, workers, settings.cluster)
        if workers == 1:
            return in_this_process(parser, shards, settings.shard)
        return in_processes(parser, shards, settings.shard, workers, notice)

    def _usual_workers(self, parser: Parser) -> int:
        on_gpu = not str(parser.model.device).startswith("cpu") or self.settings.cluster.gpus > 0
        return 1 if on_gpu else usable_cores()

    def _missing(self, folder: OutputFolder, report: Report, notice: Notice) -> Iterator[Shard]:
        """Yield the shards that are not there yet; all input is read, and so checked."""
        pieces = self._pieces(self.output / STATE / "ids.sqlite")
        for shard in cut(pieces, self.settings.shard.size):
            if folder.done(shard, notice):
                self.progress.kept = shard.read
                self._count(folder, shard, report)
            else:
                yield shard

    def _check_input(self, folder: OutputFolder, report: Report) -> None:
        """Raise DataError if the input is not what a complete run has parsed; all input is read."""
        self.progress.comparing = True
        # Not in the output folder: nothing is written there, and so no lock keeps other runs out.
        with temporary_folder() as place:
            shards = cut(self._pieces(place / "ids.sqlite"), self.settings.shard.size)
            for shard in folder.check_input(shards):
                self.progress.kept = shard.read
                self._count(folder, shard, report)

    def _count(self, folder: OutputFolder, shard: Shard, report: Report) -> None:
        facts, progress = folder.facts[shard.number], self.progress
        progress.shards += 1
        progress.sentences += facts.sentences
        progress.failed += facts.failed
        progress.read = max(progress.read, shard.read)
        report(progress)

    def _pieces(self, ids: Path) -> Iterator[tuple[Piece, int]]:
        """Yield the pieces of all files, each with the bytes of input that are read.

        ``ids`` is the file that the ids of documents are kept in.
        """
        before = now = 0

        def each() -> Iterator[Piece]:
            nonlocal before, now
            for file in self.files:
                for piece, read in self._pieces_of(file):
                    now = before + read
                    yield piece
                file.check_unchanged()
                before += file.size

        for piece in refuse_repeated(each(), ids):
            yield piece, now

    def _pieces_of(self, file: CorpusFile) -> Iterator[tuple[Piece, int]]:
        if file.kind == "parquet":
            yield from parquet_pieces(file, self.field)
            return
        with open_packed(file.path) as (raw, position):
            lines = self._lines(file, raw)
            if file.kind == "text":
                pieces = text_pieces(file, lines, self.settings.shard.split)
            elif file.kind == "conllu":
                pieces = conllu_pieces(file, lines)
            elif file.kind == "jsonl":
                pieces = json_pieces(file, lines.lines_or_errors(), self.field)
            else:
                pieces = csv_pieces(file, lines, self.field)
            is_packed = file.path.suffix.lower() in PACKED
            for piece in pieces:
                yield piece, position() if is_packed else lines.place

    def _about(self, parser: Parser) -> dict[str, Any]:
        """Everything that decides the bytes of the output."""
        shard = self.settings.shard
        return {
            "bnaparser": bnaparser.__version__,
            "model": parser.name,
            "model_sha256": _fingerprint(parser),
            **({} if parser.language is None else {"language": parser.language}),
            "precision": parser.precision,
            "batch_tokens": parser.batch_tokens,
            "max_words": parser.max_words,
            **({} if self.settings.encoding is None else {"encoding": self.settings.encoding}),
            "split": shard.split,
            "format": shard.to,
            "shard_size": shard.size,
            "field": self.settings.text_field,
            "id": self.settings.id_field,
            "inputs": [[file.name, file.kind, file.size] for file in self.files],
            **({"measures": True} if shard.measures else {}),
            **({"clauses": True} if shard.clauses else {}),
            **_changed_options(shard.parse_options),
        }


def _changed_options(parse_options: ParseOptions) -> dict[str, Any]:
    """Options of each sentence in addition to its best tree."""
    values = {name: getattr(parse_options, name) for name in ParseKeywords.__annotations__}
    return {
        name: value for name, value in values.items() if value != getattr(DEFAULT_OPTIONS, name)
    }


def _fingerprint(parser: Parser) -> str | None:
    """A digest of a model's zip, or of the files in its folder that decide; None for one in memory."""
    if parser.name is None:
        return None
    digest = hashlib.sha256()
    for model in map(models.find, models.model_names(parser.name)):
        if model.is_file():
            files = [model]
        else:  # benepar keeps all files of a model side by side
            files = files_below(model) if is_benepars(model) else deciding_files(model)
        for file in files:
            digest.update(f"{file.name}\n".encode())
            with file.open("rb") as source:
                digest.update(hashlib.file_digest(source, "sha256").digest())
    return digest.hexdigest()
