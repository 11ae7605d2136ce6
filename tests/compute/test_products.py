"""Products against numpy: whole numbers exactly, float32 to its rounding, each row by itself."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bnaparser.compute.attention import attend, attend_both_ways, attend_to_spans, scratch_for
from bnaparser.compute.matrices import (
    ACTIVATION_NUMBERS,
    Floats,
    RowScaled,
    as_floats,
    multiply,
    normalise,
    pack_bytes,
    pack_floats,
    row_scaled,
)
from bnaparser.compute.processor import instructions
from bnaparser.compute.span_labels import ScorerWeights, best_labels, posts_of_spans

ROOT = Path(__file__).parents[2]
SIZES = st.tuples(st.integers(1, 20), st.integers(1, 150), st.integers(1, 150))
TORCH: dict[str, Any] = {
    "relu": torch.nn.functional.relu,
    "leaky_relu": torch.nn.functional.leaky_relu,
    "gelu": torch.nn.functional.gelu,
}


def whole(generator: np.random.Generator, rows: int, columns: int) -> np.ndarray[Any, Any]:
    """Whole numbers up to 127, which stands in each row: so rounding changes nothing."""
    numbers = generator.integers(-127, 128, (rows, columns))
    numbers[:, 0] = generator.choice([-127, 127], rows)
    return numbers


def scaled(numbers: np.ndarray[Any, Any]) -> RowScaled:
    return RowScaled(numbers.astype(np.int8), np.ones(len(numbers), np.float32))


@settings(max_examples=60)
@given(sizes=SIZES, seed=st.integers(0, 2**32 - 1))
def test_whole_numbers_are_multiplied_exactly(sizes: tuple[int, int, int], seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows, inputs, outputs = sizes
    left, right = whole(generator, rows, inputs), whole(generator, outputs, inputs)
    found = multiply(
        left.astype(np.float32), pack_bytes(scaled(right)), np.zeros(outputs, np.float32)
    )
    assert np.array_equal(found, left @ right.T)


@pytest.mark.parametrize("power", [-40, -30, -20, -10, 0, 60])
def test_rows_of_any_size_keep_their_digits(power: int) -> None:
    generator = np.random.default_rng(8)
    left, right = whole(generator, 9, 40), whole(generator, 7, 40)
    rows = np.ldexp(left.astype(np.float32), power)
    rows[4] = 0.0
    left[4] = 0
    found = multiply(rows, pack_bytes(scaled(right)), np.zeros(7, np.float32))
    assert np.array_equal(found, np.ldexp((left @ right.T).astype(np.float32), power))
    small = row_scaled(np.ldexp(right.astype(np.float32), power))
    assert np.array_equal(small.values, right)
    assert np.array_equal(small.scales, np.full(7, np.ldexp(np.float32(1), power)))


def test_the_largest_numbers_do_not_saturate() -> None:
    signs = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [-1, -1, -1, -1]]).repeat(16, axis=1)
    found = multiply(
        (127 * signs).astype(np.float32), pack_bytes(scaled(127 * signs)), np.zeros(3, np.float32)
    )
    assert np.array_equal(found, 127 * 127 * signs @ signs.T)


@settings(max_examples=40)
@given(sizes=SIZES, seed=st.integers(0, 2**32 - 1))
def test_rounded_rows_are_near_and_float32_is_nearer(
    sizes: tuple[int, int, int], seed: int
) -> None:
    generator = np.random.default_rng(seed)
    rows, inputs, outputs = sizes
    left = generator.standard_normal((rows, inputs)).astype(np.float32)
    right = generator.standard_normal((outputs, inputs)).astype(np.float32)
    bias = generator.standard_normal(outputs).astype(np.float32)
    exact = left.astype(np.float64) @ right.T + bias
    assert multiply(left, pack_floats(right), bias) == pytest.approx(exact, abs=1e-4)
    kept = row_scaled(left), row_scaled(right)
    # A number just between two whole ones may be rounded up or down: one rounding divides, the other multiplies.
    assume(np.abs(np.abs(left / kept[0].scales[:, None]) % 1 - 0.5).min() > 5e-5)
    rounded = kept[0].values.astype(np.int64) @ kept[1].values.T
    expected = rounded * kept[0].scales[:, None].astype(float) * kept[1].scales + bias
    assert multiply(left, pack_bytes(right), bias) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("pack", [pack_floats, pack_bytes])
def test_a_row_is_the_same_alone_and_among_others(pack: Any) -> None:
    generator = np.random.default_rng(0)
    left = generator.standard_normal((23, 70)).astype(np.float32)
    matrix = pack(generator.standard_normal((90, 70)).astype(np.float32))
    bias = np.zeros(90, np.float32)
    together = multiply(left, matrix, bias)
    for row in range(23):
        assert np.array_equal(multiply(left[row : row + 1], matrix, bias)[0], together[row])
    assert np.array_equal(multiply(left[7:15], matrix, bias), together[7:15])


@pytest.mark.parametrize("name", ACTIVATION_NUMBERS)
def test_activations_are_those_of_pytorch(name: str) -> None:
    numbers = np.linspace(-9, 9, 5001, dtype=np.float32)[:, None]
    one, zero = pack_floats(np.ones((1, 1), np.float32)), np.zeros(1, np.float32)
    found = multiply(numbers, one, zero, ACTIVATION_NUMBERS[name])
    assert found == pytest.approx(TORCH[name](torch.from_numpy(numbers)).numpy(), abs=1e-6)


def test_what_is_not_a_number_stays_none() -> None:
    rows = np.ones((8, 20), np.float32)
    rows[3, 5] = np.nan
    for matrix in (
        pack_floats(np.ones((4, 20), np.float32)),
        pack_bytes(np.ones((4, 20), np.float32)),
    ):
        found = np.isnan(multiply(rows, matrix, np.zeros(4, np.float32)))
        assert found[3].all() and found.sum() == 4


def test_what_is_stored_in_int8_is_not_rounded_again() -> None:
    stored = scaled(np.array([[3, -7], [0, 0]]))
    assert row_scaled(stored) is stored
    assert np.array_equal(as_floats(stored), [[3, -7], [0, 0]])
    assert np.array_equal(row_scaled(np.zeros((2, 3), np.float32)).values, np.zeros((2, 3)))


def test_sizes_that_do_not_fit_are_refused() -> None:
    matrix = pack_bytes(np.ones((4, 20), np.float32))
    with pytest.raises(ValueError, match="rows of 19 and 4 biases for a matrix of 20 inputs and 4"):
        multiply(np.ones((2, 19), np.float32), matrix, np.zeros(4, np.float32))


OLDER = {
    "x86-64-v4": "+avx,+avx2,+fma,+avx512f,+avx512bw,+avx512vl,+avx512dq,+avx512cd,+avx512vnni,+bmi,+bmi2,+64bit",
    "x86-64-v3": "+avx,+avx2,+fma,+sse4.2,+f16c,+bmi,+bmi2,+64bit",
    "x86-64": "+sse2,+64bit",
}


def exact_and_digest() -> tuple[str, str]:
    """Check products of whole numbers; return how bytes are multiplied, and a digest of all that an int8 network computes."""
    for seed in range(3):
        generator = np.random.default_rng(seed)
        left, right = whole(generator, 14, 67), whole(generator, 70, 67)
        zero = np.zeros(70, np.float32)
        found = multiply(left.astype(np.float32), pack_bytes(scaled(right)), zero)
        assert np.array_equal(found, left @ right.T)
    generator = np.random.default_rng(7)

    def numbers(*shape: int) -> Floats:
        return generator.normal(size=shape).astype(np.float32)

    found_all = [
        multiply(numbers(20, 75), pack_bytes(numbers(70, 75)), numbers(70), activation)
        for activation in (0, *ACTIVATION_NUMBERS.values())
    ]
    starts, lengths, scale = np.array([0, 1, 8, 41]), np.array([1, 7, 33, 2]), np.float32(0.3)
    distances = numbers(2, 199)
    contexts = np.empty((43, 48), np.float32)
    scratch = scratch_for(lengths, 24)
    attend(numbers(43, 144), starts, lengths, 2, scale, distances, contexts, scratch)
    found_all.append(contexts.copy())
    attend_both_ways(numbers(43, 120), starts, lengths, 2, scale, contexts, scratch)
    found_all.append(contexts.copy())
    attend_to_spans(numbers(43, 144), numbers(48), starts, lengths, 2, 4, scale, contexts, scratch)
    found_all.append(contexts.copy())
    normalise(
        numbers(43, 48), numbers(43, 48), numbers(48), numbers(48), np.float32(1e-5), contexts
    )
    found_all.append(contexts)
    scorer = ScorerWeights(numbers(50), numbers(50), numbers(50), np.float32(1e-5), numbers(70))
    posts = posts_of_spans(np.array([9, 1, 20]))
    best = best_labels(numbers(33, 50), *posts, scorer, pack_bytes(numbers(70, 50)))
    # Of one word there are no spans; the sign of what is not a number differs between x86 and ARM.
    bits = b"".join(np.nan_to_num(array).tobytes() for array in (*found_all, *best))
    digest = hashlib.sha256(bits)
    return instructions().int8, digest.hexdigest()


@pytest.mark.skipif(not instructions().amx, reason="this processor has no AMX")
@pytest.mark.parametrize("inputs", [1, 63, 64, 65, 200])
def test_tiles_of_matrix_registers_are_exact_at_every_number_of_rows(inputs: int) -> None:
    generator = np.random.default_rng(inputs)
    for count in (*range(1, 36), 47, 48, 49, 100):
        outputs = int(generator.integers(1, 150))
        left, right = whole(generator, count, inputs), whole(generator, outputs, inputs)
        found = multiply(
            left.astype(np.float32), pack_bytes(scaled(right)), np.zeros(outputs, np.float32)
        )
        assert np.array_equal(found, left @ right.T)


@pytest.mark.skipif(not instructions().amx, reason="this processor has no AMX")
def test_without_the_permission_of_the_system_there_are_no_matrix_registers() -> None:
    """Linux refuses them to a process whose stack for signals is too small for them."""
    code = """
