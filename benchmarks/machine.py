"""Where and when something was measured, and by which command: what every page begins with."""

from __future__ import annotations

import argparse
import os
import platform
import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

# What a training computes in, by accelerate's name for it.
NUMBERS = {"no": "float32", "bf16": "bfloat16"}


def processor() -> str:
    """Return the processor's name and its number of cores."""
    names = [
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    name = names[0].partition(":")[2].strip() if names else platform.processor()
    return f"{name}, {os.cpu_count()} cores"


def computed_on(device: str | None = None) -> str:
    """Return the name of a device of PyTorch's; without one of what is taken: the first GPU, or the processor."""
    import torch

    if device is None and torch.cuda.is_available():
        device = "cuda"
    on_gpu = device is not None and device.startswith("cuda")
    return torch.cuda.get_device_name(device) if on_gpu else processor()


def memory() -> str:
    """Return the size of the machine's memory."""
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"


def now() -> str:
    """Return date and time, UTC, as 2026-11-22 21:11."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M}"


def begun() -> str:
    """Return date and time, and how busy the machine is with something else."""
    return f"{now()} UTC, load before the start {os.getloadavg()[0]:.2f}"


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages."""
    return {package: version(package) for package in packages}


def listed(found: Mapping[str, str]) -> str:
    """Return versions in one line."""
    return ", ".join(f"{name} {number}" for name, number in found.items())


def listed_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the versions that several runs had in one line: of a package that was not the same in all, each."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for name, number in row["versions"].items():
            found.setdefault(name, {})[number] = None
    return listed({name: " and ".join(numbers) for name, numbers in found.items()})


def check_precision(parser: argparse.ArgumentParser, precision: str) -> None:
    """End with an error where a training in "bf16" would compute in float32, and its page say otherwise."""
    import torch

    from bnaparser.encoders.device import cpu_has_bfloat16

    if precision == "bf16" and not torch.cuda.is_available() and not cpu_has_bfloat16():
        parser.error("this processor has no products of bfloat16 numbers: give --precision no")


def command(module: str, arguments: Iterable[str]) -> str:
    """Return what one types to run a benchmark with these arguments."""
    return shlex.join(["python", "-m", module, *arguments])


def without_folders(arguments: Iterable[str]) -> list[str]:
    """Return arguments as a page shows them: of files the names, not where they are."""
    shown = []
    for argument in arguments:
        option, equals, value = argument.rpartition("=")
        shown.append(option + equals + (Path(value).name if "/" in value else value))
    return shown
