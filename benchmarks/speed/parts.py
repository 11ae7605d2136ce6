"""The parts of speed.py: each runs in a process of its own and returns what it measured."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnaparser.training.data import Example
    from bnaparser.training.recipe import Recipe
    from bnaparser.training.update import Updater

Result = dict[str, Any]

BATCH, WARM_UPDATES = 32, 2
WORDS_IN_BATCH = 24  # of each sentence, where the batch size varies


def train_part(options: argparse.Namespace) -> Result:
    """Time updates, and the encoder's part on the same batches; save the model in the folder."""
    import numpy as np
    from accelerate import Accelerator

    from bnaparser.network import storage
    from bnaparser.training.data import read_mix
    from bnaparser.training.loop import training_arithmetic
    from bnaparser.training.setup import new_model
    from bnaparser.training.update import Updater

    recipe = recipe_of(options)
    mix = read_mix(recipe.train)
    model = new_model(recipe, mix)
    updater = Updater(model, recipe.train, Accelerator(cpu=True))
    encoder = model.encoder.model
    order = np.random.default_rng(0).permutation(len(mix.train))
    rows = []
    with training_arithmetic(model.device):
        for number in range(WARM_UPDATES + options.train_batches):
            batch = [mix.train[i] for i in order[number * BATCH : (number + 1) * BATCH]]
            ours, cpu, sentences = clock(partial(training_update, updater, batch, number))
            parts = updater.parts(sentences)
            given = [padded([sentence.prepared for sentence in part]) for part in parts]
            bare, bare_cpu, _ = clock(partial(encoder_update, encoder, given))
            updater.optimizer.zero_grad()
            if number >= WARM_UPDATES:
                rows.append((ours, cpu, bare, bare_cpu, len(batch)))
    peak = peak_mb()
    storage.save(model, options.folder, "int8", {})
    wall, cpu, bare, bare_cpu, count = (sum(column) for column in zip(*rows, strict=True))
    result = timing((wall, cpu), (bare, bare_cpu), count)
    encoder_class = type(encoder).__name__
    return result | {"peak_mb": peak, "labels": len(model.labels), "encoder_class": encoder_class}


def training_update(updater: Updater, examples: Sequence[Example], number: int) -> Any:
    """Do one update from words and spans, as training does; return the sentences."""
    from bnaparser.training.setup import training_sentences

    sentences = training_sentences(updater.model, examples)
    updater.update(sentences, number)
    return sentences


def padded(batch: Sequence[Any]) -> tuple[Any, Any]:
    """Return subword numbers and attention mask, one window a row: what the bare encoder takes."""
    from bnaparser.encoders.pretrained import collate

    collated = collate([window for sentence in batch for window in sentence.windows])
    return collated.ids, (collated.numbers > 0).astype(int)


def encoder_update(encoder: Any, batches: Sequence[Any]) -> None:
    import torch

    for ids, mask in batches:
        hidden = encoder(torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
        hidden.last_hidden_state.sum().backward()


def parse_part(options: argparse.Namespace) -> Result:
    """Time ``Parser.parse_many`` and the encoder on the same length-sorted, padded batches."""
    from bnaparser.encoders.batching import batches_by_length
    from bnaparser.parsing.parser import Parser

    sentences = [example.words for example in read(options.trees)[: options.sentences]]
    parser = Parser.load(options.folder, "cpu")
    prepared = parser.model.prepare(sentences)
    groups = batches_by_length([sentence.size for sentence in prepared], parser.batch_tokens)
    batches = [padded([prepared[i] for i in group]) for group in groups]
    encoder = bare_encoder(parser)
    groups_of_sentences = [[prepared[i] for i in group] for group in groups]
    network = partial(score, parser.model)
    trees = parse(parser, sentences)
    on_all_threads(encoder, batches)
    on_all_threads(network, groups_of_sentences)
    ours, bare, scored = [], [], []
    for _ in range(options.repeats):
        ours.append(clock(lambda: parse(parser, sentences)))
        bare.append(clock(lambda: on_all_threads(encoder, batches)))
        scored.append(clock(lambda: on_all_threads(network, groups_of_sentences)))
    result = timing(fastest(ours), fastest(bare), len(sentences))
    wall, cpu = fastest(scored)
    nodes = [len(list(tree.nodes())) for tree in trees[:100]]
    return result | {
        "network_s": wall,
        "network_cpu_s": cpu,
        "batches": len(batches),
        "nodes_per_tree": sum(nodes) / len(nodes),
        "peak_mb": peak_mb(),
    }


def parse(parser: Any, sentences: Sequence[Sequence[str]]) -> list[Any]:
    """Parse words into trees; a sentence without one would make the time worthless."""
    trees = [parse.tree for parse in parser.parse_many(sentences)]
    assert None not in trees
    return trees


def bare_encoder(parser: Any) -> Any:
    """Return what a parser's encoder does with one batch of subword numbers and its mask, alone.

    Without PyTorch it has the same precision as the parser, and no padding either.
    """
    from bnaparser.network.compiled.network import CompiledNetwork

    network = parser.model
    if isinstance(network, CompiledNetwork):
        from bnaparser.network.compiled.encoder import PackedLengths

        def compute(batch: Any) -> None:
            ids, mask = batch
            network.encoder(ids[mask > 0], PackedLengths.of_lengths(mask.sum(axis=1).tolist()))

        return compute
    import torch

    def compute_with_torch(batch: Any) -> None:
        ids, mask = batch
        with torch.inference_mode():
            network.encoder.model(torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))

    return compute_with_torch


