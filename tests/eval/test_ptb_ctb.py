"""The scripts for the Penn and Chinese treebanks, on invented releases laid out like the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bnaparser import cli
from bnaparser.cli import table_row
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.eval import ctb, ptb, score
from bnaparser.parsing.parser import Parser
from bnaparser.treebanks.reading import load_trees
from bnaparser.treebanks.releases import CTB, PTB, ctb_articles, wsj_sections
from bnaparser.trees.tree import Span, Tree

WSJ = """
( (S
    (NP-SBJ-1 (NNP Section) (CD {number}) )
    (VP (VBZ is)
      (VP (VBN read)
        (NP (-NONE- *-1) )
        (PRT|ADVP (RP up) )))
    (. .) ))
( (SBARQ (WHNP-1 (WP Who) )
    (SQ (NP-SBJ (-NONE- *T*-1) )
      (VP (VBZ reads) (NP (PRP it) )))
    (. ?) ))
"""
WSJ_TREES = [
    "(TOP (S (NP (NNP Section) (CD {number})) (VP (VBZ is) (VP (VBN read) (PRT (RP up)))) (. .)))",
    "(TOP (SBARQ (WHNP (WP Who)) (SQ (VP (VBZ reads) (NP (PRP it)))) (. ?)))",
]

# All mark-up of a Xinhua article of the Chinese Treebank 5.1, and an outer bracket left open.
ARTICLE = """<DOC>
<DOCID> CTB{number} </DOCID>
<HEADER>
<DATE> 94-09-28 </DATE>
</HEADER>
<BODY>
<HEADLINE>
<S ID=1>
( (NP-HLN (NP-PN (NR 上海))
          (NP (NN 新闻-{number}))) )
</S>
</HEADLINE>
<TEXT>
<P>
<S ID=2>
( (IP (NP-SBJ (-NONE- *pro*))
      (VP (VV 开发)
          (NP-OBJ (NN 经济)
                  (NR-SHORT 沪)))
      (PU 。)) )
