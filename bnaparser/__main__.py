"""``python -m bnaparser VERB ...``: the command ``bnaparser``, where it is not on the path."""

import sys

from bnaparser.cli import main

if __name__ == "__main__":
    sys.exit(main())