import ctypes
class Stack(ctypes.Structure):
    _fields_ = [("place", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
memory = ctypes.create_string_buffer(4096)
stack = Stack(ctypes.addressof(memory), 0, 4096)
assert ctypes.CDLL(None).sigaltstack(ctypes.byref(stack), None) == 0
from bnaparser.compute.processor import instructions
print(instructions().int8, instructions().amx)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["vpdpbusd", "False"], done.stderr


@pytest.mark.skipif(instructions().lanes == 4, reason="no machine with AVX2")
@pytest.mark.parametrize(
    ("machine", "int8"),
    [
        pytest.param(
            "x86-64-v4",
            "vpdpbusd",
            marks=pytest.mark.skipif(not instructions().amx, reason="this processor has no AMX"),
        ),
        ("x86-64-v3", "vpmaddwd"),
        ("x86-64", "pmaddwd"),
    ],
)
def test_other_processors_compute_the_same_numbers(machine: str, int8: str) -> None:
    """int8 gave other trees for one sentence in ten on AVX2 than on AVX-512 with VNNI."""
    settings_ = {"NUMBA_CPU_NAME": machine, "NUMBA_CPU_FEATURES": OLDER[machine]}
    environment = {**os.environ, **settings_, "PYTHONPATH": str(ROOT)}
    code = "from tests.compute.test_products import exact_and_digest; print(*exact_and_digest())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [int8, exact_and_digest()[1]], done.stderr


@pytest.mark.parametrize("power", [-30, -10, 0])
def test_weights_of_any_size_keep_their_digits(power: int) -> None:
    numbers = whole(np.random.default_rng(9), 7, 40)
    kept = row_scaled(np.ldexp(numbers.astype(np.float32), power))
    assert np.array_equal(kept.values, numbers)
    assert np.array_equal(kept.scales, np.full(7, np.ldexp(np.float32(1), power)))
