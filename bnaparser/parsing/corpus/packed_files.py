"""Files of a corpus opened for reading, compressed or not; how far each is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bnaparser.files.compressed import damage_told, unpacked


@contextmanager
def open_packed(path: Path) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """Open a file, and give with it a function that tells how many of its bytes have been read.

    Raises DataError as `bnaparser.files.compressed.open_compressed` does.
    """
    with damage_told(path), path.open("rb") as raw:
        yield unpacked(raw, path.suffix.lower()), raw.tell
