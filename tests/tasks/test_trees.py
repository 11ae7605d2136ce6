"""Sources of structures that a recipe names."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.syntax.sources.file_trees import FileTrees
from bnaparser.syntax.sources.parser_trees import ParserTrees
from bnaparser.syntax.sources.random_trees import random_trees
from bnaparser.syntax.sources.tree_source import TreeSource, sentences_of, words_of
from bnaparser.tasks.settings import SyntaxTable
from bnaparser.tasks.trees import tree_source, words_only
from bnaparser.text.splitting import split
from bnaparser.trees.heads.dependencies import parents_first

WORDS = ("The", "(", "cat", ")", "sat", "down", "at", "last")


def test_random_trees_are_trees_over_the_same_words_and_always_the_same() -> None:
    first, second = random_trees([WORDS, ("It",)])
    assert first.words == WORDS
    assert first.heads is not None and first.heads.count(0) == 1
    assert len(parents_first(first.heads)) == len(WORDS)
    assert first.trees[0].end == len(WORDS)
    assert second.heads == (0,)
    assert random_trees([WORDS])[0] == first
    others = {(random_trees([(*WORDS, str(n))])[0].heads or ())[:4] for n in range(20)}
    assert len(others) > 5


def test_each_sentence_has_a_random_tree_of_its_own() -> None:
    """One tree was drawn over the whole text, so that its masks were of another density."""
    first, second, both, running = random_trees(
        [("It", "rained", "."), ("Dogs", "bark", "."),
         [("It", "rained", "."), ("Dogs", "bark", ".")], "It rained. Dogs bark."]
    )  # fmt: skip
    assert first.heads is not None and second.heads is not None
    assert both.words == first.words + second.words
    assert both.heads == first.heads + tuple(head and head + 3 for head in second.heads)
    assert both.trees == first.trees + second.trees
    assert running == both


def test_long_texts_need_no_deep_recursion() -> None:
    (one,) = random_trees([["a"] * 3000])
    assert one.heads is not None and len(one.heads) == 3000


def test_half_a_character_in_given_words_has_a_random_tree() -> None:
    assert random_trees([["half", "\ud83d"]])[0].words == ("half", "\ud83d")


def test_no_words_no_tree() -> None:
    assert random_trees([""])[0].error == "the text has no words"


def test_variants_without_trees_load_no_parser() -> None:
    missing = {"parser": "/no/such/folder"}
    assert tree_source(SyntaxTable.model_validate(missing)) is words_only
    assert tree_source(SyntaxTable.model_validate({"wla": {}, **missing})) is words_only
    (one,) = words_only(["It rained. Dogs bark."])
    assert one.words == ("It", "rained", ".", "Dogs", "bark", ".")


def test_words_of_every_form_of_a_text() -> None:
    assert words_of("It rained.") == ("It", "rained", ".")
    assert words_of(("It", "rained")) == ("It", "rained")
    assert words_of((("It",), ("Stop", "!"))) == ("It", "Stop", "!")


@pytest.mark.parametrize("text", ["It rained.It fell. ", "It rained.\n\nIt fell", " \n"])
def test_running_text_is_read_as_its_sentences_are(text: str) -> None:
    """Training reads the text, a Classifier has its sentences: spaCy was told of other blanks."""
    assert sentences_of(text) == sentences_of(split(text))


def test_trees_of_several_files(tmp_path: Path) -> None:
    paths = []
    for word in ("rained", "fell"):
        file = tmp_path / f"{word}.mrg"
        file.write_text(f"(TOP (S (NP (PRP It)) (VP (VBD {word}))))\n", encoding="utf-8")
        paths.append(str(file))
    table = SyntaxTable.model_validate({"sla": {}, "trees": "files", "files": paths})
    found = tree_source(table)([("It", "fell"), "It rained"])
    assert [s.trees[0].words[1] for s in found] == ["fell", "rained"]


def test_one_text_in_the_place_of_many_is_an_error(tmp_path: Path, tiny_model_dir: Path) -> None:
    """Its characters were taken for texts."""
    file = tmp_path / "a.mrg"
    file.write_text("(TOP (S (NP (PRP It)) (VP (VBD fell))))\n", encoding="utf-8")
    ours = ParserTrees(tiny_model_dir)
    several = SyntaxTable.model_validate({"sla": {}, "trees": "files", "files": [str(file)] * 2})
    sources: list[TreeSource] = [
        ours,
        FileTrees(file),
        tree_source(several),
        random_trees,
        words_only,
    ]
    for source in sources:
        with pytest.raises(TypeError, match="give a list of texts, not a string: 'It fell'"):
            source("It fell")
    with pytest.raises(TypeError, match="give a list of sentences of words"):
        ours.parse("It fell")  # type: ignore[arg-type]
