"""A launch of two processes on the CPU, for tests of what several GPUs do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path


def run_in_two(script: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in two processes, as ``accelerate launch`` does, and return how it ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    command += [f"--master-port={port}", str(script), *map(str, arguments)]
    on_cpu = os.environ | {"ACCELERATE_USE_CPU": "true", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, env=on_cpu
    )
