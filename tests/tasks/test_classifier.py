"""``Classifier``: text in; label, probabilities and trees out, whatever the text."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bnaparser.errors import ModelError
from bnaparser.parsing.parser import MAX_WORDS, Parser
from bnaparser.settings import validate
from bnaparser.syntax.sources.random_trees import random_trees
from bnaparser.syntax.sources.tree_source import Text, sentences_of
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.classifier import Classification, Classifier
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import create, save_model
from bnaparser.tasks.settings import TaskModelSettings

CLASSES = ("negative", "positive")


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, "cpu")


@pytest.fixture(scope="module")
def build(encoder_folder: Callable[[str], Path], parser: Parser) -> Callable[..., Classifier]:
    """A function from tables of settings to a classifier with a random head."""

    def make(labels: tuple[str, ...] = CLASSES, **tables: Any) -> Classifier:
        import torch

        torch.manual_seed(3)
        table = {"encoder": {"name": str(encoder_folder("bert")), "pooling": "mean"}, **tables}
        settings = validate(TaskModelSettings, table, "test")
        return Classifier(create(settings, labels), parser)

    return make


@pytest.fixture(scope="module")
def guided(build: Callable[..., Classifier]) -> Classifier:
    return build(syntax={"sla": {"threshold": 1, "gate_bias": 2.0}})


def test_a_text_has_a_label_probabilities_and_trees(guided: Classifier) -> None:
    answer = guided("Mira sang. The dog fell.")
    assert answer.error is None
    probabilities = answer.probabilities or {}
    assert list(probabilities) == list(CLASSES)
    assert sum(probabilities.values()) == pytest.approx(1.0)
    assert answer.label == max(probabilities, key=probabilities.__getitem__)
    assert [tree.words for tree in answer.trees if tree] == [
        ("Mira", "sang", "."),
        ("The", "dog", "fell", "."),
    ]
    assert set(json.loads(answer.to_json())) == {"label", "probabilities", "trees", "error"}


def test_trees_guide_and_are_those_that_are_shown(
    guided: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[PreparedExample] = []
    scores = guided.model.scores

    def watch(given: list[PreparedExample]) -> list[NDArray[np.float32]]:
        seen.extend(given)
        return scores(given)

    monkeypatch.setattr(guided.model, "scores", watch)
    answer = guided("Mira liked the dog. It sang.")
    assert seen[0].structures[0].trees == answer.trees
    assert seen[0].structures[0].heads is not None


def test_many_are_as_one_by_one(guided: Classifier) -> None:
    texts = ["Mira sang.", "The old dog fell near the garden. It sang.", "", "Karo fell"]
    together = guided.classify_many(texts)
    assert [answer.text for answer in together] == texts
    for text, answer in zip(texts, together, strict=True):
        alone = guided(text)
        assert alone.label == answer.label
        assert alone.trees == answer.trees
        assert (alone.probabilities or {}) == pytest.approx(answer.probabilities or {}, abs=1e-5)


def test_a_stream_is_read_no_further_than_needed(guided: Classifier) -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "It sang."

    stream = guided.stream(endless())
    assert next(stream).label == next(stream).label


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u200e"])
def test_a_text_without_words_has_no_answer(guided: Classifier, text: str) -> None:
    assert guided(text) == Classification(text, error="the text has no words")


def test_what_cannot_be_parsed_is_served_by_the_plain_encoder(
    guided: Classifier, build: Callable[..., Classifier]
) -> None:
    text = "dog " * (MAX_WORDS + 1)
    answer = guided(text)
    assert answer.trees == (None,)
    assert "the limit is 2,000" in (answer.error or "")
    assert "the plain encoder served the text" in (answer.error or "")
    plain = build()
    plain.model.network.load_state_dict(
        {n: t for n, t in guided.model.network.state_dict().items() if ".syntax." not in n}
    )
    assert plain(text).probabilities == pytest.approx(answer.probabilities, abs=1e-5)
    assert "plain encoder" not in (plain(text).error or "")


def test_strange_characters(guided: Classifier) -> None:
    for text in (
        "( )",
        "-LRB- \\/",
        "日本語。",
        "It sang.\t\tIt fell.",
    ):
        answer = guided(text)
        assert answer.label in CLASSES
        json.loads(answer.to_json())


@pytest.mark.parametrize("text", ["\ud800 It sang.", "It sa\x00ng.", "It sang.\x00"])
def test_what_is_not_text_is_an_error_of_its_text(guided: Classifier, text: str) -> None:
    bad, good = guided.classify_many([text, "It sang."])
    assert bad.label is None and good.label in CLASSES and good.error is None
    assert bad.error is not None and bad.error.endswith("this is not text")
    bad.to_json().encode()


def test_a_long_text_is_cut_where_the_encoder_ends(
    guided: Classifier, caplog: pytest.LogCaptureFixture
) -> None:
    answer = guided("The dog fell. " * 300)
    assert len(answer.trees) == 300
    assert answer.label in CLASSES
    assert "cut off after" in caplog.text


def test_words_that_the_encoder_does_not_read_are_told(build: Callable[..., Classifier]) -> None:
    """They had the most frequent label, and nothing was said."""
    tagger = build(labels=("O", "B-PER"), task={"kind": "tagging"})
    text = "The dog fell. " * 150
    answer = tagger(text)
    assert len(answer.tags) == 600 and set(answer.tags[510:]) == {"O"}
    assert answer.error == (
        "the encoder reads no further than word 510: from 'fell' on each word has the label 'O'"
    )
    assert tagger(text[:1400]).error is None
    cut = ["dog"] * 509 + ["dog" * 5]  # of the last word the beginning is read
    assert tagger.model.text_inputs.first_unread((*cut, "dog")) == 510
    assert tagger.model.text_inputs.first_unread(tuple(cut)) is None


def test_variants_without_trees_show_them_too(build: Callable[..., Classifier]) -> None:
    tables: list[dict[str, Any]] = [{}, {"wla": {}}, {"sla": {}, "trees": "random"}]
    for syntax in tables:
        answer = build(syntax=syntax)("It sang.")
        assert answer.label in CLASSES and answer.trees[0] is not None


def test_other_trees_are_asked_for_as_in_training(
    build: Callable[..., Classifier], monkeypatch: pytest.MonkeyPatch
) -> None:
    """spaCy was given words alone, where training had given it the running text."""
    classifier = build(syntax={"sla": {}, "trees": "random"})
    seen: list[Text] = []

    def watch(texts: Sequence[Text]) -> list[SyntaxTrees]:
        seen.extend(texts)
        return random_trees(texts)

    monkeypatch.setattr(classifier, "_source", watch)
    text = "Mira didn't sing (so).\nIt fell."
    classifier(text)
    assert list(map(sentences_of, seen)) == [sentences_of(text)]


def test_pairs_scores_and_tags(build: Callable[..., Classifier]) -> None:
    pair = {"texts": ["a", "b"]}
    pairs = build(task=pair, syntax={"sla": {}})
    assert len(pairs("It sang.\tKaro fell. It sang.").trees) == 3
    assert pairs("It sang.\tKaro fell.").label in CLASSES
    assert "one tab" in (pairs("It sang.").error or "")
    scores = build(labels=(), task={"kind": "regression", **pair})("It sang.\tKaro fell.")
    assert (scores.label, scores.to_dict()["score"]) == (None, scores.score)
    tagger = build(labels=("O", "B-PER"), task={"kind": "tagging"}, syntax={"sla": {}})
    answer = tagger("Mira sang. Karo fell.")
    assert len(answer.tags) == 6 and set(answer.tags) <= {"O", "B-PER"}
    assert answer.to_dict()["tags"] == list(answer.tags)


def test_a_parser_is_no_classifier(tiny_model_dir: Path) -> None:
    with pytest.raises(ModelError, match="is a parser, not a task model"):
        Classifier.load(tiny_model_dir)
    with pytest.raises(ModelError, match="no model 'nothing'"):
        Classifier.load("nothing")


def test_the_trees_that_steered_training_are_asked_for_again(
    build: Callable[..., Classifier], parser: Parser, tiny_model_dir: Path, tmp_path: Path
) -> None:
    """A user's own parser was replaced by ``en``, and trees from files by its trees."""
    own = tmp_path / "own-parser"
    shutil.copytree(tiny_model_dir, own)
    steered = build(syntax={"sla": {}, "parser": str(own)})
    save_model(steered.model, tmp_path / "steered", "float32", {})
    loaded = Classifier.load(tmp_path / "steered", device="cpu")
    assert loaded("It sang.").label in CLASSES
    own.rename(tmp_path / "elsewhere")
    with pytest.raises(ModelError, match=r"steered was trained .*own-parser, which is missing"):
        Classifier.load(tmp_path / "steered", device="cpu")
    given = Classifier.load(tmp_path / "steered", tmp_path / "elsewhere", "cpu")
    assert given("It sang.").probabilities == loaded("It sang.").probabilities

    files = build(syntax={"sla": {}, "trees": "files", "files": ["dev.mrg"]})
    save_model(files.model, tmp_path / "files", "float32", {})
    with pytest.raises(ModelError, match=r"trees from dev\.mrg.*--parser"):
        Classifier.load(tmp_path / "files", device="cpu")
    assert Classifier.load(tmp_path / "files", parser, "cpu")("It sang.").label in CLASSES


