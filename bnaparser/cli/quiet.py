"""Keep libraries from writing to standard error: what is printed there is ours."""

from __future__ import annotations

import logging
import os
import warnings


def quiet_libraries() -> None:
    """Silence warnings and chatter of torch, transformers and the rest; call before importing them."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    warnings.simplefilter("ignore")
    logging.getLogger("transformers").setLevel(logging.ERROR)
