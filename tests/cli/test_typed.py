"""What is typed: short forms, slips, versions, examples, names of files, completion in the shell."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bnaparser import __version__
from bnaparser.cli import VERBS
from bnaparser.cli import main as bnaparser
from bnaparser.cli.parse import main as bnaparse
from bnaparser.trees.tree import Tree

Streams = pytest.CaptureFixture[str]


def stopped(command: object, *arguments: str) -> int | str | None:
    """Run a command that ends by itself while it reads its arguments; returns the exit code."""
    with pytest.raises(SystemExit) as stop:
        command(list(arguments))  # type: ignore[operator]
    return stop.value.code


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_both_commands_tell_the_version(option: str, capsys: Streams) -> None:
    for command in (bnaparse, bnaparser):
        assert stopped(command, option) == 0
        assert capsys.readouterr().out == f"bnaparser {__version__}\n"


def test_short_forms(tiny_model_dir: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes("It rained.".encode("utf-16"))
    model = ["--model", str(tiny_model_dir)]
    assert bnaparse(["-i", str(source), "-o", str(target), "-f", "pretty", "-q", *model]) == 0
    assert Tree.parse(target.read_text(encoding="utf-8")).words == ("It", "rained", ".")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pasre"], "bnaparser: error: there is no verb 'pasre'; did you mean parse?"),
        (["It rained."], "there is no verb 'It rained.'; to parse text: bnaparse TEXT"),
        (["qqq"], f"there is no verb 'qqq'; verbs are {', '.join(VERBS)}"),
        (["parse", "--inptu", "x"], "bnaparser parse: error: unknown argument: --inptu; did"),
        (["parse", "--inptu=x"], "did you mean --input?"),
        (["treebank", "x", "--skip-borken"], "did you mean --skip-broken?"),
        (["search", "-NONE-", "x"], "write -- before the text: bnaparser search -- -NONE-\n"),
        (["check", "x"], "unknown argument: x\n"),
        (["parse", "--model", ""], "bnaparser parse: error: argument --model: the name is empty"),
        (["--", "parse"], "bnaparser: error: "),
    ],
)
def test_a_slip_gets_a_suggestion(arguments: list[str], said: str, capsys: Streams) -> None:
    assert stopped(bnaparser, *arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--n-best", "two"], "argument --n-best: 'two' is not a whole number"),
        (["--penalty", "x"], "argument --penalty: 'x' is not a number"),
        (["--decoder", "x"], "argument --decoder: 'x' is none of "),
        (["--model"], "argument -m/--model: the value is missing"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(
    arguments: list[str], said: str, capsys: Streams
) -> None:
    """The wording was argparse's: "invalid int value"."""
    assert stopped(bnaparse, *arguments) == 2
    assert said in capsys.readouterr().err


def test_a_slip_in_bnaparse_gets_a_suggestion(capsys: Streams) -> None:
    assert stopped(bnaparse, "--fromat", "json", "It rained.") == 2
    said = "bnaparse: error: unknown argument: --fromat; did you mean --format?\n"
    assert capsys.readouterr().err.endswith(said)


def test_errors_bear_the_name_of_the_command_that_was_typed(capsys: Streams) -> None:
    for command, given, name in (
        (bnaparse, [], "bnaparse"),
        (bnaparser, ["parse"], "bnaparser parse"),
        (bnaparser, ["classify"], "bnaparser classify"),
    ):
        assert command([*given, "-i", "nowhere.txt"]) == 2
        assert capsys.readouterr().err.startswith(f"{name}: cannot read nowhere.txt: ")


@pytest.mark.parametrize(
    ("command", "given", "advice"),
    [
        (bnaparse, [], "parse what is in it: bnaparse"),
        (bnaparser, ["parse"], "parse what is in it: bnaparser parse"),
        (bnaparser, ["classify"], "classify what is in it: bnaparser classify"),
        (
            bnaparser,
            ["inspect", "--model", "x", "-o", "y"],
            "read what is in it: bnaparser inspect",
        ),
    ],
)
def test_the_name_of_a_file_is_not_parsed(
    command: object,
    given: list[str],
    advice: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Streams,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("It rained.\n", encoding="utf-8")
    (tmp_path / "more.txt").write_text("It rained.\n", encoding="utf-8")
    for files in (["text.txt"], ["text.txt", "more.txt"]):
        assert command([*given, *files]) == 2  # type: ignore[operator]
        out, err = capsys.readouterr()
        name = advice.partition(": ")[2]
        assert (out, err) == ("", f"{name}: text.txt is a file: to {advice} --input text.txt\n")


def test_text_that_is_no_file_is_parsed(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cats").write_text("", encoding="utf-8")
    (tmp_path / "dogs").mkdir()
    model = ["--model", str(tiny_model_dir)]
    for words in (["the", "cats"], ["dogs"], ["x" * 300]):
        assert bnaparse([*words, *model]) == 0
        assert Tree.parse(capsys.readouterr().out).words == tuple(words)


def test_a_dash_is_standard_input_and_output(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It rained.\n", encoding="utf-8")
    with source.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert bnaparse(["-i", "-", "-o", "-", "--model", str(tiny_model_dir)]) == 0
    assert Tree.parse(capsys.readouterr().out).words == ("It", "rained", ".")


def test_who_types_nothing_is_told_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    class Keyboard(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Keyboard(io.BytesIO()))
    assert bnaparse(["--model", "no-such-model"]) == 2
    said = "bnaparse: reading text from the keyboard, line by line; end with Ctrl-D\n"
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize("verb", ["parse", "classify", "evaluate", "treebank", "train"])
def test_help_has_examples(verb: str, capsys: Streams) -> None:
    assert stopped(bnaparser, verb, "--help") == 0
    help_text = capsys.readouterr().out
    examples = help_text.partition("\nexamples:\n")[2].splitlines()
    assert len(examples) > 1
    command = "bnaparse" if verb == "parse" else f"bnaparser {verb}"
    assert all(f"{command} " in line or "python -m bnaparser." in line for line in examples)


COMPLETER = """
import sys

def autocomplete(parser):
    verbs = parser._subparsers._group_actions[0].choices if parser._subparsers else {"": parser}
    for verb in verbs.values():
        if "--format" in verb._option_string_actions:
            print("completes", verb.prog, *verb._option_string_actions["--format"].choices)
    sys.exit()
"""


@pytest.mark.parametrize(
    ("module", "line", "prog"),
    [
        ("bnaparser.cli.parse", "bnaparse --format j", "bnaparse"),
        ("bnaparser.cli", "bnaparser parse --format j", "bnaparser parse"),
    ],
)
def test_a_shell_that_completes_sees_the_options(
    tmp_path: Path, module: str, line: str, prog: str
) -> None:
    """A stand-in for argcomplete, which asks the same: the parser, on an empty command line."""
    (tmp_path / "argcomplete.py").write_text(COMPLETER, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "_ARGCOMPLETE": "1", "COMP_LINE": line}
    done = subprocess.run(
        [sys.executable, "-c", f"from {module} import main; main()"],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.startswith(f"completes {prog} bracket pretty")
