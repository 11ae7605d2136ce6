"""The network and its inputs: pooling, words and pieces, loss, and what syntax changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import SqueezeBertConfig, SqueezeBertModel

from bnaparser.encoders.loading import load_tokenizer
from bnaparser.encoders.subwords import Subwords
from bnaparser.errors import ModelError
from bnaparser.settings import validate
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.kinds.base import places_of_words
from bnaparser.tasks.model import (
    TaskModel,
    create,
    load_words_tokenizer,
)
from bnaparser.tasks.network import TaskNetwork
from bnaparser.tasks.settings import TaskModelSettings

FAMILIES = ["bert", "roberta", "distilbert", "mpnet", "deberta-v2", "modernbert", "xlnet", "t5"]
TEXTS = (("Mira", "liked", "the", "unaffable", "dog", "."), ("It", "sang", "."), ("Karo", "fell"))
CLASSES = ("no", "yes")


@pytest.fixture
def build(encoder_folder: Callable[[str], Path]) -> Callable[..., TaskModel]:
    """A function from a family and tables of settings to an untrained model."""

    def make(family: str = "bert", labels: tuple[str, ...] = CLASSES, **tables: Any) -> TaskModel:
        encoder = {"name": str(encoder_folder(family)), **tables.pop("encoder", {})}
        settings = validate(TaskModelSettings, {"encoder": encoder, **tables}, "test")
        torch.manual_seed(4)
        model = create(settings, labels)
        model.network.eval()
        return model

    return make


def prepared(*texts: tuple[str, ...], gold: Any = None) -> list[PreparedExample]:
    return [PreparedExample((random_structure(words),), gold) for words in texts]


@pytest.mark.parametrize("family", [*FAMILIES, "convbert"])
@pytest.mark.parametrize("pooling", ["first", "last", "mean"])
def test_padding_and_company_change_nothing(
    build: Callable[..., TaskModel], family: str, pooling: str
) -> None:
    model = build(family, syntax={"sla": {}}, encoder={"pooling": pooling})
    together = model.scores(prepared(*TEXTS), batch_tokens=10_000)
    alone = [model.scores([one])[0] for one in prepared(*TEXTS)]
    assert np.allclose(together, alone, atol=2e-5)
    assert not np.allclose(together[0], together[1], atol=2e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_words_are_read_as_after_a_blank(
    encoder_folder: Callable[[str], Path], tmp_path: Path, family: str
) -> None:
    """Byte-level tokenizers would take them for the end of the word before."""
    tokenizer = load_words_tokenizer(encoder_folder(family))
    tokenizer.save_pretrained(tmp_path)
    ((window,),) = Subwords(load_tokenizer(encoder_folder(family)), 512, 510).windows([TEXTS[0]])
    for reader in tokenizer, load_words_tokenizer(tmp_path):
        found = reader(list(TEXTS[0]), is_split_into_words=True)["input_ids"]
        assert found == window.ids.tolist()


@pytest.mark.parametrize("pooling", ["first", "last", "mean"])
def test_pooling_by_hand(build: Callable[..., TaskModel], pooling: str) -> None:
    model = build(encoder={"pooling": pooling, "hidden_layer": False})
    (example,) = prepared(TEXTS[1])
    tokens = model.tokenize([example])
    with torch.no_grad():
        states = model.network.encoder(**tokens).last_hidden_state[0]
        vector = {"first": states[0], "last": states[-1], "mean": states.mean(dim=0)}[pooling]
        expected = model.network.output(vector)
    assert np.allclose(model.scores([example])[0], expected, atol=1e-6)


def test_an_encoder_that_calls_its_pooler_whether_it_has_one_or_not() -> None:
    sizes = {"hidden_size": 32, "embedding_size": 32, "intermediate_size": 32}
    config = SqueezeBertConfig(vocab_size=30, num_hidden_layers=1, num_attention_heads=2, **sizes)
    settings = validate(TaskModelSettings, {"encoder": {"name": "none"}}, "test")
    network = TaskNetwork(SqueezeBertModel(config), settings, outputs=3)
    ids = torch.tensor([[1, 2, 3]])
    assert network(ids, torch.ones_like(ids))["logits"].shape == (1, 3)


def test_syntax_guides_and_a_text_without_it_gets_the_plain_encoder(
    build: Callable[..., TaskModel],
) -> None:
    plain, guided = build(), build(syntax={"sla": {"threshold": 0, "gate_bias": 3.0}})
    guided.network.load_state_dict(plain.network.state_dict(), strict=False)
    unparsed = PreparedExample((SyntaxTrees(TEXTS[0], None, error="no tree"),))
    (with_tree,) = prepared(TEXTS[0])
    alike, other = guided.scores([unparsed, with_tree])
    (expected,) = plain.scores([unparsed])
    assert np.allclose(alike, expected, atol=1e-5)
    assert not np.allclose(other, expected, atol=1e-4)


def test_a_word_is_scored_at_its_first_piece(build: Callable[..., TaskModel]) -> None:
    model = build(labels=("O", "A", "B"), task={"kind": "tagging"})
    (example,) = prepared(TEXTS[0])
    tokens = model.tokenize([example])
    words = tokens.word_ids(0)
    assert words.count(3) > 1
    with torch.no_grad():
        logits = model.network(**model.inputs([example], tokens))["logits"][0].numpy()
    found = model.scores([example])[0]
    assert found.shape == (6, 3)
    for word in range(6):
        assert np.allclose(found[word], logits[words.index(word)], atol=1e-6)


def test_words_beyond_the_encoders_length_get_the_most_frequent_class(
    build: Callable[..., TaskModel],
) -> None:
    model = build(labels=("O", "A"), task={"kind": "tagging"})
    (example,) = [PreparedExample((SyntaxTrees(("dog",) * 600, None),))]
    found = model.scores([example])[0]
    assert found.shape == (600, 2)
    assert (found[510:] == [1.0, 0.0]).all()
    assert not (found[:510] == [1.0, 0.0]).all(axis=1).any()


def test_labels_stand_at_first_pieces_and_the_rest_is_ignored(
    build: Callable[..., TaskModel],
) -> None:
    model = build(labels=("O", "A"), task={"kind": "tagging"})
    examples = [PreparedExample((random_structure(TEXTS[0]),), (0, 1, 0, 1, 0, 1))]
    batch = model.training_batch(examples, 128)
    tokens = model.tokenize(examples)
    places = places_of_words(tokens, 0, 6)
    assert batch["labels"][0, places].tolist() == [0, 1, 0, 1, 0, 1]
    assert (batch["labels"] != -100).sum() == 6
    short = model.training_batch(examples, 5)
    assert short["input_ids"].shape == (1, 5)
    assert (short["labels"] != -100).sum() <= 3


def test_the_loss_by_hand(build: Callable[..., TaskModel]) -> None:
    model = build()
    batch = model.training_batch(prepared(*TEXTS, gold=1), 128)
    output = model.network(**batch)
    rows = output["logits"].detach().double().numpy()
    expected = np.mean([math.log(np.exp(row).sum()) - row[1] for row in rows])
    assert output["loss"].item() == pytest.approx(expected, rel=1e-5)


def test_the_loss_of_scores(build: Callable[..., TaskModel]) -> None:
    pairs = [
        PreparedExample((random_structure(a), random_structure(b)), 2.5) for a, b in [TEXTS[:2]]
    ]
    table = {"kind": "regression", "texts": ["a", "b"]}
    model = build(labels=(), task=table, syntax={"syntax_bert": {"distances": 2}})
    output = model.network(**model.training_batch(pairs, 128))
    expected = (output["logits"][0, 0].item() - 2.5) ** 2
    assert output["loss"].item() == pytest.approx(expected, rel=1e-5)
    assert model.predicted(model.scores(pairs)[0]) == pytest.approx(
        output["logits"][0, 0].item(), abs=1e-4
    )


def test_lisas_supervision_is_added(build: Callable[..., TaskModel]) -> None:
    from bnaparser.syntax import syntax_of

    model = build(syntax={"lisa": {}})
    batch = model.training_batch(prepared(*TEXTS, gold=0), 128)
    output = model.network(**batch)
    supervision: Any = syntax_of(model.network.encoder).loss
    task = torch.nn.functional.cross_entropy(output["logits"], batch["labels"])
    assert supervision.item() > 0
    assert output["loss"].item() == pytest.approx((task + supervision).item(), rel=1e-5)
    output["loss"].backward()


def test_new_parameters_are_the_heads_and_the_gates(build: Callable[..., TaskModel]) -> None:
    model = build(syntax={"sla": {}})
    new = sum(parameter.numel() for parameter in model.network.new_parameters())
    width, layers = 32, 2
    assert new == layers * (width + 1) + width * width + width + 2 * width + 2


def test_an_encoder_that_is_not_there(build: Callable[..., TaskModel]) -> None:
    with pytest.raises(ModelError, match="cannot load the encoder"):
        build(encoder={"name": "/no/such/encoder"})
