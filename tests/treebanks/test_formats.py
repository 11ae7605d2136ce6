"""Formats of treebank files: what is read of each, what is taken out, and what is said of damaged ones."""

from __future__ import annotations

import json
import lzma
import os
import re
import tarfile
from pathlib import Path

import pytest

from bnaparser.cli import main
from bnaparser.errors import BnaparserError, DataError, TreeError
from bnaparser.treebanks.reading import find_trees, load_clean_trees, load_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.render import EXPORT_START, TIGER_END, TIGER_START, export, penn, tiger
from bnaparser.trees.tree import Tree, parse_trees

DATA = os.environ.get("BNAPARSER_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="needs BNAPARSER_DATA, a folder of treebanks")

NEGRA = """\
%% made for this test
#FORMAT 3
#BOT WORDTAG
0 UNKNOWN N unknown
#EOT WORDTAG
#BOS 1 2 899973978 1 %% a comment
Das\tPDS\t--\tOA\t500\tSB\t501
habe\tVAFIN\t--\tHD\t501
ich\tPPER\t--\tSB\t501
*LRB*\t$*LRB*\t--\t--\t0
oft\tADV\t--\tMO\t500
*RRB*\t$*LRB*\t--\t--\t0
gesehen\tVVPP\t--\tHD\t500
.\t$.\t--\t--\t0
#500\tVP\t--\tOC\t501
#501\tS\t--\t--\t0
#EOS 1
"""
RESOLVED = (
    "(TOP (S (PDS Das) (VAFIN habe) (PPER ich) ($LRB -LRB-)"
    " (VP (ADV oft) ($LRB -RRB-) (VVPP gesehen)) ($. .)))"
)

NEGRA_3 = """\
#FORMAT 3
#BOS 2 1 899973978 0
40 000\t\tCARD\t--\tNK\t500
Mark\t\tNN\t--\tNK\t500\tSB\t501 %% a comment
kostet\t\tVVFIN\t--\tHD\t501
#1\t\tNN\t--\tOA\t501
#501\t\tS\t--\t--\t0
#500\t\tNP\t--\tSB\t501
#EOS 2
"""

YCOE = """\
/~*
PREFACE:  a search
*~/
( (CODE <T06510000100,1.1>))

( (METADATA (AUTHOR me) (DATE 1000))
  (IP-MAT (CONJ &)
\t  (NP-NOM *con*)
\t  (NP-NOM *-1)
\t  (VBDI s+ade)
\t  (CODE {COM:unclear})
\t  (CP-THT (C 0)
\t\t  (IP-SUB (NP-NOM (D^N se) (N^N cyning)) (NP *T*-1) (NP (NUM 0)) (BEDI w+as)))
\t  (. .)) (ID coaelex,ALex:1.1.1))
"""


def written(folder: Path, text: str, name: str = "trees.txt") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_negra_export_with_crossing_edges(tmp_path: Path) -> None:
    (found,) = find_trees(written(tmp_path, NEGRA))
    assert (str(found.tree), found.line, found.format) == (RESOLVED, 6, "NEGRA export")
    assert dict(found.removed)["second parents"] == 1
    assert dict(found.removed)["phrases with crossing edges resolved"] == 1


def test_negra_export_with_blanks_and_numbers_in_words(tmp_path: Path) -> None:
    """A word was cut at its blank, and "#1" was taken for a phrase; phrases are numbered from 500."""
    (found,) = find_trees(written(tmp_path, NEGRA_3))
    assert str(found.tree) == "(TOP (S (NP (CARD 40_000) (NN Mark)) (VVFIN kostet) (NN #1)))"
    assert dict(found.removed) == {"second parents": 1}


def test_functions_of_edges_are_kept_when_asked_for(tmp_path: Path) -> None:
    file = written(tmp_path, NEGRA)
    (tree,) = load_trees(file, keep_functions=True)
    assert str(tree[0][0]) == "(PDS-OA Das)"
    assert tree[0][4].label == "VP-OC"  # type: ignore[union-attr]
    assert str(clean(tree)) == RESOLVED


def test_penn_helsinki_without_lemmas(tmp_path: Path) -> None:
    (found,) = find_trees(written(tmp_path, YCOE, "co.psd"))
    tree = clean(found.tree)
    assert tree is not None
    assert tree.words == ("&", "s+ade", "se", "cyning", "0", "w+as", ".")
    expected = {"CODE nodes": 2, "ID nodes": 1, "metadata": 1, "traces": 3, "zeros": 1}
    assert dict(found.removed) == expected


def test_penn_helsinki_with_lemmas(tmp_path: Path) -> None:
    text = (
        "( (IP-MAT (NP-SBJ (NPRS-N Vestur-Evrópu$-vestur-evrópa) (D-N $nir-hinn)) (VBPI fer-fara)"
        " (CP-REL (WNP-1 0) (C sem-sem) (NP *T*-1)) (, ---) (. .-.)) (ID X,.1))\n"
    )
    (found,) = find_trees(written(tmp_path, text))
    tree = clean(found.tree)
    assert tree is not None
    assert tree.words == ("Vestur-Evrópu$", "$nir", "fer", "sem", "-", ".")


META = """\
( (META (NP (NUM-N 1.-1.) (N-N Kafli-kafli)) (. .-.)) (ID X,.1))
( (IP-MAT (META (CODE {COM:speaker}) (NP (NPR-N VBj-vbj))) (, :-:) (NP-SBJ *con*) (VBDI vildi-vilja)
  (IP-INF (TO *) (VB *) (NP-OB1 (PRO-A það-það))) (NP *speaker+hearer*) (. .-.)) (ID X,.2))
"""
DEEP = """\
( (IP-MAT (NP-SBJ (PRO (ORTHO I) (META (LEMMA i) (CASE nom)))) (VBP (ORTHO go) (META (LEMMA go))) (NP *T*-1)) (ID X,.1))
"""


def test_penn_helsinki_headings_are_words_and_verbs_left_out_are_none(tmp_path: Path) -> None:
    """The words of META nodes were lost, whole sentences with them, and "*" for an infinitive was a word."""
    heading, spoken = find_trees(written(tmp_path, META, "x.psd"))
    assert str(clean(heading.tree)) == "(TOP (META (NP (NUM 1.) (N Kafli)) (. .)))"
    assert spoken.tree.words == (
        "VBj", ":", "*con*", "vildi", "*", "*", "það", "*speaker+hearer*", "."
    )  # fmt: skip
    cleaned = clean(spoken.tree)
    assert cleaned is not None
    assert cleaned.words == ("VBj", ":", "vildi", "það", ".")
    (deep,) = load_clean_trees(written(tmp_path, DEEP, "deep.psd"))
    assert str(deep) == "(TOP (IP (NP (PRO I)) (VBP go)))"


def test_a_zero_of_the_penn_treebank_is_a_word(tmp_path: Path) -> None:
    text = "( (S (NP-SBJ (-NONE- *T*-1)) (VP (VBZ is) (NP (CD 0)))))\n"
    (tree,) = load_clean_trees(written(tmp_path, text))
    assert tree.words == ("is", "0")


def test_spmrl_features_go(tmp_path: Path) -> None:
    text = (
        "( (SENT (NP-SUJ (CLS-SUJ##lem=il|g=m|n=s## Il)) (VN (V##lem=aller|m=ind## va))"
        " (PONCT##lem=.|s=s##  .)))\n"
    )
    (found,) = find_trees(written(tmp_path, text))
    assert str(found.tree) == "( (SENT (NP-SUJ (CLS-SUJ Il)) (VN (V va)) (PONCT .)))"
    assert (found.format, found.removed) == ("SPMRL brackets", (("features", 3),))


def test_spmrl_features_with_a_number_sign(tmp_path: Path) -> None:
    """The last sign of a feature's value was left in the label."""
    text = "(TOP (S (NN##lem=C#|n=s## C#) (V##lem=C### C#) ($.##_## ##)))\n"
    (found,) = find_trees(written(tmp_path, text))
    assert str(found.tree) == "(TOP (S (NN C#) (V C#) ($. ##)))"


CONLLU = """\
# sent_id = s1
# text = (Don't go.)
# constituency = (ROOT (S (VP (VBP Do) (RB n't) (VP (VB go))) (. .)))
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\t_\t_\t_\t_\t0\troot\t_\t_
2\tn't\t_\t_\t_\t_\t1\tdep\t_\t_
3\tgo\t_\t_\t_\t_\t1\tdep\t_\t_
4\t.\t_\t_\t_\t_\t1\tdep\t_\t_

"""


def test_conllu_with_brackets_in_a_comment(tmp_path: Path) -> None:
    (found,) = find_trees(written(tmp_path, CONLLU, "trees.conllu"))
    assert (found.tree.words, found.line) == (("Do", "n't", "go", "."), 3)
    with pytest.raises(TreeError, match=r"words\.conllu:3:.*'go', the lines below it 'gone'"):
        load_trees(written(tmp_path, CONLLU.replace("3\tgo", "3\tgone"), "words.conllu"))
    with pytest.raises(DataError, match="CoNLL-U without trees"):
        load_trees(written(tmp_path, CONLLU.replace("# const", "# text const"), "no.conllu"))


@pytest.mark.parametrize("first", [True, False])
def test_a_sentence_without_its_tree_is_said(tmp_path: Path, first: bool) -> None:
    """It was left out without a word, and trees and predictions no longer belonged together."""
    without = CONLLU.replace("# const", "# text const")
    path = written(tmp_path, without + CONLLU if first else CONLLU + without, "trees.conllu")
    with pytest.raises(TreeError, match=rf"conllu:{1 if first else 10}:.*has no tree in a comment"):
        load_trees(path)
    (tree,) = load_trees(path, skip_broken=True)
    assert tree.words == ("Do", "n't", "go", ".")


@pytest.mark.parametrize(
    "comment",
    [
        "# (TOP (NP (NN Rain)))",
        "#constituency=(TOP (NP (NN Rain)))",
        "# tree: (TOP (NP (NN Rain)))",
        "# constituency tree : (TOP (NP (NN Rain)))",
        "# note = (see (p. 3))\n# parse = (TOP (NP (NN Rain)))",
        "# text = Rain = (TOP (NP (NN Snow)))\n# s = (TOP (NP (NN Rain)))",
    ],
)
def test_comments_with_brackets_in_several_spellings(tmp_path: Path, comment: str) -> None:
    """A tree without a name lost its top, and any other comment with brackets was taken for the tree."""
    text = f"{comment}\n1\tRain\t_\t_\t_\t_\t_\t_\t_\t_\n"  # trees need no heads
    (tree,) = load_trees(written(tmp_path, text, "trees.conllu"))
    assert str(tree) == "(TOP (NP (NN Rain)))"


ROUND = """\
(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (-LRB- -LRB-) (NN #500) (-RRB- -RRB-)))) (. .)))
(TOP (S (NP (NN Rain))) (. .))
(TOP (UH Yes))
(TOP (VROOT (NP (NN Rain)) (VP (VB go)) ($. .)))
(TOP (NP (NP (NN x\\*y)) ($LRB %%) (NN \\\\)))
"""


@pytest.mark.parametrize("form", ["tiger", "export", "penn"])
def test_what_is_written_is_read_back(tmp_path: Path, form: str) -> None:
    trees = list(parse_trees(ROUND))
    text = {
        "tiger": TIGER_START + "".join(tiger(t, n) for n, t in enumerate(trees, 1)) + TIGER_END,
        "export": EXPORT_START + "".join(export(t, n) for n, t in enumerate(trees, 1)),
        "penn": "".join(map(penn, trees)),
    }[form]
    found = load_trees(written(tmp_path, text))
    expected = [Tree("", tree.subtrees) for tree in trees] if form == "penn" else trees
    assert list(map(str, found)) == list(map(str, expected))


def test_conllu_of_a_tree_with_traces_is_read_back(tmp_path: Path) -> None:
    """Lines of `bnaparser convert` for traces were said to be words that the tree lacks."""
    psd, lines, back = written(tmp_path, YCOE, "co.psd"), tmp_path / "co.conllu", tmp_path / "back"
    assert main(["convert", str(psd), "--to", "conllu", "-o", str(lines)]) == 0
    assert main(["treebank", str(lines), "-o", str(back)]) == 0
    assert load_trees(back) == load_clean_trees(psd)


def test_measures_of_trees_after_comments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines of these files were measured as English text."""
    files = {"a.export": NEGRA, "b.conllu": CONLLU, "c.txt": YCOE}
    for name, text in files.items():
        assert main(["measure", str(written(tmp_path, text, name)), "-f", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["S"] == 1


XML = TIGER_START + tiger(next(parse_trees("(TOP (NP (NN a) (NN b)))"))) + TIGER_END


def test_tiger_xml_of_other_programs(tmp_path: Path) -> None:
    """Frames in the head (SALTO writes them) and a prefix of a namespace were no TIGER-XML."""
    frames = '<frames xmlns="u"><frame name="A"><element name="B"/></frame></frames></head>'
    body = (
        '<matches><match subgraph="s1_500"><variable name="#a" idref="s1_1"/></match></matches></s>'
    )
    salto = XML.replace("</head>", frames).replace("</s>", f"<sem><globals/></sem>{body}")
    prefixed = re.sub(r"<(/?)(?=\w)", r"<\1t:", XML).replace("<t:corpus", '<t:corpus xmlns:t="u"')
    without_declaration = prefixed.partition("?>\n")[2]
    for text in (salto, prefixed, without_declaration):
        assert list(map(str, load_trees(written(tmp_path, text)))) == ["(TOP (NP (NN a) (NN b)))"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (XML[:400], r"trees\.txt:\d+: .*cut off"),
        (XML[: XML.rindex("/>") + 1], r"trees\.txt:\d+: .*cut off"),
        (XML.replace("</nt>", "</nx>"), r"trees\.txt:\d+: .*mismatched tag.*correct this line"),
        (XML.replace('idref="s1_2"', 'idref="s1_9"'), r"trees\.txt:21:1: .*'s1_9' is not an id"),
        (XML.replace('pos="NN"', "", 1), r"trees\.txt:15:1: .*without the attribute pos"),
        (XML.replace("<corpus", '<!DOCTYPE x [<!ENTITY a "b">]>\n<corpus'), "entity, 'a', is not"),
        (XML.replace("<body>", "<paper>"), r"trees\.txt:11: an element 'paper'"),
        (XML.replace("UTF-8", "nonsense"), "encoding 'nonsense' that is unknown"),
        (NEGRA.replace("#EOS 1\n", ""), r"trees\.txt:6:1: .*no #EOS: the file is incomplete"),
        (
            NEGRA.replace("ich\tPPER\t--\tSB\t501", "ich PPER"),
            r"trees\.txt:9:1: .*columns word, tag",
        ),
        (NEGRA.replace("SB\t501\n*", "SB\t505\n*"), r"trees\.txt:9:1: .*no line #505"),
        (NEGRA.replace("#501\tS\t--\t--\t0", "#501\tS\t--\t--\t500"), "its own ancestor"),
        (NEGRA.replace("#EOS 1", "#502\tNP\t--\t--\t501\n#EOS 1"), "phrase NP has no word"),
    ],
)
def test_damaged_files(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BnaparserError, match=said):
        load_trees(written(tmp_path, text))


def test_broken_sentences_are_skipped(tmp_path: Path) -> None:
    broken = NEGRA.replace("SB\t501\n*", "SB\t505\n*") + NEGRA.partition("#EOT WORDTAG\n")[2]
    assert len(load_trees(written(tmp_path, broken), skip_broken=True)) == 1


def test_xml_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    text = XML.replace("UTF-8", "ISO-8859-1").replace('word="a"', 'word="Bär"')
    (tmp_path / "trees.xml").write_bytes(text.encode("latin-1"))
    (tree,) = load_trees(tmp_path)
    assert tree.words == ("Bär", "b")


def test_the_command_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, YCOE, "co.psd")
    assert main(["treebank", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1 sentences, 7 words\n")
    assert "\nPenn-Helsinki brackets: 1 file\n" in said
    assert "taken out or resolved: 3 traces, 2 CODE nodes" in said


@pytest.mark.parametrize(("options", "recall"), [([], "100.00"), (["--keep-functions"], "50.00")])
def test_evaluate_with_and_without_functions(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str], recall: str
) -> None:
    gold = written(tmp_path, NEGRA, "gold.export")
    (tree,) = load_trees(gold, keep_functions=True)
    pred = written(tmp_path, f"{tree}\n".replace("VP-OC", "VP-MO").replace("-OA", ""), "pred.txt")
    assert main(["evaluate", str(gold), str(pred), *options]) == 0
    assert f"Bracketing Recall         = {recall:>6}" in capfd.readouterr().out


@needs_data
def test_the_potsdam_commentary_corpus_is_read_as_it_was_converted(tmp_path: Path) -> None:
    folder = Path(DATA or "") / "treebanks" / "de_pcc"
    with tarfile.open(folder / "raw.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    found = sorted(str(tree) for tree in load_trees(tmp_path))
    expected = [
        line
        for part in ("train", "dev", "test")
        for line in lzma.decompress((folder / f"{part}.txt.xz").read_bytes()).decode().split("\n")
        if line
    ]
    # Of two sentences with the same words in train and test the training one was left out.
    assert len(found) == 2_193
    for line in expected:
        found.remove(line)
    assert len(found) == 1


@needs_data
def test_icelandic_files_as_published_have_the_words_of_the_converted_ones() -> None:
    folder = Path(DATA or "") / "treebanks" / "is_modern"
    converted = {
        tree.words
        for part in ("train", "dev")
        for tree in load_trees(folder / f"ruv/{part}.txt.xz")
    }
    raw = load_clean_trees(folder / "raw_sample" / "ruv_tgs_2016_G-2-1031601.sanity.psd")
    assert len(raw) == 65
    assert {tree.words for tree in raw} <= converted


@needs_data
def test_an_icelandic_file_with_stage_directions_has_all_its_sentences() -> None:
    """Two of 29 sentences were left out, and words of two more."""
    folder = Path(DATA or "") / "treebanks" / "is_modern"
    parts = [folder / f"althingi/{part}.txt.xz" for part in ("train", "dev", "test")]
    converted = {tree.words for tree in load_trees(parts)}
    raw = load_clean_trees(folder / "raw_sample" / "althingi_hhg_2013_G-33-4875869.psd")
    others = [tree.words for tree in raw if tree.words not in converted]
    assert len(raw) == 29
    assert [words[-1] for words in others] == ["<threedots/>"]
