"""Processes that fill one fresh folder of machine code at once, slowly, some of them killed; none may run another's code.

    PYTHONPATH=. python tests/compute/shared_folder.py 200

In each round four processes, two of each of two processors, compile or read the same functions. Every compiled
function knows for which processor and types it was compiled, and so does its answer. Each file operation is delayed;
in every second round some are never finished. Then one process more of each processor computes twice: whatever was left
behind, the second time nothing is compiled. Exits with 1 if an answer is wrong, or if code is compiled that should be there.
"""

from __future__ import annotations

import io
import json
import os
import platform
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np

from bnaparser.compute import code_cache
from bnaparser.compute.kernel import Kernel
from bnaparser.compute.processor import processor as processor_of_this_process

ANY_PC = platform.machine() in ("x86_64", "AMD64")
PROCESSORS = (
    [("x86-64", ""), ("haswell", "+avx2,+fma")] if ANY_PC else [("generic", ""), (None, None)]
)
LONGEST_DELAY = 0.02


MARK = 0


def marked_float(numbers: Any) -> None:
    """Multiply a number, and add the mark that is a constant of the machine code."""
    numbers[0] = numbers[0] * 100 + MARK + 5


def marked_int(numbers: Any) -> None:
    """Multiply a whole number, and add its mark."""
    numbers[0] = numbers[0] * 100 + MARK + 3


def compute(processor: int, folder: Path) -> Counter[str]:
    """Compute as a processor, check every answer, and count what was loaded and what compiled."""
    name, features = PROCESSORS[processor]
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = name, features
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    for variable, value in (("NUMBA_CPU_NAME", name), ("NUMBA_CPU_FEATURES", features)):
        if value is not None:
            os.environ[variable] = value
    processor_of_this_process.cache_clear()
    code_cache._compiler.cache_clear()
    counts: Counter[str] = Counter()
    global MARK
    MARK = 10 * processor
    for number, function, kind in ((3, "marked_int", "i8:1"), (2.5, "marked_float", "f8:1")):
        kernel = Kernel(f"shared_folder:{function}", kind)
        compiled: list[bool] = []
        make = kernel.compile
        kernel.compile = lambda: compiled.append(True) or make()  # type: ignore[method-assign, func-returns-value]  # noqa: B023
        numbers = np.array([number])
        kernel(numbers)
        expected = number * 100 + MARK + len(function.removeprefix("marked_"))
        if numbers[0] != expected:
            raise ValueError(f"{numbers[0]!r} instead of {expected!r}")
        counts["compiled" if compiled else "loaded"] += 1
    return counts


def be_slow(dying: float) -> None:
    """Delay each file operation of this process; each may be its last."""

    def slow(operation: Callable[..., Any]) -> Callable[..., Any]:
        def slowly(*given: Any, **options: Any) -> Any:
            time.sleep(random.random() * LONGEST_DELAY)
            if random.random() < dying:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*given, **options)

        return slowly

    class SlowFile(io.FileIO):
        def write(self, content: Any) -> int:
            half = len(content) // 2
            return sum(
                slow(super(SlowFile, self).write)(part) for part in (content[:half], content[half:])
            )

    def slow_open(file: Any, mode: str, **options: Any) -> Any:
        return SlowFile(file, mode) if mode == "wb" else open(file, mode, **options)

    for module, name in ((os, "replace"), (os, "open"), (os, "fchmod"), (tempfile, "mkstemp")):
        setattr(module, name, slow(getattr(module, name)))
    code_cache.open = slow_open  # type: ignore[attr-defined]


def start(processor: int, folder: Path, dying: float | None) -> tuple[int, int]:
    """Fork a process that computes; return its number and where its counts come from."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    code = 1
    try:
        random.seed(os.getpid())
        if dying is not None:
            be_slow(dying)
        counts = compute(processor, folder)
        if dying is None and compute(processor, folder)["compiled"]:
            raise ValueError(f"compiled again: {sorted(os.listdir(folder))}")
        os.write(writing, json.dumps(counts).encode())
        code = 0
    except Exception:  # noqa: BLE001 (it is printed)
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(child: int, reading: int) -> Counter[str]:
    """Wait for a process and return its counts; exit if it failed."""
    _, status = os.waitpid(child, 0)
    with open(reading, "rb") as pipe:
        counts = pipe.read()
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return Counter(killed=1)
    if status:
        sys.exit(1)
    return Counter(json.loads(counts))


def run(rounds: int) -> Counter[str]:
    """Run the rounds and return all counts."""
    import_module("bnaparser.compute.kernel_compiler")  # once, and not in each process
    import_module("numba.np.arraymath")
    sys.modules["shared_folder"] = sys.modules["__main__"]
    counts: Counter[str] = Counter()
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "machine-code"
            dying = 0.05 * (number % 2)
            together = [start(processor, folder, dying) for processor in (0, 1, 0, 1)]
            for process in together:
                counts += ended(*process)
            for processor in (0, 1):
                counts += ended(*start(processor, folder, None))
    return counts


def main(arguments: Sequence[str]) -> None:
    """Run so many rounds, and print what happened."""
    rounds = int(arguments[0])
    counts = run(rounds)
    print(
        f"{rounds} rounds, no wrong code: {counts['compiled']} functions compiled, {counts['loaded']} loaded,"
        f" {counts['killed']} processes killed"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
