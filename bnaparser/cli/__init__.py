"""The commands: ``bnaparse`` parses text, ``bnaparser VERB`` does everything else.

A verb is a module of this package with ``add_arguments`` and ``run``, or one of the ``COMMANDS`` of a module
that several verbs share. The module is imported when the verb is used, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from bnaparser import __version__
from bnaparser.cli.arguments import (
    CommandParser,
    add_examples,
    completing,
    first_argument,
    read_arguments,
    suggestion,
)
from bnaparser.cli.console import guarded, leaving_on_signals
from bnaparser.errors import require_extra

VERBS = {
    "parse": "parse text into constituency trees (the same as bnaparse)",
    "corpus": "parse many or large files in several processes; an interrupted run can be resumed",
    "classify": "predict labels, tags, relations, scores or answers for texts, with a task model",
    "train": "train a parser or a task model from a recipe",
    "pretrain": "pre-train an encoder on spans of text, from a recipe (SpanBERT)",
    "evaluate": "score predicted trees, or a parser, against gold trees (EVALB)",
    "inspect": "draw the attention maps and gates of a task model",
    "probe": "measure how well word vectors of an encoder predict syntax trees (structural probe)",
    "serve": "run the HTTP service and its web page",
    "search": "find nodes in trees by a pattern (Tregex syntax)",
    "measure": "write a table of syntactic complexity measures of texts or trees",
    "draw": "draw existing trees: in the terminal, as SVG, PNG, PDF, LaTeX or HTML",
    "convert": "convert existing trees to another format",
    "annotate": "correct trees on a web page, in a project folder",
    "treebank": "summarise a treebank, convert and clean it",
    "prune": "make a smaller encoder or parser: fewer layers or a smaller vocabulary",
    "average": "average the weights of parsers that were fine-tuned from the same model",
    "calibrate": "calibrate the constituent probabilities of a parser (temperature scaling)",
    "ensemble": "parse with an ensemble of parsers",
    "models": "list, describe, import, export or remove models",
    "check": "print versions and devices, and parse a test sentence (for bug reports)",
}

# The module of verbs that share one.
_MODULES = {
    "average": "model_tools",
    "calibrate": "model_tools",
    "draw": "convert",
    "prune": "model_tools",
    "train": "training",
    "pretrain": "training",
    "inspect": "inspection",
    "probe": "inspection",
}

# Verbs of the half that learns, and the extra that each needs.
NEEDS = {
    "classify": "torch",
    "average": "torch",
    "calibrate": "torch",
    "ensemble": "torch",
    "inspect": "torch",
    "probe": "torch",
    "prune": "torch",
    "train": "train",
    "pretrain": "train",
}

EXAMPLES = """\
  bnaparse "The cat sat on the mat."
  bnaparser serve
  bnaparser VERB --help"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``bnaparser VERB ...`` and return its exit code."""
    with leaving_on_signals():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    typed = list(sys.argv[1:] if arguments is None else arguments)
    name = first_argument(typed)
    parser = CommandParser(
        prog="bnaparser", description="Constituency parsing.", allow_abbrev=False
    )
    parser.add_argument("-V", "--version", action="version", version=f"bnaparser {__version__}")
    add_examples(parser, EXAMPLES)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb", required=True)
    subs = {
        verb: verbs.add_parser(verb, help=summary, description=summary, allow_abbrev=False)
        for verb, summary in VERBS.items()
    }
    if name not in VERBS:
        if name and not name.startswith("-") and not completing():
            parser.error(f"there is no verb {name!r}{_meant(name)}")
        read_arguments(parser, typed, parser)  # help, the version, or no verb: it ends here
        parser.error("the verb must come before its options: bnaparser VERB ...")
    module = import_module(f"bnaparser.cli.{_MODULES.get(name, name)}")
    commands = getattr(module, "COMMANDS", {})
    add_arguments, run_verb = commands.get(name) or (module.add_arguments, module.run)
    add_arguments(subs[name])
    options = read_arguments(parser, typed, subs[name])

    def run(options: argparse.Namespace) -> int:
        if name in NEEDS:
            require_extra(NEEDS[name])
        code: int = run_verb(options)
        return code

    return guarded(run, options)


def _meant(name: str) -> str:
    if " " in name:
        return "; to parse text: bnaparse TEXT"
    return suggestion(name, list(VERBS)) or f"; verbs are {', '.join(VERBS)}"
