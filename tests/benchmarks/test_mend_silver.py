"""What of a teacher's trees is mended by rule, and which are left out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.accuracy.mend_silver import main, mended
from bnaparser import Tree

SAID = "(S (NP (PRP he)) (VP (VBD said)))"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("(S (UH Yes) (, ,) (VP (VBZ is)))", "(S (INTJ (UH Yes)) (, ,) (VP (VBZ is)))"),
        ("(S (ADVP (UH Well)) (VP (VBZ is)))", "(S (INTJ (UH Well)) (VP (VBZ is)))"),
        ("(NP (UH Man))", "(INTJ (UH Man))"),
        ("(INTJ (UH oh) (UH well))", None),
        ("(INTJ (UH oh) (PRP$ my) (NNP God))", None),
        ("(FRAG (INTJ (UH Hi) (DT all)))", "(FRAG (INTJ (UH Hi)) (NP (DT all)))"),
        ("(S (INTJ (UH Hello) (NP (NNP Al))))", "(S (INTJ (UH Hello)) (NP (NNP Al)))"),
        ("(S (INTJ (UH Hi) (RB there)))", None),
        ("(NP (QP (CD 2-3)) (NNS days))", "(NP (CD 2-3) (NNS days))"),
        ("(NP (QP (RB about) (CD 2)) (NNS days))", None),
        (
            "(SINV (WHNP (WP Who)) (SQ (VBP are)) (VP (VBD said)))",
            "(SINV (SBARQ (WHNP (WP Who)) (SQ (VBP are))) (VP (VBD said)))",
        ),
        ("(SBARQ (WHNP (WP Who)) (SQ (VBP are)))", None),
        (f"(S (NP (NN a)) (, ,) ('' '') (PRN {SAID}) (, ,) (`` ``) (VP (VBZ is)))", None),
    ],
)
def test_what_is_mended(given: str, expected: str | None) -> None:
    assert str(mended(Tree.parse(given))) == (expected or given)


@pytest.mark.parametrize(
    "given",
    [
        "(S (NP (PRP It)) (VBZ is) (ADJP (JJ good)))",
        "(TOP (S (S (VBZ its) (ADJP (JJ good)))))",
        "(FRAG (RB Not) (JJ sure) (. .))",
        f"(S (NP (NN a)) (, ,) ('' '') {SAID} (, ,) (`` ``) (VP (VBZ is)))",
        "(SINV (NP (NN a)) (, ,) ('' '') (VP (VBD said)) (NP (NNP Al)) (, ,) (`` ``) (NP (NN b)))",
    ],
)
def test_what_is_left_out(given: str) -> None:
    assert mended(Tree.parse(given)) is None


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trees, output = tmp_path / "trees.mrg", tmp_path / "out.mrg"
    trees.write_text("(TOP (NP (UH Oh)))\n(TOP (NP (NN a)))\n(TOP (FRAG (RB not) (JJ so)))\n")
    monkeypatch.setattr(sys, "argv", ["mend_silver", str(trees), str(output)])
    main()
    assert output.read_text() == "(TOP (INTJ (UH Oh)))\n(TOP (NP (NN a)))\n"
    assert capsys.readouterr().out == "1 kept, 1 left out, 1 mended\n"
