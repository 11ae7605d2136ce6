"""Syntax-BERT: masks against worked examples, equations 1 and 2 against all sub-networks one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser.errors import SettingsError
from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import SyntaxBatch, collate
from bnaparser.syntax.masks import PADDING, SPECIAL, TokenText
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.syntax_bert import (
    SyntaxBert,
    SyntaxBertSettings,
    Topical,
    additive,
    multiplied,
    pair_mask,
    shuffled,
    topical_weights,
    word_subnetworks,
)
from bnaparser.syntax.variants.transformer import TransformerSettings, raw_transformer
from bnaparser.trees.heads.rules import COLLINS, UD
from bnaparser.trees.tree import Tree

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]


def places(subnetworks: np.ndarray, number: int) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in np.argwhere(subnetworks == number)}


def test_the_masks_of_a_dependency_tree(the_cat: SyntaxTrees) -> None:
    subnetworks = word_subnetworks(the_cat, "dependency", SyntaxBertSettings())
    assert places(subnetworks, 1) == {(1, 0), (2, 1), (2, 3), (3, 5), (5, 4)}
    assert places(subnetworks, 2) == {(2, 0), (3, 4), (2, 5)}
    assert places(subnetworks, 3) == {(2, 4)}
    for distance in (1, 2, 3):  # the child masks are their transposes
        assert places(subnetworks, 15 + distance) == {
            (j, i) for i, j in places(subnetworks, distance)
        }
    assert not places(subnetworks, 31)
    siblings = {
        distance: {(i, j) for i, j in places(subnetworks, 30 + distance) if i < j}
        for distance in (2, 3, 4, 5)
    }
    assert siblings == {2: {(1, 3)}, 3: {(0, 3), (1, 5)}, 4: {(0, 5), (1, 4)}, 5: {(0, 4)}}
    assert (subnetworks[np.eye(6, dtype=bool)] == 0).all()


def test_the_masks_of_a_constituency_tree() -> None:
    words = ("The", "cat", "sat", "on", "the", "mat")
    tree = Tree.parse(
        "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"
    )
    text = SyntaxTrees(words, (2, 3, 0, 3, 6, 4), (tree,))
    subnetworks = word_subnetworks(text, "constituency", SyntaxBertSettings())
    assert subnetworks[~np.eye(6, dtype=bool)].min() > 30  # siblings only
    distances = subnetworks.astype(int) - 30
    examples = {
        (0, 1): 2,
        (0, 2): 4,
        (1, 3): 5,
        (2, 3): 3,
        (2, 4): 4,
        (3, 5): 3,
        (4, 5): 2,
        (0, 5): 6,
    }
    for (i, j), distance in examples.items():
        assert distances[i, j] == distances[j, i] == distance
    headed = word_subnetworks(text, "constituency", SyntaxBertSettings(constituency="headed"))
    assert {(2, 1)} <= places(headed, 4) and {(1, 2)} <= places(headed, 19)


def test_headed_constituents_are_no_dependencies_and_follow_the_texts_head_rules() -> None:
    """They were the dependency networks once more, by one set of head rules for all."""
    tree = Tree.parse(
        "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"
    )
    settings = SyntaxBertSettings(constituency="headed")
    found = []
    for rules in (UD, COLLINS):
        text = SyntaxTrees.of_trees(tree.words, [tree], rules)
        found.append(word_subnetworks(text, "constituency", settings))
        dependencies = word_subnetworks(text, "dependency", settings)
        parents = (found[-1] > 0) & (found[-1] <= 15)
        assert (parents == ((dependencies > 0) & (dependencies <= 15))).all()
        assert (found[-1][parents] != dependencies[parents]).mean() > 0.5
    assert {(5, 3)} <= places(found[0], 3) and {(3, 5)} <= places(found[1], 3)


def test_farther_pairs_are_in_no_mask() -> None:
    count = 20
    chain = SyntaxTrees(("w",) * count, (0, *range(1, count)))
    subnetworks = word_subnetworks(chain, "dependency", SyntaxBertSettings())
    assert subnetworks[0, 15] == 15 and subnetworks[0, 16] == 0 and subnetworks[15, 0] == 30
    assert word_subnetworks(chain, "dependency", SyntaxBertSettings(distances=16))[0, 16] == 16


def test_the_pair_mask_of_two_words() -> None:
    text = TokenText((SyntaxTrees(("a",), (0,)), SyntaxTrees(("b",), (0,))), np.array([0, 1]))
    assert pair_mask(text, False).astype(int).tolist() == [[0, 1], [1, 0]]
    assert pair_mask(text, True).astype(int).tolist() == [[1, 1], [1, 1]]
    full = TokenText(text.structures, np.array([SPECIAL, 0, SPECIAL, 1, PADDING]))
    assert pair_mask(full, True).sum(axis=1).tolist() == [0, 2, 0, 2, 0]


def test_there_are_90_sub_networks_and_92_for_a_pair(
    the_cat: SyntaxTrees, it_rained: SyntaxTrees
) -> None:
    settings = SyntaxBertSettings()
    one = settings.masks(TokenText((the_cat,), np.arange(6)))
    two = settings.masks(TokenText((the_cat, it_rained), np.arange(8)))
    assert (one.subnetwork_count, two.subnetwork_count) == (90, 92)
    assert sum(settings.kinds) == 91 and len(settings.names) == 92
    assert settings.names[0] == "dependency parent 1" and settings.names[-2:] == ["pair", "empty"]
    assert two.subnetworks is not None and not two.subnetworks[:2, :6, 6:].any()
    few = SyntaxBertSettings(trees=("dependency",), relations=("child",), pair=False)
    assert few.masks(TokenText((the_cat, it_rained), np.arange(8))).subnetwork_count == 15


def test_random_masks_are_as_dense_and_always_the_same(the_cat: SyntaxTrees) -> None:
    settings = SyntaxBertSettings(random_masks=True)
    found = word_subnetworks(the_cat, "dependency", settings)
    true = word_subnetworks(the_cat, "dependency", SyntaxBertSettings())
    assert (found != true).any()
    assert (np.bincount(found.ravel()) == np.bincount(true.ravel())).all()
    assert (found == word_subnetworks(the_cat, "dependency", settings)).all()
    other = SyntaxBertSettings(random_masks=True, seed=1)
    assert (found != word_subnetworks(the_cat, "dependency", other)).any()


def test_random_masks_of_the_two_kinds_of_trees_are_drawn_apart() -> None:
    places = np.arange(100, dtype=np.uint8).reshape(10, 10)
    words = tuple("abcdefghij")
    moved = [shuffled(places, [tree, *words], 0) for tree in ("dependency", "constituency")]
    assert (moved[0] != moved[1]).mean() > 0.8


def test_a_masked_score_is_out_or_zero() -> None:
    scores = torch.tensor([2.0, 0.5, -1.0]).expand(1, 1, 3, 3)
    subnetworks = torch.tensor([1, 0, 1]).expand(1, 3, 3)
    kind = additive(scores, subnetworks, 1)
    assert kind.entries[0, 0, 0].tolist() == pytest.approx([0.9526, 0, 0.0474], abs=5e-5)
    kind = multiplied(scores, subnetworks, 1, torch.ones(1, 1, 1, 3, dtype=torch.bool))
    assert kind.elsewhere is not None
    row = kind.entries[0, 0, 0] + kind.elsewhere[0, 0, 0, 1]
    assert row.tolist() == pytest.approx([0.8438, 0.1142, 0.0420], abs=5e-5)


def test_scores_far_apart_lose_no_sub_network() -> None:
    scores = torch.tensor([500.0, -500.0, -501.0]).expand(1, 1, 3, 3)
    kind = additive(scores, torch.tensor([1, 2, 2]).expand(1, 3, 3), 2)
    assert kind.entries[0, 0, 0].tolist() == pytest.approx([1, 0.7311, 0.2689], abs=5e-5)


def test_topical_attention_over_three_outputs() -> None:
    topical = Topical(2)
    with torch.no_grad():
        topical.query.copy_(torch.tensor([1.0, 0.0]))
    outputs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    logits = outputs @ topical.direction()
    weights = topical_weights(logits, torch.ones(3))
    assert weights.tolist() == pytest.approx([0.4011, 0.1978, 0.4011], abs=5e-5)
    mixed = topical.value(weights @ outputs)
    assert mixed.tolist() == pytest.approx([0.8022, 0.5989], abs=5e-5)


def test_equal_sub_networks_may_be_merged() -> None:
    topical = Topical(2)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in topical.parameters():
            parameter.normal_()
    merged = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    counts = torch.tensor([3, 1, 1])
    apart = merged.repeat_interleave(counts, dim=0)
    one = topical_weights(merged @ topical.direction(), counts) @ merged
    all_ = topical_weights(apart @ topical.direction(), torch.ones(5)) @ apart
    assert torch.allclose(one, all_, atol=1e-6)


# Equation 1 as printed: also where a whole row of M is 0.
LITERAL = ("multiply", "full")


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    result: np.ndarray = powers / powers.sum()
    return result


def sub_networks(batch: SyntaxBatch) -> list[np.ndarray]:
    """All masks of a single text or pair, one by one."""
    assert batch.subnetworks is not None and isinstance(batch.settings, SyntaxBertSettings)
    subnetworks = batch.subnetworks[0].numpy()
    trees = len(batch.settings.trees)
    masks = []
    for kind, count in enumerate(batch.settings.kinds[:trees]):
        masks += [subnetworks[kind] == number for number in range(1, count + 1)]
    if batch.subnetwork_counts is not None and batch.subnetwork_counts.item() > len(masks):
        masks += [subnetworks[-1] == 1] * trees
    assert batch.subnetwork_counts is not None and len(masks) == batch.subnetwork_counts.item()
    return masks


def context_of(
    mask: np.ndarray, seen: dict[str, Any], settings: SyntaxBertSettings, syntax: SyntaxBert
) -> np.ndarray:
    """The contexts (T, A * W) of one sub-network by equation 1; NaN where it drops a row."""
    size = len(seen["hidden"])
    context = np.full((size, 2, 16), np.nan)
    for i in range(size):
        for head in range(2):
            scores = seen["query"][head, i] @ seen["key"][head].T / 4
            if settings.lisa is not None and head == 1 and not mask.any():
                assert syntax.parent_head is not None
                matrix = syntax.parent_head.matrices[0].detach().double().numpy()
                scores = seen["query"][head, i] @ (matrix @ seen["hidden"].T) / 4
            if not mask[i].any() and (settings.mask_mode, settings.empty_row) != LITERAL:
                if settings.empty_row == "drop":
                    continue
                row = np.eye(size)[i] if settings.empty_row == "self" else softmax(scores)
            elif settings.mask_mode == "multiply":
                row = softmax(scores * mask[i])
            else:
                row = softmax(np.where(mask[i], scores, -np.inf))
            context[i, head] = row @ seen["value"][head]
    return context.reshape(size, 32)


def written_out(seen: dict[str, Any], batch: SyntaxBatch, model: Any) -> np.ndarray:
    """Return W^O's output of a layer by equations 1 and 2, each sub-network computed by itself."""
    settings, syntax = batch.settings, syntax_of(model)
    assert isinstance(settings, SyntaxBertSettings) and isinstance(syntax, SyntaxBert)
    dense = model.encoder.layer[0].attention.output.dense
    weight, bias = (p.detach().double().numpy() for p in (dense.weight, dense.bias))
    size = len(seen["hidden"])
    contexts = [context_of(mask, seen, settings, syntax) for mask in sub_networks(batch)]
    wanted = np.zeros((size, 32))
    for i in range(size):
        found = [context[i] for context in contexts if not np.isnan(context[i]).any()]
        if not found:  # "drop" leaves nothing: all is seen
            rows = [
                softmax(q[i] @ k.T / 4) @ v
                for q, k, v in zip(*(seen[n] for n in ("query", "key", "value")), strict=True)
            ]
            found = [np.concatenate(rows)]
        if settings.mixing != "topical":
            scale = {"sum": 1.0, "mean": len(found), "scaled_sum": len(found) ** 0.5}
            wanted[i] = weight @ (sum(found) / scale[settings.mixing]) + bias
            continue
        outputs = np.array(found)
        if settings.share_topical:
            outputs = outputs @ weight.T + bias
        mixed = topically_mixed(outputs, syntax)
        wanted[i] = mixed if settings.share_topical else weight @ mixed + bias
    return wanted


