"""What run_syntax.py and run_large.py are told in the same words."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.studies.syntax.syntax_tables import SEEDS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of what is trained, on what, and where it is kept."""
    parser.add_argument("--tasks", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--encoder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--parser", default="en", help="whose trees: a name or folder")
    parser.add_argument("--scored", type=int, default=1000, help="at most so many are scored")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--pooling", default="mean", help="how a text's vector is made")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", choices=("no", "bf16"), default="no", help="of training")
    parser.add_argument("--report", action="store_true", help="write the page; run nothing")
    parser.add_argument("--page", type=Path, help="write it here; default: beside this program")
