"""The target processor: the processor of this machine, unless Numba's variables name another processor.

NUMBA_CPU_NAME and NUMBA_CPU_FEATURES mean what they mean to Numba, which is not imported for it; so tests compute as an
older machine would.
"""

from __future__ import annotations

import os
from functools import cache
from typing import NamedTuple

import llvmlite.binding as llvm

# LLVM's code for AVX was slow on these, so that Numba leaves it out.
_WITHOUT_AVX = ("corei7-avx", "core-avx-i", "sandybridge", "ivybridge")


class Processor(NamedTuple):
    """In LLVM's words: system and kind of machine, name, and features such as "+avx2,-avx512f"."""

    triple: str
    name: str
    features: str


@cache
def processor() -> Processor:
    """Return the target processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()  # the engine needs it even if nothing is compiled
    triple, named = llvm.get_process_triple(), os.environ.get("NUMBA_CPU_NAME")
    name = named or llvm.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None and name.lower() == "generic":
        features = ""
    if features is None:
        try:
            found = llvm.get_host_cpu_features()
        except RuntimeError:  # LLVM knows nothing of this processor
            return Processor(triple, name, "")
        if os.environ.get("NUMBA_ENABLE_AVX", str(int(name not in _WITHOUT_AVX))) == "0":
            for one in found:
                if one.startswith("avx"):
                    found[one] = False
        features = found.flatten()
    return Processor(triple, name, features)


def target_machine() -> llvm.TargetMachine:
    """Return the target machine that LLVM compiles for, with the options of a JIT compiler."""
    triple, name, features = processor()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=name,
        features=features,
        opt=3,
        reloc="static" if triple.startswith(("x86", "i")) else "default",
        codemodel="jitdefault",
        jit=True,
    )
