"""``bnaparser evaluate``: score predicted trees, or a model, against gold ones, as EVALB does."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from bnaparser.cli.arguments import DEVICE_HELP, add_examples, add_precision
from bnaparser.cli.console import SOME_FAILED, SUCCESS
from bnaparser.cli.options import (
    GOLD,
    NONE,
    TAGS_HELP,
    load_parser,
    missing_tags,
    tag_rows,
    unknown_labels,
)
from bnaparser.errors import SettingsError
from bnaparser.eval import (
    Significance,
    compare_outputs,
    compare_raw_outputs,
    score_raw,
    score_with_pyevalb,
)
from bnaparser.eval.api import Trees, read_sides
from bnaparser.eval.evalb import (
    Streams,
    load_params,
    open_side,
    score_streams,
    with_standard_streams,
)
from bnaparser.eval.files import open_seekable, tree_lines
from bnaparser.eval.params import Params, collins
from bnaparser.eval.report import HEADER, totals_text
from bnaparser.files.text_files import refuse_binary_file
from bnaparser.treebanks.formats import PENN
from bnaparser.trees.cleaning import Cleaning, clean, core_label
from bnaparser.trees.tree import Tree

NAME = "evaluate"
EXAMPLES = """\
  bnaparser evaluate gold.mrg predicted.mrg
  bnaparser evaluate gold.mrg predicted.mrg --significance other.mrg
  bnaparser evaluate --raw gold.mrg predicted.mrg   # words and sentences may differ
  bnaparser evaluate --model en gold.mrg
  bnaparser evaluate --release ptb LDC99T42 --model DIR     # section 23 of the Penn Treebank, as in the papers
  bnaparser evaluate --release ctb LDC2005T01 --model DIR   # articles 271-300 of the Chinese Treebank 5.1"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments to its parser."""
    parser.add_argument(
        "gold",
        metavar="GOLD",
        help="file of gold trees, in any format of 'bnaparser treebank' (also .gz, .xz, .bz2)",
    )
    parser.add_argument(
        "pred",
        metavar="PRED",
        nargs="?",
        help="file of predicted trees, in any of these formats; leave out with --model",
    )
    parser.add_argument("--prm", metavar="FILE", help="EVALB parameter file (default: COLLINS.prm)")
    parser.add_argument(
        "--scorer",
        choices=("evalb", "pyevalb"),
        default="evalb",
        help="evalb: built in, with the output of the C program EVALB byte for byte; pyevalb: the package"
        " PYEVALB (default: evalb)",
    )
    parser.add_argument(
        "--significance",
        metavar="OTHER_PRED",
        help="second file of predicted trees: test whether its F1 differs from that of PRED by more than chance",
    )
    parser.add_argument(
        "--keep-functions",
        action="store_true",
        help="compare labels with their functions, without indices (NP-SBJ for NP-SBJ-1); EVALB compares NP",
    )
    parser.add_argument(
        "--model",
        metavar="NAME|DIR",
        help="parse the words of GOLD with this model, and score its trees",
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="GOLD and PRED are trees of one text whose words and sentences may differ: compare brackets by the"
        " characters that they cover, and score words and sentences, too",
    )
    parser.add_argument(
        "--release",
        choices=("ptb", "ctb"),
        help="score --model on a standard part of a treebank, as the papers do (LR, LP, F1, gold tags in the"
        " trees); GOLD is the folder of Penn Treebank 3 (LDC99T42) or Chinese Treebank 5.1 (LDC2005T01)",
    )
    parser.add_argument(
        "--split",
        choices=("train", "dev", "test"),
        help="with --release: part of the treebank (default: test)",
    )
    parser.add_argument(
        "--save", metavar="DIR", help="with --release: folder for gold.mrg and predicted.mrg"
    )
    parser.add_argument(
        "--language", metavar="CODE", help="language of GOLD, if the model knows several"
    )
    parser.add_argument("--tags", default=NONE, metavar="FILE|gold", help=TAGS_HELP)
    parser.add_argument("--device", help=DEVICE_HELP)
    add_precision(parser)
    add_examples(parser, EXAMPLES)


