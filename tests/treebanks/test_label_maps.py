"""Label maps: reading them from TOML and applying them to trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.errors import DataError, SettingsError
from bnaparser.treebanks.label_maps import LabelMap, read_label_map
from bnaparser.trees.tree import Tree

MAPS = """
[map]
word_to_in_as_TO = ["gum", "only_to"]

[map.gum.labels]
"NML" = ""
"CIT" = "PRN"

[map.gum.tags]
"AFX" = "JJ"
"-LSB-" = "-LRB-"

[map.craft.labels]
"""


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    file = tmp_path / "maps.toml"
    file.write_text(MAPS, encoding="utf-8")
    return file


def test_a_map_renames_labels_and_tags_and_takes_nodes_out(maps: Path) -> None:
    tree = Tree.parse(
        "(TOP (NP (NML (AFX pre) (NN war)) (PP (IN to) (NP (NML (NN war)))) (CIT (-LSB- [))))"
    )
    mapped = read_label_map(maps, "gum").apply(tree)
    assert str(mapped) == (
        "(TOP (NP (JJ pre) (NN war) (PP (TO to) (NP (NN war))) (PRN (-LRB- [))))"
    )


@pytest.mark.parametrize(
    ("word", "tag", "new"), [("To", "IN", "TO"), ("to", "RB", "RB"), ("of", "IN", "IN")]
)
def test_only_the_word_to_tagged_in_is_retagged(maps: Path, word: str, tag: str, new: str) -> None:
    assert read_label_map(maps, "only_to").rename_tag(tag, word) == new


def test_a_map_without_the_word_to_leaves_it(maps: Path) -> None:
    assert read_label_map(maps, "craft") == LabelMap()
    tree = Tree.parse("(TOP (PP (IN to) (NP (NN war))))")
    assert read_label_map(maps, "craft").apply(tree) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no label maps"),
        ("[map.masc.labels]", "no label map 'gum'; the label maps are masc"),
        ("map = 1", "no label maps"),
        ("[map]\ngum = 1", "no label map 'gum'"),
        ("[map.gum]\nlabel = {}", "map.gum.label: a label map has only the tables labels and tags"),
        ("[map.gum]\nlabels = 1", "must be a table"),
        ("[map.gum.labels]\nNML = 1", "'NML' must have a name"),
        ("[map.gum.labels]\nNML = 'N P'", "'N P'"),
        ("[map.gum.tags]\nAFX = ''", "must not be empty"),
        ("[map]\nword_to_in_as_TO = 'gum'", "list of names"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "maps.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        read_label_map(file, "gum")


def test_a_file_that_is_missing_or_no_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"maps\.toml: cannot be read: No such file"):
        read_label_map(tmp_path / "maps.toml", "gum")
    (tmp_path / "maps.toml").write_bytes(b"[map\xff")
    with pytest.raises(DataError, match="not a TOML file"):
        read_label_map(tmp_path / "maps.toml", "gum")
