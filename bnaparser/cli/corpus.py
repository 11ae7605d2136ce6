"""``bnaparser corpus IN... OUT``: parse any number of files of any size, in one process or many."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.arguments import (
    BATCH_HELP,
    DEVICE_HELP,
    LANGUAGE_HELP,
    MODEL_HELP,
    QUIET_HELP,
    SPLIT_HELP,
    add_encoding,
    add_examples,
    add_precision,
)
from bnaparser.cli.console import SOME_FAILED, SUCCESS, say
from bnaparser.cli.options import add_tree_options, load_parser, parse_options_of
from bnaparser.errors import SettingsError
from bnaparser.text.sentence import SPLITS

if TYPE_CHECKING:
    from bnaparser.parsing.corpus.run import CorpusProgress, CorpusRun

EXAMPLES = """\
  bnaparser corpus book.txt parsed/
  bnaparser corpus 'news/*.jsonl.gz' parsed/ --field body --id url --to parquet
  bnaparser corpus texts/ parsed/ --workers 8
  bnaparser corpus texts/ parsed/ --engine ray --ray-address auto --workers 64"""
_KINDS = ("text", "jsonl", "csv", "tsv", "parquet", "conllu")
_REPORT_SECONDS = 60.0  # seconds, if there is no terminal for a bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="IN... OUT",
        help="input files, folders or patterns in quotes (also .gz, .xz, .bz2, .zst), and last the output"
        " folder",
    )
    _add_reading(parser.add_argument_group("input"))
    add_tree_options(parser.add_argument_group("trees"))
    _add_writing(parser.add_argument_group("output"))
    _add_working(parser.add_argument_group("model and workers"))
    add_examples(parser, EXAMPLES)


def _add_reading(read: argparse._ArgumentGroup) -> None:
    read.add_argument(
        "--from",
        dest="kind",
        choices=_KINDS,
        help="format of all input files (default: by the ending: .txt, .jsonl, .csv, .tsv, .parquet,"
        " .conllu)",
    )
    add_encoding(read)
    read.add_argument(
        "--field",
        default="text",
        metavar="NAME",
        help="field or column that holds the text (default: text)",
    )
    read.add_argument(
        "--id",
        metavar="NAME",
        help="field or column that holds the id of a document; ids must be unique",
    )
    read.add_argument(
        "--split",
        choices=SPLITS,
        default="paragraph",
        help=SPLIT_HELP,
    )


def _add_writing(write: argparse._ArgumentGroup) -> None:
    write.add_argument(
        "--to", choices=("jsonl", "parquet"), default="jsonl", help="output format (default: jsonl)"
    )
    write.add_argument(
        "--measures",
        action="store_true",
        help="add the field measures: measures of syntactic complexity of each sentence",
    )
    write.add_argument(
        "--clauses",
        action="store_true",
        help="add the field clauses: clauses of each sentence with kinds and offsets",
    )
    write.add_argument(
        "--shard-size",
        type=int,
        default=1_000_000,
        metavar="N",
        help="approximate number of input characters per output file (default: 1000000)",
    )
    write.add_argument(
        "--fresh",
        action="store_true",
        help="start from scratch: delete the output of an earlier run instead of resuming it",
    )


def _add_working(work: argparse._ArgumentGroup) -> None:
    work.add_argument("-m", "--model", metavar="NAME|DIR", help=MODEL_HELP)
    work.add_argument("--language", metavar="CODE", help=LANGUAGE_HELP)
    work.add_argument("--device", help=DEVICE_HELP)
    add_precision(work)
    work.add_argument("--batch-tokens", type=int, metavar="N", help=BATCH_HELP)
    work.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="number of worker processes (default: the number of cores; with a GPU 1)",
    )
    work.add_argument(
        "--engine",
        choices=("processes", "ray"),
        default="processes",
        help="where workers run: processes of this machine, or a Ray cluster (default: processes)",
    )
    work.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        help="address of the Ray cluster (default: start a local one)",
    )
    work.add_argument(
        "--ray-gpus",
        type=float,
        default=0.0,
        metavar="X",
        help="GPUs per Ray worker; may be a fraction (default: 0)",
    )
    work.add_argument("-q", "--quiet", action="store_true", help=QUIET_HELP)


def run(options: argparse.Namespace) -> int:
    """Parse the corpus; 0 when every sentence has its tree, 1 when some have none."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    corpus = _corpus(options)
    parser = load_parser(options, options.language)
    shown = _Shown(corpus.progress, options.quiet)
    totals = corpus.go(parser, shown.report, say)
    shown.close()
    if not options.quiet:
        say(
            f"{corpus.output} is complete. Sentences: {totals['sentences']:,}; documents: {totals['documents']:,}"
        )
    if totals["failed"]:
        say(
            f"sentences without a tree and documents that cannot be read: {totals['failed']:,};"
            f" {corpus.output}/errors.jsonl lists the reasons"
        )
    return SOME_FAILED if totals["failed"] else SUCCESS


