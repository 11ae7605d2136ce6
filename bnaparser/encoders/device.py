"""The torch device that a network computes on."""

from __future__ import annotations

import logging

import torch
from torch import nn

from bnaparser.errors import ModelError

log = logging.getLogger(__name__)


def choose_device(device: str | None) -> str:
    """Return the device that is named; by default the first GPU, or the CPU where there is none."""
    return device or ("cuda" if torch.cuda.is_available() else "cpu")


def has_bfloat16(device: str) -> bool:
    """Return whether a GPU multiplies bfloat16 numbers itself."""
    return device.startswith("cuda") and torch.cuda.is_bf16_supported(including_emulation=False)


def cpu_has_bfloat16() -> bool:
    """Return whether PyTorch has fast products of bfloat16 numbers for this CPU.

    Elsewhere it does them one number at a time: a hundred times as slow as in float32 on a processor with AVX2 alone.
    """
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def training_precision(precision: str, device: str) -> str:
    """Return the precision of a training on a device; if the CPU lacks it, log so and return float32.

    No CPU has "fp16"; some have "bf16".
    """
    if not device.startswith("cpu") or precision == "no":
        return precision
    if precision == "bf16" and cpu_has_bfloat16():
        return precision
    kind = "bfloat16" if precision == "bf16" else "float16"
    log.warning("this processor cannot multiply %s numbers: the run computes in float32", kind)
    return "no"


def check_device(device: str | None) -> None:
    """Raise ModelError if a device that is named is not there."""
    if device is None:
        return
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise _unusable(device, error) from error


def prepare_device(device: str) -> None:
    """Keep PyTorch, in this whole process, from cuDNN's attention, which plans anew at every new shape of a batch.

    PyTorch 2.11 takes it on new GPUs, planning can take up to a second, and sentences have many lengths.
    """
    if device.startswith("cuda"):
        torch.backends.cuda.enable_cudnn_sdp(False)


def move(network: nn.Module, device: str | None) -> None:
    """Move a network to the device that is chosen; ModelError if it is not there."""
    chosen = choose_device(device)
    prepare_device(chosen)
    try:
        network.to(chosen)
    except (RuntimeError, AssertionError) as error:
        raise _unusable(chosen, error) from error


def _unusable(device: str, error: Exception) -> ModelError:
    return ModelError(f"cannot use the device {device!r}: {str(error).splitlines()[0]}")
