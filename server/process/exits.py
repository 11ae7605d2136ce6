"""How a process of the service ends: at once, and without its temporary folders."""

from __future__ import annotations

import logging
import os
from typing import NoReturn

from bnaparser.files.temporary import remove_temporary_folders

log = logging.getLogger(__name__)


def end() -> NoReturn:
    """End the process in order: log it, and leave with status 0.

    Python would take a second to take itself apart, with torch in it, and wait for a batch that is
    still being computed for nobody.
    """
    log.info("ended")
    logging.shutdown()
    leave(0)


def leave(status: int) -> NoReturn:
    """End the process at once; its temporary folders go with it, such as that of a zip that is being loaded."""
    remove_temporary_folders()
    os._exit(status)
