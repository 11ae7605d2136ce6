"""``python -m bnaparser.cli VERB ...``: for ``accelerate launch -m bnaparser.cli train ...``."""

import sys

from bnaparser.cli import main

if __name__ == "__main__":
    sys.exit(main())
