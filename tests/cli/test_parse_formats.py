"""``bnaparse --format svg|html|latex``: what a user gets for one sentence, several, and a failed one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bnaparser.cli.parse import main as bnaparse

Run = Callable[..., tuple[int, str, str]]

SVG = "{http://www.w3.org/2000/svg}"
LINES = "It rained.\n\n" + "word " * 3000 + "\nDogs bark.\n"


@pytest.fixture
def run(tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``bnaparse`` on a file of these lines; returns exit code, standard output and error."""

    def call(lines: str, form: str) -> tuple[int, str, str]:
        source = tmp_path / "in.txt"
        source.write_text(lines, encoding="utf-8")
        model = ["--model", str(tiny_model_dir), "--device", "cpu"]
        code = bnaparse(["--input", str(source), "--format", form, *model])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_svg_is_a_document_a_line_empty_where_there_is_no_tree(run: Run) -> None:
    code, out, err = run(LINES, "svg")
    lines = out.split("\n")
    assert code == 1
    assert err.startswith("bnaparser: line 3: the sentence has 3,000 words")
    assert [bool(line) for line in lines] == [True, False, False, True, False]
    words = [text.text for text in ElementTree.fromstring(lines[0]).iter(f"{SVG}text")]
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
    assert blocks[0] == "% The document's preamble needs \\usepackage{forest}"
    assert [block.startswith("\\begin{forest}\n") for block in blocks[1:]] == [True, False, True]
    assert blocks[2].startswith("% no tree: the sentence has 3,000 words")
    assert blocks[3].endswith("\\end{forest}\n")
