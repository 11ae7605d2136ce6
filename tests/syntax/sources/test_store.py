"""The store of trees: what it is keyed by, and that it survives sharing, killing and damage."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bnaparser.errors import DataError, ModelError
from bnaparser.network import storage
from bnaparser.syntax.sources.parser_trees import ParserTrees, TreeStore, model_identity
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.text.sentence import Sentence
from bnaparser.trees.tree import Tree


def test_a_models_identity_is_all_that_decides_its_trees(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    from bnaparser.parsing.parser import Parser

    copy = tmp_path / "copy"
    shutil.copytree(tiny_model_dir, copy)
    identity = model_identity(tiny_model_dir)
    assert model_identity(copy) == identity
    (copy / "metrics.json").write_text("{}")
    assert model_identity(copy) == identity
    for name in ("labels.json", "model.safetensors", "encoder/tokenizer.json"):
        kept = (copy / name).read_bytes()
        (copy / name).write_bytes(kept[:-1] + b" ")
        assert model_identity(copy) != identity
        (copy / name).write_bytes(kept)
    assert model_identity(copy) == identity
    (copy / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="is not a model folder"):
        ParserTrees(copy, tmp_path / "trees")

    exact = Parser.load(tiny_model_dir, device="cpu", precision="float32")
    rounded = Parser.load(tiny_model_dir, device="cpu", precision="int8")
    assert model_identity(exact) == model_identity(exact) != model_identity(rounded)

    model = storage.load(tiny_model_dir)
    parser = Parser(model)
    mine = model_identity(parser)
    assert model_identity(parser) == mine
    parameter = next(model.parameters())
    value = parameter.data.reshape(-1)[0].item()
    parameter.data.reshape(-1)[0] = value + 1
    assert model_identity(parser) != mine
    parameter.data.reshape(-1)[0] = value
    assert model_identity(parser) == mine


TREE = Tree.parse("(TOP (NP (DT a) (NN -LRB-b-RRB-)))")
WORDS = ("a", "(b)")


def test_a_store_keeps_models_apart_and_takes_any_words(tmp_path: Path) -> None:
    first, second = (TreeStore(tmp_path / "trees", name) for name in ("m1", "m2"))
    odd = ("\ud800", "\x00")
    first.write({WORDS: TREE, odd: Tree("TOP", [Tree("X", [word]) for word in odd])})
    assert first.read([WORDS, odd, ("c",)])[WORDS] == TREE
    assert first.read([odd])[odd].words == odd
    assert second.read([WORDS]) == {}
    assert first.read([("a (b)",), ("a", "(b", ")")]) == {}
    many: dict[Words, Tree] = {
        (str(number),): Tree("TOP", [Tree("CD", [str(number)])]) for number in range(1200)
    }
    second.write(many)
    assert second.read(list(many)) == many


def test_a_store_keeps_the_words_of_texts_beside_trees(tmp_path: Path) -> None:
    store = TreeStore(tmp_path / "trees", "m")
    text = "他去了。 好\ud800"
    sentences = [
        Sentence(
            "他去了。", ("他", "去", "了", "。"), ((0, 1), (1, 2), (2, 3), (3, 4)), language="zh"
        ),
        Sentence("好\ud800", ("好\ud800",), ((5, 7),), language="zh"),
    ]
    store.write_words({text: sentences, "": []})
    store.write({WORDS: TREE})
    assert store.read_words([text, "", "a (b)"]) == {text: sentences, "": []}
    assert store.read([WORDS, (text,)]) == {WORDS: TREE}
    assert TreeStore(tmp_path / "trees", "m2").read_words([text]) == {}
    for damaged in (
        b"[[", b"7", b"\xff", b'[[["a"], [], "zh"]]', b'[[["a", "b"], [[0, 1]], "zh"]]',
        b'[[["a"], [[5, 90]], "zh"]]', b"[" * 100_000,
    ):  # fmt: skip
        with sqlite3.connect(tmp_path / "trees") as connection:
            connection.execute("UPDATE trees SET tree = ?", (damaged,))
        connection.close()
        assert store.read_words([text]) == {}


def test_a_damaged_entry_is_as_none(tmp_path: Path) -> None:
    store = TreeStore(tmp_path / "trees", "m")
    store.write({WORDS: TREE})
    for damaged in (b"(TOP (NP", b"\xff", b"(TOP (NN other))"):
        with sqlite3.connect(tmp_path / "trees") as connection:
            connection.execute("UPDATE trees SET tree = ?", (damaged,))
        connection.close()
        assert store.read([WORDS]) == {}
    store.write({WORDS: TREE})
    assert store.read([WORDS]) == {WORDS: TREE}


def test_a_store_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("no database, but long enough to be told from an empty file " * 10)
    with pytest.raises(DataError, match=r"text: cannot be used as a cache of trees: .*database"):
        TreeStore(file, "m")
    with pytest.raises(DataError, match="the folder cannot be made"):
        TreeStore(file / "below", "m")
    with pytest.raises(DataError, match="cannot be used as a cache of trees"):
        TreeStore(tmp_path, "m")


WRITER = """
import sys
from bnaparser.syntax.sources.parser_trees import TreeStore
from bnaparser.trees.tree import Tree
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = TreeStore(path, "m")
for number in range(count):
    words = (name, str(number))
    store.write({words: Tree("TOP", [Tree("X", [word]) for word in words])})
    print(number, flush=True)
"""


def test_processes_share_a_store_and_one_may_be_killed(tmp_path: Path) -> None:
    path = str(tmp_path / "trees")

    def start(name: str, count: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITER, path, name, str(count)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    with start("killed", 100_000) as killed, start("b", 30) as second, start("c", 30) as third:
        assert killed.stdout is not None
        written = [int(killed.stdout.readline()) for _ in range(5)][-1]
        killed.kill()
        outputs = [process.communicate()[0] for process in (second, third)]
    assert [output.split()[-1] for output in outputs] == ["29", "29"]
    store = TreeStore(path, "m")
    whole = [(name, str(number)) for name in "bc" for number in range(30)]
    assert len(store.read(whole)) == 60
    assert len(store.read([("killed", str(number)) for number in range(written + 1)])) == 5
