"""``bnaparser probe``: a line an encoder and layer, always the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(treebank: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        parts = [text for part in ("train", "dev", "test") for text in (f"--{part}", str(treebank))]
        code = main(["probe", *parts, *arguments, "--device", "cpu", "--limit", "10"])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_line_for_each_layer_and_the_same_again(
    run: Run, encoder_folder: Callable[[str], Path]
) -> None:
    encoder = str(encoder_folder("bert"))
    code, out, _ = run("--encoder", encoder)
    header, *rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert header[:4] == ["encoder", "layer", "UUAS", "distance Spearman"]
    assert [row[:2] for row in rows] == [[encoder, "0"], [encoder, "1"], [encoder, "2"]]
    for row in rows:
        uuas, far, root, deep = map(float, row[2:])
        assert 0 <= uuas <= 100 and 0 <= root <= 100
        assert -1 <= far <= 1 and -1 <= deep <= 1
    again = run("--encoder", encoder, "--layer", "2")[1]
    assert again.splitlines()[1] == out.splitlines()[3]


def test_a_model_with_syntax_is_shown_trees(
    run: Run, encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    from bnaparser.settings import validate
    from bnaparser.tasks.model import create, save_model
    from bnaparser.tasks.settings import TaskModelSettings

    table = {
        "encoder": {"name": str(encoder_folder("bert"))},
        "syntax": {"sla": {"threshold": 1, "gate_bias": 4.0}, "trees": "random"},
    }
    settings = validate(TaskModelSettings, table, "test")
    save_model(create(settings, ("no", "yes")), tmp_path, "float32", {})
    common = ["--encoder", str(tmp_path), "--layer", "2", "--rank", "8"]
    shown = [run(*common)] + [run(*common, "--syntax", kind) for kind in ("gold", "none")]
    none = shown[-1]
    assert [code for code, _, _ in shown] == [0, 0, 0]
    assert len({out for _, out, _ in shown}) == 3
    code, _, err = run(*common, "--parser", "en")
    assert code == 2 and "the trees of this model are random trees, not trees of a parser" in err
    plain = run("--encoder", str(encoder_folder("bert")), "--layer", "2", "--rank", "8")
    assert none[1].split("\t")[-4:] == plain[1].split("\t")[-4:]


def test_a_sentence_that_is_too_long_is_left_out(
    run: Run, encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    long = tmp_path / "long.mrg"
    words = "(NN dog) " * 600
    long.write_text(f"(S {words})\n(S {'(NN dog) ' * 5})\n")
    code, _, err = run(
        "--encoder", str(encoder_folder("bert")), "--layer", "0", "--train", str(long)
    )
    assert code == 0 and "1 sentences of --train are left out" in err


def test_wrong_usage(
    run: Run,
    encoder_folder: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    encoder = str(encoder_folder("bert"))
    code, _, err = run("--encoder", encoder, "--layer", "3")
    assert code == 2 and "no layer 3" in err
    code, _, err = run("--encoder", str(tmp_path))
    assert code == 2 and "neither an encoder of transformers" in err
    code, _, err = run("--encoder", encoder, "--parser", "en")
    assert code == 2 and "is a plain encoder, which reads no trees: leave out --parser" in err
    code, _, err = run("--encoder", encoder, "--parser", "en", "--syntax", "gold")
    assert code == 2 and "--parser needs --syntax parsed, and --syntax is gold" in err
    code, _, err = run("--encoder", encoder, "--dev", str(tmp_path / "none.mrg"))
    assert code == 2 and "no such file" in err
    with pytest.raises(SystemExit):
        run("--encoder", encoder, "--rank", "0")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        run("--encoder", encoder, "--rank", "many")
    assert "--rank: must be a whole number from 1" in capsys.readouterr().err
