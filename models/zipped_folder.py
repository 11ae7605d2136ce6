"""A model folder that is a zip, unpacked for as long as it is read."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG
from bnaparser.models.about import other_format


@contextmanager
def unzipped(path: Path) -> Iterator[Path | None]:
    """Yield the model folder that a zip holds, which need not be at its top; None where there is none in it.

    Raises ModelError where the file is not a whole zip, or the model of a format that is not read here.
    """
    with TemporaryDirectory() as unpacked:
        try:
            with ZipFile(path) as archive:
                configs = [n for n in archive.namelist() if Path(n).name == CONFIG]
                if configs:
                    archive.extractall(unpacked)
        except (BadZipFile, OSError, RuntimeError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise ModelError(
                f"{path} is not a whole zip file of a model: {error}; get the model again"
            ) from error
        if not configs:
            yield None
            return
        # A model of ours has its encoder's configuration, too, further down.
        folder = Path(unpacked, min(configs, key=len)).parent
        if other := other_format(folder):
            raise ModelError(f"{path} {other}")
        yield folder
