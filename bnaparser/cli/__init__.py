"""The command lines: ``bnaparse`` turns text into trees, ``bnaparser VERB`` does all the rest.

A verb is a module of this package with ``add_arguments`` and ``run``; it is imported when it
is asked for, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from bnaparser import __version__
from bnaparser.cli.exits import guarded

VERBS = {
    "parse": "turn text into trees (the same as bnaparse)",
    "classify": "label texts, guided by their trees",
    "train": "train a parser, or a task's model, by a recipe",
    "pretrain": "pre-train an encoder on spans of text (SpanBERT)",
    "evaluate": "score trees, or a model, against gold trees as EVALB does",
    "inspect": "draw a task model's gates and attention maps",
    "probe": "measure how much of a sentence's tree an encoder's word vectors hold",
    "serve": "run the HTTP service and its page",
    "treebank": "show what a treebank holds, and write it cleaned",
    "prune": "make an encoder with a smaller vocabulary",
    "average": "make one parser of several that began as one",
    "models": "list the models that ship",
    "check": "print versions and devices, and parse one sentence",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``bnaparser VERB ...`` and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    verb = given[0] if given else ""
    parser = argparse.ArgumentParser(
        prog="bnaparser", description="Constituency parsing.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"bnaparser {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb", required=True)
    run = None
    for name, summary in VERBS.items():
        sub = verbs.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name == verb:
            module = import_module(f"bnaparser.cli.{name}")
            module.add_arguments(sub)
            run = module.run
    namespace = parser.parse_args(given)
    assert run is not None
    return guarded(run, namespace)
