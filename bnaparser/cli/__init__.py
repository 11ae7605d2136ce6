"""The command lines: ``bnaparse`` turns text into trees, ``bnaparser VERB`` does all the rest.

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
    add_examples,
    completing,
    given_verb,
    read_arguments,
    suggestion,
)
from bnaparser.cli.console import guarded, leaving_on_signals
from bnaparser.errors import require_extra

VERBS = {
    "parse": "turn text into trees (the same as bnaparse)",
    "corpus": "parse files of any number and size, stop and go on, in many processes",
    "classify": "label texts, guided by their trees",
    "train": "train a parser, or a task's model, by a recipe",
    "pretrain": "pre-train an encoder on spans of text (SpanBERT)",
    "evaluate": "score trees, or a model, against gold trees as EVALB does",
    "inspect": "draw a task model's gates and attention maps",
    "probe": "measure how much of a sentence's tree an encoder's word vectors hold",
    "serve": "run the HTTP service and its page",
    "search": "find nodes of trees by a pattern, as tregex does",
    "measure": "measure the syntactic complexity of texts or trees, as a table",
    "draw": "draw trees that exist: in the terminal, as SVG, PNG, PDF, LaTeX, HTML",
    "convert": "write trees that exist in another format",
    "treebank": "show what a treebank holds, and write it cleaned",
    "prune": "make an encoder or parser with fewer layers or word pieces",
    "average": "make one parser of several that began as one",
    "calibrate": "make a parser's probabilities of constituents ones to believe",
    "ensemble": "parse with several parsers that decide together",
    "models": "list models, describe, import, export or remove one",
    "check": "print versions and devices, and parse one sentence",
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
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = given_verb(given)
    parser = argparse.ArgumentParser(
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
        read_arguments(parser, given, parser)  # help, the version, or no verb: it ends here
        parser.error("give the verb first")
    module = import_module(f"bnaparser.cli.{_MODULES.get(name, name)}")
    commands = getattr(module, "COMMANDS", {})
    add_arguments, run_verb = commands.get(name) or (module.add_arguments, module.run)
    add_arguments(subs[name])
    options = read_arguments(parser, given, subs[name])

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
