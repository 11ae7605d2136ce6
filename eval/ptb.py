"""The Penn Treebank row: ``python -m bnaparser.eval.ptb LDC_DIR --model en``.

``LDC_DIR`` is LDC99T42 (Treebank-3): its ``parsed/mrg/wsj`` is found at any depth. Scored is section
23, 2,416 sentences, traces and functions removed; ``--split dev`` is section 22.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnaparser.cli import table_row
from bnaparser.treebanks.releases import PTB


def main(
    arguments: Sequence[str] | None = None, load_parser: table_row.LoadParser | None = None
) -> int:
    """Print the row and return the exit code: 0, 1 if sentences failed, 2 for wrong usage."""
    description = "Parse a standard part of the Penn Treebank and print LR, LP and F1."
    return table_row.main(PTB, "bnaparser.eval.ptb", description, arguments, load_parser)


if __name__ == "__main__":
    sys.exit(main())
