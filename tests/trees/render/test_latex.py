"""Trees for LaTeX's forest package."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bnaparser.trees.render import forest
from bnaparser.trees.tree import Span, Tree
from tests.trees.render.drawings import ODD


def test_forest_is_written_so() -> None:
    tree = Tree.parse(
        "(TOP (S (NP (DT The) (NN 50%)) (VP (VBD rose) (PP (IN to) (NP ($ $)))) (. .)))"
    )
    assert forest(tree) == (
        "\\begin{forest}\n"
        "  for tree={if n children=0{tier=word}{}}\n"
        "  [S\n"
        "    [NP [DT [The]] [NN [{50\\%}]]]\n"
        "    [VP\n"
        "      [VBD [rose]]\n"
        "      [PP\n"
        "        [IN [to]]\n"
        "        [NP [{\\$} [{\\$}]]]]]\n"
        "    [{.} [{.}]]]\n"
        "\\end{forest}\n"
    )


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("a_b", r"{a\_b}"),
        ("{[]}", r"{\{[]\}}"),
        ("x,y=z", "{x,y=z}"),
        ("\\", r"{\textbackslash{}}"),
        ("~^", r"{\textasciitilde{}\textasciicircum{}}"),
        ("---", "{-{}-{}-}"),
        ("''", "{'{}'}"),
        ("``", r"{\textasciigrave{}\textasciigrave{}}"),
        ("<>|", r"{\textless{}\textgreater{}\textbar{}}"),
        ("\x07", "{\u2407}"),
        ("naïve", "{naïve}"),
    ],
)
def test_what_tex_would_take_for_something_else(word: str, written: str) -> None:
    assert forest(Tree("NN", [word])).splitlines()[2] == f"  [NN [{written}]]"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_compiles(tmp_path: Path) -> None:
    found = subprocess.run(["kpsewhich", "forest.sty"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("no forest package here")
    odd = [word for word in ODD if word.isascii() and word.isprintable()]
    tree = Tree.from_spans(odd, ["XX"] * len(odd), [Span(0, len(odd), "S")])
    document = "\\documentclass{standalone}\n\\usepackage{forest}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(
        f"{document}{forest(tree)}\\end{{document}}\n", encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 1000
