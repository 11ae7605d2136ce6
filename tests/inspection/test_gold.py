"""Gold sentences of brackets and of CoNLL-U: words, heads, punctuation."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.errors import DataError
from bnaparser.inspection.probe_data import read_gold
from bnaparser.trees.heads.rules import UD


def test_trees_are_cleaned_and_their_tags_say_what_punctuation_is(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(
        "(S (NP-SBJ (PRP It)) (VP (VBD cost) (NP ($ $) (CD 5) (-NONE- *))) (-LRB- -LRB-) (. .))\n"
        "(S (NP (NN Rain)) (VP (VBD fell)))\n"
    )
    first, second = read_gold(path, UD)
    assert first.structure.words == ("It", "cost", "$", "5", "(", ".")
    assert first.punctuation == (False, False, False, False, True, True)
    assert first.structure.heads is not None and first.structure.heads.count(0) == 1
    assert second.structure.heads == (2, 0)
    assert read_gold(path, UD, limit=1) == [first]


def test_dependencies_are_read_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    rows = [("1", "It", "2"), ("2", "rained", "0"), ("3", "!", "2")]
    path.write_text("".join(f"{n}\t{w}\t_\t_\t_\t_\t{h}\t_\t_\t_\n" for n, w, h in rows))
    (sentence,) = read_gold(path, UD)
    assert sentence.structure.heads == (2, 0, 2)
    assert sentence.punctuation == (False, False, True)


def test_a_file_without_a_sentence(tmp_path: Path) -> None:
    for name in ("a.mrg", "a.conllu"):
        (tmp_path / name).write_text("\n")
        with pytest.raises(DataError, match="the file holds no sentence"):
            read_gold(tmp_path / name, UD)
