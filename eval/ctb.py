"""The Chinese Treebank row: ``python -m bnaparser.eval.ctb LDC_DIR --model FOLDER``.

The same as ``bnaparser evaluate --release ctb``. ``LDC_DIR`` is LDC2005T01 (Chinese Treebank 5.1): its ``data/bracketed`` is found
at any depth, in UTF-8 or GB18030. Scored are articles 271-300, 348 sentences, with empty elements and functions
removed; ``--split dev`` are articles 301-325. A sentence whose brackets do not close is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnaparser import cli


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the row and return the exit code: 0, 1 if sentences failed, 2 for wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    return cli.main(["evaluate", "--release", "ctb", *given])


if __name__ == "__main__":
    sys.exit(main())
