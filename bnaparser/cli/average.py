"""``bnaparser average``: one parser from several that were trained on from one start."""

from __future__ import annotations

import argparse
from pathlib import Path

from bnaparser.cli.quiet import quiet_libraries
from bnaparser.files.folder import check_new, new_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the models, their shares, the new folder and how it is stored."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="folders or names of two parsers or more"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--shares", nargs="+", type=float, metavar="X", help="one for each model (equal ones)"
    )
    parser.add_argument(
        "--store", choices=("float32", "float16", "int8"), default="float32",
        help="how weights are written (%(default)s)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Write the mean; its metrics.json says of what it is the mean, and has no scores."""
    quiet_libraries()
    from bnaparser.network import storage
    from bnaparser.network.averaging import average

    check_new(options.output)
    model = average(options.models, options.shares)
    with new_folder(options.output) as folder:
        storage.save(model, folder, options.store, {"average of": options.models})
    return 0
