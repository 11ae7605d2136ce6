"""Word vectors are the means of pieces, of each layer, alone as in company, guided or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from bnaparser.errors import ModelError, SettingsError
from bnaparser.inspection.probe_data import load_reader, mean_pieces, word_vectors
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.model import TaskModel, save_model


def test_a_word_is_the_mean_of_its_pieces() -> None:
    states = torch.arange(24.0).view(2, 4, 3)
    found = mean_pieces(states, [None, 0, 0, 1], 2)
    assert found is not None
    for layer in range(2):
        assert found[layer, 0].tolist() == ((states[layer, 1] + states[layer, 2]) / 2).tolist()
        assert found[layer, 1].tolist() == states[layer, 3].tolist()
    assert mean_pieces(states, [None, 0, 0, None], 2) is None
    assert mean_pieces(states, [None, None, None, None], 0) is None


@pytest.mark.parametrize("family", ["bert", "distilbert", "modernbert", "xlnet", "t5", "convbert"])
def test_all_layers_in_company_and_alone(
    encoder_folder: Callable[[str], Path], the_cat: SyntaxTrees, it_rained: SyntaxTrees, family: str
) -> None:
    reader = load_reader(str(encoder_folder(family)), "cpu")
    layers = reader.chosen([])
    assert layers == [0, 1, 2]
    together = word_vectors(reader, [it_rained, the_cat], layers, guided=True)
    for structure, found in zip((it_rained, the_cat), together, strict=True):
        (alone,) = word_vectors(reader, [structure], layers, guided=True)
        assert found is not None and alone is not None
        assert found.shape == (3, len(structure.words), 32)
        assert np.allclose(found, alone, atol=1e-5)
    tokens = reader.tokenizer(["It", "rained"], is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        last = reader.encoder(**tokens).last_hidden_state[0]
    places = [tokens.word_ids(0).index(word) for word in (0, 1)]
    single = [word for word in (0, 1) if tokens.word_ids(0).count(word) == 1]
    assert together[0] is not None
    assert single or family == "modernbert"  # whose small vocabulary has neither word whole
    for word in single:
        assert np.allclose(together[0][2, word], last[places[word]], atol=1e-5)


def test_a_model_of_a_task_reads_with_syntax_or_without(
    build: Callable[..., TaskModel], the_cat: SyntaxTrees, tmp_path: Path
) -> None:
    save_model(build(syntax={"sla": {"threshold": 0}}), tmp_path, "float32", {})
    reader = load_reader(str(tmp_path), "cpu")
    (guided,) = word_vectors(reader, [the_cat], [0, 2], guided=True)
    (plain,) = word_vectors(reader, [the_cat], [0, 2], guided=False)
    assert guided is not None and plain is not None
    assert np.array_equal(guided[0], plain[0])
    assert not np.allclose(guided[1], plain[1], atol=1e-4)


def test_a_sentence_that_does_not_fit_has_no_vectors(
    encoder_folder: Callable[[str], Path], it_rained: SyntaxTrees
) -> None:
    reader = load_reader(str(encoder_folder("bert")), "cpu")
    long = SyntaxTrees(("dog",) * 2000, None)
    dropped = SyntaxTrees(("It", "\u200b"), None)
    found = word_vectors(reader, [long, it_rained, dropped], [1], guided=True)
    assert [vectors is None for vectors in found] == [True, False, True]


def test_layers_and_folders_that_are_not_there(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    reader = load_reader(str(encoder_folder("bert")), "cpu")
    assert reader.chosen([2, 0, 2]) == [0, 2]
    with pytest.raises(SettingsError, match="no layer 3: this encoder has 0 to 2"):
        reader.chosen([3])
    for _ in range(2):
        with pytest.raises(ModelError, match="neither an encoder of transformers"):
            load_reader(str(tmp_path))
        (tmp_path / "config.json").write_text('{"layers": {}}')  # as a parser's
    with pytest.raises(ModelError, match="cannot use the device"):
        load_reader(str(encoder_folder("bert")), "cuda:99")
