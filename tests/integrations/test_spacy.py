"""spaCy's pipeline: spans against the trees they came from, batches, processes, disk, bad input."""

from __future__ import annotations

import logging
import pickle
import shutil
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from bnaparser.errors import ConstituentError, DataError, MissingExtraError, ModelError
from bnaparser.integrations.spacy import SpacyComponent, create_component
from bnaparser.parsing.parser import Parser
from bnaparser.trees.tree import Tree

ROOT = Path(__file__).parents[2]
TEXTS = [
    "The cat sat on the mat. Dogs bark!",
    "",
    "She can't see (the) old man.",
    "Go.",
    "It rained.  \n\n  The man with the dog saw a cat.",
]
pytestmark = pytest.mark.usefixtures("one_thread")


def pipeline(model: str | Path, **config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("bnaparser", config={"model": str(model), **config})
    return nlp


@pytest.fixture(scope="module")
def nlp(tiny_model_dir: Path) -> Any:
    return pipeline(tiny_model_dir)


def brackets(doc: Any) -> list[str]:
    return [sentence._.parse_string for sentence in doc.sents]


def checked(node: Tree, sentence: Any, above: Any) -> Any:
    """Hold a node and all below it to what spaCy's spans say; return its span."""
    labels = []
    while not node.word and len(node) == 1:
        labels.append(node.label)
        node = node.subtrees[0]
    if not node.word:
        labels.append(node.label)
    start = sentence.start
    span = sentence.doc[start + node.start : start + node.end]
    assert span._.labels == tuple(labels)
    assert span._.parent == above
    below = [checked(child, sentence, span) for child in node.subtrees]
    assert list(span._.children) == below
    inside = [one for child in below for one in child._.constituents]
    assert list(span._.constituents) == [span, *inside]
    return span


def test_spans_say_what_the_tree_says(nlp: Any, tiny_parser: Parser) -> None:
    doc = nlp("The cat sat on the mat . The old man with the dog saw a cat !")
    for sentence in doc.sents:
        words = [token.text for token in sentence]
        tree = tiny_parser.parse_words(words).tree
        assert tree is not None
        checked(tree.subtrees[0] if len(tree) == 1 else tree, sentence, None)
        top = str(tree)[len("(TOP ") : -1]
        assert sentence._.parse_string == top
        assert Tree.parse(top).words == tuple(words)
        token = sentence[1]
        assert token._.labels == sentence[1:2]._.labels
        assert token._.parent == sentence[1:2]._.parent
        assert token._.parse_string == sentence[1:2]._.parse_string


def test_what_is_no_constituent_is_said(nlp: Any) -> None:
    doc = nlp("The cat sat on the mat.")
    spans = {(span.start, span.end) for sent in doc.sents for span in sent._.constituents}
    for start in range(len(doc)):
        for end in range(start + 1, len(doc) + 1):
            if (start, end) not in spans:
                with pytest.raises(ConstituentError, match="not a constituent"):
                    _ = doc[start:end]._.labels
    with pytest.raises(ConstituentError, match="not parsed"):
        _ = spacy.blank("en")("The cat")[0:1]._.labels


def test_blanks_merged_words_and_empty_texts(nlp: Any) -> None:
    doc = nlp(" \n The cat  sat.\t \n It rained. \n")
    *sentences, last = doc.sents
    assert len(sentences) == 2
    for sentence in sentences:
        words = [token for token in sentence if not token.is_space]
        assert Tree.parse(sentence._.parse_string).words == tuple(t.text for t in words)
        assert len(list(sentence._.constituents)) >= len(words)
    assert brackets(nlp("")) == []
    assert last.text.isspace()
    assert (last._.labels, last._.parse_string, list(last._.children)) == ((), "", [])
    assert brackets(nlp("  \n ")) == [""]
    merged = nlp.make_doc("New York is big.")
    with merged.retokenize() as change:
        change.merge(merged[0:2])
    (sentence,) = nlp(merged).sents
    assert Tree.parse(sentence._.parse_string).words == ("New_York", "is", "big", ".")


def test_one_word_with_blanks_around(nlp: Any) -> None:
    (sentence,) = nlp("  Go  ").sents
    assert Tree.parse(sentence._.parse_string).words == ("Go",)
    *_, word = sentence._.constituents
    assert word.text == "Go"
    assert word._.parent == sentence
    assert list(sentence._.children) == [word]


def test_batches_across_documents_give_the_same(nlp: Any) -> None:
    alone = [brackets(nlp(text)) for text in TEXTS]
    for size in (1, 2, 100):
        assert [brackets(doc) for doc in nlp.pipe(TEXTS, batch_size=size)] == alone


def test_several_processes_give_the_same(nlp: Any) -> None:
    alone = [brackets(nlp(text)) for text in TEXTS]
    found = list(nlp.pipe(TEXTS, n_process=2, batch_size=2))
    assert [brackets(doc) for doc in found] == alone


def test_a_parse_goes_along_with_its_document(nlp: Any) -> None:
    doc = nlp("The cat sat on the mat. Dogs bark!")
    stored = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    copied = pickle.loads(pickle.dumps(doc))
    assert brackets(doc) == brackets(stored) == brackets(copied)
    sentence = next(doc.sents)
    assert sentence._.probability is None


def test_a_document_that_was_changed_afterwards_is_refused(nlp: Any) -> None:
    doc = nlp("The cat sat.")
    with doc.retokenize() as change:
        change.merge(doc[0:2])
    with pytest.raises(ConstituentError, match="parsed with 4 tokens and has 3 now"):
        brackets(doc)


def test_a_pipeline_brings_its_model_along(tiny_model_dir: Path, tmp_path: Path) -> None:
    model = shutil.copytree(tiny_model_dir, tmp_path / "elsewhere")
    first = pipeline(model, batch_tokens=77)
    expected = brackets(first(TEXTS[0]))
    first.to_disk(tmp_path / "pipeline")
    shutil.rmtree(model)
    again = spacy.load(tmp_path / "pipeline")
    assert brackets(again(TEXTS[0])) == expected
    assert again.get_pipe("bnaparser").parser.batch_tokens == 77
    again.to_disk(tmp_path / "pipeline")  # where it is from
    assert brackets(spacy.load(tmp_path / "pipeline")(TEXTS[0])) == expected
    again.to_disk(tmp_path / "second")
    shutil.rmtree(tmp_path / "pipeline")
    assert brackets(spacy.load(tmp_path / "second")(TEXTS[0])) == expected


def test_a_pipeline_brings_several_models_along(
    tiny_model_dir: Path, two_languages_dir: Path, tmp_path: Path
) -> None:
    folders = [
        shutil.copytree(one, tmp_path / name)
        for one, name in ((two_languages_dir, "two"), (tiny_model_dir, "tiny"))
    ]
    first = pipeline(",".join(map(str, folders)))
    languages = first.get_pipe("bnaparser").parser.languages
    expected = brackets(first(TEXTS[0]))
    first.to_disk(tmp_path / "pipeline")
    for folder in folders:
        shutil.rmtree(folder)
    for _ in range(2):
        again = spacy.load(tmp_path / "pipeline")
        assert again.get_pipe("bnaparser").parser.languages == languages
        assert brackets(again(TEXTS[0])) == expected
        again.to_disk(tmp_path / "pipeline")  # where it is from


def test_a_model_that_ships_is_not_copied(tmp_path: Path) -> None:
    component = SpacyComponent("en")
    component.to_disk(tmp_path / "bnaparser")
    assert list((tmp_path / "bnaparser").iterdir()) == []
    assert component.from_disk(tmp_path / "bnaparser").parser.name == "en"


def test_a_model_that_is_not_there_is_said() -> None:
    with pytest.raises(ModelError, match="no model 'nowhere'"):
        pipeline("nowhere")


def test_documents_need_sentence_boundaries(tiny_model_dir: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("bnaparser", config={"model": str(tiny_model_dir)})
    message = "no sentence boundaries: put a parser, 'senter' or 'sentencizer' before bnaparser"
    with pytest.raises(DataError, match=message):
        nlp("The cat sat.")
    with pytest.raises(DataError, match=message):
        list(nlp.pipe(["The cat sat."]))
    refused: list[str] = []
    nlp.set_error_handler(lambda name, part, docs, error: refused.append(docs[0].text))
    assert [doc.text for doc in nlp.pipe(["Go", "The cat sat.", "Stop"])] == ["Go", "Stop"]
    assert refused == ["The cat sat."]


def test_a_sentence_that_is_too_long_leaves_the_others(
    nlp: Any, caplog: pytest.LogCaptureFixture
) -> None:
    words = ["cat"] * 2001 + [".", "Dogs", "bark", "."]
    with caplog.at_level(logging.WARNING):
        long, short = nlp(Doc(nlp.vocab, words=words)).sents
    assert "2,002 words, and the limit is 2,000" in caplog.text
    assert Tree.parse(short._.parse_string).words == ("Dogs", "bark", ".")
    with pytest.raises(ConstituentError, match="no parse: the sentence has 2,002 words"):
        _ = long._.parse_string


def test_a_token_that_is_no_text_is_an_error_of_its_sentence(nlp: Any) -> None:
    doc = nlp(Doc(nlp.vocab, words=["It", "ra\x00ined", ".", "Dogs", "bark", "."]))
    bad, good = doc.sents
    assert bad._.error == "word 2 is 'ra\\x00ined': it has a NUL character: this is not text"
    assert good._.error is None and good._.labels
    assert [sentence._.error is None for sentence in nlp("It ra\x00ined. Dogs bark.").sents] == [
        False, True,
    ]  # fmt: skip


def test_tags_are_written_where_asked_for(tiny_model_dir: Path, tiny_parser: Parser) -> None:
    text = "The cat  sat on the mat ."
    words = text.split()
    tags = tiny_parser.parse_words(words).tags
    written = pipeline(tiny_model_dir, write_tags=True)(text)
    assert tuple(token.tag_ for token in written if not token.is_space) == tags
    left = pipeline(tiny_model_dir)
    assert {token.tag_ for token in left(text)} == {""}
    doc = left.make_doc("Go")
    doc[0].tag_ = "ZZ"  # the pipeline's own tags stand in the brackets
    assert "(ZZ Go)" in brackets(left(doc))[0]


def test_it_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = tmp_path / "bnaparser-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bnaparser\nVersion: 0.1.0\n")
    rows = [f"{k} = {v}" for k, v in project["entry-points"]["spacy_factories"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[spacy_factories]", *rows, ""]))
    monkeypatch.syspath_prepend(tmp_path)
    assert entry_points(group="spacy_factories")["bnaparser"].load() is create_component


@pytest.mark.parametrize("package", ["spacy", "pandas", "polars", "stanza"])
def test_a_library_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = [name for name in sys.modules if name.startswith(f"{package}.")]
    for name in [package, *loaded]:
        monkeypatch.setitem(sys.modules, name, None)
    module = f"bnaparser.integrations.{package}"
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingExtraError) as raised:
        use(import_module(module))
    assert (raised.value.package, raised.value.extra) == (package, package)


def use(module: Any) -> None:
    """Call a function that needs the library; spaCy's part needs it as it is imported."""
    if hasattr(module, "constituents"):
        module.constituents([])
    module.to_stanza([])


def test_probabilities_where_they_are_asked_for(tiny_model_dir: Path, nlp: Any) -> None:
    asked = pipeline(tiny_model_dir, probabilities=True)
    parser = asked.get_pipe("bnaparser").parser
    text = "The cat sat on the mat. Dogs bark!"
    doc, plain = asked(text), nlp(text)
    assert brackets(doc) == brackets(plain)
    for sentence in doc.sents:
        parse = parser.parse_words([token.text for token in sentence], probabilities=True)
        for span in parse.spans:
            found = doc[sentence.start + span.start : sentence.start + span.end]
            assert found._.probability == pytest.approx(span.probability, abs=1e-5)
        assert sentence._.confidence == pytest.approx(parse.confidence, abs=1e-5)
    sure = [span._.probability for one in doc.sents for span in one._.constituents if span._.labels]
    assert doc._.confidence == pytest.approx(sum(sure) / len(sure), abs=1e-5)
    unlabelled = [token for token in doc if not token._.labels]
    assert {token._.probability for token in unlabelled} == {None}
    assert (plain._.confidence, plain[0:1]._.probability) == (None, None)
    assert doc[0:1]._.confidence == doc[0:1]._.probability
    again = Doc(asked.vocab).from_bytes(doc.to_bytes())
    assert again._.confidence == doc._.confidence
    assert next(iter(asked.pipe([text])))._.confidence == pytest.approx(doc._.confidence, abs=1e-5)


def test_a_pipeline_saved_over_another_has_its_own_model(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    """That of the one before was loaded instead."""
    pipeline(tiny_model_dir).to_disk(tmp_path / "pipeline")
    ours = tmp_path / "pipeline" / "bnaparser" / "models.txt"
    ours.write_text("not a model", encoding="utf-8")
    second = spacy.blank("en")
    second.add_pipe("sentencizer")
    second.add_pipe("bnaparser", config={"model": "en"})
    second.to_disk(tmp_path / "pipeline")
    assert list(ours.parent.iterdir()) == [ours]
    assert spacy.load(tmp_path / "pipeline").get_pipe("bnaparser").parser.name == "en"
