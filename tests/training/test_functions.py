"""Functions of phrases (``NP-SBJ``): learned, predicted and scored from the recipe to ``evaluate``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bnaparser.cli import main
from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.network.model_settings import LayerSettings
from bnaparser.parsing.parser import Parser
from bnaparser.training.checkpoints import BEST
from bnaparser.training.recipe import DataSettings, Recipe, TrainSettings
from bnaparser.training.run import train
from bnaparser.treebanks.reading import load_clean_trees, load_trees
from bnaparser.trees.tree import Tree


def with_functions(node: Tree, parent: str = "", number: int = 0) -> Tree:
    """A tree whose noun phrases say what they are: subjects below S with an index, as of a trace, objects below VP."""
    label = node.label
    if label == "NP" and parent == "S":
        label = f"NP-SBJ-{number + 1}"
    elif label == "NP" and parent == "VP":
        label = "NP-OBJ=2"
    if node.word is not None:
        return Tree(label, [node.word])
    return Tree(label, [with_functions(one, node.label, number) for one in node.subtrees])


@pytest.fixture
def functions(treebank: Path, tmp_path: Path) -> Path:
    file = tmp_path / "functions.mrg"
    trees = (
        with_functions(tree, number=number)
        for number, tree in enumerate(load_clean_trees(treebank))
    )
    file.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")
    return file


def f1(capfd: pytest.CaptureFixture[str], *arguments: object) -> float:
    assert main(["evaluate", *map(str, arguments)]) == 0
    lines = capfd.readouterr().out.splitlines()
    return float(next(line for line in lines if line.startswith("Bracketing FMeasure")).split()[-1])


def test_functions_are_learned_predicted_and_scored(
    functions: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = (DataSettings(path=str(functions)),)
    layers = LayerSettings(
        layer_types=("bimsa", "nsa"),
        hidden_size=64,
        num_attention_heads=2,
        head_dim=32,
        intermediate_size=128,
    )
    settings = TrainSettings(
        data=source,
        dev=source,
        keep_functions=True,
        batch_size=8,
        max_steps=150,
        learning_rate=3e-3,
        warmup_steps=10,
        lr_scheduler_type="linear",
        max_grad_norm=1.0,
        evals_per_epoch=0.1,
        seed=1,
        threads=1,
    )
    encoder = EncoderSettings(character_width=32)
    progress = train(Recipe(encoder=encoder, layers=layers, train=settings), tmp_path / "run")
    best = max(progress.history, key=lambda row: row["f1"])
    assert best["f1"] == best["functions.mrg f1"] <= best["functions.mrg labels"]

    model = tmp_path / "run" / BEST
    gold = load_trees(functions)
    words = [tree.words for tree in gold]
    found = [parse.tree for parse in Parser.load(model, device="cpu").parse_many(words, None)]
    labels = Counter(node.label for tree in found if tree is not None for node in tree.nodes())
    assert labels["NP-SBJ"] > 40
    assert labels["NP-OBJ"] > 5
    # Indices are those of traces: there is nothing to predict.
    assert not any(label[-1].isdigit() for label in labels)

    given = ["--model", model, functions, "--tags", "gold", "--device", "cpu"]
    whole, cut = f1(capfd, *given, "--keep-functions"), f1(capfd, *given)
    assert 70 < whole <= cut

    tagged = [
        Tree.from_spans(one.words, one.tags, tree.spans())
        for one, tree in zip(gold, found, strict=True)
        if tree is not None
    ]
    file = tmp_path / "predicted.mrg"
    file.write_text("".join(f"{tree}\n" for tree in tagged), encoding="utf-8")
    # The gold file has indices, which do not count.
    assert f1(capfd, functions, file, "--keep-functions") == whole
    assert f1(capfd, functions, file) == cut
    file.write_text(file.read_text(encoding="utf-8").replace("-SBJ", "-OBJ"), encoding="utf-8")
    assert f1(capfd, functions, file, "--keep-functions") < whole - 10
    assert f1(capfd, functions, file) == cut
