"""The target processor, the instructions that products use on it, and the shape of their tiles.

The target is the processor of this machine, unless Numba's variables name another processor.
NUMBA_CPU_NAME and NUMBA_CPU_FEATURES mean what they mean to Numba, which is not imported for it; so tests compute as an
older machine would.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Literal, NamedTuple

import llvmlite.binding as llvm

from bnaparser.errors import SettingsError, quoted

# LLVM's code for AVX was slow on these, so that Numba leaves it out.
_WITHOUT_AVX = ("corei7-avx", "core-avx-i", "sandybridge", "ivybridge")


class Processor(NamedTuple):
    """In LLVM's words: system and kind of machine, name, and features such as "+avx2,-avx512f"."""

    triple: str
    name: str
    features: str


@cache
def processor() -> Processor:
    """Return the target processor. Raises SettingsError for features that LLVM would end the process for."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()  # the engine needs it even if nothing is compiled
    triple, named = llvm.get_process_triple(), os.environ.get("NUMBA_CPU_NAME")
    name = named or llvm.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    wrong = [one for one in (features or "").split(",") if one and one[0] not in "+-"]
    if wrong:
        raise SettingsError(
            f"NUMBA_CPU_FEATURES has {quoted(wrong[0])}: write features such as +avx2 and -avx512f, separated by commas"
        )
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
    if "+amx-int8" in features.split(",") and not _amx_is_permitted():
        features = features.replace("+amx", "-amx")
    return Processor(triple, name, features)


def _amx_is_permitted() -> bool:
    """Ask Linux for the matrix registers, for all threads of this process: until then they may not be used."""
    if sys.platform != "linux":
        return False
    arch_prctl, request_permission, tile_data = 158, 0x1023, 18
    refused: int = ctypes.CDLL(None).syscall(arch_prctl, request_permission, tile_data)
    return refused == 0


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


# Rows of a tile: with 4 vectors across 24 of 32 registers hold sums, with 2 across 12 of 16 (or of 32 where
# products need registers of their own).
ROWS = 6
# Rows of a small tile, for what is left: as many sums as products are under way at once.
FEW_ROWS = 2
# Rows of a matrix register of AMX, and the steps of four inputs in a row of it.
AMX_ROWS = AMX_STEPS = 16

Int8Product = Literal["vpdpbusd", "vpmaddwd", "pmaddwd", "sdot", "smull", "plain"]
_X86, _ARM = ("x86_64", "amd64"), ("aarch64", "arm64")


class Instructions(NamedTuple):
    """Vectors and products.

    ``lanes`` are the float32 numbers of a vector, ``wide`` and ``narrow`` the vectors across a tile
    of a product; ``fused`` tells whether a product is added in one instruction. ``int8`` is how bytes
    are multiplied, ``group`` how many of them are multiplied and added up in a lane at once. With
    ``amx`` whole products of bytes are computed in matrix registers.
    """

    lanes: int
    wide: int
    narrow: int
    fused: bool
    int8: Int8Product
    group: int
    amx: bool = False

    @property
    def masks(self) -> bool:
        """Whether one instruction reads or writes part of a vector."""
        return self.lanes > 4

    @property
    def panel(self) -> int:
        """Columns of a tile."""
        return self.lanes * self.wide


@cache
def instructions() -> Instructions:
    """Return what the machine that Numba compiles for can do."""
    triple, name, listed = processor()
    machine, features = triple.partition("-")[0], set(listed.split(","))
    if machine in _ARM:
        # LLVM knows from a processor's name alone what it can do: on macOS no features are listed.
        if "sdot" in _assembly_of_dot_product(triple, name, listed):
            return Instructions(4, 4, 2, True, "sdot", 4)
        return Instructions(4, 2, 2, True, "smull", 4)
    if machine not in _X86:
        return Instructions(4, 2, 2, False, "plain", 4)
    if "+avx512bw" in features:
        wide = Instructions(16, 4, 2, True, "vpmaddwd", 2)
        if "+avx512vnni" not in features:
            return wide
        amx = {"+amx-int8", "+amx-tile"} <= features
        return wide._replace(int8="vpdpbusd", group=4, amx=amx)
    if {"+avx2", "+fma"} <= features:
        half = Instructions(8, 2, 2, True, "vpmaddwd", 2)
        return half._replace(int8="vpdpbusd", group=4) if "+avxvnni" in features else half
    return Instructions(4, 2, 2, False, "pmaddwd", 2)


def below_processor() -> bool:
    """Return whether this processor has AVX2 and Numba is set to compile for one without."""
    if instructions().int8 != "pmaddwd":
        return False
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know the processor
        return False
    return bool(features.get("avx2")) and bool(features.get("fma"))


_DOT_PRODUCT = """
define i32 @dot_product(<16 x i8> %a, <16 x i8> %b) {
    %as = sext <16 x i8> %a to <16 x i32>
    %bs = sext <16 x i8> %b to <16 x i32>
    %products = mul <16 x i32> %as, %bs
    %sum = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %products)
    ret i32 %sum
}
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
"""


def _assembly_of_dot_product(triple: str, name: str, features: str) -> str:
    """Return what LLVM makes of a sum of products of bytes."""
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=name, features=features, opt=2)
    return str(machine.emit_assembly(llvm.parse_assembly(_DOT_PRODUCT)))
