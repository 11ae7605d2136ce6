"""What the engines of engines.md need of a network: batches, and its files for each. Needs PyTorch and all engines."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AutoModel

from benchmarks.speed.engines import BATCH_SIZES, CTRANSLATE, ONNX, SENTENCE, arrays_of
from bnaparser.models import SHIPPED, find
from bnaparser.network import storage


def load_module(folder: Path, inputs: dict[str, Any]) -> nn.Module:
    """Return a network that `prepare` has written, as PyTorch computes it in float32."""
    torch.set_num_threads(1)
    module: nn.Module
    if inputs["whole"]:
        module = WholeNetwork(storage.load(find(inputs["source"])))
    else:
        module = LastVectors(AutoModel.from_pretrained(folder / "encoder"))
    return module.eval()


class CannotError(Exception):
    """An engine cannot compute this network; the message says why."""


class LastVectors(nn.Module):
    """An encoder, as engines take it."""

    def __init__(self, encoder: Any):
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the last vectors of subwords, (sentences, subwords, width)."""
        vectors: Tensor = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return vectors


class WholeNetwork(nn.Module):
    """A parser's network from subwords to the best label of each span: `BnaModel` without Python between."""

    def __init__(self, network: Any):
        super().__init__()
        self.network = network

    def forward(
        self,
        ids: Tensor,
        mask: Tensor,
        gather: Tensor,
        shapes: Tensor,
        valid: Tensor,
        places: Tensor,
        left: Tensor,
        inner: Tensor,
        starts: Tensor,
        ends: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the best scores and labels of spans, and the scores of tags; `whole_batch` says of what."""
        network = self.network
        encoder = network.encoder
        inputs = {"input_ids": ids, "attention_mask": mask}
        if encoder.first_position:
            numbers = torch.arange(ids.shape[1]) + encoder.first_position
            inputs["position_ids"] = numbers.expand(ids.shape)
        vectors = torch.cat([encoder._mixed(inputs).flatten(0, 1), encoder.missing])
        content = network.project(vectors[gather])
        beside = F.embedding(shapes, network.shape_embedding)
        rows = network.stack(content, valid, beside).flatten(0, 1)[places]
        posts = network.scorer.fenceposts(rows[left], rows[left + 1])
        best, labels = network.scorer(posts, starts, ends).max(dim=-1)
        return best, labels + 1, network.tagger(rows[inner])


def prepare(source: str, folder: Path, words: list[list[str]], whole: bool) -> dict[str, Any]:
    """Write the files of all engines, and batches of the sentences; return facts for the page.

    Args:
        source: A folder of Hugging Face's, or the name of a model of bnaparser's.
        folder: Where to write.
        words: The sentences; SENTENCE is prepared besides.
        whole: The network is the model's whole one, not its encoder alone.
    """
    from bnaparser.encoders.batching import batches_by_length

    torch.set_num_threads(1)
    is_folder = (Path(source) / "tokenizer.json").is_file()
    network = None if is_folder else storage.load(find(source)).eval()
    if network is None:
        from bnaparser.encoders.loading import load_tokenizer
        from bnaparser.encoders.pretrained import drop_pooler
        from bnaparser.encoders.subwords import Subwords

        encoder = AutoModel.from_pretrained(source).eval()
        drop_pooler(encoder)
        subwords = Subwords(load_tokenizer(source), encoder.config.max_position_embeddings - 2, 500)
    else:
        assert network.subwords is not None
        encoder, subwords = network.encoder.model, network.subwords
    inputs: dict[str, Any] = {"source": source, "whole": whole}
    sentences = [*words, SENTENCE.split()]
    windows = [of[0] for of in subwords.windows(sentences)]
    prepared = network.prepare(sentences) if network is not None else []

    def batch(numbers: Sequence[int]) -> dict[str, Any]:
        if whole:
            assert network is not None
            return whole_batch([prepared[number] for number in numbers], numbers)
        return encoder_batch([windows[number].ids for number in numbers], numbers)

    sizes = [window.size for window in windows[:-1]]
    inputs["batches"] = {
        size: [batch(group) for group in batches_by_length(sizes, size)] for size in BATCH_SIZES
    }
    inputs["alone"] = [batch([number]) for number in range(len(words))]
    inputs["one"] = batch([len(words)])
    # An export leaves the mask out where the example has no padding.
    order = sorted(range(len(words)), key=lambda number: sizes[number])
    example = batch([order[-1], order[len(order) // 2], order[0]])
    (folder / "inputs.pickle").write_bytes(pickle.dumps(inputs))
    (folder / "prepared.pickle").write_bytes(pickle.dumps(prepared))
    module: Any = WholeNetwork(network) if whole else LastVectors(encoder)
    if not whole:
        encoder.save_pretrained(folder / "encoder")
    facts = {"subwords": sum(sizes), "parameters": sum(p.numel() for p in module.parameters())}
    facts["made"] = {ONNX: made(export_onnx, module, example, folder, whole)}
    facts["made"][CTRANSLATE] = made(convert, folder, whole)
    return facts


def made(make: Callable[..., None], *given: Any) -> str:
    """Make an engine's files; return why it cannot be done, or nothing."""
    try:
        make(*given)
    except ImportError as error:
        return f"not installed ({error.name})"
    except CannotError as error:
        return str(error)
    return ""


def encoder_batch(ids: Sequence[NDArray[np.int64]], numbers: Sequence[int]) -> dict[str, Any]:
    """Return a batch of an encoder: subword numbers with padding, mask, which sentences, rows of each."""
    lengths = [len(row) for row in ids]
    padded, mask = (np.zeros((len(ids), max(lengths)), np.int64) for _ in range(2))
    for row, own in enumerate(ids):
        padded[row, : len(own)], mask[row, : len(own)] = own, 1
    return {"ids": padded, "mask": mask, "sentences": list(numbers), "rows": lengths}


def whole_batch(sentences: Sequence[Any], numbers: Sequence[int]) -> dict[str, Any]:
    """Return a batch of a parser's network, with all places that it gathers vectors from."""
    from bnaparser.compute.span_labels import posts_of_spans
    from bnaparser.encoders.pretrained import collate
    from bnaparser.network.prepared import (
        position_rows,
        window_numbers,
        words_and_sides,
    )

    windows = [window for sentence in sentences for window in sentence.windows]
    collated = collate(windows)
    positions = collated.gather.shape[1]
    shapes = np.zeros((len(windows), positions), np.int64)
    for line, row in zip(
        shapes, window_numbers(sentences, [s.shapes for s in sentences]), strict=True
    ):
        line[: len(row)] = row
    lengths = [sentence.words for sentence in sentences]
    inner, left = words_and_sides(lengths)
    starts, ends = (posts.astype(np.int64) for posts in posts_of_spans(np.array(lengths)))
    return {
        "ids": collated.ids,
        "mask": (collated.numbers > 0).astype(np.int64),
        "gather": collated.gather,
        "shapes": shapes,
        "valid": np.arange(positions) < np.array([[n + 2] for n in lengths]),
        "places": position_rows(sentences, positions),
        "left": left,
        "inner": inner,
        "starts": starts,
        "ends": ends,
        "sentences": list(numbers),
        "rows": [n * (n + 1) // 2 for n in lengths],
    }


def export_onnx(module: Any, example: dict[str, Any], folder: Path, whole: bool) -> None:
    """Write a network as ONNX in float32, and with its products in int8."""
    import onnxruntime  # noqa: F401
    from onnxruntime.quantization import QuantType, quantize_dynamic

    given = {name: torch.from_numpy(value) for name, value in arrays_of(example).items()}
    plain = str(folder / "float32.onnx")
    with torch.no_grad():
        if whole:  # the older exporter writes a network that gives other scores
            free = {
                n: dict.fromkeys(range(v.ndim), torch.export.Dim.AUTO) for n, v in given.items()
            }
            torch.onnx.export(
                module, (), plain, kwargs=given, input_names=list(given), dynamic_shapes=free,
                dynamo=True, external_data=False, verbose=False,
            )  # fmt: skip
        else:  # files of the newer one are slower by 5 to 20 %
            sizes = {n: {0: "sentences", 1: "subwords"} for n in (*given, "vectors")}
            torch.onnx.export(
                module, tuple(given.values()), plain, input_names=list(given), dynamic_axes=sizes,
                output_names=["vectors"], dynamo=False, opset_version=17,
            )  # fmt: skip
    quantize_dynamic(plain, folder / "int8.onnx", per_channel=True, weight_type=QuantType.QInt8)


def convert(folder: Path, whole: bool) -> None:
    """Write an encoder as CTranslate2 wants it. Raises CannotError where it has no such network."""
    from ctranslate2.converters import TransformersConverter

    if whole:
        raise CannotError("supports only networks of its own list")
    encoder = shutil.copytree(folder / "encoder", folder / "converted", dirs_exist_ok=True)
    # Its vocabulary is read off a tokenizer, whose words nothing here uses; transformers 5 has no such key any more.
    for name in ("tokenizer.json", "tokenizer_config.json"):
        source = Path(pickle.loads((folder / "inputs.pickle").read_bytes())["source"])
        inside = source if source.is_dir() else SHIPPED / source / "encoder"
        shutil.copy(inside / name, encoder / name)
    settings = json.loads((encoder / "config.json").read_text(encoding="utf-8"))
    settings["position_embedding_type"] = "absolute"
    (encoder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    for number in ("float32", "int8"):
        try:
            converter = TransformersConverter(str(encoder))
            converter.convert(str(folder / f"ctranslate-{number}"), quantization=number, force=True)
        except ValueError as error:
            raise CannotError(f"no {settings['model_type']}") from error