def topically_mixed(outputs: np.ndarray, syntax: SyntaxBert) -> np.ndarray:
    """The mixture of the sub-networks' outputs of one token (N, H) by equation 2."""
    topical = syntax.topical[0]
    assert isinstance(topical, Topical)
    query, keys, values = (
        p.detach().double().numpy()
        for p in (topical.query, topical.key.weight, topical.value.weight)
    )
    mixed: np.ndarray = values @ (softmax(outputs @ keys.T @ query / np.sqrt(32)) @ outputs)
    return mixed


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mask_mode": "multiply"},
        {"mask_mode": "multiply", "empty_row": "self"},
        {"empty_row": "self"},
        {"empty_row": "drop"},
        {"mask_mode": "multiply", "empty_row": "drop", "constituency": "headed"},
        {"mixing": "mean"},
        {"mixing": "sum", "relations": ("sibling", "parent")},
        {"mixing": "scaled_sum", "trees": ("constituency",), "distances": 3},
        {"share_topical": False},
        {"lisa": LisaSettings(form="replace")},
        {"pair_diagonal": True, "random_masks": True},
        {"pair": False, "distances": 2},
    ],
    ids=str,
)
@pytest.mark.parametrize("pair", [False, True])
def test_a_layer_is_as_its_equations_written_out(
    options: dict[str, Any],
    pair: bool,
    fresh: Fresh,
    tokens_of: Tokens,
    first_layer: Callable[..., Any],
    the_cat: SyntaxTrees,
    it_rained: SyntaxTrees,
) -> None:
    settings = SyntaxBertSettings(**options)
    model = attach(fresh("bert"), settings)
    torch.manual_seed(4)
    with torch.no_grad():
        for parameter in syntax_of(model).parameters():
            parameter.add_(torch.randn_like(parameter))
    structures: list[Any] = [(the_cat, it_rained)] if pair else [the_cat]
    tokens = tokens_of("bert", structures)
    batch = collate(structures, tokens, settings)
    seen = first_layer(model, tokens, batch)
    wanted = written_out(seen, batch, model)
    assert np.allclose(seen["output"], wanted, atol=1e-4 * np.abs(wanted).max())


