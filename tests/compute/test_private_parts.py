"""Parts of Numba that its documentation does not promise, and that compiling, keeping and choosing of loops rest on.

pyproject.toml allows no later minor version of Numba than the tested one. Raise the bound when this file passes with the
next one, and the rest of tests/compute, tests/chart and tests/network with it.
"""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import dispatcher
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from bnaparser.compute import compiling
from bnaparser.compute.compiling import KeptCode


class Recording:
    """What a dispatcher takes for its cache."""

    cache_path = None

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.saved: list[tuple[Any, ...]] = []

    def load_overload(self, *given: Any) -> None:
        self.asked.append(given)

    def save_overload(self, *given: Any) -> None:
        self.saved.append(given)


def compiled_once() -> tuple[Any, Recording]:
    """Compile a function of one array."""

    def total(numbers: Any) -> Any:
        return numbers[0] + 1

    function: Any = numba.njit(total)
    function._cache = Recording()
    assert function(np.arange(3)) == 1
    return function, function._cache


def a_dispatcher_asks_its_cache_and_gives_it_what_is_compiled() -> None:
    function, cache = compiled_once()
    ((signature, context),) = cache.asked
    ((saved, result),) = cache.saved
    assert signature == saved == function.signatures[0]
    assert context is function.targetctx
    assert isinstance(result, CompileResult)


def a_dispatcher_asks_its_cache_for_nothing_else() -> None:
    asked = set(re.findall(r"self\._cache\.(\w+)", inspect.getsource(dispatcher)))
    assert asked <= {name for name in dir(KeptCode) if not name.startswith("_")}


def what_is_compiled_can_be_stored_and_rebuilt() -> None:
    function, cache = compiled_once()
    _, result = cache.saved[0]
    parts = pickle.loads(dumps(result._reduce()))
    assert [*inspect.signature(CompileResult._rebuild).parameters][1:] == [
        "libdata", "fndesc", "env", "signature", "objectmode", "lifted", "typeann", "reload_init", "referenced_envs"
    ]  # fmt: skip
    rebuilt = CompileResult._rebuild(function.targetctx, *parts)
    assert rebuilt.signature == result.signature and rebuilt.entry_point is not None


def what_is_compiled_says_whether_it_can_be_stored() -> None:
    _, cache = compiled_once()
    _, result = cache.saved[0]
    assert result.library.has_dynamic_globals is False
    assert not result.lifted


def the_compiler_says_for_which_processor_it_compiles() -> None:
    function, _ = compiled_once()
    codegen = cpu_target.target_context.codegen()
    assert codegen.magic_tuple() == function.targetctx.codegen().magic_tuple()
    machine, processor, features = codegen.magic_tuple()
    assert machine and processor
    assert all(feature[0] in "+-" for feature in features.split(",") if feature)


def settings_have_their_names() -> None:
    for name in (*compiling._SETTINGS, "CACHE_DIR", "DISABLE_JIT", "CPU_NAME", "CPU_FEATURES"):
        assert hasattr(numba.config, name), name


def a_function_can_do_without_counting_references() -> None:
    def new(count: int) -> Any:
        return np.empty(count)

    assert len(numba.njit(new)(3)) == 3
    with pytest.raises(numba.TypingError):  # nothing counts the references to a new array
        numba.njit(_nrt=False)(new)(3)


PARTS: list[Callable[[], None]] = [
    a_dispatcher_asks_its_cache_and_gives_it_what_is_compiled,
    a_dispatcher_asks_its_cache_for_nothing_else,
    what_is_compiled_can_be_stored_and_rebuilt,
    what_is_compiled_says_whether_it_can_be_stored,
    the_compiler_says_for_which_processor_it_compiles,
    settings_have_their_names,
    a_function_can_do_without_counting_references,
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_numba_has_the_private_parts_that_are_used(part: Callable[[], None]) -> None:
    try:
        part()
    except Exception as error:  # noqa: BLE001 (whatever it is, a part has changed)
        pytest.fail(
            f'Numba {numba.__version__} has changed a private part: not so any more, "{part.__name__.replace("_", " ")}"'
            f" ({type(error).__name__}: {error}). Mend {Path(compiling.__file__).parent}, or keep the bound in pyproject.toml."
        )
