"""The Chinese Treebank row: ``python -m bnaparser.eval.ctb LDC_DIR --model FOLDER``.

``LDC_DIR`` is LDC2005T01 (Chinese Treebank 5.1): its ``data/bracketed`` is found at any depth, in
UTF-8 or GB18030. Scored are articles 271-300, 348 sentences, with empty elements and functions
removed; ``--split dev`` are articles 301-325. A sentence whose brackets do not close is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnaparser.cli import table_row
from bnaparser.treebanks.releases import CTB


def main(
    arguments: Sequence[str] | None = None, load_parser: table_row.LoadParser | None = None
) -> int:
    """Print the row and return the exit code: 0, 1 if sentences failed, 2 for wrong usage."""
    description = "Parse a standard part of the Chinese Treebank 5.1 and print LR, LP and F1."
    return table_row.main(CTB, "bnaparser.eval.ctb", description, arguments, load_parser)


if __name__ == "__main__":
    sys.exit(main())