def test_the_shares_are_named_and_sum_to_one(
    fresh: Fresh, tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    settings = SyntaxBertSettings()
    model = attach(fresh("bert"), settings)
    tokens = tokens_of("bert", [the_cat])
    model(**tokens, syntax=collate([the_cat], tokens, settings))
    syntax = syntax_of(model)
    assert isinstance(syntax, SyntaxBert) and len(syntax.shares) == 2
    shares = syntax.shares[0]
    assert shares.shape[-1] == len(settings.names)
    assert torch.allclose(shares.sum(-1), torch.ones(()))
    row = dict(zip(settings.names, shares[0, 1].tolist(), strict=True))  # "The": 2 child masks...
    assert row["dependency child 1"] == pytest.approx(1 / 90)
    assert row["dependency parent 1"] == 0 and row["pair"] == 0
    assert row["empty"] > 0.8


def test_all_of_table_5_can_be_set() -> None:
    for options in (
        {"mixing": "sum"},
        {"random_masks": True},
        {"trees": ("constituency",)},
        {"trees": ("dependency",)},
        {"relations": ("child", "sibling")},
        {"relations": ("parent", "sibling")},
        {"relations": ("parent", "child")},
        {"pair": False},
    ):
        SyntaxBertSettings.model_validate(options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": ()}, "at least one item"),
        ({"relations": ("child", "child")}, "must not contain an item twice"),
        ({"lisa": LisaSettings()}, 'lisa.form = "replace"'),
        ({"lisa": LisaSettings(form="replace"), "empty_row": "drop"}, "unmasked sub-network"),
        ({"lisa": LisaSettings(form="replace"), "mask_mode": "multiply"}, "unmasked sub-network"),
    ],
)
def test_settings_that_mean_nothing_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        SyntaxBertSettings(**options)


def test_a_transformer_from_scratch_learns_under_syntax(
    tokens_of: Tokens, the_cat: SyntaxTrees
) -> None:
    torch.manual_seed(0)
    sizes = TransformerSettings(vocabulary=500, layers=1, width=16, heads=2, intermediate_size=32)
    settings = SyntaxBertSettings()
    model = attach(raw_transformer(sizes), settings)
    tokens = tokens_of("bert", [the_cat])
    model(**tokens, syntax=collate([the_cat], tokens, settings)).pooler_output.sum().backward()
    syntax = syntax_of(model)
    assert isinstance(syntax, SyntaxBert)
    assert all(parameter.grad is not None for parameter in syntax.topical.parameters())
    assert TransformerSettings(vocabulary=9).layers == 12
