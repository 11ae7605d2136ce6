"""A second core's help: the same numbers, whether it comes, comes late or does not come."""

from __future__ import annotations

import gc
import multiprocessing
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser.compute import helping
from bnaparser.compute.helping import help_allowed, helped, room_here
from bnaparser.compute.multiply import multiply, multiply_bytes
from bnaparser.compute.packed import PackedBytes, PackedFloats, pack_bytes, pack_floats
from bnaparser.compute.products import ROW_DTYPE
from bnaparser.network.parallel import in_batches

Packing = Any


class Owner:
    """What has the weights."""


def product_of(
    pack: Packing, rows: int, inputs: int, outputs: int, seed: int = 0
) -> tuple[np.ndarray[Any, Any], PackedFloats | PackedBytes, np.ndarray[Any, Any]]:
    generator = np.random.default_rng(seed)
    left = generator.standard_normal((rows, inputs)).astype(np.float32)
    right = generator.standard_normal((outputs, inputs)).astype(np.float32)
    return left, pack(right), generator.standard_normal(outputs).astype(np.float32)


def waited_for_help() -> None:
    """The helper, once asked, is awake soon; it says nothing when it is."""
    time.sleep(0.005)


def helper_leaves() -> None:
    """Wait until it is back from what was before: on a busy machine it comes late, and leaves late."""
    for _ in range(2000):
        if not helping._helper.free.locked():
            return
        waited_for_help()
    pytest.fail("the helper still looks at the board")


@pytest.fixture(autouse=True)
def helper_at_home() -> None:
    helper_leaves()


@settings(max_examples=60, deadline=None)
@given(
    pack=st.sampled_from([pack_bytes, pack_floats]),
    sizes=st.tuples(st.integers(1, 40), st.integers(1, 150), st.integers(1, 700)),
    seed=st.integers(0, 2**32 - 1),
)
def test_help_changes_no_number(pack: Packing, sizes: tuple[int, int, int], seed: int) -> None:
    given_product = product_of(pack, *sizes, seed)
    alone = multiply(*given_product)
    with help_allowed(), helped(Owner()):
        for _ in range(3):
            assert np.array_equal(multiply(*given_product), alone)


@pytest.mark.parametrize("pack", [pack_bytes, pack_floats])
def test_the_helper_computes_a_part_of_a_large_product(pack: Packing) -> None:
    given_product = product_of(pack, 60, 768, 3072)
    alone = multiply(*given_product)
    computed = 0
    with help_allowed(), helped(Owner()):
        room = room_here()
        assert room is not None
        for _ in range(4000):  # on a busy machine it may take a while to come
            waited_for_help()
            room.out[:] = np.nan
            assert np.array_equal(multiply(*given_product), alone)
            computed = int(np.count_nonzero(~np.isnan(room.out)))
            if computed:
                break
    assert computed


def test_without_a_helper_all_is_computed_by_the_caller() -> None:
    rows, matrix, bias = product_of(pack_bytes, 12, 64, 500)
    assert isinstance(matrix, PackedBytes)
    room = helping.Room()
    room.out[:] = np.nan
    # What was left on the board says that the helper had done much, of the product before.
    room.board[8] = 6 * 2**20 + 5
    values = np.empty((12, matrix.panels.shape[1] * 4), np.uint8).view(ROW_DTYPE)
    out = np.empty((12, 500), np.float32)
    multiply_bytes(rows, values, room.scales, matrix, bias, 0, 7, room.board, room.out, out)
    assert np.array_equal(out, multiply(rows, matrix, bias))


def test_help_must_be_allowed() -> None:
    with helped(Owner()):
        assert room_here() is None
    with help_allowed():
        assert room_here() is None
        with helped(Owner()):
            assert room_here() is not None
        assert room_here() is None
    with helped(Owner()):
        assert room_here() is None


def test_several_threads_get_their_numbers() -> None:
    products = [product_of(pack_bytes, 30, 256, 1024, seed) for seed in range(4)]
    alone = [multiply(*one) for one in products]
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(50):
            with help_allowed(), helped(Owner()):
                if not np.array_equal(multiply(*products[number]), alone[number]):
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_the_helper_goes_home_when_another_thread_computes() -> None:
    given_product = product_of(pack_bytes, 30, 256, 1024)
    alone = multiply(*given_product)
    begun, enough = threading.Event(), threading.Event()

    def other() -> None:
        with helped(Owner()):
            begun.set()
            enough.wait(60)

    thread = threading.Thread(target=other)
    with help_allowed(), helped(Owner()):
        assert room_here() is not None
        thread.start()
        assert begun.wait(60)
        assert np.array_equal(multiply(*given_product), alone)
        assert room_here() is None
        helper_leaves()
    with help_allowed(), helped(Owner()):
        assert room_here() is None
    enough.set()
    thread.join()
    with help_allowed(), helped(Owner()):
        assert room_here() is not None


def test_weights_are_kept_until_the_helper_has_left_and_no_longer() -> None:
    owner = Owner()
    alive = weakref.ref(owner)
    with help_allowed(), helped(owner):
        del owner
        assert alive() is not None
    for _ in range(1000):
        gc.collect()
        if alive() is None:
            break
        waited_for_help()
    assert alive() is None


def test_an_error_sends_the_helper_home() -> None:
    with pytest.raises(KeyError), help_allowed(), helped(Owner()):
        raise KeyError
    assert room_here() is None
    helper_leaves()


def test_without_a_thread_there_is_no_help_until_one_can_be_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first sentence failed, and no later one was helped."""

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(helping, "_helper", helping._HelperThread())
    with monkeypatch.context() as limited, help_allowed():
        limited.setattr(threading.Thread, "start", refuse)
        with helped(Owner()):
            assert room_here() is None
    with help_allowed(), helped(Owner()):
        assert room_here() is not None
    helper_leaves()


def test_what_has_no_room_is_computed_alone() -> None:
    given_product = product_of(pack_floats, 300, 1024, 70)  # 1.2 MB of rows
    alone = multiply(*given_product)
    with help_allowed(), helped(Owner()):
        assert np.array_equal(multiply(*given_product), alone)


def _in_child(numbers: Any) -> None:
    given_product = product_of(pack_bytes, 30, 256, 1024)
    with help_allowed(), helped(Owner()):
        waited_for_help()
        numbers.put((room_here() is not None, multiply(*given_product)))


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system"
)
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_a_helper_of_its_own() -> None:
    alone = multiply(*product_of(pack_bytes, 30, 256, 1024))
    context = multiprocessing.get_context("fork")
    numbers = context.Queue()
    with help_allowed(), helped(Owner()):  # the parent's is at work
        child = context.Process(target=_in_child, args=(numbers,))
        child.start()
        was_helped, found = numbers.get(timeout=60)
        child.join(timeout=60)
    assert was_helped
    assert np.array_equal(found, alone)


@pytest.mark.parametrize(("threads", "allowed"), [(1, False), (2, True)])
def test_a_single_sentence_is_helped_where_there_are_threads(threads: int, allowed: bool) -> None:
    found: list[bool] = []

    def work(batch: list[int]) -> list[int]:
        with helped(Owner()):
            found.append(room_here() is not None)
        return batch

    in_batches(work, [30], 1000, threads)
    assert found == [allowed]
