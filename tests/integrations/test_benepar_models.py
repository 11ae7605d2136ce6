"""benepar's own models: its trees, on our command line too; damaged and foreign files refused."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.cli import main
from bnaparser.encoders.subwords import JoinedSubwords, _last
from bnaparser.errors import ModelError
from bnaparser.integrations.spaced_words import spaced_sentence
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.text.detokenize import detokenize_words, spaces_after
from bnaparser.trees.tree import Tree
from tests.integrations.benepar_fixtures import MODELS, answers, archive, folder, rewritten

pytestmark = pytest.mark.usefixtures("one_thread")
BENEPAR = answers()


def same(found: list[Parse], expected: list[str], tagged: bool) -> bool:
    """Whether constituents are benepar's, and tags where the model has any."""
    trees = list(map(Tree.parse, expected))
    return [[span._replace(score=None) for span in one.spans] for one in found] == [
        tree.spans() for tree in trees
    ] and (not tagged or [one.tags for one in found] == [tree.tags for tree in trees])


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def parser(model: str) -> Parser:
    return Parser.load(archive(model))


def test_trees_are_benepars(model: str, parser: Parser) -> None:
    expected = BENEPAR[model]
    assert parser.predicts_tags == (model == "bert-tags")
    assert same(parser.parse_many(BENEPAR["sentences"]), expected["trees"], parser.predicts_tags)
    words, blanks = expected["typed"], expected["blanks"]
    assert same(parser.parse_many(words), expected["listed"], parser.predicts_tags)
    spaced = [spaced_sentence(zip(*row, strict=True)) for row in zip(words, blanks, strict=True)]
    assert same(parser.parse_sentences(spaced), expected["spaced"], parser.predicts_tags)


def test_words_are_typed_and_blanks_guessed_as_benepar_does(model: str) -> None:
    for words, plain, after in zip(
        BENEPAR["sentences"], BENEPAR[model]["typed"], BENEPAR[model]["guessed"], strict=False
    ):
        assert detokenize_words(words) == plain
        assert spaces_after(plain, "guess") == after
    assert spaces_after(["a", "."], "spaces") == [True, True]
    assert spaces_after(["a", "."], "no_spaces") == [False, False]
    assert spaces_after(["Can", "not"], "guess") == [False, True]
    assert spaces_after(["do", "not", "can", "it"], "guess") == [True] * 4


def test_a_text_is_read_with_its_own_blanks(parser: Parser) -> None:
    (parse,) = parser("She can't see (the) old man.")
    assert parse.words == ("She", "ca", "n't", "see", "(", "the", ")", "old", "man", ".")
    blanks = [True, False, True, True, False, False, True, True, False, True]
    expected = parser.parse_sentences([spaced_sentence(zip(parse.words, blanks, strict=True))])[0]
    assert parse.spans == expected.spans
    assert parse.score == expected.score


def test_long_sentences_go_in_windows(parser: Parser) -> None:
    parses = parser.parse_many([["cat", "'s"] * 600, ["x" * 5000, "rained", "."], ["\u200b"]])
    assert [one.error for one in parses] == [None] * 3
    assert [len(one.words) for one in parses] == [1200, 3, 1]
    network: Any = parser.model
    subwords = network.subwords
    assert isinstance(subwords, JoinedSubwords)
    words = [f"{number}x" for number in range(1200)]
    (windows,) = subwords.joined_windows([words], [[True] * len(words)])
    assert len(windows) > 1
    covered = [range(one.first_word, one.first_word + one.words) for one in windows]
    assert set().union(*covered) == set(range(1200))
    for window in windows:
        assert len(window.ids) <= 512
        assert (window.last >= 0).all()
        assert (np.diff(window.last) >= 0).all()


pieces = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12)
spaced_words = st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=8)