# Calls as people make them, so the types are wrong.
CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda c: c(["a."]), "give text, not a list: classifier.classify_many takes several texts"),
    (lambda c: c(None), "give text, not None"),
    (lambda c: c.classify_many("a."), "give a list of texts, not a string"),
    (lambda c: c.classify_many([None]), "give text, or two texts .* not None"),
    (lambda _: Classifier("sst2", "en"), r'not a str and a str: .* Classifier.load\("sst2"\)'),  # type: ignore[arg-type]
    (lambda _: Classifier.load(None), r'as in Classifier.load\("sst2"\), not None'),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_a_wrong_argument_is_one_clear_type_error(
    guided: Classifier, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        call(guided)


def test_a_pickled_classifier_loads_anew(
    guided: Classifier, tmp_path: Path, tiny_model_dir: Path
) -> None:
    with pytest.raises(TypeError, match="model in memory cannot be pickled: save the model"):
        pickle.dumps(guided)
    save_model(guided.model, tmp_path, "float32", {})
    classifier = Classifier.load(tmp_path, tiny_model_dir, "cpu")
    again = pickle.loads(pickle.dumps(classifier))
    assert again("Mira sang.") == classifier("Mira sang.")
    assert repr(again) == repr(classifier)
    assert repr(again).startswith(
        f"<Classifier of {str(tmp_path)!r} on cpu: negative, positive; <P"
    )


def test_pytorch_computes_on_one_thread(
    guided: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    quiet = guided("Mira sang.")
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    used: list[int] = []
    scores = guided.model.scores

    def watch(given: list[PreparedExample]) -> list[NDArray[np.float32]]:
        used.append(torch.get_num_threads())
        return scores(given)

    monkeypatch.setattr(guided.model, "scores", watch)
    again = guided("Mira sang.")
    after = torch.get_num_threads()
    torch.set_num_threads(before)
    assert (used, after) == ([1], 3)
    assert again.probabilities == pytest.approx(quiet.probabilities)