def run(args: argparse.Namespace) -> int:
    """Score; 0, or 1 when a file cannot be opened, errors are too many, or parsing failed.

    Raises SettingsError when the arguments do not fit together, and DataError or
    MissingExtraError from PYEVALB and the significance test.
    """
    if args.release is not None:
        return _run_release(args)
    for option in ("split", "save"):
        if getattr(args, option) is not None:
            raise SettingsError(f"--{option} needs --release ptb or --release ctb")
    if args.pred is None and args.model is None:
        raise SettingsError(
            "evaluate needs PRED, a file of predicted trees, or --model, which predicts trees"
        )
    if args.pred is not None and args.model is not None:
        raise SettingsError("evaluate takes either PRED or --model, not both")
    if args.raw and args.model is not None:
        raise SettingsError(
            "--raw scores trees that were parsed from raw text: bnaparse -i TEXT -o PRED, then"
            " bnaparser evaluate --raw GOLD PRED"
        )
    if args.raw and args.scorer == "pyevalb":
        raise SettingsError("--raw is for the scorer evalb: leave out --scorer pyevalb")
    if args.tags != NONE and args.model is None:
        raise SettingsError("--tags needs --model: tags are the input of a model")
    if args.language is not None and args.model is None:
        raise SettingsError("--language needs --model: it is the language that the model parses")
    if args.prm is not None and args.scorer == "pyevalb":
        raise SettingsError("--prm needs --scorer evalb: PYEVALB reads no parameter file")
    if args.keep_functions and args.scorer == "pyevalb":
        raise SettingsError(
            "--keep-functions needs --scorer evalb: PYEVALB always removes functions"
        )
    if args.significance is not None:
        for path in filter(None, (args.gold, args.pred)):
            if Path(path).is_fifo():
                raise SettingsError(
                    f"{path} is a pipe, which can be read only once: --significance needs a file"
                )
    for path in filter(None, (args.gold, args.pred)):
        refuse_binary_file(Path(path))
    return run_model(args) if args.model is not None else run_files(args)


def _run_release(args: argparse.Namespace) -> int:
    from bnaparser.cli import table_row

    if args.model is None:
        raise SettingsError("--release needs --model: give the model to score")
    unused = {
        "PRED": args.pred is not None,
        "--prm": args.prm is not None,
        "--scorer": args.scorer != "evalb",
        "--significance": args.significance is not None,
        "--keep-functions": args.keep_functions,
        "--raw": args.raw,
    }
    for name, is_given in unused.items():
        if is_given:
            raise SettingsError(
                f"--release takes no {name}: write the trees with --save DIR, then score"
                " DIR/gold.mrg and DIR/predicted.mrg"
            )
    return table_row.run(args)


def run_files(args: argparse.Namespace) -> int:
    """Score the file PRED against the file GOLD.

    Files in another format than plain brackets are read as `bnaparser treebank` reads them.
    """
    opener = partial(_open_trees, keep_functions=args.keep_functions)

    def score(streams: Streams) -> int:
        params = _params(args, streams)
        with (
            open_side("gold", os.fsencode(args.gold), opener) as gold_file,
            open_side("test", os.fsencode(args.pred), opener) as pred_file,
        ):
            gold, pred = tree_lines((gold_file, args.gold), (pred_file, args.pred))
            if args.raw:
                return _score_raw(args, list(gold), list(pred), params, streams)
            if gold is not gold_file or args.scorer == "pyevalb":
                code = _score_lines(args, list(gold), list(pred), params, streams)
            else:
                code = score_streams(gold_file, pred_file, params, streams)
        if code == 0 and args.significance is not None:
            _print_significance(args, args.gold, args.pred, params, streams)
        return code

    return with_standard_streams(score)


