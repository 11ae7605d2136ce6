"""Parts of Numba and numpy that their documentation does not promise, and that kernels rest on.

pyproject.toml allows no later minor version of Numba than the tested one. Raise the bound when this file passes with the
next one, and the rest of tests/compute, tests/chart and tests/network with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest
from numba import types
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from bnaparser.compute import code_cache, kernel_compiler
from bnaparser.compute.words import check_arrays


def a_function_can_do_without_counting_references() -> None:
    def new(count: int) -> Any:
        return np.empty(count)

    assert len(numba.njit(new)(3)) == 3
    with pytest.raises(numba.TypingError):  # nothing counts the references to a new array
        numba.njit(_nrt=False)(new)(3)


def a_function_has_one_external_symbol_of_three_addresses() -> None:
    def first(place: int) -> None:
        pass

    options: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    function = numba.njit(**options)(first)
    function.compile(types.void(types.intp))
    module = llvm.parse_assembly(function.inspect_llvm((types.intp,)))
    (found,) = [
        one
        for one in module.functions
        if not one.is_declaration and one.linkage == llvm.Linkage.external
    ]
    assert len(list(found.arguments)) == 3


def arrays_are_made_of_their_parts() -> None:
    made = inspect.signature(populate_array)
    assert [*made.parameters] == [
        "array",
        "data",
        "shape",
        "strides",
        "itemsize",
        "meminfo",
        "parent",
    ]


def the_compiler_says_for_which_processor_it_compiles() -> None:
    machine, processor, features = cpu_target.target_context.codegen().magic_tuple()
    assert machine and processor
    assert all(feature[0] in "+-" for feature in features.split(",") if feature)


def settings_have_their_names() -> None:
    source = inspect.getsource(numba.core.config)
    for name in (*code_cache._SETTINGS, "CACHE_DIR", "DISABLE_JIT", "CPU_NAME", "CPU_FEATURES"):
        assert f"NUMBA_{name}" in source, name


def numpy_lays_arrays_out_as_kernels_read_them() -> None:
    check_arrays()


PARTS: list[Callable[[], None]] = [
    a_function_can_do_without_counting_references,
    a_function_has_one_external_symbol_of_three_addresses,
    arrays_are_made_of_their_parts,
    the_compiler_says_for_which_processor_it_compiles,
    settings_have_their_names,
    numpy_lays_arrays_out_as_kernels_read_them,
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_numba_has_the_private_parts_that_are_used(part: Callable[[], None]) -> None:
    try:
        part()
    except Exception as error:  # noqa: BLE001 (whatever it is, a part has changed)
        pytest.fail(
            f'Numba {numba.__version__} has changed a private part: not so any more, "{part.__name__.replace("_", " ")}"'
            f" ({type(error).__name__}: {error}). Mend {Path(kernel_compiler.__file__).parent}, or keep the bound in pyproject.toml."
        )
