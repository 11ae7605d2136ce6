"""The parts of speed.py: each runs in a process of its own and returns what it measured."""

from __future__ import annotations

import argparse
import math
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Result = dict[str, Any]

BATCH, WARM_UPDATES = 32, 2
WORDS_IN_BATCH = 24  # of each sentence, where the batch size varies


def train_part(options: argparse.Namespace) -> Result:
    """Time training steps, and the encoder's on the same batches; save the model in the folder."""
    import numpy as np
    import torch

    from bnaparser.network import storage
    from bnaparser.training.run import Objective

    torch.set_flush_denormal(True)  # as bnaparser.training.run does
    examples = read(options.train)
    torch.manual_seed(0)
    model = new_model(options, examples)
    objective = Objective(model, model.settings.tags.loss_weight).train()
    encoder = list(model.encoder.model.parameters())
    own = {id(parameter) for parameter in encoder}
    head = [p for p in model.parameters() if id(p) not in own]
    groups = [{"params": encoder, "lr": 5e-5}, {"params": head, "lr": 5e-4}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-9, weight_decay=0, fused=True)
    order = np.random.default_rng(0).permutation(len(examples))
    rows = []
    for number in range(WARM_UPDATES + options.train_batches):
        batch = [examples[i] for i in order[number * BATCH : (number + 1) * BATCH]]
        ours, cpu, parts = clock(lambda b=batch: training_step(objective, optimizer, b))
        bare, bare_cpu, _ = clock(lambda p=parts: encoder_step(model.encoder.model, p))
        optimizer.zero_grad()
        if number >= WARM_UPDATES:
            rows.append((ours, cpu, bare, bare_cpu, len(batch)))
    peak = peak_mb()
    storage.save(model, options.folder, "float32", {})
    wall, cpu, bare, bare_cpu, count = (sum(column) for column in zip(*rows, strict=True))
    result = timing(wall, cpu, bare, bare_cpu, count)
    encoder_class = type(model.encoder.model).__name__
    return result | {"peak_mb": peak, "labels": len(model.labels), "encoder_class": encoder_class}


def training_step(objective: Any, optimizer: Any, examples: Sequence[Any]) -> list[Any]:
    """Do one update as bnaparser.training.run does, from words and spans; return its parts' piece arrays."""
    import torch

    from bnaparser.encoders.batching import TRAINING_TOKENS, batches_by_length
    from bnaparser.training.loss import gold, known_tags

    model = objective.model
    prepared = model.prepare([e.words for e in examples], [e.tags for e in examples])
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in examples]
    sentence, word = 1 / len(golds), 1 / max(1, known_tags(golds))
    budget = TRAINING_TOKENS["cpu"]
    parts = batches_by_length([sentence.size for sentence in prepared], budget)
    for part in parts:
        batch = [prepared[i] for i in part]
        loss = objective(batch, [golds[i] for i in part], sentence, word)
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), math.inf)
    optimizer.step()
    optimizer.zero_grad()
    return [padded([prepared[i] for i in part]) for part in parts]


def padded(batch: Sequence[Any]) -> tuple[Any, Any]:
    """Return piece numbers and attention mask, one window a row: what the bare encoder takes."""
    from bnaparser.encoders.pretrained import collate

    collated = collate([window for sentence in batch for window in sentence.windows])
    return collated.ids, (collated.numbers > 0).astype(int)


def encoder_step(encoder: Any, batches: Sequence[Any]) -> None:
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
    trees = parse(parser, sentences)
    encode(parser.model.encoder.model, batches)
    ours, bare = [], []
    for _ in range(options.repeats):
        ours.append(clock(lambda: parse(parser, sentences))[:2])
        bare.append(clock(lambda: encode(parser.model.encoder.model, batches))[:2])
    fastest = [min(column) for column in zip(*ours, strict=True)]
    fastest += [min(column) for column in zip(*bare, strict=True)]
    result = timing(*fastest, len(sentences))
    nodes = [len(list(tree.nodes())) for tree in trees[:100]]
    return result | {
        "batches": len(batches),
        "nodes_per_tree": sum(nodes) / len(nodes),
        "peak_mb": peak_mb(),
    }


def parse(parser: Any, sentences: Sequence[Sequence[str]]) -> list[Any]:
    """Parse words into trees; a sentence without one would make the time worthless."""
    trees = [parse.tree for parse in parser.parse_many(sentences)]
    assert None not in trees
    return trees


def encode(encoder: Any, batches: Sequence[Any]) -> None:
    import torch

    with torch.inference_mode():
        for ids, mask in batches:
            encoder(torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))


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
    parse(parser, sentences)
    ours, bare = [], []
    for _ in range(repeats):
        ours.append(clock(lambda: parse(parser, sentences))[0])
        bare.append(clock(lambda: encode(parser.model.encoder.model, batches))[0])
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


def new_model(options: argparse.Namespace, examples: Sequence[Any]) -> Any:
    from bnaparser.network import storage
    from bnaparser.network.labels import Inventory
    from bnaparser.network.model_settings import ModelSettings

    settings = ModelSettings.model_validate(
        {
            "encoder": {"name": str(options.encoder)},
            "layers": {"kinds": tuple(filter(None, options.layers.split(",")))},
            "tags": {"predict": True},
        }
    )
    labels = Inventory.of_labels(span.label for example in examples for span in example.spans)
    tags = Inventory.of_tags(tag for example in examples for tag in example.tags)
    empty_root = any(not example.has_root for example in examples)
    return storage.create(settings, labels, tags, allow_empty_root=empty_root)


def invented(parser: Any, examples: Sequence[Any], words: int, count: int) -> list[list[str]]:
    """Make sentences of treebank words that are one piece each, so that lengths are exact."""
    tokenizer = parser.model.subwords.tokenizer
    seen = sorted({word.lower() for e in examples[:500] for word in e.words if word.isalpha()})
    whole = [word for word in seen if len(tokenizer.tokenize(word)) == 1]
    generator = random.Random(0)
    return [generator.choices(whole, k=words) for _ in range(count)]


def clock(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall seconds, CPU seconds and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def timing(wall: float, cpu: float, bare: float, bare_cpu: float, count: int) -> Result:
    return {"wall_s": wall, "cpu_s": cpu, "bare_s": bare, "bare_cpu_s": bare_cpu, "count": count}


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def integers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]