def score(network: Any, batch: Sequence[Any]) -> None:
    """Run a parser's whole network over prepared sentences: encoder, layers, scorer, tags."""
    from bnaparser.network.decoding import predicted_tags

    with network.inference():
        encoded = network.encode(batch)
        network.best_labels(encoded)
        predicted_tags(network, encoded, batch)


def on_all_threads(work: Callable[[Any], Any], batches: Sequence[Any]) -> None:
    """Do some work on each batch, a batch in each of as many threads as parse."""
    from concurrent.futures import ThreadPoolExecutor

    from bnaparser.compute.cores import usable_threads
    from bnaparser.parsing.batches import on_one_thread

    def compute(batch: Any) -> None:
        with on_one_thread():
            work(batch)

    with ThreadPoolExecutor(usable_threads()) as pool:
        list(pool.map(compute, batches))


def chart_part(options: argparse.Namespace) -> Result:
    """Time the decoder on 64 sentences of 50 words and 112 labels."""
    import numpy as np

    from bnaparser import chart

    generator = np.random.default_rng(1)
    shape = (64 * chart.span_count(50), 112)
    scores = generator.standard_normal(shape, dtype=np.float32)
    scores[:, 0] = 0
    chart.decode_packed(scores, [50] * 64, options.threads)
    walls = [
        clock(lambda: chart.decode_packed(scores, [50] * 64, options.threads))[0]
        for _ in range(6 * options.repeats)
    ]
    return {"wall_s": min(walls)}


def lengths_part(options: argparse.Namespace) -> Result:
    """Time ``--at-once`` sentences by their length; the peak is that of all lengths so far."""
    from bnaparser.parsing.parser import Parser

    parser = Parser.load(options.folder, "cpu")
    rows = []
    for words in integers(options.lengths):
        sentences = invented(parser, read(options.train), words, options.at_once)
        rows.append({"words": words, **curve_point(parser, sentences, options.repeats)})
    return {"rows": rows}


def batches_part(options: argparse.Namespace) -> Result:
    """Time batches of sentences of 24 words by their size, all sentences at once."""
    from bnaparser.parsing.parser import Parser

    parser = Parser.load(options.folder, "cpu")
    parser.batch_tokens = sys.maxsize
    rows = []
    for size in integers(options.batch_sizes):
        sentences = invented(parser, read(options.train), WORDS_IN_BATCH, size)
        rows.append({"sentences": size, **curve_point(parser, sentences, options.repeats)})
    return {"rows": rows}


def curve_point(parser: Any, sentences: list[list[str]], repeats: int) -> Result:
    from bnaparser.encoders.batching import batches_by_length

    prepared = parser.model.prepare(sentences)
    groups = batches_by_length([sentence.size for sentence in prepared], parser.batch_tokens)
    batches = [padded([prepared[i] for i in group]) for group in groups]
    encoder = bare_encoder(parser)
    parse(parser, sentences)
    ours, bare = [], []
    for _ in range(repeats):
        ours.append(clock(lambda: parse(parser, sentences))[0])
        bare.append(clock(lambda: on_all_threads(encoder, batches))[0])
    scale = 1000 / len(sentences)
    return {"ms": scale * min(ours), "bare_ms": scale * min(bare), "peak_mb": peak_mb()}


PARTS: dict[str, Callable[[argparse.Namespace], Result]] = {
    "train": train_part,
    "parse": parse_part,
    "chart": chart_part,
    "lengths": lengths_part,
    "batches": batches_part,
}


def read(path: Path) -> list[Any]:
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings, TrainSettings

    return read_examples(DataSettings(path=str(path)), TrainSettings())


def recipe_of(options: argparse.Namespace) -> Recipe:
    """Return a recipe for the timed updates; the clipping norm is one that no gradient reaches."""
    from bnaparser.training.recipe import Recipe

    return Recipe.model_validate(
        {
            "encoder": {"name": str(options.encoder)},
            "layers": {"layer_types": tuple(filter(None, options.layers.split(",")))},
            "tags": {"predict": True},
            "train": {
                "data": [{"path": str(options.train)}],
                "max_words": 10_000,
                "learning_rate": 5e-5,
                "head_learning_rate": 5e-4,
                "max_grad_norm": 1e30,
                "seed": 0,
            },
        }
    )


def invented(parser: Any, examples: Sequence[Any], words: int, count: int) -> list[list[str]]:
    """Make sentences of treebank words that are one piece each, so that lengths are exact."""
    tokenizer = parser.model.subwords.tokenizer
    seen = sorted({word.lower() for e in examples[:500] for word in e.words if word.isalpha()})
    whole = [word for word in seen if len(tokenizer.encode(word, add_special_tokens=False)) == 1]
    generator = random.Random(0)
    return [generator.choices(whole, k=words) for _ in range(count)]


def clock(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall seconds, CPU seconds and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def fastest(runs: Sequence[tuple[float, float, Any]]) -> tuple[float, float]:
    """Return the least wall seconds and the least CPU seconds of several runs."""
    return min(wall for wall, _, _ in runs), min(cpu for _, cpu, _ in runs)


def timing(ours: tuple[float, float], bare: tuple[float, float], count: int) -> Result:
    """Return wall and CPU seconds of our work and of the bare encoder's on ``count`` sentences."""
    (wall, cpu), (bare_wall, bare_cpu) = ours, bare
    found = {"wall_s": wall, "cpu_s": cpu, "bare_s": bare_wall, "bare_cpu_s": bare_cpu}
    return found | {"count": count}


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def integers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]
