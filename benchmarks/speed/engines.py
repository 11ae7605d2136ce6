"""The engines of engines.md: files for each are made once, then each computes the same batches in a process of its own.

Every engine takes a batch as a dictionary of arrays and returns arrays whose rows are those of its sentences, one after
another: of an encoder the last vector of each subword, of a parsing network the best label of each span and its score.
"""

from __future__ import annotations

import json
import pickle
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = list[NDArray[Any]]
Compute = Callable[[dict[str, Any]], Arrays]

OURS, PYTORCH, ONNX, CTRANSLATE = "bnaparser", "PyTorch", "ONNX Runtime", "CTranslate2"
# (engine, precision), in the order of the page; the first is what the others are compared with.
ENGINES = [
    (engine, number)
    for number in ("int8", "float32")
    for engine in (OURS, PYTORCH, ONNX, CTRANSLATE)
]
REFERENCE = (PYTORCH, "float32")
# What is imported to compute, and so what an installation without anything else holds.
NEEDS = {
    OURS: ("numba", "safetensors"),
    PYTORCH: ("torch", "transformers"),
    ONNX: ("onnxruntime",),
    CTRANSLATE: ("ctranslate2",),
}
# Subwords of a batch, padding included. Each engine counts by its faster one.
BATCH_SIZES = (500, 2000)
# NSA's spans of up to four words are written out in an exported network: it takes no shorter sentences.
SHORTEST = 5
# Layers whose weights are multiplied without the layer, which one of PyTorch's int8 layers cannot.
WEIGHT_ALONE = ("attention.key", "attention.value", "scorer.hidden")
SENTENCE = (
    "The old company said that it would sell its three largest plants in the north of the country"
    " next year ."
)  # fmt: skip


