"""Weights of a model folder as numpy arrays: matrices stored as int8 stay int8. No torch is imported.

Matrices of few values are Huffman-coded: smaller on disk than their int8 numbers.
"""

from __future__ import annotations

import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize, safe_open

from bnaparser.compute.matrices import Matrix, RowScaled
from bnaparser.errors import ModelError
from bnaparser.files.folder import check_model_file

# What stands after the names of a matrix's scales, and of its numbers where they are coded.
SCALE, CODED = ":scale", ":coded"
# A matrix whose values are no smaller when they are coded is stored as it is: it is read faster.
_WORTH_CODING = 0.7


def code(matrix: NDArray[np.int8]) -> bytes | None:
    """Return an int8 matrix Huffman-coded (a raw deflate stream), or None if that gains little.

    The values of a row do not repeat, so a search for repetitions would only take time.
    """
    coder = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    coded = coder.compress(matrix.tobytes()) + coder.flush()
    return coded if len(coded) < _WORTH_CODING * matrix.size else None


def decode(coded: bytes, rows: int) -> NDArray[np.int8]:
    """Return the matrix that was coded. Raises ValueError if the bytes are not one of ``rows``.

    A Huffman code takes a bit a value at least: what unpacks to more, was not written here, and is not
    unpacked to its end.
    """
    most = 8 * len(coded)
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        values = np.frombuffer(bytearray(decoder.decompress(coded, most + 1)), np.int8)
    except zlib.error as error:
        raise ValueError(f"a coded matrix: {error}") from error
    if len(values) > most or not decoder.eof:
        raise ValueError("a coded matrix is cut off, or unpacks to more than a code can hold")
    if rows == 0 or len(values) % rows:
        raise ValueError("a coded matrix and its scales have different numbers of rows")
    return values.reshape(rows, -1)


# What the metadata say of how the weights are stored: "float32", "float16" or "int8".
STORE = "store"
# What a file calls numbers that numpy does not have.
_BFLOAT16 = "BF16"


class Weights(NamedTuple):
    """The contents of a weights file: arrays by name, in float32 or as stored, and metadata."""

    arrays: dict[str, Matrix]
    metadata: dict[str, str]


def read_matrices(path: Path) -> Weights:
    """Read a weights file. Raises ModelError if it is missing or damaged."""
    check_model_file(path)
    try:
        with safe_open(path, framework="np") as file:
            names = file.keys()
            halves = {name for name in names if file.get_slice(name).get_dtype() == _BFLOAT16}
            stored = {name: file.get_tensor(name) for name in names if name not in halves}
            metadata = file.metadata() or {}
        if halves:
            stored |= _widened(path)
        return Weights(_unpacked(stored), metadata)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({error}); download or copy the model again"
        ) from error


def _widened(path: Path) -> dict[str, NDArray[Any]]:
    """Return the bfloat16 arrays of a file, in float32, whose upper half a bfloat16 number is."""
    found: dict[str, NDArray[Any]] = {}
    for name, array in deserialize(path.read_bytes()):  # type: ignore[no-untyped-call]
        if array["dtype"] == _BFLOAT16:
            upper = np.frombuffer(array["data"], "<u2").astype(np.uint32)
            found[name] = (upper << 16).view(np.float32).reshape(array["shape"])
    return found


def _unpacked(stored: dict[str, NDArray[Any]]) -> dict[str, Matrix]:
    found: dict[str, Matrix] = {}
    for name, array in _decoded(stored).items():
        if array.dtype == np.int8:
            scale = stored[f"{name}{SCALE}"]
            if scale.shape != (len(array), 1):
                raise ValueError(f"{name}{SCALE} must have one number for each row")
            found[name] = RowScaled(array, scale[:, 0])
        else:
            floating = np.issubdtype(array.dtype, np.floating)
            found[name] = array.astype(np.float32, copy=False) if floating else array
    return found


def _decoded(stored: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return all but scales; matrices that were coded are decoded, on all cores."""
    plain = {name: stored[name] for name in stored if not name.endswith((SCALE, CODED))}
    coded = [name.removesuffix(CODED) for name in stored if name.endswith(CODED)]
    if not coded:
        return plain
    streams = [stored[f"{name}{CODED}"].tobytes() for name in coded]
    rows = [len(stored[f"{name}{SCALE}"]) for name in coded]
    with ThreadPoolExecutor() as pool:
        try:
            decoded = pool.map(decode, streams, rows)
        except RuntimeError:  # no more threads: a limit is reached, or Python is about to end
            pool.shutdown(cancel_futures=True)
            decoded = map(decode, streams, rows)
        return plain | dict(zip(coded, decoded, strict=True))
