"""``bnaparse`` asked for more than the best tree: several trees, probabilities, markup, dependencies."""

from __future__ import annotations

import csv
import io
import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser import Parser
from bnaparser.parsing.options import Dependencies, ParseOptions
from bnaparser.text.sentence import from_words
from bnaparser.trees.tree import Tree

Run = Callable[..., tuple[int, str, str]]

CONLLU = """# sent_id = 1
1\tThe\t_\tDET\tDT\t_\t2\tdet\t_\t_
2\tcat\t_\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\tsat\t_\tVERB\tVBD\t_\t0\troot\t_\t_
4\t.\t_\tPUNCT\t.\t_\t3\tpunct\t_\t_

1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_

"""


@pytest.fixture
def heads(tmp_path: Path) -> Path:
    path = tmp_path / "heads.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return path


def test_the_best_trees_come_together_and_a_blank_line_ends_them(run: Run) -> None:
    code, out, err = run("--n-best", "3", "It rained. Dogs bark.")
    assert (code, err) == (0, "")
    lists = out.split("\n\n")
    assert [len(one.splitlines()) for one in lists] == [3, 3, 0]
    assert all(Tree.parse(line).words == ("It", "rained", ".") for line in lists[0].splitlines())
    assert len(set(out.split("\n"))) == 7


def test_columns_hold_a_constituent_a_line(run: Run) -> None:
    code, out, _ = run("--n-best", "2", "--probabilities", "-f", "columns", "It rained. Go")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert {(row["sentence"], row["tree"]) for row in rows} == {
        (sentence, tree) for sentence in "12" for tree in "12"
    }
    assert all(0 <= float(row["probability"]) <= 1 for row in rows)
    first = rows[0]
    assert (first["start"], first["end"], first["text"]) == ("0", "3", "It rained .")
    _, plain, _ = run("-f", "columns", "It rained.")
    assert plain.splitlines()[1].split("\t")[6] == ""


def test_json_holds_all_trees_on_one_line(run: Run) -> None:
    _, out, _ = run("--n-best", "4", "--probabilities", "-f", "json", "It rained.")
    parse = json.loads(out)
    assert len(parse["alternatives"]) == 3
    assert parse["probability"] > parse["alternatives"][0]["probability"]


@pytest.mark.parametrize("form", ["mrg", "conllu", "export", "tiger", "html", "latex", "pretty"])
def test_every_format_writes_every_tree(run: Run, form: str) -> None:
    one, three = (run("--n-best", count, "-f", form, "It rained.")[1] for count in "13")
    assert three.count("rained") == 3 * one.count("rained") > 0


@pytest.mark.parametrize(
    ("form", "mark"), [("conllu", "# sent_id = "), ("export", "#BOS "), ("tiger", '<s id="s')]
)
def test_each_of_several_trees_has_a_number_of_its_own(run: Run, form: str, mark: str) -> None:
    _, out, _ = run("--n-best", "3", "-f", form, "It rained. Dogs bark.")
    numbers = [line.removeprefix(mark).split()[0] for line in out.splitlines() if mark in line]
    assert [number.rstrip('">') for number in numbers] == ["1", "2", "3", "4", "5", "6"]


