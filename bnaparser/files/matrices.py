"""Weights of a model folder as numpy has them: matrices stored as int8 stay int8."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from bnaparser.compute.packed import Matrix, RowScaled
from bnaparser.errors import ModelError
from bnaparser.files.rounded import CODED, SCALE, decode

STORE = "store"


def read_matrices(path: Path) -> tuple[dict[str, Matrix], str]:
    """Read a weights file: its arrays by name, and how it is stored ("float32", "int8", ...).

    Raises ModelError where it is missing or damaged.
    """
    found: dict[str, Matrix] = {}
    try:
        with safe_open(path, framework="np") as file:
            for name in file.keys():  # noqa: SIM118 (not a mapping)
                if name.endswith(SCALE):
                    continue
                array = file.get_tensor(name)
                if name.endswith(CODED):
                    name = name.removesuffix(CODED)
                    array = decode(array.tobytes(), len(file.get_tensor(f"{name}{SCALE}")))
                if array.dtype == np.int8:
                    scale = file.get_tensor(f"{name}{SCALE}")
                    if scale.shape != (len(array), 1):
                        raise ValueError(f"{name}{SCALE} has not one number a row")
                    found[name] = RowScaled(array, scale[:, 0])
                else:
                    floating = np.issubdtype(array.dtype, np.floating)
                    found[name] = array.astype(np.float32, copy=False) if floating else array
            return found, (file.metadata() or {}).get(STORE, "float32")
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing; the folder is not a complete model") from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({error}); get the model again"
        ) from error
