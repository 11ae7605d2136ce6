"""``bnaparse --format svg|html|latex``: what a user gets for one sentence, several, and a failed one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bnaparser import Parser
from bnaparser.cli.formats import SUFFIXES, writer
from bnaparser.cli.parse import main as bnaparse
from bnaparser.eval import score
from bnaparser.eval.params import Params
from bnaparser.trees.tree import Tree, parse_trees

Run = Callable[..., tuple[int, str, str]]

SVG = "{http://www.w3.org/2000/svg}"
LINES = "It rained.\n\n" + "word " * 3000 + "\nDogs bark.\n"


@pytest.fixture
def run(tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``bnaparse`` on a file of these lines; returns exit code, standard output and error."""

    def call(lines: str, form: str, *options: str) -> tuple[int, str, str]:
        source = tmp_path / "in.txt"
        source.write_text(lines, encoding="utf-8")
        model = ["--model", str(tiny_model_dir), "--device", "cpu"]
        code = bnaparse(
            ["--input", str(source), "--split", "line", "--format", form, *model, *options]
        )
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_draw_is_each_tree_in_lines_of_text(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")  # of the terminal
    trees = [
        Tree.parse(line) for line in run("It rained.\nDogs bark.\n", "bracket")[1].splitlines()
    ]
    code, out, err = run("It rained.\nDogs bark.\n", "draw")
    assert (code, err) == (0, "")
    assert out == "".join(f"{tree.draw(60)}\n\n" for tree in trees)


def test_a_drawing_shows_words_as_the_text_has_them(run: Run) -> None:
    tree = Tree.parse(run("It (fell) &amp; rose.\n", "bracket")[1])
    words = run("It (fell) &amp; rose.\n", "draw")[1].splitlines()[-2].split()
    assert words == ["It", "(", "fell", ")", "&amp;", "rose", "."]
    assert "-LRB-" not in tree.draw(30).splitlines()[-1]
    assert "(" in [one.text for one in ElementTree.fromstring(tree._repr_svg_()).iter(f"{SVG}text")]


def test_several_drawings_are_a_file_each(run: Run, tmp_path: Path) -> None:
    """They stood in one file, a drawing a line, which no viewer opens."""
    code, out, err = run("It rained.\nDogs bark.\n", "svg")
    said = "bnaparse: an SVG file holds one tree, but the input has more: use the format html"
    assert (code, out, err.startswith(said)) == (2, "", True)
    before = tmp_path / "all.svg"
    before.write_text("<svg/>", encoding="utf-8")
    for target in (before, tmp_path / "new.svg"):
        code, out, err = run("It rained.\n\nDogs bark.\n", "svg", "-o", str(target))
        files = [target.with_name(f"{target.stem}-{number}.svg") for number in (1, 3)]
        assert (code, out) == (0, "")
        assert err == f"bnaparse: 2 pictures: {files[0]}, {files[1]}\n"
        titles = [ElementTree.parse(file).getroot()[0].text for file in files]
        assert titles == ["It rained .", "Dogs bark ."]
    assert before.read_text(encoding="utf-8") == "<svg/>"
    assert not (tmp_path / "new.svg").exists()


def test_svg_leaves_out_sentences_without_a_tree(run: Run) -> None:
    code, out, err = run("It rained.\n\n" + "word " * 3000 + "\n", "svg")
    assert code == 1
    assert err.startswith("bnaparse: line 3: the sentence has 3,000 words")
    words = [text.text for text in ElementTree.fromstring(out).iter(f"{SVG}text")]
    assert words[-3:] == ["It", "rained", "."]


def test_svg_of_one_sentence_is_a_file_that_a_viewer_opens(run: Run) -> None:
    code, out, err = run("Dogs & cats <bark>.\n", "svg")
    assert (code, err) == (0, "")
    title = ElementTree.fromstring(out).findtext(f"{SVG}title")
    assert title is not None
    assert title.startswith("Dogs & cats <")


def test_html_is_one_page_with_all_trees_and_the_reason_where_there_is_none(run: Run) -> None:
    code, out, _ = run(LINES, "html")
    assert code == 1
    assert out.startswith("<!doctype html>")
    assert out.endswith("</html>\n")
    assert (out.count("<section>"), out.count("<svg "), out.count("<html")) == (3, 2, 1)
    assert "the sentence has 3,000 words" in out


def test_html_of_nothing_is_a_page(run: Run) -> None:
    code, out, _ = run("", "html")
    assert code == 0
    assert out.startswith("<!doctype html>")
    assert out.endswith("</html>\n")


def test_latex_is_a_forest_a_sentence_and_a_comment_where_there_is_none(run: Run) -> None:
    code, out, _ = run(LINES, "latex")
    blocks = out.split("\n\n")
    assert code == 1
    assert blocks[0] == (
        "% The document's preamble needs \\usepackage{forest} and, for triangles,"
        " \\useforestlibrary{linguistics}"
    )
    assert [block.startswith("\\begin{forest}\n") for block in blocks[1:]] == [True, False, True]
    assert blocks[2].startswith("% no tree: the sentence has 3,000 words")
    assert blocks[3].endswith("\\end{forest}\n")


def test_clauses_are_an_object_a_sentence_with_places_in_its_text(run: Run) -> None:
    code, out, _ = run(LINES, "clauses")
    assert code == 1
    lines = out.split("\n")
    assert lines[1] == lines[4] == ""
    first, failed, last = (json.loads(lines[place]) for place in (0, 2, 3))
    for found, text in ((first, "It rained."), (last, "Dogs bark.")):
        assert found["text"] == text
        assert found["error"] is None
        segments = [one for clause in found["clauses"] for one in clause["segments"]]
        assert all(text[one["char_start"] : one["char_end"]] == one["text"] for one in segments)
        assert [clause["kind"] for clause in found["clauses"]].count("main") == 1
    assert failed["clauses"] is None
    assert failed["error"].startswith("the sentence has 3,000 words")


@pytest.mark.parametrize("form", ["mrg", "conllu", "export", "tiger"])
def test_formats_for_other_programs_number_sentences_and_leave_failed_ones_out(
    run: Run, form: str
) -> None:
    code, out, _ = run(LINES, form)
    assert code == 1
    marks = {"mrg": "( (", "conllu": "# sent_id = ", "export": "#BOS ", "tiger": '<s id="s'}
    found = [line for line in out.splitlines() if line.startswith(marks[form])]
    assert len(found) == 2
    assert form == "mrg" or ["1" in found[0], "4" in found[1]] == [True, True]
    if form == "tiger":
        assert len(ElementTree.fromstring(out.encode()).findall("body/s")) == 2


def test_mrg_is_scored_as_the_trees_are(run: Run, tmp_path: Path) -> None:
    """Indented trees were no trees to `evaluate`, and words had another spelling than the treebank's."""
    text = "He ate 1/2 of (the) * pie.\nDogs bark {loudly}.\n"
    gold, ours = tmp_path / "gold.mrg", tmp_path / "ours.mrg"
    trees = run(text, "bracket")[1]
    for typed, spelled in (
        (" *)", r" \*)"), (" 1/2)", r" 1\/2)"), (" {)", " -LCB-)"), (" })", " -RCB-)"),
    ):  # fmt: skip
        assert typed in trees
        trees = trees.replace(typed, spelled)
    gold.write_text(trees, encoding="utf-8")
    ours.write_text(run(text, "mrg")[1], encoding="utf-8")
    assert ours.read_text(encoding="utf-8").count("\n") > 2
    table = score(gold, ours, Params())
    assert (table.sentences, table.error_sentences, table.f1) == (2, 0, 100.0)
    words = [tree.words for tree in parse_trees(ours.read_text(encoding="utf-8"))]
    assert words == [Tree.parse(line).words for line in trees.splitlines()]


def test_parquet_pdf_and_png_are_written_to_a_file(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--model", str(tiny_model_dir), "--device", "cpu", "-q"]
    for form, start in (("parquet", b"PAR1"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        target = tmp_path / f"out.{form}"
        assert bnaparse(["It rained.", "-f", form, "-o", str(target), *given]) == 0
        assert target.read_bytes().startswith(start)
    assert bnaparse(["It rained. Dogs bark.", "-f", "png", *given]) == 2
    assert (
        "a PNG file holds one tree, but the input has more: use the format pdf"
        in capsys.readouterr().err
    )


def test_an_empty_line_has_its_number_and_its_row(
    run: Run, tiny_model_dir: Path, tmp_path: Path
) -> None:
    """The third line was sentence 2, and the second no row."""
    from polars import read_parquet

    lines = "It rained.\n\nDogs bark.\n"
    found = run(lines, "columns")[1].splitlines()[1:]
    assert {line.split("\t")[0] for line in found} == {"1", "3"}
    ids = [line for line in run(lines, "conllu")[1].splitlines() if "sent_id" in line]
    assert ids == ["# sent_id = 1", "# sent_id = 3"]
    target = tmp_path / "out.parquet"
    given = ["--input", str(tmp_path / "in.txt"), "--split", "line", "-f", "parquet"]
    given += ["-o", str(target), "--model", str(tiny_model_dir), "--device", "cpu"]
    assert bnaparse(given) == 0
    rows = read_parquet(target)
    assert rows["text"].to_list() == ["It rained.", "", "Dogs bark."]
    assert rows["error"].to_list() == [None, "the sentence has no words", None]


def test_of_no_tree_there_is_no_picture(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--model", str(tiny_model_dir), "--device", "cpu", "--max-words", "1"]
    for form in ("png", "pdf"):
        target = tmp_path / f"out.{form}"
        target.write_bytes(b"an older file")
        assert bnaparse(["It rained.", "-f", form, "-o", str(target), *given]) == 1
        assert target.read_bytes() == b"an older file"
        assert f"no sentence has a tree: no {form} file is written" in capsys.readouterr().err
        target.unlink()
        assert bnaparse(["It rained.", "-f", form, "-o", str(target), *given]) == 1
        assert not target.exists()


def test_a_file_that_is_no_text_keeps_what_it_held_until_the_new_one_is_whole(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"an older file")
    with target.open("a", encoding="utf-8") as file, writer("parquet", file) as write:
        write(Parser.load(tiny_model_dir, "cpu").parse_words(["It", "rained"]))
        assert target.read_bytes() == b"an older file"
    assert target.read_bytes().startswith(b"PAR1")


@pytest.mark.filterwarnings("error")
def test_a_pdf_over_a_longer_file_is_whole(tiny_model_dir: Path, tmp_path: Path) -> None:
    from pypdf import PdfReader

    target = tmp_path / "out.pdf"
    target.write_bytes(b"an older file\n" * 10_000)
    given = ["It rained.", "-f", "pdf", "-o", str(target), "--model", str(tiny_model_dir), "-q"]
    assert bnaparse([*given, "--device", "cpu"]) == 0
    assert target.stat().st_size < 100_000
    assert len(PdfReader(target, strict=True).pages) == 1


def test_what_is_no_text_is_not_for_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    code, out, err = run("It rained.\n", "pdf")
    assert (code, out) == (2, "")
    assert err.startswith(
        "bnaparse: pdf is a binary format, which a terminal cannot show: give --output FILE"
    )


def test_probabilities_that_a_format_does_not_show_are_noted_once(run: Run) -> None:
    lines = "It rained.\nDogs bark.\n"
    code, out, err = run(lines, "bracket", "--probabilities")
    assert (code, out.count("(TOP")) == (0, 2)
    assert err == (
        "bnaparse: --probabilities has no effect in the format bracket, which does not show probabilities: use"
        " --format json, columns, parquet, svg or html\n"
    )
    assert run(lines, "bracket", "--probabilities", "--quiet")[2] == ""
    assert run(lines, "columns", "--probabilities")[2] == ""


def trees_in(file: Path) -> int:
    """Return the number of trees in a file, which is read by a reader of its format."""
    if file.suffix == ".parquet":
        from polars import read_parquet

        return len(read_parquet(file))
    if file.suffix == ".pdf":
        from pypdf import PdfReader

        return len(PdfReader(file, strict=True).pages)
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".xml":
        return len(ElementTree.fromstring(text).findall(".//s"))
    if file.suffix == ".html":
        assert text.rstrip().endswith("</html>")
        return text.count("<svg")
    if file.suffix == ".svg":
        ElementTree.fromstring(text)
        return 1
    return text.count("rained")


ENDINGS = ("parquet", "pdf", "xml", "html", "svg", "mrg")


@pytest.mark.parametrize("ending", ENDINGS)
def test_trees_before_a_damaged_line_are_in_a_whole_file(
    tiny_model_dir: Path, tmp_path: Path, ending: str
) -> None:
    target = tmp_path / f"out.{ending}"
    good = 1 if ending == "svg" else 20
    source = tmp_path / "damaged.txt"
    given = ["-i", str(source), "-f", SUFFIXES[f".{ending}"], "-o", str(target), "-q"]
    given += ["--split", "line", "--model", str(tiny_model_dir), "--device", "cpu"]
    source.write_bytes(b"It rained.\n" * good + b"\xff\xfe\n")
    assert bnaparse(given) == 2
    assert trees_in(target) == good
    held = target.read_bytes()
    source.write_bytes(b"\xe9\xe9 caf\xe9\n")
    assert bnaparse(given) == 2
    assert target.read_bytes() == held  # nothing does not replace what was there
    target.unlink()
    assert bnaparse(given) == 2
    assert not target.exists()


def test_several_pictures_before_a_damaged_line_have_no_empty_file_beside_them(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    source, target = tmp_path / "damaged.txt", tmp_path / "out.svg"
    source.write_bytes(b"It rained.\n" * 2 + b"\xff\xfe\n")
    given = ["-i", str(source), "-f", "svg", "-o", str(target), "-q", "--split", "line"]
    assert bnaparse([*given, "--model", str(tiny_model_dir), "--device", "cpu"]) == 2
    assert {path.name for path in tmp_path.glob("*.svg")} == {"out-1.svg", "out-2.svg"}


INTERRUPTED = """
import signal, sys
from pathlib import Path
from bnaparser.cli.console import leaving_on_signals
from bnaparser.cli.formats import SUFFIXES, OfFile, writer
from bnaparser.cli.streams import open_output
from bnaparser.trees.tree import Tree

path, number, trees = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
tree = OfFile(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))"))
with (
    leaving_on_signals(),
    open_output(path) as output,
    writer(SUFFIXES[path.suffix], output) as write,
):
    for _ in range(trees):
        write(tree)
    signal.raise_signal(number)
"""


@pytest.mark.parametrize(
    ("ending", "number"),
    [
        ("pdf", signal.SIGINT),
        ("xml", signal.SIGTERM),
        ("html", signal.SIGINT),
        ("svg", signal.SIGTERM),
        ("mrg", signal.SIGINT),
    ],
)
def test_an_interrupted_command_leaves_whole_files_and_no_empty_ones(
    tmp_path: Path, ending: str, number: int
) -> None:
    target = tmp_path / f"out.{ending}"

    def interrupt(trees: int) -> None:
        typed = [sys.executable, "-c", INTERRUPTED, str(target), str(number), str(trees)]
        assert subprocess.run(typed, check=False).returncode == 128 + number

    interrupt(0)
    assert not target.exists()
    interrupt(1)
    assert trees_in(target) == 1
    held = target.read_bytes()
    interrupt(0)
    assert target.read_bytes() == held
    if ending != "svg":
        interrupt(3)
        assert trees_in(target) == 3
    else:
        target.unlink()
        interrupt(3)
        assert {path.name for path in tmp_path.iterdir()} == {f"out-{n}.svg" for n in (1, 2, 3)}


def test_an_interrupted_command_leaves_a_whole_table(tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    script = INTERRUPTED.replace("tree = OfFile", "tree = Parse('It rained.') or OfFile")
    script = f"from bnaparser.parsing.result import Parse\n{script}"
    for number, trees in ((signal.SIGINT, 0), (signal.SIGTERM, 1500)):
        typed = [sys.executable, "-c", script, str(target), str(int(number)), str(trees)]
        assert subprocess.run(typed, check=False).returncode == 128 + number
        assert target.exists() == bool(trees)
    assert trees_in(target) == 1500
