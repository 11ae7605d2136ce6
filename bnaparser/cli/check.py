"""``bnaparser check``: print the facts that a bug report should begin with."""

from __future__ import annotations

import argparse
import os
import platform
import time
from importlib import metadata
from importlib.util import find_spec

from bnaparser.cli.arguments import DEVICE_HELP, add_precision
from bnaparser.cli.console import SOME_FAILED, SUCCESS, quiet_libraries
from bnaparser.compute.cores import usable_threads

PACKAGES = ("tokenizers", "numpy", "numba", "pydantic", "nltk")
EXTRAS = {
    "torch": ("torch", "transformers"),
    "train": ("accelerate", "tensorboard", "scikit-learn", "seqeval", "matplotlib"),
    "compare": ("PYEVALB",),
    "spacy": ("spacy",),
}
OMP = ("OMP_NUM_THREADS", "OMP_WAIT_POLICY")
SENTENCE = "The cat sat on the mat."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choice of the model and the device."""
    parser.add_argument(
        "-m",
        "--model",
        default="en",
        metavar="NAME|DIR",
        help="name or folder of the parser (default: en)",
    )
    parser.add_argument("--device", help=DEVICE_HELP)
    add_precision(parser)


def run(options: argparse.Namespace) -> int:
    """Print versions, threads, devices and extras, and the tree of one sentence with the time it took."""
    from bnaparser import __version__

    print(f"bnaparser {__version__}, Python {platform.python_version()}, {platform.platform()}")
    print(", ".join(f"{name} {_version(name)}" for name in PACKAGES))
    for extra, names in EXTRAS.items():
        found = ", ".join(f"{name} {_version(name)}" for name in names)
        print(f"extra [{extra}]: {found}")
    quiet_libraries()
    print(f"threads: {usable_threads()} of {os.cpu_count()} cores; {_omp_settings()}")
    print("devices: cpu", *_gpus(), sep=", ")
    from bnaparser.compute.processor import instructions
    from bnaparser.network.precision import reason_for_torch
    from bnaparser.parsing.parser import Parser
    from bnaparser.text.text_rules import DEFAULT_LANGUAGE

    started = time.perf_counter()
    parser = Parser.load(
        options.model, options.device, precision=options.precision, backend=options.backend
    )
    loaded = time.perf_counter()
    # Of several languages it takes English, or the first: its words, not its trees, are English then.
    known = parser.languages
    language = DEFAULT_LANGUAGE if DEFAULT_LANGUAGE in known else known[0]
    parse = parser.in_language(language).parse_sentence(SENTENCE)
    done = time.perf_counter()
    print(
        f"model {options.model}: loaded in {loaded - started:.2f} s, computes in {parser.precision}"
    )
    if parser.backend == "torch":
        reason = reason_for_torch(options.device, options.precision, options.backend)
        print(f"backend: torch ({reason or 'there are no compiled loops for this network'})")
    else:
        print(f"backend: {parser.backend}")
    amx = ", matrices with AMX" if instructions().amx else ""
    print(f"int8 products: {instructions().int8}, {instructions().lanes} lanes{amx}")
    print(f"parsed in {done - loaded:.2f} s: {parse.tree or parse.error}")
    return SUCCESS if parse.error is None else SOME_FAILED


def _gpus() -> list[str]:
    """Return the names of the GPUs that PyTorch finds; none without PyTorch."""
    if find_spec("torch") is None:
        return []
    import torch

    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]


def _omp_settings() -> str:
    return ", ".join(f"{name}={os.environ.get(name, '(not set)')}" for name in OMP)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
