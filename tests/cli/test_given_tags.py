"""Models that read part-of-speech tags: where commands take these from, and what they say without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.cli import main as bnaparser
from bnaparser.cli.parse import main as bnaparse
from bnaparser.eval import ctb, ptb
from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.parsing.parser import Parser
from bnaparser.training.data import Example
from bnaparser.trees.tree import Tree

Run = Callable[..., tuple[int, str, str]]
MISSING = "needs part-of-speech tags as input: give"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, build_model: Callable[..., BnaModel]) -> str:
    """The folder of an untrained parser that reads tags and predicts none."""
    folder = tmp_path_factory.mktemp("reader")
    tagging = TagSettings(given=True, init_std=2.0)
    storage.save(build_model(tagging=tagging), folder, "float32", {})
    return str(folder)


@pytest.fixture(scope="module")
def wsj(tmp_path_factory: pytest.TempPathFactory, examples: list[Example]) -> Path:
    """A release of the Penn Treebank whose section 23 is the invented sentences."""
    file = tmp_path_factory.mktemp("LDC99T42") / "wsj/23/wsj_2300.mrg"
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{example.tree}\n" for example in examples[:8]), encoding="utf-8")
    return file


@pytest.fixture
def tags(tmp_path: Path, examples: list[Example]) -> Path:
    """The gold tags of the same sentences, each one wrong, a line for each sentence."""
    file = tmp_path / "tags.txt"
    file.write_text("".join("DT " * len(e.words) + "\n" for e in examples[:8]), encoding="utf-8")
    return file


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that returns a code; returns code, standard output, standard error."""

    def call(command: Callable[[list[str]], int], *arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = command([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def figures(row: str) -> list[str]:
    """Tags, sentences, failed, LR, LP, F1 and complete match of a table's row."""
    return row.splitlines()[1].split()[-7:]


def test_a_paper_row_is_refused_without_the_tags_that_the_model_reads(
    printed: Run, model: str, wsj: Path, tags: Path
) -> None:
    release = wsj.parents[2]
    code, out, err = printed(ptb.main, release, "--model", model, "--device", "cpu")
    assert (code, out) == (2, "")
    assert err == f"bnaparser evaluate: the model {model} {MISSING} --tags FILE, or --tags gold\n"
    _, gold, _ = printed(ptb.main, release, "--model", model, "--tags", "gold", "--device", "cpu")
    _, other, _ = printed(ptb.main, release, "--model", model, "--tags", tags, "--device", "cpu")
    _, same, _ = printed(ptb.main, release, "--model", model, "--tags", wsj, "--device", "cpu")
    assert figures(gold)[:3] == ["gold", "8", "0"]
    assert figures(gold)[1:] == figures(same)[1:] != figures(other)[1:]
    assert str(tags) in other
    tags.write_text("DT\n", encoding="utf-8")
    code, _, err = printed(ptb.main, release, "--model", model, "--tags", tags, "--device", "cpu")
    assert (code, err.count("\n")) == (2, 1)
    assert "tags.txt:1: 1 tags for the" in err


def test_tags_for_a_model_that_reads_none_make_no_row_of_their_own(
    printed: Run, tiny_model_dir: Path, wsj: Path
) -> None:
    """The row said "gold", and was that of a model which had not looked at them."""
    options = ("--model", tiny_model_dir, "--tags", "gold", "--device", "cpu")
    code, out, err = printed(ptb.main, wsj.parents[2], *options)
    assert (code, out) == (2, "")
    assert "reads no part-of-speech tags" in err


def test_the_chinese_row_takes_them_as_well(
    printed: Run, model: str, tmp_path: Path, examples: list[Example]
) -> None:
    file = tmp_path / "bracketed/chtb_271.fid"
    file.parent.mkdir()
    file.write_text(f"<S ID=1>\n{examples[0].tree}\n</S>\n", encoding="utf-8")
    code, _, err = printed(ctb.main, tmp_path, "--model", model, "--device", "cpu")
    assert code == 2 and MISSING in err
    options = ("--model", model, "--tags", "gold", "--device", "cpu")
    code, out, _ = printed(ctb.main, tmp_path, *options)
    assert (code, figures(out)[:3]) == (0, ["gold", "1", "0"])


def test_a_model_is_evaluated_with_the_tags_that_it_reads(
    printed: Run, model: str, wsj: Path, tags: Path
) -> None:
    options = ("evaluate", wsj, "--model", model, "--device", "cpu")
    code, out, err = printed(bnaparser, *options)
    assert (code, out) == (2, "")
    assert MISSING in err and err.count("\n") == 1
    code, gold, _ = printed(bnaparser, *options, "--tags", "gold")
    assert code == 0 and "tags: gold\n" in gold
    code, other, _ = printed(bnaparser, *options, "--tags", tags)
    assert code == 0 and f"tags: {tags}\n" in other
    assert "Number of Error sentence  =      0" in gold
    assert gold.partition("-- Scored")[0] != other.partition("-- Scored")[0]
    code, _, err = printed(bnaparser, "evaluate", wsj, wsj, "--tags", "gold")
    assert code == 2 and "--tags needs --model" in err


def test_a_tagger_can_be_judged_with_gold_tags(
    printed: Run, tiny_model_dir: Path, wsj: Path
) -> None:
    options = ("evaluate", wsj, "--model", tiny_model_dir, "--device", "cpu")
    _, out, _ = printed(bnaparser, *options, "--tags", "gold")
    assert "tags: gold\n" in out
    assert "Number of Error sentence  =      0" in out
    assert "Tagging accuracy          = 100.00" in out


def test_bnaparse_takes_tags_line_by_line(
    printed: Run, model: str, tmp_path: Path, wsj: Path, examples: list[Example]
) -> None:
    source = tmp_path / "words.txt"
    words = [" ".join(example.words) for example in examples[:8]]
    source.write_text("\n\n".join(words) + "\n", encoding="utf-8")
    options = ("--model", model, "--device", "cpu", "--input", source)
    code, out, err = printed(bnaparse, *options)
    assert (code, out) == (2, "")
    assert err == f"bnaparse: the model {model} {MISSING} --split token --tags FILE\n"
    for split in ((), ("--split", "text")):
        code, _, err = printed(bnaparse, *options, *split, "--tags", wsj)
        assert code == 2 and "--tags needs --split token" in err
    code, out, err = printed(bnaparse, *options, "--split", "token", "--tags", wsj)
    assert (code, err) == (0, "")
    expected = Parser.load(model, "cpu").parse_many(
        [example.words for example in examples[:8]], [example.tags for example in examples[:8]]
    )
    assert [Tree.parse(line) for line in out.split("\n")[:-1:2]] == [p.tree for p in expected]


@pytest.mark.parametrize(
    ("rows", "code", "reason"),
    [
        ("NNP VBD\nPRP\n", 1, "line 2: 1 tags for 2 words"),
        ("NNP VBD\n", 2, "ends after 1 lines of tags, but the input has more sentences"),
        (
            "NNP VBD\n\nPRP VBD\nNN\n",
            2,
            "tags.txt:4: the file has more lines of tags than the input has sentences",
        ),
    ],
)
def test_bnaparse_says_where_tags_do_not_fit(
    printed: Run, model: str, tmp_path: Path, rows: str, code: int, reason: str
) -> None:
    source, tags = tmp_path / "words.txt", tmp_path / "tags.txt"
    source.write_text("Mira sang\nIt rained\n", encoding="utf-8")
    tags.write_text(rows, encoding="utf-8")
    options = ("--model", model, "--device", "cpu", "--input", source, "--split", "token")
    found, _, err = printed(bnaparse, *options, "--tags", tags)
    assert found == code and err.count("\n") == 1
    assert reason in err


def test_bnaparse_knows_a_wrong_name_before_the_model_is_loaded(
    printed: Run, tmp_path: Path
) -> None:
    options = ("--split", "token", "--tags", tmp_path / "none", "--input", __file__)
    code, _, err = printed(bnaparse, *options, "--model", "nowhere")
    assert code == 2 and "none: no such file" in err


def test_the_service_tells_it_of_each_sentence(model: str) -> None:
    from fastapi.testclient import TestClient

    from bnaparser.server.app import create_app
    from bnaparser.server.settings import ServerSettings

    with TestClient(create_app(ServerSettings(model=model, device="cpu"))) as client:
        words = [["Mira", "sang"], ["It", "rained"]]
        bare = client.post("/v1/parse", json={"tokens": words}).json()["parses"]
        assert all("reads part-of-speech tags" in parse["error"] for parse in bare)
        tags = [["NNP", "VBD"], ["PRP", "VBD"]]
        told = client.post("/v1/parse", json={"tokens": words, "tags": tags}).json()["parses"]
        assert [parse["error"] for parse in told] == [None, None]
