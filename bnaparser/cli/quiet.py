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


def log_progress() -> None:
    """Write how a training goes to standard error, each line with its time."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
    )
    logging.getLogger("bnaparser").setLevel(logging.INFO)
