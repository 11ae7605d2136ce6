"""benepar's own names: its answers, recorded, and what its documentation says of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nltk
import pytest
import spacy
from nltk.downloader import Downloader

from bnaparser.errors import MissingExtraError, SentenceError
from bnaparser.integrations import benepar, benepar_models
from tests.integrations.benepar_fixtures import MODELS, answers, archive, folder

pytestmark = pytest.mark.usefixtures("one_thread")
BENEPAR = answers()
FLY = ['"', "Fly", "safely", ".", '"']
QUOTED = ["``", "Fly", "safely", ".", "''"]


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def parser(model: str) -> benepar.Parser:
    # Too few labels to tell the language by.
    return benepar.Parser(str(archive(model)), language_code="en")


def brackets(trees: Any) -> list[str]:
    return [" ".join(tree.pformat(margin=10**9).split()) for tree in trees]


def test_trees_are_the_same_letter_by_letter(model: str, parser: benepar.Parser) -> None:
    expected = BENEPAR[model]
    escaped = [benepar.InputSentence(escaped_words=words) for words in BENEPAR["sentences"]]
    assert brackets(parser.parse_sents(escaped)) == expected["trees"]
    words, blanks = expected["typed"], expected["blanks"]
    assert brackets(parser.parse_sents(words)) == expected["listed"]
    spaced = [
        benepar.InputSentence(words=row, space_after=after)
        for row, after in zip(words, blanks, strict=True)
    ]
    assert brackets(parser.parse_sents(spaced)) == expected["spaced"]
    tagged = [
        benepar.InputSentence(escaped_words=row, tags=tags)
        for row, tags, _ in zip(BENEPAR["sentences"], BENEPAR["tags"], words, strict=False)
    ]
    assert brackets(parser.parse_sents(tagged)) == expected["tagged"]


def test_spans_of_spacy_are_the_same(model: str, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    settings = {"model": str(folder(model, tmp_path)), "disable_tagger": model == "t5"}
    nlp.add_pipe("benepar", config=settings)
    assert isinstance(nlp.get_pipe("benepar"), benepar.BeneparComponent)
    rows = []
    for doc in nlp.pipe(BENEPAR["texts"]):
        for sentence in doc.sents:
            for span in sentence._.constituents:
                above = span._.parent
                rows.append(
                    [
                        [span.start, span.end],
                        list(span._.labels),
                        span._.parse_string if model == "bert-tags" else None,
                        None if above is None else [above.start, above.end],
                        [[child.start, child.end] for child in span._.children],
                        [token.tag_ for token in span],
                    ]
                )
    expected = BENEPAR[model]["spans"]
    if model == "t5":  # without tags benepar's brackets have none, which cannot be read
        expected = [[*row[:2], None, *row[3:]] for row in expected]
    assert rows == expected
    with pytest.raises(benepar.NonConstituentException):
        _ = nlp("The time for action is now.")[1:3]._.labels


def test_a_pipeline_brings_its_model_along(tmp_path: Path) -> None:
    elsewhere = folder("t5", tmp_path / "elsewhere")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    settings = {"model": str(elsewhere), "disable_tagger": True}
    assert nlp.add_pipe("benepar", name="trees", config=settings).name == "trees"
    expected = next(nlp("Dogs bark.").sents)._.labels
    nlp.to_disk(tmp_path / "pipeline")
    shutil.rmtree(elsewhere)
    again = spacy.load(tmp_path / "pipeline")
    assert next(again("Dogs bark.").sents)._.labels == expected
    shutil.rmtree(tmp_path / "pipeline" / "trees")
    with pytest.raises(LookupError, match=r"no model .*elsewhere/t5"):
        spacy.load(tmp_path / "pipeline")("Dogs bark.")
    with pytest.raises(LookupError, match="no model 'benepar_en3'"):
        spacy.blank("en").add_pipe("benepar", config={"model": "benepar_en3"})


def test_the_forms_of_a_sentence(parser: benepar.Parser) -> None:
    spaces = [False, True, False, False, False]
    tags = ["``", "VB", "RB", ".", "''"]
    whole = benepar.InputSentence(words=FLY, space_after=spaces, tags=tags, escaped_words=QUOTED)
    tree = parser.parse(whole)
    assert isinstance(tree, nltk.Tree)
    assert tree.label() == "TOP"
    assert tree.pos() == list(zip(QUOTED, tags, strict=True)) == whole.pos()
    assert whole.leaves() == QUOTED
    assert whole.tree is None
    only_words = parser.parse(benepar.InputSentence(words=FLY))
    assert only_words.leaves() == FLY
    assert only_words == parser.parse(FLY) == parser.parse(tuple(FLY))
    assert parser.parse(["(", "a", ")"]).leaves() == ["-LRB-", "a", "-RRB-"]
    assert parser.parse('"Fly safely."').leaves() == QUOTED
    found = list(parser.parse_sents("It rained. Dogs bark."))
    assert [tree.leaves() for tree in found] == [["It", "rained", "."], ["Dogs", "bark", "."]]
    assert list(parser.parse_sents([])) == []


def test_sentences_are_read_a_batch_at_a_time(model: str) -> None:
    parser = benepar.Parser(str(archive(model)), batch_size=2)
    read: list[int] = []

    def endless() -> Any:
        while True:
            read.append(1)
            yield ["It", "rained"]

    trees = parser.parse_sents(endless())
    assert next(trees).leaves() == ["It", "rained"]
    assert len(read) == 2
    assert next(trees) == next(trees)
    assert len(read) == 4


def test_a_list_in_growing_batches_has_the_trees_of_its_sentences(model: str) -> None:
    parser = benepar.Parser(str(archive(model)), batch_size=1)
    sentences = [FLY, ["It", "rained"], FLY * 3, ["Dogs"], FLY * 2, ["Go", "!"], FLY]
    assert list(parser.parse_sents(sentences)) == [parser.parse(one) for one in sentences]


def test_bad_input_is_said_as_benepar_does(parser: benepar.Parser) -> None:
    cases: list[tuple[Any, str]] = [
        (benepar.InputSentence(), "At least one of words or escaped_words is required"),
        (benepar.InputSentence(words=["a"], escaped_words=["a", "b"]), "does not match escaped"),
        (benepar.InputSentence(words=["a"], space_after=[]), "does not match space_after"),
        (3, "Sentences must be one of: InputSentence, list, tuple, or str"),
    ]
    for sentence, message in cases:
        with pytest.raises(ValueError, match=message):
            parser.parse(sentence)
    with pytest.raises(SentenceError, match="no words"):
        parser.parse([])
    parser._language_code = "ko"
    with pytest.raises(ValueError, match="No tokenizer available for this language"):
        parser.parse("text")
    with pytest.raises(ValueError, match="No tokenizer available for this language"):
        list(parser.parse_sents("text"))
    parser._language_code = "en"


def test_a_model_of_several_languages_is_told_which(two_languages_dir: Path) -> None:
    name = str(two_languages_dir)
    with pytest.raises(ValueError, match="is for zh-Hant, es: choose one with language_code"):
        benepar.Parser(name)
    chinese, spanish = (benepar.Parser(name, language_code=code) for code in ("zh", "es"))
    assert brackets([chinese.parse(["我", "吃", "魚", "。"])]) == [
        "(TOP (S (NP (N 我)) (VP (V 吃) (NP (N 魚))) (PU 。)))"
    ]
    assert brackets([spanish.parse(["Ana", "vive", "en", "Madrid", "."])])[0].startswith(
        "(TOP (oracion (sn (n Ana))"
    )
    with pytest.raises(ValueError, match="No tokenizer available for this language"):
        spanish.parse("Ana vive en Madrid.")


def test_batches_hold_a_sentence(model: str) -> None:
    with pytest.raises(ValueError, match="batch_size 0: it must be at least 1"):
        benepar.Parser(str(archive(model)), batch_size=0)


def test_models_are_found_where_benepar_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(LookupError, match=r"no model 'benepar_en3': .*download\('benepar_en3'\)"):
        benepar.Parser("benepar_en3")
    (tmp_path / "models").mkdir()
    folder("t5", tmp_path / "models").rename(tmp_path / "models" / "benepar_en3")
    assert benepar.Parser("benepar_en3").parse(["Go"]).leaves() == ["Go"]
    asked: list[Any] = []
    monkeypatch.setattr(Downloader, "download", lambda self, name: asked.append((self.url, name)))
    benepar.download("benepar_en3")
    assert asked == [(benepar_models.SERVER, "benepar_en3")]


def test_without_spacy_only_its_component_is_missing() -> None:
    with pytest.raises(MissingExtraError, match=r"bnaparser\[spacy\]"):
        benepar.__getattr__("BeneparComponent")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        benepar.__getattr__("nothing")
