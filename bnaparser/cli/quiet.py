"""Keep libraries quiet: what is printed is ours, and their threads do not spin."""

from __future__ import annotations

import logging
import os
import sys
import warnings


def quiet_libraries() -> None:
    """Silence warnings, chatter and spinning threads of torch and the rest; call before importing them."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    warnings.simplefilter("ignore")
    # Threads that wait sleep, and leave their cores to others; it is read once, with torch.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    logging.getLogger("transformers").setLevel(logging.ERROR)


def log_compiling() -> None:
    """Write to standard error that loops of the parser are compiled, or that no folder can keep them."""
    compiling = logging.getLogger("bnaparser.compute.code_cache")
    if compiling.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    compiling.addHandler(handler)
    compiling.setLevel(logging.INFO)
    compiling.propagate = False


def log_progress() -> None:
    """Write how a training goes to standard error, each line with its time, above a progress bar."""
    handler = _AboveTheBar()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("bnaparser").setLevel(logging.INFO)


class _AboveTheBar(logging.Handler):
    """Writes lines to standard error as it is now, without destroying the bar that tqdm shows there."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            tqdm = sys.modules.get("tqdm")
            if tqdm is None:
                print(self.format(record), file=sys.stderr, flush=True)
            else:
                tqdm.tqdm.write(self.format(record), file=sys.stderr)
        except (OSError, ValueError, RuntimeError):  # closed, or in the middle of a write
            self.handleError(record)