def test_markup_is_kept_and_a_bad_line_fails_alone(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("[NP Dogs bark] .\nIt [rained.\nIt rained [~ in the park].\n", encoding="utf-8")
    code, out, err = run("--markup", "-i", str(file), "-q")
    assert code == 1
    dogs, blank, it = out.splitlines()
    assert any((one.label, one.start, one.end) == ("NP", 0, 2) for one in Tree.parse(dogs).nodes())
    assert blank == ""
    assert Tree.parse(it).words[0] == "It"
    assert "line 2: the bracket [rained. at 15 is not closed" in err


def test_trees_fit_the_heads_of_a_file(run: Run, heads: Path, tiny_model_dir: Path) -> None:
    code, out, err = run("--dependencies", str(heads), "--penalty", "50")
    assert (code, err) == (0, "")
    parser = Parser.load(tiny_model_dir, device="cpu")
    sentences = [from_words(["The", "cat", "sat", "."]), from_words(["Go"])]
    marks = (False, False, False, True)
    known = [Dependencies((2, 3, 0, 3), marks, 50.0), Dependencies((0,), (False,), 50.0)]
    wanted = parser.parse_sentences(
        sentences, options=[ParseOptions(dependencies=one) for one in known]
    )
    assert out.splitlines() == [str(one.tree) for one in wanted]
    spans = {node.span for node in Tree.parse(out.splitlines()[0]).nodes()}
    assert (1, 3) not in spans  # "cat sat" without "The"
    packed = heads.with_name("heads.conllu.xz")
    packed.write_bytes(lzma.compress(heads.read_bytes()))
    assert run("--dependencies", str(packed), "--penalty", "50")[1] == out


def test_heads_may_come_on_standard_input(
    run: Run, heads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run("--dependencies", str(heads))
    with heads.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run("--dependencies", "-", "-o", str(heads))[0] == 2  # it would be overwritten
    with heads.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run("--dependencies", "-") == expected
    monkeypatch.setattr(sys, "stdin", None)
    assert run("--dependencies", "-")[2].endswith("name a file: --dependencies FILE\n")


def test_the_tags_of_such_a_file_may_be_given_too(run: Run, heads: Path) -> None:
    _, out, _ = run("--dependencies", str(heads), "--tags", str(heads))
    assert [Tree.parse(line).tags for line in out.splitlines()] == [
        ("DT", "NN", "VBD", "."),
        ("VB",),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--n-best", "0", "a"], "--n-best is 0: it must be at least 1"),
        (["--n-best", "-1", "a"], "--n-best is -1: it must be at least 1"),
        (["--n-best", "100001", "a"], "--n-best is 100,001: it must be at most 100,000"),
        (["--temperature", "0", "a"], "--temperature is 0.0: it must be from 0.001 to 1,000"),
        (["--seed", "-1", "a"], "--seed is -1: it must be at least 0"),
        (["--seed", "4", "a"], "--seed needs --decoder sample"),
        (["--max-words", "0", "a"], "--max-words 0: it must be at least 1"),
        (["--dependencies", "HEADS", "a"], "--dependencies FILE holds the sentences to parse"),
        (["--dependencies", "nowhere.conllu"], "nowhere.conllu"),
        (
            ["--dependencies", "HEADS", "--penalty", "nan"],
            "bnaparse: --penalty nan is not a number between -10,000 and 10,000\n",
        ),
        (["--penalty", "2", "a"], "needs --dependencies FILE\n"),
        (["--max-words", "2", "It rained."], "3 words, and the limit is 2"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    run: Run, heads: Path, arguments: list[str], said: str
) -> None:
    code, out, err = run(*(str(heads) if one == "HEADS" else one for one in arguments))
    assert code in (1, 2)
    assert out.strip() == ""
    assert said in err
    assert "Traceback" not in err


def test_a_file_without_a_sentence_or_a_head_is_told_with_its_place(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "empty.conllu"
    file.write_text("# nothing\n", encoding="utf-8")
    assert "holds no sentence" in run("--dependencies", str(file))[2]
    file.write_text(CONLLU.replace("\t3\tnsubj", "\t9\tnsubj"), encoding="utf-8")
    assert (
        f"{file}:3: the head is 9, and the sentence has 4 words"
        in run("--dependencies", str(file))[2]
    )


def test_drawn_trees_are_drawn_by_their_seed(run: Run) -> None:
    asked = ["--decoder", "sample", "--n-best", "5", "--temperature", "5", "It rained."]
    first, again, other = (run("--seed", seed, *asked)[1] for seed in ("1", "1", "2"))
    assert first == again != other
