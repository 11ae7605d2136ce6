"""Attention maps are what the layers weighted values with, folded to words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from bnaparser.errors import SettingsError
from bnaparser.inspection.gates import last_gates
from bnaparser.inspection.maps import attention_maps, fold, watching
from bnaparser.inspection.texts import attention_variant
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.sla import SlaSettings, local_mask
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import TaskModel
from bnaparser.trees.tree import Tree

FAMILIES = ["bert", "distilbert", "mpnet", "deberta", "deberta-v2", "modernbert", "xlnet", "t5"]
SLA = {"sla": {"threshold": 1}}


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_sum_to_one_and_what_the_mask_hides_is_nothing(
    build: Callable[..., TaskModel], the_cat: SyntaxTrees, family: str
) -> None:
    maps = attention_maps(build(family, SLA), PreparedExample((the_cat,)))
    assert maps.local is not None
    for shown in (maps.plain, maps.local, maps.guided):
        assert shown.shape == (2, 2, len(maps.words), len(maps.words))
        assert np.allclose(shown.sum(axis=-1), 1, atol=1e-5)
    words = np.flatnonzero(~maps.special)
    assert tuple(maps.words[word] for word in words) == the_cat.words
    hidden = ~local_mask(the_cat, SlaSettings(threshold=1))
    between_words = maps.local[:, :, words][..., words]
    assert hidden.any()
    assert (between_words[..., hidden] == 0).all()
    assert (between_words[..., ~hidden] > 0).all()


def test_the_combined_attention_is_mixed_by_the_gates(build: Callable[..., TaskModel]) -> None:
    structure = SyntaxTrees(("It", "sang", "."), (2, 0, 2))
    model = build(syntax=SLA)
    maps = attention_maps(model, PreparedExample((structure,)))
    assert maps.local is not None and len(maps.words) == 5  # no word has two pieces
    for layer, gates in enumerate(last_gates(model)):
        for token, gate in enumerate(gates[0].tolist()):
            expected = gate * maps.local[layer, :, token] + (1 - gate) * maps.plain[layer, :, token]
            assert np.allclose(maps.guided[layer, :, token], expected, atol=1e-6)


def test_without_syntax_the_first_layer_is_the_plain_encoders(
    build: Callable[..., TaskModel], the_cat: SyntaxTrees, encoder_folder: Callable[[str], Path]
) -> None:
    model, example = build(syntax=SLA), PreparedExample((the_cat,))
    maps = attention_maps(model, example)
    plain = transformers.AutoModel.from_pretrained(
        encoder_folder("bert"), attn_implementation="eager"
    ).eval()
    tokens = model.tokenize([example])
    with torch.no_grad():
        attentions = plain(**tokens, output_attentions=True).attentions
    words = tokens.word_ids(0)
    assert words.count(5) > 1  # a word of several pieces
    units = np.array([0, *[word + 1 for word in words[1:-1]], 7])
    assert np.allclose(maps.plain[0], fold(attentions[0][0].numpy(), units), atol=1e-6)
    closed = attention_maps(build(syntax={"sla": {"gate_bias": -1e4}}), example)
    expected = [fold(layer[0].numpy(), units) for layer in attentions]
    assert np.allclose(closed.guided, expected, atol=1e-5)


def test_pieces_of_a_word_are_summed_as_keys_and_averaged_as_queries() -> None:
    attention = np.random.default_rng(3).dirichlet(np.ones(4), size=4).astype(np.float32)
    units = [0, 1, 1, 2]
    expected = np.zeros((3, 3))
    for query in range(4):
        for key in range(4):
            expected[units[query], units[key]] += attention[query, key] / units.count(units[query])
    assert np.allclose(fold(attention, np.array(units)), expected, atol=1e-6)


@pytest.mark.parametrize(
    "table", [{"lisa": {"form": "replace"}}, {"syntax_bert": {"distances": 3}}]
)
def test_variants_without_a_local_attention(
    build: Callable[..., TaskModel], table: dict[str, Any]
) -> None:
    trees = SyntaxTrees.of_trees(("It", "sang"), [Tree.parse("(S (NP (PRP It)) (VP (VBD sang)))")])
    maps = attention_maps(build(syntax=table), PreparedExample((trees,)))
    assert maps.local is None
    assert np.allclose(maps.guided.sum(axis=-1), 1, atol=1e-5)
    assert not np.allclose(maps.guided, maps.plain, atol=1e-4)


def test_both_texts_of_a_pair_are_shown(
    build: Callable[..., TaskModel], the_cat: SyntaxTrees, it_rained: SyntaxTrees
) -> None:
    model = build(syntax=SLA, texts=["one", "other"])
    maps = attention_maps(model, PreparedExample((it_rained, the_cat)))
    words = tuple(w for w, special in zip(maps.words, maps.special, strict=True) if not special)
    assert words == it_rained.words + the_cat.words
    assert maps.special.sum() == 3


def test_one_layer_and_one_head_or_their_means(
    build: Callable[..., TaskModel], the_cat: SyntaxTrees
) -> None:
    maps = attention_maps(build(syntax=SLA), PreparedExample((the_cat,)))
    assert np.allclose(maps.average().guided[0, 0], maps.guided.sum(axis=(0, 1)) / 4, atol=1e-6)
    assert np.array_equal(maps.average(2, 1).plain[0, 0], maps.plain[1, 0])
    for layer, head in ((0, None), (3, None), (None, 3)):
        with pytest.raises(SettingsError, match="this encoder has the numbers 1 to 2"):
            maps.average(layer, head)


def test_the_model_is_left_as_it_was(build: Callable[..., TaskModel], the_cat: SyntaxTrees) -> None:
    model = build(syntax=SLA)
    example = PreparedExample((the_cat,))
    before = model.scores([example])[0]
    attention_maps(model, example)
    variant = attention_variant(model)
    with pytest.raises(ZeroDivisionError), watching(variant, lambda *seen: None):
        raise ZeroDivisionError
    assert "attend" not in vars(variant)
    assert np.array_equal(model.scores([example])[0], before)
