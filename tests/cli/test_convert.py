"""``bnaparser draw`` and ``bnaparser convert``: trees of files, in every format, read back or looked into."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bnaparser.cli import main
from bnaparser.cli.formats import FORMATS, PICTURES
from bnaparser.treebanks.reading import find_trees, load_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.tree import Tree
from tests.trees.render.drawings import SVG, forest_words, texts

Run = Callable[..., tuple[int, str, str]]

TREES = [
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))",
    "(TOP (S (NP (PRP It)) (VP (VBD rained) (-LRB- -LRB-) (ADVP (RB again)) (-RRB- -RRB-))))",
    "(TOP (FRAG (NP (NNP Rome)) (. .)))",
]
WUG = "[S [NP This] [VP [V is] [NP a wug]]]"
COPIES = {"mrg": "a.mrg", "export": "a.export", "tiger": "a.xml", "conllu": "a.conllu"}
COPIES |= {"json": "a.jsonl", "parquet": "a.parquet", "bracket": "a.txt", "pretty": "b.txt"}


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``bnaparser`` in this process; returns exit code, standard output, standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main([str(one) for one in arguments])
        except SystemExit as stop:  # wrong usage
            code = int(stop.code or 0)
        out, err = capfdbinary.readouterr()
        return code, out.decode("utf-8", "replace"), err.decode()

    return call


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    file = tmp_path / "trees.mrg"
    file.write_text("".join(f"{tree}\n" for tree in TREES), encoding="utf-8")
    return file


@pytest.mark.parametrize("form", sorted(COPIES))
def test_a_copy_in_another_format_has_the_same_trees(
    run: Run, trees: Path, tmp_path: Path, form: str
) -> None:
    target = tmp_path / COPIES[form]
    assert run("convert", trees, "--to", form, "-o", target) == (0, "", "")
    code, out, err = run("convert", target, "--to", "bracket")
    assert (code, err) == (0, "")
    found = [clean(Tree.parse(line)) for line in out.splitlines()]
    assert found == [Tree.parse(tree) for tree in TREES]


@pytest.mark.parametrize("source", ["mrg", "tiger", "export"])
@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_from_every_format(
    run: Run, trees: Path, tmp_path: Path, source: str, form: str
) -> None:
    copy = tmp_path / COPIES[source]
    if source != "mrg":
        assert run("convert", trees, "--to", source, "-o", copy)[0] == 0
    target = tmp_path / f"out.{form}"
    given = ["convert", copy if source != "mrg" else trees, "--to", form, "-o", target]
    code, out, err = run(*given, "--sentences", "1")
    assert (code, out, err) == (0, "", "")
    words = list(Tree.parse(TREES[0]).words)
    assert words_in(target, form) == words


def words_in(file: Path, form: str) -> list[str]:
    """The words that an independent reader finds in a file of one tree."""
    from PIL import Image
    from polars import read_parquet
    from pypdf import PdfReader

    data = file.read_bytes()
    if form == "png":
        assert Image.open(io.BytesIO(data)).size[0] > 300
        return list(Tree.parse(TREES[0]).words)
    if form == "parquet":
        return [token["text"] for token in read_parquet(file)["tokens"][0]]
    if form == "pdf":
        found = PdfReader(file).pages[0].extract_text().replace("\x00", "").split()
        tree = Tree.parse(TREES[0])
        shown = [*(one.label for one in tree.subtrees[0].nodes() if one.label != "."), *tree.words]
        assert sorted("".join(found)) == sorted("".join(shown))  # what stands close is one word
        return list(tree.words)
    text = data.decode()
    if form == "svg":
        return texts(text)[-7:]
    if form == "html":
        drawing = text[text.index("<svg") : text.index("</svg>") + 6]
        return texts(drawing)[-7:]
    if form == "latex":
        return forest_words(text)
    if form == "draw":
        return text.split("\n\n")[0].splitlines()[-1].split()
    if form == "json":
        return [token["text"] for token in json.loads(text)["tokens"]]
    if form == "clauses":
        return str(json.loads(text)["text"]).split(" ")
    if form == "columns":
        return text.splitlines()[1].split("\t")[-1].split()
    if form == "conllu":
        rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
        return [row[1] for row in rows]
    if form == "tiger":
        return [one.attrib["word"] for one in ElementTree.fromstring(text).iter("t")]
    if form == "export":
        return [line.split("\t")[0] for line in text.splitlines() if line[:1] != "#"]
    return list(Tree.parse(text).words)


def test_drawn_in_the_terminal(run: Run) -> None:
    code, out, err = run("draw", WUG)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "     S",
        "  ┌──┴───┐",
        "  │      VP",
        "  │    ┌─┴──┐",
        "  │    │    NP",
        "  │    │    │",
        "  NP   V  \u2571───\u2572",
        " This  is a wug",
        "",
    ]
    assert run("draw", *WUG.split()) == (code, out, err)  # the shell took the words apart


def test_the_name_of_the_output_tells_the_format(run: Run, trees: Path, tmp_path: Path) -> None:
    for name, start in {
        "a.pdf": b"%PDF",
        "a.html": b"<!doctype",
        "a.tex": b"% The document's preamble needs",
        "a.PNG": b"\x89PNG",
    }.items():
        assert run("draw", trees, "-o", tmp_path / name, "--sentences", "2")[0] == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    assert run("convert", trees, "-o", tmp_path / "b.export")[0] == 0
    assert load_trees(tmp_path / "b.export") == [Tree.parse(tree) for tree in TREES]
    code, _, err = run("draw", trees, "-o", tmp_path / "c.conllu")
    assert (code, "conllu is not a picture" in err) == (2, True)


def test_numbered_pictures(run: Run, trees: Path, tmp_path: Path) -> None:
    target = tmp_path / "tree.svg"
    code, _, err = run("draw", trees, "-o", target, "--sentences", "1,3")
    assert (code, f"2 pictures: {tmp_path / 'tree-1.svg'}, {tmp_path / 'tree-3.svg'}" in err) == (
        0,
        True,
    )
    assert not target.exists()
    for number in (1, 3):
        svg = (tmp_path / f"tree-{number}.svg").read_text(encoding="utf-8")
        words = Tree.parse(TREES[number - 1]).words
        assert texts(svg)[-len(words) :] == list(words)
    many = tmp_path / "many.mrg"
    many.write_text("\n".join(TREES * 2) + "\n", encoding="utf-8")
    code, _, err = run("draw", many, "-o", target, "--sentences", "1,3,5-6")
    first, second, last = (tmp_path / f"tree-{number}.svg" for number in (1, 3, 6))
    assert (code, f"4 pictures: {first}, {second}, ..., {last}\n" in err) == (0, True)
    from pypdf import PdfReader

    assert run("draw", trees, "-o", tmp_path / "all.pdf")[0] == 0
    assert len(PdfReader(tmp_path / "all.pdf").pages) == 3


@pytest.mark.parametrize(
    ("given", "numbers"),
    [("2", [2]), ("1,3", [1, 3]), ("1-2", [1, 2]), ("2-", [2, 3]), ("3,1-1", [1, 3])],
)
def test_sentences(run: Run, trees: Path, given: str, numbers: list[int]) -> None:
    code, out, _ = run("convert", trees, "--to", "conllu", "--sentences", given)
    found = [line for line in out.splitlines() if line.startswith("# sent_id")]
    assert (code, found) == (0, [f"# sent_id = {number}" for number in numbers])


def test_a_folded_phrase_is_a_triangle_in_every_picture(
    run: Run, trees: Path, tmp_path: Path
) -> None:
    for form in PICTURES:
        target = tmp_path / f"folded.{form}"
        given = ["draw", trees, "-f", form, "-o", target, "--sentences", "1"]
        assert run(*given, "--fold", "PP", "--fold", "NP > S")[0] == 0
        if form in ("png", "pdf"):
            continue  # drawn from the same layout as svg; looked at by hand
        text = target.read_text(encoding="utf-8")
        assert {
            "draw": "\u2571────────\u2572",
            "svg": 'class="triangle"',
            "html": 'class="triangle"',
            "latex": "[PP [{on the mat}, roof]]",
        }[form] in text
    drawn = ElementTree.parse(tmp_path / "folded.svg").getroot()
    assert [one.text for one in drawn.iter(f"{SVG}text")][-4:] == [
        "The cat",
        "sat",
        "on the mat",
        ".",
    ]
    corners = [one.attrib["d"] for one in drawn.iter(f"{SVG}path") if "class" in one.attrib]
    assert [path.count("L") for path in corners] == [2, 2]
    assert forest_words((tmp_path / "folded.latex").read_text(encoding="utf-8"))[-1] == "."


@pytest.mark.parametrize("name", ["parses.json", "parses.foo", "parses"])
def test_json_lines_are_known_by_their_first_sign(run: Run, tmp_path: Path, name: str) -> None:
    """They were read only where the name ended in .jsonl."""
    file = tmp_path / name
    file.write_text(f"\n{json.dumps({'tree': TREES[0]})}\n", encoding="utf-8")
    for command in (
        ["convert", file, "--to", "bracket"],
        ["search", "-q", "NP|S", file],
        ["measure", file],
    ):
        code, out, err = run(*command)
        assert (code, err) == (0, "")
        assert out
    assert run("convert", file, "--to", "bracket")[1] == f"{Tree.parse(TREES[0])}\n"


def test_what_is_to_be_folded_but_in_no_tree_is_said(run: Run, trees: Path) -> None:
    code, _, err = run("draw", trees, "--fold", "FOO", "--fold", "NP")
    assert (code, err) == (0, "bnaparser draw: no tree has a label or word FOO\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the input holds no tree"),
        ("Just text.\n", ":1:1: 'Just' stands outside all brackets"),
        ("[S [NP a]\n (VP b)]\n", ":2:2: round and square brackets are mixed"),
        ("[S [NP a]\n", ":1:1: the tree that starts here is never closed: 1 ']' missing"),
        ("(S (NP a)))\n", ":1:11: ')' has no opening bracket"),
    ],
)
def test_a_file_that_holds_no_trees(run: Run, tmp_path: Path, content: str, message: str) -> None:
    file, target = tmp_path / "bad.txt", tmp_path / "out.svg"
    file.write_text(content, encoding="utf-8")
    code, out, err = run("draw", file, "-o", target)
    assert (code, out) == (2, "")
    assert f"bnaparser draw: {file}{message if message[0] == ':' else f': {message}'}" in err
    assert target.exists() == content.startswith("(S (NP a))")  # the tree before the error


def test_wrong_usage(run: Run, trees: Path) -> None:
    cases: list[tuple[list[object], str]] = [
        (["draw", trees, "--sentences", "4"], "there is no tree 4: the input holds 3"),
        (["draw", trees, "--sentences", "2-9"], "there is no tree 9: the input holds 3"),
        (["draw", trees, "--sentences", "0"], "'0': give numbers from 1 and ranges"),
        (["draw", trees, "--sentences", "3-1"], "'3-1': give numbers from 1 and ranges"),
        (["draw", trees, "--fold", "NP <"], "--fold: the pattern: a node is expected here"),
        (
            ["draw", trees, "-f", "conllu"],
            "is none of 'draw', 'svg', 'png', 'pdf', 'latex', 'html'",
        ),
        (["convert", trees, "--to", "doc"], "is none of 'bracket', 'pretty', 'draw', 'json'"),
        (["convert", trees], "give --to FORMAT, one of bracket, pretty, draw, json"),
        (["convert", trees, "--to", "svg"], "use the format html"),
        (
            ["convert", trees, "--to", "mrg", "-o", trees],
            "is also the input, which would be overwritten",
        ),
        (
            ["convert", WUG, "--to", "conllu"],
            "the tree:1:1: CoNLL-U needs a part-of-speech tag for each word: give 'a'",
        ),
    ]
    for given, message in cases:
        code, out, err = run(*given)
        assert (code, out) == (2, ""), given
        assert message in err


def test_square_brackets_in_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "wugs.txt"
    file.write_text(f"% from class\n{WUG}\n\n[S\n  [NP Wugs]\n  [VP sleep]]\n", encoding="utf-8")
    code, out, _ = run("convert", file, "--to", "bracket")
    assert (code, out.splitlines()) == (0, [str(Tree.parse(WUG)), "(S (NP Wugs) (VP sleep))"])
    found = list(find_trees(file, untagged=True))
    assert [(one.line, one.format) for one in found] == [
        (2, "square brackets"),
        (4, "square brackets"),
    ]
    assert run("treebank", file)[0] == 2  # who trains needs tags


def test_functions_of_edges_are_kept_on_request(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.export"
    file.write_text(
        "#FORMAT 4\n#BOS 1\nWugs\t--\tNN\t--\tSB\t500\nschlafen\t--\tVVFIN\t--\tHD\t500\n"
        "#500\t--\tS\t--\t--\t0\n#EOS 1\n",
        encoding="utf-8",
    )
    assert run("convert", file, "--to", "bracket")[1] == "(TOP (S (NN Wugs) (VVFIN schlafen)))\n"
    kept = run("convert", file, "--to", "bracket", "--keep-functions")[1]
    assert kept == "(TOP (S (NN-SB Wugs) (VVFIN-HD schlafen)))\n"


def test_a_tree_has_the_methods_of_a_parse() -> None:
    tree = Tree.parse(TREES[1])
    assert tree.to_svg() == tree._repr_svg_()
    assert forest_words(tree.to_latex()) == ["It", "rained", "(", "again", ")"]
    assert tree.to_pdf().startswith(b"%PDF")
    assert tree.to_png().startswith(b"\x89PNG")
    assert tree.to_html().count("<svg") == 1
    assert tree.to_mrg().startswith("( (S")
    assert tree.to_conllu().count("\n") == 9
    assert tree.to_export().startswith("#FORMAT 4\n#BOS 1")
    assert ElementTree.fromstring(tree.to_tiger().split("\n", 1)[1]).tag == "corpus"
    from bnaparser import Parse

    back = Parse.from_json(tree.to_json())
    assert back.tree == tree
    assert back.to_dict() == tree.to_dict()
    assert [back.text_of(phrase) for phrase in tree.find("ADVP")] == ["again"]
    phrase = tree.subtrees[0].subtrees[1]
    assert phrase.to_dict()["constituents"][1] == {
        "label": "ADVP", "start": 2, "end": 3, "char_start": 9, "char_end": 14, "score": None
    }  # fmt: skip


def test_clauses_of_a_file_of_trees(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "trees.mrg"
    file.write_text(
        "(TOP (S (NP (PRP I)) (VP (VBP know) (SBAR (S (NP (PRP she)) (VP (VBZ sings)))))))\n"
        "(TOP (S (QQ a) (ZZ b)))\n",
        encoding="utf-8",
    )
    code, out, _ = run("convert", file, "--to", "clauses")
    assert code == 0
    found, refused = map(json.loads, out.splitlines())
    assert [(one["kind"], one["text"], one["head"]) for one in found["clauses"]] == [
        ("main", "I know", None),
        ("complement", "she sings", 0),
    ]
    assert refused["clauses"] is None
    assert "tags of a treebank that is known" in refused["error"]


@pytest.mark.parametrize("form", ["export", "tiger"])
def test_a_round_trip_changes_no_word(run: Run, tmp_path: Path, form: str) -> None:
    tree = (
        "(TOP (S (`` ``) (NP (NN 1\\/2) (NN &amp;)) (-LRB- -LRB-) (X -LCB-) (-RRB- -RRB-) ('' '')))"
    )
    (tmp_path / "a.mrg").write_text(tree, encoding="utf-8")
    target = tmp_path / COPIES[form]
    assert run("convert", tmp_path / "a.mrg", "--to", form, "-o", target)[0] == 0
    assert run("convert", target, "--to", "bracket")[1].split("\n")[0] == tree
    assert "-LRB-\t" not in target.read_text(encoding="utf-8").replace("\t-LRB-\t", "")