@given(pieces, spaced_words)
def test_a_words_subword_is_the_last_that_ends_in_it(
    gaps: list[tuple[int, int]], given_words: list[tuple[int, bool]]
) -> None:
    """Against the definition: the last one that ends within the word, else the next, else the last."""
    offsets, end = [], 0
    for gap, size in gaps:
        offsets.append((end + gap, end + gap + size))
        end += gap + size
    words = ["x" * size for size, _ in given_words]
    sentence = words, [blank for _, blank in given_words]
    found, *others = _last([offsets, [], offsets], [sentence] * 3)
    assert others == [[-1] * len(words), found]  # whatever stands beside it
    seen = [place for place, (start, stop) in enumerate(offsets) if start < stop]
    begin = 0
    for (size, blank), place in zip(given_words, found, strict=True):
        stop = begin + size
        inside = [one for one in seen if begin < offsets[one][1] <= stop]
        later = [one for one in seen if offsets[one][1] > stop]
        expected = inside[-1:] or later[:1] or seen[-1:] or [-1]
        assert place == expected[0]
        begin = stop + blank


def test_importing_writes_a_model_folder(
    model: str, parser: Parser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = folder(model, tmp_path), tmp_path / "ours"
    assert main(["models", "import", str(source), str(target)]) == 0
    assert f"{target} is written" in capsys.readouterr().out
    assert not list(target.rglob("*.bin"))
    assert "benepar" not in json.loads((target / "encoder" / "config.json").read_text())
    ours = Parser.load(target).parse_many(BENEPAR["sentences"])
    assert ours == parser.parse_many(BENEPAR["sentences"])
    assert ours == Parser.load(source).parse_many(BENEPAR["sentences"])
    assert main(["models", "import", str(source), str(target)]) == 2
    assert f"{target} exists already" in capsys.readouterr().err
    assert main(["models", "import", "nowhere", str(tmp_path / "new")]) == 2
    assert "no model 'nowhere'" in capsys.readouterr().err


def cut(path: Path, name: str = "benepar_model.bin") -> None:
    """Leave half of a file."""
    data = (path / name).read_bytes()
    (path / name).write_bytes(data[: len(data) // 2])


def with_code(path: Path) -> None:
    """Weights that would make a folder as they are loaded."""
    torch.save({"x": Harmful(str(path / "made"))}, path / "benepar_model.bin")


class Harmful:
    def __init__(self, folder: str):
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.folder,)


def plain_pickle(path: Path) -> None:
    (path / "benepar_model.bin").write_bytes(pickle.dumps(Harmful(str(path / "made"))))


def changed(edit: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        weights = torch.load(path / "benepar_model.bin", weights_only=True)
        edit(weights)
        torch.save(weights, path / "benepar_model.bin")

    return change


def configured(edit: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        config = json.loads((path / "config.json").read_text())
        edit(config)
        (path / "config.json").write_text(json.dumps(config))

    return change


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "code": (
        with_code,
        "contains pickled code, which loading would run: only files with nothing but weights are loaded",
    ),
    "pickle": (
        plain_pickle,
        "contains pickled code, which loading would run: only files with nothing but weights are loaded",
    ),
    "cut": (cut, "is damaged or cut short"),
    "no weights": (lambda p: (p / "benepar_model.bin").unlink(), "benepar_model.bin is missing"),
    "no tokenizer": (lambda p: (p / "tokenizer.json").unlink(), "tokenizer"),
    "cut tokenizer": (lambda p: cut(p, "tokenizer.json"), "cannot load the tokenizer of"),
    "no encoder": (configured(lambda c: c.pop("model_type")), "the encoder of .* is not there"),
    "another": (configured(lambda c: c.update(model_type="gpt2")), "encoder of kind gpt2"),
    "characters": (
        configured(lambda c: c["benepar"]["hparams"].update(use_pretrained=False)),
        "character encoder",
    ),
    "no settings": (
        configured(lambda c: c["benepar"].pop("hparams")),
        "has no entry use_pretrained",
    ),
    "labels": (configured(lambda c: c["benepar"].update(label_vocab={"S": 3})), "damaged"),
    "a setting": (
        configured(lambda c: c["benepar"]["hparams"].pop("d_label_hidden")),
        "damaged: 'd_label_hidden'",
    ),
    "a setting of words": (
        configured(lambda c: c["benepar"]["hparams"].update(num_layers="two")),
        "is damaged: ",
    ),
    "no number": (
        changed(lambda w: w.update({"pretrained_model.embeddings.LayerNorm.bias": 3})),
        "damaged: these are not weights: pretrained_model.embeddings.LayerNorm.bias",
    ),
    "a flat weight": (
        changed(lambda w: w.update({"encoder.layers.0.self_attn.w_qkv_c": torch.ones(3)})),
        "is damaged: ",
    ),
    "a weight less": (
        changed(lambda w: w.pop("f_label.0.bias")),
        "weights have no 'f_label.0.bias'",
    ),
    "a weight more": (changed(lambda w: w.update(x=torch.ones(1))), "no part of it uses: x"),
    "an encoder's": (
        changed(lambda w: w.pop("pretrained_model.embeddings.LayerNorm.bias")),
        "does not fit config.json",
    ),
    "a shape": (
        changed(lambda w: w.update({"f_label.3.bias": torch.ones(2)})),
        "does not fit config.json",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_whole_model_is_one_sentence(kind: str, tmp_path: Path) -> None:
    change, message = BAD[kind]
    path = folder("bert-tags", tmp_path)
    change(path)
    with pytest.raises(ModelError, match=message) as caught:
        Parser.load(path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert not (path / "made").exists()


def test_a_zip_that_is_cut_short_is_one_sentence(tmp_path: Path) -> None:
    whole = archive("t5").read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 30):
        path = tmp_path / "benepar_en3.zip"
        path.write_bytes(whole[:size])
        with pytest.raises(ModelError, match="is not a whole zip file of a model"):
            Parser.load(path)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 255
    path.write_bytes(damaged)
    with pytest.raises(ModelError, match="is not a whole zip file of a model"):
        Parser.load(path)


def test_a_zip_of_a_model_of_ours_is_read(tiny_model_dir: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "ours"), "zip", tiny_model_dir)
    words = ["The", "cat", "sat", "."]
    found, expected = (Parser.load(one).parse_words(words) for one in (packed, tiny_model_dir))
    assert found.tree == expected.tree
    assert found.score == pytest.approx(expected.score, abs=1e-4)


def test_a_checkpoint_of_training_finds_its_encoder_by_name(tmp_path: Path) -> None:
    """The file that benepar's training writes, with the state of its optimizer."""
    path = folder("bert-tags", tmp_path)
    config = json.loads((path / "config.json").read_text())["benepar"]
    weights = torch.load(path / "benepar_model.bin", weights_only=True)
    saved = tmp_path / "model_dev=95.00.pt"
    for name in (str(path), str(tmp_path / "gone")):
        config["hparams"]["pretrained_model"] = name
        torch.save({"config": config, "state_dict": weights, "optimizer": {"state": {}}}, saved)
        if name == str(path):
            expected = Parser.load(path).parse_many(BENEPAR["sentences"])
            assert Parser.load(saved).parse_many(BENEPAR["sentences"]) == expected
        else:
            with pytest.raises(ModelError, match=r"the encoder of .*pt, .*gone, is not there"):
                Parser.load(saved)
    torch.save([1], saved)
    with pytest.raises(ModelError, match="holds no weights"):
        Parser.load(saved)
    torch.save({"weights": weights}, saved)
    with pytest.raises(ModelError, match="neither a zipped model folder nor a checkpoint"):
        Parser.load(saved)


def test_a_tree_may_have_no_constituent_at_its_top(tmp_path: Path) -> None:
    path = rewritten(folder("t5", tmp_path), tmp_path / "free", force_root_constituent=False)
    assert Parser.load(path).model.allow_empty_root
    assert not Parser.load(archive("t5")).model.allow_empty_root