def run_model(args: argparse.Namespace) -> int:
    """Parse the words of GOLD with the model and score the trees; say what was scored, on stderr how fast.

    The gold trees are cleaned first, as `bnaparser treebank` does it: below TOP, without traces.
    Where a predicted tag makes a mark of a word or a word of a mark, EVALB counts an error; it does
    not stop after some of them unless --prm says so. With --tags these stand in the trees, and a
    model that reads tags reads them; without, such a model is a SettingsError. Returns 1 when a
    sentence could not be parsed.
    """

    def score(streams: Streams) -> int:
        params = _params(args, streams)
        gold, pred, header, report, note = _parse_gold(args)
        if args.prm is None:
            params = replace(params, max_error=len(gold))
        streams.warn(report.encode(errors="surrogateescape"))
        code = _score_lines(args, gold, pred, params, streams)
        if code == 0 and args.significance is not None:
            _print_significance(args, gold, pred, params, streams)
        streams.out.write(header.encode(errors="surrogateescape"))
        streams.warn(note.encode(errors="surrogateescape"))  # last: errors of EVALB are many lines
        return code or (SOME_FAILED if b"" in pred else SUCCESS)

    return with_standard_streams(score)


def _open_trees(path: bytes, keep_functions: bool) -> BinaryIO:
    """Open a file of brackets, or the trees of a file in another format as if it were one."""
    from bnaparser.treebanks.reading import format_of, load_clean_trees

    name = os.fsdecode(path)
    if not Path(name).is_file() or format_of(name) == PENN:
        return open_seekable(path)
    trees = load_clean_trees(name, Cleaning(cut_functions=not keep_functions))
    return BytesIO("".join(f"{tree}\n" for tree in trees).encode())


def _score_raw(
    args: argparse.Namespace,
    gold: list[bytes],
    pred: list[bytes],
    params: Params,
    streams: Streams,
) -> int:
    """Print the scores of trees of one text, a row for each group of sentences; return the exit code."""
    found = score_raw(gold, pred, params)
    write = streams.out.write
    write(HEADER)
    for row in found.brackets.rows:
        write(bytes(row))
    write(totals_text(found.totals, found.short, params.cutoff))
    lines = ["", "-- Text --"]
    for name, matches in (("Words", found.words), ("Sentences", found.sentences)):
        lines += [
            f"{name}, gold {matches.gold}, predicted {matches.test}, matched {matches.matched}",
            f"{name:10}Recall          = {matches.recall:6.2f}",
            f"{name:10}Precision       = {matches.precision:6.2f}",
            f"{name:10}FMeasure        = {matches.f1:6.2f}",
        ]
    share = 100 * found.different / max(found.characters, 1)
    where = f", {found.first_difference}" if found.different else ""
    lines.append(f"Characters that differ    = {share:6.2f} % of {found.characters}{where}")
    write("\n".join([*lines, ""]).encode(errors="surrogateescape"))
    if args.significance is not None:
        result = compare_raw_outputs(gold, pred, args.significance, params)
        _print_result(args, result, streams)
    return SUCCESS


def _score_lines(
    args: argparse.Namespace,
    gold: list[bytes],
    pred: list[bytes],
    params: Params,
    streams: Streams,
) -> int:
    """Print the scores of trees in memory, a line each; return the exit code."""
    if args.scorer == "pyevalb":
        _print_pyevalb(gold, pred, streams)
        return SUCCESS
    files = [
        BytesIO(b"".join(line.rstrip(b"\n") + b"\n" for line in side)) for side in (gold, pred)
    ]
    return score_streams(files[0], files[1], params, streams, piece=-1)


