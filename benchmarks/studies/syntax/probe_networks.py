"""Syntax-BERT's table 6 in small: how much of a sentence's tree the networks of run_syntax.py hold.

Each system is trained once more, as in its run, and a structural probe is trained on the vectors of
its last layer: once with the trees of the parser shown to it, as in its training, once with none. What
only the first finds is the tree that was shown, not what the weights know. Beside them stand the
encoder before any training, and what needs no network: the places of the words in the sentence.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.machine import now, processor
from benchmarks.speed.run_speed import say
from benchmarks.studies.syntax.kept_runs import Result, budget
from benchmarks.studies.syntax.runs import data_of, recipe_of
from benchmarks.studies.syntax.syntax_tables import MAIN, PROBED

if TYPE_CHECKING:
    from bnaparser.inspection.probe_data import GoldSentence, Reader
    from bnaparser.inspection.structural_probe import ProbeSentence

PARTS = ("train", "dev", "test")
SENTENCES = 1000  # of each part, at most
UNTRAINED = "untrained"
CHAIN = "chain"


def probe_networks(options: argparse.Namespace) -> None:
    """Probe every system with every seed, and add to ``OUTPUT/probed.json`` what is not there."""
    from bnaparser.cli.console import quiet_libraries
    from bnaparser.inspection.probe_data import read_gold
    from bnaparser.trees.heads.dependencies import head_rules

    quiet_libraries()
    rules = head_rules("ud")
    gold = {
        part: read_gold(next(options.probe.glob(f"{part}.*")), rules, SENTENCES) for part in PARTS
    }
    path = options.output / "probed.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    for seed in options.seeds:
        for system in (CHAIN, UNTRAINED, *MAIN):
            wanted = {"system": system, "seed": seed, **budget(options, PROBED)}
            if any(wanted.items() <= row.items() for row in rows):
                continue
            say(f"probe {system} seed {seed}")
            about = {"processor": processor(), "date": now()}
            rows += [
                {**wanted, **about, "treebank": options.probe.name, **found}
                for found in probed(options, system, seed, gold)
            ]
            path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def probed(
    options: argparse.Namespace, system: str, seed: int, gold: dict[str, list[GoldSentence]]
) -> Iterator[Result]:
    """Yield the scores of the last layer, with trees shown and without."""
    import torch

    from bnaparser.inspection.structural_probe import ProbeSettings, probe

    torch.set_num_threads(options.threads)
    if system == CHAIN:
        yield {"shown": "none", **chain(gold["test"])}
        return
    reader = trained_reader(options, system, seed)
    for shown in ("none",) if reader.syntax.variant is None else ("parsed", "none"):
        parts = [sentences(reader, gold[part], shown, options.device) for part in PARTS]
        train, dev, test = parts
        scores = probe(train, dev, test, ProbeSettings(seed=seed), reader.device)
        yield {"shown": shown, "words": sum(len(one.heads) for one in test), **asdict(scores)}


def chain(gold: list[GoldSentence]) -> Result:
    """Return the scores of words that are as far apart as in the text, the first one the root."""
    from bnaparser.inspection.structural_probe import ProbeSentence, score

    places = [np.arange(len(one.structure.words), dtype=np.float32) for one in gold]
    test = [
        ProbeSentence(row[:, None], one.structure.heads, one.punctuation)
        for row, one in zip(places, gold, strict=True)
        if one.structure.heads is not None
    ]
    far = [np.abs(row[:, None] - row) for row in places]
    return {"words": sum(map(len, places)), **asdict(score(test, far, places))}


def trained_reader(options: argparse.Namespace, system: str, seed: int) -> Reader:
    """Return the encoder of a system, trained as in its run; that before any training for UNTRAINED."""
    from bnaparser.inspection.probe_data import Reader, load_reader
    from bnaparser.tasks.one_seed import train_seed

    if system == UNTRAINED:
        return load_reader(str(options.encoder), options.device)
    recipe = recipe_of(options, PROBED, system, seed)
    with tempfile.TemporaryDirectory() as folder:
        model = train_seed(recipe, data_of(options, recipe, system), seed, Path(folder))
    model.network.eval()
    return Reader(model.network.encoder, model.tokenizer, model.settings.syntax)


def sentences(
    reader: Reader, gold: list[GoldSentence], shown: str, device: str
) -> list[ProbeSentence]:
    """Return the last layer's vectors of each sentence that the encoder can take."""
    from bnaparser.inspection.probe_data import word_vectors
    from bnaparser.inspection.structural_probe import ProbeSentence
    from bnaparser.tasks.trees import tree_source

    structures = [sentence.structure for sentence in gold]
    if shown == "parsed":
        source = tree_source(reader.syntax, device, reader.language)
        structures = source([one.words for one in structures])
    vectors = word_vectors(reader, structures, [reader.layers], shown == "parsed")
    return [
        ProbeSentence(layers[0], sentence.structure.heads, sentence.punctuation)
        for sentence, layers in zip(gold, vectors, strict=True)
        if layers is not None and sentence.structure.heads is not None
    ]
