"""Matrices as they are stored: literal rounding, the code and its way back, what is damaged."""

from __future__ import annotations

import math
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import save_file

from bnaparser.compute.matrices import RowScaled
from bnaparser.errors import ModelError
from bnaparser.files.matrices import code, decode, read_matrices
from bnaparser.files.tensors import read_weights, round_rows, write_weights


def normal(rows: int, columns: int) -> torch.Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("step", [0.3, 0.9])
def test_a_row_is_rounded_to_multiples_of_its_step(step: float) -> None:
    matrix = normal(5, 40)
    numbers, scales = round_rows(matrix, step)
    for row, own, (scale,) in zip(matrix.tolist(), numbers.tolist(), scales.tolist(), strict=True):
        width = step * math.sqrt(sum(number * number for number in row) / len(row))
        assert own == [round(number / width) for number in row]
        errors = [
            sum((number - value * other) ** 2 for number, value in zip(row, own, strict=True))
            for other in (0.999 * scale, scale, 1.001 * scale)
        ]
        assert errors[1] == min(errors)


@pytest.mark.parametrize("step", [None, 0.3, 0.9])
def test_a_rounded_row_stays_as_it_is(step: float | None) -> None:
    """Rounding enlarges its root mean square: each fine-tuning began with weights that were 3 % larger than the stored ones."""
    numbers, scales = round_rows(normal(5, 400), step)
    again, own = round_rows(numbers * scales, step)
    assert torch.equal(again, numbers)
    torch.testing.assert_close(own, scales)


def test_a_large_number_in_a_row_is_kept() -> None:
    """127 steps would not reach it: the row's step is wider."""
    matrix = normal(2, 1000)
    matrix[0, 7] = 500.0
    numbers, scales = round_rows(matrix, 0.1)
    assert numbers[0, 7] == 127
    torch.testing.assert_close(numbers[0, 7] * scales[0, 0], torch.tensor(500.0), rtol=0.01, atol=0)
    assert numbers[1].abs().max() < 60


def test_a_row_of_zeros_stays_one() -> None:
    for step in (None, 0.9):
        numbers, scales = round_rows(torch.zeros(2, 8), step)
        assert not numbers.any() and (scales > 0).all()


@given(st.integers(1, 9), st.binary(min_size=1, max_size=300))
def test_what_is_coded_comes_back(rows: int, values: bytes) -> None:
    matrix = np.frombuffer(values * rows, np.int8).reshape(rows, -1)
    coded = code(matrix)
    if coded is not None:
        np.testing.assert_array_equal(decode(coded, rows), matrix)


def test_few_values_are_coded_and_many_are_not() -> None:
    few, _ = round_rows(normal(64, 512), 0.9)
    many, _ = round_rows(normal(64, 512))
    coded = code(few.numpy())
    assert coded is not None and 8 * len(coded) / few.numel() < 2.4
    np.testing.assert_array_equal(decode(coded, 64), few.numpy())
    assert code(many.numpy()) is None


@pytest.mark.parametrize("step", [None, 0.9])
def test_both_readers_read_what_was_written(tmp_path: Path, step: float | None) -> None:
    path, matrix, bias = tmp_path / "w.safetensors", normal(128, 256), torch.ones(7)
    write_weights(path, {"matrix": matrix, "bias": bias}, "int8", step)
    with safe_open(path, framework="pt") as file:
        assert ("matrix" in file.keys()) == (step is None)  # noqa: SIM118 (not a mapping)
    numbers, scales = round_rows(matrix, step)
    tensors = read_weights(path)
    assert sorted(tensors) == ["bias", "matrix"]
    torch.testing.assert_close(tensors["matrix"], numbers * scales, rtol=0, atol=0)
    arrays, metadata = read_matrices(path)
    assert metadata["store"] == "int8" and sorted(arrays) == ["bias", "matrix"]
    stored = arrays["matrix"]
    assert isinstance(stored, RowScaled)
    np.testing.assert_array_equal(stored.values, numbers.numpy())
    np.testing.assert_array_equal(stored.scales, scales[:, 0].numpy())


@pytest.mark.parametrize("store", ["float32", "int8"])
def test_bfloat16_is_written_as_float32(tmp_path: Path, store: str) -> None:
    """What was written could not be read: numpy has no bfloat16."""
    path, given = tmp_path / "w.safetensors", normal(128, 256).bfloat16()
    write_weights(path, {"matrix": given, "bias": given[0].clone()}, store)
    with safe_open(path, framework="pt") as file:
        assert file.get_tensor("bias").dtype == torch.float32
    tensors = read_weights(path)
    assert torch.equal(tensors["bias"], given[0].float())
    torch.testing.assert_close(tensors["matrix"], given.float(), rtol=0, atol=0.02)


def test_a_file_in_bfloat16_is_read(tmp_path: Path) -> None:
    path, given = tmp_path / "w.safetensors", normal(3, 5).bfloat16()
    given[0, 0], given[0, 1] = float("-inf"), -0.0
    save_file({"b": given, "a": given[0].float(), "one": given[1, 1].clone()}, path)
    tensors = read_weights(path)
    assert torch.equal(tensors["b"], given.float()) and torch.equal(tensors["a"], given[0].float())
    assert torch.equal(tensors["one"], given[1, 1].float())


def deflated(values: bytes) -> torch.Tensor:
    coder = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return torch.frombuffer(bytearray(coder.compress(values) + coder.flush()), dtype=torch.uint8)


@pytest.mark.parametrize(
    "tensors",
    [
        {"a:coded": torch.arange(9, dtype=torch.uint8), "a:scale": torch.ones(2, 1)},
        {"a:coded": deflated(bytes(9)), "a:scale": torch.ones(2, 1)},
        {"a:coded": deflated(bytes(8))[:-1], "a:scale": torch.ones(2, 1)},
        {"a:coded": deflated(bytes(8)), "a:scale": torch.ones(0, 1)},
        {"a:coded": deflated(bytes(10_000_000)), "a:scale": torch.ones(2, 1)},
        {"a:coded": deflated(bytes(8))},
    ],
    ids=["no stream", "other rows", "cut short", "no rows", "more than a code holds", "no scales"],
)
def test_a_damaged_code_is_refused(tmp_path: Path, tensors: dict[str, torch.Tensor]) -> None:
    path = tmp_path / "w.safetensors"
    save_file(tensors, path, {"store": "int8"})
    with pytest.raises(ModelError, match="damaged"):
        read_weights(path)
    with pytest.raises(ModelError, match="damaged"):
        read_matrices(path)