def _parse_gold(args: argparse.Namespace) -> tuple[list[bytes], list[bytes], str, str, str]:
    """Return gold and predicted lines (empty if parsing failed), what was scored, a report, and a
    note if the trees do not fit the model.
    """
    from bnaparser.treebanks.reading import load_clean_trees

    # Traces are no words to parse, and an outer bracket without a label would count against us.
    trees = load_clean_trees(args.gold, Cleaning(cut_functions=not args.keep_functions))
    tags, source = tag_rows(args.tags, trees), args.tags
    parser = load_parser(args, args.language)
    if tags is None and parser.reads_tags:
        raise missing_tags(args.model, "--tags FILE, or --tags gold")
    # EVALB leaves words out by their tags: where a model has none of its own, the gold ones stand in.
    if tags is None and not parser.predicts_tags:
        tags, source = tag_rows(GOLD, trees), GOLD
    start = time.perf_counter()
    parses = parser.parse_many([tree.words for tree in trees], tags)
    seconds = max(time.perf_counter() - start, 1e-9)
    words = sum(len(tree.words) for tree in trees)
    failures = (
        f"{number} : {parse.error}\n" for number, parse in enumerate(parses, 1) if parse.error
    )
    header = (
        "\n-- Scored --\n"
        f"model: {args.model}\n"
        f"data: {args.gold}\n"
        f"parameter file: {args.prm or 'COLLINS.prm'}\n"
        f"tags: {'predicted' if tags is None else source}\n"
    )
    report = (
        f"speed: {len(trees)} sentences, {words} words in {seconds:.2f} s,"
        f" {len(trees) / seconds:.1f} sentences/s, {words / seconds:.0f} words/s\n"
    )
    found = (parse.tree for parse in parses)
    if not args.keep_functions:  # the gold trees' tags have none
        found = (tree and _without_functions(tree) for tree in found)
    gold, predicted = map(list, read_sides(trees, found))
    note = unknown_labels(trees, parser.labels, f"{args.model} ({', '.join(parser.languages)})")
    return gold, predicted, header, "".join(failures) + report, note and f"note: {note}\n"


def _without_functions(tree: Tree) -> Tree:
    """Return a tree as `clean` leaves it, if a tag in it has a function."""
    if all(core_label(tag) == tag for tag in tree.tags):
        return tree
    return clean(tree) or tree


def _params(args: argparse.Namespace, streams: Streams) -> Params:
    if args.prm is None:
        params = collins()
    else:
        params = load_params(os.fsencode(args.prm), Params(), streams)
    return replace(params, keep_functions=args.keep_functions)


def _print_pyevalb(gold: Trees, pred: Trees, streams: Streams) -> None:
    scores = score_with_pyevalb(gold, pred)
    streams.warn(scores.messages.encode(errors="replace"))
    lines = (
        f"Number of sentence        = {scores.sentences:6d}",
        f"Number of Error sentence  = {scores.error_sentences:6d}",
        f"Number of Valid sentence  = {scores.valid:6d}",
        f"Bracketing Recall         = {scores.recall:6.2f}",
        f"Bracketing Precision      = {scores.precision:6.2f}",
        f"Bracketing FMeasure       = {scores.f1:6.2f}",
        f"Complete match            = {scores.complete_match:6.2f}",
        f"Average crossing          = {scores.average_crossing:6.2f}",
        f"No crossing               = {scores.no_crossing:6.2f}",
        f"Tagging accuracy          = {scores.tag_accuracy:6.2f}",
    )
    streams.out.write("\n".join(("-- PYEVALB --", *lines, "")).encode())


def _print_significance(
    args: argparse.Namespace, gold: Trees, pred: Trees, params: Params, streams: Streams
) -> None:
    _print_result(args, compare_outputs(gold, pred, args.significance, params), streams)


def _print_result(args: argparse.Namespace, result: Significance, streams: Streams) -> None:
    text = (
        f"\n-- Significance --\n"
        f"Sentences compared        = {result.sentences:6d}\n"
        f"Sentences left out        = {result.left_out:6d}\n"
        f"FMeasure                  = {result.first_f1:6.2f}  {args.model or args.pred}\n"
        f"FMeasure                  = {result.second_f1:6.2f}  {args.significance}\n"
        f"Difference                = {result.difference:+6.2f}  "
        f"({result.confidence:.0%} interval {result.low:+.2f} to {result.high:+.2f})\n"
        f"p-value                   = {result.p_value:6.4f}  (approximate randomisation)\n"
    )
    streams.out.write(text.encode(errors="surrogateescape"))
