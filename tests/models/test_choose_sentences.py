"""Sentences for a teacher: which ones fit, how many are taken, each once, always in one order."""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import pytest

from recipes.data.choose_sentences import main

FIT = "A sentence of number words, the {}th."


def chosen(monkeypatch: pytest.MonkeyPatch, output: Path, *texts: str) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["choose_sentences", str(output), *texts])
    main()
    return output.read_text(encoding="utf-8").splitlines()


def test_sentences_that_fit_are_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, output = tmp_path / "first.txt.xz", tmp_path / "a=b.txt", tmp_path / "out"
    fitting = [FIT.format(number) for number in range(40)]
    others = ["Too short.", "1 2 3 , , 4 a b", "So " * 60 + "long.", ""]
    with lzma.open(first, "wt", encoding="utf-8") as file:
        file.write("\n".join([*fitting, *others, *fitting]) + "\n")
    second.write_text(
        "One text has  this\tsentence. " + " ".join(fitting[:3]) + "\n", encoding="utf-8"
    )
    both = chosen(monkeypatch, output, f"{first}=1", f"{second}=1")
    assert sorted(both) == sorted([*fitting, "One text has this sentence."])
    assert both != sorted(both)
    assert both == chosen(monkeypatch, output, f"{first}=1", f"{second}=1")
    some = chosen(monkeypatch, output, f"{first}=0.25")
    assert len(some) == 10 and set(some) < set(fitting)


@pytest.mark.parametrize(
    "told", [[], ["text.txt"], ["text.txt=much"], ["text.txt=1.5"], ["=1"], ["a=nan"]]
)
def test_what_it_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    told: list[str],
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        chosen(monkeypatch, tmp_path / "out", *told)
    assert "TEXT=SHARE" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
