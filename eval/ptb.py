"""The Penn Treebank row: ``python -m bnaparser.eval.ptb LDC_DIR --model en``.

The same as ``bnaparser evaluate --release ptb``. ``LDC_DIR`` is LDC99T42 (Treebank-3): its ``parsed/mrg/wsj`` is found at any
depth. Scored is section 23, 2,416 sentences, traces and functions removed; ``--split dev`` is section 22.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnaparser import cli


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the row and return the exit code: 0, 1 if sentences failed, 2 for wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    return cli.main(["evaluate", "--release", "ptb", *given])


if __name__ == "__main__":
    sys.exit(main())
