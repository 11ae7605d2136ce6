"""``bnaparser treebank``: the report, and the trees it writes."""

from __future__ import annotations

import argparse
import lzma
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bnaparser.cli import treebank
from bnaparser.cli.treebank import report
from bnaparser.errors import BnaparserError, DataError, SettingsError, TreeError
from bnaparser.treebanks.formats import Found
from bnaparser.treebanks.reading import load_trees
from bnaparser.treebanks.survey import survey
from bnaparser.trees.tree import Tree

RAW = """( (S (NP-SBJ-1 (NNP Rome) (NN tax)) (VP (VP (VBZ is) (NP (-NONE- *-1)) (JJ old))) (. .)) )
( (S (NP (DT The) (NML (NN tax) (NN law))) (VP (VBZ is) (PP (IN to) (NP (NN [sic]))))) )
( (S (-NONE- *)) )
"""
CLEAN = [
    "(TOP (S (NP (NNP Rome) (NN tax)) (VP (VP (VBZ is) (JJ old))) (. .)))",
    "(TOP (S (NP (DT The) (NML (NN tax) (NN law))) (VP (VBZ is) (PP (IN to) (NP (NN [sic]))))))",
]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    file = tmp_path / "raw.mrg"
    file.write_text(RAW, encoding="utf-8")
    return file


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    treebank.add_arguments(parser)
    return treebank.run(parser.parse_args([str(argument) for argument in arguments]))


def oddities(*texts: str) -> dict[str, tuple[int, str]]:
    found = [Found(Tree.parse(text), "bank", number) for number, text in enumerate(texts, 1)]
    return {kind: (odd.trees, odd.first) for kind, odd in survey(found).oddities.items()}