</S>
<S ID=3>
 ( (IP (VP (VV 坏)
</S>
<S ID=4>
( (FRAG (-NONE- *OP*)) )
</S>
</P>
</TEXT>
</BODY>
</DOC>
"""
ARTICLE_TREES = [
    "(TOP (NP (NP (NR 上海)) (NP (NN 新闻-{number}))))",
    "(TOP (IP (VP (VV 开发) (NP (NN 经济) (NR 沪))) (PU 。)))",
]
ARTICLES = [1, 270, 271, 300, 301, 325, 326, 439, 440, 1151]


@pytest.fixture
def wsj(tmp_path: Path) -> Path:
    """LDC99T42: the same sections as parsed/mrg and as combined, beside files of other kinds."""
    release = tmp_path / "LDC99T42"
    for section in range(25):
        for number in (f"{section:02}01", f"{section:02}02"):
            for layer, text in {
                f"treebank_3/parsed/mrg/wsj/{section:02}/wsj_{number}.mrg": WSJ,
                f"treebank_3/combined/wsj/{section:02}/wsj_{number}.mrg": WSJ,
                f"treebank_3/parsed/prd/wsj/{section:02}/wsj_{number}.prd": "not (read",
                f"treebank_3/tagged/pos/wsj/{section:02}/wsj_{number}.pos": "not (read",
                "treebank_3/parsed/mrg/brown/cf/cf01.mrg": "not (read",
            }.items():
                file = release / layer
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text.format(number=number), encoding="ascii")
    return release


@pytest.fixture(params=["utf-8", "gb18030"])
def chinese(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """LDC2005T01 in one encoding: all four layers of each article."""
    release = tmp_path / "LDC2005T01"
    for number in ARTICLES:
        for layer in ("raw", "segmented", "postagged", "bracketed"):
            text = ARTICLE if layer == "bracketed" else "<DOC>\nnot (read\n</DOC>\n"
            file = release / f"ctb5.1_507K/data/{layer}/chtb_{number:03}.fid"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.format(number=number).encode(request.param))
    return release


@dataclass
class FakeParse:
    tree: Tree | None


class FlatParser:
    """Gives gold trees back, a flat X for other sentences, and fails where a word is in ``fails``."""

    reads_tags = False

    def __init__(self, gold: Iterable[Tree] = (), fails: Sequence[str] = ()) -> None:
        self.gold: dict[Sequence[str], Tree] = {tree.words: tree for tree in gold}
        self.fails = fails
        self.tags: Sequence[Sequence[str]] | None = None

    def __call__(self, model: str, device: str | None) -> FlatParser:
        self.model, self.device = model, device
        return self

    def parse_many(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> list[FakeParse]:
        self.tags = tags
        return [self.parse(words) for words in sentences]

    def parse(self, words: Sequence[str]) -> FakeParse:
        if any(word in self.fails for word in words):
            return FakeParse(None)
        spans = self.gold[words].spans() if words in self.gold else [Span(0, len(words), "X")]
        return FakeParse(Tree.from_spans(words, ["XX"] * len(words), spans))


Load = Callable[[str, str | None], FlatParser]


def run_with(main: Callable[[Sequence[str]], int], arguments: Sequence[str], load: Load) -> int:
    """Run a script with a parser of the test's own in place of a model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Parser, "load", lambda model, device=None, **_: load(model, device))
        return main(arguments)


def ptb_main(arguments: Sequence[str], load: Load) -> int:
    return run_with(ptb.main, arguments, load)


def ctb_main(arguments: Sequence[str], load: Load) -> int:
    return run_with(ctb.main, arguments, load)


class TestReleases:
    def test_wsj_sections_are_found_from_above_and_from_within(self, wsj: Path) -> None:
        for folder in ("", "treebank_3", "treebank_3/parsed", "treebank_3/parsed/mrg/wsj"):
            sections = wsj_sections(wsj / folder)
            assert sorted(sections) == list(range(25))
            assert [file.name for file in sections[23]] == ["wsj_2301.mrg", "wsj_2302.mrg"]
            assert all("parsed" in str(file) for file in sections[23])
        assert len(wsj_sections(wsj / "treebank_3/combined")[23]) == 2
        assert list(wsj_sections(wsj / "treebank_3/parsed/mrg/wsj/23")) == [23]

    def test_the_sample_of_nltk_is_found(self, tmp_path: Path) -> None:
        (tmp_path / "combined").mkdir()
        (tmp_path / "combined/wsj_0101.mrg").write_text("( (S (A a)))", encoding="ascii")
        assert list(wsj_sections(tmp_path)) == [1]
        assert list(wsj_sections(tmp_path / "combined")) == [1]

    def test_files_in_capitals_and_packed_ones_are_found(self, tmp_path: Path) -> None:
        folder = tmp_path / "PARSED/MRG/WSJ/23"
        folder.mkdir(parents=True)
        (folder / "WSJ_2300.MRG").write_text("( (S (A a)))", encoding="ascii")
        (folder / "wsj_2301.mrg.gz").write_bytes(b"")
        assert len(wsj_sections(tmp_path)[23]) == 2

    def test_a_packed_copy_is_not_read_beside_its_file(self, tmp_path: Path) -> None:
        for name in ("wsj_2300.mrg", "wsj_2300.mrg.gz", "wsj_2301.mrg.xz"):
            (tmp_path / name).touch()
        assert [file.name for file in wsj_sections(tmp_path)[23]] == [
            "wsj_2300.mrg",
            "wsj_2301.mrg.xz",
        ]

    def test_two_releases_are_not_taken_together(self, tmp_path: Path) -> None:
        for folder in ("one", "two"):
            (tmp_path / folder / "combined").mkdir(parents=True)
            (tmp_path / folder / "combined" / "wsj_2300.mrg").touch()
        with pytest.raises(
            DataError, match=r"one/.*wsj_2300\.mrg and .*two/.*: give the folder of"
        ):
            wsj_sections(tmp_path)

    def test_the_standard_split_of_the_penn_treebank(self, wsj: Path) -> None:
        files = {part: PTB.files(wsj, part) for part in PTB.parts}
        assert [len(files[part]) for part in ("train", "dev", "test")] == [40, 2, 2]
        names = [file.name for part in files.values() for file in part]
        assert len(set(names)) == len(names)
        assert (files["train"][0].name, files["train"][-1].name) == ("wsj_0201.mrg", "wsj_2102.mrg")
        assert PTB.describe("train") == "WSJ sections 2-21"
        assert PTB.describe("test") == "WSJ section 23"

    def test_the_penn_treebank_is_cleaned(self, wsj: Path) -> None:
        expected = [text.format(number=n) for n in ("2301", "2302") for text in WSJ_TREES]
        assert [str(tree) for tree in PTB.read(wsj, "test")] == expected

    def test_the_standard_split_of_the_chinese_treebank(self, chinese: Path) -> None:
        numbers = {
            part: [int(file.stem.split("_")[1]) for file in CTB.files(chinese, part)]
            for part in CTB.parts
        }
        assert numbers == {"train": [1, 270, 440, 1151], "dev": [301, 325], "test": [271, 300]}
        assert sorted(ctb_articles(chinese / "ctb5.1_507K/data/bracketed")) == ARTICLES
        assert CTB.describe("train") == "CTB 5.1 articles 1-270, 440-1151"

    def test_the_chinese_treebank_is_cleaned_and_broken_sentences_left_out(
        self, chinese: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        expected = [text.format(number=n) for n in (271, 300) for text in ARTICLE_TREES]
        assert [str(tree) for tree in CTB.read(chinese, "test")] == expected
        assert len(caplog.messages) == 2
        assert "chtb_271.fid:23:2: the tree that starts here is never closed" in caplog.text

    def test_a_folder_that_is_no_release_is_an_error(self, tmp_path: Path, wsj: Path) -> None:
        with pytest.raises(DataError, match="no such folder"):
            wsj_sections(tmp_path / "nowhere")
        with pytest.raises(DataError, match=r"no file such as chtb_271\.fid"):
            ctb_articles(wsj)
        with pytest.raises(DataError, match="holds no file of WSJ section 23"):
            PTB.files(wsj / "treebank_3/parsed/mrg/wsj/00", "test")
        with pytest.raises(
            SettingsError, match="unknown part 'tst': the parts are train, dev, test"
        ):
            PTB.files(wsj, "tst")


class TestPenn:
    def test_a_release_in_a_row_out(self, wsj: Path, capsys: pytest.CaptureFixture[str]) -> None:
        fake = FlatParser(PTB.read(wsj, "test"))
        assert ptb_main([str(wsj), "--model", "en", "--device", "cpu"], fake) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split() == [
            "model", "test", "set", "tags", "sentences", "failed", "LR", "LP", "F1", "complete",
        ]  # fmt: skip
        assert lines[1].split() == [
            "en", "WSJ", "section", "23", "none", "4", "0", "100.00", "100.00", "100.00", "100.00",
        ]  # fmt: skip
        assert lines[2].startswith("note: the papers count 2,416 sentences")
        assert (fake.model, fake.device, fake.tags) == ("en", "cpu", None)

    def test_the_development_set_and_gold_tags(
        self, wsj: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        fake = FlatParser(PTB.read(wsj, "dev"))
        fake.reads_tags = True
        assert ptb_main([str(wsj), "--model", "en", "--split", "dev", "--tags", "gold"], fake) == 0
        row = capsys.readouterr().out.splitlines()[1]
        assert "WSJ section 22" in row
        assert " gold " in row
        assert fake.tags == [tree.tags for tree in PTB.read(wsj, "dev")]

    def test_a_sentence_that_fails_is_counted_as_missed(
        self, wsj: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        fake = FlatParser(PTB.read(wsj, "test"), fails=["Who"])
        assert ptb_main([str(wsj), "--model", "en"], fake) == 1
        # Gold has 2 x 5 and 2 x 5 brackets; the failed sentences give none.
        assert capsys.readouterr().out.splitlines()[1].split()[5:] == [
            "4", "2", "50.00", "100.00", "66.67", "50.00",
        ]  # fmt: skip

    def test_the_trees_can_be_saved(
        self, wsj: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "out/deeper"
        fake = FlatParser()
        assert ptb_main([str(wsj), "--model", "en", "--save", str(out)], fake) == 0
        assert load_trees(out / "gold.mrg") == list(PTB.read(wsj, "test"))
        assert str(load_trees(out / "predicted.mrg")[1]) == (
            "(TOP (X (WP Who) (VBZ reads) (PRP it) (. ?)))"
        )
        (out / "gold.mrg").unlink()
        (out / "gold.mrg").mkdir()
        assert ptb_main([str(wsj), "--model", "en", "--save", str(out)], fake) == 2
        row, error = capsys.readouterr()
        assert "cannot be written" in error and "WSJ section 23" in row
        file = out / "predicted.mrg"  # known before the model is loaded, which there is not
        assert ptb.main([str(wsj), "--model", "nowhere", "--save", str(file)]) == 2
        assert "predicted.mrg: cannot be written" in capsys.readouterr().err

    def test_a_full_part_has_no_note(self, wsj: Path) -> None:
        gold = list(PTB.read(wsj, "test"))
        row = table_row.TableRow("en", "x", "none", 4, 4, 0, score(gold, gold))
        assert "note" not in str(row)

    def test_errors_are_one_sentence(
        self, wsj: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert ptb_main([str(tmp_path / "nowhere"), "--model", "en"], FlatParser()) == 2
        assert "no such folder" in capsys.readouterr().err

        def no_model(model: str, device: str | None) -> FlatParser:
            raise ModelError(f"no model {model}")

        assert ptb_main([str(wsj), "--model", "klingon"], no_model) == 2
        assert capsys.readouterr().err == "bnaparser evaluate: no model klingon\n"

    def test_a_part_without_words_is_an_error(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "wsj_2300.mrg").write_text("( (S (-NONE- *)))", encoding="ascii")
        assert ptb_main([str(tmp_path), "--model", "en"], FlatParser()) == 2
        assert "the folder holds no tree of WSJ section 23" in capsys.readouterr().err

    def test_the_release_is_an_option_of_evaluate(
        self, wsj: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def evaluate(arguments: Sequence[str]) -> int:
            return cli.main(["evaluate", *arguments])

        given = ["--release", "ptb", str(wsj), "--model", "en"]
        assert run_with(evaluate, given, FlatParser(PTB.read(wsj, "test"))) == 0
        assert "WSJ section 23" in capsys.readouterr().out
        for wrong, message in (
            (["--release", "ptb", str(wsj)], "--release needs --model: give the model to score"),
            ([*given, "--prm", "x.prm"], "--release takes no --prm"),
            ([str(wsj), "x.mrg", "--split", "dev"], "--split needs --release ptb"),
        ):
            assert evaluate(wrong) == 2
            assert message in capsys.readouterr().err


class TestChinese:
    def test_a_release_in_a_row_out(
        self, chinese: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        fake = FlatParser(CTB.read(chinese, "test"))
        assert ctb_main([str(chinese), "--model", "zh"], fake) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "CTB 5.1 articles 271-300" in lines[1]
        assert lines[1].split()[-6:] == ["4", "0", "100.00", "100.00", "100.00", "100.00"]
        assert "348 sentences" in lines[2]

    def test_the_development_set(self, chinese: Path, capsys: pytest.CaptureFixture[str]) -> None:
        fake = FlatParser()
        assert ctb_main([str(chinese), "--model", "zh", "--split", "dev"], fake) == 0
        assert "CTB 5.1 articles 301-325" in capsys.readouterr().out
