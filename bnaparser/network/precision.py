"""What computes a network, in which numbers, on which device."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from bnaparser.compute.kernel import check_compiler
from bnaparser.compute.processor import below_processor
from bnaparser.errors import ModelError, is_installed, require_extra
from bnaparser.models.zipped_folder import unzipped
from bnaparser.network.compiled.network import CompiledNetwork, load_compiled
from bnaparser.network.model_settings import is_benepars
from bnaparser.network.parsing_network import ParsingNetwork

if TYPE_CHECKING:
    from bnaparser.network.model import BnaModel

Precision = Literal["auto", "float32", "bfloat16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
Backend = Literal["auto", "compiled", "torch"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)

_CPU = re.compile(r"cpu(:\d+)?")
# What a machine with a GPU of NVIDIA or AMD has, with Linux in Windows too.
_OF_GPUS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")


def load_network(
    folder: Path,
    device: str | None = None,
    precision: Precision = "auto",
    backend: Backend = "auto",
) -> ParsingNetwork:
    """Read a model folder, or a zip of one.

    Args:
        folder: the model folder, or its zip.
        device: a torch device; by default the first GPU, or the CPU where there is none.
        precision: on a CPU ``auto`` is int8 where the weights are stored so and PyTorch does not compute them,
            else float32; on a GPU it is bfloat16 where the GPU has it.
        backend: what computes the network: "compiled" loops, "torch" (PyTorch), or "auto", the faster of the two
            that are installed and can.

    Raises:
        ModelError: the folder is damaged, the device is not there, or backend or device cannot compute so.
        MissingExtraError: PyTorch is needed and not installed.
        SettingsError: Numba may not compile.
    """
    for name, value, allowed in (
        ("precision", precision, PRECISIONS),
        ("backend", backend, BACKENDS),
    ):
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}: give one of {', '.join(allowed)}")
    check_compiler()
    if backend == "compiled":
        return _compiled_only(folder, device, precision)
    if reason_for_torch(device, precision, backend) is None:
        compiled = _compiled(folder, precision)
        if compiled is not None:
            return compiled
    return _with_torch(folder, device, precision)


def reason_for_torch(device: str | None, precision: Precision, backend: Backend) -> str | None:
    """Return why PyTorch computes every model here; None if it computes only models that cannot be
    compiled.
    """
    if backend != "auto":
        return None if backend == "compiled" else "it was chosen"
    if device is not None and not _CPU.fullmatch(device):
        return f"the device is {device}"
    if device is None and _may_have_gpu():
        return "this machine may have a GPU"
    if precision == "bfloat16":
        return "compiled loops do not compute in bfloat16"
    if precision != "int8" and below_processor() and is_installed("torch"):
        return (
            "a setting of Numba's, such as NUMBA_CPU_NAME, keeps compiled loops from using AVX2, which this"
            " processor has and PyTorch uses"
        )
    return None


def _compiled_only(folder: Path, device: str | None, precision: Precision) -> CompiledNetwork:
    choose = 'choose the backend "torch", or leave it out'
    if device is not None and not _CPU.fullmatch(device):
        raise ModelError(f"the backend compiled runs on the CPU, not on {device!r}: {choose}")
    if precision == "bfloat16":
        raise ModelError(f"the backend compiled has float32 and int8, not bfloat16: {choose}")
    compiled = _compiled(folder, precision)
    if compiled is None:
        raise ModelError(f"the backend compiled does not support the network of {folder}: {choose}")
    return compiled


def _compiled(folder: Path, precision: Precision) -> CompiledNetwork | None:
    """Read what is compiled; None if PyTorch is needed, as for a model of benepar's."""
    if not folder.is_file():
        return None if is_benepars(folder) else load_compiled(folder, precision)
    with unzipped(folder) as inner:
        network = None if inner is None else _compiled(inner, precision)
    if network is not None:
        network.source = folder
    return network


def _with_torch(folder: Path, device: str | None, precision: Precision) -> BnaModel:
    # PyTorch and Transformers take seconds to import; most models do without them.
    require_extra("torch")
    from bnaparser.encoders.device import choose_device, has_bfloat16, move
    from bnaparser.network import storage

    chosen = choose_device(device)
    on_cpu = chosen.startswith("cpu")
    if precision == "int8" and not on_cpu:
        raise ModelError(
            f"int8 runs on the CPU, not on {chosen!r}: leave --precision out, or give bfloat16"
        )
    model = storage.load(folder)
    move(model, chosen)
    if precision == "bfloat16" or (precision == "auto" and not on_cpu and has_bfloat16(chosen)):
        model.to_bfloat16()
    elif precision == "int8":
        model.to_int8()
    return model


def _may_have_gpu() -> bool:
    """Return whether it is worth asking PyTorch, which takes a second or two to import."""
    if sys.platform == "darwin":
        return False
    return sys.platform != "linux" or any(os.path.exists(path) for path in _OF_GPUS)