def _corpus(options: argparse.Namespace) -> CorpusRun:
    from bnaparser.parsing.corpus.engines import RaySettings
    from bnaparser.parsing.corpus.run import CorpusRun, CorpusSettings
    from bnaparser.parsing.corpus.shards import ShardSettings

    if len(options.files) < 2:
        raise SettingsError(
            "give at least one input file, and last the output folder: bnaparser corpus IN... OUT"
        )
    *inputs, output = options.files
    if Path(output).is_file():
        raise SettingsError(f"{output} is a file, but the last argument must be the output folder")
    if options.batch_tokens is not None and options.batch_tokens < 1:
        raise SettingsError(f"--batch-tokens {options.batch_tokens}: it must be at least 1")
    if options.engine != "ray" and (options.ray_address is not None or options.ray_gpus):
        raise SettingsError("--ray-address and --ray-gpus need --engine ray")
    settings = CorpusSettings(
        kind=options.kind,
        encoding=options.encoding,
        text_field=options.field,
        id_field=options.id,
        shard=ShardSettings(
            options.split,
            options.to,
            options.shard_size,
            parse_options_of(options),
            options.measures,
            options.clauses,
        ),
        engine=options.engine,
        workers=options.workers,
        cluster=RaySettings(options.ray_address, gpus=options.ray_gpus),
        fresh=options.fresh,
    )
    return CorpusRun(inputs, Path(output), settings)


class _Shown:
    """The progress of a run: a bar on a terminal, else a line each minute."""

    def __init__(self, progress: CorpusProgress, quiet: bool):
        from tqdm import tqdm

        self.quiet, self.reported = quiet, time.monotonic()
        self.on_terminal = sys.stderr.isatty() and not quiet
        self.bar = tqdm(
            total=progress.total,
            unit="B",
            unit_scale=True,
            disable=not self.on_terminal,
            leave=False,
            bar_format="{percentage:3.0f} % |{bar:30}| {postfix}",
        )

    def report(self, progress: CorpusProgress) -> None:
        """Show how far the run is."""
        if self.on_terminal:
            self.bar.set_postfix_str(_progress_line(progress), refresh=False)
            self.bar.update(progress.read - self.bar.n)
        elif not self.quiet and time.monotonic() - self.reported >= _REPORT_SECONDS:
            self.reported = time.monotonic()
            share = 100 * progress.read / max(1, progress.total)
            say(f"{share:.0f} %, {_progress_line(progress)}")

    def close(self) -> None:
        """Remove the bar."""
        self.bar.close()


def _progress_line(progress: CorpusProgress) -> str:
    """Return the number of sentences, sentences per second, and the time left at the average speed."""
    if progress.comparing:
        return "comparing the input with what was parsed"
    gone = max(1e-9, time.monotonic() - progress.start)
    rate = progress.new_sentences / gone
    new, left = progress.read - progress.kept, progress.total - progress.read
    line = f"{progress.sentences:,} sentences, {rate:,.0f}/s"
    if new <= 0:
        return line
    return f"{line}, {timedelta(seconds=round(left * gone / new))} left"