def arrays_of(batch: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return what of a batch a network is called with."""
    return {name: value for name, value in batch.items() if isinstance(value, np.ndarray)}


# What computes. Each loads its engine, and returns what computes a batch.


def ours(folder: Path, number: str, inputs: dict[str, Any]) -> Compute:
    """Load the compiled network, or build its encoder of a folder of Hugging Face's."""
    from types import SimpleNamespace

    from bnaparser.compute.span_labels import best_labels, posts_of_spans
    from bnaparser.files.matrices import read_matrices
    from bnaparser.files.tables import read_object
    from bnaparser.models import find
    from bnaparser.network.compiled.encoder import CompiledEncoder, PackedLengths, shape_of
    from bnaparser.network.compiled.network import load_compiled
    from bnaparser.network.compiled.weights import StoredWeights

    if inputs["whole"]:
        network = load_compiled(find(inputs["source"]), number)
        assert network is not None
        prepared = pickle.loads((folder / "prepared.pickle").read_bytes())

        def compute_whole(batch: dict[str, Any]) -> Arrays:
            encoded = network.encode([prepared[number] for number in batch["sentences"]])
            spans = posts_of_spans(np.array(encoded.lengths))
            found = best_labels(encoded.fenceposts, *spans, network._scorer, network._output.matrix)
            return [*found, network.all_tag_scores(encoded)]

        return compute_whole
    config = SimpleNamespace(**read_object(folder / "encoder" / "config.json"))
    shape = shape_of(config)
    assert shape is not None
    matrices = read_matrices(folder / "encoder" / "model.safetensors").arrays
    own = {f"encoder.model.{name}": matrix for name, matrix in matrices.items()}
    own["encoder.missing"] = np.zeros((3, shape.width), np.float32)
    weights = StoredWeights(own, number == "int8", str(folder))
    encoder = CompiledEncoder(shape, config, weights, mix_layers=False)

    def compute(batch: dict[str, Any]) -> Arrays:
        return [encoder(batch["ids"][batch["mask"] > 0], PackedLengths.of_lengths(batch["rows"]))]

    return compute


def of_pytorch(folder: Path, number: str, inputs: dict[str, Any]) -> Compute:
    """Load PyTorch's module; in int8 its layers are quantized dynamically, by output, in oneDNN."""
    import torch

    from benchmarks.speed.engine_files import load_module

    module = load_module(folder, inputs)
    if number == "int8":
        from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

        torch.backends.quantized.engine = "onednn"
        layers = {
            name: per_channel_dynamic_qconfig
            for name, layer in module.named_modules()
            if isinstance(layer, torch.nn.Linear) and not name.endswith(WEIGHT_ALONE)
        }
        quantize_dynamic(module, layers, inplace=True)  # type: ignore[no-untyped-call]

    def compute(batch: dict[str, Any]) -> Arrays:
        given = {name: torch.from_numpy(value) for name, value in arrays_of(batch).items()}
        with torch.inference_mode():
            found = module(**given)
        if inputs["whole"]:
            return [one.numpy() for one in found]
        return [found.numpy()[batch["mask"] > 0]]

    return compute


def of_onnx(folder: Path, number: str, inputs: dict[str, Any]) -> Compute:
    """Load a file of ONNX, for one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / f"{number}.onnx"), options, providers=["CPUExecutionProvider"]
    )

    def compute(batch: dict[str, Any]) -> Arrays:
        found: Arrays = session.run(None, arrays_of(batch))
        return found if inputs["whole"] else [found[0][batch["mask"] > 0]]

    return compute


def of_ctranslate(folder: Path, number: str, inputs: dict[str, Any]) -> Compute:
    """Load CTranslate2's encoder, for one thread."""
    import ctranslate2

    kind = "int8_float32" if number == "int8" else number
    encoder = ctranslate2.Encoder(
        str(folder / f"ctranslate-{number}"), compute_type=kind, intra_threads=1, inter_threads=1
    )

    def compute(batch: dict[str, Any]) -> Arrays:
        ids = [row[:count].tolist() for row, count in zip(batch["ids"], batch["rows"], strict=True)]
        return [np.array(encoder.forward_batch(ids).last_hidden_state)[batch["mask"] > 0]]

    return compute


LOADERS = {OURS: ours, PYTORCH: of_pytorch, ONNX: of_onnx, CTRANSLATE: of_ctranslate}


def worker(folder: Path, engine: str, number: str) -> None:
    """Load an engine; then do one turn for each line that comes in, and print what it took as JSON."""
    inputs = pickle.loads((folder / "inputs.pickle").read_bytes())
    compute = LOADERS[engine](folder, number, inputs)
    compute(inputs["one"])
    say({"load": time.process_time(), "sentences": len(inputs["alone"])})
    for _ in sys.stdin:
        turn = {}
        for size, batches in inputs["batches"].items():
            start = time.process_time()
            for batch in batches:
                compute(batch)
            turn[str(size)] = time.process_time() - start
        turn["one"] = min(cpu_seconds(lambda: compute(inputs["one"])) for _ in range(10))
        turn["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(turn)


def write_outputs(folder: Path, engine: str, number: str, count: int, to: Path) -> None:
    """Write what an engine answers: of the first sentences, each alone, and of all of them in batches."""
    inputs = pickle.loads((folder / "inputs.pickle").read_bytes())
    compute = LOADERS[engine](folder, number, inputs)
    count = min(count, len(inputs["alone"]))
    found: dict[str, Any] = {
        "alone": [rows_of(compute(one), one)[0] for one in inputs["alone"][:count]]
    }
    if count == len(inputs["alone"]):
        batched: list[Any] = [None] * count
        for batch in inputs["batches"][BATCH_SIZES[0]]:
            for sentence, rows in zip(
                batch["sentences"], rows_of(compute(batch), batch), strict=True
            ):
                batched[sentence] = rows
        found["batched"] = batched
    to.write_bytes(pickle.dumps(found))


def rows_of(found: Arrays, batch: dict[str, Any]) -> list[Arrays]:
    """Return a batch's answers by its sentences; tags, which have other rows, are left out."""
    ends = np.cumsum(batch["rows"])[:-1]
    return [list(one) for one in zip(*(np.split(array, ends) for array in found[:2]), strict=True)]


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that some work takes: other programs on the machine add least to it."""
    start = time.process_time()
    work()
    return time.process_time() - start


def say(found: dict[str, float]) -> None:
    print(json.dumps(found), flush=True)


# What the answers are compared with.


def differences(found: list[Arrays], others: list[Arrays]) -> dict[str, float]:
    """Compare answers sentence by sentence: equal to the last bit, mean and largest difference."""
    pairs = list(zip(found, others, strict=False))
    apart = np.concatenate([np.abs(a[0].astype(np.float64) - b[0]).ravel() for a, b in pairs])
    same = [all(np.array_equal(x, y) for x, y in zip(a, b, strict=True)) for a, b in pairs]
    return {"same": sum(same) / len(same), "mean": float(apart.mean()), "most": float(apart.max())}


def trees(answers: list[Arrays]) -> Iterator[list[list[int]]]:
    """Yield the best tree of each sentence, given its spans' best scores and labels."""
    from bnaparser.chart import decode_best_packed
    from bnaparser.network.parsing_network import packed_best

    for scores, labels in answers:
        words = int((np.sqrt(8 * len(scores) + 1) - 1) / 2)
        best = packed_best(scores.copy(), labels.astype(np.int32), [words], False)
        given = best.scores, best.labels, best.root_scores, best.root_labels
        (tree,) = decode_best_packed(*given, [words])
        yield tree.spans.tolist()
