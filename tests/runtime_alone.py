"""What `pip install .` brings, in an environment without PyTorch and transformers. Run by .ci/run there, with pytest.

python -m pytest --noconftest tests/runtime_alone.py
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bnaparser import Parser
from bnaparser.cli import NEEDS, main
from bnaparser.cli.parse import main as bnaparse
from bnaparser.errors import MissingExtraError

TREE = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
TEXT = "The cat sat on the mat."
GOLD = Path(__file__).parent / "data" / "tiny.mrg"
START_SECONDS = 120


def test_pytorch_is_not_there() -> None:
    assert find_spec("torch") is None
    assert find_spec("transformers") is None


@pytest.mark.parametrize("model", ["en", "en-free"])
def test_parses(model: str) -> None:
    (parse,) = Parser.load(model)(TEXT, n_best=3, probabilities=True)
    assert str(parse.tree) == TREE
    assert len(parse.alternatives) == 2


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bnaparse(["--markup", "The cat sat [NP on the mat]."]) == 0
    assert "(NP (PP (IN on)" in capsys.readouterr().out
    trees, texts = tmp_path / "trees.mrg", tmp_path / "text.txt"
    texts.write_text(f"{TEXT}\n" * 3, encoding="utf-8")
    assert bnaparse(["-q", "-i", str(texts), "-o", str(trees)]) == 0
    assert trees.read_text(encoding="utf-8") == f"{TREE}\n" * 3
    assert main(["evaluate", str(trees), str(trees)]) == 0
    assert "Bracketing FMeasure       = 100.00" in capsys.readouterr().out
    assert main(["evaluate", "--model", "en-free", str(GOLD)]) == 0
    assert main(["search", "NP < DT", str(trees), "--count"]) == 0
    assert main(["treebank", str(GOLD)]) == 0
    assert main(["corpus", str(texts), str(tmp_path / "out"), "--model", "en-free"]) == 0
    assert main(["models"]) == 0
    assert main(["check", "--model", "en-free"]) == 0
    assert "torch not installed" in capsys.readouterr().out


@contextmanager
def served(*options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "bnaparser", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if found := re.search(r"starting on (http://[\d.]+:\d+)", line):
                    yield found[1]
                    break
        finally:
            process.terminate()


def test_serves() -> None:
    with served() as address:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"{address}/ready"):
                    break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        request = urllib.request.Request(
            f"{address}/v1/parse",
            json.dumps({"text": TEXT}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            (sentence,) = json.load(answer)["parses"]
    assert sentence["tree"] == TREE


def test_integrations() -> None:
    from bnaparser.integrations.nltk import NltkParser

    (tree,) = NltkParser("en-free").parse(TEXT.replace(".", " .").split())
    assert tree.label() == "TOP"
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("bnaparser", config={"model": "en-free"})
    (sentence,) = nlp(TEXT).sents
    assert sentence._.labels == ("S",)


@pytest.mark.parametrize("verb", [*NEEDS, "serve"])
def test_the_other_half_says_what_to_install(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = {
        "average": ["a", "b", "--output", "c"], "calibrate": ["a", "--data", "b", "--output", "c"],
        "classify": [TEXT], "ensemble": ["en", "en-free"], "inspect": ["--model", "a", "-o", "b", TEXT],
        "probe": ["--encoder", "a", "--train", "b", "--dev", "c", "--test", "d"],
        "prune": ["a", "b", "--size", "3", "--text", "c"], "train": ["a"], "pretrain": ["a"],
        "serve": ["--classifier", "sst2", "--port", "0"],
    }  # fmt: skip
    try:
        code = main([verb, *given[verb]])
    except SystemExit as error:
        pytest.fail(f"{error}: {capsys.readouterr().err}")
    extra = NEEDS.get(verb, "torch")
    err = capsys.readouterr().err
    assert code == 2
    assert err.splitlines()[-1] == f"bnaparser {verb}: {MissingExtraError('torch', extra)}"


@pytest.mark.parametrize("options", [{"precision": "bfloat16"}, {"backend": "torch"}])
def test_what_pytorch_alone_computes_says_what_to_install(options: dict[str, Any]) -> None:
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'bnaparser[torch]'")):
        Parser.load("en-free", **options)


assert os.environ.get("PYTHONPATH") is None, "PYTHONPATH may bring in what is not installed"
