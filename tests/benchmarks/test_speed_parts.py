"""benchmarks/speed/run_speed.py: each of its parts runs on a tiny encoder, and measures what it says."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from benchmarks.speed import parts
from bnaparser.encoders.tokenizer_file import TokenizerFile


def test_every_part_runs(
    encoder_folder: Callable[[str], Path], treebank: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.mrg"  # two batches to warm up, one to measure
    more.write_text(treebank.read_text(encoding="utf-8") * 2, encoding="utf-8")
    options = argparse.Namespace(
        encoder=encoder_folder("bert"),
        trees=treebank,
        train=more,
        folder=tmp_path / "model",
        layers="bimsa,nsa",
        sentences=8,
        train_batches=1,
        repeats=1,
        threads=1,
        lengths="3,5",
        batch_sizes="1,2",
        at_once=2,
    )
    found = {name: part(options) for name, part in parts.PARTS.items()}
    assert list(found) == ["train", "parse", "chart", "lengths", "batches"]
    for name in ("train", "parse"):
        assert found[name]["peak_mb"] > 0, found[name]
        assert all(value > 0 for value in found[name].values() if isinstance(value, float))
    assert len(found["lengths"]["rows"]) == len(found["batches"]["rows"]) == 2


def test_invented_words_are_a_piece_each(encoder_folder: Callable[[str], Path]) -> None:
    """By the tokenizer that parsers have that compute without PyTorch."""
    tokenizer = TokenizerFile(encoder_folder("bert"))
    parser = SimpleNamespace(model=SimpleNamespace(subwords=SimpleNamespace(tokenizer=tokenizer)))
    words = ["the", "cat", "dogs", "unbelievable", "x"]
    examples = [SimpleNamespace(words=[*words, "3"])]
    made = parts.invented(parser, examples, 4, 2)
    assert [len(sentence) for sentence in made] == [4, 4]
    used = {word for sentence in made for word in sentence}
    assert used <= set(words)
    assert all(len(tokenizer.encode(word, add_special_tokens=False)) == 1 for word in used)
