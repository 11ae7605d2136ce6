"""In which numbers a network computes, on which device."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from bnaparser.compute.kernel import check_compiler
from bnaparser.errors import ModelError
from bnaparser.extras import require_extra
from bnaparser.models.zipped_folder import unzipped
from bnaparser.network.compiled.compiled_network import CompiledNetwork, load_compiled
from bnaparser.network.compiled.first_run import begin_first_run
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.stored_settings import is_benepars

if TYPE_CHECKING:
    from bnaparser.network.model import BnaModel

Precision = Literal["auto", "float32", "bfloat16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)

_CPU = re.compile(r"cpu(:\d+)?")
# What a machine with a GPU of NVIDIA or AMD has, with Linux in Windows too.
_OF_GPUS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")


def load_network(
    folder: Path, device: str | None = None, precision: Precision = "auto"
) -> ParsingNetwork:
    """Read a model folder, or a zip of one: its network on a device, in a precision.

    ``device`` is a torch device; by default the first GPU, or the CPU where there is none. On a CPU
    ``auto`` is int8 where the weights are stored so and the machine multiplies bytes faster, else
    float32; on a GPU it is bfloat16 where the GPU has it. Raises ModelError where the folder is
    damaged, or the device is not there or cannot compute so; SettingsError where Numba may not compile.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}: give one of {', '.join(PRECISIONS)}")
    check_compiler()
    on_cpu = not _may_have_gpu() if device is None else bool(_CPU.fullmatch(device))
    if on_cpu and precision != "bfloat16":
        begin_first_run(precision)
        compiled = _compiled(folder, precision)
        if compiled is not None:
            return compiled
    return _with_torch(folder, device, precision)


def _compiled(folder: Path, precision: Precision) -> CompiledNetwork | None:
    """Read what is compiled; None where PyTorch is needed, as for a model of benepar's."""
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
    from bnaparser.network.int8_linear import compute_in_int8

    chosen = choose_device(device)
    on_cpu = chosen.startswith("cpu")
    if precision == "int8" and not on_cpu:
        raise ModelError(
            f"int8 is for the CPU, not for {chosen!r}: leave the precision out, or give bfloat16"
        )
    model = storage.load(folder)
    move(model, chosen)
    if precision == "bfloat16" or (precision == "auto" and not on_cpu and has_bfloat16(chosen)):
        model.to_bfloat16()
    elif precision == "int8":
        compute_in_int8(model)
    return model


def _may_have_gpu() -> bool:
    """Tell whether it is worth asking PyTorch, which takes a second or two to import."""
    if sys.platform == "darwin":
        return False
    return sys.platform != "linux" or any(os.path.exists(path) for path in _OF_GPUS)