class TestReport:
    def test_tells_sizes_labels_and_tags(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "clean.mrg"
        file.write_text("(TOP (S (NP (NN a)) (VP (VB b))))\n(TOP (FRAG (NP (NN c))))\n", "utf-8")
        assert run(file) == 0
        assert capsys.readouterr().out == (
            "2 sentences, 3 words\n"
            "1 to 2 words a sentence, mean 1.5, median 2\n"
            "up to 4 nodes deep\n"
            "4 labels:  NP 2  FRAG 1  S 1  VP 1\n"
            "2 tags:  NN 2  VB 1\n"
            "1 chains:  FRAG::NP 1\n"
            "no anomalies\n"
        )

    def test_names_what_is_odd_and_where(
        self, raw: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(raw) == 0
        out = capsys.readouterr().out
        assert f"  empty elements (-NONE-): 2\n    {raw}:1: *-1\n" in out
        assert f"  square or curly brackets in words: 1\n    {raw}:2: [sic]\n" in out
        assert f"  no words but empty elements: 1\n    {raw}:3: " in out

    def test_shows_the_most_frequent_labels_or_all(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "bank.mrg"
        file.write_text("".join(f"(TOP (L{n} (A a)))\n" for n in range(70)), encoding="utf-8")
        run(file)
        assert "and 10 more (--all)" in capsys.readouterr().out
        run(file, "--all")
        out = capsys.readouterr().out
        assert "more (--all)" not in out
        assert "L69 1" in out

    def test_tells_names_that_are_both_label_and_tag(self) -> None:
        text = report(survey([Found(Tree.parse("(TOP (X (X a) (Y b)))"), "bank", 1)]))
        assert "both a label and a tag: X\n" in text

    @pytest.mark.parametrize(
        ("text", "kind", "first"),
        [
            ("(S (A a))", "a root other than TOP", "S"),
            ("((A a))", "a root other than TOP", "(no label)"),
            ("(TOP (A a) (B b))", "several nodes under the root", "2 nodes"),
            ("(TOP (NP-SBJ (A a)))", "functions, indices, gaps or alternatives in labels", "NP-SBJ"),
            ("(TOP (NP (A|B a)))", "functions, indices, gaps or alternatives in labels", "A|B"),
            ("(TOP (X (NP (NP (A a)))))", "a node whose only child has its label", "TOP::X::NP::NP"),
            ("(TOP (NP (S (NP (A a)))))", "a label that comes back further down a chain",
             "TOP::NP::S::NP"),
            ("(TOP (X ( (A a))))", "nodes without a label inside", "( (A a))"),
            ("(TOP (S::VP (A a)))", "labels that hold ::", "S::VP"),
            ("(TOP (X (A a\u00a0b)))", "words with a blank inside (no-break or other)", "'a\\xa0b'"),
            ("(TOP (X (A \ufffd)))", "words with a sign lost in decoding (U+FFFD)", "\ufffd"),
            ("(TOP (X" + " (A a)" * 301 + "))", "more than 300 words", "301 words"),
        ],
    )  # fmt: skip
    def test_knows_kinds_of_oddities(self, text: str, kind: str, first: str) -> None:
        assert oddities("(TOP (X (A z)))", text) == {kind: (1, f"bank:2: {first}")}

    def test_counts_sentences_that_come_again(self) -> None:
        text = "(TOP (X (A a) (B b)))"
        assert oddities(text, text, "(TOP (X (A b)))", text) == {
            "the words of an earlier tree again": (2, "bank:2: a b")
        }

    def test_of_a_very_deep_tree(self) -> None:
        assert oddities("(TOP " + "(S " * 5_000 + "(A a)" + ")" * 5_001) != {}


class TestWriting:
    def test_cleans(self, raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(raw, "--output", tmp_path / "out.mrg") == 0
        assert (tmp_path / "out.mrg").read_text(encoding="utf-8").splitlines() == CLEAN
        captured = capsys.readouterr()
        assert captured.err == f"2 of 3 trees written to {tmp_path / 'out.mrg'}\n"
        assert captured.out.startswith("3 sentences")

    @pytest.mark.parametrize(
        ("options", "first"),
        [
            (["--no-clean"], RAW.splitlines()[0].replace(") )", "))")),
            (["--merge-repeated"], CLEAN[0].replace("(VP (VP (VBZ is) (JJ old)))",
                                                    "(VP (VBZ is) (JJ old))")),
            (["--keep-functions"], CLEAN[0].replace("(NP (NNP", "(NP-SBJ-1 (NNP")),
            (["--max-words", "5"], CLEAN[0]),
        ],
    )  # fmt: skip
    def test_does_what_the_options_say(
        self, raw: Path, tmp_path: Path, options: list[str], first: str
    ) -> None:
        run(raw, "--output", tmp_path / "out.mrg", *options)
        assert str(load_trees(tmp_path / "out.mrg")[0]) == first

    def test_leaves_out_long_sentences(self, raw: Path, tmp_path: Path) -> None:
        run(raw, "--output", tmp_path / "out.mrg", "--max-words", 5)
        assert len(load_trees(tmp_path / "out.mrg")) == 1

    def test_applies_a_label_map(self, raw: Path, tmp_path: Path) -> None:
        maps = tmp_path / "maps.toml"
        maps.write_text('[map]\nword_to_in_as_TO = ["x"]\n[map.x.labels]\nNML = ""', "utf-8")
        run(raw, "--output", tmp_path / "out.mrg", "--map", maps, "--map-set", "x")
        assert str(load_trees(tmp_path / "out.mrg")[1]) == CLEAN[1].replace(
            "(NML (NN tax) (NN law))", "(NN tax) (NN law)"
        ).replace("IN to", "TO to")

    def test_to_standard_output_nothing_else_stands_there(
        self, raw: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run(raw, "--output", "-")
        captured = capsys.readouterr()
        assert captured.out.splitlines() == CLEAN
        assert captured.err.startswith("2 of 3 trees written to standard output\n3 sentences")

    def test_packs_a_file_named_xz(self, raw: Path, tmp_path: Path) -> None:
        run(raw, "--output", tmp_path / "out.mrg.xz")
        text = lzma.decompress((tmp_path / "out.mrg.xz").read_bytes()).decode()
        assert text.splitlines() == CLEAN

    @pytest.mark.parametrize("name", ["out.mrg.bz2", "out.mrg.gz", "out.mrg.XZ"])
    def test_what_it_packs_can_be_read(self, raw: Path, tmp_path: Path, name: str) -> None:
        run(raw, "--output", tmp_path / name)
        assert (tmp_path / name).read_bytes()[:1] != b"("
        assert [str(tree) for tree in load_trees(tmp_path / name)] == CLEAN

    def test_does_not_pack_all_that_it_reads(self, raw: Path, tmp_path: Path) -> None:
        with pytest.raises(
            SettingsError, match=r"out\.mrg\.zst: \.zst files can be read but not written"
        ):
            run(raw, "--output", tmp_path / "out.mrg.zst")

    def test_writes_where_a_link_leads(self, raw: Path, tmp_path: Path) -> None:
        target, link = tmp_path / "target.mrg", tmp_path / "link.mrg"
        target.write_text("old\n")
        link.symlink_to(target)
        run(raw, "--output", link)
        assert link.is_symlink()
        assert target.read_text(encoding="utf-8").splitlines() == CLEAN

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
    def test_writes_into_a_pipe(self, raw: Path, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        with ThreadPoolExecutor(1) as reader:
            read = reader.submit(pipe.read_text, "utf-8")
            run(raw, "--output", pipe)
            assert read.result(60).splitlines() == CLEAN
        assert pipe.is_fifo()

    def test_may_overwrite_what_it_reads(self, raw: Path) -> None:
        run(raw, "--output", raw)
        assert [str(tree) for tree in load_trees(raw)] == CLEAN

    def test_leaves_nothing_half_written(self, tmp_path: Path) -> None:
        (tmp_path / "bank.mrg").write_text("(A a)\n(B b", encoding="utf-8")
        with pytest.raises(TreeError):
            run(tmp_path / "bank.mrg", "--output", tmp_path / "out.mrg")
        assert [file.name for file in tmp_path.iterdir()] == ["bank.mrg"]

    def test_leaves_what_was_there_where_it_finds_no_tree(self, raw: Path, tmp_path: Path) -> None:
        (tmp_path / "empty.mrg").write_text("\n")
        before = raw.read_bytes()
        with pytest.raises(DataError, match="no tree in it"):
            run(tmp_path / "empty.mrg", "--output", raw)
        assert raw.read_bytes() == before

    def test_passes_over_what_the_ldc_and_others_write_between_trees(
        self, raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        header = "*x*x*x*x*\n*x*  Copyright (C) 1995  *x*\n*x*x*x*x*\n\n"
        trees = RAW.replace("\n( ", "\n;; a comment (\n\n  % another\n( ").replace(
            "(. .)", "(: \n;)"
        )
        raw.write_text(f"{header}{trees}% the end\n", encoding="utf-8")
        assert run(raw, "-o", tmp_path / "clean.mrg") == 0
        found = (tmp_path / "clean.mrg").read_text(encoding="utf-8").splitlines()
        assert found == [CLEAN[0].replace("(. .)", "(: ;)"), CLEAN[1]]
        assert run(raw, "-o", tmp_path / "skipped.mrg", "--skip-broken") == 0
        assert len(load_trees(tmp_path / "skipped.mrg")) == 2

    def test_names_the_option_that_leaves_broken_trees_out(self, raw: Path) -> None:
        raw.write_text(f"A heading\n{RAW}", encoding="utf-8")
        with pytest.raises(TreeError, match=r"raw\.mrg:1:1: 'A' .*; --skip-broken leaves out"):
            run(raw)

    def test_skips_broken_trees_when_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "bank.mrg").write_text("(A a)\n(B b\n(C c)\n", encoding="utf-8")
        assert run(tmp_path / "bank.mrg", "--skip-broken", "--output", "-") == 0
        assert capsys.readouterr().out == "(TOP (A a))\n(TOP (C c))\n"

    @pytest.mark.parametrize("damaged", [b"\xff", b"\0"])
    def test_skips_trees_with_damaged_bytes_when_told(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
        damaged: bytes,
    ) -> None:
        path = tmp_path / "bank.mrg"
        lines = [
            b"(A a)",
            b"(B b%s)" % damaged,
            b"(C c)",
            b"(D",
            b"  (E %s)" % damaged,
            b"  (F f))",
        ]
        path.write_bytes(b"\n".join([*lines, b"(G g)\n"]))
        assert run(path, "--skip-broken", "--output", "-") == 0
        assert capsys.readouterr().out == "(TOP (A a))\n(TOP (C c))\n(TOP (G g))\n"
        assert f"left out: {path}, line 2: " in caplog.text
        assert f"left out: {path}, line 5: " in caplog.text
        with pytest.raises(DataError):
            run(path)

    def test_takes_a_standard_part_of_a_release(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for number in (100, 2100, 2200, 2300):
            file = tmp_path / f"wsj/{number // 100:02}/wsj_{number:04}.mrg"
            file.parent.mkdir(parents=True)
            file.write_text(f"( (S (CD {number})))\n", encoding="ascii")
        assert run(tmp_path, "--split", "ptb-test", "--output", "-") == 0
        assert capsys.readouterr().out == "(TOP (S (CD 2300)))\n"


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "kind", "message"),
        [
            (["{}/nowhere.mrg"], DataError, "nowhere.mrg: no such file or folder"),
            (["{}/empty.mrg"], DataError, "empty.mrg: no tree in it"),
            (["{}/text.txt"], TreeError, "text.txt:2:1: 'Some' stands outside all brackets"),
            (["{}/open.mrg"], TreeError, "open.mrg:1:3: the tree that starts here is never closed"),
            (["{}/good.mrg", "--output", "{}/no/out.mrg"], DataError, "cannot be written: No such"),
            (["{}/good.mrg", "--map", "x"], SettingsError, "--map FILE and --map-set NAME"),
            (["{}/good.mrg", "--map-set", "x"], SettingsError, "--map FILE and --map-set NAME"),
            (["{}/good.mrg", "--map", "{}/no.toml", "--map-set", "x", "--output", "-"], DataError,
             "no.toml: cannot be read"),
        ],
    )  # fmt: skip
    def test_say_what_is_wrong_and_where(
        self, tmp_path: Path, arguments: list[str], kind: type[Exception], message: str
    ) -> None:
        files = {"empty.mrg": "\n", "text.txt": "\nSome text.\n", "open.mrg": "  (S (A a)\n",
                 "good.mrg": "(A a)\n"}  # fmt: skip
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(kind) as caught:
            run(*[argument.format(tmp_path) for argument in arguments])
        assert message in str(caught.value)
        assert isinstance(caught.value, BnaparserError)

    def test_are_not_made_of_a_terminal_that_knows_no_utf8(self, tmp_path: Path) -> None:
        file = tmp_path / "b\udcff.mrg"
        file.write_text("(TOP (NP-1 (NN 走)))\n", encoding="utf-8")
        code = "import sys; from bnaparser.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "treebank", str(file)]
        done = subprocess.run(
            [*command, "--output", "-"],
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONIOENCODING": "ascii"},
        )
        assert "走" in done.stdout.decode("utf-8")
